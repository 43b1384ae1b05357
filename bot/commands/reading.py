"""From a request's words to a command: its name, then the arguments that belong to it."""

from collections.abc import Callable
from typing import Any

from bot.commands import details, limits, signs
from bot.commands.command import Command, Name
from bot.commands.loads import take_load
from bot.commands.measures import focus, take_metric, take_quantile
from bot.commands.options import take_options, take_overrides, take_parameter
from bot.commands.people import notified, owner
from bot.commands.periods import take_period
from bot.commands.places import take_out_place, take_place
from bot.commands.recognising import recognise
from bot.commands.run_references import Reference, references
from bot.commands.values import take_values
from bot.commands.wording import wording
from bot.understand.scan import Scan
from bot.understand.understood import Fields, Language

LONGEST = 2_000  # characters: a request to act stands at the beginning of its message
_Reader = Callable[[Scan], Command]


def read(text: str, language: Language, known: Fields | None = None) -> Command | None:
    """The command that a plain text asks for, None when it asks for none that there is.

    `known` is what the thread has said: the model and the card of a benchmark that names none. Nothing else is taken from it.
    """
    scan = wording(text[:LONGEST])
    name = recognise(scan)
    if name is None:
        return None
    if name is Name.BENCH_RUN:
        return _bench_run(scan, known or Fields())
    if name in _SCHEDULES:
        from bot.commands import schedules

        return schedules.read(name, scan, language)
    return _READERS[name](scan)


def _bench_run(scan: Scan, known: Fields) -> Command:
    load = take_load(scan)
    arguments = load.arguments
    if "model" not in arguments and known.model_id:
        arguments = {"model": known.model_id} | arguments
    if "targets" not in arguments and known.gpu:
        arguments |= {"targets": [known.gpu.lower().replace(" ", "-")]}
    if whom := notified(scan.text):
        arguments |= {"notify": whom}
    problems = (*limits.load_problems(arguments), *((load.unknown,) if load.unknown else ()))
    return details.of_bench(Command(name=Name.BENCH_RUN, arguments=arguments, problems=problems), scan.text)


def _rerun(scan: Scan) -> Command:
    found, rest = references(scan)
    base = found[0].run if found else {"ref": "previous"} | details.moment(scan.text)
    override, rest = take_overrides(rest)
    arguments: dict[str, Any] = {"base": base, "override": override}
    if not override:
        del arguments["override"]
    more = take_load(rest).arguments
    arguments |= {name: more[name] for name in ("model", "targets") if name in more}
    if whom := notified(scan.text):
        arguments["notify"] = whom
    return details.of_rerun(
        Command(name=Name.BENCH_RERUN, arguments=arguments, problems=limits.load_problems(override))
    )


def _sweep(scan: Scan) -> Command:
    found, rest = references(scan)
    parameter, after, rest = take_parameter(rest)
    values, rest = take_values(rest, after)
    arguments: dict[str, Any] = {"base": found[0].run} if found else {}
    arguments |= {"param": parameter} if parameter else {}
    arguments |= {"values": values} if values else {}
    arguments |= take_load(rest).arguments
    problems = tuple(problem for value in values for problem in limits.load_problems({str(parameter): value}))
    return details.of_sweep(Command(name=Name.BENCH_SWEEP, arguments=arguments, problems=problems[:1]))


def _tune(scan: Scan) -> Command:
    slo, rest = details.take_slo(scan)
    load = take_load(rest)
    arguments = load.arguments
    goal = focus(rest.text) or details.goal_of(slo)
    arguments |= {"goal": goal} if goal else {}
    arguments |= {"slo": slo} if slo else {}
    unknown = (load.unknown,) if load.unknown else ()
    return details.of_tune(Command(name=Name.TUNE_START, arguments=arguments, problems=unknown))


def _job(name: Name) -> _Reader:
    def reader(scan: Scan) -> Command:
        found, _ = references(scan, bare=name is not Name.JOB_LIST)
        numbers = [reference.run for reference in found if isinstance(reference.run, int)]
        if numbers and name is not Name.JOB_LIST:
            arguments: dict[str, Any] = {"job": numbers[0]} if len(numbers) == 1 else {"job": numbers}
            return Command(name=name, arguments=arguments)
        whose = owner(scan.text)
        if whose is None and name is not Name.JOB_LIST:
            whose = "sender"
        return details.of_jobs(Command(name=name, arguments={"owner": whose} if whose else {}))

    return reader


def _one_run(name: Name) -> _Reader:
    def reader(scan: Scan) -> Command:
        lines, rest = details.take_lines(scan) if name is Name.RUN_LOGS else (None, scan)
        found, rest = references(rest, bare=True)
        if name is Name.RUN_SET_BASELINE:
            found = [each for each in found if not _is_baseline(each)]
        arguments: dict[str, Any] = {"run": found[0].run} if found else {}
        if name is Name.RUN_LOGS:
            numbers = [each.run for each in found[1:] if isinstance(each.run, int)]
            lines = lines or (numbers[0] if numbers else None)
            arguments |= {"lines": lines} if lines else {}
            whose = None if found else owner(scan.text)
            arguments |= {"owner": whose} | details.moment(scan.text) if whose else {}
        return details.of_run(Command(name=name, arguments=arguments))

    return reader


def _several_runs(name: Name) -> _Reader:
    def reader(scan: Scan) -> Command:
        found, rest = references(scan, bare=True)
        arguments: dict[str, Any] = {"runs": details.reference_first(found, scan.text)}
        about = focus(rest.text)
        arguments |= {"focus": about} if about else {}
        return details.of_runs(Command(name=name, arguments=arguments))

    return reader


def _is_baseline(reference: Reference) -> bool:
    return isinstance(reference.run, dict) and reference.run["ref"] == "baseline"


def _health(scan: Scan) -> Command:
    place, _ = take_place(scan)
    return details.of_health(Command(name=Name.HEALTH_SHOW, arguments=dict(place)))


def _metrics(scan: Scan) -> Command:
    place, rest = take_place(scan)
    quantile, rest = take_quantile(rest)
    metric, rest = take_metric(rest)
    period, rest = take_period(rest)
    arguments: dict[str, Any] = {"metric": metric} if metric else {}
    arguments |= {"quantile": quantile} if quantile is not None else {}
    return details.of_metrics(Command(name=Name.METRICS_QUERY, arguments=arguments | period | place))


def _watch(name: Name) -> _Reader:
    def reader(scan: Scan) -> Command:
        place, rest = take_place(scan)
        arguments: dict[str, Any] = dict(place)
        if name is Name.WATCH_START:
            quantile, rest = take_quantile(rest)
            metric, rest = take_metric(rest)
            arguments |= {"metric": metric} if metric else {}
            arguments |= {"quantile": quantile} if metric and quantile is not None else {}
            arguments |= details.threshold(rest.text) if metric else {}
        return details.of_watch(Command(name=name, arguments=arguments))

    return reader


def _deploy(scan: Scan) -> Command:
    place, rest = take_out_place(scan)
    override, _ = take_options(rest)
    arguments: dict[str, Any] = {**place, "override": override}
    action = next((word for word, pattern in signs.ACTIONS if pattern.search(scan.text)), None)
    if not override and action:
        arguments["action"] = action
    return Command(name=Name.DEPLOY_CHANGE, arguments=arguments)


_SCHEDULES = frozenset({Name.SCHEDULE_CREATE, Name.SCHEDULE_LIST, Name.SCHEDULE_UPDATE, Name.SCHEDULE_DELETE})
_READERS: dict[Name, _Reader] = {
    Name.BENCH_RERUN: _rerun,
    Name.BENCH_SWEEP: _sweep,
    Name.TUNE_START: _tune,
    Name.JOB_LIST: _job(Name.JOB_LIST),
    Name.JOB_STATUS: _job(Name.JOB_STATUS),
    Name.JOB_CANCEL: _job(Name.JOB_CANCEL),
    Name.RUN_SHOW: _one_run(Name.RUN_SHOW),
    Name.RUN_LOGS: _one_run(Name.RUN_LOGS),
    Name.RUN_SET_BASELINE: _one_run(Name.RUN_SET_BASELINE),
    Name.RUN_COMPARE: _several_runs(Name.RUN_COMPARE),
    Name.RUN_EXPLAIN: _several_runs(Name.RUN_EXPLAIN),
    Name.HEALTH_SHOW: _health,
    Name.METRICS_QUERY: _metrics,
    Name.WATCH_START: _watch(Name.WATCH_START),
    Name.WATCH_STOP: _watch(Name.WATCH_STOP),
    Name.DEPLOY_CHANGE: _deploy,
}
