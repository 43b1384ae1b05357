"""Answers to requests to act: what was understood, what becomes of it, what can be typed today."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.wire import as_object
from bot.conversation import reply
from bot.settings import Defaults, Settings

WORDS = "bench rerun cancel job 0 run 12 prod report every day at 9 max-num-seqs = 5 取消 号 watch"


def test_the_command_stands_in_the_answer_and_its_text_echoes_it() -> None:
    answer = reply("bench qwen 7b at 20rps for 10 min on h100 and a100 both")
    told = as_object(answer)["command"]
    assert (told["name"], told["risk"]) == ("bench.run", "run")
    assert told["arguments"] == {
        "model": "Qwen/Qwen2.5-7B-Instruct",
        "targets": ["h100", "a100"],
        "request_rate": 20,
        "duration_s": 600,
    }
    first, second = answer.text.split("\n")[:2]
    assert first == (
        "Understood: benchmark Qwen/Qwen2.5-7B-Instruct on h100 and a100, 20 requests a second, for 600 s."
    )
    assert "not carry this out" in second
    assert "vllm bench serve --model Qwen/Qwen2.5-7B-Instruct" in answer.text
    assert "1,024 tokens in, 128 tokens out" in answer.text


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("bench it", "benchmark a model that was not named"),
        ("rerun 31 without prefix caching", "repeat run 31, changed: enable-prefix-caching off"),
        ("rerun yesterday's baseline on a100", "repeat the baseline of yesterday on a100"),
        ("sweep max-num-seqs 64 128 on run 7", "benchmark run 7 once for each max-num-seqs of 64 and 128"),
        ("tune qwen3-8b for ttft", "a tuning session for Qwen/Qwen3-8B, looking for ttft"),
        ("show my jobs", "show the queue, your jobs"),
        ("cancel maria's job", "cancel the job of maria (its owner or an operator can)"),
        ("status of job 14", "show how far job 14 is"),
        ("tail the last 50 lines of run 15", "show the last 50 lines of the log of run 15"),
        ("compare 12 and 15 in ttft", "compare run 12 and run 15, in ttft"),
        ("why is 15 slower than 12", "explain run 12 and run 15"),
        ("compare the last two runs", "compare run number 2 from the last and the previous run"),
        ("rerun last friday's baseline", "repeat the baseline of last friday"),
        ("mark run 22 as the new baseline", "make run 22 the baseline, in place of the present one"),
        ("p95 ttft of prod last 24h", "quantile 0.95 of time_to_first_token_seconds on prod, the last 24 h"),
        (
            "post the health report here every weekday at 9:30",
            "the health report every weekday at 9:30, in this channel",
        ),
        ("bench qwen3-8b every sunday at 2am", "a benchmark every Sunday at 2:00: model Qwen/Qwen3-8B"),
        ("what schedules do we have here", "list the schedules of this channel"),
        ("pause the daily report", "pause the health report"),
        ("move the daily report to 10:15", "move the health report to every day at 10:15"),
        ("delete the health report schedule in #perf", "delete the health report of #perf"),
        ("watch prod and ping me if waiting goes above 20", "watch prod: num_requests_waiting above 20"),
        ("stop watching staging", "stop watching staging"),
        ("bench qwen3-8b and ping me when done", "benchmark Qwen/Qwen3-8B, then tell you"),
    ],
)
def test_every_argument_is_said_back(text: str, lead: str) -> None:
    assert reply(text).text.split("\n")[0] == f"Understood: {lead}."


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        (
            "用 4090 那台压一下 qwen3-8b，输入 2k 输出 300，并发 32",
            "在 4090 上压测 Qwen/Qwen3-8B，输入 2,048 token，输出 300 token，并发 32",
        ),
        ("每天早上九点发一下健康日报到这个群", "定时发健康日报，每天 9:00，发到这个频道"),
        ("昨天那个 baseline 再跑一遍，max-num-seqs 改 128", "重跑基线（昨天），改动：max-num-seqs 128"),
        ("15 为什么比 12 慢", "分析运行 12 和运行 15"),
        ("线上现在咋样", "查看 prod 的健康状况"),
        ("取消我的任务", "取消你的任务"),
        ("prod 最近 24 小时的 p95 ttft", "查 prod 的 time_to_first_token_seconds，分位数 0.95，最近 24 小时"),
        ("压测 qwen3-8b，不限速，关掉前缀缓存", "压测 Qwen/Qwen3-8B，不限速，启动参数 enable-prefix-caching 关闭"),
    ],
)
def test_a_chinese_request_is_said_back_in_chinese(text: str, lead: str) -> None:
    assert reply(text).text.split("\n")[0] == f"我的理解是：{lead}。"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bench with 10000000 rps", "`10,000,000` requests a second is more than the limit of `100,000`."),
        ("压测 qwen3-8b，qps 9999999", "`9,999,999` 超过上限 `100,000`，可以从 10 到 50 rps 开始，逐步加压。"),
        ("schedule the report every second", "Every `1 s` is too often: reports come at most once an hour."),
        ("每秒发一次日报", "每 `1 s` 一次太频繁，最短间隔是 1 小时；可以说“每小时”，或每天固定时间发一次。"),
    ],
)
def test_what_is_beyond_a_limit_is_refused_with_the_limit_and_the_command_is_still_told(
    text: str, sentence: str
) -> None:
    answer = reply(text)
    assert answer.text.startswith(sentence)
    assert answer.refusal is not None
    assert answer.command is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("set max-num-seqs to 512 on prod", "measure the change on a test host first"),
        ("restart prod", "whoever runs that deployment"),
        ("把 prod 的 max-num-seqs 改成 512", "线上服务我从不改动：请先在测试机上压测这项改动"),
    ],
)
def test_production_is_never_changed_and_the_answer_says_what_to_do_instead(text: str, sentence: str) -> None:
    answer = reply(text)
    assert answer.command is not None
    assert (answer.command["name"], answer.command["risk"]) == ("deploy.change", "never")
    assert sentence in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "run rm -rf / on the runner",
        "SELECT * FROM runs; -- show me all of it",
        "ssh into gpu-01 and run bash -c reboot",
    ],
)
def test_what_must_be_refused_outright_is_no_command(text: str) -> None:
    answer = reply(text)
    assert (answer.command, answer.entries) == (None, ())


@settings(deadline=None)  # the first message loads what the others use
@given(
    st.lists(
        st.sampled_from(WORDS.split()),
        max_size=9,
    )
)
def test_no_request_ends_in_a_fault_of_ours(words: list[str]) -> None:
    assert reply(" ".join(words)).bug is None


def test_the_teams_model_and_zone_are_taken_where_none_was_said() -> None:
    team = Settings(defaults=Defaults(model="Qwen/Qwen3-14B", timezone="Asia/Shanghai"))
    bench = reply("run a quick benchmark at 5 rps", settings=team)
    assert bench.assumed["model"] == "Qwen/Qwen3-14B"
    assert "--model Qwen/Qwen3-14B" in bench.text
    assert reply("post the health report here every day at 9", settings=team).assumed["tz"] == "Asia/Shanghai"


def test_what_a_thread_is_about_is_benchmarked() -> None:
    earlier = reply("will qwen3-8b fit on an L4 at 8k?").understood
    answer = reply("ok, bench it at 5 rps", earlier=earlier)
    assert answer.command is not None
    assert answer.command["arguments"] == {"model": "Qwen/Qwen3-8B", "targets": ["l4"], "request_rate": 5}


def test_a_pasted_secret_beside_a_request_is_masked_and_the_command_kept() -> None:
    answer = reply("bench qwen3-8b on h100, my token is hf_ABCDEFGHIJKLMNOPQRSTUVWX")
    assert "hf_ABC" not in answer.text
    assert answer.command is not None
