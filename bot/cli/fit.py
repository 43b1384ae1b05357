"""`tuning-bot fit`: the estimator with explicit arguments."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli import lines
from bot.cli.ask import CONFIG, LANG
from bot.settings import Language, Settings
from bot.world import World

if TYPE_CHECKING:
    from knowledge.fit.observed import ObservedFile
    from knowledge.fit.request import FitRequest

OUTSIDE = frozenset(
    {"lang", "as_json", "as_jsonl", "config", "accuracy", "no_bar"}
)  # parameters that are not options of a FitRequest


def option(help_text: str, metavar: str | None = None) -> Any:
    """An option that is not said unless it is given."""
    return typer.Option(help=help_text, metavar=metavar, show_default=False)


def fit(  # noqa: PLR0913, PLR0917 - one parameter an option
    ctx: typer.Context,
    model: Annotated[
        str | None, option("a Hugging Face id, an alias such as `qwen2.5 72b`, or a folder with a config.json")
    ] = None,
    gpu: Annotated[str | None, option("the card, such as `A100-80GB`, `4090` or `H20`")] = None,
    count: Annotated[int | None, option("how many GPUs there are")] = None,
    tp: Annotated[int | None, option("--tensor-parallel-size")] = None,
    pp: Annotated[int | None, option("--pipeline-parallel-size")] = None,
    dp: Annotated[int | None, option("--data-parallel-size")] = None,
    nodes: Annotated[int | None, option("over how many servers the GPUs are spread")] = None,
    enable_expert_parallel: Annotated[bool, option("whole experts on each GPU instead of slices of all")] = False,
    context: Annotated[
        str | None, option("--max-model-len in tokens, such as 16384 or 16k; the model's own limit when left out")
    ] = None,
    concurrency: Annotated[int | None, option("requests of full length that must fit at once")] = None,
    gpu_memory_utilization: Annotated[float | None, option("the share of GPU memory that vLLM may use, 0 to 1")] = None,
    gpu_memory_gib: Annotated[
        float | None, option("GiB per GPU as the driver reports it; makes unlisted cards answerable")
    ] = None,
    max_num_seqs: Annotated[int | None, option("sequences per step")] = None,
    max_num_batched_tokens: Annotated[int | None, option("tokens per step")] = None,
    dtype: Annotated[str | None, option("auto, bfloat16, float16 or float32")] = None,
    quantization: Annotated[
        str | None, option("how the weights are stored: fp8, awq, gptq, w8a8, nvfp4, mxfp4, gguf, …")
    ] = None,
    kv_cache_dtype: Annotated[str | None, option("auto, bfloat16, fp8, fp8_e5m2, nvfp4")] = None,
    block_size: Annotated[int | None, option("tokens in a KV-cache block")] = None,
    enforce_eager: Annotated[bool, option("without CUDA graphs")] = False,
    speculative: Annotated[
        str | None, option("speculative decoding: `mtp`, `mtp n=3`, `eagle`, `ngram`, or JSON")
    ] = None,
    max_lora_rank: Annotated[int | None, option("with LoRA adapters up to this rank")] = None,
    limit_mm_images: Annotated[int | None, option("images per request; 0 leaves the image encoder out")] = None,
    kv_offloading_size: Annotated[float | None, option("GiB of host memory for offloaded KV cache")] = None,
    vllm_version: Annotated[str | None, option("whose rules and flags hold, such as 0.32")] = None,
    kv_cache_memory_gib: Annotated[
        float | None, option("size the KV cache from these GiB per GPU, without a budget")
    ] = None,
    host: Annotated[
        str | None, option("the machine: starts kept by `diagnose --remember HOST` correct the estimate")
    ] = None,
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="print how well the estimator has done on real starts")
    ] = False,
    no_bar: Annotated[bool, typer.Option("--no-bar", help="without the bar of one GPU's memory")] = False,
    lang: Annotated[Language | None, LANG] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the estimate object")] = False,
    as_jsonl: Annotated[
        bool, typer.Option("--jsonl", help="answer lines of these options, `_` for `-`, one object a line")
    ] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Estimate one launch: does it start, how long a context, how many requests at once."""
    world: World = ctx.obj
    settings = world.settings(config)
    if accuracy:
        return _track_record(world, lang or settings.defaults.language or "en", as_json=as_json)
    kept = world.observed(settings)
    if as_jsonl:
        lines.serve(world, lambda asked: estimate_object(asked, settings, kept))
        return 0
    said = {
        name: value
        for name, value in ctx.params.items()
        if name not in OUTSIDE and value is not None and value is not False
    }
    if as_json:
        world.say(lines.compact(estimate_object(said, settings, kept)))
        return 0
    from bot.conversation import answer_request
    from bot.terminal import show

    request = _request(said, settings)
    observed = kept.on(request.host) if request.host else ()
    show(
        answer_request(request, lang or settings.defaults.language or "en", settings, observed),
        world.stdout,
        bar=not no_bar,
    )
    return 0


def _track_record(world: World, language: Language, *, as_json: bool) -> int:
    from bot.answers.accuracy import record_object, record_text

    world.say(lines.compact(record_object()) if as_json else record_text(language))
    return 0


def estimate_object(said: dict[str, Any], settings: Settings, kept: "ObservedFile | None" = None) -> dict[str, Any]:
    """The estimate object; where a name means several cards, the others follow in `also`. Refuses what cannot be answered."""
    from knowledge.fit.estimator import as_json, estimates

    request = _request(said, settings)
    observed = kept.on(request.host) if kept and request.host else ()
    first, *others = [as_json(estimate) for estimate in estimates(request, observed=observed)]
    return first | {"also": others} if others else first


def _request(said: dict[str, Any], settings: Settings) -> "FitRequest":
    from knowledge.fit.reading import read_object

    defaults = {"model": settings.defaults.model, "vllm_version": settings.defaults.vllm_version}
    return read_object({name: value for name, value in defaults.items() if value} | said)
