"""Whatever people and strangers send: a kind sentence or a refusal, the process lives, and nothing comes back as a mention."""

from typing import Any

import pytest

from bot.playground.server import SlackServer
from bot.playground.server.selections import find_element

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"


@pytest.mark.parametrize(
    "text",
    [
        "fit? " * 8000,
        "好" * 40_000,
        "&amp;&lt;&gt;" * 3000,
        "\x00\x07\x1b[31mred\x1b[0m \u202e qwen2.5 72b on 4×A100 80GB? \ud800".encode("utf-8", "replace").decode(),
        "<!channel> <!here> <!everyone> <!subteam^S012345> does unknown-model-&lt;!channel&gt; fit on 4×A100?",
        "does <https://evil.example|qwen2.5 72b> fit on <https://evil.example/a?b=c&amp;d=e|4×A100 80GB>?",
        "&lt;!channel&gt; &lt;https://evil.example|click&gt; &lt;@U0000000001&gt; fits on 8 x &lt;!here&gt;?",
        "will `<@U0000000001>` *fit* _on_ ~4~ ```A100``` > 16k?",
        "'; DROP TABLE questions; -- {{ 7 * 7 }} {% for %} ${HOME} $(rm -rf /)",
        "0 GPUs, -5 context, 1e999 requests, NaN utilization, qwen2.5 72b on 0×A100",
        "",
    ],
    ids=[
        "40,000 characters", "40,000 Chinese characters", "nothing but entities", "control characters", "broadcasts",
        "links", "typed mentions", "markup", "injection", "nonsense numbers", "nothing",
    ],
)  # fmt: skip
async def test_any_text_gets_one_kind_answer(place: Any, text: str) -> None:
    question = place.write(text)
    answer = await place.answer(question)
    assert answer.text
    assert len(answer.text) <= 4000
    assert "wrong on my side" not in answer.text
    await place.slash(text[:3000])
    assert (await place.whispers())[0].text


async def test_a_pasted_secret_is_neither_repeated_nor_kept(place: Any, bot: Any) -> None:
    secret = "hf_" + "Abcdefgh12345678" * 2
    answer = await place.answer(place.write(f"qwen2.5 72b on 4×A100 80GB, my token is {secret}"))
    assert secret not in f"{answer.text}{answer.blocks}"
    assert "revoke" in answer.text
    kept = b"".join(file.read_bytes() for file in bot.folder.iterdir())
    assert secret.encode() not in kept


@pytest.mark.parametrize(
    "action",
    [
        {"type": "button", "action_id": "launch", "block_id": "b", "value": "missiles"},
        {"type": "static_select", "action_id": "pick_gpu", "block_id": "menus:0:nobody-asked", "selected_option": {"value": "T4"}},
        {"type": "static_select", "action_id": "pick_gpu", "block_id": "menus:0:nobody-asked", "selected_option": None},
        {"type": "feedback_buttons", "action_id": "feedback", "block_id": "feedback:0:x", "value": "<!channel>"},
        {"type": "button", "action_id": "a" * 255, "block_id": ":::", "value": "v" * 2000},
    ],
    ids=["unknown button", "stale menu", "menu without a choice", "thumb with another value", "longest names"],
)  # fmt: skip
async def test_a_press_on_what_is_not_there_gets_a_kind_sentence(place: Any, action: dict[str, Any]) -> None:
    answer = await place.answer(place.mention(QUESTION))
    delivery = await place.server.people.act(place.person, answer, action)
    assert delivery.acked
    (said,) = await place.whispers()
    assert said.text
    assert len(answer.revisions) == 1


async def test_a_choice_that_the_menu_does_not_offer_changes_nothing(place: Any) -> None:
    answer = await place.answer(place.mention(QUESTION))
    block_id, _ = find_element(answer.blocks, "pick_model")
    choice = {"value": "no/such-model <!channel>", "text": {"type": "plain_text", "text": "?"}}
    action = {"type": "static_select", "action_id": "pick_model", "block_id": block_id, "selected_option": choice}
    await place.server.people.act(place.person, answer, action)
    (said,) = await place.whispers()
    assert "no/such-model" in said.text
    assert len(answer.revisions) == 1


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "event_callback", "event_id": "Ev1", "event": {"type": "app_mention"}},
        {"type": "event_callback", "event_id": "Ev2", "event": {"type": "message", "channel_type": "im", "channel": 5, "ts": []}},
        {"type": "event_callback", "event_id": "Ev3", "event": {"type": "message", "channel_type": "im", "subtype": "message_changed"}},
        {"type": "event_callback", "event_id": "Ev4", "event": {"type": "message", "channel_type": "im", "subtype": "huddle_thread"}},
        {"type": "event_callback", "event_id": "Ev5", "event": {"type": "reaction_added"}},
        {"type": "event_callback", "event_id": "Ev6", "event": {"type": "app_home_opened", "user": "U404", "tab": "home"}},
    ],
    ids=["no fields", "wrong types", "nothing changed", "unknown subtype", "unknown event", "unknown person"],
)  # fmt: skip
async def test_events_that_say_nothing_are_acknowledged(
    place: Any, server: SlackServer, payload: dict[str, Any]
) -> None:
    wrapped = {"team_id": server.workspace.team.id, "api_app_id": server.workspace.team.app_id, **payload}
    before = len(server.deliveries.all)
    server.deliveries.redeliver(wrapped)
    await place.until(lambda: server.deliveries.all[before].acked)
    await place.answer(place.write(QUESTION))


async def test_what_another_bot_says_is_not_answered(place: Any, server: SlackServer) -> None:
    question = place.say("hello")
    event = {
        "type": "message", "channel": question.channel, "channel_type": "channel", "ts": "1796101517.000001",
        "bot_id": "B999", "text": f"{server.mention} {QUESTION}",
    }  # fmt: skip
    for changed in (event, event | {"type": "app_mention", "user": "U0000000001"}):
        server.deliveries.redeliver({"type": "event_callback", "event_id": f"Ev-{changed['type']}", "event": changed})
    await server.observed.quiet(0.5)
    assert not server.observed.by_app(place.room)
