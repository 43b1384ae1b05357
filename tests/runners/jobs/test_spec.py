"""What a benchmark will do is fixed by its spec, and the spec's hash names it."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from runners.jobs.spec import BenchSpec, Limits, Slo
from runners.jobs.workload import Workload

Make = Callable[..., BenchSpec]


def test_the_same_request_has_the_same_hash_wherever_it_is_written() -> None:
    one = BenchSpec(model="org/model", host="h100", gpus=(1, 0), serve={"--seed": 1, "--dtype": "half"})
    other = BenchSpec.model_validate(
        {"serve": {"--dtype": "half", "--seed": 1}, "gpus": [0, 1], "host": "h100", "model": "org/model"}
    )
    assert one.hash == other.hash
    assert BenchSpec.model_validate_json(one.model_dump_json()).hash == one.hash
    assert one.hash.startswith(one.short_hash)


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "org/other"},
        {"revision": "main"},
        {"host": "a100"},
        {"gpus": (0,)},
        {"serve": {"--seed": 1}},
        {"load": {"seeds": (1, 2)}},
        {"slo": Slo(ttft_ms=200)},
        {"limits": Limits(gpu_minutes=6)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_changes_the_run_changes_the_hash(make_spec: Make, changed: dict[str, Any]) -> None:
    assert make_spec(**changed).hash != make_spec().hash


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"model": "org/model; rm"}, "Hugging Face id"),
        ({"model": "../secret"}, "Hugging Face id"),
        ({"model": "--host"}, "Hugging Face id"),
        ({"model": "-x/y"}, "Hugging Face id"),
        ({"revision": "--port"}, "pattern"),
        ({"gpus": (0, 0)}, "different GPU indices"),
        ({"gpus": (-1,)}, "different GPU indices"),
        ({"url": "http://h:8000", "gpus": (0,)}, "`url`, or what to start"),
        ({"url": "file:///etc/passwd"}, "pattern"),
        ({"revision": "a b"}, "pattern"),
    ],
)
def test_what_cannot_be_run_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        BenchSpec(**({"model": "org/model", "host": "h100"} | values))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"num_prompts": 5, "duration_s": 5, "request_rate": 1}, "not both"),
        ({"duration_s": 5}, "`request_rate` or `max_concurrency`"),
        ({"seeds": (1, 2), "repeats": 3}, "one of `seeds` for each"),
        ({"seeds": (1, 1), "repeats": 2}, "measure the prefix cache"),
        ({"duration_s": 86_400, "request_rate": 1000}, "at most 200,000 requests"),
        ({"request_rate": 0}, "greater than 0"),
        ({"burstiness": float("inf")}, "finite"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Workload(**values)


@pytest.mark.parametrize(
    ("values", "prompts", "warmups"),
    [
        ({}, 100, 32),
        ({"max_concurrency": 64}, 640, 64),  # ten for each slot
        ({"num_prompts": 7}, 7, 7),
        ({"duration_s": 600, "request_rate": 20}, 12_000, 32),
        ({"max_concurrency": 8, "warmups": 0}, 100, 0),
    ],
)
def test_how_many_requests_a_repeat_sends(values: dict[str, Any], prompts: int, warmups: int) -> None:
    load = Workload(**values)
    assert (load.prompts_expected, load.warmup_requests) == (prompts, warmups)
    assert not load.finds_its_length


def test_a_duration_at_a_concurrency_finds_its_length_by_asking() -> None:
    assert Workload(duration_s=60, max_concurrency=8).finds_its_length


def test_seeds_are_fresh_for_every_repeat_and_the_same_for_the_same_load() -> None:
    load = Workload(repeats=50)
    seeds = [load.seed(repeat, "salt") for repeat in range(1, 51)]
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert seeds == [load.seed(repeat, "salt") for repeat in range(1, 51)]
    assert seeds[0] != load.seed(1, "other salt")
    assert Workload(repeats=2, seeds=(7, 9)).seed(2, "salt") == 9


@pytest.mark.parametrize(("gpus", "seconds"), [((), 3600.0), ((0,), 3600.0), ((0, 1, 2, 3), 900.0)])
def test_gpu_minutes_are_shared_by_the_gpus(make_spec: Make, gpus: tuple[int, ...], seconds: float) -> None:
    assert make_spec(gpus=gpus, limits=Limits(gpu_minutes=60)).wall_limit_s == seconds


def test_an_slo_is_written_as_the_bench_takes_it() -> None:
    assert Slo(ttft_ms=200, e2el_ms=1500.5).words == ("ttft:200", "e2el:1500.5")
    assert Slo().words == ()
