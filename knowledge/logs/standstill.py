"""A start that has not failed and not finished either, asked about because it stands still or takes long."""

import re
from typing import Any

from knowledge.logs.finding import Finding
from knowledge.logs.lines import Line
from knowledge.logs.reading import Reading
from knowledge.logs.startup import Outcome
from knowledge.logs.wishes import Wish

_SHARDS = re.compile(
    r"Loading \w+ checkpoint shards:\s+\d+% Completed \| (\d+)/(\d+) \[[^\],]{1,24}, {1,2}([\d.]+)(s/it|it/s)"
)
ASKED = frozenset({Wish.STUCK, Wish.SLOW_START, Wish.SLOW_LOAD, Wish.COMPILE, Wish.LATENCY})
# What the last line is about, the first that fits; what a start does in this order, backwards.
STEPS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        r"Capturing|torch\.compile|Compiling|Dynamo|cudagraph|CUDA graph|autotun|[Ww]arm(?:ing)?[ -]?up|backends\.py|monitor\.py",
        "slow-startup",
        "load.still_compiling",
        ("torch-compile-cache", "enforce-eager"),
    ),
    (
        r"checkpoint shards|Starting to load model|Loading model|model weights|weight_utils|[Dd]ownload|default_loader",
        "model-loading-slow",
        "load.still_loading",
        ("slow-startup", "model-download"),
    ),
    (
        r"nccl|NCCL|parallel_state|distributed_init_method|init_process_group|world size|[Cc]ustom_?all_?reduce|shm_broadcast|gloo|Rank \d+|rank \d+",
        "nccl-hang",
        "parallel.start_hang",
        ("multi-gpu-tp",),
    ),
)


def standstill(reading: Reading, wanted: frozenset[Wish]) -> Finding | None:
    """What the start was doing last; None where it came up, or where nobody wonders about its time."""
    line = reading.last
    if line is None or reading.start.outcome is Outcome.STARTED or reading.traffic.count or not wanted & ASKED:
        return None
    for pattern, cause, text, entries in STEPS:
        if re.search(pattern, f"{line.source or ''} {line.text}"):
            return Finding(cause, text, line, entries, _shards(line), sure=False)
    return None


def _shards(line: Line) -> dict[str, Any]:
    found = _SHARDS.search(line.text)
    if found is None or float(found[3]) == 0:
        return {}
    done, files = int(found[1]), int(found[2])
    each = float(found[3]) if found[4] == "s/it" else 1 / float(found[3])
    return {
        "seconds_each": each,
        "files": files,
        "files_left": files - done,
        "minutes_left": max(1, round((files - done) * each / 60)),
    }
