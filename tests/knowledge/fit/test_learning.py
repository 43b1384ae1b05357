"""A start on a host corrects the next estimate there: over pairs of public starts of one machine, each answered with the other known."""

import json
from collections import defaultdict
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import as_json, estimates
from knowledge.fit.observed import Observed
from knowledge.fit.reading import read_object

ROWS = Path(__file__).parents[2] / "data" / "startups" / "starts.jsonl"
ROUNDED = 0.006  # GiB: logs print two decimals
WHEN = datetime(2026, 1, 2, tzinfo=UTC)


def estimate(request: dict[str, Any], *kept: Observed) -> Estimate:
    return estimates(read_object(request | {"host": "gpu-01"}), changes=False, observed=kept)[0]


def kept(row: dict[str, Any]) -> Observed:
    request, gib = row["request"], row["gib"]
    base = estimate(request)
    assert base.per_gpu is not None
    total = request.get("gpu_memory_gib") or base.per_gpu.total.expected
    return Observed(
        host="gpu-01",
        at=WHEN,
        model=base.model_id,
        version=request["vllm_version"],
        tp=base.tp or 1,
        pp=base.pp or 1,
        total_gib=total,
        utilization=request.get("gpu_memory_utilization") or base.per_gpu.budget.expected / total,
        kv_gib=gib["kv_cache"],
        weights_gib=gib.get("weights"),
        activation_gib=gib.get("activation"),
        non_torch_gib=gib.get("non_torch"),
        graphs_gib=gib.get("cuda_graphs") if base.per_gpu.cuda_graphs.expected else None,
        max_model_len=request.get("context"),
        max_num_seqs=request.get("max_num_seqs"),
        max_num_batched_tokens=request.get("max_num_batched_tokens"),
        quantization=request.get("quantization"),
        kv_cache_dtype=request.get("kv_cache_dtype"),
        enforce_eager=request.get("enforce_eager", False),
        speculative=request.get("speculative") and "draft",
    )


def pairs() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Two starts of one machine, model, release and layout that logged their KV cache."""
    groups = defaultdict(list)
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        request = row["request"]
        if row.get("gib", {}).get("kv_cache") is not None and ("gpu" in request or "gpu_memory_gib" in request):
            groups[row["group"], request["model"], request["vllm_version"], request.get("tp")].append(row)
    return [pair for group in groups.values() for pair in permutations(group, 2)]


PAIRS = pairs()


def test_there_are_pairs_to_learn_from() -> None:
    assert len(PAIRS) >= 50


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda row: str(row["id"]))
def test_the_second_start_is_within_the_corrected_range(first: dict[str, Any], second: dict[str, Any]) -> None:
    found = estimate(second["request"], kept(first)).per_gpu
    assert found is not None
    assert found.kv_cache.low - ROUNDED <= second["gib"]["kv_cache"] <= found.kv_cache.high + ROUNDED


def test_pairs_that_differ_in_the_context_only_come_out_to_the_last_figure() -> None:
    rows = {row["id"]: row for pair in PAIRS for row in pair}
    without = estimate(rows["40"]["request"]).per_gpu
    learnt = estimate(rows["40"]["request"], kept(rows["39"])).per_gpu
    assert without is not None
    assert learnt is not None
    assert abs(without.kv_cache.expected - 7.25) > 0.2  # gs-149: 7.25 GiB at every context
    assert learnt.kv_cache.expected == pytest.approx(7.25, abs=0.02)


FIRST, SECOND = PAIRS[0]
REQUEST: dict[str, Any] = {
    "model": "Qwen/Qwen3-8B",
    "gpu": "A100 80GB",
    "count": 1,
    "context": 8192,
    "vllm_version": "0.32",
    "gpu_memory_utilization": 0.9,
}


def start(**changed: Any) -> Observed:
    """A start of REQUEST with 5 GiB less for the cache than is expected."""
    plain = estimate(REQUEST).per_gpu
    assert plain is not None
    values: dict[str, Any] = {
        "host": "gpu-01",
        "at": WHEN,
        "model": "Qwen/Qwen3-8B",
        "version": "0.32.0",
        "total_gib": plain.total.expected,
        "utilization": 0.9,
        "kv_gib": round(plain.kv_cache.expected - 5, 2),
        "max_model_len": 8192,
    }
    return Observed.model_validate(values | changed)


def cache(*kept_starts: Observed, **changed: Any) -> float:
    found = estimate(REQUEST | changed, *kept_starts).per_gpu
    assert found is not None
    return found.kv_cache.expected


def test_what_the_terms_do_not_explain_is_carried_over() -> None:
    assert cache(start()) == pytest.approx(cache() - 5, abs=0.02)


def test_it_is_carried_to_another_patch_release() -> None:
    assert cache(start(version="0.32.1")) == pytest.approx(cache() - 5, abs=0.02)


@pytest.mark.parametrize(
    "changed",
    [
        {"host": "gpu-02"},
        {"model": "Qwen/Qwen3-14B"},
        {"version": "0.31.0"},
        {"tp": 2},
        {"total_gib": 39.5},
        {"stored_as": "fp8"},
        {"model": "nobody/nothing"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_start_of_something_else_changes_nothing(changed: dict[str, Any]) -> None:
    assert cache(start(**changed)) == cache()


def test_a_start_that_the_estimator_refuses_teaches_nothing() -> None:
    assert cache(start(tp=3)) == cache()  # 32 heads do not divide by 3


def test_without_a_host_nothing_is_learnt() -> None:
    found = estimates(read_object(REQUEST), changes=False, observed=[start()])[0]
    assert found.observed is None


def test_another_batch_keeps_only_what_was_logged() -> None:
    # The rest of 5 GiB belongs to the batch of that start; with another one it is not carried over.
    assert cache(start(), max_num_seqs=64) == pytest.approx(cache(max_num_seqs=64), abs=0.1)


def test_the_estimate_names_the_start_and_the_error_that_remains() -> None:
    found = estimate(REQUEST, start())
    assert found.observed is not None
    assert (found.observed.host, found.observed.day) == ("gpu-01", "2026-01-02")
    assert 0 < found.observed.remaining_gib < 0.1
    assert as_json(found)["observed"]["host"] == "gpu-01"


def test_the_later_of_two_versions_layouts_is_chosen_by_what_is_asked() -> None:
    both = (start(), start(version="0.31.0", kv_gib=1.0))
    assert cache(*both) == pytest.approx(cache() - 5, abs=0.02)


PLAIN = {"model": "Qwen/Qwen2.5-7B-Instruct", "gpu": "A100-80GB", "tp": 1, "context": 8192, "vllm_version": "0.32.0"}
DRAFTED = PLAIN | {"speculative": '{"model": "Qwen/Qwen2.5-0.5B-Instruct", "num_speculative_tokens": 3}'}


def as_predicted(request: dict[str, Any], speculative: str | None) -> Observed:
    """A start that took exactly what was predicted."""
    found = estimate(request)
    assert found.per_gpu is not None
    names = {"kv_gib": "kv_cache", "weights_gib": "weights", "activation_gib": "activation"}
    gib = {name: getattr(found.per_gpu, term).expected for name, term in names.items()}
    total, budget = found.per_gpu.total.expected, found.per_gpu.budget.expected
    return Observed(
        host="gpu-01", at=WHEN, model=found.model_id, version="0.32.0", total_gib=total, utilization=budget / total,
        max_model_len=8192, speculative=speculative, **gib,
    )  # fmt: skip


@pytest.mark.parametrize("asked", [PLAIN, DRAFTED], ids=["plain", "with a draft model"])
@pytest.mark.parametrize(
    ("seen", "speculative"), [(PLAIN, None), (DRAFTED, "draft")], ids=["from plain", "from drafted"]
)
def test_a_start_teaches_nothing_wrong_about_a_draft_model(
    asked: dict[str, Any], seen: dict[str, Any], speculative: str | None
) -> None:
    before, after = estimate(asked).per_gpu, estimate(asked, as_predicted(seen, speculative)).per_gpu
    assert before is not None
    assert after is not None
    assert after.weights.expected == pytest.approx(before.weights.expected, abs=0.01)
    assert after.kv_cache.expected == pytest.approx(before.kv_cache.expected, abs=0.01)
