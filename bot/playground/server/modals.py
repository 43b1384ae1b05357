"""Modals and Home tabs: opening, stacking, updating and closing them."""

from bot.playground.server.blocks.view import view_problems
from bot.playground.server.common import Common
from bot.playground.server.content import Manners
from bot.playground.server.errors import SlackError
from bot.playground.server.identified import identified
from bot.playground.server.state import Json, View
from bot.playground.server.workspace import Workspace

STACK = 3
"""Slack shows at most three modals of one app on top of each other."""


class Modals:
    """Every change of a view, with the errors that the `views.*` methods give."""

    def __init__(self, common: Common, workspace: Workspace) -> None:
        self._workspace = workspace
        self._manners = Manners(common, workspace)

    def open(self, user: str, body: Json) -> View:
        """A new stack with one modal."""
        self._check(body, "modal")
        return self._add(user, body, None)

    def push(self, user: str, body: Json) -> View:
        """A modal on top of the one that the person sees."""
        self._check(body, "modal")
        stack = self.stack(user)
        if not stack:
            raise SlackError("not_found")
        if len(stack) >= STACK:
            raise SlackError("push_limit_reached")
        return self._add(user, body, stack[-1])

    def update(self, view: View, body: Json, given_hash: str | None = None) -> View:
        """Another content for a view that is still open."""
        if given_hash is not None and given_hash != view.hash:
            raise SlackError("hash_conflict")
        self._check(body, view.type, besides=view)
        view.body, view.hash, view.errors = self._filled(view.user, body), self._workspace.ids.timestamp(), {}
        self._workspace.changes.happened()
        return view

    def publish(self, user: str, body: Json, given_hash: str | None = None) -> View:
        """The Home tab of one person."""
        shown = self._workspace.home_tabs.get(user)
        if shown is not None:
            return self.update(shown, body, given_hash)
        self._check(body, "home")
        view = self._made(user, body)
        self._workspace.home_tabs[user] = view
        self._workspace.changes.happened()
        return view

    def find(self, view_id: str | None, external_id: str | None) -> View:
        """An open view, by either id; raises `not_found`."""
        for view in [*self._workspace.views.values(), *self._workspace.home_tabs.values()]:
            if view_id == view.id or (external_id and view.body.get("external_id") == external_id):
                return view
        raise SlackError("not_found")

    def stack(self, user: str) -> list[View]:
        """The modals that the person has open, the visible one last."""
        return [view for view in self._workspace.views.values() if view.user == user]

    def close(self, view: View, *, everything: bool = False) -> None:
        """Close one modal, or the whole stack that it belongs to."""
        gone = self.stack(view.user) if everything else [view]
        for one in gone:
            self._workspace.views.pop(one.id, None)
        self._workspace.changes.happened()

    def _check(self, body: Json, only: str, besides: View | None = None) -> None:
        if problems := view_problems(body, only=only):
            raise SlackError("invalid_arguments", *problems)
        taken = [v.body.get("external_id") for v in self._workspace.views.values() if v is not besides]
        if body.get("external_id") and body["external_id"] in taken:
            raise SlackError("duplicate_external_id")

    def _add(self, user: str, body: Json, below: View | None) -> View:
        view = self._made(user, body)
        if below is None:
            for old in self.stack(user):
                self._workspace.views.pop(old.id)
        else:
            view.root_id, view.previous_id = below.root_id, below.id
        self._workspace.views[view.id] = view
        self._workspace.changes.happened()
        return view

    def _made(self, user: str, body: Json) -> View:
        view_id = self._workspace.ids.take("V")
        return View(view_id, user, self._filled(user, body), self._workspace.ids.timestamp(), view_id)

    def _filled(self, user: str, body: Json) -> Json:
        self._manners.look_at_view(body, user)
        return {**body, "blocks": identified(body["blocks"], self._workspace.ids)}


def view_json(workspace: Workspace, view: View, values: Json | None = None) -> Json:
    """A view as Slack shows it to the app."""
    team = workspace.team
    shown: Json = {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "close": None,
        "submit": None,
        **view.body,
        "id": view.id,
        "team_id": team.id,
        "state": {"values": values or {}},
        "hash": view.hash,
        "previous_view_id": view.previous_id,
        "root_view_id": view.root_id,
        "app_id": team.app_id,
        "app_installed_team_id": team.id,
        "bot_id": team.bot_id,
    }
    return shown
