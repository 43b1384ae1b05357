"""Our own entries: every one is right, and there is one for every subject that the contract names."""

import pytest

from knowledge.entries import loading
from knowledge.entries.check import faults
from knowledge.entries.figures import figures_in
from knowledge.entries.loading import every, find
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, Version

SUBJECTS = """
api-key-security baseline-serve bench-serve chunked-prefill client-side-limits context-length-error cpu-bottleneck cpu-offload
cuda-graph-memory custom-all-reduce data-parallel deprecated-flags determinism disaggregated-prefill docker-shm driver-version
dtype-support enforce-eager expert-parallel garbled-output gpu-memory-sharing gpu-memory-utilization-too-high heterogeneous-gpus
k8s-health kv-cache-dtype-fp8 kv-cache-formula kv-cache-oom-at-startup kv-cache-size-manual kv-offload latency-ttft long-context
lora max-concurrency max-num-batched-tokens max-num-seqs memory-reserved-upfront metric-names model-download model-loading-slow
moe-tuned-config multi-gpu-tp multi-node-ray multimodal-memory nccl-hang no-memory-for-cache-blocks observe-metrics
pipeline-parallel preemption prefix-caching quantization queueing reasoning-parser rope-scaling runtime-oom scheduling-priority
sglang-vs-vllm single-request-speed sleep-mode slow-startup speculative-decoding structured-output tensor-parallel-size
tensorrt-llm-vs-vllm tool-calling torch-compile-cache trust-remote-code tuning-order version-regression
vllm sglang tensorrt-llm
"""


def test_no_entry_has_a_fault() -> None:
    assert [str(fault) for fault in faults()] == []


def test_every_subject_is_answered() -> None:
    answered = {each for entry in every() for each in (entry.id, *entry.topics)}
    assert set(SUBJECTS.split()) - answered == set()
    assert len(loading.ids()) >= 75


def test_an_unknown_entry_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refusal) as refused:
        find("max-num-seq")
    assert "`max-num-seqs`" in refused.value.hint


@pytest.mark.parametrize("version", [Version(0, 8, 5), Version(0, 11), DEFAULT], ids=str)
def test_there_is_something_to_do_in_every_version_that_an_entry_holds_for(version: Version) -> None:
    without = [entry.id for entry in every() if entry.applies_to.holds_in(version) and not entry.steps_for(version)]
    assert without == []


def test_advice_differs_where_versions_do() -> None:
    entry = find("metric-names")
    old, new = (
        " ".join(step.en for step in entry.steps_for(version)) for version in (Version(0, 8, 5), Version(0, 32))
    )
    assert "gpu_cache_usage_perc only" in old
    assert "gpu_cache_usage_perc" not in new


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        pytest.param("a 40,000-token prompt", {"40,000"}, id="thousands"),
        pytest.param("an H100 has 80 GB and fp8", {"80"}, id="names are none"),
        pytest.param("--max-num-seqs 64 and --gpu-memory-utilization=0.92", set(), id="a flag's value is none"),
        pytest.param("since 0.20 it is 0.92, not 0.90", {"0.92", "0.90"}, id="releases are none"),
        pytest.param("p95 in 1.00x", set(), id="letters at either end"),
    ],
)
def test_figures_of_a_text(text: str, figures: set[str]) -> None:
    assert figures_in(text) == figures
