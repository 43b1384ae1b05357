"""The command line as a process: streams, statuses, bytes that are not text, readers that go away."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BOT = [sys.executable, "-m", "bot"]
DEADLINE = 60  # seconds; nothing here takes more than a few


def called(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """One call of the bot in a process of its own."""
    return subprocess.run(
        [*BOT, *arguments],
        input=stdin,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
        env=os.environ | environment,
    )


def test_a_question_is_answered_on_stdout_alone() -> None:
    run = called("ask", "will 16k context fit on 4×A100?")
    assert (run.returncode, run.stderr) == (0, b"")
    assert "4 × A100-80GB" in run.stdout.decode()


def test_a_terminal_that_knows_ascii_only_still_gets_an_answer() -> None:
    run = called(
        "ask",
        "--lang",
        "zh",
        "qwen3 8b on an L40S",
        PYTHONUTF8="0",
        PYTHONCOERCECLOCALE="0",
        LC_ALL="C",
        PYTHONIOENCODING="ascii",
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"Qwen3-8B" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param(["fit", "--model", "nobody/nothing-7x", "--gpu", "L4"], 1, id="unknown model"),
        pytest.param(["fit", "--model", "Qwen/Qwen3-8B", "--gpu", "X999"], 1, id="unknown card"),
        pytest.param(["fit", "--model", "Qwen/Qwen3-32B", "--gpu", "L4", "--tp", "3"], 1, id="TP that does not divide"),
        pytest.param(["fit", "--model", "Qwen/Qwen3-8B", "--gpu", "L4", "--count", "-1"], 2, id="negative"),
        pytest.param(
            ["fit", "--model", "Qwen/Qwen3-8B", "--gpu", "L4", "--gpu-memory-utilization", "nan"], 2, id="NaN"
        ),
        pytest.param(
            ["fit", "--model", "Qwen/Qwen3-8B", "--gpu", "L4", "--context", "1" + "0" * 5000], 2, id="5,000 digits"
        ),
        pytest.param(["fit", "--model", "Qwen/Qwen3-8B", "--gpu", "L4", "--vllm-version", "new"], 1, id="no version"),
        pytest.param(["frob"], 2, id="no such command"),
        pytest.param([], 2, id="no command"),
    ],
)
def test_a_failure_is_one_sentence_on_stderr(arguments: list[str], status: int) -> None:
    run = called(*arguments, HF_HUB_OFFLINE="1")
    assert (run.returncode, run.stdout) == (status, b"")
    assert len(run.stderr.decode().splitlines()) == 1
    assert b"Traceback" not in run.stderr


def test_lines_of_every_kind_are_answered_one_by_one() -> None:
    sent = [
        b'{"id": 1, "text": "qwen3 8b on an L40S"}',
        b"\xff\xfe not utf-8",
        b'{"id": NaN}',
        json.dumps({"id": 4, "text": "x" * 40_000 + " qwen3 8b on an L40S?"}).encode(),
        b'{"id": "\\ud800", "text": "hi \\u0000\\u001b[31m"}',
        b'{"id": 6, "text": ""}',
    ]
    run = called("ask", "--jsonl", stdin=b"\n".join(sent))
    assert (run.returncode, run.stderr) == (0, b"")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, None, None, 4, "\ud800", 6]
    assert {"error", "hint"} <= set(answers[1])
    assert answers[5]["intent"] == "help"


def test_an_answer_comes_as_soon_as_its_line_does() -> None:
    with subprocess.Popen([*BOT, "ask", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        for number in range(3):
            bot.stdin.write(json.dumps({"id": number, "text": "hi"}).encode() + b"\n")
            bot.stdin.flush()
            assert json.loads(bot.stdout.readline())["id"] == number
        bot.stdin.close()
        assert bot.wait(DEADLINE) == 0


def test_a_reader_that_goes_away_ends_the_bot_without_a_traceback() -> None:
    lines = b'{"id": 1, "model": "Qwen/Qwen3-8B", "gpu": "L40S"}\n' * 200
    with subprocess.Popen(
        [*BOT, "fit", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        bot.stdin.write(lines)
        bot.stdin.close()
        bot.stdout.readline()
        bot.stdout.close()
        assert bot.stderr.read() == b""
        assert bot.wait(DEADLINE) == 1


def test_an_interrupt_ends_the_bot_without_a_traceback() -> None:
    with subprocess.Popen(
        [*BOT, "ask", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        bot.stdin.write(b'{"id": 1, "text": "hi"}\n')
        bot.stdin.flush()
        bot.stdout.readline()
        bot.send_signal(signal.SIGINT)
        assert bot.wait(DEADLINE) == 130
        assert b"Traceback" not in bot.stderr.read()


def test_bugs_are_logged_to_the_file_that_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    run = called("ask", "hi", TUNING_BOT_LOG=str(log))
    assert run.returncode == 0
    assert not log.exists()


def test_the_slow_libraries_of_other_commands_stay_unloaded() -> None:
    run = called("ask", "qwen3 8b on an L40S", PYTHONPROFILEIMPORTTIME="1")
    loaded = run.stderr.decode()
    assert "bot.conversation" in loaded
    for module in ("slack_bolt", "slack_sdk", "aiohttp", "huggingface_hub", "sqlite_utils", "rich.console"):
        assert f" {module}\n" not in loaded


@pytest.mark.parametrize(
    ("closed", "status", "said"),
    [
        pytest.param(">&-", 1, b"Standard output is closed", id="no output"),
        pytest.param("> /dev/full", 1, b"The answer cannot be written: No space left on device.", id="a full disk"),
        pytest.param("2>&-", 0, b"", id="no error stream"),
        pytest.param("<&-", 0, b"", id="no input"),
    ],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_streams_that_are_not_there(closed: str, status: int, said: bytes) -> None:
    run = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *BOT, "ask", "hi"], capture_output=True, timeout=DEADLINE, check=False
    )
    assert run.returncode == status
    assert run.stderr.startswith(said)
    assert b"Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) <= 1


def test_json_lines_lose_nothing_on_a_stream_that_knows_ascii_only() -> None:
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    run = called("ask", "--jsonl", stdin='{"id": "放", "text": "hi", "lang": "zh"}\n'.encode(), **ascii_only)
    assert json.loads(run.stdout)["id"] == "放"
    assert "你好" in json.loads(run.stdout)["text"]


def test_without_a_home_nothing_is_kept_and_all_is_answered() -> None:
    run = called("ask", "qwen3 8b on an L4", HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent/cache")
    assert (run.returncode, run.stderr) == (0, b"")
