"""A pasted `nvidia-smi`: driver, cards, what is used and by whom."""

import re
from dataclasses import dataclass, field

from knowledge.logs.lines import Line

_HEAD = re.compile(
    r"NVIDIA-SMI\s+(?P<smi>[\d.]+)\s+(?:KMD Version: \S+\s+)?Driver Version:\s+(?P<driver>[\d.]+)\s+CUDA (?:UMD )?Version:\s+(?P<cuda>[\d.]+|N/A)"
)
_CARD = re.compile(
    r"\|\s+(?P<index>\d+)\s+(?P<name>(?:NVIDIA|Tesla|Quadro|GeForce|GRID)?[\w ./-]{2,40}?)\s+(?:On|Off|N/A|WDDM|TCC)\s+\|\s+[0-9A-Fa-f:.]{7,20}"
)
_MEMORY = re.compile(r"(?P<used>\d+)MiB\s*/\s*(?P<total>\d+)MiB\s*\|\s*(?P<busy>\d+)%")
_PROCESS = re.compile(
    r"\|\s+(?P<index>\d+)\s+\S+\s+\S+\s+(?P<pid>\d+)\s+(?P<kind>[CGM+]{1,3})\s+(?P<name>.{1,80}?)\s+(?P<used>\d+)MiB\s*\|"
)


@dataclass(slots=True)
class Card:
    """One card, MiB."""

    index: int
    name: str
    used: int = 0
    total: int = 0
    busy: int = 0


@dataclass(frozen=True, slots=True)
class Process:
    """One process on a card, MiB."""

    index: int
    pid: int
    name: str
    used: int
    line: Line


@dataclass(slots=True)
class NvidiaSmi:
    """Collects what the table says from lines as they come."""

    driver: str | None = None
    cuda: str | None = None
    head: Line | None = None
    cards: list[Card] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    memory_lines: list[Line] = field(default_factory=list)

    def feed(self, line: Line) -> bool:
        """Takes a line; says whether it belongs to the table."""
        text = line.raw if line.raw.lstrip().startswith("|") else line.text
        if "NVIDIA-SMI" in text and (found := _HEAD.search(text)):
            self.driver, self.cuda, self.head = found["driver"], found["cuda"], line
            return True
        if "MiB" in text:
            return self._memory(text, line)
        if self.driver is not None and (found := _CARD.search(text)):
            self.cards.append(Card(int(found["index"]), found["name"].strip()))
            return True
        return False

    def _memory(self, text: str, line: Line) -> bool:
        if found := _PROCESS.search(text):
            self.processes.append(
                Process(int(found["index"]), int(found["pid"]), found["name"].strip(), int(found["used"]), line)
            )
            return True
        found = _MEMORY.search(text)
        if found is None:
            return False
        if not self.cards:
            self.cards.append(Card(0, "GPU"))
        card = self.cards[-1]
        card.used, card.total, card.busy = int(found["used"]), int(found["total"]), int(found["busy"])
        self.memory_lines.append(line)
        return True

    @property
    def seen(self) -> bool:
        """Whether there was such a table."""
        return self.head is not None or bool(self.memory_lines)
