"""What a request leaves open, and what is beyond what is done at all."""

import pytest

from bot.commands import read


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("sweep max-num-seqs on h100", ("base", "values")),
        ("sweep 16 32 64 on run 7", ("param",)),
        ("tune qwen3-8b", ("targets", "goal")),
        ("tail the log", ("run",)),
        ("compare run 12", ("runs",)),
        ("p95 ttft last 24h", ("env",)),
        ("watch it and alert me if ttft goes over 2s", ("env",)),
        ("post the health report here every day", ("time", "timezone")),
        ("move the schedule to 9am", ("what",)),
    ],
)
def test_what_is_missing_is_named(text: str, missing: tuple[str, ...]) -> None:
    command = read(text, "en")
    assert command is not None
    assert command.missing == missing


@pytest.mark.parametrize(
    ("text", "ambiguous"),
    [
        ("cancel my job", ("several-jobs",)),
        ("how's prod doing", ("several-servers",)),
        ("rerun the baseline", ("which-baseline",)),
        ("rerun it at 5 rps", ("thread",)),
        ("rerun 31 at 5 rps", ()),
        ("compare run 22 with the baseline", ("which-baseline",)),
        ("post the health report at 9am cst every day", ("cst",)),
    ],
)
def test_what_can_be_read_in_two_ways_is_said(text: str, ambiguous: tuple[str, ...]) -> None:
    command = read(text, "en")
    assert command is not None
    assert command.ambiguous == ambiguous


def test_cst_in_chinese_is_chinas() -> None:
    command = read("每天早上九点 CST 发健康日报", "zh")
    assert command is not None
    assert (command.arguments["tz"], command.ambiguous) == ("Asia/Shanghai", ())


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("bench qwen3-8b at 10000000 rps", "request_rate"),
        ("bench qwen3-8b with 5 million tokens each", "input_len"),
        ("bench qwen3-8b, 3 million tokens out", "output_len"),
        ("bench qwen3-8b, concurrency 50000", "max_concurrency"),
        ("bench qwen3-8b, 900000 prompts", "num_prompts"),
        ("bench qwen3-8b at 5 rps for 90 hours", "duration_s"),
        ("rerun 12 with concurrency 50000", "max_concurrency"),
        ("sweep concurrency 16, 32, 50000 on run 12", "max_concurrency"),
        ("压测 qwen3-8b，并发 0", "max_concurrency"),
    ],
)
def test_a_load_beyond_what_a_benchmark_takes_is_understood_and_refused_with_the_limit(
    text: str, argument: str
) -> None:
    command = read(text, "en")
    assert command is not None
    assert [(problem.code, problem.facts["argument"]) for problem in command.problems] == [("beyond-limit", argument)]
    assert all(problem.hint for problem in command.problems)


def test_the_limit_is_the_workloads_own() -> None:
    command = read("bench qwen3-8b at 10000000 rps", "en")
    assert command is not None
    assert command.problems[0].error == "`10,000,000` requests a second is more than the limit of `100,000`."


@pytest.mark.parametrize(
    "text", ["schedule the report every second", "health report every 10 minutes", "move the report to every minute"]
)
def test_a_report_that_comes_more_than_once_an_hour_is_refused(text: str) -> None:
    command = read(text, "en")
    assert command is not None
    assert [problem.code for problem in command.problems] == ["too-often"]


def test_an_hour_between_two_reports_is_enough() -> None:
    command = read("health report every hour", "en")
    assert command is not None
    assert (command.arguments["cron"], command.problems) == ("0 * * * *", ())


def test_a_model_that_nobody_lists_is_kept_as_it_was_said() -> None:
    command = read("bench floopy-13b on h100", "en")
    assert command is not None
    assert (command.arguments["model"], [problem.code for problem in command.problems]) == (
        "floopy-13b",
        ["unknown-model"],
    )
