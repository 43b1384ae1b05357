"""Whole questions: verdicts, what limits, what was assumed, and what would change it."""

from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import as_json, estimates, kv_per_token
from knowledge.fit.request import FitRequest
from knowledge.memory.judgement import Limiting, Verdict

LLAMA_8B = "meta-llama/Llama-3.1-8B-Instruct"
LLAMA_70B = "meta-llama/Llama-3.3-70B-Instruct"
QWEN_72B = "Qwen/Qwen2.5-72B-Instruct"


def ask(*, changes: bool = False, **said: Any) -> tuple[Estimate, ...]:
    return estimates(FitRequest(**said), changes=changes)


def one(*, changes: bool = False, **said: Any) -> Estimate:
    (estimate,) = ask(changes=changes, **said)
    return estimate


def kinds(estimate: Estimate) -> list[str]:
    return [change.kind for change in estimate.changes]


def test_a_bare_a100_is_two_cards() -> None:
    large, small = ask(model=QWEN_72B, gpu="A100", count=4, context=16384)
    assert (large.gpu, large.verdict, large.limiting) == ("A100-80GB", Verdict.FITS, Limiting.NONE)
    assert (small.gpu, small.verdict, small.limiting) == ("A100-40GB", Verdict.DOES_NOT_FIT, Limiting.WEIGHTS)
    assert large.assumed is not None
    assert {name: large.assumed[name] for name in ("tp", "utilization", "concurrency", "gpu_mem_gb")} == {
        "tp": 4,
        "utilization": 0.92,
        "concurrency": 1,
        "gpu_mem_gb": 80,
    }


# Sizes a token: 2 × layers × KV heads × head size × bytes; MLA: layers × (kv_lora_rank + rope size) × bytes.
@pytest.mark.parametrize(
    ("model", "kv_dtype", "size"),
    [
        pytest.param("meta-llama/Llama-2-7b-hf", None, 524_288, id="32 KV heads"),
        pytest.param(LLAMA_70B, None, 327_680, id="8 KV heads, 80 layers"),
        pytest.param(LLAMA_8B, "fp8", 65_536, id="fp8 is half"),
    ],
)
def test_kv_per_token_needs_no_gpu(model: str, kv_dtype: str | None, size: int) -> None:
    estimate = kv_per_token(model, None, kv_dtype)
    assert estimate.kv_bytes_per_token == size
    assert (estimate.gpu, estimate.count, estimate.tp, estimate.per_gpu, estimate.verdict) == (None,) * 5


@pytest.mark.parametrize(
    ("said", "verdict", "concurrency_verdict"),
    [
        pytest.param({"model": LLAMA_70B, "gpu": "H100", "quantization": "fp8", "context": 131072, "concurrency": 8},
                     "does-not-fit", "does-not-fit", id="70B fp8 on one H100 at 128k"),
        pytest.param({"model": LLAMA_8B, "gpu": "L4", "context": 32768, "kv_cache_dtype": "fp8"}, "fits", None, id="8B on an L4"),
        pytest.param({"model": LLAMA_70B, "gpu": "MI300X", "context": 32768, "concurrency": 32},
                     "fits", "does-not-fit", id="starts, but not 32 at full length"),
        pytest.param({"model": LLAMA_70B, "gpu": "L4"}, "does-not-fit", None, id="weights alone are too large"),
    ],
)  # fmt: skip
def test_verdicts(said: dict[str, Any], verdict: str, concurrency_verdict: str | None) -> None:
    estimate = one(**said)
    assert (estimate.verdict, estimate.concurrency_verdict) == (verdict, concurrency_verdict)


def test_without_a_context_the_models_own_limit_is_judged() -> None:
    estimate = one(model=LLAMA_8B, gpu="L4")
    assert (estimate.context, estimate.verdict, estimate.limiting) == (131072, Verdict.DOES_NOT_FIT, Limiting.KV_CACHE)
    assert estimate.assumed is not None
    assert estimate.assumed["context_tokens"] == 131072


def test_more_context_than_the_model_has_does_not_fit_anywhere() -> None:
    estimate = one(model=LLAMA_8B, gpu="B200", context=1_000_000, changes=True)
    assert (estimate.verdict, estimate.limiting) == (Verdict.DOES_NOT_FIT, Limiting.MODEL_LIMIT)
    assert estimate.notes[0] == "beyond-model-limit"
    assert [(change.flag, change.to) for change in estimate.changes] == [("--max-model-len", "131072")]


def test_three_gpus_are_answered_with_stages() -> None:
    estimate = one(model=LLAMA_8B, gpu="A100-80GB", count=3, context=8192)
    assert (estimate.tp, estimate.pp, estimate.verdict, estimate.limiting) == (1, 3, "fits", "parallelism")
    assert "pipeline-for-count" in estimate.notes


def test_a_card_without_bfloat16_loads_float16() -> None:
    estimate = one(model=LLAMA_8B, gpu="T4", count=2, context=4096)
    assert estimate.assumed is not None
    assert (estimate.assumed["dtype"], estimate.assumed["kv_dtype"]) == ("float16", "fp16")
    assert "float16-card" in estimate.notes


def test_a_card_that_is_not_listed_is_computed_from_its_memory() -> None:
    listed, stated = one(model=LLAMA_8B, gpu="L4", context=8192), one(model=LLAMA_8B, gpu_memory_gib=22.0, context=8192)
    assert "unlisted-gpu" in stated.notes
    assert "unlisted-gpu" not in listed.notes
    assert stated.gpu is not None


@pytest.mark.parametrize(
    ("version", "utilization", "note"),
    [("0.32", 0.92, False), ("0.8.5", 0.9, False), ("0.2.6", 0.9, True), ("1.4", 0.92, True)],
)
def test_a_version_outside_the_tables_takes_the_nearest_rules(version: str, utilization: float, note: bool) -> None:
    estimate = one(model=LLAMA_8B, gpu="A100-80GB", vllm_version=version)
    assert estimate.assumed is not None
    assert estimate.assumed["utilization"] == utilization
    assert (estimate.vllm_version, "nearest-version" in estimate.notes) == (version, note)


def test_a_cache_sized_by_hand_skips_the_budget() -> None:
    estimate = one(model="01-ai/Yi-34B", gpu="H100-80GB", context=4096, kv_cache_memory_gib=40, block_size=16)
    assert estimate.kv_cache_tokens is not None
    # vLLM's own functions give 174,752 tokens for 40 GiB of this model (60 layers, 8 KV heads of 128, pages of 16)
    assert estimate.kv_cache_tokens.expected == 174_752


# Four requests of 128k tokens take 64 GiB in 16 bits, of about 55 that are left.
FOUR_LONG: dict[str, Any] = {"model": LLAMA_8B, "gpu": "A100-80GB", "context": 131_072, "concurrency": 4}


def test_what_would_make_it_fit_is_named_best_first() -> None:
    estimate = one(**FOUR_LONG, changes=True)
    assert (estimate.verdict, estimate.concurrency_verdict, estimate.limiting) == ("fits", "does-not-fit", "kv-cache")
    assert kinds(estimate)[0] == "kv-dtype"
    assert {"context", "more-gpus", "other-gpu"} <= set(kinds(estimate))
    assert all(change.verdict is not Verdict.DOES_NOT_FIT for change in estimate.changes)


def test_each_change_does_what_it_says() -> None:
    by_kind = {change.kind: change for change in one(**FOUR_LONG, changes=True).changes}
    assert one(**FOUR_LONG | {"kv_cache_dtype": "fp8"}).concurrency_verdict is by_kind["kv-dtype"].verdict
    assert one(**FOUR_LONG | {"context": int(by_kind["context"].to)}).concurrency_verdict is by_kind["context"].verdict
    assert one(**FOUR_LONG | {"count": by_kind["more-gpus"].count}).concurrency_verdict is by_kind["more-gpus"].verdict
    assert one(**FOUR_LONG | {"gpu": by_kind["other-gpu"].to}).concurrency_verdict is by_kind["other-gpu"].verdict


def test_the_command_starts_with_the_best_change_where_what_was_asked_does_not() -> None:
    estimate = one(model=LLAMA_8B, gpu="L4", context=131_072, changes=True)
    assert estimate.verdict is Verdict.DOES_NOT_FIT
    assert estimate.command_change == kinds(estimate)[0]
    assert estimate.serve_command == estimate.changes[0].serve_command


def test_when_the_weights_are_too_large_no_small_saving_is_suggested() -> None:
    found = kinds(one(model=LLAMA_70B, gpu="A100-80GB", context=8192, changes=True))
    assert {"quantization", "more-gpus", "other-gpu"} == set(found)


def test_where_the_context_was_not_said_a_shorter_one_comes_first() -> None:
    estimate = one(model=LLAMA_8B, gpu="L4", changes=True)
    assert kinds(estimate)[0] == "context"
    assert int(estimate.changes[0].to) % 1024 == 0


def test_where_it_fits_the_changes_say_what_gives_more() -> None:
    estimate = one(model=LLAMA_8B, gpu="L4", context=16384, changes=True)
    assert estimate.verdict is Verdict.FITS
    assert {"kv-dtype", "more-gpus"} <= set(kinds(estimate))
    assert "instead of" in estimate.changes[0].effect
    assert estimate.command_change is None


def test_smaller_batches_are_named_where_windows_pay_for_them() -> None:
    # Gemma 3 slides in five layers of six, and a window keeps pages for two batches in flight besides its own 1,024 tokens
    asked: dict[str, Any] = {"model": "google/gemma-3-27b-it", "gpu": "H100", "context": 32768}
    change = next(change for change in one(**asked, changes=True).changes if change.kind == "batched-tokens")
    before = one(**asked).max_concurrency
    assert before is not None
    assert change.max_concurrency > before.expected


def test_no_fp8_cache_is_suggested_where_the_card_cannot() -> None:
    assert "kv-dtype" not in kinds(one(model=LLAMA_8B, gpu="T4", count=4, context=16384, changes=True))


def test_the_ladder_falls_as_the_context_grows_and_has_the_one_asked() -> None:
    rungs = one(model=LLAMA_8B, gpu="A100-80GB", context=20_000, changes=True).ladder
    contexts = [rung.context for rung in rungs]
    assert contexts == sorted(contexts)
    assert 20_000 in contexts
    held = [rung.concurrency.expected for rung in rungs]
    assert held == sorted(held, reverse=True)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"gpu": None}, "no-gpu"),
        ({"gpu": "Voodoo 2"}, "unknown-gpu"),
        ({"model": "no/such-model-at-all-zzz"}, "unknown-model"),
        ({"vllm_version": "latest"}, "bad-version"),
        ({"dtype": "int3"}, "bad-dtype"),
        ({"kv_cache_dtype": "int3"}, "bad-kv-cache-dtype"),
        ({"quantization": "qqqqq"}, "bad-quantization"),
        ({"speculative": "mtp"}, "no-mtp"),
        ({"tp": 3}, "tp-does-not-divide"),
        ({"tp": 2, "pp": 2, "dp": 1, "count": 8}, "layout-mismatch"),
        ({"enable_expert_parallel": True}, "no-experts"),
        ({"gpu": "T4", "dtype": "bf16"}, "no-bf16"),
    ],
)
def test_what_vllm_would_refuse_at_once_is_refused(said: dict[str, Any], code: str) -> None:
    with pytest.raises(Refusal) as refused:
        ask(**{"model": LLAMA_8B, "gpu": "L4", **said})
    assert refused.value.code == code
    assert refused.value.error
    assert refused.value.hint


CONTRACT = [
    "id",
    "model_id",
    "gpu",
    "count",
    "tp",
    "pp",
    "dp",
    "vllm_version",
    "verdict",
    "concurrency_verdict",
    "limiting",
    "per_gpu_gib",
    "kv_bytes_per_token",
    "kv_bytes_per_token_per_gpu",
    "kv_gib_per_request",
    "kv_cache_tokens",
    "max_context",
    "model_max_context",
    "max_concurrency",
    "serve_command",
    "changes",
    "sources",
]


def test_the_json_has_every_field_of_the_contract() -> None:
    told = as_json(one(id="a", model=QWEN_72B, gpu="A100-80GB", count=4, context=16384, changes=True))
    assert set(CONTRACT) <= set(told)
    assert (told["id"], told["verdict"], told["kv_bytes_per_token"], told["kv_gib_per_request"]) == (
        "a",
        "fits",
        327680,
        1.25,
    )
    assert list(told["per_gpu_gib"]) == [
        "total",
        "budget",
        "weights",
        "activation",
        "non_torch",
        "cuda_graphs",
        "kv_cache",
    ]
    assert all(isinstance(value, int) for value in told["kv_cache_tokens"].values())
    assert {"flag", "to", "effect"} <= set(told["changes"][0])


def test_the_json_without_a_gpu_has_nulls() -> None:
    told = as_json(kv_per_token(LLAMA_8B, None, None))
    assert (told["per_gpu_gib"], told["kv_cache_tokens"], told["max_concurrency"], told["gpu"]) == (
        None,
        None,
        None,
        None,
    )


@pytest.mark.parametrize("path", ["/no/such/folder", "~nobody/x", "./missing", "/dev/null"])
def test_a_path_without_a_config_is_told_as_one(path: str) -> None:
    with pytest.raises(Refusal) as refused:
        one(model=path, gpu="L4")
    assert refused.value.code in {"no-config-in-folder", "unknown-model"}


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Any) -> None:
    (tmp_path / "config.json").symlink_to(tmp_path / "config.json")
    with pytest.raises(Refusal, match=r"is not a folder with a config\.json"):
        one(model=str(tmp_path), gpu="L4")
