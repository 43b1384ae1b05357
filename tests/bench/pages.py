"""How long a cache layout takes: python tests/bench/pages.py prints microseconds over every catalogue model.

An answer tries hundreds of launches, so a layout should stay well under 300 µs.
"""

from time import perf_counter

from knowledge import catalogue
from knowledge.launch import Launch
from knowledge.memory.pages import cache_layout
from knowledge.units import GIB
from knowledge.versions import DEFAULT
from tests.knowledge.memory.described import A100

REPEATS = 20


def microseconds(launch: Launch) -> tuple[float, float]:
    """Of one layout, and of its largest context; the best of several runs."""
    layout = cache_layout(launch)
    return (
        min(_timed(lambda: cache_layout(launch)) for _ in range(REPEATS)),
        min(_timed(lambda: layout.max_context(40 * GIB, launch.max_model_len)) for _ in range(REPEATS)),
    )


def _timed(call: object) -> float:
    assert callable(call)
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e6


def main() -> None:
    """Prints the slowest models and the median."""
    rows = []
    for name in catalogue.ids():
        shape = catalogue.find(name)
        launch = Launch(shape=shape, gpu=A100, version=DEFAULT, max_model_len=shape.max_context, pp=2)
        rows.append((*microseconds(launch), len(shape.layers), name))
    rows.sort(reverse=True)
    middle = rows[len(rows) // 2]
    print(f"{len(rows)} models, median {middle[0]:.0f} µs a layout, {middle[1]:.0f} µs a largest context; slowest:")
    for layout, largest, layers, name in rows[:5]:
        print(f"  {layout:6.0f} µs  {largest:6.0f} µs  {layers:4d} layers  {name}")


if __name__ == "__main__":
    main()
