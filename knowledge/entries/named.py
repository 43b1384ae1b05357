"""Flags, variables and metrics that an entry names, held to the tables of every release."""

import re
from collections.abc import Iterator

from knowledge.commands.faults import check
from knowledge.commands.pasted import parse
from knowledge.entries.faults import Fault, Pair, claims, ends
from knowledge.entries.schema import Check, Entry, Step
from knowledge.releases import flags, metric_names, variables
from knowledge.versions import NEWEST, Version

_FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*")
_VARIABLE = re.compile(r"\bVLLM_[A-Z0-9_]+\b")
_METRIC = re.compile(
    r"\bvllm:[a-z0-9_]+|\b(?:num_requests|[a-z]+)(?:_[a-z0-9]+)*_(?:total|seconds|perc|info|waiting|running)\b"
)
_PLACEHOLDER = re.compile(r"(?<![\w/])MODEL(?![\w/])")
_BENCH = re.compile(r"\bvllm +bench +serve\b(.*)", re.DOTALL)


def name_faults(entry: Entry) -> Iterator[Fault]:
    """Names that no release has, commands that a release of their span refuses, metrics that it does not show."""
    for pair in claims(entry):
        yield from _texts(entry, pair)
    for name in entry.names:
        yield from _unknown(entry, "names", name)
    for signal in entry.metric_signals:
        yield from _unknown(entry, "metric_signals", signal.metric)
    for place, step in enumerate(entry.steps, 1):
        yield from _command(entry, f"steps.{place}.command", step)
    for place, each in enumerate(entry.checks, 1):
        yield from _metric(entry, f"checks.{place}.metric", each)
    if entry.experiment and not flags.known(entry.experiment.parameter, ends(entry, NEWEST, None)[1]):
        yield Fault(
            entry.id, "experiment.parameter", f"`{entry.experiment.parameter}` is no option of the newest release"
        )


def names_in(text: str) -> set[str]:
    """Every flag, variable and metric that a text names."""
    return {found for pattern in (_FLAG, _VARIABLE, _METRIC) for found in pattern.findall(text)}


def _texts(entry: Entry, pair: Pair) -> Iterator[Fault]:
    english, chinese = names_in(pair.en), names_in(pair.zh)
    for name in sorted(english | chinese):
        yield from _unknown(entry, pair.place, name)
    for name in sorted(english ^ chinese):
        yield Fault(entry.id, pair.place, f"`{name}` stands in one language only")


def _unknown(entry: Entry, place: str, name: str) -> Iterator[Fault]:
    if name in entry.foreign_names or _known(name):
        return
    near = flags.nearest(name) if name.startswith("--") else variables.nearest(name) or metric_names.nearest(name)
    yield Fault(entry.id, place, f"no release has `{name}`" + (f"; `{near}`?" if near else ""))


def _known(name: str) -> bool:
    if name.startswith("--"):
        return flags.lookup(name) is not None or flags.lookup(name, flags.BENCH) is not None
    if name.isupper():
        return variables.lookup(name) is not None
    return metric_names.lookup(name) is not None


def _command(entry: Entry, place: str, step: Step) -> Iterator[Fault]:
    if step.command is None:
        return
    for version in sorted(set(ends(entry, step.first, step.last))):
        yield from (Fault(entry.id, place, f"{version}: {says}") for says in _refused(step.command, version))


def _refused(command: str, version: Version) -> Iterator[str]:
    bench = _BENCH.search(command)
    if bench:
        options = _FLAG.findall(bench[1])
        yield from (f"`{name}` is refused" for name in options if not flags.known(name, version, flags.BENCH))
    served = parse(_PLACEHOLDER.sub("owner/model", command))
    if served is not None:
        yield from (stop.error for stop in check(served, version).stops)


def _metric(entry: Entry, place: str, each: Check) -> Iterator[Fault]:
    if each.metric is None or each.metric in entry.foreign_names:
        return
    for version in sorted(set(ends(entry, each.first, each.last))):
        found = metric_names.lookup(each.metric, version)
        if found is None or not found.known_in(version):
            yield Fault(entry.id, place, f"{version} has no `{each.metric}`")
