"""Slack fails, repeats itself and goes away: every question is still answered exactly once."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from bot.playground.server import SlackServer
from bot.playground.server.faults import (
    CutAfterSend,
    Delay,
    Drop,
    Duplicate,
    InvalidJson,
    LoseAck,
    RateLimited,
    ServerError,
)
from tests.e2e.conftest import WITHIN, Bot, Place, running, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"
EIGHT = "will 16k context fit on 8×A100 80GB with qwen2.5 72b?"


def posts(server: SlackServer) -> int:
    return len([call for call in server.web_api.calls if call.method == "chat.postMessage"])


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("app_mention", Duplicate(3)),
        ("message.channels", Duplicate(3)),
        ("app_mention", LoseAck()),
        ("app_mention", CutAfterSend()),
        ("message.channels", CutAfterSend()),
        ("chat.postMessage", RateLimited(1)),
        ("chat.postMessage", ServerError(503)),
        ("chat.postMessage", ServerError(500, committed=True)),
        ("chat.postMessage", Drop()),
        ("chat.postMessage", Drop(committed=True)),
        ("chat.postMessage", InvalidJson()),
    ],
    ids=[
        "mention thrice", "message thrice", "ack lost", "cut after the mention", "cut after the message", "429", "503",
        "500 but posted", "dropped", "dropped but posted", "no JSON",
    ],
)  # fmt: skip
async def test_a_mention_is_answered_once_despite(place: Any, server: SlackServer, target: str, fault: Any) -> None:
    server.faults.plan(target, fault)
    await place.until(lambda: server.socket_mode.connections)
    question = place.mention(QUESTION)
    await place.answer(question)
    await server.observed.quiet(1.0)  # longer than the first wait before the next attempt
    await place.answer(question)


async def test_three_lost_answers_in_a_row_are_still_one_post(place: Any, server: SlackServer) -> None:
    server.faults.plan("chat.postMessage", Drop(), times=2)
    server.faults.plan("conversations.replies", ServerError(503))
    server.faults.plan("chat.postMessage", Drop(committed=True))
    before = posts(server)
    await place.answer(place.mention(QUESTION))
    assert posts(server) - before == 3


async def test_an_answer_in_a_direct_conversation_is_found_again_too(place: Any, server: SlackServer) -> None:
    server.faults.plan("chat.postMessage", Drop(committed=True))
    question = place.write(QUESTION)
    await place.answer(question)
    await server.observed.quiet(1.0)
    await place.answer(question)


@pytest.mark.parametrize(
    ("target", "fault"),
    [("response_url", RateLimited(1)), ("response_url", ServerError(503)), ("/vllm", Duplicate(2))],
    ids=["429", "503", "sent thrice"],
)
async def test_a_command_is_answered_once_despite(place: Any, server: SlackServer, target: str, fault: Any) -> None:
    server.faults.plan(target, fault)
    await place.slash(QUESTION)
    await place.whispers()
    await server.observed.quiet()
    assert len(server.observed.ephemerals(place.person)) == 1


async def test_a_command_is_not_answered_again_when_nobody_knows_whether_it_was(
    place: Any, server: SlackServer
) -> None:
    server.faults.plan("response_url", Drop(committed=True))
    await place.slash(QUESTION)
    await place.whispers()
    await server.observed.quiet(1.0)
    assert len(server.observed.ephemerals(place.person)) == 1


async def test_an_update_arrives_despite_a_failing_server(place: Any, server: SlackServer) -> None:
    question = place.mention(QUESTION)
    answer = await place.answer(question)
    server.faults.plan("chat.update", ServerError(503))
    server.faults.plan("chat.update", Drop())
    server.people.edit(question, f"{server.mention} {EIGHT}")
    await place.until(lambda: "8 × A100" in answer.text)


async def test_edits_and_deletions_while_slack_fails_end_as_they_should(place: Any, server: SlackServer) -> None:
    server.faults.plan("chat.postMessage", ServerError(503), times=2)
    edited, deleted = place.mention(QUESTION), place.write(QUESTION)
    server.people.edit(edited, f"{server.mention} {EIGHT}")
    server.people.delete(deleted)
    answer = await place.answer(edited)
    await place.until(lambda: "8 × A100" in answer.text)
    await server.observed.quiet(1.5)
    assert not server.observed.answers(deleted)


async def test_a_cut_connection_is_dialled_again_within_three_seconds(place: Any, server: SlackServer) -> None:
    for _ in range(3):
        before = list(server.socket_mode.connections)
        server.socket_mode.cut()
        await server.observed.wait_until(lambda: set(server.socket_mode.connections) - set(before), 3.0)  # noqa: B023
    await place.answer(place.mention(QUESTION))


async def test_it_dials_again_after_links_that_lead_nowhere(place: Any, server: SlackServer) -> None:
    server.faults.plan("apps.connections.open", ServerError(503), times=2)
    server.faults.plan("apps.connections.open", RateLimited(1))
    server.socket_mode.cut()
    await place.answer(place.mention(QUESTION))


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_nothing_is_lost_when_slack_asks_for_another_connection(
    place: Any, server: SlackServer, reason: str
) -> None:
    asked = [place.mention(QUESTION)]
    before = list(server.socket_mode.connections)
    leaving = asyncio.create_task(server.socket_mode.disconnect(reason))
    asked.append(place.mention("help"))
    await leaving
    await place.until(lambda: set(server.socket_mode.connections) - set(before))
    assert (await place.slash("help")).acked
    for question in asked:
        await place.answer(question)


# From here on the process ends.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["told to stop", "killed"])
async def test_a_restart_forgets_nothing_and_repeats_nothing(own_place: Any, own_bot: Any, number: int) -> None:
    server, question = own_bot.server, own_place.mention(QUESTION)
    await own_place.answer(question)
    await own_bot.restart(number)
    for delivery in [delivery for delivery in server.deliveries.all if delivery.kind == "events_api"]:
        server.deliveries.redeliver(delivery.payload)
    follow_up = own_place.say("and with 8 of them?", thread_ts=question.ts)
    await own_place.answer(follow_up)
    await server.observed.quiet(0.5)
    texts = [message.text.splitlines()[0] for message in server.observed.by_app(own_place.room)]
    assert len(texts) == 2
    assert "8 × A100-80GB" in texts[1]


@pytest.mark.parametrize(
    ("fault", "lookups"), [(Delay(30), 0), (Drop(), 50)], ids=["after it was posted", "before it was posted"]
)
async def test_a_bot_that_is_killed_while_it_posts_answers_once(
    own_place: Any, own_bot: Any, fault: Any, lookups: int
) -> None:
    server = own_bot.server
    server.faults.plan("chat.postMessage", fault)
    server.faults.plan("conversations.replies", ServerError(503), times=lookups)
    question = own_place.mention(QUESTION)
    await own_place.until(lambda: posts(server))
    await own_bot.stop(signal.SIGKILL)
    server.faults.clear()
    await own_bot.start()
    await own_place.answer(question)
    await server.observed.quiet(1.0)
    await own_place.answer(question)


async def test_what_was_asked_of_a_bot_that_is_killed_is_answered_at_the_next_start(own_bot: Any) -> None:
    server = own_bot.server
    server.faults.plan("chat.postMessage", ServerError(503), times=1000)
    server.faults.plan("response_url", ServerError(503), times=1000)
    places = [Place(server, number) for number in range(3)]
    questions = [place.write(QUESTION) for place in places]
    await places[0].slash(QUESTION)
    await places[0].until(lambda: posts(server) >= 3)
    await own_bot.stop(signal.SIGKILL)
    server.faults.clear()
    await own_bot.start()
    for place, question in zip(places, questions, strict=True):
        await place.answer(question)
    assert not server.observed.by_app("room0")


async def test_it_stops_cleanly_while_it_works(own_bot: Any) -> None:
    server = own_bot.server
    questions = [Place(server, number).write(QUESTION) for number in range(3)]
    await server.observed.wait_until(lambda: all(d.acked for d in server.deliveries.all), WITHIN)
    assert await own_bot.stop(signal.SIGINT) == 0
    assert [len(server.observed.answers(question)) for question in questions] == [1, 1, 1]


async def test_it_waits_for_a_slack_that_is_not_there_yet(tmp_path: Path) -> None:
    async with serving() as server:
        server.faults.plan("auth.test", ServerError(503))
        server.faults.plan("auth.test", RateLimited(1), times=3)
        async with running(server, tmp_path):
            await Place(server, 0).answer(Place(server, 0).write(QUESTION))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_it_stops_at_once_where_slack_cannot_be_reached(tmp_path: Path, number: int) -> None:
    async with serving() as server:
        server.faults.plan("auth.test", ServerError(503), times=1000)
        bot = Bot(server, tmp_path)
        await bot.run()
        await server.observed.wait_until(lambda: server.web_api.calls, WITHIN)
        assert await bot.stop(number) == 0


async def test_a_token_that_slack_does_not_know_is_a_sentence(tmp_path: Path) -> None:
    async with serving() as server:
        bot = Bot(server, tmp_path)
        bot.environment["SLACK_BOT_TOKEN"] = "xoxb-unknown"
        await bot.run()
        assert bot.process is not None
        async with asyncio.timeout(WITHIN):
            assert await bot.process.wait() == 1
        assert "Slack refuses `SLACK_BOT_TOKEN`: invalid_auth." in bot.log
        assert "Traceback" not in bot.log
        assert "xoxb-unknown" not in bot.log
        server.violations.clear()


async def test_a_second_bot_on_the_same_store_is_refused(own_bot: Any) -> None:
    second = Bot(own_bot.server, own_bot.folder)
    await second.run()
    assert second.process is not None
    async with asyncio.timeout(WITHIN):
        assert await second.process.wait() == 1
    assert "Another tuning-bot holds" in second.log


async def test_a_channel_has_its_own_language_and_model(tmp_path: Path) -> None:
    settings = '[channels.serving-zh]\nlanguage = "zh"\nmodel = "Qwen/Qwen2.5-7B-Instruct"\n'
    async with serving() as server, running(server, tmp_path, settings):
        question = server.people.say("serving-zh", "person0", f"{server.mention} will 16k fit on one 4090?")
        answer = await Place(server, 0).answer(question)
    assert "Qwen2.5-7B-Instruct" in answer.text
    assert "放得下" in answer.text.splitlines()[0]
