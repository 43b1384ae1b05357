"""Payloads of slash commands, shortcuts, block actions and view submissions, as Slack sends them."""

from bot.playground.server import events
from bot.playground.server.modals import view_json
from bot.playground.server.state import Channel, Ephemeral, Json, Message, User, View
from bot.playground.server.text import with_plain_text_escaped
from bot.playground.server.workspace import Workspace

VERIFICATION = "playground-verification"
Target = Message | Ephemeral | View


class Payloads:
    """Builds them for one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def _who(self, user: User) -> Json:
        team = self._workspace.team
        return {
            "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": team.id},
            "team": {"id": team.id, "domain": team.domain},
            "api_app_id": team.app_id,
            "token": VERIFICATION,
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def slash(self, user: User, channel: Channel, command: str, text: str) -> Json:
        """Without `response_url` and `trigger_id`, which the caller adds."""
        team = self._workspace.team
        return {
            "token": VERIFICATION,
            "team_id": team.id,
            "team_domain": team.domain,
            "channel_id": channel.id,
            "channel_name": _command_place(channel),
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": text,
            "api_app_id": team.app_id,
            "is_enterprise_install": "false",
        }

    def block_action(self, user: User, target: Target, action: Json) -> Json:
        """A click or a choice in a message, an ephemeral message or a view."""
        what: Json = {"actions": [action], **self._place(target)}
        payload: Json = {"type": "block_actions", **self._who(user), **with_plain_text_escaped(what)}
        if isinstance(target, View):
            values: Json = {}
            payload["view"] = view_json(self._workspace, target, values)
        else:
            payload["state"] = {"values": dict(target.selected)}
        return payload

    def suggestion(self, user: User, target: Target, block_id: str, action_id: str, query: str) -> Json:
        """What an external menu sends while somebody types."""
        asked = {"block_id": block_id, "action_id": action_id, "value": query}
        return {"type": "block_suggestion", **self._who(user), **asked, **self._place(target)}

    def _place(self, target: Target) -> Json:
        if isinstance(target, View):
            return {"container": {"type": "view", "view_id": target.id}, "view": view_json(self._workspace, target)}
        channel = self._workspace.channels[target.channel]
        container: Json = {
            "type": "message",
            "message_ts": target.ts,
            "channel_id": channel.id,
            "is_ephemeral": isinstance(target, Ephemeral),
        }
        if target.thread_ts:
            container["thread_ts"] = target.thread_ts
        place: Json = {"container": container, "channel": self._channel(channel)}
        if isinstance(target, Message):
            place["message"] = events.as_json(self._workspace.team, channel, target, with_metadata=True)
        return place

    def shortcut(self, user: User, callback_id: str, stamp: str) -> Json:
        """A global shortcut."""
        return {"type": "shortcut", **self._who(user), "callback_id": callback_id, "action_ts": stamp}

    def message_shortcut(self, user: User, callback_id: str, message: Message, stamp: str) -> Json:
        """A shortcut from a message's menu."""
        channel = self._workspace.channels[message.channel]
        return {
            "type": "message_action",
            **self._who(user),
            "callback_id": callback_id,
            "action_ts": stamp,
            "message_ts": message.ts,
            "channel": self._channel(channel),
            "message": events.as_json(self._workspace.team, channel, message),
        }

    def submission(self, user: User, view: View, values: Json) -> Json:
        """The submit button of a modal."""
        shown = view_json(self._workspace, view, values)
        return {"type": "view_submission", **self._who(user), "view": shown, "response_urls": []}

    def closed(self, user: User, view: View, *, everything: bool) -> Json:
        """The close button of a modal that asked to be told."""
        shown = view_json(self._workspace, view)
        return {"type": "view_closed", **self._who(user), "view": shown, "is_cleared": everything}

    def _channel(self, channel: Channel) -> Json:
        return {"id": channel.id, "name": _command_place(channel)}


def _command_place(channel: Channel) -> str:
    return {"im": "directmessage", "group": "privategroup"}.get(channel.kind, channel.name)
