"""Everything that comes in is accepted once and worked off in order; too much of it gets a kind sentence."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.settings import Settings
from bot.slack import thinker
from bot.slack.calls import Refused
from bot.slack.desk import Desk
from bot.slack.means import Means
from bot.slack.places import Places
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question, Thought
from bot.store.outbox import Call, Outgoing
from bot.store.questions import Question as Row
from bot.store.store import Store

ASKED = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"


class Here:
    """Thinks in this process, once it is let; `lost` answers nothing."""

    def __init__(self) -> None:
        self.free, self.lost = asyncio.Event(), False
        self.free.set()

    async def about(self, question: Question) -> Thought:
        await self.free.wait()
        if self.lost:
            raise Thoughtless
        return thinker.think(question)


class Told:
    """Sends nothing: remembers what would have gone out, and says that it arrived."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.messages: list[Outgoing] = []

    async def deliver(self, message: Outgoing, *, again: bool) -> None:
        self.messages.append(message)
        self._store.outbox.sent(message.id, "9.0")
        if message.call is Call.POST and message.question:
            self._store.questions.stands_at(message.question, "9.0")

    @property
    def texts(self) -> list[str]:
        return [str(message.body.get("text", "")) for message in self.messages]


class Nobody:
    """A directory in which nobody is, and a Home tab that nobody may show."""

    async def channel_name(self, channel: str) -> str | None:
        return None

    async def locale(self, user: str) -> str:
        return ""

    async def publish_home(self, user: str, view: Mapping[str, Any]) -> None:
        raise Refused("not_enabled")


@pytest.fixture
def here() -> Here:
    return Here()


@pytest.fixture
def told(store: Store) -> Told:
    return Told(store)


@pytest.fixture
def new_desk(store: Store, clock: Any, here: Here, told: Told) -> Callable[[], Desk]:
    means = Means(store, Places(Settings(), Nobody(), clock), here, Nobody())
    return lambda: Desk(means, told, "UBOT", most_waiting=2)  # type: ignore[arg-type]  # `Told` stands in for the sender


@pytest.fixture
async def desk(new_desk: Callable[[], Desk], here: Here) -> AsyncIterator[Desk]:
    desk = new_desk()
    yield desk
    here.free.set()
    await desk.close(5)


def direct(ts: str, text: str = ASKED, channel: str = "D1") -> dict[str, Any]:
    event = {"type": "message", "channel": channel, "channel_type": "im", "user": "U1", "ts": ts, "text": text}
    return {"event_id": f"Ev{ts}", "event": event}


async def test_each_message_is_answered_once_and_in_order(desk: Desk, told: Told) -> None:
    for body in (direct("1.0"), direct("1.0"), direct("2.0", "and with 8 of them?")):
        desk.accept(body)
    assert await desk.close(10)
    assert ["4 × A100" in told.texts[0], "8 × A100" in told.texts[1]] == [True, True]
    assert len(told.texts) == 2


async def test_too_much_at_once_gets_a_kind_sentence_each(desk: Desk, told: Told, here: Here) -> None:
    here.free.clear()
    for number in range(4):
        desk.accept(direct("1.0", "放得下吗？" if number == 3 else ASKED, channel=f"D{number}"))
    here.free.set()
    assert await desk.close(10)
    assert len(told.texts) == 4
    assert sum("ask again in a minute" in text for text in told.texts) == 1
    assert sum("请过一分钟再问" in text for text in told.texts) == 1


async def test_a_busy_bot_says_so_to_commands_too(desk: Desk, told: Told, here: Here) -> None:
    here.free.clear()
    for number in range(2):
        desk.accept(direct("1.0", channel=f"D{number}"))
    slash = {"command": "/vllm", "channel_id": "C1", "user_id": "U1", "text": ASKED, "response_url": "https://r"}
    desk.accept(slash | {"trigger_id": "T1"})
    here.free.set()
    assert await desk.close(10)
    assert "ask again in a minute" in next(m.body["text"] for m in told.messages if m.call is Call.RESPOND)


async def test_what_is_not_finished_in_time_is_for_the_next_start(
    store: Store, new_desk: Callable[[], Desk], told: Told, here: Here
) -> None:
    here.free.clear()
    stopped, started = new_desk(), new_desk()
    stopped.accept(direct("1.0"))
    assert not await stopped.close(0.05)
    assert told.texts == []
    here.free.set()
    assert started.resume() == 1
    assert await started.close(10)
    assert len(told.texts) == 1
    assert store.inbox.open() == []


@pytest.mark.parametrize(
    "body",
    [
        direct("1.0"),
        {"command": "/vllm", "channel_id": "C1", "user_id": "U1", "text": ASKED, "response_url": "https://r", "trigger_id": "T"},
    ],
    ids=["a message", "a command"],
)  # fmt: skip
async def test_a_question_that_gets_no_thought_gets_a_reference(
    desk: Desk, told: Told, here: Here, body: dict[str, Any]
) -> None:
    here.lost = True
    desk.accept(body)
    assert await desk.close(10)
    assert ["reference" in text for text in told.texts] == [True]


async def test_a_choice_that_gets_no_thought_leaves_the_answer(desk: Desk, told: Told, here: Here) -> None:
    desk.accept(direct("1.0"))
    assert await desk.close(10)
    here.lost = True
    desk.accept(choice("menus:1:D1-1.0"))
    assert await desk.close(10)
    assert [message.call for message in told.messages] == [Call.POST, Call.RESPOND]


def choice(block_id: str) -> dict[str, Any]:
    return {
        "type": "block_actions", "user": {"id": "U1"}, "channel": {"id": "D1"}, "trigger_id": "T2",
        "response_url": "https://r", "container": {"message_ts": "9.0"},
        "actions": [{"action_id": "pick_gpu", "block_id": block_id, "selected_option": {"value": "H100-80GB"}}],
    }  # fmt: skip


async def test_a_question_that_was_deleted_before_it_came_is_not_answered(desk: Desk, told: Told) -> None:
    gone = {"type": "message", "subtype": "message_deleted", "channel": "D1", "channel_type": "im", "deleted_ts": "1.0"}
    desk.accept({"event_id": "Ev0", "event": gone})
    desk.accept(direct("1.0"))
    assert await desk.close(10)
    assert told.texts == []


async def test_a_failing_home_tab_and_a_bug_stop_nothing(
    desk: Desk, told: Told, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.accept({"event_id": "Ev0", "event": {"type": "app_home_opened", "user": "U1", "tab": "home"}})
    monkeypatch.setattr(thinker, "think", lambda question: 1 / 0)
    desk.accept(direct("1.0"))
    assert await desk.close(10)
    monkeypatch.undo()
    desk.accept(direct("2.0"))
    assert await desk.close(10)
    assert len(told.texts) == 1


async def test_a_secret_is_masked_before_it_is_kept(desk: Desk, store: Store, here: Here) -> None:
    here.free.clear()
    desk.accept(direct("1.0", "my token is hf_" + "Abcdefgh12345678" * 2))
    (received,) = store.inbox.open()
    question = store.questions.at("D1", "1.0")
    assert question is not None
    assert "Abcdefgh" not in received.body + question.text
    assert "[secret-removed]" in received.body


@pytest.mark.parametrize("typed", ["quiz", "kb list", "settings model qwen2.5 72b"])
async def test_a_page_that_gets_no_thought_gets_a_reference(desk: Desk, told: Told, here: Here, typed: str) -> None:
    here.lost = True
    slash = {"command": "/vllm", "channel_id": "D1", "user_id": "U1", "text": typed, "response_url": "https://r"}
    desk.accept(slash | {"trigger_id": "T1"})
    assert await desk.close(10)
    assert ["reference" in text for text in told.texts] == [True]


def pressed(action: dict[str, Any], trigger: str = "T3") -> dict[str, Any]:
    return {
        "type": "block_actions", "user": {"id": "U1"}, "channel": {"id": "D1"}, "trigger_id": trigger,
        "response_url": "https://r", "container": {"message_ts": "9.0"}, "actions": [action],
    }  # fmt: skip


async def test_a_button_that_gets_no_thought_leaves_the_answer(desk: Desk, told: Told, here: Here) -> None:
    desk.accept(direct("1.0"))
    assert await desk.close(10)
    here.lost = True
    desk.accept(pressed({"action_id": "open_entry.0", "block_id": "acts:1:D1-1.0", "value": "queueing"}))
    assert await desk.close(10)
    assert [message.call for message in told.messages] == [Call.POST, Call.RESPOND]
    assert "reference" in told.texts[1]


@pytest.mark.parametrize("reason", ["wrong", "made-up"])
async def test_a_reason_without_an_opinion_does_nothing(desk: Desk, told: Told, reason: str) -> None:
    action = {"action_id": "why_not", "block_id": "why:0:D1-1.0", "selected_option": {"value": reason}}
    desk.accept(pressed(action))
    assert await desk.close(10)
    assert "does nothing any more" in told.texts[0]


async def test_a_store_that_fails_for_a_while_costs_no_lane(
    store: Store, tmp_path: Path, desk: Desk, told: Told
) -> None:
    desk.accept(direct("1.0"))
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as other:
        other.execute("ALTER TABLE inbox RENAME TO away")
        assert await desk.close(10)
        other.execute("ALTER TABLE away RENAME TO inbox")
    desk.accept(direct("2.0"))
    assert await desk.close(10)
    assert len(told.texts) == 1
    assert [received.lane for received in store.inbox.open()] == ["D1 "]


GAPS = "show me the kb gaps"
UNKNOWN = "vllm flurbling zzyzx?"
SLASH = {"command": "/vllm", "channel_id": "C1", "text": "kb gaps", "response_url": "https://r", "trigger_id": "T"}


@pytest.fixture
def administered(store: Store, tmp_path: Path, clock: Any, here: Here, told: Told) -> Desk:
    """A desk with an administrator, and a question in somebody's direct messages that has no entry."""
    said = {"store": {"path": str(tmp_path / "store.sqlite")}, "access": {"admins": ["UADMIN"]}}
    store.questions.add(Row(key="q", channel="D9", ts="0.5", thread="", user="U9", text=UNKNOWN))
    store.questions.answered("q", "{}", "en")
    means = Means(store, Places(Settings.model_validate(said), Nobody(), clock), here, Nobody())
    return Desk(means, told, "UBOT")  # type: ignore[arg-type]  # `Told` stands in for the sender


@pytest.mark.parametrize(
    ("asker", "by", "seen"),
    [
        ("U1", "command", False),
        ("U1", "direct message", False),
        ("U1", "mention", False),
        ("UADMIN", "command", True),
        ("UADMIN", "direct message", True),
        ("UADMIN", "mention", False),
    ],
)
async def test_only_administrators_see_what_was_asked_in_direct_messages(
    administered: Desk, told: Told, asker: str, by: str, seen: bool
) -> None:
    ways = {
        "command": SLASH | {"user_id": asker},
        "direct message": direct("1.0", GAPS),
        "mention": direct("1.0", f"<@UBOT> {GAPS}", "C1"),
    }
    for way in ("direct message", "mention"):
        ways[way]["event"] |= {"user": asker, "channel_type": "im" if way == "direct message" else "channel"}
    administered.accept(ways[by])
    assert await administered.close(10)
    assert ["flurbling" in text for text in told.texts] == [seen]
