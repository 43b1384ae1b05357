"""The agent view: status lines, titles and suggested prompts of threads, and an agent session's status."""

from bot.playground.server.blocks.rules import Items, Shape, Str
from bot.playground.server.errors import SlackError
from bot.playground.server.state import AgentThread, Channel, Json
from bot.playground.server.web_api.arguments import array, optional, required, text, timestamp
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import joined_channel

LOADING_MESSAGES = Items(Str(), 10, least=0)
PROMPTS = Items(Shape({"title": Str(), "message": Str()}), 4)
STATUS_SCOPES = {"chat:write", "assistant:write"}
"""Either will do (docs.slack.dev changelog, March 2026)."""
SESSION_STATUSES = ("active", "processing", "suspended", "closed")
SESSION_TITLE = 200


def _thread(backstage: Backstage, given: Json) -> AgentThread:
    if not backstage.manifest.agent_view:
        raise SlackError("not_enabled")
    channel = joined_channel(backstage, given["channel_id"])
    thread_ts = given.get("thread_ts") or _latest(channel)
    parent = channel.messages.get(thread_ts)
    if parent is None or parent.deleted or parent.thread_ts:
        raise SlackError("invalid_thread_ts", detail="Thread not found")
    return backstage.workspace.agent_thread(channel.id, thread_ts)


def _latest(channel: Channel) -> str:
    """The message that prompts belong to when no thread is named: the last one at top level."""
    shown = channel.top_level()
    return shown[-1].ts if shown else ""


def _status(backstage: Backstage, given: Json) -> Json:
    provided = backstage.manifest.scopes
    if not provided & STATUS_SCOPES:
        raise SlackError("missing_scope", needed="chat:write", provided=",".join(sorted(provided)))
    thread = _thread(backstage, given)
    if problems := list(LOADING_MESSAGES.check(given.get("loading_messages", []), "/loading_messages")):
        raise SlackError("invalid_arguments", *problems)
    thread.status = given["status"]
    thread.statuses.append(given["status"])
    return {}


def _title(backstage: Backstage, given: Json) -> Json:
    _thread(backstage, given).title = given["title"]
    return {}


def _prompts(backstage: Backstage, given: Json) -> Json:
    if problems := list(PROMPTS.check(given["prompts"], "/prompts")):
        raise SlackError("invalid_arguments", *problems)
    _thread(backstage, given).prompts = given["prompts"]
    return {}


def _session(backstage: Backstage, given: Json) -> Json:
    if given["status"] not in SESSION_STATUSES:
        raise SlackError("invalid_arguments", f"must be one of {', '.join(SESSION_STATUSES)} [json-pointer:/status]")
    if len(given.get("title", "")) > SESSION_TITLE:
        raise SlackError("invalid_arguments", f"must be less than {SESSION_TITLE + 1} characters [json-pointer:/title]")
    thread = _thread(backstage, given)
    thread.session = given["status"]
    return {"status": thread.session}


WHERE = {"channel_id": required(text), "thread_ts": required(timestamp)}

METHODS = (
    Method(
        "assistant.threads.setStatus",
        _status,
        {**WHERE, "status": required(text), "loading_messages": optional(array)},
    ),
    Method("assistant.threads.setTitle", _title, {**WHERE, "title": required(text)}, ("assistant:write",), tier=4),
    Method(
        "assistant.threads.setSuggestedPrompts",
        _prompts,
        {**WHERE, "thread_ts": optional(timestamp), "prompts": required(array), "title": optional(text)},
        ("assistant:write",),
        tier=4,
    ),
    Method(
        "agents.sessions.setStatus",
        _session,
        {**WHERE, "status": required(text), "title": optional(text), "initiator_user_id": optional(text)},
        ("chat:write",),
    ),
)
