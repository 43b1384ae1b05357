"""Which decoder layers run on which pipeline stage. A stage is its first and past-the-last layer."""

from bisect import bisect_left


def stage_bounds(layers: int, stages: int) -> tuple[tuple[int, int], ...]:
    """First and past-the-last layer of each stage, split as vllm/distributed/utils.py does in every version since 0.6.

    Layers that do not divide evenly go to the stages before the last, one each, from the back: the last one also holds
    the final norm and the head.
    """
    share, extra = divmod(layers, stages)
    sizes = [share] * stages
    for stage in range(stages - 1 - extra, stages - 1):
        sizes[stage] += 1
    bounds, start = [], 0
    for size in sizes:
        bounds.append((start, start + size))
        start += size
    return tuple(bounds)


def count_within(layers: tuple[int, ...], stage: tuple[int, int]) -> int:
    """How many of `layers`, ascending, run on `stage`."""
    return bisect_left(layers, stage[1]) - bisect_left(layers, stage[0])
