"""A start-up log read into what the start observed: model, layout, every memory term, outcome. Any release since 0.4."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from knowledge.fit.observed_start import ObservedStart, Outcome
from knowledge.logs.lines import Line, read
from knowledge.logs.startup_lines import EAGER, RULES, SETTINGS, STARTED, Rule
from knowledge.units import GIB

__all__ = ["ObservedStart", "Outcome", "StartupReader", "gib_of", "read_startup"]

MOST_RANKS = 4096


def read_startup(log: str | Iterable[str]) -> ObservedStart:
    """What the start in `log` observed."""
    reader = StartupReader()
    for line in read(log):
        reader.feed(line)
    return reader.start


_VERSION = re.compile(
    r"(?:version |LLM engine \(v|V[01] LLM engine \(v|vLLM API server version |vllm==)v?(\d+\.\d+\.\d+[\w.+]*)"
)
_CONFIG = re.compile(
    r"(?:LLM engine \(v|LLM engine with config|Initializing an? (?:V\d )?(?:LLM engine|async)|with config: model=)"
)
_SETTING = re.compile(r"\b([a-z_]{2,40})=('[^']*'|\"[^\"]*\"|[\w./:-]+)")
_ARGS = re.compile(r"(?:non-default args|args): (?:Namespace\()?(\{?.*)")
_ARG = re.compile(
    r"'?([a-z_]{2,40})'?\s?[:=]\s?('[^']{0,400}'|\"[^\"]{0,400}\"|\{[^{}]{0,600}\}|\[[^\[\]]{0,300}\]|[\w.+-]+)"
)
_RANK = re.compile(r"TP(\d{1,4})\b|TP(\d{1,4})_|(?:rank[ =]|Worker-)(\d{1,4})")
_BANNER = re.compile(r"█\s+(version|model)\s+(\S+)")

KINDS = {each.name: str(each.type) for each in fields(ObservedStart)}


@dataclass(slots=True)
class StartupReader:
    """Takes lines as they come; `start` is what is known so far, `lines` where each figure stood."""

    start: ObservedStart = field(default_factory=ObservedStart)
    lines: dict[str, Line] = field(default_factory=dict)
    _beside: dict[str, float] = field(default_factory=dict)
    _line: Line | None = None

    def feed(self, line: Line) -> None:
        """Takes a line."""
        text, self._line = line.text, line
        if line.process:
            self._rank(line.process)
        for rule in RULES:
            if rule.needle in text and (found := rule.pattern.search(text)):
                self._take(rule, found)
        self._say(text)

    def _say(self, text: str) -> None:
        """What a line says beside figures."""
        if "eager" in text and any(piece in text for piece in EAGER):
            self._set("enforce_eager", "True")
        if "█" in text:
            self._banner(text)
        elif "version" in text or "LLM engine" in text:
            self._version(text)
        if "config: model=" in text or "LLM engine" in text:
            self._settings(text)
        elif "args: " in text:
            self._args(text)
        elif "Resolved architecture: " in text:
            self.start.architecture = text.rsplit(": ", 1)[1].strip() or None
        elif text.startswith(("INFO:", "Starting", "Application")) or "Starting vLLM" in text:
            self._outcome(text)

    def _rank(self, process: str) -> None:
        found = _RANK.search(process)
        if found is not None and len(self.start.ranks) < MOST_RANKS:
            self.start.ranks.add(int(found[1] or found[2] or found[3]))

    def _outcome(self, text: str) -> None:
        if any(piece in text for piece in STARTED):
            self.start.outcome = Outcome.STARTED

    def _take(self, rule: Rule, found: re.Match[str]) -> None:
        for name, said in zip(rule.names, found.groups(), strict=True):
            if said is None:
                continue
            value = float(said.replace(",", ""))
            before = getattr(self.start, name, None) if name in KINDS else self._beside.get(name)
            kept = value if rule.take is None else rule.take(before, value)
            self._keep(name, kept)

    def _keep(self, name: str, value: float) -> None:
        if self._line is not None:
            self.lines[name] = self._line
        if name in KINDS:
            setattr(self.start, name, int(value) if KINDS[name].startswith("int") else value)
        else:
            self._beside[name] = value
        self._derive(name)

    def _derive(self, name: str) -> None:
        """Terms that a release logs only as sums: V0's peak includes the weights, 0.14's consumed memory the rest."""
        start, beside = self.start, self._beside
        if name == "peak_torch_gib" and start.weights_gib is not None:
            start.activation_gib = round(beside["peak_torch_gib"] - start.weights_gib, 2)
        if name == "consumed_gib" and start.weights_gib is not None:
            start.non_torch_gib = round(max(beside["consumed_gib"] - start.weights_gib, 0), 2)
        if name == "consumed_gib":
            start.peak_has_graphs = True
        if name == "initial_gib" and start.total_gib is not None:
            start.free_gib = round(start.total_gib - beside["initial_gib"], 2)

    def _banner(self, text: str) -> None:
        found = _BANNER.search(text)
        if found is None:
            return
        if found[1] == "version":
            self.start.version = found[2]
        else:
            self.start.model = self.start.model or found[2]

    def _version(self, text: str) -> None:
        found = _VERSION.search(text)
        if found is not None and self.start.version is None:
            self.start.version = found[1]

    def _settings(self, text: str) -> None:
        if _CONFIG.search(text) is None:
            return
        if self._line is not None:
            self.lines["config"] = self._line
        for name, said in _SETTING.findall(text):
            if name in SETTINGS:
                self._set(SETTINGS[name], said.strip("'\""))
        if "speculative_config=" in text and "speculative_config=None" not in text:
            self.start.speculative = self.start.speculative or "draft"

    def _args(self, text: str) -> None:
        found = _ARGS.search(text)
        if found is None:
            return
        for name, said in _ARG.findall(found[1]):
            value = said.strip("'\"")
            self.start.args.setdefault(name, value)
            if name == "model_tag" and self.start.model is None:
                self._set("model", value)
            if name in SETTINGS:
                self._set(SETTINGS[name], value)
        method = re.search(r"'method': '(\w+)'", found[1])
        if "speculative_config" in found[1] and method:
            self.start.speculative = method[1]

    def _set(self, name: str, said: str) -> None:
        kind = KINDS[name]
        if said in ("None", "auto", "") and name != "model":
            return
        value: Any = said.removeprefix("torch.")
        if kind.startswith("bool"):
            value = said == "True"
        elif kind.startswith(("int", "float")):
            try:
                value = float(said) if kind.startswith("float") else int(float(said))
            except ValueError:
                return
        setattr(self.start, name, value)
        if name == "enforce_eager" and value and self._line is not None:
            self.lines.setdefault(name, self._line)


def gib_of(text: str) -> float:
    """`448.00 KiB`, `3.31 MiB`, `1.50 GiB` or `512 bytes` in GiB."""
    number, unit = text.split()
    factor = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": GIB}[unit]
    return float(number) * factor / GIB
