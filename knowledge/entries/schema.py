"""The shape of an entry: one TOML file, whose name is the entry's id, with both languages inside."""

import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from knowledge.errors import Refusal
from knowledge.versions import OLDEST, Version, parse

Language = Literal["en", "zh"]
MOST_TOPICS = 3


def _release(text: str) -> str:
    try:
        parse(text)
    except Refusal:
        raise ValueError("should be a vLLM version like 0.32") from None
    return text


Release = Annotated[str, AfterValidator(_release)]
Line = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A table of the file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(Part):
    """The releases that something holds for, both ends included. `until` None: it still holds in the newest one known."""

    since: Release | None = None
    until: Release | None = None

    @property
    def first(self) -> Version:
        """The oldest release it holds for."""
        return parse(self.since) if self.since else OLDEST

    @property
    def last(self) -> Version | None:
        """The newest release it holds for; None: the newest one known."""
        return parse(self.until) if self.until else None

    def holds_in(self, version: Version) -> bool:
        """Whether it holds for that version."""
        return self.first <= version and (self.last is None or version <= self.last)


class Said(Span):
    """The same sentence in both languages."""

    en: Line
    zh: Line


class Step(Said):
    """One thing to do, for the releases of its span. `command` can be copied; capitals in it stand for what differs."""

    command: str | None = None


class Check(Said):
    """How to see on one's own server that it worked. `metric` is the name to look at, `threshold` what it should be: `= 0`, `< 0.90`."""

    metric: str | None = None
    threshold: str | None = None


class Workload(Part):
    """The load of an experiment, in tokens and requests, as `vllm bench serve` takes it. `prefix_len` tokens are shared by all prompts."""

    input_len: int = Field(gt=0)
    output_len: int = Field(gt=0)
    num_prompts: int = Field(gt=0)
    prefix_len: int | None = Field(default=None, gt=0)
    request_rate: float | None = Field(default=None, gt=0)
    max_concurrency: int | None = Field(default=None, gt=0)


class Experiment(Said):
    """One option, the values to try, and the load to try them under; the sentence says what decides."""

    parameter: Line
    values: tuple[Line, ...] = Field(min_length=2)
    workload: Workload


class When(StrEnum):
    """What a metric does when the entry applies."""

    RISING = "rising"
    FALLING = "falling"
    HIGH = "high"
    LOW = "low"
    ZERO = "zero"
    MISSING = "missing"


class MetricSignal(Part):
    """What /metrics shows when the entry applies."""

    metric: Line
    when: When
    threshold: float | None = None


class Status(StrEnum):
    """How it is known: from vLLM's sources or docs, from a run of our own, or from what somebody told in public."""

    DOCUMENTED = "documented"
    MEASURED = "measured"
    REPORTED = "reported"


class Evidence(Part):
    """Where something is known from: a file and function of vLLM's, a page, a pull request, an issue, a run.

    `version` is the vLLM release it was read from or seen with, `date` the day that was checked. `figures` are the
    numbers of the texts that rest on it, as the texts write them.
    """

    source: Line
    version: Release
    date: datetime.date
    status: Status
    figures: tuple[str, ...] = ()


class Text(Part):
    """One language's texts. `short` answers in one or two sentences; `symptoms` are how people say it, for the search.

    `words` are further names of the subject in that language: jargon, translations, usual slips. `not_shown` is what the
    evidence does not show.
    """

    title: Line
    short: Line
    mechanism: Line
    symptoms: tuple[Line, ...] = Field(min_length=3)
    words: tuple[Line, ...] = ()
    not_shown: Line


class Entry(Part):
    """One subject. `topics` are other ids that it answers for too; `names` the flags, variables and metrics it is about.

    `log_signatures` are pieces of log lines, exactly as vLLM prints them, that point here. `foreign_names` are flags and
    metrics of other programs that the texts mention: they stand in no table of vLLM's. `mostly_logged` says that people
    rather paste the log than ask about it: the search prefers others.
    """

    id: Line
    topics: tuple[Line, ...] = Field(default=(), max_length=MOST_TOPICS)
    related: tuple[Line, ...] = Field(min_length=1)
    names: tuple[Line, ...] = ()
    foreign_names: tuple[Line, ...] = ()
    log_signatures: tuple[Line, ...] = ()
    metric_signals: tuple[MetricSignal, ...] = ()
    mostly_logged: bool = False
    applies_to: Span = Span()
    en: Text
    zh: Text
    steps: tuple[Step, ...] = Field(min_length=1)
    checks: tuple[Check, ...] = ()
    experiment: Experiment | None = None
    evidence: tuple[Evidence, ...] = Field(min_length=1)

    def text(self, language: Language) -> Text:
        """The texts in that language."""
        return self.en if language == "en" else self.zh

    def steps_for(self, version: Version) -> tuple[Step, ...]:
        """What to do with that version."""
        return tuple(step for step in self.steps if step.holds_in(version))

    def checks_for(self, version: Version) -> tuple[Check, ...]:
        """What to look at with that version."""
        return tuple(check for check in self.checks if check.holds_in(version))
