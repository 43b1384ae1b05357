"""How far the estimator is from what vLLM logged, beside the usual rule of thumb and NVIDIA's aiconfigurator.

python tests/bench/estimator.py [--rows] [--aiconfigurator PYTHON]

Over the starts in tests/data/startups: errors of the KV cache where a start logged it, whether low to high holds it, verdicts. `--rows` prints each
start that is off by more than 10 % or judged wrongly. PYTHON is the interpreter of a venv with `pip install aiconfigurator==0.12.0`.
Answers are also given as if a start's own logs had not been seen: constants that rest on one group of logs take their value without it.
"""

import argparse
import json
import statistics
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from knowledge.errors import Refusal
from knowledge.fit.estimator import estimates
from knowledge.fit.reading import read_object
from knowledge.memory import activation, cuda_graphs, encoders, outside, overheads, sampler, weights
from knowledge.units import GIB, Range

FOLDER = Path(__file__).parents[1] / "data" / "startups"
CHILD = Path(__file__).with_name("aiconfigurator_child.py")
RULE_GIB = 1.5  # what people set aside for everything but weights and cache

# Constants that one group of logs decided, and what they would be without it: (group, module, name, value).
WITHOUT: tuple[tuple[str, ModuleType, str, Any], ...] = (
    ("jinwoong-L40S", overheads, "SINCE_START", Range(0.1, 0.5, 0.9)),
    ("a100-llama8b", cuda_graphs, "MEASURED", 1.0),
    ("a100-llama8b", overheads, "SINCE_START", Range(0.3, 0.6, 1.5)),
    ("llmd-llama-3-1-8b", overheads, "STAGES", Range(0.05, 0.2, 0.9)),
    ("llmd-empirical", overheads, "NVLINK_EARLY", Range(0.8, 1.2, 1.9)),
    ("utho", overheads, "SINCE_START_PCIE", Range(0.05, 0.2, 0.9)),
    ("12126", encoders, "MLLAMA_PATCH", Range(40_000, 57_000, 80_000)),
    ("14447", weights, "_down_projections", lambda shape, quantised: Range.exact(2)),
    ("gemma3-mi300x", sampler, "AMD", "unknown"),
    ("llmdp-openai-gpt-oss-20b--h100-80g", outside, "FRAGMENTS", Range(0, 0, 2)),
    ("llmd-gpt-oss-20b", outside, "FRAGMENTS", Range(0, 0, 2)),
    ("llmd-deepseek-v2-lite-chat", cuda_graphs, "LATENT_BASE", 0.0),
    ("llmdp-codellama-codellama-7b-h--h1", activation, "HIDDEN_V1", 3.05),
    ("kimi25-h100", weights, "INT4_EXPERTS", Range(1.0, 1.03, 1.06)),
    ("llmdp-google-gemma-3-4b-it--h100-8", weights, "ROPE_TABLES", {}),
    ("llmdp-google-gemma-3-27b-it--h100-", weights, "ROPE_TABLES", {}),
    ("llmdp-qwen-qwen1-5-moe-a2-7b--h100", activation, "WORKSPACES", overheads.MORE_WORKSPACES),
    ("51041", activation, "STREAMS", 1),
    ("kr-3090", weights, "NF4", Range(1.0, 1.0, 1.03)),
    ("10517-kasp", activation, "HIDDEN_V0", 3.73),
)


@dataclass
class Answer:
    """What a tool says of one start: the cache in the unit that the log is compared in, None for no answer."""

    low: float
    expected: float
    high: float
    verdict: str


@dataclass
class Score:
    """Errors and verdicts of one tool."""

    rows: int = 0
    answered: int = 0
    uncertain: int = 0
    held: int = 0
    errors: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    started: list[bool] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)

    def add(self, row: dict[str, Any], answer: Answer | None) -> None:
        """Counts one start."""
        self.rows += 1
        if answer is None:
            return
        self.answered += 1
        self.uncertain += answer.verdict == "uncertain"
        if not row["started"]:
            self.failed.append(answer.verdict != "fits")
            return
        self.started.append(answer.verdict != "does-not-fit")
        if row.get("logged"):
            self._compare(row["logged"], answer)

    def _compare(self, logged: float, answer: Answer) -> None:
        if answer.expected <= 0:
            self.errors.append(1.0)
            return
        self.errors.append(abs(answer.expected - logged) / logged)
        self.held += answer.low <= logged <= answer.high
        self.widths.append((answer.high - answer.low) / answer.expected)

    def line(self, name: str) -> str:
        """The table's line."""
        errors = sorted(self.errors) or [float("nan")]
        p90 = errors[min(len(errors) - 1, int(len(errors) * 0.9))]
        within = sum(error <= 0.1 for error in errors) / len(errors)
        return (
            f"{name:<42} {self.answered:>3}/{self.rows:<3} {statistics.median(errors):>7.1%} {p90:>7.1%} {within:>6.0%} "
            f"{self.held:>3}/{len(errors):<3} {statistics.median(self.widths or [0]):>6.1%} {self.uncertain:>3} "
            f"{sum(self.started):>3}/{len(self.started):<3} {sum(self.failed):>3}/{len(self.failed)}"
        )


def rows(name: str) -> list[dict[str, Any]]:
    """The starts of one file."""
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ours(row: dict[str, Any]) -> Answer | None:
    """What the estimator says."""
    try:
        found = estimates(read_object(row["request"]), changes=False)[0]
    except Refusal:
        return None
    assert found.kv_cache_tokens is not None
    assert found.per_gpu is not None
    tokens = found.kv_cache_tokens
    scale = (
        found.per_gpu.kv_cache.expected / tokens.expected if row.get("compare") == "gib" and tokens.expected else 1.0
    )
    return Answer(tokens.low * scale, tokens.expected * scale, tokens.high * scale, str(found.verdict))


def rule_of_thumb(row: dict[str, Any]) -> Answer | None:
    """0.9 × total − weights − 1.5 GiB, with our weights and bytes a token: it is the best that rule can do."""
    try:
        found = estimates(read_object(row["request"]), changes=False)[0]
    except Refusal:
        return None
    assert found.per_gpu is not None
    gib = found.per_gpu.budget.expected - found.per_gpu.weights.expected - RULE_GIB
    per_token = found.kv_bytes_per_token_per_gpu or 1
    tokens = gib * GIB / per_token
    verdict = "fits" if tokens >= found.context else "does-not-fit"
    value = gib if row.get("compare") == "gib" else tokens
    return Answer(value, value, value, verdict)


def as_if_unseen(row: dict[str, Any]) -> Answer | None:
    """What the estimator says with the constants that its logs decided put back."""
    with _without(row["group"]):
        return ours(row)


@contextmanager
def _without(group: str) -> Iterator[None]:
    changed = [(module, name, getattr(module, name)) for other, module, name, _ in WITHOUT if other == group]
    for other, module, name, value in WITHOUT:
        if other == group:
            setattr(module, name, value)
    _forget()
    try:
        yield
    finally:
        for module, name, value in changed:
            setattr(module, name, value)
        _forget()


def _forget() -> None:
    for cached in (weights._stages, weights._part_sizes):
        cached.cache_clear()


def aiconfigurator(python: str, starts: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Answer | None]:
    """Its answers, from a process of that interpreter."""
    done = subprocess.run(
        [python, str(CHILD)],
        input="".join(json.dumps(row) + "\n" for row in starts),
        check=True,
        capture_output=True,
        text=True,
    )
    answers = {found["id"]: found for found in map(json.loads, done.stdout.splitlines())}

    def answer(row: dict[str, Any]) -> Answer | None:
        found = answers.get(row["id"], {})
        if "gib" not in found:
            return None
        value = found["gib"] if row.get("compare") == "gib" else found["tokens"]
        context = row["request"].get("context") or 0
        return Answer(value, value, value, "fits" if found["tokens"] >= context else "does-not-fit")

    return answer


def show(row: dict[str, Any], answer: Answer | None) -> None:
    """One start that is off, as a line."""
    if answer is None:
        print(f"  {row['id']:<24} {row['request']['model']}: no answer")
        return
    logged = row.get("logged") if row["started"] else None
    wrong = answer.verdict == ("does-not-fit" if row["started"] else "fits")
    off = logged is not None and abs(answer.expected - logged) > 0.1 * logged
    if wrong or off:
        said = f"logged {logged:g}, expected {answer.expected:.4g}" if logged else row.get("logged_outcome", "")
        print(f"  {row['id']:<24} {row['request']['model']} on {row['request'].get('gpu')}: {said}, {answer.verdict}")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--aiconfigurator", metavar="PYTHON")
    asked = parser.parse_args()
    print(
        f"{'':<42} {'answered':>7} {'median':>7} {'p90':>7} {'<=10%':>6} {'held':>7} {'width':>6} {'unc':>3} {'started':>7} {'failed':>6}"
    )
    for name in ("starts.jsonl", "more.jsonl", "found.jsonl"):
        starts = rows(name)
        tools: dict[str, Callable[[dict[str, Any]], Answer | None]] = {
            "estimator": ours,
            "estimator, its own logs unseen": as_if_unseen,
            "0.9 x total - weights - 1.5 GiB": rule_of_thumb,
        }
        if asked.aiconfigurator:
            tools["aiconfigurator"] = aiconfigurator(asked.aiconfigurator, starts)
        for tool, answer in tools.items():
            score = Score()
            for row in starts:
                score.add(row, answer(row))
            print(score.line(f"{name.removesuffix('.jsonl')}: {tool}"))
        if asked.rows:
            for row in starts:
                show(row, ours(row))


if __name__ == "__main__":
    main()
