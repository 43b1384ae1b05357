"""From what somebody asks to a spec."""

from typing import Any

import pytest

from knowledge.errors import Refusal
from runners.asked import changed, spec_of
from runners.jobs.spec import BenchSpec
from runners.machines.host import Host

H100 = Host(name="h100", gpu="H100", gpus=4)
CPU = Host(name="cpu", gpu_minutes=10)


def test_a_benchmark_as_a_sentence_says_it() -> None:
    spec = spec_of(
        {"model": "org/model", "request_rate": 20, "duration_s": 600, "input_len": None, "serve": {"tp": 2}}, H100
    )
    assert (spec.host, spec.gpus, spec.serve) == ("h100", (0, 1), {"--tensor-parallel-size": 2})
    assert (spec.workload.request_rate, spec.workload.prompts_expected) == (20.0, 12_000)
    assert spec.workload.input_len == 1024
    assert spec.limits.gpu_minutes == 60


def test_a_host_without_gpus_and_with_a_limit_of_its_own() -> None:
    spec = spec_of({"model": "org/model"}, CPU)
    assert (spec.gpus, spec.limits.gpu_minutes) == ((), 10)
    assert spec_of({"model": "org/model", "gpus": (2, 3)}, H100).gpus == (2, 3)
    assert spec_of({"model": "org/model", "url": "http://gpu1:8000"}, H100).gpus == ()


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ({"model": "org/model", "serve": {"tp": 8}}, "no-such-gpus", "has 4 GPUs, and 8 are needed"),
        ({"model": "org/model", "serve": {"host": "x"}}, "flag-not-allowed", "--host"),
        ({"model": "a b"}, "bad-value", "`model` should be a Hugging Face id"),
        ({"model": "org/model", "request_rate": -1}, "bad-value", "`workload.request_rate` should be greater than 0"),
        ({"model": "org/model", "duration_s": 5, "num_prompts": 5, "request_rate": 1}, "bad-value", "not both"),
        ({"model": "org/model", "speed": 3}, "bad-value", "`speed` Extra inputs are not permitted"),
        ({}, "bad-value", "`model` Field required"),
    ],
)
def test_what_cannot_be_is_refused(asked: dict[str, Any], code: str, says: str) -> None:
    with pytest.raises(Refusal) as refused:
        spec_of(asked, H100)
    assert refused.value.code == code
    assert says in refused.value.error


@pytest.fixture
def base() -> BenchSpec:
    return spec_of(
        {"model": "org/model", "num_prompts": 200, "serve": {"max_num_seqs": 64, "enable_prefix_caching": "off"}}, H100
    )


def test_an_earlier_one_with_something_changed(base: BenchSpec) -> None:
    again = changed(base, {"max-num-seqs": 128, "request_rate": 5, "repeats": 5}, H100)
    assert again.serve == {"--enable-prefix-caching": False, "--max-num-seqs": 128}
    assert (again.workload.request_rate, again.workload.repeats, again.workload.num_prompts) == (5.0, 5, 200)
    assert changed(base, {}, H100).hash == base.hash


@pytest.mark.parametrize(
    ("changes", "serve"),
    [
        ({"max_num_seqs": None}, {"--enable-prefix-caching": False}),
        ({"--enable-prefix-caching": None}, {"--max-num-seqs": 64}),
        ({"enable_prefix_caching": "on"}, {"--enable-prefix-caching": True, "--max-num-seqs": 64}),
    ],
)
def test_an_option_is_taken_away_or_turned(base: BenchSpec, changes: dict[str, Any], serve: dict[str, Any]) -> None:
    assert changed(base, changes, H100).serve == serve


def test_a_duration_takes_the_place_of_a_count(base: BenchSpec) -> None:
    again = changed(base, {"duration_s": 60, "request_rate": 2}, H100)
    assert (again.workload.num_prompts, again.workload.prompts_expected) == (None, 120)


def test_it_can_be_taken_to_another_host_or_model(base: BenchSpec) -> None:
    other = changed(base, {"model": "org/other", "tp": 2}, Host(name="a100", gpu="A100-80GB", gpus=2))
    assert (other.host, other.model, other.gpus) == ("a100", "org/other", (0, 1))
    with pytest.raises(Refusal, match="`--swap-space` was removed"):
        changed(base, {"swap-space": 4}, H100)
