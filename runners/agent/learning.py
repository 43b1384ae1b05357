"""What a start on our own GPUs teaches the estimator: its logged terms, as they are kept for the next estimate on that host."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from knowledge.errors import Refusal
from runners.jobs.spec import BenchSpec
from runners.machines.gpus import GpuState
from runners.machines.host import Host
from runners.measuring.logfile import lines


def learnt(log: Path, spec: BenchSpec, host: Host, states: Sequence[GpuState], at: float) -> dict[str, Any] | None:
    """The terms of the start that `log` tells of; None without GPUs, of a model that nobody lists, or where the log lacks a term."""
    from knowledge import catalogue, defaults
    from knowledge.fit.observed import Missing, of_start
    from knowledge.logs.startup import read_startup
    from knowledge.versions import parse

    used = [state for state in states if state.index in spec.gpus]
    start = read_startup(lines(log))
    if not used or start.version is None:
        return None
    try:
        shape = catalogue.resolve(spec.model, None)
        share = start.utilization or defaults.utilization(parse(start.version))
    except Refusal:
        return None
    total = start.total_gib or min(state.total_gib for state in used)
    filled = replace(start, total_gib=total, utilization=share, gpu=host.gpu or used[0].name)
    kept = of_start(filled, spec.host, shape.model_id, datetime.fromtimestamp(at, UTC))
    if isinstance(kept, Missing):
        return None
    stored = shape.quantization.label if shape.quantization else "bf16"
    return kept.model_copy(update={"stored_as": stored}).model_dump(mode="json")
