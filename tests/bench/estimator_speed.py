"""How long an estimate takes: every listed model on every listed card, without suggestions.

python tests/bench/estimator_speed.py [CARDS]

CARDS is how many of the listed cards to ask about (all by default). A model's first answer, which reads its record, is told apart.
"""

import statistics
import sys
from time import perf_counter

from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit.estimator import estimates
from knowledge.fit.request import FitRequest
from knowledge.gpus import all_gpus


def main() -> None:
    """Prints the spread in milliseconds, and the slowest."""
    cards = [card.name for card in all_gpus()][: int(sys.argv[1]) if len(sys.argv) > 1 else None]
    first: list[tuple[float, str, str]] = []
    later: list[tuple[float, str, str]] = []
    refused = 0
    for model in catalogue.ids():
        for place, card in enumerate(cards):
            began = perf_counter()
            try:
                estimates(FitRequest(model=model, gpu=card), changes=False)
            except Refusal:
                refused += 1
            (later if place else first).append(((perf_counter() - began) * 1000, model, card))
    print(f"{len(catalogue.ids())} models on {len(cards)} cards, {refused} refused")
    for name, times in (("first answer", first), ("later answers", later)):
        spent = sorted(times)
        p99 = spent[int(len(spent) * 0.99)][0]
        print(
            f"{name}: median {statistics.median(t for t, _, _ in spent):.2f} ms, p99 {p99:.2f}, slowest {spent[-1][0]:.2f} ({spent[-1][1]} on {spent[-1][2]})"
        )


if __name__ == "__main__":
    main()
