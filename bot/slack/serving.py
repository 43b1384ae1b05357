"""The bot in Slack, put together: started, kept running, stopped without losing anything."""

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from slack_bolt.app.async_app import AsyncApp

from bot.settings import Settings
from bot.slack.app import Identity, build
from bot.slack.calls import CallFailed, Calls, Later, Refused
from bot.slack.desk import Desk
from bot.slack.files import Files
from bot.slack.http_mode import HttpMode
from bot.slack.means import Means
from bot.slack.places import Places
from bot.slack.sender import Sender
from bot.slack.socket_mode import SocketMode
from bot.slack.thinking import Thinking
from bot.slack.tokens import BOT, WHERE, Tokens
from bot.store.store import DAY, Store
from knowledge.errors import Refusal

BEAT = 10.0  # seconds between signs of life in the store
FINISH = 8.0  # seconds for what is accepted when the bot is told to stop; containers are killed after ten
LONGEST_WAIT = 30.0  # seconds between attempts to reach Slack at the start
T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What a running bot is given. `say` gets the line that tells people that it runs."""

    settings: Settings
    tokens: Tokens
    store: Store
    stop: asyncio.Event
    say: Callable[[str], object]
    observed: Path | None = None


async def serve(serving: Serving) -> None:
    """Answers until `stop` is set. Raises Refusal where Slack refuses the tokens or the port is taken."""
    calls, thinking = Calls(serving.tokens.bot.get_secret_value(), serving.tokens.api), Thinking()
    try:
        await thinking.start()
        identity = await _until(serving.stop, _identify(calls))
        if identity is not None:
            await thinking.warm()
            await _answer(serving, calls, thinking, identity)
    finally:
        await thinking.close()
        await calls.close()


async def _answer(serving: Serving, calls: Calls, thinking: Thinking, identity: Identity) -> None:
    places = Places(serving.settings, calls, time.monotonic, serving.store.defaults.of)
    sender = Sender(serving.store, calls, time.time, asyncio.sleep)
    files = Files(calls, serving.tokens.bot.get_secret_value(), serving.tokens.api)
    means = Means(serving.store, places, thinking, calls, files, calls, serving.observed)
    desk = Desk(means, sender, identity.user_id)
    serving.store.prune()
    left = desk.resume()
    log.info("%d left to do from before", left)
    signing = serving.tokens.signing.get_secret_value() if serving.tokens.signing else ""
    app = build(identity, calls, signing, desk)
    gc.collect()
    gc.freeze()  # what is loaded stays loaded: collections need not walk through it while somebody waits
    where = f"{identity.team} as {identity.name}"
    try:
        if serving.settings.slack.mode == "http":
            await _listen(serving, HttpMode(app, lambda: not serving.stop.is_set()), where)
        else:
            await _connect(serving, _socket(app, calls, serving.tokens), where)
    finally:
        finished = await desk.close(FINISH)
        log.info("stopped; %s", "nothing is left to do" if finished else "the rest follows at the next start")


async def _listen(serving: Serving, http: HttpMode, where: str) -> None:
    host, port = serving.settings.slack.host, serving.settings.slack.port
    try:
        taken = await http.start(host, port)
    except OSError as fault:
        error = f"The bot cannot listen on `{host}:{port}`: {fault.strerror}."
        raise Refusal("port-taken", error, "Set another `port` under `[slack]`.", host=host, port=port) from None
    serving.say(f"Answering in {where}, listening on http://{host}:{taken}/slack/events.")
    try:
        await _until(serving.stop, _live(serving.store, lambda: True))
    finally:
        await http.close()


async def _connect(serving: Serving, socket: SocketMode, where: str) -> None:
    first = iter([f"Answering in {where}, connected by Socket Mode."])

    def connected() -> None:
        for line in first:
            serving.say(line)
        serving.store.beat(connected=True)

    life = asyncio.create_task(_live(serving.store, lambda: socket.connected))
    try:
        await _until(serving.stop, socket.run(connected))
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)
        await socket.close()


def _socket(app: AsyncApp, calls: Calls, tokens: Tokens) -> SocketMode:
    assert tokens.app is not None
    app_token = tokens.app.get_secret_value()
    return SocketMode(app, lambda: calls.socket_url(app_token), proxy=calls.client.proxy)


async def _live(store: Store, connected: Callable[[], bool]) -> None:
    """Leaves a sign of life every few seconds and tidies the store once a day."""
    tidied = time.monotonic()
    while True:
        store.beat(connected=connected())
        if time.monotonic() - tidied > DAY:
            store.prune()
            tidied = time.monotonic()
        await asyncio.sleep(BEAT)


async def _identify(calls: Calls) -> Identity:
    """Who the bot is; waits until Slack can be reached. Raises Refusal for a token that Slack does not take."""
    wait = 1.0
    while True:
        try:
            who = await calls.who()
        except Refused as refused:
            error = f"Slack refuses `{BOT}`: {refused.code}."
            raise Refusal("token-refused", error, f"Set the right one: {WHERE[BOT]}.", name=BOT) from None
        except CallFailed as failed:
            pause = failed.seconds if isinstance(failed, Later) else wait
            log.warning("Slack cannot be reached (%r), next attempt in %g s", failed, pause)
            await asyncio.sleep(pause)
            wait = min(wait * 2, LONGEST_WAIT)
        else:
            return Identity(
                team=str(who["team"]),
                team_id=str(who["team_id"]),
                name=str(who["user"]),
                user_id=str(who["user_id"]),
                bot_id=str(who.get("bot_id", "")),
            )


async def _until(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of `work`; None when `stop` came first, and then `work` is cancelled."""
    doing, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else None
    finally:
        for task in (doing, stopping):
            task.cancel()
        await asyncio.gather(doing, stopping, return_exceptions=True)
