"""`tuning-bot bench`: one benchmark in the foreground, the same way as an agent runs it."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.ask import CONFIG
from bot.settings import Settings
from bot.world import World
from knowledge.errors import Refusal

if TYPE_CHECKING:
    from runners.machines.host import Host

MODEL = typer.Option("--model", help="a Hugging Face id, or a folder", show_default=False)
HOST = typer.Option(
    "--host", help="what `hosts` in the settings calls this machine; unset: what --vllm runs", show_default=False
)
VLLM = typer.Option("--vllm", help="the command that runs vLLM", show_default=False)
URL = typer.Option("--url", help="measure a server that runs already instead of starting one", show_default=False)
GPUS = typer.Option("--gpus", help="indices, as 0,1; unset: as many as the parallelism needs", show_default=False)
SERVE = typer.Option("--serve", help="an option of `vllm serve`, as max-num-seqs=64; may be repeated")
SERVE_ARG = typer.Option("--serve-arg", help="a word added to `vllm serve` as it stands; may be repeated")
ENV = typer.Option("--env", help="a variable for vLLM, as NAME=VALUE; may be repeated")
DATASET = typer.Option("--dataset", help="random, sharegpt or prefix-repetition")
SHAREGPT = typer.Option("--sharegpt", help="the ShareGPT file", show_default=False)
INPUT = typer.Option("--input-len", help="tokens of a prompt")
OUTPUT = typer.Option("--output-len", help="tokens of an answer")
PROMPTS = typer.Option("--num-prompts", help="requests of a repeat", show_default=False)
DURATION = typer.Option("--duration", help="seconds of a repeat, instead of --num-prompts", show_default=False)
RATE = typer.Option("--request-rate", help="requests a second; unset: all at once", show_default=False)
BURST = typer.Option("--burstiness", help="1 is Poisson, less comes in bursts")
CONCURRENCY = typer.Option("--max-concurrency", help="requests at once; unset: no limit", show_default=False)
WARMUPS = typer.Option("--warmups", help="requests before each repeat; unset: the concurrency", show_default=False)
REPEATS = typer.Option("--repeats", help="how often it is measured")
SLO = typer.Option("--slo", help="a limit in ms for goodput, as ttft=200, tpot=50 or e2el=2000; may be repeated")
MINUTES = typer.Option("--gpu-minutes", help="when it is stopped")
ERRORS = typer.Option("--error-rate", help="the share of failed requests that is let pass")
REVISION = typer.Option("--revision", help="the model's revision", show_default=False)
JSON = typer.Option("--json", help="print the result as JSON")


def bench(  # noqa: PLR0913, PLR0917 - the options of a command line
    ctx: typer.Context,
    model: Annotated[str, MODEL],
    host: Annotated[str | None, HOST] = None,
    vllm: Annotated[str | None, VLLM] = None,
    url: Annotated[str | None, URL] = None,
    gpus: Annotated[str | None, GPUS] = None,
    serve: Annotated[list[str] | None, SERVE] = None,
    serve_arg: Annotated[list[str] | None, SERVE_ARG] = None,
    env: Annotated[list[str] | None, ENV] = None,
    dataset: Annotated[str, DATASET] = "random",
    sharegpt: Annotated[Path | None, SHAREGPT] = None,
    input_len: Annotated[int, INPUT] = 1024,
    output_len: Annotated[int, OUTPUT] = 128,
    num_prompts: Annotated[int | None, PROMPTS] = None,
    duration: Annotated[float | None, DURATION] = None,
    request_rate: Annotated[float | None, RATE] = None,
    burstiness: Annotated[float, BURST] = 1.0,
    max_concurrency: Annotated[int | None, CONCURRENCY] = None,
    warmups: Annotated[int | None, WARMUPS] = None,
    repeats: Annotated[int, REPEATS] = 3,
    slo: Annotated[list[str] | None, SLO] = None,
    gpu_minutes: Annotated[float, MINUTES] = 60.0,
    error_rate: Annotated[float, ERRORS] = 0.0,
    revision: Annotated[str | None, REVISION] = None,
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Start vLLM, load it, measure it, stop it; nothing of it is left. Ctrl-C stops it cleanly."""
    world: World = ctx.obj
    settings = world.settings(config)
    place = _host(settings, host, vllm, {"serve_arg": serve_arg, "env": env, "sharegpt": sharegpt})
    load = {
        "dataset": dataset,
        "input_len": input_len,
        "output_len": output_len,
        "num_prompts": num_prompts,
        "duration_s": duration,
        "request_rate": request_rate,
        "burstiness": burstiness,
        "max_concurrency": max_concurrency,
        "warmups": warmups,
        "repeats": repeats,
    }
    given = {
        "model": _full(model),
        "revision": revision,
        "url": url,
        "serve": _pairs(serve or [], "--serve", bare="true"),
        "gpus": _indices(gpus) if gpus else None,
        "slo": {f"{name}_ms": limit for name, limit in _pairs(slo or [], "--slo").items()},
        "limits": {"gpu_minutes": gpu_minutes, "error_rate": error_rate},
    }
    from bot.cli.foreground import run
    from runners.asked import spec_of

    return run(world, settings, place, spec_of(given | load, place), as_json=as_json)


def _host(settings: Settings, name: str | None, vllm: str | None, given: dict[str, Any]) -> "Host":
    """The configured host, or this machine as it is; with what the command line adds."""
    from runners.machines.host import Host
    from runners.machines.machine import look

    found = next((host for host in settings.hosts if host.name == name), None)
    if name is not None and found is None:
        known = ", ".join(f"`{host.name}`" for host in settings.hosts) or "none"
        raise Refusal("unknown-host", f"There is no host `{name}`.", f"Configured are: {known}.", host=name)
    if found is None:
        states = look().gpus
        kind = states[0].name if states else None
        found = Host(name="local", gpu=kind, gpus=len(states), models=("*",), gpu_minutes=100_000)
    changes: dict[str, Any] = {
        "vllm": tuple(shlex.split(vllm)) if vllm else found.vllm,
        "serve_args": (*found.serve_args, *(given["serve_arg"] or ())),
        "environment": found.environment | _pairs(given["env"] or [], "--env"),
        "sharegpt": given["sharegpt"] or found.sharegpt,
    }
    return found.model_copy(update=changes)


def _pairs(given: list[str], option: str, bare: str | None = None) -> dict[str, str]:
    """`NAME=VALUE` words; a name alone stands for `bare` where there is such a thing."""
    found = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not name or not (equals or bare):
            error = f"`{word[:60]}` behind `{option}` is not NAME=VALUE."
            raise Refusal("bad-value", error, f"Write it as `{option} name=value`.")
        found[name] = value if equals else bare or ""
    return found


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(index) for index in text.split(","))
    except ValueError:
        raise Refusal("bad-value", f"`{text[:60]}` behind `--gpus` is no list of indices.", "Write `0,1`.") from None


def _full(model: str) -> str:
    """A folder by its full path: the server starts in another one."""
    folder = Path(model)
    return str(folder.resolve()) if folder.is_dir() else model
