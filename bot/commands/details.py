"""Smaller things that requests say, and what each command lacks: lines, thresholds, limits of latency, which run is the reference."""

import re
from dataclasses import replace
from typing import Any

from bot.commands.command import Command
from bot.commands.run_references import Reference, Run, when
from bot.understand.scan import Scan, grammar

LOAD = ("input_len", "output_len", "num_prompts", "duration_s", "request_rate", "max_concurrency")
_LINES = grammar(
    r"(?<![\w.])(?P<value>\d{1,6})\s?(?:lines?\b|行)|(?:\b(?:last|tail|lines)|-n|最后|末尾)\s?=?\s?(?P<last>\d{1,6})(?![\w.])"
)
_THRESHOLD = grammar(
    r"(?P<way>above|over|exceed\w*|more than|higher than|greater than|beyond|past|reach\w*|hits?|超过|高于|大于|多于|涨到|达到|破|>=?|≥|below|under|less than|lower than|drops? (?:to|below)|falls? (?:to|below)|低于|小于|少于|掉到|跌破|<=?|≤)"
    r"\s?(?:了)?(?P<value>\d{1,9}(?:\.\d{1,4})?)\s?(?P<unit>ms|毫秒|s(?:ec\w*)?(?![a-z])|秒|%)?"
)
_BELOW = grammar(r"below|under|less|lower|drops?|falls?|低于|小于|少于|掉到|跌破|<|≤")
_SLO = grammar(
    r"(?:p(?P<p1>\d{2}(?:\.\d)?)\s?(?:的\s?)?)?(?P<metric>ttft|tpot|itl|e2el?(?: latency)?|first[- ]token(?: latency)?|首\s?token\s?(?:延迟)?|端到端(?:延迟)?)\s?(?:latency\s?)?(?:的\s?)?(?:p(?P<p2>\d{2}(?:\.\d)?)\s?)?"
    r"(?:(?:to |is |stays? |kept? |must be |should be |at |要|得|必须|控制在|保持|不)*)"
    r"(?:under|below|less than|within|at most|no more than|lower than|up to|超过|以内|低于|小于|不超过|<=?|≤|在)\s?(?P<value>\d{1,6}(?:\.\d{1,3})?)\s?(?P<unit>ms|毫秒|s(?:ec\w*)?(?![a-z])|秒)?"
)
_METRICS = {
    "ttft": "ttft",
    "tpot": "tpot",
    "itl": "itl",
    "e2e": "e2e",
    "fir": "ttft",
    "首 t": "ttft",
    "首to": "ttft",
    "端到端": "e2e",
}
_THAN = grammar(
    r"\b(?:than|against|relative to|compared (?:to|with)|over|from)\b|(?:比|相比于?|相对于?|较)(?!较|一比|一?下|对|$)"
)
_NEWEST = grammar(r"last|latest|recent|newest|最近|最新|刚")
_TOWARDS = grammar(r"\b(?:to|with|vs\.?|versus)\b")


def moment(text: str) -> dict[str, str]:
    """`{"when": …}` where a day is named."""
    said = when(text)
    return {"when": said} if said else {}


def take_lines(scan: Scan) -> tuple[int | None, Scan]:
    """How many lines of a log."""
    found = _LINES.search(scan.text)
    if found is None:
        return None, scan
    return int(found["value"] or found["last"]), scan.mark(*found.span())


def threshold(text: str) -> dict[str, float]:
    """`above` or `below` which value, in seconds for times and from 0 to 1 for percentages."""
    found = _THRESHOLD.search(text)
    if found is None:
        return {}
    value, unit = float(found["value"]), found["unit"] or ""
    value = value / 1000 if unit in ("ms", "毫秒") else value / 100 if unit == "%" else value
    return {"below" if _BELOW.search(found["way"]) else "above": int(value) if value == int(value) else round(value, 6)}


def take_slo(scan: Scan) -> tuple[dict[str, float], Scan]:
    """Limits of latency in milliseconds, by metric and percentile: `{"ttft_p95_ms": 500}`."""
    said: dict[str, float] = {}
    while found := _SLO.search(scan.text):
        metric = next(word for start, word in _METRICS.items() if found["metric"].startswith(start))
        percentile = found["p1"] or found["p2"]
        value = float(found["value"]) * (1 if found["unit"] in (None, "ms", "毫秒") else 1000)
        said[f"{metric}{f'_p{percentile}' if percentile else ''}_ms"] = int(value) if value == int(value) else value
        scan = scan.mark(*found.span())
    return said, scan


def goal_of(slo: dict[str, float]) -> str | None:
    """What to look for where only limits were said: the one metric that is limited, goodput where there are several."""
    metrics = {name.split("_")[0] for name in slo}
    return None if not metrics else metrics.pop() if len(metrics) == 1 else "goodput"


def reference_first(found: list[Reference], text: str) -> list[Run]:
    """The runs, the one that is compared against first: the baseline, what stands behind `than`, else as they were said."""
    order = sorted(found, key=lambda each: not _is(each, "baseline"))
    if len(found) == 2 and order[0] is found[0] and not _is(found[0], "baseline"):
        first, second = found
        between = text[first.end : second.start] + " "
        newest = _is(first, "previous") and not _is(second, "previous") and not _before(first, text)
        if newest or _before(second, text) or _THAN.search(between) or _turned(first, second, between):
            order = [second, first]
    return list({repr(each.run): each.run for each in order}.values())


def _before(reference: Reference, text: str) -> bool:
    """Whether it is the run before the others (previous, 上一次), not the newest one."""
    return _is(reference, "previous") and _NEWEST.search(text[reference.start : reference.end]) is None


def _turned(first: Reference, second: Reference, between: str) -> bool:
    """Whether of `15 to 12` the older is the reference."""
    older = isinstance(first.run, int) and isinstance(second.run, int) and second.run < first.run
    return older and _TOWARDS.search(between) is not None


def _is(reference: Reference, kind: str) -> bool:
    return isinstance(reference.run, dict) and reference.run["ref"] == kind


def of_bench(command: Command, text: str) -> Command:
    """A benchmark with what it lacks and what is taken for it."""
    said = command.arguments
    missing = [name for name in ("model", "targets", "input_len", "output_len") if name not in said]
    if not {"request_rate", "max_concurrency"} & said.keys():
        missing.append("request_rate or max_concurrency")
    if not {"num_prompts", "duration_s"} & said.keys():
        missing.append("num_prompts")
    ambiguous = ["several-targets"] if len(said.get("targets", ())) > 1 else []
    if re.search(r"(?<![\w.])\d+(?:\.\d)?k(?![a-z])", text) and {"input_len", "output_len"} & said.keys():
        ambiguous.append("k-is-1024")
    return replace(command, missing=tuple(missing), assumed=assumed_load(said), ambiguous=tuple(ambiguous))


def assumed_load(said: dict[str, Any]) -> dict[str, Any]:
    """What a workload takes for the parts of a load that were not said."""
    from pydantic import ValidationError

    from runners.jobs.workload import Workload

    given = {name: said[name] for name in LOAD if name in said and said[name] != "inf"}
    try:
        load = Workload.model_validate(given)
    except ValidationError:
        load = Workload()
    assumed: dict[str, Any] = {name: getattr(load, name) for name in ("input_len", "output_len") if name not in said}
    if "num_prompts" not in said and "duration_s" not in said:
        assumed["num_prompts"] = load.prompts_expected
    return assumed


def of_rerun(command: Command) -> Command:
    """A repeat with what is not clear about its base."""
    base = command.arguments["base"]
    ambiguous = ("which-baseline",) if isinstance(base, dict) and base["ref"] == "baseline" else ()
    if isinstance(base, dict) and base["ref"] == "previous" and "when" not in base:
        ambiguous = ("thread",)
    return replace(command, ambiguous=ambiguous)


def of_sweep(command: Command) -> Command:
    """A sweep with what it lacks."""
    said = command.arguments
    missing = [name for name in ("param", "values") if name not in said]
    if "base" not in said and "model" not in said:
        missing.insert(0, "base")
    return replace(command, missing=tuple(missing))


def of_tune(command: Command) -> Command:
    """A tuning session with what it lacks; without a goal it looks for throughput."""
    said = command.arguments
    missing = tuple(name for name in ("model", "targets", "goal") if name not in said)
    return replace(command, missing=missing, assumed={} if "goal" in said else {"goal": "throughput"})


def of_jobs(command: Command) -> Command:
    """A command about jobs that names none."""
    ambiguous = ("several-jobs",) if command.arguments.get("owner") == "sender" else ()
    return replace(command, ambiguous=ambiguous if command.name.value != "job.list" else ())


def of_run(command: Command) -> Command:
    """A command about one run with what it lacks."""
    said = command.arguments
    return replace(command, missing=() if {"run", "owner"} & said.keys() else ("run",))


def of_runs(command: Command) -> Command:
    """A comparison with what it lacks."""
    runs = command.arguments["runs"]
    missing = ("runs",) if len(runs) < 2 and command.name.value == "run.compare" else ()
    baseline = any(isinstance(run, dict) and run["ref"] == "baseline" and "when" not in run for run in runs)
    return replace(command, missing=missing, ambiguous=("which-baseline",) if baseline else ())


def of_health(command: Command) -> Command:
    """A look at servers: an environment may have several."""
    return replace(command, ambiguous=("several-servers",) if "env" in command.arguments else ())


def of_metrics(command: Command) -> Command:
    """A metric with what is taken for what was not said: the last hour, p95 of a latency."""
    said = command.arguments
    assumed: dict[str, Any] = {} if "from" in said else {"from": "now-1h", "to": "now"}
    if "quantile" not in said and str(said.get("metric", "")).endswith("seconds"):
        assumed["quantile"] = 0.95
    missing = [] if "metric" in said else ["metric"]
    if not {"env", "server"} & said.keys():
        missing.append("env")
    return replace(command, missing=tuple(missing), assumed=assumed)


def of_watch(command: Command) -> Command:
    """A watch with what it lacks."""
    return replace(command, missing=() if {"env", "server"} & command.arguments.keys() else ("env",))
