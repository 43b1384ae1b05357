"""What was pasted into a message: logs, tracebacks, metric pages and commands, told from the person's own words."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knowledge.commands.pasted import PastedCommand


_LOG_LINE = re.compile(
    r"""^\s*(?:\S{1,60}\s?\|\s)?(?:\x1b\[[\d;]*m)?\s*(?:
      \((?:APIServer|EngineCore\w*|Worker\w*|VllmWorker\w*|RayWorker\w*|Engine)\b[^)]{0,60}\)
      | (?:\[[^\]]{0,40}\]\s?)?(?:INFO|WARNING|ERROR|CRITICAL|DEBUG|WARN|FATAL)\b[:\s]+(?:\[|\d|\(|\w+[\w.]*\.py)
      | (?:INFO|WARNING|ERROR)\s+\d\d-\d\d
      | \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d
      | \[?\d\d:\d\d:\d\d
      | Traceback\ \(most\ recent\ call\ last\)
      | File\ "[^"]{1,300}",\ line\ \d+
      | [\w.]{0,80}(?:Error|Exception|Interrupt|Warning):\s
      | \#\ (?:HELP|TYPE)\ \w
      | \w+:\w+(?:\{[^}]{0,400}\})?\ [\d.e+-]+$
      | \+[-=+]{10,}\+?$ | \|\s.{0,200}\|\s?$ | NVIDIA-SMI
      | =+\ Serving\ Benchmark\ Result | [\w ()%-]{4,50}:\s{2,}[\d.]+$
      | \{"(?:time|level|msg|log|ts|timestamp|severity|message)":
      | \[rank\d+\]: | \w+:\d+:\d+\ \[\d+\]\ NCCL | terminate\ called | Fatal\ Python\ error | Segmentation\ fault | \^{3,}
    )""",
    re.VERBOSE,
)
_ANYWHERE = re.compile(
    r"Traceback \(most recent call last\)|NVIDIA-SMI \d|=+ Serving Benchmark Result|# (?:HELP|TYPE) vllm:"
    r"|\bvllm:\w+\{|\bFile \"[^\"]{1,300}\", line \d+|\((?:EngineCore|APIServer|Worker)\w* pid=\d+\)"
    r"|\[\w+\.py:\d+\]"
)
_ERROR_LINE = re.compile(r"^[^\S\n]*(?:[\w.]{1,80}\.)?[A-Z]\w{0,40}(?:Error|Exception): .{10,}", re.MULTILINE)
_MAY_SERVE = re.compile(r"vllm(?:\.exe)?[ \t]+serve|api_server|\brun\b[^\n]{0,2000}vllm|vllm[\w-]*/vllm", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pasted:
    """`own` is what the person wrote, `log` whether a log stood in it, `command` the `vllm serve …` that did."""

    own: str
    log: bool = False
    command: "PastedCommand | None" = None


def part(text: str) -> Pasted:
    """Tells a plain text's parts. A lone line that looks like a log's is one only if nothing else can be meant by it."""
    lines = text.split("\n")
    logged = [_LOG_LINE.match(line[:600]) is not None for line in lines]
    if sum(logged) >= 3 or _ANYWHERE.search(text) or (_ERROR_LINE.search(text) and len(text) > 60):
        return Pasted(_own_words(lines, logged), log=True)
    command = _command(text)
    if command is None:
        return Pasted(text)
    own = f"{text[: command.start]} \n {text[command.end :]}".strip(" \n`")
    return Pasted(own, command=command)


def _own_words(lines: list[str], logged: list[bool]) -> str:
    """The lines before the first and after the last that look like a log's; between them everything is the log's."""
    first, last = (logged.index(True), len(logged) - 1 - logged[::-1].index(True)) if any(logged) else (len(lines), -1)
    return "\n".join([*lines[:first], *(lines[last + 1 :] if last >= 0 else [])]).strip(" \n`")


def _command(text: str) -> "PastedCommand | None":
    if _MAY_SERVE.search(text) is None:
        return None
    from knowledge.commands.pasted import parse

    return parse(text)
