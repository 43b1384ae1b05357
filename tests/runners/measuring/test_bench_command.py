"""`vllm bench serve` as each release takes it."""

from pathlib import Path
from typing import Any

import pytest

from knowledge.releases import flags
from knowledge.versions import Version
from runners.jobs.spec import Slo
from runners.jobs.workload import Workload
from runners.measuring.bench_command import BenchOrder, Target, bench_argv

V032 = Version(0, 32)


def words(load: dict[str, Any] | None = None, version: Version = V032, **changed: Any) -> list[str]:
    order: dict[str, Any] = {
        "target": Target(url="http://127.0.0.1:8000", served_model="org/model", tokenizer="org/model"),
        "workload": Workload(**({"input_len": 64, "output_len": 16} | (load or {}))),
        "slo": Slo(),
        "prompts": 60,
        "warmups": 8,
        "seed": 7,
        "report": Path("/tmp/run/repeat-1.json"),
    }
    return list(bench_argv(("vllm",), BenchOrder(**(order | changed)), version))


def value(argv: list[str], name: str) -> str | None:
    return argv[argv.index(name) + 1] if name in argv else None


def test_it_asks_for_every_percentile_and_for_each_request() -> None:
    argv = words()
    assert argv[:3] == ["vllm", "bench", "serve"]
    assert value(argv, "--percentile-metrics") == "ttft,tpot,itl,e2el"
    assert value(argv, "--metric-percentiles") == "50,90,95,99"
    assert value(argv, "--seed") == "7"
    assert {"--save-result", "--save-detailed", "--ignore-eos"} <= set(argv)
    assert (value(argv, "--result-dir"), value(argv, "--result-filename")) == ("/tmp/run", "repeat-1.json")


@pytest.mark.parametrize("version", [Version(0, 8), Version(0, 9, 2), Version(0, 11), V032])
def test_each_release_is_given_only_what_it_has(version: Version) -> None:
    options = [word for word in words(version=version) if word.startswith("--")]
    assert [name for name in options if not flags.known(name, version, flags.BENCH)] == []


@pytest.mark.parametrize(
    ("version", "option", "kind"),
    [
        (Version(0, 8), "--endpoint-type", "openai-comp"),
        (Version(0, 9, 1), "--endpoint-type", "openai"),
        (V032, "--backend", "openai"),
    ],
)
def test_the_kind_of_server_is_spelt_as_the_release_does(version: Version, option: str, kind: str) -> None:
    assert value(words(version=version), option) == kind


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ({}, {"--request-rate": None, "--max-concurrency": None}),
        ({"request_rate": 20, "burstiness": 0.5}, {"--request-rate": "20", "--burstiness": "0.5"}),
        ({"max_concurrency": 8}, {"--max-concurrency": "8", "--request-rate": None}),
        ({"range_ratio": 0.2}, {"--dataset-name": "random", "--random-range-ratio": "0.2"}),
        (
            {"dataset": "prefix-repetition", "input_len": 1024, "prefix_len": 768, "num_prefixes": 4},
            {
                "--dataset-name": "prefix_repetition",
                "--prefix-repetition-prefix-len": "768",
                "--prefix-repetition-suffix-len": "256",
                "--prefix-repetition-num-prefixes": "4",
                "--prefix-repetition-output-len": "16",
            },
        ),
        (
            {"dataset": "prefix-repetition", "input_len": 100},
            {"--prefix-repetition-prefix-len": "50", "--prefix-repetition-suffix-len": "50"},
        ),
    ],
)
def test_a_load_is_written_as_the_bench_takes_it(load: dict[str, Any], expected: dict[str, str | None]) -> None:
    argv = words(load)
    assert {name: value(argv, name) for name in expected} == expected


def test_conversations_come_from_the_hosts_file_and_end_as_they_did() -> None:
    argv = words({"dataset": "sharegpt"}, sharegpt=Path("/srv/sharegpt.json"))
    assert value(argv, "--dataset-path") == "/srv/sharegpt.json"
    assert "--ignore-eos" not in argv


def test_goodput_is_asked_for_where_there_is_a_limit() -> None:
    argv = words(slo=Slo(ttft_ms=200, tpot_ms=50))
    place = argv.index("--goodput")
    assert argv[place + 1 : place + 3] == ["ttft:200", "tpot:50"]
    assert "--goodput" not in words()


def test_a_server_that_calls_its_model_otherwise_is_asked_by_that_name() -> None:
    target = Target(url="http://gpu1:8000/v1", served_model="chat", tokenizer="org/model")
    argv = words(target=target)
    assert value(argv, "--model") == "org/model"
    assert value(argv, "--served-model-name") == "chat"
    assert value(argv, "--base-url") == "http://gpu1:8000"
    assert "--served-model-name" not in words()
