"""How many GPUs a start takes, and which ones it gets."""

from collections.abc import Mapping

from knowledge.errors import Refusal
from runners.jobs.serve_flags import Value

_SIZES = (
    "--tensor-parallel-size",
    "--pipeline-parallel-size",
    "--data-parallel-size",
    "--prefill-context-parallel-size",
)


def gpus_needed(serve: Mapping[str, Value]) -> int:
    """GPUs of one start: every parallel size multiplies them."""
    count = 1
    for name in _SIZES:
        count *= int(serve.get(name, 1))
    return count


def first_gpus(serve: Mapping[str, Value], there: int, host: str) -> tuple[int, ...]:
    """The host's first GPUs, as many as are needed; () on a host without. Refuses more than there are."""
    if there == 0:
        return ()
    needed = gpus_needed(serve)
    if needed > there:
        error = f"`{host}` has {there} GPUs, and {needed} are needed."
        raise Refusal("no-such-gpus", error, "Lower the parallel sizes.", host=host)
    return tuple(range(needed))
