"""`tuning-bot bench`, `runs` and `runner` with the stand-in for vLLM."""

import asyncio
import io
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.cli.app import run
from bot.jobs import at_work, heard, own_desk
from bot.settings import Settings
from bot.world import World
from knowledge.errors import Refusal
from runners.foreman import follow
from runners.jobs.job import State
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec
from runners.jobs.workload import Workload

ROOT = Path(__file__).parents[3]
VLLM = shlex.join([sys.executable, "-S", str(ROOT / "tests" / "runners" / "standin.py")])
SHORT = ("--input-len", "8", "--output-len", "4", "--num-prompts", "120", "--warmups", "2")
DEADLINE_S = 60.0
Ran = tuple[int, str, str]
Call = Callable[..., Ran]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """(status, stdout, stderr) of one call with a store of its own."""
    config = tmp_path / "tuning-bot.toml"
    config.write_text(f'[store]\npath = "{tmp_path / "store.sqlite"}"\n')

    def called(*arguments: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        told = {"PATH": os.environ["PATH"], "TUNING_BOT_CONFIG": str(config), "XDG_RUNTIME_DIR": str(tmp_path)}
        return (
            run(arguments, World(environment=told, stdin=io.BytesIO(), stdout=out, stderr=err)),
            out.getvalue(),
            err.getvalue(),
        )

    return called


def bench(call: Call, *more: str, serve: str = "max-num-seqs=16", repeats: int = 3) -> Ran:
    base = ("bench", "--model", "org/model", "--vllm", VLLM, "--serve", serve, "--repeats", str(repeats))
    return call(*base, *SHORT, *more)


def test_a_benchmark_is_run_told_and_kept(call: Call) -> None:
    status, out, err = bench(call, "--slo", "ttft=500")
    assert status == 0
    assert out.startswith("Run 1: org/model on local, 3 repeats (")
    assert "TTFT" in out
    assert "good requests/s" in out
    assert "--max-num-seqs 16" in out
    assert err.splitlines()[-1] == "Stopping vLLM"
    assert "Measuring (3 of 3)" in err
    _, listed, _ = call("runs", "list")
    assert listed.split()[:4] == ["1", "done", "local", "org/model"]
    _, shown, _ = call("runs", "show", "1")
    assert shown == out


class Terminal(io.StringIO):
    """A stream that a person reads."""

    def isatty(self) -> bool:
        return True


def test_a_person_sees_a_bar_and_a_table(call: Call, tmp_path: Path) -> None:
    out, err = Terminal(), Terminal()
    told = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path)}
    told |= {"TUNING_BOT_CONFIG": str(tmp_path / "tuning-bot.toml"), "TERM": "xterm", "COLUMNS": "120"}
    world = World(environment=told, stdin=io.BytesIO(), stdout=out, stderr=err)
    words = ["bench", "--model", "org/model", "--vllm", VLLM, "--repeats", "1", "--env", "STANDIN_STEP=0.3"]
    assert run([*words, "--max-concurrency", "4", "--num-prompts", "16", "--warmups", "1"], world) == 0
    assert "Measuring (1 of 1)" in err.getvalue()
    assert "%" in err.getvalue()
    assert "TTFT" in out.getvalue()


def test_runs_are_compared_and_exported(call: Call) -> None:
    assert bench(call)[0] == 0
    status, out, _ = bench(call, "--env", "STANDIN_STEP=0.05", "--json", serve="max-num-seqs=32")
    assert status == 0
    said = json.loads(out)
    assert said["spec"]["serve"] == {"--max-num-seqs": 32}
    status, out, _ = call("runs", "compare", "1", "2", "--json")
    compared = json.loads(out)
    assert (status, compared["declared"]) == (0, "serve.--max-num-seqs")
    e2e = next(figure for figure in compared["figures"] if figure["name"] == "e2el_p50_ms")
    assert (e2e["verdict"] == "worse") is (compared["flags"] == [])
    status, out, _ = call("runs", "compare", "1", "2")
    assert out.splitlines()[0] == "serve.--max-num-seqs: 16 → 32"
    rows = call("runs", "export", "2", "--format", "csv")[1].splitlines()
    assert rows[0].startswith("run,model,host,figure,mean,low,high,repeat 1")
    assert call("runs", "export", "1", "--format", "markdown")[1].startswith("## Run 1: org/model on local (done)")
    lines = call("runs", "export")[1].splitlines()
    assert [json.loads(line)["run"] for line in lines] == [2, 1]
    assert json.loads(call("runs", "list", "--json")[1])[0]["run"] == 2
    assert json.loads(call("runs", "show", "1", "--json")[1])["state"] == "done"


def test_runs_that_differ_in_more_are_not_compared(call: Call) -> None:
    assert bench(call, repeats=1)[0] == 0
    assert bench(call, "--request-rate", "500", serve="max-num-seqs=8", repeats=1)[0] == 0
    status, out, err = call("runs", "compare", "1", "2", "--field", "serve.--max-num-seqs")
    assert status == 1
    assert "workload.request_rate: None → 500.0 (also differs)" in out
    assert err == "These runs cannot be compared: `workload.request_rate` differ beside what was meant to.\n"


def test_a_failure_says_why_and_which_line(call: Call) -> None:
    status, out, _ = bench(call, "--env", "STANDIN_FAILS=OSError: [Errno 98] Address already in use", repeats=1)
    assert status == 1
    assert out.startswith("Run 1: org/model on local: failed. The server did not start. It ended with status 1.")
    assert "[Errno 98]" in out
    status, _, err = call("runs", "compare", "1", "1")
    assert (status, err) == (1, "Run `1` has no figures: it is failed. Compare runs that were measured.\n")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--serve", "host=0.0.0.0"), 1, "`--host` may not be set for a benchmark."),
        (("--serve", "=3"), 2, "is not NAME=VALUE"),
        (("--slo", "ttft"), 2, "is not NAME=VALUE"),
        (("--slo", "speed=3"), 2, "speed_ms"),
        (("--repeats", "0"), 2, "`workload.repeats` should be greater than or equal to 1"),
        (("--host", "h100"), 1, "There is no host `h100`. Configured are: none."),
        (("--url", "http://127.0.0.1:1", "--serve", "seed=1"), 2, "`url`, or what to start"),
    ],
)
def test_a_wrong_call_is_one_sentence(call: Call, arguments: tuple[str, ...], status: int, says: str) -> None:
    found, _, err = call("bench", "--model", "org/model", *arguments)
    assert found == status
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("show", "7"), ("compare", "7", "8"), ("export", "7")])
def test_a_run_that_there_is_not(call: Call, arguments: tuple[str, ...]) -> None:
    status, _, err = call("runs", *arguments)
    assert (status, err) == (1, "There is no run `7`. `runs list` shows those there are.\n")


def test_no_runs_yet(call: Call) -> None:
    assert call("runs", "list") == (0, "", "There are no runs yet.\n")


def test_a_host_of_the_settings_is_this_machine(call: Call, tmp_path: Path) -> None:
    words = ", ".join(f'"{word}"' for word in shlex.split(VLLM))
    settings = f'[[hosts]]\nname = "h100"\ngpus = 2\nvllm = [{words}]\n[store]\npath = "{tmp_path / "store.sqlite"}"\n'
    (tmp_path / "tuning-bot.toml").write_text(settings)
    status, out, _ = call("bench", "--model", "org/model", "--host", "h100", "--gpus", "0,x")
    assert status == 2
    status, out, _ = call("bench", "--model", "org/model", "--host", "h100", *SHORT)
    assert status == 1
    assert "There is no GPU 0 here; the driver sees 0." in out


def test_a_server_that_runs_already_is_measured(call: Call, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [*shlex.split(VLLM), "serve", "org/model", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    try:
        assert any("KV cache size" in line for line in server.stdout)
        status, out, _ = bench_url(call, f"http://127.0.0.1:{port}")
        assert status == 0
        assert "The prefix cache was not reset: the server is not ours." in out
        assert server.poll() is None
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        server.stdout.close()
    status, out, _ = bench_url(call, f"http://127.0.0.1:{port}")
    assert status == 1
    assert f"The server at http://127.0.0.1:{port} does not answer: ConnectError." in out


def bench_url(call: Call, url: str) -> Ran:
    return call("bench", "--model", "org/model", "--vllm", VLLM, "--url", url, "--repeats", "1", *SHORT)


def test_ctrl_c_stops_it_cleanly(call: Call, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "bot", "bench", "--model", "org/model", "--vllm", VLLM, "--env", "STANDIN_STEP=1"]
    told = dict(os.environ) | {"PYTHONPATH": str(ROOT), "TUNING_BOT_CONFIG": str(tmp_path / "tuning-bot.toml")}
    terminal = subprocess.Popen(
        [*words, "--num-prompts", "500", "--warmups", "0"],
        cwd=tmp_path,
        env=told | {"XDG_RUNTIME_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert terminal.stderr is not None
    assert any(line.startswith("Measuring") for line in terminal.stderr)
    terminal.send_signal(signal.SIGINT)
    out, _ = terminal.communicate(timeout=DEADLINE_S)
    assert terminal.returncode == 1
    assert out.startswith("Run 1: org/model on local: cancelled. It was stopped at the terminal.")


def test_an_agent_of_a_host_that_is_not_configured(call: Call) -> None:
    status, _, err = call("runner", "--host", "h100")
    assert (status, err) == (1, "There is no host `h100`. Configured are: none.\n")


async def test_serve_hands_a_job_to_an_agent_in_another_process(tmp_path: Path) -> None:
    words = ", ".join(f'"{word}"' for word in shlex.split(VLLM))
    store = tmp_path / "store.sqlite"
    text = f'[[hosts]]\nname = "h100"\nvllm = [{words}]\n[store]\npath = "{store}"\n'
    (tmp_path / "tuning-bot.toml").write_text(text)
    settings = Settings.model_validate(
        {"hosts": [{"name": "h100", "vllm": shlex.split(VLLM)}], "store": {"path": store}}
    )
    async with heard(settings, {}) as jobs:
        agent = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "runner", "--host", "h100"),
            cwd=ROOT,
            env=dict(os.environ)
            | {"TUNING_BOT_CONFIG": str(tmp_path / "tuning-bot.toml"), "XDG_RUNTIME_DIR": str(tmp_path)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert agent.stdout is not None
        load = Workload(input_len=8, output_len=4, num_prompts=20, warmups=2, repeats=1)
        job = jobs.journal.request(
            "m1", BenchSpec(model="org/model", host="h100", workload=load), owner="U1", desk="serve"
        )
        jobs.journal.move(job.number, State.QUEUED, who="U1")
        async with asyncio.timeout(DEADLINE_S):
            while jobs.journal.job(job.number).open:
                await follow(jobs.foreman, 0.5)
        agent.send_signal(signal.SIGTERM)
        said, _ = await agent.communicate()
        assert await agent.wait() == 0
        assert jobs.journal.job(job.number).state is State.DONE
    assert said.decode().splitlines() == ["Answering for `h100`.", "Run 1: org/model (bench-1-1).", "Run 1: done"]


async def test_over_tcp_tokens_are_needed(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"agents": {"listen": "127.0.0.1:0"}, "hosts": [{"name": "h100"}], "store": {"path": tmp_path / "s.sqlite"}}
    )
    with pytest.raises(Refusal, match="names no host's token"):
        async with heard(settings, {}):
            pass
    async with heard(settings, {"TUNING_BOT_AGENT_TOKEN": "h100=a, a100=b"}):
        pass


async def test_a_place_that_is_taken_is_said_so(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        settings = Settings.model_validate({"agents": {"listen": listen}, "store": {"path": tmp_path / "s.sqlite"}})
        with pytest.raises(Refusal, match=f"Agents cannot be heard at `{listen}`"):
            async with heard(settings, {"TUNING_BOT_AGENT_TOKEN": "h100=a"}):
                pass


async def test_jobs_of_a_terminal_that_died_come_to_an_end(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    journal: Journal = open_journal(store, lambda: 1_800_000_000.0)
    spec = BenchSpec(model="org/model", host="local")
    dead = journal.request("t1", spec, owner="me", desk="local:4194399:1")
    alive = journal.request("t2", spec, owner="me", desk=own_desk())
    journal.db.close()
    async with at_work(store, {}, "serve") as jobs:
        assert jobs.journal.job(dead.number).state is State.CANCELLED
        assert jobs.journal.job(alive.number).state is State.REQUESTED
