"""A bare echo app, built with Slack's own libraries, works on the server as it would in Slack."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import SlackServer


def echoing(app: AsyncApp) -> AsyncApp:
    """Answers mentions in their thread, direct messages beside, and acknowledges everything."""

    async def answer(event: dict[str, Any], client: AsyncWebClient) -> None:
        direct = event.get("channel_type") == "im"
        if event.get("subtype") or event.get("bot_id") or (event["type"] == "message" and not direct):
            return
        thread_ts = None if direct else event.get("thread_ts") or event["ts"]
        await client.chat_postMessage(channel=event["channel"], thread_ts=thread_ts, text="echo")

    async def nothing() -> None:
        return None

    app.event("app_mention")(answer)
    app.event("message")(answer)
    app.event("app_home_opened")(nothing)
    return app


async def test_a_mention_is_answered_in_its_thread(server: SlackServer, app: AsyncApp, connect: Any) -> None:
    await connect(echoing(app))
    question = server.people.say("general", "alice", f"{server.mention} hello")
    (reply,) = await server.observed.wait_for_answers(question)
    assert (reply.text, reply.thread_ts, reply.by_app) == ("echo", question.ts, True)
    await server.observed.quiet()
    assert len(server.observed.by_app("general")) == 1
    assert not list(server.violations)


async def test_a_direct_message_is_answered_beside_it(server: SlackServer, app: AsyncApp, connect: Any) -> None:
    await connect(echoing(app))
    question = server.people.direct_message("xiaoming", "放得下吗？")
    (reply,) = await server.observed.wait_for_answers(question)
    assert reply.thread_ts is None
    assert not list(server.violations)


async def test_a_slash_command_is_acknowledged_and_answered_through_its_response_url(
    server: SlackServer, app: AsyncApp, connect: Any
) -> None:
    @app.command("/vllm")
    async def answer(ack: Any, respond: Any, command: dict[str, Any]) -> None:
        await ack()
        await respond(f"you said {command['text']}")

    await connect(app)
    delivery = await server.people.slash("general", "bob", "/vllm", "help")
    (answer_shown,) = await server.observed.wait_for_ephemerals("bob")
    assert delivery.acked
    assert (answer_shown.text, answer_shown.via) == ("you said help", "response_url")
    assert not server.observed.ephemerals("alice")


async def test_a_click_reaches_the_listener_and_may_replace_the_message(
    server: SlackServer, app: AsyncApp, connect: Any, client: AsyncWebClient
) -> None:
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}, "value": "42"}
    general = server.workspace.channel("general")
    posted = await client.chat_postMessage(
        channel=general.id, text="press", blocks=[{"type": "actions", "elements": [button]}]
    )

    @app.action("go")
    async def pressed(ack: Any, respond: Any, action: dict[str, Any]) -> None:
        await ack()
        await respond(text=f"pressed {action['value']}", replace_original=True)

    await connect(app)
    message = general.messages[posted["ts"]]
    delivery = await server.people.click("alice", message, "go")
    assert delivery.acked
    await server.observed.wait_until(lambda: message.text == "pressed 42")
    assert message.blocks == []
