"""Buttons, menus and shortcuts: what reaches the app is what the element offers, and only who sees it can click."""

from dataclasses import replace
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, SlackServer
from bot.playground.server.selections import CannotChoose, chosen, find_element, initial
from bot.playground.server.workspace import UnknownName


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def option(value: str) -> dict[str, Any]:
    return {"text": plain(value), "value": value}


MENU = {"type": "static_select", "action_id": "model", "options": [option("7b"), option("72b")]}
GROUPED = {
    "type": "static_select",
    "action_id": "gpu",
    "option_groups": [{"label": plain("NVIDIA"), "options": [option("a100")]}],
}
FEEDBACK = {
    "type": "feedback_buttons",
    "action_id": "feedback",
    "positive_button": {"text": plain("Good"), "value": "+"},
    "negative_button": {"text": plain("Bad"), "value": "-"},
}
EXTERNAL = {"type": "external_select", "action_id": "search", "min_query_length": 2}


@pytest.mark.parametrize(
    ("element", "value", "state"),
    [
        ({"type": "button", "text": plain("Go"), "value": "1"}, None, {"text": plain("Go"), "value": "1"}),
        ({"type": "button", "text": plain("Go")}, "2", {"text": plain("Go"), "value": "2"}),
        (MENU, "72b", {"selected_option": option("72b")}),
        (MENU, None, {"selected_option": None}),
        (GROUPED, "a100", {"selected_option": option("a100")}),
        ({**MENU, "type": "multi_static_select"}, ["7b", "72b"], {"selected_options": [option("7b"), option("72b")]}),
        ({**MENU, "type": "checkboxes"}, "7b", {"selected_options": [option("7b")]}),
        (EXTERNAL, option("llama"), {"selected_option": option("llama")}),
        (FEEDBACK, "-", {"text": plain("Bad"), "value": "-"}),
        ({"type": "datepicker"}, "2026-12-01", {"selected_date": "2026-12-01"}),
        ({"type": "multi_users_select"}, "U1", {"selected_users": ["U1"]}),
        ({"type": "plain_text_input"}, "words", {"value": "words"}),
        ({"type": "number_input"}, None, {"value": None}),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else None,
)
def test_a_choice_has_the_form_of_its_element(element: dict[str, Any], value: Any, state: dict[str, Any]) -> None:
    assert chosen({"action_id": "a", **element}, value) == {"type": element["type"], **state}


@pytest.mark.parametrize(("element", "value"), [(MENU, "405b"), (GROUPED, "7b"), (FEEDBACK, "0"), (EXTERNAL, "llama")])
def test_what_an_element_does_not_offer_cannot_be_chosen(element: dict[str, Any], value: str) -> None:
    with pytest.raises(CannotChoose):
        chosen(element, value)


def test_an_untouched_element_keeps_its_initial_choice() -> None:
    assert initial({"type": "plain_text_input", "initial_value": "x"}) == {"type": "plain_text_input", "value": "x"}
    assert initial({**MENU, "initial_option": option("7b")})["selected_option"] == option("7b")


async def test_elements_are_found_at_any_depth_and_have_ids(server: SlackServer, client: AsyncWebClient) -> None:
    general = server.workspace.channel("general")
    card = {
        "type": "card",
        "title": {"type": "mrkdwn", "text": "c"},
        "actions": [{"type": "button", "text": plain("Go"), "action_id": "in-card"}],
    }
    section = {"type": "section", "text": plain("x"), "accessory": {**MENU, "action_id": "in-section"}}
    blocks: list[dict[str, Any]] = [
        {"type": "actions", "elements": [{"type": "button", "text": plain("Go")}]},
        {"type": "container", "title": plain("t"), "child_blocks": [section]},
        {"type": "carousel", "elements": [card]},
        {"type": "section", "text": plain("x"), "accessory": {"type": "image", "alt_text": "a", "image_url": "u"}},
    ]
    posted = await client.chat_postMessage(channel=general.id, text="x", blocks=blocks)
    shown = general.messages[posted["ts"]].blocks
    assert all(block["block_id"] for block in shown)
    assert shown[0]["elements"][0]["action_id"]
    assert find_element(shown, "in-section")[1]["type"] == "static_select"
    assert find_element(shown, "in-card")[1]["type"] == "button"
    with pytest.raises(CannotChoose, match="no element"):
        find_element(shown, "nowhere")


@pytest.fixture
async def actions(app: AsyncApp, connect: Any) -> list[dict[str, Any]]:
    """What the app hears of every action."""
    heard: list[dict[str, Any]] = []

    async def listen(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        heard.append(body)

    for action_id in ("model", "feedback", "gone"):
        app.action(action_id)(listen)
    await connect(app)
    return heard


async def test_a_menu_in_a_thread_says_where_it_stands_and_keeps_its_state(
    server: SlackServer, client: AsyncWebClient, actions: list[dict[str, Any]]
) -> None:
    general = server.workspace.channel("general")
    question = server.people.say("general", "alice", "which?")
    block = {"type": "actions", "block_id": "menus", "elements": [MENU]}
    posted = await client.chat_postMessage(channel=general.id, text="x", blocks=[block], thread_ts=question.ts)
    message = general.messages[posted["ts"]]
    delivery = await server.people.click("alice", message, "model", "72b")
    assert delivery.acked
    (body,) = actions
    assert body["actions"][0]["selected_option"] == option("72b")
    assert (body["container"]["thread_ts"], body["container"]["is_ephemeral"]) == (question.ts, False)
    assert body["state"]["values"]["menus"]["model"]["selected_option"]["value"] == "72b"
    assert body["message"]["ts"] == message.ts
    with pytest.raises(CannotChoose, match="does not see"):
        await server.people.click("bob", server.workspace.whisper(_whispered(server)), "model", "7b")


def _whispered(server: SlackServer) -> Any:
    from bot.playground.server.state import Ephemeral

    alice = server.workspace.user("alice").id
    general = server.workspace.channel("general").id
    return Ephemeral(
        general, alice, server.workspace.ids.timestamp(), "x", [{"type": "actions", "elements": [MENU]}], "ack"
    )


async def test_an_ephemeral_message_is_clicked_by_its_reader(
    server: SlackServer, actions: list[dict[str, Any]]
) -> None:
    ephemeral = server.workspace.whisper(_whispered(server))
    await server.people.click("alice", ephemeral, "model", "7b")
    (body,) = actions
    assert (body["container"]["is_ephemeral"], "message" in body, "response_url" in body) == (True, False, True)


async def test_an_element_that_is_no_longer_there_can_still_be_reported(
    server: SlackServer, client: AsyncWebClient, actions: list[dict[str, Any]]
) -> None:
    posted = await client.chat_postMessage(channel=server.workspace.channel("general").id, text="x")
    message = server.workspace.channel("general").messages[posted["ts"]]
    stale = {"type": "button", "action_id": "gone", "block_id": "b", "value": "?"}
    assert (await server.people.act("alice", message, stale)).acked
    assert actions[0]["actions"][0]["value"] == "?"


async def test_a_label_comes_back_escaped(
    server: SlackServer, client: AsyncWebClient, actions: list[dict[str, Any]]
) -> None:
    general = server.workspace.channel("general")
    button = {"type": "button", "action_id": "gone", "text": plain("R&D"), "value": "R&D"}
    blocks = [{"type": "actions", "elements": [button]}]
    posted = await client.chat_postMessage(channel=general.id, text="x", blocks=blocks)
    await server.people.click("alice", general.messages[posted["ts"]], "gone")
    (body,) = actions
    assert body["actions"][0]["text"]["text"] == "R&amp;D"
    assert body["actions"][0]["value"] == "R&D"
    assert body["message"]["blocks"][0]["elements"][0]["text"]["text"] == "R&amp;D"


async def test_a_view_is_clicked_without_a_channel(server: SlackServer, actions: list[dict[str, Any]]) -> None:
    body = {"type": "home", "blocks": [{"type": "actions", "elements": [MENU]}]}
    view = server.people.modals.publish(server.workspace.user("alice").id, body)
    await server.people.click("alice", view, "model", "7b")
    (heard,) = actions
    assert (heard["container"]["type"], heard["view"]["id"], "channel" in heard) == ("view", view.id, False)


async def test_an_external_menu_asks_the_app(
    server: SlackServer, client: AsyncWebClient, app: AsyncApp, connect: Any
) -> None:
    @app.options("search")
    async def offer(ack: Any, body: dict[str, Any]) -> None:
        await ack(options=[option(body["value"] + "-72b")])

    await connect(app)
    general = server.workspace.channel("general")
    blocks = [{"type": "actions", "elements": [EXTERNAL]}]
    posted = await client.chat_postMessage(channel=general.id, text="x", blocks=blocks)
    offered = await server.people.suggest("alice", general.messages[posted["ts"]], "search", "qwen")
    assert offered == [option("qwen-72b")]


async def test_a_message_shortcut_brings_its_message(server: SlackServer, app: AsyncApp, connect: Any) -> None:
    texts = []

    @app.shortcut("diagnose_log")
    async def diagnose(ack: Any, shortcut: dict[str, Any]) -> None:
        await ack()
        texts.append(shortcut["message"]["text"])

    await connect(app)
    message = server.people.say("general", "bob", "ERROR out of memory")
    assert (await server.people.shortcut("alice", "diagnose_log", message)).acked
    assert texts == ["ERROR out of memory"]


async def test_a_global_shortcut_has_a_trigger(manifest: Manifest, client_for: Any, connected_to: Any) -> None:
    triggers = []
    async with SlackServer(replace(manifest, shortcuts={"ask": "global"})) as server:
        app = AsyncApp(client=client_for(server))

        @app.shortcut("ask")
        async def ask(ack: Any, shortcut: dict[str, Any]) -> None:
            await ack()
            triggers.append(shortcut["trigger_id"])

        async with connected_to(app, server):
            await server.people.shortcut("alice", "ask")
    assert len(triggers) == 1


@pytest.mark.parametrize(
    "impossible",
    [
        lambda server, message: server.people.slash("general", "alice", "/other"),
        lambda server, message: server.people.slash("gpu-ops", "xiaoming", "/vllm"),
        lambda server, message: server.people.shortcut("alice", "diagnose_log"),
        lambda server, message: server.people.shortcut("alice", "other", message),
    ],
    ids=["no such command", "not a member", "a message shortcut without a message", "no such shortcut"],
)
async def test_people_use_only_what_the_manifest_offers(server: SlackServer, impossible: Any) -> None:
    message = server.people.say("general", "bob", "x")
    with pytest.raises(UnknownName):
        await impossible(server, message)


async def test_nothing_is_clickable_without_interactivity(manifest: Manifest) -> None:
    async with SlackServer(replace(manifest, interactivity=False)) as server:
        ephemeral = server.workspace.whisper(_whispered(server))
        with pytest.raises(UnknownName, match="interactivity"):
            await server.people.click("alice", ephemeral, "model", "7b")
