"""How fast `tuning-bot serve` acknowledges and answers, beside a bare Bolt echo app on the same server in the same run.

    python tests/bench/slack_acks.py [--seconds 10] [--rates 20,100,200] [--json]

The server, the people and the clock are in this process; each app is a process of its own. Every event is a direct message of
one of many people, so that nobody's conversation is posted to faster than Slack allows. An app's own posts come back to it as
events, as they do in Slack. Lost: no acknowledgement, or no answer; doubled: more than one answer.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from bot.playground.server import Described, Person, SlackServer, load_manifest
from bot.playground.server.state import Message

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "deploy" / "slack-manifest.yaml"
PEOPLE = 300
QUESTIONS = (
    "will 16k context fit on 4xA100 80GB with qwen2.5 72b?",
    "qwen3-32b 双卡 4090 能跑 32k 吗？",
    "how many H100 for llama 3.3 70b fp8 at 128k?",
    "longest context of gemma-3-27b on one L40S?",
    "which gpu for GLM-4.5-Air in int4?",
)
ECHO = """
import asyncio, os
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

async def main():
    client = AsyncWebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
    app = AsyncApp(client=client)

    @app.event("message")
    async def echo(event, client):
        if not event.get("bot_id"):
            await client.chat_postMessage(channel=event["channel"], text="echo")

    handler = AsyncSocketModeHandler(app, os.environ["SLACK_APP_TOKEN"])
    await handler.start_async()

asyncio.run(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one app at one rate; times are milliseconds."""

    app: str
    rate: int
    events: int
    ack_p50: float
    ack_p99: float
    ack_max: float
    answer_p50: float
    answer_p99: float
    lost: int
    doubled: int
    violations: int


async def measured(app: str, command: list[str], rate: int, seconds: float) -> Figures:
    """One app, from a fresh server, at one rate."""
    people = tuple(Person(name=f"person{number}") for number in range(PEOPLE))
    described = Described(people=people, rooms=())
    async with SlackServer(load_manifest(MANIFEST), described) as server:
        with tempfile.TemporaryDirectory() as folder:
            process = await _started(server, command, folder)
            try:
                await _asked(server, 5, 1.0)
                asked = await _asked(server, rate, seconds)
                await _all_answered(server, asked)
            finally:
                process.terminate()
                await process.wait()
        return _figures(server, app, rate, asked)


async def _started(server: SlackServer, command: list[str], folder: str) -> asyncio.subprocess.Process:
    environment = {**os.environ, **server.environment, "PYTHONPATH": str(ROOT)}
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=folder, stdout=quiet, stderr=quiet)
    await server.observed.wait_until(lambda: server.socket_mode.connections, 20, "a connection")
    return process


async def _asked(server: SlackServer, rate: int, seconds: float) -> list[Message]:
    loop, asked = asyncio.get_running_loop(), []
    started = loop.time()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, started + number / rate - loop.time()))
        text = QUESTIONS[number % len(QUESTIONS)]
        asked.append(server.people.direct_message(f"person{number % PEOPLE}", text))
    return asked


async def _all_answered(server: SlackServer, asked: list[Message]) -> None:
    """Until each person has as many answers as questions, or for a while."""

    def everything() -> bool:
        return sum(len(_answers(server, m.channel)) for m in _last_of_channels(asked)) >= len(asked) + 5

    try:
        await server.observed.wait_until(everything, 60, "every answer")
    except AssertionError as late:
        print(late, file=sys.stderr)
    await server.observed.quiet(0.5, 10)


def _last_of_channels(asked: list[Message]) -> list[Message]:
    return list({message.channel: message for message in asked}.values())


def _answers(server: SlackServer, channel: str) -> list[Message]:
    return [m for m in server.workspace.channels[channel].messages.values() if m.by_app]


def _figures(server: SlackServer, app: str, rate: int, asked: list[Message]) -> Figures:
    stamps = {message.ts for message in asked}
    ours = [d for d in server.deliveries.all if d.payload.get("event", {}).get("ts") in stamps]
    acks = [1000 * delivery.latencies[0] for delivery in ours if delivery.latencies]
    answers, lost, doubled = _answer_times(server, asked)
    return Figures(
        app=app,
        rate=rate,
        events=len(asked),
        **_spread("ack", acks),
        answer_p50=_spread("answer", answers)["answer_p50"],
        answer_p99=_spread("answer", answers)["answer_p99"],
        lost=lost + len(asked) - len(acks),
        doubled=doubled,
        violations=len(server.violations),
    )


def _answer_times(server: SlackServer, asked: list[Message]) -> tuple[list[float], int, int]:
    """The nth answer of a conversation answers its nth question: each conversation is answered in order."""
    stamps, times, lost, doubled = {message.ts for message in asked}, list[float](), 0, 0
    for last in _last_of_channels(asked):
        messages = server.workspace.channels[last.channel].messages.values()
        questions, answers = [m for m in messages if not m.by_app], [m for m in messages if m.by_app]
        lost += max(len(questions) - len(answers), 0)
        doubled += max(len(answers) - len(questions), 0)
        pairs = [(q, a) for q, a in zip(questions, answers, strict=False) if q.ts in stamps]
        times += [1000 * (float(answer.ts) - float(question.ts)) for question, answer in pairs]
    return times, lost, doubled


def _spread(name: str, values: list[float]) -> dict[str, Any]:
    cuts = quantiles(values, n=100) if len(values) > 1 else [0.0] * 99
    return {f"{name}_p50": cuts[49], f"{name}_p99": cuts[98], f"{name}_max": max(values, default=0.0)}


async def idle_memory(command: list[str]) -> float:
    """MiB that a bot holds in memory when nobody asks."""
    async with SlackServer(load_manifest(MANIFEST)) as server:
        with tempfile.TemporaryDirectory() as folder:
            process = await _started(server, command, folder)
            try:
                await server.observed.quiet(0.5)
                pages = _pages(process.pid)
                return pages * os.sysconf("SC_PAGESIZE") / 2**20
            finally:
                process.terminate()
                await process.wait()


def _pages(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])


def main() -> None:
    """Prints a line for each app and rate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rates", default="20,100,200")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    serve = [sys.executable, "-m", "bot", "serve"]
    apps = {"echo": [sys.executable, "-c", ECHO], "tuning-bot": serve}
    for rate in (int(rate) for rate in chosen.rates.split(",")):
        for app, command in apps.items():
            figures = asyncio.run(measured(app, command, rate, chosen.seconds))
            print(json.dumps(asdict(figures)) if chosen.json else _line(figures), flush=True)
    print(f"tuning-bot idle: {asyncio.run(idle_memory(serve)):.0f} MiB")


def _line(figures: Figures) -> str:
    return (
        f"{figures.app:10} {figures.rate:3}/s  ack p50 {figures.ack_p50:6.1f} p99 {figures.ack_p99:6.1f} max {figures.ack_max:6.1f} ms"
        f"  answer p50 {figures.answer_p50:7.1f} p99 {figures.answer_p99:7.1f} ms"
        f"  lost {figures.lost} doubled {figures.doubled} of {figures.events}  violations {figures.violations}"
    )


if __name__ == "__main__":
    main()
