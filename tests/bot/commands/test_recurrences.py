"""How often and when, as cron has it: minute, hour, day of the month, month, day of the week with 0 for Sunday."""

import pytest

from bot.commands.recurrences import take_recurrence
from bot.commands.wording import wording
from bot.commands.zones import zone


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("every day at 9", "0 9 * * *"),
        ("every day at 9 pm", "0 21 * * *"),
        ("every day at 12 am", "0 0 * * *"),
        ("every night at midnight", "0 0 * * *"),
        ("every day at noon", "0 12 * * *"),
        ("every morning", "0 9 * * *"),
        ("every evening", "0 18 * * *"),
        ("every evening at 7", "0 19 * * *"),
        ("every day at half past 7", "30 7 * * *"),
        ("every day at quarter to 8", "45 7 * * *"),
        ("every day at 1730 hours", "30 17 * * *"),
        ("every other day at 6:00", "0 6 */2 * *"),
        ("every 3 days at 6:00", "0 6 */3 * *"),
        ("every weekend at 10", "0 10 * * 0,6"),
        ("mon-wed at 10:00", "0 10 * * 1-3"),
        ("friday to monday at 10:00", "0 10 * * 0,1,5,6"),
        ("every week at 10:00", "0 10 * * 1"),
        ("every tuesday and sunday at 8am", "0 8 * * 0,2"),
        ("hourly", "0 * * * *"),
        ("every 6 hours", "0 */6 * * *"),
        ("every 15 minutes", "*/15 * * * *"),
        ("cron 0 9 * * mon-fri", "0 9 * * 1-5"),
        ("每天凌晨两点", "0 2 * * *"),
        ("每天中午十二点半", "30 12 * * *"),
        ("每天中午一点", "0 13 * * *"),
        ("每天傍晚六点", "0 18 * * *"),
        ("每晚十点", "0 22 * * *"),
        ("每晚两点", "0 2 * * *"),
        ("每天下午三点一刻", "15 15 * * *"),
        ("每天下午三点三刻", "45 15 * * *"),
        ("每天九点零五分", "5 9 * * *"),
        ("每周一十点半", "30 10 * * 1"),
        ("每周三三点", "0 3 * * 3"),
        ("每周日上午九点", "0 9 * * 0"),
        ("每月 15 号早上八点", "0 8 15 * *"),
        ("每两小时", "0 */2 * * *"),
    ],
)
def test_a_habit_in_words_is_cron(text: str, cron: str) -> None:
    found, _ = take_recurrence(wording(text))
    assert found is not None
    assert (found.cron, found.strong) == (cron, True)


@pytest.mark.parametrize("text", ["every day", "每天", "every tuesday", "every second"])
def test_how_often_without_when_is_no_cron_yet(text: str) -> None:
    found, _ = take_recurrence(wording(text))
    assert found is not None
    assert found.cron is None


@pytest.mark.parametrize("text", ["bench qwen3-8b", "", "on the 45th of each month", "at 99:99"])
def test_no_time_is_no_habit(text: str) -> None:
    assert take_recurrence(wording(text))[0] is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("9am shanghai time", "Asia/Shanghai"),
        ("上午九点北京时间", "Asia/Shanghai"),
        ("时区上海", "Asia/Shanghai"),
        ("9am utc+8", "Asia/Shanghai"),
        ("9:00 utc", "UTC"),
        ("9am pst", "America/Los_Angeles"),
        ("9am eastern", "America/New_York"),
        ("9am berlin time", "Europe/Berlin"),
        ("timezone: europe/london", "Europe/London"),
        ("9am new york time", "America/New_York"),
        ("tz sao paulo", "America/Sao_Paulo"),
        ("9am tokyo time", "Asia/Tokyo"),
        ("9am ist", "Asia/Kolkata"),
    ],
)
def test_a_zone_as_people_name_it_is_iana(text: str, name: str) -> None:
    assert zone(text) == name


@pytest.mark.parametrize("text", ["9am", "this time", "next time please", "a/b"])
def test_no_zone_is_none(text: str) -> None:
    assert zone(text) is None
