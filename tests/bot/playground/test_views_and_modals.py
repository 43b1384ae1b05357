"""Modals and the Home tab: opened by a trigger, filled in, submitted, stacked, updated and closed."""

from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Rule, SlackServer, view_problems
from bot.playground.server.selections import CannotChoose

View = dict[str, Any]


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def modal(*blocks: dict[str, Any], **fields: Any) -> View:
    return {"type": "modal", "title": plain("Ask"), "submit": plain("Send"), "blocks": list(blocks), **fields}


def question(**element: Any) -> dict[str, Any]:
    text = {"type": "plain_text_input", "action_id": "text", **element}
    return {"type": "input", "block_id": "question", "label": plain("Question"), "element": text}


@pytest.mark.parametrize(
    ("accepted", "refused_view"),
    [
        (modal(title=plain("x" * 24)), modal(title=plain("x" * 25))),
        (modal(close=plain("x" * 24)), modal(close=plain("x" * 25))),
        (modal(private_metadata="x" * 3000), modal(private_metadata="x" * 3001)),
        (modal(callback_id="x" * 255), modal(callback_id="x" * 256)),
        (modal(question()), {"type": "modal", "title": plain("x"), "blocks": [question()]}),
        (
            {"type": "home", "blocks": [{"type": "divider"}] * 100},
            {"type": "home", "blocks": [{"type": "divider"}] * 101},
        ),
        (modal(), modal({"type": "markdown", "text": "x"})),
        (modal(), {"type": "window", "blocks": []}),
        (modal(), {**modal(), "blocks": "none"}),
        (modal(), []),
        (
            modal(*[{"type": "section", "text": {"type": "plain_text", "text": "x" * 2400}}] * 100),
            modal(*[{"type": "section", "text": {"type": "plain_text", "text": "x" * 2500}}] * 100),
        ),
    ],
    ids=[
        "title",
        "close",
        "private metadata",
        "callback id",
        "submit with an input",
        "Home blocks",
        "no markdown in a modal",
        "types",
        "blocks are an array",
        "an object",
        "250 kB",
    ],
)
def test_a_view_is_accepted_within_the_rules_and_refused_beyond(accepted: View, refused_view: Any) -> None:
    assert view_problems(accepted) == []
    assert view_problems(refused_view) != []


@pytest.fixture
async def asking(server: SlackServer, app: AsyncApp, connect: Any) -> AsyncApp:
    """An app whose slash command opens a modal."""

    @app.command("/vllm")
    async def ask(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal(question(), callback_id="ask"))

    await connect(app)
    return app


async def opened(server: SlackServer) -> Any:
    """Alice's modal, opened by the slash command."""
    await server.people.slash("general", "alice", "/vllm", "ask")
    return await server.observed.wait_for_modal("alice")


async def test_a_submitted_modal_carries_what_was_filled_in_and_closes(server: SlackServer, asking: AsyncApp) -> None:
    heard = []

    @asking.view("ask")
    async def sent(ack: Any, view: dict[str, Any]) -> None:
        heard.append(view["state"]["values"]["question"]["text"]["value"])
        await ack()

    delivery = await server.people.submit(await opened(server), {"text": "will it fit?"})
    assert delivery.acked
    assert heard == ["will it fit?"]
    assert server.observed.modal("alice") is None
    assert not list(server.violations)


@pytest.mark.parametrize(
    ("answer", "title", "errors", "depth"),
    [
        ({"response_action": "errors", "errors": {"question": "too short"}}, "Ask", {"question": "too short"}, 1),
        ({"response_action": "update", "view": modal(title=plain("Done"))}, "Done", {}, 1),
        ({"response_action": "push", "view": modal(title=plain("More"))}, "More", {}, 2),
        ({"response_action": "clear"}, None, {}, 0),
    ],
    ids=["errors", "update", "push", "clear"],
)
async def test_the_acknowledgement_says_what_happens_to_the_modal(
    server: SlackServer, asking: AsyncApp, answer: Any, title: str | None, errors: dict[str, str], depth: int
) -> None:
    @asking.view("ask")
    async def sent(ack: Any) -> None:
        await ack(**answer)

    view = await opened(server)
    await server.people.submit(view, {"text": "x"})
    shown = server.observed.modal("alice")
    assert (shown and shown.body["title"]["text"]) == title
    assert view.errors == errors
    assert len(server.people.modals.stack(view.user)) == depth
    assert not list(server.violations)


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "errors", "errors": {"elsewhere": "no such block"}},
        {"response_action": "errors", "errors": {}},
        {"response_action": "update", "view": {"type": "home", "blocks": []}},
        {"response_action": "explode"},
    ],
    ids=["errors for a block that is not there", "no errors", "a view that may not come here", "an unknown action"],
)
async def test_an_acknowledgement_that_slack_would_not_take_is_recorded(
    server: SlackServer, asking: AsyncApp, answer: Any
) -> None:
    @asking.view("ask")
    async def sent(ack: Any) -> None:
        await ack(answer)

    await server.people.submit(await opened(server), {"text": "x"})
    assert [violation.rule for violation in server.violations] == [Rule.BAD_ACK]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({}, "must be filled in"), ({"text": "x", "extra": "y"}, "no input `extra`"), ({"text": "x" * 9}, "takes 8")],
    ids=["a required input left empty", "an input that is not there", "too long"],
)
async def test_the_form_keeps_people_from_submitting_nonsense(
    server: SlackServer, values: dict[str, str], sentence: str
) -> None:
    view = server.people.modals.open(server.workspace.user("alice").id, modal(question(max_length=8)))
    with pytest.raises(CannotChoose, match=sentence):
        await server.people.submit(view, values)


async def test_a_trigger_opens_one_modal_within_three_seconds(
    server: SlackServer, client: AsyncWebClient, refused: Any, clock: Any
) -> None:
    alice = server.workspace.user("alice").id
    trigger = server.people.triggers.make(alice)
    assert (await client.views_open(trigger_id=trigger, view=modal()))["view"]["type"] == "modal"
    assert (await refused(client.views_open(trigger_id=trigger, view=modal())))["error"] == "exchanged_trigger_id"
    assert (await refused(client.views_open(trigger_id="1.2", view=modal())))["error"] == "invalid_trigger_id"
    late = server.people.triggers.make(alice)
    clock.forward(3.1)
    assert (await refused(client.views_open(trigger_id=late, view=modal())))["error"] == "expired_trigger_id"
    assert (await refused(client.views_open(view=modal())))["error"] == "invalid_arguments"


async def test_modals_stack_up_to_three(server: SlackServer, client: AsyncWebClient, refused: Any) -> None:
    def trigger() -> str:
        return server.people.triggers.make(server.workspace.user("alice").id)

    assert (await refused(client.views_push(trigger_id=trigger(), view=modal())))["error"] == "not_found"
    root = (await client.views_open(trigger_id=trigger(), view=modal()))["view"]
    for _ in range(2):
        top = (await client.views_push(trigger_id=trigger(), view=modal()))["view"]
    assert top["root_view_id"] == root["id"]
    assert (await refused(client.views_push(trigger_id=trigger(), view=modal())))["error"] == "push_limit_reached"
    again = (await client.views_open(trigger_id=trigger(), view=modal()))["view"]
    assert [view.id for view in server.people.modals.stack(server.workspace.user("alice").id)] == [again["id"]]


async def test_a_modal_is_updated_by_either_id_and_by_its_hash(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    view = server.people.modals.open(server.workspace.user("alice").id, modal(external_id="mine"))
    before = view.hash
    await client.views_update(view_id=view.id, view=modal(external_id="mine", title=plain("New")), hash=before)
    assert view.body["title"]["text"] == "New"
    assert (await client.views_update(external_id="mine", view=modal(external_id="mine")))["ok"]
    stale = client.views_update(view_id=view.id, view=modal(), hash=before)
    assert (await refused(stale))["error"] == "hash_conflict"
    assert (await refused(client.views_update(view_id="V404", view=modal())))["error"] == "not_found"
    bare = client.api_call("views.update", json={"view": modal()})
    assert (await refused(bare))["error"] == "invalid_arguments"


async def test_an_external_id_is_taken_once(server: SlackServer, client: AsyncWebClient, refused: Any) -> None:
    server.people.modals.open(server.workspace.user("alice").id, modal(external_id="mine"))
    trigger = server.people.triggers.make(server.workspace.user("bob").id)
    answer = await refused(client.views_open(trigger_id=trigger, view=modal(external_id="mine")))
    assert answer["error"] == "duplicate_external_id"


async def test_a_home_tab_is_published_for_one_person(
    server: SlackServer, client: AsyncWebClient, app: AsyncApp, connect: Any, refused: Any
) -> None:
    @app.event("app_home_opened")
    async def welcome(event: dict[str, Any], client: AsyncWebClient) -> None:
        known = "view" in event
        text = plain("welcome back" if known else "welcome")
        await client.views_publish(
            user_id=event["user"], view={"type": "home", "blocks": [{"type": "header", "text": text}]}
        )

    await connect(app)
    server.people.open_home("alice")
    home = await server.observed.wait_for_home("alice")
    assert home.body["blocks"][0]["text"]["text"] == "welcome"
    server.people.open_home("alice")
    await server.observed.wait_until(lambda: home.body["blocks"][0]["text"]["text"] == "welcome back")
    assert server.observed.home("bob") is None
    wrong = client.views_publish(user_id=server.workspace.user("bob").id, view=modal())
    assert (await refused(wrong))["error"] == "invalid_arguments"


async def test_closing_is_told_to_an_app_that_asked(server: SlackServer, app: AsyncApp, connect: Any) -> None:
    cleared = []

    @app.view_closed("ask")
    async def closed(ack: Any, body: dict[str, Any]) -> None:
        cleared.append(body["is_cleared"])
        await ack()

    await connect(app)
    alice = server.workspace.user("alice").id
    view = server.people.modals.open(alice, modal(callback_id="ask", notify_on_close=True))
    delivery = await server.people.close(view, everything=True)
    assert delivery is not None
    assert (delivery.acked, cleared) == (True, [True])
    assert await server.people.close(server.people.modals.open(alice, modal())) is None
