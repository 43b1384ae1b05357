"""The budget as a whole: against starts that print every term, what decides, and what must hold always."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.gpus import Gpu, with_total
from knowledge.launch import Launch
from knowledge.memory.activation import activation_peak
from knowledge.memory.budget import Budget, budget
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.outside import Outside
from knowledge.units import GIB, Range
from knowledge.versions import V1_DEFAULT, v1
from tests.knowledge.memory.starts import gpu, rows, start

H100, R4090, A10 = gpu("H100 80GB", 79.19), gpu("RTX 4090", 23.53), gpu("A10")
LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
EVERY_TERM = ("weights", "activation", "non_torch", "kv_cache")


def printed() -> list[Any]:
    """Starts on a card of known total whose log gives the cache, and whose flags are all known."""
    models = ("Llama-3.1-8B", "Qwen2.5-7B", "Qwen3-14B", "gemma-7b", "CodeLlama", "Qwen1.5-MoE", "Llama-3.3-70B")
    return [
        pytest.param(row, id=row["id"])
        for row in rows("starts.jsonl")
        if row["request"]["model"].split("/")[1].startswith(models)
        and row["request"]["vllm_version"] in ("0.15.0", "0.16.0", "0.17.0", "0.18.0", "0.19.0")
        and "kv_cache" in row.get("gib", {})
    ]


def launched(request: dict[str, Any]) -> Launch:
    """The launch of a row on an H100."""
    return start(
        request["model"],
        gpu("H100 80GB", request["gpu_memory_gib"]),
        request["vllm_version"],
        request.get("quantization"),
        tp=request["tp"],
        utilization=request["gpu_memory_utilization"],
        **({"dtype": request["dtype"]} if "dtype" in request else {}),
    )


@pytest.mark.parametrize("row", printed())
def test_the_cache_of_an_h100_is_within_one_percent_of_the_log(row: dict[str, Any]) -> None:
    found = budget(launched(row["request"]))
    assert found.kv_bytes.expected / GIB == pytest.approx(row["gib"]["kv_cache"], rel=0.01)
    assert found.kv_bytes.low <= row["gib"]["kv_cache"] * GIB <= found.kv_bytes.high


def test_the_terms_add_up() -> None:
    gib = budget(start(LLAMA, H100, "0.20")).per_gpu
    spent = gib.weights.expected + gib.activation.expected + gib.non_torch.expected + gib.cuda_graphs.expected
    assert gib.kv_cache.expected == pytest.approx(gib.budget.expected - spent)
    assert gib.budget.expected == pytest.approx(0.9 * gib.total.expected)


def test_a_cache_of_stated_size_skips_the_budget() -> None:
    found = budget(start(LLAMA, R4090, "0.20", utilization=0.1, kv_cache_memory_gib=4.0))
    assert found.kv_bytes.low == found.kv_bytes.high == 4 * GIB
    assert [check.code for check in found.outside] == ["weights"]


def test_the_stage_with_least_for_each_layer_decides() -> None:
    launch = start("google/gemma-7b", H100, "0.19", pp=2)
    last = activation_peak(launch).expected / GIB
    assert budget(launch).per_gpu.activation.expected == pytest.approx(last)


@pytest.mark.parametrize(
    ("launch", "binding"),
    [
        pytest.param(start("Qwen/Qwen2.5-72B-Instruct", H100, "0.19"), Limiting.WEIGHTS, id="weights"),
        pytest.param(start(LLAMA, R4090, "0.16", utilization=0.8), Limiting.ACTIVATION, id="sorting-1024-rows"),
        pytest.param(start(LLAMA, R4090, "0.20", utilization=0.7, max_num_seqs=256), Limiting.CUDA_GRAPHS, id="graphs"),
        pytest.param(start(LLAMA, H100, "0.19"), Limiting.KV_CACHE, id="cache"),
    ],
)
def test_the_first_term_that_leaves_nothing_binds(launch: Launch, binding: Limiting) -> None:
    assert budget(launch).binding is binding


@pytest.mark.parametrize(
    ("launch", "deciding"),
    [
        pytest.param(start(LLAMA, H100, "0.16"), "activation", id="sampler"),
        pytest.param(start("Qwen/Qwen3-14B", H100, "0.19", "gptq"), "weights", id="unknown-checkpoint"),
        pytest.param(start(LLAMA, H100, "0.7.3", tp=2, max_model_len=8192), "non-torch", id="communication"),
        pytest.param(start(LLAMA, replace(H100, total_gib=Range(70, 79, 88)), "0.19"), "total-memory", id="card"),
    ],
)
def test_the_widest_term_is_named(launch: Launch, deciding: str) -> None:
    assert budget(launch).deciding == deciding


def check(found: Budget, code: str) -> Outside:
    """One check beyond the budget."""
    return next(outside for outside in found.outside if outside.code == code)


@pytest.mark.parametrize(
    ("utilization", "verdict"),
    [(0.9, Verdict.FITS), (0.98, Verdict.UNCERTAIN), (1.0, Verdict.DOES_NOT_FIT)],
)
def test_a_card_has_less_free_than_its_total(utilization: float, verdict: Verdict) -> None:
    found = check(budget(start(LLAMA, R4090, "0.20", utilization=utilization)), "free-memory")
    assert found.verdict is verdict
    assert found.limiting is Limiting.FREE_MEMORY


def test_weights_beyond_the_card_do_not_load_however_the_budget_is_set() -> None:
    found = check(budget(start("Qwen/Qwen2.5-72B-Instruct", H100, "0.19", utilization=0.5)), "weights")
    assert found.verdict is Verdict.DOES_NOT_FIT


def test_graphs_beyond_the_budget_may_not_fit_as_on_four_a10() -> None:
    launch = start("Qwen/Qwen3-30B-A3B", A10, "0.8.5", tp=4, max_num_seqs=256, max_num_batched_tokens=2048)
    assert check(budget(launch), "cuda-graphs").verdict is not Verdict.FITS
    assert check(budget(replace(launch, enforce_eager=True)), "cuda-graphs").verdict is Verdict.FITS
    inside = budget(replace(launch, version=start(LLAMA, H100, "0.20").version)).outside
    assert "cuda-graphs" not in [outside.code for outside in inside]


@pytest.mark.parametrize("tp", [1, 2])
def test_a_sampler_may_not_warm_up_beside_graphs_as_large_as_its_batch(tp: int) -> None:
    launch = start("openai/gpt-oss-20b", H100, "0.19", tp=tp, utilization=0.95)
    assert check(budget(launch), "cuda-graphs").verdict is Verdict.UNCERTAIN
    assert check(budget(replace(launch, utilization=0.9)), "cuda-graphs").verdict is Verdict.FITS
    assert check(budget(replace(launch, max_num_seqs=64)), "cuda-graphs").verdict is Verdict.FITS


@pytest.mark.parametrize(
    ("model", "tp"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", 4),
        ("Qwen/Qwen2.5-72B-Instruct", 2),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", 4),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", 2),
        ("google/gemma-2-27b-it", 1),
        ("Qwen/Qwen3-30B-A3B", 1),
    ],
)
def test_what_started_at_0_95_has_room_for_its_graphs(model: str, tp: int) -> None:
    launch = start(model, H100, "0.19", tp=tp, utilization=0.95)
    assert check(budget(launch), "cuda-graphs").verdict is Verdict.FITS


def test_the_old_engine_checks_no_free_memory() -> None:
    launch = start(LLAMA, R4090, "0.7.3", utilization=0.99)
    assert [outside.code for outside in budget(launch).outside] == ["weights", "cuda-graphs"]


def test_a_gpu_that_shares_the_hosts_memory_has_less_free() -> None:
    shared, own = (
        check(budget(start(LLAMA, replace(H100, family=family), "0.27", utilization=0.92)), "free-memory").verdict
        for family in ("DGX Spark", "H100")
    )
    assert (shared, own) == (Verdict.UNCERTAIN, Verdict.FITS)


CARD: Gpu = H100
LAUNCHES = st.builds(
    lambda tp, seqs, tokens, version, utilization: start(
        LLAMA, CARD, version, tp=tp, max_num_seqs=seqs, max_num_batched_tokens=tokens, utilization=utilization
    ),
    tp=st.sampled_from([1, 2, 4, 8]),
    seqs=st.integers(1, 1024),
    tokens=st.integers(16, 16384),
    version=st.sampled_from(["0.6.6", "0.8.5", "0.11", "0.16", "0.19", "0.24", "0.28", "0.32"]),
    utilization=st.floats(0.1, 1.0),
)


@given(LAUNCHES)
@settings(max_examples=60)
def test_low_expected_and_high_are_in_order(launch: Launch) -> None:
    found = budget(launch)
    for name in EVERY_TERM:
        term = getattr(found.per_gpu, name)
        assert term.low <= term.expected <= term.high


@given(LAUNCHES, st.floats(0.5, 100))
@settings(max_examples=60)
def test_more_memory_never_leaves_less(launch: Launch, more: float) -> None:
    larger = replace(launch, gpu=with_total(launch.gpu, launch.gpu.total_gib.expected + more))
    assert budget(larger).kv_bytes.expected >= budget(launch).kv_bytes.expected


@given(LAUNCHES, st.integers(1, 1024))
@settings(max_examples=60)
def test_fewer_sequences_never_leave_less(launch: Launch, fewer: int) -> None:
    fewer = min(fewer, launch.max_num_seqs)
    if launch.max_num_seqs >= 128 > fewer:
        return
    assert budget(replace(launch, max_num_seqs=fewer)).kv_bytes.expected >= budget(launch).kv_bytes.expected


def test_the_old_engine_had_more_room_at_35000_tokens_than_at_29000() -> None:
    card = gpu("RTX 3090", 23.58)
    shorter, longer = (
        start(LLAMA, card, "0.6.4", max_model_len=length, max_num_batched_tokens=batched, max_num_seqs=256)
        for length, batched in ((29000, 29000), (35000, 512))
    )
    assert budget(shorter).kv_bytes.expected / GIB == pytest.approx(2.89, rel=0.05)
    assert budget(longer).kv_bytes.expected / GIB == pytest.approx(5.82, rel=0.06)


@given(LAUNCHES, st.integers(1, 131072))
@settings(max_examples=60)
def test_a_shorter_context_never_leaves_less(launch: Launch, length: int) -> None:
    launch = launch if v1(launch.version) else replace(launch, version=V1_DEFAULT)
    for shape in (launch.shape, start("deepseek-ai/DeepSeek-V3.2", CARD, "0.19").shape):
        longer = replace(launch, shape=shape)
        shorter = replace(longer, max_model_len=length)
        assert budget(shorter).kv_bytes.expected >= budget(longer).kv_bytes.expected
