"""Nothing is said twice and nothing is forgotten, whatever Slack answers."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.slack.calls import CallFailed, Later, NotSent, Refused, Unclear
from bot.slack.sender import GIVE_UP, RESPOND_FOR, Sender
from bot.store.outbox import Call, Outgoing, State
from bot.store.questions import Question
from bot.store.store import Store

BODY = {"text": "fits", "blocks": [{"type": "divider"}], "thread_ts": "1.0"}
QUESTION = Question(key="q", channel="C1", ts="1.0", thread="1.0", user="U1", text="fits?")


class Scripted:
    """A Slack that ends each call as the script says: `committed` failures happen after the message was posted."""

    def __init__(self, *outcomes: CallFailed | tuple[str, CallFailed]) -> None:
        self._outcomes = list(outcomes)
        self.calls: list[str] = []
        self.posted: list[Mapping[str, Any]] = []

    async def post(self, channel: str, body: Mapping[str, Any]) -> str:
        outcome = self._next("post")
        if outcome is None or isinstance(outcome, tuple):
            self.posted.append(body)
        self._end(outcome)
        return f"2.{len(self.posted)}"

    async def update(self, channel: str, body: Mapping[str, Any]) -> None:
        self._end(self._next("update"))

    async def delete(self, channel: str, body: Mapping[str, Any]) -> None:
        self._end(self._next("delete"))

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        self._end(self._next("respond"))

    async def find(self, channel: str, thread: str | None, after: str | None, key: str) -> str | None:
        self._end(self._next(f"find {thread} {after} {key}"))
        return f"2.{len(self.posted)}" if self.posted else None

    def _next(self, call: str) -> CallFailed | tuple[str, CallFailed] | None:
        self.calls.append(call)
        return self._outcomes.pop(0) if self._outcomes else None

    @staticmethod
    def _end(outcome: CallFailed | tuple[str, CallFailed] | None) -> None:
        if outcome is not None:
            raise outcome[1] if isinstance(outcome, tuple) else outcome


LOST = ("committed", Unclear())
LOOK = "find 1.0 1.0 answer:q"


def written(store: Store, call: Call = Call.POST, target: str = "C1", key: str = "answer:q") -> Outgoing:
    store.questions.add(QUESTION)
    store.outbox.add(key, 1, call, target, BODY, question="q")
    return store.outbox.of(1)[-1]


def state(store: Store) -> State:
    return store.outbox.of(1)[-1].state


@pytest.mark.parametrize(
    ("outcomes", "calls"),
    [
        ([], ["post"]),
        ([NotSent(), NotSent()], ["post", "post", "post"]),
        ([Later(7)], ["post", "post"]),
        ([LOST], ["post", LOOK]),
        ([Unclear()], ["post", LOOK, "post"]),
        ([LOST, Unclear(), Later(3), NotSent()], ["post", LOOK, LOOK, LOOK, LOOK]),
        ([Unclear(), None, LOST], ["post", LOOK, "post", LOOK]),
    ],
    ids=[
        "at once", "not sent", "later", "posted and lost", "lost", "posted, and looking fails", "lost, then posted and lost",
    ],
)  # fmt: skip
async def test_a_message_is_posted_once(store: Store, clock: Any, outcomes: list[Any], calls: list[str]) -> None:
    slack = Scripted(*outcomes)
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert slack.calls == calls
    assert len(slack.posted) == 1
    assert state(store) is State.SENT
    question = store.questions.by_key("q")
    assert question is not None
    assert question.answer_ts == "2.1"


async def test_it_waits_longer_each_time_and_as_long_as_slack_says(store: Store, clock: Any) -> None:
    slack = Scripted(NotSent(), NotSent(), NotSent(), Later(7))
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert clock.waits[:4] == [0.5, 1.0, 2.0, 7]


@pytest.mark.parametrize("tried", [False, True], ids=["never tried", "tried"])
async def test_after_a_restart_it_is_looked_for_first(store: Store, clock: Any, tried: bool) -> None:
    message = written(store)
    if tried:
        store.outbox.trying(message.id)
    slack = Scripted()
    slack.posted.append({})
    await Sender(store, slack, clock, clock.wait).deliver(store.outbox.of(1)[0], again=True)
    assert slack.calls == [LOOK]


@pytest.mark.parametrize("done", [State.SENT, State.FAILED])
async def test_what_is_done_is_not_done_again(store: Store, clock: Any, done: State) -> None:
    message = written(store)
    if done is State.SENT:
        store.outbox.sent(message.id, "2.1")
    else:
        store.outbox.failed(message.id, "why")
    slack = Scripted()
    await Sender(store, slack, clock, clock.wait).deliver(store.outbox.of(1)[0], again=True)
    assert slack.calls == []


async def test_what_slack_will_not_post_is_given_up(store: Store, clock: Any) -> None:
    slack = Scripted(Refused("is_archived"))
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert slack.calls == ["post"]
    assert state(store) is State.FAILED


async def test_blocks_that_slack_refuses_are_left_out(store: Store, clock: Any) -> None:
    slack = Scripted(Refused("invalid_blocks"))
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert slack.posted == [{**BODY, "blocks": []}]


async def test_a_text_that_slack_refuses_is_not_sent_for_ever(store: Store, clock: Any) -> None:
    slack = Scripted(Refused("invalid_blocks"), Refused("invalid_blocks"))
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert state(store) is State.FAILED


async def test_the_answer_to_a_deleted_question_is_not_posted(store: Store, clock: Any) -> None:
    message = written(store)
    store.questions.delete(QUESTION)
    slack = Scripted()
    await Sender(store, slack, clock, clock.wait).deliver(message, again=False)
    assert slack.calls == []


async def test_after_a_day_it_is_too_late(store: Store, clock: Any) -> None:
    slack = Scripted(*[NotSent()] * 2000)
    await Sender(store, slack, clock, clock.wait).deliver(written(store), again=False)
    assert state(store) is State.FAILED
    assert sum(clock.waits) == pytest.approx(GIVE_UP, rel=0.01)


@pytest.mark.parametrize("call", [Call.UPDATE, Call.DELETE])
async def test_changing_twice_is_changing_once(store: Store, clock: Any, call: Call) -> None:
    slack = Scripted(Unclear(), NotSent())
    await Sender(store, slack, clock, clock.wait).deliver(written(store, call), again=False)
    assert slack.calls == [call] * 3
    assert state(store) is State.SENT


@pytest.mark.parametrize(
    ("outcomes", "calls", "end"),
    [
        ([], 1, State.SENT),
        ([NotSent(), Later(2)], 3, State.SENT),
        ([Unclear()], 1, State.FAILED),
        ([Refused("http 404")], 1, State.FAILED),
    ],
    ids=["at once", "not sent", "unclear", "refused"],
)
async def test_nobody_can_look_an_ephemeral_answer_up(
    store: Store, clock: Any, outcomes: list[CallFailed], calls: int, end: State
) -> None:
    slack = Scripted(*outcomes)
    await Sender(store, slack, clock, clock.wait).deliver(written(store, Call.RESPOND, "https://r"), again=False)
    assert slack.calls == ["respond"] * calls
    assert state(store) is end


async def test_a_response_url_expires(store: Store, clock: Any) -> None:
    message = written(store, Call.RESPOND, "https://r")
    clock.now += RESPOND_FOR + 1
    slack = Scripted()
    await Sender(store, slack, clock, clock.wait).deliver(message, again=True)
    assert slack.calls == []


@pytest.mark.parametrize("failure", [Later(30.0), NotSent()], ids=["told to wait", "not sent"])
async def test_a_response_that_was_waiting_is_sent_by_the_next_process(
    store: Store, clock: Any, failure: CallFailed
) -> None:
    async def killed(seconds: float) -> None:
        raise InterruptedError

    slack = Scripted(failure)
    with pytest.raises(InterruptedError):
        await Sender(store, slack, clock, killed).deliver(written(store, Call.RESPOND, "https://r"), again=False)
    await Sender(store, slack, clock, clock.wait).deliver(store.outbox.of(1)[0], again=True)
    assert slack.calls == ["respond", "respond"]
    assert state(store) is State.SENT


async def test_a_response_that_a_killed_bot_had_begun_is_not_repeated(store: Store, clock: Any) -> None:
    message = written(store, Call.RESPOND, "https://r")
    store.outbox.trying(message.id)
    slack = Scripted()
    await Sender(store, slack, clock, clock.wait).deliver(store.outbox.of(1)[0], again=True)
    assert slack.calls == []
    assert state(store) is State.FAILED


async def test_a_channel_gets_ten_posts_at_once_and_then_one_a_second(store: Store, clock: Any) -> None:
    sender = Sender(store, Scripted(), clock, clock.wait)
    for number in range(13):
        await sender.deliver(written(store, key=f"answer:{number}"), again=False)
    assert clock.waits == [1.0, 1.0, 1.0]
