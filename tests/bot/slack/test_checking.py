"""`tuning-bot check` says what works, and what to do about what does not; it never shows a token."""

import dataclasses
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.checks import Finding, Verdict
from bot.playground.server import Manifest, SlackServer, load_manifest
from bot.playground.server.faults import Refuse, ServerError
from bot.settings import Channel, Defaults, Settings, Slack
from bot.slack.checking import check_slack
from bot.store.channel_defaults import ChannelDefault

MANIFEST = load_manifest(Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml")


async def found(server: SlackServer, settings: Settings = Settings(), **environment: str) -> dict[str, Finding]:  # noqa: B008 - frozen
    findings = [finding async for finding in check_slack(settings, server.environment | environment)]
    for finding in findings:
        assert server.credentials.bot not in finding.line
        assert server.credentials.app not in finding.line
    return {finding.what: finding for finding in findings}


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(MANIFEST) as server:
        yield server


async def test_all_is_well(server: SlackServer) -> None:
    findings = await found(server)
    verdicts = {what: finding.verdict for what, finding in findings.items()}
    assert verdicts == {
        "tokens": Verdict.OK,
        "slack": Verdict.OK,
        "scopes": Verdict.OK,
        "socket": Verdict.OK,
        "commands": Verdict.UNKNOWN,
    }
    assert "tuning-bot in Playground" in findings["slack"].line
    assert not list(server.violations)


@pytest.mark.parametrize(
    ("environment", "what", "says"),
    [
        ({"SLACK_BOT_TOKEN": ""}, "tokens", "not set"),
        ({"SLACK_APP_TOKEN": "xoxb-1"}, "tokens", "another kind"),
        ({"SLACK_BOT_TOKEN": "xoxb-wrong"}, "slack", "invalid_auth"),
        ({"SLACK_APP_TOKEN": "xapp-wrong"}, "socket", "connections:write"),
        ({"SLACK_API_URL": "http://127.0.0.1:1/api/"}, "slack", "cannot be reached"),
    ],
    ids=["missing", "the wrong kind", "a wrong bot token", "a wrong app token", "nobody there"],
)
async def test_what_is_wrong_is_said(server: SlackServer, environment: dict[str, str], what: str, says: str) -> None:
    finding = (await found(server, Settings(), **environment))[what]
    assert finding.verdict is Verdict.FAILED
    assert says in finding.says
    assert finding.do


async def test_a_missing_scope_is_named_with_its_reason() -> None:
    lacking: Manifest = dataclasses.replace(MANIFEST, scopes=MANIFEST.scopes - {"users:read"})
    async with SlackServer(lacking) as server:
        finding = (await found(server))["scopes"]
    assert finding.verdict is Verdict.FAILED
    assert "`users:read` (a person's language" in finding.says


async def test_socket_mode_that_is_off_is_named() -> None:
    async with SlackServer(dataclasses.replace(MANIFEST, socket_mode=False)) as server:
        assert "Socket Mode is off" in (await found(server))["socket"].says


async def test_an_answer_without_scopes_is_no_failure(server: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.slack.calls import Calls

    async def who(_: Calls) -> dict[str, Any]:
        return {"user": "bot", "team": "t", "scopes": ""}

    monkeypatch.setattr(Calls, "who", who)
    assert (await found(server))["scopes"].verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("name", "verdict"), [("general", Verdict.OK), ("random", Verdict.FAILED)])
async def test_channels_with_settings_must_have_the_bot(server: SlackServer, name: str, verdict: Verdict) -> None:
    settings = Settings(channels={name: Channel(language="zh")})
    assert (await found(server, settings))["channels"].verdict is verdict


@pytest.mark.parametrize("fault", [ServerError(503), Refuse("access_denied")], ids=["503", "refused"])
async def test_channels_that_cannot_be_listed_are_not_checked(server: SlackServer, fault: Any) -> None:
    server.faults.plan("users.conversations", fault)
    settings = Settings(channels={"general": Channel(language="zh")})
    assert (await found(server, settings))["channels"].verdict is Verdict.UNKNOWN


async def test_the_port_of_http_mode_must_be_free(server: SlackServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(slack=Slack(mode="http", port=taken.getsockname()[1]))
        assert (await found(server, settings))["port"].verdict is Verdict.FAILED
    assert (await found(server, settings))["port"].verdict is Verdict.OK


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "TUNING_BOT_"))}
    command = [sys.executable, "-m", "bot", "check", *arguments]
    return subprocess.run(command, cwd=folder, env=plain | environment, capture_output=True, text=True, check=False)


def test_the_command_fails_where_something_is_missing(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1
    assert "`SLACK_BOT_TOKEN` is not set" in done.stdout
    assert "Something is missing" in done.stdout
    assert done.stderr == ""


def test_a_settings_file_with_a_fault_does_not_end_the_check(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('[slak]\nmode = "http"\n')
    done = run(tmp_path, "--config", "bad.toml")
    assert done.returncode == 1
    assert "Did you mean `slack`?" in done.stdout
    assert "`SLACK_BOT_TOKEN` is not set" in done.stdout


def test_a_bot_that_does_not_run_is_not_alive(tmp_path: Path) -> None:
    done = run(tmp_path, "--alive")
    assert done.returncode == 1
    assert "No bot has written" in done.stdout


async def test_the_command_says_that_all_is_ready(server: SlackServer, tmp_path: Path) -> None:
    import asyncio

    done = await asyncio.to_thread(run, tmp_path, **server.environment)
    assert done.returncode == 0, done.stdout
    assert "Ready: start it with `tuning-bot serve`." in done.stdout
    assert not os.listdir(tmp_path)  # noqa: PTH208 - nothing waits for it


async def test_what_was_said_in_a_channel_is_shown_beside_the_file(server: SlackServer) -> None:
    room = server.workspace.channel("general")
    settings = Settings(channels={"general": Channel(model="llama 3.3 70b")}, defaults=Defaults(vllm_version="0.20"))
    said = [
        ChannelDefault(channel=room.id, name="model", value="qwen2.5 72b", user="U1"),
        ChannelDefault(channel="C404", name="vllm_version", value="0.8.5", user="U2"),
        ChannelDefault(channel="C404", name="language", value="zh", user="U2"),
    ]
    lines = [finding.says async for finding in check_slack(settings, server.environment, said)][-3:]
    assert lines == [
        "In `general` model is `qwen2.5 72b`: U1 said so in chat; the file says `llama 3.3 70b`.",
        "In `C404` vllm_version is `0.8.5`: U2 said so in chat; the file says `0.20`.",
        "In `C404` language is `zh`: U2 said so in chat; the file says nothing.",
    ]
