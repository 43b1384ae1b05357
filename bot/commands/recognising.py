"""Which command a request is: rules in order, each on the words of the request and on what they name."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.commands import signs
from bot.commands.command import Name
from bot.commands.measures import take_metric, take_quantile
from bot.commands.options import take_options, take_parameter
from bot.commands.people import owner
from bot.commands.periods import take_period
from bot.commands.places import take_out_place, take_place
from bot.commands.recurrences import take_recurrence
from bot.commands.run_references import references
from bot.commands.targets import take_cards
from bot.commands.values import take_values
from bot.understand import model_names
from bot.understand.scan import Scan


@dataclass(frozen=True, slots=True)
class Words:
    """A request as the rules see it."""

    scan: Scan

    def have(self, *patterns: "signs.Sign") -> bool:
        """Whether all of the signs stand in the text."""
        return all(pattern.search(self.scan.text) for pattern in patterns)

    def runs(self, *, bare: bool = False) -> int:
        """How many runs are named; `bare` counts numbers alone."""
        return len(references(self.scan, bare=bare)[0])

    @property
    def place(self) -> bool:
        """Whether an environment or a server is named."""
        return bool(take_place(self.scan)[0])

    @property
    def model(self) -> bool:
        """Whether a model is named."""
        return bool(model_names.find(self.scan)[0])

    @property
    def metric(self) -> bool:
        """Whether something on the metrics page is named."""
        return take_metric(self.scan)[0] is not None


def recognise(scan: Scan) -> Name | None:
    """The command that is asked for, None when it is none of them. `scan` is fresh (wording.wording)."""
    words = Words(scan)
    return next((name for rule in _RULES if (name := rule(words)) is not None), None)


def _schedule(words: Words) -> Name | None:
    report, noun = words.have(signs.REPORT), words.have(signs.SCHEDULED)
    found, _ = take_recurrence(words.scan)
    if not (report or noun or (found and found.strong)):
        return None
    if (report or noun) and (changed := _schedule_changed(words, timed=found is not None)):
        return changed
    if noun and words.have(signs.LIST) and not (found and found.cron):
        return Name.SCHEDULE_LIST
    if found and (found.strong or (found.cron and (report or noun))):
        return Name.SCHEDULE_CREATE
    if noun:
        return Name.SCHEDULE_CREATE if words.have(signs.SET_UP, signs.SUBJECT) else Name.SCHEDULE_LIST
    return None


def _schedule_changed(words: Words, *, timed: bool) -> Name | None:
    if words.have(signs.PAUSE) or words.have(signs.RESUME):
        return Name.SCHEDULE_UPDATE
    if words.have(signs.REMOVE):
        return Name.SCHEDULE_DELETE
    return Name.SCHEDULE_UPDATE if timed and words.have(signs.MOVE) else None


def _watch(words: Words) -> Name | None:
    if words.have(signs.UNWATCH):
        return Name.WATCH_STOP
    looked_at = words.have(signs.HEALTH_ALONE) and not words.have(signs.WATCH_VERB)
    if words.have(signs.WATCH) and not words.have(signs.DONE_FIRST) and not looked_at:
        return Name.WATCH_START
    return None


def _sweep(words: Words) -> Name | None:
    _, _, scan = take_cards(words.scan)
    parameter, after, rest = take_parameter(scan)
    several = parameter is not None and len(take_values(rest, after, near=True)[0])
    swept = words.have(signs.SWEEP) or (several and (several > 2 or words.have(signs.EACH_VALUE)))
    return Name.BENCH_SWEEP if swept else None


def _again(words: Words) -> Name | None:
    if words.have(signs.TUNE):
        return Name.TUNE_START
    if (
        words.have(signs.BASELINE, signs.MARK)
        and not words.have(signs.AGAIN)
        and _named_beside_baseline(words)
        and not words.have(signs.COMPARE)
    ):
        return Name.RUN_SET_BASELINE
    again = words.have(signs.AGAIN) or (words.have(signs.SAME) and not words.model)
    return Name.BENCH_RERUN if again else None


def _named_beside_baseline(words: Words) -> bool:
    """Whether a run is named beside the word itself."""
    found, _ = references(words.scan, bare=True)
    return any(not (isinstance(each.run, dict) and each.run["ref"] == "baseline") for each in found)


def _ordered_bench(words: Words) -> Name | None:
    """A benchmark in so many words, of a model: numbers in it are no runs."""
    return Name.BENCH_RUN if words.have(signs.BENCH_ORDER) and words.model and not words.runs() else None


def _compared(words: Words) -> Name | None:
    if words.have(signs.WHY) and (words.runs() or (words.have(signs.COMPARE_OR_FAIL) and words.runs(bare=True))):
        return Name.RUN_EXPLAIN
    if signs.EXPLAIN_NUMBERS.match(words.scan.text):
        return Name.RUN_EXPLAIN
    named = words.runs(bare=True) if words.have(signs.COMPARE) else 0
    return Name.RUN_COMPARE if named >= 2 or (named and words.have(signs.COMPARE_VERB)) else None


def _job(words: Words) -> Name | None:
    if words.have(signs.LOGS) and (words.runs(bare=True) or words.have(signs.JOB) or words.have(signs.TAIL)):
        return Name.RUN_LOGS
    about = words.have(signs.JOB) or words.runs(bare=True) or owner(words.scan.text) is not None
    if words.have(signs.CANCEL) and (about or words.have(signs.CANCEL_ALONE)):
        return Name.JOB_CANCEL
    if words.place or words.have(signs.RESULT):
        return None
    return Name.JOB_STATUS if about and words.have(signs.STATUS) else None


def _shown(words: Words) -> Name | None:
    alone = signs.RUN_ALONE.fullmatch(words.scan.text) is not None
    if alone or (words.runs() and words.have(signs.SHOW) and not words.have(signs.BENCH_WITH)):
        return Name.RUN_SHOW
    return None


def _listed(words: Words) -> Name | None:
    if words.place and words.metric:
        return None
    return Name.JOB_LIST if words.have(signs.QUEUE) else None


def _deployed(words: Words) -> Name | None:
    if not words.place or words.have(signs.BENCH_VERB):
        return None
    acted = any(pattern.search(words.scan.text) for _, pattern in signs.ACTIONS)
    changed = words.have(signs.CHANGE) and bool(take_options(take_out_place(words.scan)[1])[0])
    return Name.DEPLOY_CHANGE if acted or changed else None


def _bench(words: Words) -> Name | None:
    return Name.BENCH_RUN if signs.BENCH_VERB.search(take_place(words.scan)[1].text) else None


def _looked_at(words: Words) -> Name | None:
    timed = take_period(words.scan)[0] or take_quantile(words.scan)[0] is not None
    if words.metric and (words.place or timed) and not words.have(signs.REPORT):
        return Name.METRICS_QUERY
    about = words.place or words.have(signs.REPORT)
    if (words.have(signs.HEALTH) and (about or words.have(signs.HEALTH_ALONE))) or signs.SERVERS.fullmatch(
        words.scan.text
    ):
        return Name.HEALTH_SHOW
    return Name.METRICS_QUERY if words.metric and words.have(signs.METRICS_FIRST) else None


_RULES: tuple[Callable[[Words], Name | None], ...] = (
    _schedule,
    _watch,
    _sweep,
    _again,
    _ordered_bench,
    _compared,
    _job,
    _deployed,
    _shown,
    _listed,
    _bench,
    _looked_at,
)
