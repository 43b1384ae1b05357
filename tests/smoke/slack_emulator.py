"""The real process against a Slack emulator that nobody here wrote: a second opinion, outside CI.

    python tests/smoke/slack_emulator.py

Takes `local-slack-linux-x64` 0.1.8 (MIT) from npm, checks its hash, and runs it, the bot and the people in a network namespace
of their own, because the emulator listens on every interface. Needs npm, unshare and ip, on Linux x64.
"""

import asyncio
import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).parents[2]
PACKAGE = "local-slack-linux-x64@0.1.8"
SHA512 = "2BCTKxKajjZNWCSCj66Jq5VDScUDNpGZ1lA3281I8RvpDE4/ULCwC26TlcW6/4sPbSTs02Q3KjTiltJp3ZBEvg=="
PORT = 3999
URL = f"http://127.0.0.1:{PORT}"
TOKENS = {
    "SLACK_API_URL": f"{URL}/api/",
    "SLACK_BOT_TOKEN": "xoxb-smoke",
    "SLACK_APP_TOKEN": "xapp-smoke",
}
WORKSPACE = {
    "workspace": {"name": "Smoke", "domain": "smoke", "teamId": "T01SMOKE"},
    "app": {
        "appId": "A01BOT",
        "botUserId": "U0BOT",
        "botName": "tuning-bot",
        "botToken": TOKENS["SLACK_BOT_TOKEN"],
        "appToken": TOKENS["SLACK_APP_TOKEN"],
        "mode": "socket",
    },
    "users": [{"id": "U01ALICE", "name": "alice"}, {"id": "U02BOB", "name": "bob"}],
    "channels": [{"id": "C01GEN", "name": "general", "members": ["U01ALICE", "U02BOB", "U0BOT"]}],
}
QUESTION = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"
EIGHT = "will 16k context fit on 8×A100 80GB with qwen2.5 72b?"
CHANNEL, PERSON = "C01GEN", "U01ALICE"
PATIENCE = 20.0
Json = dict[str, Any]


class Emulator:
    """The emulator's control API."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def do(self, what: str, **body: Any) -> Json:
        """Something that a person does."""
        async with self._session.post(f"{URL}/_control/{what}", json=body) as answer:
            return dict(await answer.json())

    async def look(self, what: str) -> Json:
        """What there is to see."""
        async with self._session.get(f"{URL}/_control/{what}") as answer:
            return dict(await answer.json())

    async def say(self, text: str, channel: str = CHANNEL, thread_ts: str | None = None) -> Json:
        """A message of a person."""
        said = await self.do("message", channel=channel, user=PERSON, text=text, thread_ts=thread_ts)
        return dict(said["message"])

    async def answers(self, question: Json) -> list[Json]:
        """What the bot wrote after a message, in its thread or, where it is in none, beside it too."""
        messages = (await self.look(f"messages/{question['channel']}"))["messages"]
        thread = question.get("thread_ts") or question["ts"]
        direct = question["channel"].startswith("D")
        return [
            m
            for m in messages
            if m.get("bot_id")
            and m["ts"] > question["ts"]
            and (m.get("thread_ts") == thread or (direct and "thread_ts" not in m))
        ]

    async def answer(self, question: Json) -> Json:
        """The one answer, which stays the only one for a while."""
        await until(lambda: self.answers(question))
        await asyncio.sleep(1.0)
        (answer,) = await self.answers(question)
        return answer


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    """What `look` finds, looked for until it does."""
    async with asyncio.timeout(PATIENCE):
        while not (found := await look()):  # noqa: ASYNC110 - the emulator offers nothing to wait on
            await asyncio.sleep(0.1)
        return found


async def mention(emulator: Emulator) -> None:
    answer = await emulator.answer(await emulator.say(f"<@U0BOT> {QUESTION}"))
    assert answer["text"].startswith("Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB"), answer["text"]


async def direct_message(emulator: Emulator) -> None:
    answer = await emulator.answer(await emulator.say("Qwen2.5-72B 用 4 张 A100 80GB，16k 上下文放得下吗？", "U0BOT"))
    assert answer["text"].startswith("放得下"), answer["text"]


async def follow_up(emulator: Emulator) -> None:
    question = await emulator.say(f"<@U0BOT> {QUESTION}")
    await emulator.answer(question)
    answer = await emulator.answer(await emulator.say("and with 8 of them?", thread_ts=question["ts"]))
    assert "8 × A100-80GB" in answer["text"], answer["text"]


async def slash_command(emulator: Emulator) -> None:
    await emulator.do("command", channel=CHANNEL, user=PERSON, command="/vllm", text=f"fit {QUESTION}")

    async def whispered() -> list[Json]:
        messages = (await emulator.look(f"messages/{CHANNEL}"))["messages"]
        return [m for m in messages if m.get("subtype") == "ephemeral" or m.get("ephemeral_to")]

    await until(whispered)
    await asyncio.sleep(1.0)
    (answer,) = await whispered()
    assert answer["text"].startswith("Yes: Qwen2.5-72B-Instruct"), answer["text"]


async def menu(emulator: Emulator) -> None:
    question = await emulator.say(f"<@U0BOT> {QUESTION}")
    answer = await emulator.answer(question)
    row = next(block for block in answer["blocks"] if block["type"] == "actions")
    element = next(element for element in row["elements"] if element["action_id"] == "pick_gpu")
    option = next(option for option in element["options"] if option["value"] == "H100-80GB")
    action = {"type": "static_select", "action_id": "pick_gpu", "block_id": row["block_id"], "selected_option": option}
    await emulator.do("interact", channel=CHANNEL, messageTs=answer["ts"], user=PERSON, action=action)
    await until(lambda: changed_to(emulator, question, "H100-80GB"))


async def changed_to(emulator: Emulator, question: Json, text: str) -> bool:
    return any(text in answer["text"] for answer in await emulator.answers(question))


async def edit(emulator: Emulator) -> None:
    question = await emulator.say(f"<@U0BOT> {QUESTION}")
    await emulator.answer(question)
    await emulator.do("edit-message", channel=CHANNEL, ts=question["ts"], user=PERSON, text=f"<@U0BOT> {EIGHT}")
    await until(lambda: changed_to(emulator, question, "8 × A100"))
    await emulator.answer(question)


async def deletion(emulator: Emulator) -> None:
    question = await emulator.say(f"<@U0BOT> {QUESTION}")
    await emulator.answer(question)
    await emulator.do("delete-message", channel=CHANNEL, ts=question["ts"], user=PERSON)

    async def gone() -> bool:
        return not await emulator.answers(question)

    await until(gone)


async def home(emulator: Emulator) -> None:
    await emulator.do("open-home", user=PERSON)

    async def published() -> list[Json]:
        log = (await emulator.look("log"))["log"]
        return [entry for entry in log if entry["direction"] == "from_bot" and "views.publish" in json.dumps(entry)]

    await until(published)


SCENES = (mention, direct_message, follow_up, slash_command, menu, edit, deletion, home)


async def started(folder: Path) -> asyncio.subprocess.Process:
    """The bot, once the emulator knows of its connection."""
    environment = {**os.environ, **TOKENS, "PYTHONPATH": str(ROOT)}
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "serve", cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE
    )
    assert bot.stdout is not None
    async with asyncio.timeout(PATIENCE):
        line = await bot.stdout.readline()
    assert b"connected by Socket Mode" in line, line
    return bot


async def play(folder: Path) -> int:
    """Every scene before and after the bot was killed; 1 when one fails."""
    failures = 0
    async with aiohttp.ClientSession() as session:
        emulator = Emulator(session)
        await until(lambda: reachable(emulator))
        bot = await started(folder)
        for scene in (*SCENES, None, *SCENES):
            if scene is None:
                bot.kill()
                await bot.wait()
                bot = await started(folder)
                await emulator.do("reset")
                print("-- killed and started again")
                continue
            try:
                await scene(emulator)
                print(f"ok    {scene.__name__}")
            except (AssertionError, TimeoutError, ValueError) as fault:
                failures += 1
                print(f"FAIL  {scene.__name__}: {fault!r}")
        bot.send_signal(signal.SIGTERM)
        assert await bot.wait() == 0
    return min(failures, 1)


async def reachable(emulator: Emulator) -> bool:
    try:
        return bool(await emulator.look("state"))
    except aiohttp.ClientError:
        return False


def binary(folder: Path) -> Path:
    """The emulator from npm, which must be the one that was looked at."""
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tgz")
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != SHA512:
        sys.exit(f"{archive.name} is not the one that is pinned here.")
    with tarfile.open(archive) as package:
        package.extract("package/bin/local-slack", folder, filter="data")
    return folder / "package" / "bin" / "local-slack"


def inside(folder: Path) -> int:
    """In the namespace: the emulator beside the play."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    (folder / "config.json").write_text(json.dumps(WORKSPACE), "utf-8")
    command = [str(folder / "package" / "bin" / "local-slack"), "--config", "config.json", "--port", str(PORT)]
    with subprocess.Popen([*command, "--base-host", "127.0.0.1"], cwd=folder, stdout=subprocess.DEVNULL) as emulator:
        try:
            return asyncio.run(play(folder))
        finally:
            emulator.terminate()


def main() -> int:
    """0 when every scene went well."""
    if len(sys.argv) > 1:
        return inside(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as name:
        binary(Path(name))
        alone = ["unshare", "--map-root-user", "--net", sys.executable, __file__, name]
        return subprocess.run(alone, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
