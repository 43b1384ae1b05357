"""The estimator's track record on public starts, as `tuning-bot fit --accuracy` prints it.

python -m tests.bench.track_record [--write]

Prints the figures over the starts in tests/data/startups; `--write` puts them into knowledge/data/track_record.json. `first` were gathered from
public logs afterwards and are scored as they were first answered, which cannot be run again; `all` are every start, each answered as if its own
logs had not been seen.
"""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from tests.bench.estimator import Score, as_if_unseen, rows

FILE = Path(__file__).parents[2] / "knowledge" / "data" / "track_record.json"
FILES = ("starts.jsonl", "more.jsonl", "found.jsonl")
FIRST = {
    "starts": 68,
    "answered": 62,
    "compared": 53,
    "median_error": 0.004,
    "p90_error": 0.05,
    "within_10_percent": 0.92,
    "range_held": 0.9245,
    "median_width": 0.08,
    "uncertain": 16,
    "started": 55,
    "started_right": 54,
    "refused": 7,
    "refused_right": 7,
}  # found.jsonl as it was answered before any of it was learnt from: docs/estimator.md


def record() -> dict[str, dict[str, float]]:
    """The figures of each set, shares between 0 and 1."""
    return {"first": FIRST, "all": _figures([row for file in FILES for row in rows(file)])}


def _figures(starts: list[dict[str, Any]]) -> dict[str, float]:
    score = Score()
    for row in starts:
        score.add(row, as_if_unseen(row))
    errors = sorted(score.errors)
    return {
        "starts": score.rows,
        "answered": score.answered,
        "compared": len(errors),
        "median_error": round(statistics.median(errors), 4),
        "p90_error": round(errors[min(len(errors) - 1, int(len(errors) * 0.9))], 4),
        "within_10_percent": round(sum(error <= 0.1 for error in errors) / len(errors), 4),
        "range_held": round(score.held / len(errors), 4),
        "median_width": round(statistics.median(score.widths), 4),
        "uncertain": score.uncertain,
        "started": len(score.started),
        "started_right": sum(score.started),
        "refused": len(score.failed),
        "refused_right": sum(score.failed),
    }


def main() -> None:
    """Prints or writes the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    text = json.dumps(record(), indent=1) + "\n"
    if parser.parse_args().write:
        FILE.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
