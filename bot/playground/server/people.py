"""The people's side of the workspace: what they write, click, choose and submit."""

from collections.abc import Mapping

from bot.playground.server.common import Common
from bot.playground.server.deliveries import Deliveries, Delivery
from bot.playground.server.errors import SlackError
from bot.playground.server.file_json import file_json
from bot.playground.server.interactions import Payloads, Target
from bot.playground.server.manifest import Manifest
from bot.playground.server.modals import Modals, view_json
from bot.playground.server.responses import ARGUMENTS, ResponseUrl, ResponseUrls
from bot.playground.server.selections import CannotChoose, chosen, find_element
from bot.playground.server.state import Channel, Ephemeral, Json, Message, SharedFile, User, View
from bot.playground.server.submissions import apply_answer, submitted_values
from bot.playground.server.text import heard_tokens
from bot.playground.server.triggers import Triggers
from bot.playground.server.violations import Rule
from bot.playground.server.web_api.arguments import parse
from bot.playground.server.workspace import UnknownName, Workspace


class People:
    """Names or ids are taken for people and channels; texts are what Slack would send, so typed `<` is `&lt;`."""

    def __init__(
        self, common: Common, manifest: Manifest, workspace: Workspace, deliveries: Deliveries, urls: ResponseUrls
    ) -> None:
        self._common, self._manifest, self._workspace = common, manifest, workspace
        self._deliveries, self._urls = deliveries, urls
        self._payloads = Payloads(workspace)
        self.triggers = Triggers(common)
        self.modals = Modals(common, workspace)

    def say(
        self, channel: str, user: str, text: str, *, thread_ts: str | None = None, files: list[Json] | None = None
    ) -> Message:
        """Write into a channel, or a thread of it."""
        return self._write(self._workspace.channel(channel), self._workspace.user(user), text, thread_ts, files)

    def direct_message(
        self, user: str, text: str, *, thread_ts: str | None = None, files: list[Json] | None = None
    ) -> Message:
        """Write to the app itself."""
        if not self._manifest.messages_tab:
            raise UnknownName("the manifest does not let people write to the app")
        return self._write(self._workspace.direct(user), self._workspace.user(user), text, thread_ts, files)

    def _write(
        self, channel: Channel, user: User, text: str, thread_ts: str | None, files: list[Json] | None
    ) -> Message:
        if user.id not in channel.members:
            raise UnknownName(f"`{user.name}` is not in `{channel.name}`")
        self._workspace.heard |= heard_tokens(text)
        message = Message(channel.id, self._common.ids.timestamp(), user.id, text, thread_ts=thread_ts)
        message.files, message.subtype = files or [], "file_share" if files else None
        return self._workspace.post(message)

    def attach(self, user: str, name: str, content: bytes) -> Json:
        """Upload a file to write it into a message: what `say` and `direct_message` take in `files`."""
        owner = self._workspace.user(user).id
        file = SharedFile(self._common.ids.take("F"), name, name, len(content), owner, content, complete=True)
        self._workspace.files[file.id] = file
        return file_json(self._common.address.http, file)

    def edit(self, message: Message, text: str) -> Message:
        """Change one's own message."""
        self._workspace.heard |= heard_tokens(text)
        return self._workspace.change(message, text=text)

    def unfurl(self, message: Message) -> Message:
        """What Slack does when it shows a link's preview: the message changes, its text does not."""
        message.attachments = [{"fallback": "preview", "from_url": "https://example.com", "id": 1}]
        return self._workspace.change(message, text=message.text, edited=False)

    def delete(self, message: Message) -> None:
        """Delete one's own message."""
        self._workspace.delete(message)

    def open_home(self, user: str, tab: str = "home") -> None:
        """Look at the app's Home or Messages tab."""
        person, stamp = self._workspace.user(user), self._common.ids.timestamp()
        event: Json = {
            "type": "app_home_opened",
            "user": person.id,
            "channel": self._workspace.direct(user).id,
            "tab": tab,
            "event_ts": stamp,
        }
        if tab == "home" and (view := self._workspace.home_tabs.get(person.id)):
            event["view"] = view_json(self._workspace, view)
        self._workspace.announce(event)

    async def slash(self, channel: str, user: str, command: str, text: str = "") -> Delivery:
        """Type a slash command; what the acknowledgement says is shown like any answer."""
        if command not in self._manifest.commands:
            raise UnknownName(f"the manifest has no command `{command}`")
        place = self._place(channel, user)
        person = self._workspace.user(user)
        self._workspace.heard |= heard_tokens(text)
        url = self._urls.make(place.id, person.id)
        payload = self._payloads.slash(person, place, command, text)
        payload |= {"response_url": url.address, "trigger_id": self.triggers.make(person.id)}
        delivery = await self._deliveries.respondable("slash_commands", command, payload, accepts_payload=True)
        self._show(url, delivery)
        return delivery

    def _place(self, channel: str, user: str) -> Channel:
        place = self._workspace.channel(channel)
        if self._workspace.user(user).id not in place.members:
            raise UnknownName(f"`{user}` is not in `{channel}`")
        return place

    def _show(self, url: ResponseUrl, delivery: Delivery) -> None:
        if not delivery.answer:
            return
        try:
            self._urls.answer(url, parse(ARGUMENTS, delivery.answer), "ack")
        except SlackError as error:
            self._common.violations.record(Rule.BAD_ACK, delivery.name, " ".join([error.code, *error.messages]))

    async def click(self, user: str, target: Target, action_id: str, value: object = None) -> Delivery:
        """Press a button, or choose in any other element; `value` is what was chosen."""
        block_id, element = find_element(_blocks(target), action_id)
        state = chosen(element, value)
        return await self.act(user, target, {"action_id": action_id, "block_id": block_id, **state})

    async def act(self, user: str, target: Target, action: Json) -> Delivery:
        """Send an action as it is, be it one that the target does not (or no longer) offer."""
        person = self._workspace.user(user)
        self._must_see(person, target)
        stamped = {**action, "action_ts": self._common.ids.timestamp()}
        if not isinstance(target, View):
            target.selected.setdefault(str(action.get("block_id")), {})[action["action_id"]] = _state(action)
        payload = self._payloads.block_action(person, target, stamped)
        payload["trigger_id"] = self.triggers.make(person.id)
        if not isinstance(target, View):
            payload["response_url"] = self._urls.make(target.channel, person.id, target).address
        return await self._interact("block_actions", payload)

    def _must_see(self, person: User, target: Target) -> None:
        match target:
            case Message():
                sees = person.id in self._workspace.channels[target.channel].members
            case Ephemeral() | View():
                sees = person.id == target.user
        if not sees:
            raise CannotChoose(f"`{person.name}` does not see this")

    async def suggest(self, user: str, target: Target, action_id: str, query: str) -> list[Json]:
        """Type into an external menu: the options that the app offers."""
        person = self._workspace.user(user)
        block_id, _ = find_element(_blocks(target), action_id)
        payload = self._payloads.suggestion(person, target, block_id, action_id, query)
        delivery = await self._interact("block_suggestion", payload, accepts_payload=True)
        options: list[Json] = delivery.answer.get("options", [])
        return options

    async def shortcut(self, user: str, callback_id: str, message: Message | None = None) -> Delivery:
        """Use a shortcut, from a message's menu if `message` is given."""
        wanted = "message" if message else "global"
        if self._manifest.shortcuts.get(callback_id) != wanted:
            raise UnknownName(f"the manifest has no {wanted} shortcut `{callback_id}`")
        person, stamp = self._workspace.user(user), self._common.ids.timestamp()
        if message is None:
            payload = self._payloads.shortcut(person, callback_id, stamp)
        else:
            payload = self._payloads.message_shortcut(person, callback_id, message, stamp)
            payload["response_url"] = self._urls.make(message.channel, person.id).address
        payload["trigger_id"] = self.triggers.make(person.id)
        return await self._interact(payload["type"], payload)

    async def submit(self, view: View, values: Mapping[str, object]) -> Delivery:
        """Fill in a modal, by action id, and submit it; what the app answers is done to the view."""
        person = self._workspace.users[view.user]
        state = submitted_values(view, values)
        for value in values.values():
            self._workspace.heard |= heard_tokens(str(value))
        payload = self._payloads.submission(person, view, state)
        payload["trigger_id"] = self.triggers.make(person.id)
        delivery = await self._interact("view_submission", payload, accepts_payload=True)
        if delivery.acked:
            apply_answer(self.modals, self._common, view, delivery.answer)
        return delivery

    async def close(self, view: View, *, everything: bool = False) -> Delivery | None:
        """Close a modal; the app hears of it if it asked to."""
        self.modals.close(view, everything=everything)
        if not view.body.get("notify_on_close"):
            return None
        payload = self._payloads.closed(self._workspace.users[view.user], view, everything=everything)
        return await self._interact("view_closed", payload)

    async def _interact(self, name: str, payload: Json, *, accepts_payload: bool = False) -> Delivery:
        if not self._manifest.interactivity:
            raise UnknownName("the manifest does not switch interactivity on")
        return await self._deliveries.respondable("interactive", name, payload, accepts_payload=accepts_payload)


def _blocks(target: Target) -> list[Json]:
    blocks: list[Json] = target.body["blocks"] if isinstance(target, View) else target.blocks
    return blocks


def _state(action: Json) -> Json:
    return {name: value for name, value in action.items() if name not in {"action_id", "block_id", "action_ts"}}
