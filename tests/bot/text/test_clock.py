"""Schedules and stretches of time in words."""

import pytest

from bot.text.clock import in_words, stretch


@pytest.mark.parametrize(
    ("cron", "english", "chinese"),
    [
        ("0 9 * * *", "every day at 9:00", "每天 9:00"),
        ("30 9 * * 1-5", "every weekday at 9:30", "每个工作日 9:30"),
        ("0 9,18 * * *", "every day at 9:00 and 18:00", "每天 9:00、18:00"),
        ("0 10 * * 0,6", "every Sunday, Saturday at 10:00", "每周日、周六 10:00"),
        ("0 10 * * 1-3", "every Monday, Tuesday, Wednesday at 10:00", "每周一、周二、周三 10:00"),
        ("0 6 */2 * *", "every 2 days at 6:00", "每 2 天 6:00"),
        ("0 12 1 * *", "on day 1 of every month at 12:00", "每月 1 号 12:00"),
        ("0 * * * *", "every hour", "每小时"),
        ("15 */6 * * *", "every 6 hours, minute 15", "每 6 个小时的第 15 分钟"),
        ("*/7 3 * * *", "cron */7 3 * * *", "cron */7 3 * * *"),
    ],
)
def test_a_schedule_is_said_in_words(cron: str, english: str, chinese: str) -> None:
    assert (in_words(cron, "en"), in_words(cron, "zh")) == (english, chinese)


@pytest.mark.parametrize(
    ("start", "end", "english"),
    [
        ("now-24h", "now", "the last 24 h"),
        ("now-3M", "now", "the last 3 months"),
        ("now-1d/d", "now/d", "yesterday"),
        ("monday", "now", "since monday"),
        ("9:00", "17:00", "from 9:00 to 17:00"),
    ],
)
def test_a_stretch_of_time_is_said_in_words(start: str, end: str, english: str) -> None:
    assert stretch(start, end, "en") == english
