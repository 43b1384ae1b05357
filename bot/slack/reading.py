"""From Slack's payloads to work: which deliveries mean something, what makes two of them the same, which come one after another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from bot.blocks.message import ACT_SEPARATOR, FEEDBACK, PICK_GPU, PICK_MODEL
from bot.sheet import Act
from bot.slack import heard
from bot.slack.incoming import (
    Acted,
    Asked,
    Attached,
    Commanded,
    Deleted,
    Edited,
    Explained,
    HomeOpened,
    Incoming,
    Message,
    Picked,
    Pressed,
    Rated,
    Shortcut,
)
from bot.slack.payloads import Action, Event, File, Interaction, Slash, Words, Wrapped
from bot.slack.written import question_of

SAID = frozenset([None, "file_share", "thread_broadcast", "me_message"])  # subtypes of what a person wrote
MENUS: dict[str, Literal["model", "gpu"]] = {PICK_MODEL: "model", PICK_GPU: "gpu"}
ACTS: dict[str, Act] = {act.value: act for act in Act}
WHY = "why_not"  # the menu of reasons under “not helpful”
NO_TEXT = frozenset(["image", "audio", "video", "font"])  # kinds of files, by the first half of their type
MOST_FILES = 5  # of one message that are read


@dataclass(frozen=True, slots=True)
class Delivery:
    """`key` is the same for every delivery of one thing; what shares a `lane` is done in order."""

    key: str
    lane: str
    work: Incoming


def read(body: Mapping[str, Any], me: str) -> Delivery | None:
    """The work in a payload, None where there is nothing to do. `me` is the bot's user id."""
    try:
        if "event" in body:
            return _event(Wrapped.model_validate(body), me)
        if "command" in body:
            return _command(Slash.model_validate(body))
        return _interaction(Interaction.model_validate(body))
    except ValidationError:
        return None


def lane_of(channel: str, thread: str | None) -> str:
    """One for each thread; beside threads, one for each direct conversation."""
    return f"{channel} {thread or ''}"


def _event(wrapped: Wrapped, me: str) -> Delivery | None:
    event = wrapped.event
    match event.type, event.subtype:
        case "app_home_opened", _ if event.tab == "home" and event.user:
            return Delivery(wrapped.event_id, f"home {event.user}", HomeOpened(user=event.user))
        case "message", "message_changed":
            return _changed(wrapped, me)
        case "message", "message_deleted":
            return _gone(event.channel, event.deleted_ts, event.previous_message, me)
        case (("message" | "app_mention"), subtype) if subtype in SAID:
            return _said(event, me)
    return None


def _said(event: Event, me: str) -> Delivery | None:
    """A mention comes twice, as `app_mention` and as `message`: its place in the channel makes the two the same."""
    message = Words(
        ts=event.ts, text=event.text, user=event.user, bot_id=event.bot_id, thread_ts=event.thread_ts, files=event.files
    )
    values = _message(event, message, me)
    if values is None:
        return None
    work = Asked(**values)
    return Delivery(f"asked {work.channel} {work.ts}", _lane(work), work)


def _changed(wrapped: Wrapped, me: str) -> Delivery | None:
    """An edit, or a deleted first message of a thread, which Slack replaces by a tombstone. Previews change no text."""
    event = wrapped.event
    if event.message is None:
        return None
    if event.message.subtype == "tombstone":
        return _gone(event.channel, event.message.ts, event.previous_message, me)
    values = _message(event, event.message, me)
    if values is None or (event.previous_message and event.previous_message.text == event.message.text):
        return None
    work = Edited(**values)
    return Delivery(wrapped.event_id, _lane(work), work)


def _gone(channel: str, ts: str | None, before: Words | None, me: str) -> Delivery | None:
    if not ts or (before and before.bot_id):
        return None
    direct = channel.startswith("D")
    thread = _thread(before) if before else None
    concerns = direct or (before is not None and me in heard.mentions(before.text))
    work = Deleted(channel=channel, ts=ts, thread=thread, concerns=concerns)
    return Delivery(f"deleted {channel} {ts}", lane_of(channel, thread or (None if direct else ts)), work)


def _message(event: Event, message: Words, me: str) -> dict[str, Any] | None:
    """What a person wrote; None for what bots and the bot itself did."""
    if message.bot_id or message.user in {None, me, "USLACKBOT"} or not event.channel or not message.ts:
        return None
    people = heard.mentions(message.text)
    return {
        "channel": event.channel,
        "ts": message.ts,
        "thread": _thread(message),
        "user": message.user,
        "text": heard.plain(message.text),
        "direct": event.channel_type == "im" or event.channel.startswith("D"),
        "addressed": me in people or event.type == "app_mention",
        "to_others": bool(people - {me}),
        "files": _attached(message.files),
    }


def _attached(files: Sequence[File]) -> tuple[Attached, ...]:
    """The files that can be logs; pictures, sound and films are none."""
    texts = [file for file in files if file.mimetype.partition("/")[0] not in NO_TEXT]
    return tuple(
        Attached(id=file.id, name=file.name, size=file.size, url=file.url_private_download)
        for file in texts[:MOST_FILES]
    )


def _thread(message: Words) -> str | None:
    """A thread's first message carries its own timestamp as the thread's once it has replies."""
    return message.thread_ts if message.thread_ts != message.ts else None


def _lane(message: Message) -> str:
    return lane_of(message.channel, message.thread or (None if message.direct else message.ts))


def _command(slash: Slash) -> Delivery:
    work = Commanded(
        channel=slash.channel_id,
        user=slash.user_id,
        respond=slash.response_url,
        text=heard.plain(slash.text),
        trigger=slash.trigger_id,
    )
    return Delivery(f"trigger {slash.trigger_id}", f"trigger {slash.trigger_id}", work)


def _interaction(asked: Interaction) -> Delivery | None:
    key = f"trigger {asked.trigger_id or asked.response_url}"
    reached = {
        "channel": asked.channel.id if asked.channel else "",
        "user": asked.user.id,
        "respond": asked.response_url,
    }
    match asked.type:
        case "message_action" if asked.message is not None:
            thread = asked.message.thread_ts
            text, files = heard.plain(asked.message.text), _attached(asked.message.files)
            return Delivery(key, key, Shortcut(**reached, text=text, thread=thread, files=files))
        case "block_actions" if asked.actions and asked.response_url:
            question, work = _action(asked, asked.actions[0], reached)
            return Delivery(key, f"answer {question or key}", work)
    return None


def _action(asked: Interaction, action: Action, reached: dict[str, Any]) -> tuple[str | None, Incoming]:
    """What was pressed, and the question under whose answer."""
    place, question = asked.container, question_of(action.block_id)
    if question and action.action_id in MENUS and action.selected_option:
        return question, Picked(
            **reached,
            question=question,
            menu=MENUS[action.action_id],
            value=action.selected_option.value,
            ts=place.message_ts,
            ephemeral=place.is_ephemeral,
        )
    if question and action.action_id == FEEDBACK and action.value in {"helpful", "not-helpful"}:
        return question, Rated(**reached, question=question, value=action.value, thread=place.thread_ts)
    if question and action.action_id == WHY and action.selected_option:
        return question, Explained(**reached, question=question, reason=action.selected_option.value)
    act = ACTS.get(action.action_id.partition(ACT_SEPARATOR)[0])
    value = action.selected_option.value if action.selected_option else action.value
    if question and act and value is not None:
        return question, Acted(
            **reached,
            act=act,
            value=value,
            question=question,
            ts=place.message_ts,
            thread=place.thread_ts,
            ephemeral=place.is_ephemeral,
        )
    return question, Pressed(**reached, thread=place.thread_ts)
