"""A server's log, read when it has started or failed: what it observed, and which line decides."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runners.measuring.failure import Failure, Layer, RunFailed
from runners.processes.guarded import Ended

READ = 4_000_000  # characters of a log's end that are read: a start takes some thousand lines
SHOWN = 300  # characters of a line that are quoted
NO_CAUSE = "none"
ADDRESS_IN_USE = "[Errno 98]"
_OBSERVED = (
    *("version", "architecture", "gpu", "total_gib", "free_gib", "weights_gib", "activation_gib", "non_torch_gib"),
    *("graphs_estimated_gib", "graphs_gib", "kv_gib", "kv_tokens", "kv_blocks", "block_size", "max_model_len"),
    *("max_num_seqs", "max_num_batched_tokens", "load_seconds", "init_seconds", "compile_seconds", "max_concurrency"),
    *("tp", "pp", "dp", "utilization", "dtype", "kv_cache_dtype", "enforce_eager", "enable_prefix_caching"),
)


def observed(log: Path) -> dict[str, Any]:
    """The terms that the start logged, by the estimator's names: GiB of one GPU, tokens, seconds. What it did not say is left out."""
    from knowledge.logs.startup import read_startup

    start = read_startup(lines(log))
    return {name: value for name in _OBSERVED if (value := getattr(start, name)) is not None}


def start_failure(log: Path, ended: Ended) -> RunFailed:
    """Why a server ended before it was healthy."""
    how = "It was killed" if ended.exit is not None and ended.exit < 0 else f"It ended with status {ended.exit}"
    return RunFailed(_diagnosed(log, Layer.SERVER_START, f"The server did not start. {how}."))


def load_failure(log: Path, ended: Ended | None) -> RunFailed:
    """Why a server that was healthy ended while it was measured, None when it still runs but answers no more.

    Its status says little: 0 where its engine died.
    """
    if ended is None:
        return RunFailed(_diagnosed(log, Layer.LOAD, "The server stopped answering while it was measured."))
    how = f" by signal {-ended.exit}" if ended.exit is not None and ended.exit < 0 else ""
    return RunFailed(_diagnosed(log, Layer.LOAD, f"The server ended{how} while it was measured."))


def tail(log: Path, count: int) -> list[str]:
    """The last lines."""
    return list(lines(log))[-count:] if count > 0 else []


def lines(log: Path) -> Iterator[str]:
    """The log's lines, from its last few megabytes."""
    if not log.exists():
        return
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - READ))
        yield from file.read().decode("utf-8", "replace").splitlines()


def port_taken(failure: Failure) -> bool:
    """Whether it failed because somebody took its port meanwhile."""
    return failure.cause == "port-in-use" or ADDRESS_IN_USE in failure.line


def _diagnosed(log: Path, layer: Layer, why: str) -> Failure:
    from knowledge.logs.choice import choose
    from knowledge.logs.reading import read_all

    choice = choose(read_all(lines(log)), "")
    found = choice.cause != NO_CAUSE and choice.line is not None
    line = choice.line.raw.strip()[:SHOWN] if found and choice.line else _last_error(log)
    return Failure(
        layer=layer, why=why, line=line, cause=choice.cause if found else None, entries=choice.entries if found else ()
    )


def _last_error(log: Path) -> str:
    """The last line that names an error, the last one of all where none does."""
    written = [line.strip() for line in lines(log) if line.strip()]
    errors = [line for line in written if "Error" in line or " ERROR " in line]
    return (errors or written or [""])[-1][:SHOWN]
