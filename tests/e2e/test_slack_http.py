"""The real process in HTTP mode: signed requests are answered, forged, stale and repeated ones are not."""

import asyncio
import socket
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bot.playground.server import SlackServer, Timings, load_manifest
from tests.e2e.conftest import PATIENCE, ROOT, WITHIN, WORKSPACE, Bot, Place

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def listening(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[SlackServer, str, Bot]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    manifest = load_manifest(ROOT / "deploy" / "slack-manifest.yaml")
    timings = Timings(retry_delays=(0.05, 0.2, 0.5))
    async with SlackServer(manifest, WORKSPACE, timings=timings, request_url=f"{url}/slack/events") as server:
        bot = Bot(server, tmp_path_factory.mktemp("http"))
        bot.environment.pop("SLACK_APP_TOKEN")
        bot.settings(f'[slack]\nmode = "http"\nport = {port}\n')
        await bot.run()
        await healthy(url)
        yield server, url, bot
        assert await bot.stop() == 0
        assert "Traceback" not in bot.log
        assert not list(server.violations), str(server.violations)


async def healthy(url: str) -> None:
    """Until the bot says that it is well."""
    async with asyncio.timeout(PATIENCE), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"{url}/healthz") as answer:
                    assert await answer.json() == {"ok": True}
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)


@pytest.fixture
def place(listening: tuple[SlackServer, str, Bot], numbers: Any) -> Place:
    return Place(listening[0], next(numbers))


async def test_slack_may_verify_the_address(place: Any) -> None:
    assert await place.server.http.verify()


async def test_mentions_commands_and_clicks_come_by_http(place: Any) -> None:
    answer = await place.answer(place.mention(QUESTION))
    assert (await place.slash(QUESTION)).acked
    assert (await place.whispers())[0].text == answer.text
    await place.click(answer, "pick_gpu", "H100-80GB")
    await place.until(lambda: "H100" in answer.text)


@pytest.mark.parametrize("how", ["forged", "stale"])
async def test_a_request_that_slack_did_not_sign_now_is_refused(place: Any, how: str) -> None:
    await place.answer(place.write(QUESTION))
    server = place.server
    changed = getattr(server.http, how)(server.http.sent[-1])
    assert await server.http.resend(changed) == 401


async def test_a_request_without_a_signature_is_refused(listening: tuple[SlackServer, str, Bot]) -> None:
    async with aiohttp.ClientSession() as session, session.post(f"{listening[1]}/slack/events", json={}) as answer:
        assert answer.status == 401


async def test_a_replayed_request_is_not_answered_again(place: Any) -> None:
    question = place.write(QUESTION)
    await place.answer(question)
    for request in list(place.server.http.sent):
        assert await place.server.http.resend(request) == 200
    await place.server.observed.quiet(0.5)
    await place.answer(question)


async def test_a_question_that_is_delivered_thrice_is_answered_once(place: Any) -> None:
    from bot.playground.server.faults import Duplicate

    place.server.faults.plan("message.im", Duplicate(2))
    await place.answer(place.write(QUESTION))


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("POST", "/", 404), ("GET", "/slack/events", 405), ("POST", "/healthz", 405)],
)
async def test_nothing_else_is_served(
    listening: tuple[SlackServer, str, Bot], method: str, path: str, status: int
) -> None:
    async with aiohttp.ClientSession() as session, session.request(method, listening[1] + path) as answer:
        assert answer.status == status


async def test_a_body_beyond_every_limit_is_refused(listening: tuple[SlackServer, str, Bot]) -> None:
    url, body = f"{listening[1]}/slack/events", BytesIO(b"x" * 2_000_000)
    async with aiohttp.ClientSession() as session, session.post(url, data=body) as answer:
        assert answer.status in {401, 413}
    await healthy(listening[1])


async def test_a_taken_port_is_a_sentence(listening: tuple[SlackServer, str, Bot], tmp_path: Path) -> None:
    server, url, _ = listening
    second = Bot(server, tmp_path)
    second.settings(f'[slack]\nmode = "http"\nport = {url.rpartition(":")[2]}\n')
    await second.run()
    assert second.process is not None
    async with asyncio.timeout(WITHIN):
        assert await second.process.wait() == 1
    assert "cannot listen" in second.log
    assert "Traceback" not in second.log
