"""Whether the bot could serve: tokens, scopes, connection, channels, store."""

import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from bot.checks import Finding, failed, ok, unknown
from bot.settings import Settings, Slack
from bot.slack import tokens
from bot.slack.calls import CallFailed, Calls, Refused
from bot.slack.origins import in_the_file
from bot.slack.scopes import CONNECTIONS, SCOPES
from bot.slack.tokens import APP, BOT, WHERE, Tokens
from bot.store.channel_defaults import ChannelDefault
from knowledge.errors import Refusal

REINSTALL = (
    "Add them under OAuth & Permissions of the app, or paste deploy/slack-manifest.yaml again, and reinstall it."
)


async def check_slack(
    settings: Settings, environment: Mapping[str, str], said: Sequence[ChannelDefault] = ()
) -> AsyncIterator[Finding]:
    """Every finding about Slack, as soon as it is known. Nothing is posted and no event is taken from a bot that runs.

    `said` is what channels were given in chat; it is shown beside what the file says.
    """
    mode = settings.slack.mode
    missing = tokens.problems(environment, mode)
    for problem in missing:
        yield failed("tokens", problem)
    if missing:
        yield unknown("slack", "Slack is not asked until the tokens are right.")
        return
    yield ok("tokens", "Everything that is needed is set.")
    secrets = tokens.read(environment, mode)
    calls = Calls(secrets.bot.get_secret_value(), secrets.api)
    try:
        async for finding in _ask(calls, secrets, settings):
            yield finding
        for finding in await _said(calls, settings, said):
            yield finding
    finally:
        await calls.close()


async def _ask(calls: Calls, secrets: Tokens, settings: Settings) -> AsyncIterator[Finding]:
    try:
        who = await calls.who()
    except CallFailed as fault:
        yield failed("slack", _why(fault, BOT, secrets.api))
        return
    yield ok("slack", f"The bot is {who['user']} in {who['team']}.")
    yield _scopes(str(who["scopes"]))
    if settings.slack.mode == "http":
        yield _port(settings.slack)
    else:
        yield await _connection(calls, secrets)
    for finding in await _channels(calls, settings):
        yield finding
    yield unknown("commands", "Slack does not say which commands are installed: type `/vllm help` there.")


def _scopes(given: str) -> Finding:
    has = {scope.strip() for scope in given.split(",") if scope.strip()}
    if not has:
        return unknown("scopes", "Slack did not say which scopes the token has.")
    lacking = [f"`{scope}` ({why})" for scope, why in SCOPES.items() if scope not in has]
    if lacking:
        return failed("scopes", Refusal("missing-scopes", f"The token lacks {', '.join(lacking)}.", REINSTALL))
    return ok("scopes", f"All {len(SCOPES)} are there.")


async def _connection(calls: Calls, secrets: Tokens) -> Finding:
    """A link is asked for and not dialled: Slack would send events to it that a running bot is to have."""
    assert secrets.app is not None
    try:
        await calls.socket_url(secrets.app.get_secret_value())
    except CallFailed as fault:
        return failed("socket", _why(fault, APP, secrets.api))
    return ok("socket", "Slack gives a link for Socket Mode.")


def _port(slack: Slack) -> Finding:
    try:
        with socket.create_server((slack.host, slack.port)):
            return ok(
                "port", f"{slack.host}:{slack.port} is free; Slack's request URL must lead to /slack/events there."
            )
    except OSError as fault:
        error = f"The bot cannot listen on `{slack.host}:{slack.port}`: {fault.strerror}."
        return failed(
            "port", Refusal("port-taken", error, "Stop what listens there (the bot itself?) or set another `port`.")
        )


async def _channels(calls: Calls, settings: Settings) -> list[Finding]:
    """Those that have settings of their own: a name that the bot does not know has no effect."""
    if not settings.channels:
        return []
    try:
        known = await calls.channels()
    except CallFailed:
        return [unknown("channels", "Slack did not list the bot's channels.")]
    return list(_named(settings, known))


async def _said(calls: Calls, settings: Settings, said: Sequence[ChannelDefault]) -> list[Finding]:
    """What holds in channels because of what was said there."""
    if not said:
        return []
    try:
        known = await calls.channels()
    except CallFailed:
        known = {}
    return [_both(default, settings, known.get(default.channel)) for default in said]


def _both(default: ChannelDefault, settings: Settings, name: str | None) -> Finding:
    section = settings.channels.get(default.channel) or settings.channels.get(name or "")
    in_file = in_the_file(section, settings, default.name)
    file = f"the file says `{in_file}`" if in_file else "the file says nothing"
    says = (
        f"In `{name or default.channel}` {default.name} is `{default.value}`: {default.user} said so in chat; {file}."
    )
    return ok("settings", says)


def _named(settings: Settings, known: Mapping[str, str]) -> Iterator[Finding]:
    for name in settings.channels:
        if name in known or name in known.values():
            yield ok("channels", f"The bot is in `{name}`.")
        else:
            error = f"The bot is in no channel `{name}`, which has settings."
            yield failed(
                "channels", Refusal("unknown-channel", error, f"Correct the name, or type `/invite @bot` in {name}.")
            )


def _why(fault: CallFailed, name: str, api: str) -> Refusal:
    if not isinstance(fault, Refused):
        return Refusal(
            "slack-unreachable",
            f"Slack cannot be reached at `{api}` ({type(fault).__name__}).",
            "Check the network, `HTTPS_PROXY` and `SLACK_API_URL`.",
        )
    if fault.code == "socket_mode_not_enabled":
        return Refusal("socket-mode-off", "Socket Mode is off.", "Switch it on under Socket Mode of the app.")
    also = f" It needs the scope `{CONNECTIONS}`." if name == APP else ""
    return Refusal(
        "token-refused", f"Slack refuses `{name}`: {fault.code}.{also}", f"Set the right one: {WHERE[name]}."
    )
