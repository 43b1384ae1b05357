"""Which deliveries mean work, and which two are the same."""

from typing import Any

import pytest

from bot.slack.incoming import (
    Asked,
    Commanded,
    Deleted,
    Edited,
    HomeOpened,
    Incoming,
    Picked,
    Pressed,
    Rated,
    Shortcut,
)
from bot.slack.reading import Delivery, read

ME = "UBOT"


def event(**fields: Any) -> dict[str, Any]:
    message = {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "ts": "5.0",
        "text": "fits?",
    }
    return {"event_id": "Ev1", "event": message | fields}


def of(body: dict[str, Any]) -> Delivery:
    delivery = read(body, ME)
    assert delivery is not None
    return delivery


def work(body: dict[str, Any]) -> Incoming:
    return of(body).work


def test_a_mention_is_the_same_as_the_message_that_it_is() -> None:
    said = event(text="<@UBOT> fits?")
    mentioned = event(text="<@UBOT> fits?", type="app_mention") | {"event_id": "Ev2"}
    assert of(said) == of(mentioned)
    assert work(said) == Asked(
        channel="C1", ts="5.0", thread=None, user="U1", text="fits?", direct=False, addressed=True, to_others=False
    )


def test_a_message_to_the_bot_alone_needs_no_mention() -> None:
    asked = work(event(channel="D1", channel_type="im"))
    assert isinstance(asked, Asked)
    assert (asked.direct, asked.addressed) == (True, False)


def test_who_else_is_mentioned_is_noticed() -> None:
    asked = work(event(text="<@UBOT> <@U2> fits?"))
    assert isinstance(asked, Asked)
    assert asked.to_others


@pytest.mark.parametrize(
    ("fields", "lane"),
    [
        ({}, "C1 5.0"),
        ({"thread_ts": "1.0"}, "C1 1.0"),
        ({"thread_ts": "5.0"}, "C1 5.0"),
        ({"channel": "D1", "channel_type": "im"}, "D1 "),
        ({"channel": "D1", "channel_type": "im", "thread_ts": "1.0"}, "D1 1.0"),
    ],
    ids=["a thread of its own", "in a thread", "the first of a thread", "direct", "in a direct thread"],
)
def test_what_belongs_together_is_done_in_order(fields: dict[str, Any], lane: str) -> None:
    assert of(event(**fields)).lane == lane


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "B1"},
        {"user": ME},
        {"user": None},
        {"user": "USLACKBOT"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message", "bot_id": "B1"},
        {"type": "reaction_added"},
        {"channel": ""},
        {"ts": 5},
        {"type": "app_home_opened", "tab": "messages"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
    ],
    ids=[
        "a bot", "the bot itself", "nobody", "Slackbot", "somebody joined", "an old bot", "a reaction", "nowhere",
        "a number for a time", "another tab", "nothing changed", "nothing deleted",
    ],
)  # fmt: skip
def test_what_is_not_for_the_bot_means_nothing(fields: dict[str, Any]) -> None:
    assert read(event(**fields), ME) is None


def changed(text: str, before: str = "fits?", **fields: Any) -> dict[str, Any]:
    message = {"ts": "5.0", "user": "U1", "text": text} | fields
    return event(subtype="message_changed", message=message, previous_message={"ts": "5.0", "text": before})


def test_an_edit_is_known_by_its_event() -> None:
    delivery = of(changed("<@UBOT> and 8?"))
    assert delivery.key == "Ev1"
    assert isinstance(delivery.work, Edited)
    assert delivery.work.text == "and 8?"


@pytest.mark.parametrize("body", [changed("fits?"), changed("x", bot_id="B1")], ids=["a preview", "the bot's own"])
def test_a_change_without_another_text_means_nothing(body: dict[str, Any]) -> None:
    assert read(body, ME) is None


@pytest.mark.parametrize(
    ("body", "concerns"),
    [
        (event(subtype="message_deleted", deleted_ts="5.0"), False),
        (event(subtype="message_deleted", deleted_ts="5.0", previous_message={"ts": "5.0", "text": "<@UBOT>"}), True),
        (event(subtype="message_deleted", deleted_ts="5.0", channel="D1"), True),
        (changed("This message was deleted.", subtype="tombstone"), False),
    ],
    ids=["somebody's", "a mention", "direct", "the first of a thread"],
)
def test_a_deletion_is_noticed(body: dict[str, Any], concerns: bool) -> None:
    gone = work(body)
    assert isinstance(gone, Deleted)
    assert (gone.ts, gone.concerns) == ("5.0", concerns)


def test_a_deleted_message_of_a_bot_means_nothing() -> None:
    before = {"ts": "5.0", "bot_id": "B1"}
    assert read(event(subtype="message_deleted", deleted_ts="5.0", previous_message=before), ME) is None


def test_the_home_tab() -> None:
    assert work(event(type="app_home_opened", tab="home")) == HomeOpened(user="U1")


def test_a_command() -> None:
    slash = {
        "command": "/vllm", "channel_id": "C1", "user_id": "U1", "text": "fit <@U2> a", "response_url": "https://r",
        "trigger_id": "T1",
    }  # fmt: skip
    delivery = of(slash)
    assert delivery.key == "trigger T1"
    assert delivery.work == Commanded(channel="C1", user="U1", respond="https://r", text="fit   a", trigger="T1")


def pressed(**action: Any) -> dict[str, Any]:
    return {
        "type": "block_actions", "user": {"id": "U1"}, "channel": {"id": "C1"}, "trigger_id": "T1",
        "response_url": "https://r", "container": {"message_ts": "6.0", "thread_ts": "5.0", "is_ephemeral": False},
        "actions": [action],
    }  # fmt: skip


def test_a_choice_says_under_which_answer() -> None:
    body = pressed(action_id="pick_gpu", block_id="menus:2:C1-5.0", selected_option={"value": "H20-96GB"})
    assert work(body) == Picked(
        channel="C1", user="U1", respond="https://r", question="C1-5.0", menu="gpu", value="H20-96GB", ts="6.0",
        ephemeral=False,
    )  # fmt: skip


def test_a_thumb_says_under_which_answer() -> None:
    body = pressed(action_id="feedback", block_id="feedback:0:C1-5.0", value="not-helpful")
    assert work(body) == Rated(
        channel="C1", user="U1", respond="https://r", question="C1-5.0", value="not-helpful", thread="5.0"
    )


@pytest.mark.parametrize(
    "action",
    [
        {"action_id": "launch", "block_id": "menus:2:C1-5.0"},
        {"action_id": "pick_gpu", "block_id": "other", "selected_option": {"value": "H20-96GB"}},
        {"action_id": "pick_gpu", "block_id": "menus:2:C1-5.0", "selected_option": None},
        {"action_id": "feedback", "block_id": "feedback:0:C1-5.0", "value": "<!channel>"},
    ],
    ids=["unknown", "another message", "nothing chosen", "no thumb"],
)
def test_anything_else_is_only_a_press(action: dict[str, Any]) -> None:
    assert isinstance(work(pressed(**action)), Pressed)


def test_a_shortcut() -> None:
    body = {
        "type": "message_action", "user": {"id": "U1"}, "channel": {"id": "C1"}, "trigger_id": "T1",
        "response_url": "https://r", "callback_id": "diagnose_log", "message": {"ts": "5.0", "text": "a &lt; b"},
    }  # fmt: skip
    assert work(body) == Shortcut(channel="C1", user="U1", respond="https://r", text="a < b", thread=None)


@pytest.mark.parametrize(
    "body",
    [{}, {"type": "view_submission", "user": {"id": "U1"}}, pressed() | {"response_url": ""}, {"event": 5}],
    ids=["nothing", "a view", "a press in a view", "no event"],
)
def test_payloads_without_work(body: dict[str, Any]) -> None:
    assert read(body, ME) is None
