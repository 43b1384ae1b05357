"""A server's log: what it says of a start, and which line decides where it failed."""

from pathlib import Path

import pytest

from runners.measuring.failure import Failure, Layer
from runners.measuring.logfile import lines, load_failure, observed, port_taken, start_failure, tail
from runners.processes.guarded import Ended

# vLLM 0.32.0 on a CPU, a start with 1 GiB of cache
STARTED = """\
(APIServer pid=21831) INFO 12-01 00:18:42 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0
(APIServer pid=21831) INFO 12-01 00:18:51 [model.py:2152] Using max model len 2048
(EngineCore pid=22195) INFO 12-01 00:19:04 [kv_cache_utils.py:2327] CPU KV cache size: 1,048,576 tokens, Maximum concurrency for 2,048 tokens per request: 512.00x
(EngineCore pid=22195) INFO 12-01 00:19:07 [core.py:402] init engine (profile, create kv cache, warmup model) took 2.50 s
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "server.log"


def test_what_a_start_observed(log: Path) -> None:
    log.write_text(STARTED)
    seen = observed(log)
    assert (seen["version"], seen["kv_tokens"], seen["max_model_len"]) == ("0.32.0", 1_048_576, 2048)
    assert (seen["max_concurrency"], seen["init_seconds"]) == (512.0, 2.5)
    assert "weights_gib" not in seen


def test_a_known_line_decides_and_names_its_cause(log: Path) -> None:
    log.write_text(STARTED + "OSError: [Errno 98] Address already in use\n")
    failure = start_failure(log, Ended(exit=1, killed=False, left=())).failure
    assert (failure.layer, failure.cause) == (Layer.SERVER_START, "port-in-use")
    assert failure.line == "OSError: [Errno 98] Address already in use"
    assert failure.why == "The server did not start. It ended with status 1."
    assert port_taken(failure)


def test_an_unknown_error_is_quoted_all_the_same(log: Path) -> None:
    log.write_text("nothing much\nFrobnicationError: the flux is low\nbye\n")
    failure = start_failure(log, Ended(exit=-9, killed=True, left=())).failure
    assert "FrobnicationError" in failure.line or failure.cause is not None
    assert failure.why == "The server did not start. It was killed."
    log.write_text("nothing much\n\n")
    assert start_failure(log, Ended(exit=1, killed=False, left=())).failure.line == "nothing much"


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (Ended(exit=0, killed=True, left=()), "The server ended while it was measured."),
        (Ended(exit=-9, killed=True, left=()), "The server ended by signal 9 while it was measured."),
        (None, "The server stopped answering while it was measured."),
    ],
)
def test_how_a_server_ended_under_load(log: Path, ended: Ended | None, why: str) -> None:
    log.write_text(STARTED)
    failure = load_failure(log, ended).failure
    assert (failure.layer, failure.why) == (Layer.LOAD, why)


def test_no_log_says_nothing(log: Path) -> None:
    assert list(lines(log)) == []
    assert tail(log, 5) == []
    assert observed(log) == {}
    assert not port_taken(Failure(layer=Layer.HOST, why="x"))
    log.write_text("a\nb\nc\n")
    assert tail(log, 2) == ["b", "c"]
    assert tail(log, 0) == []
