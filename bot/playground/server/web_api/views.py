"""`views.open`, `push`, `update` and `publish`."""

from bot.playground.server.errors import SlackError
from bot.playground.server.modals import view_json
from bot.playground.server.state import Json, View
from bot.playground.server.web_api.arguments import mapping, optional, required, text
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import person

TRIGGERED = {"trigger_id": optional(text), "interactivity_pointer": optional(text), "view": required(mapping)}


def _shown(backstage: Backstage, view: View) -> Json:
    return {"view": view_json(backstage.workspace, view)}


def _trigger(backstage: Backstage, given: Json) -> str:
    trigger_id = given.get("trigger_id") or given.get("interactivity_pointer")
    if not trigger_id:
        raise SlackError("invalid_arguments", "missing required field: trigger_id")
    return backstage.people.triggers.use(trigger_id)


def _open(backstage: Backstage, given: Json) -> Json:
    return _shown(backstage, backstage.people.modals.open(_trigger(backstage, given), given["view"]))


def _push(backstage: Backstage, given: Json) -> Json:
    return _shown(backstage, backstage.people.modals.push(_trigger(backstage, given), given["view"]))


def _update(backstage: Backstage, given: Json) -> Json:
    if not (given.get("view_id") or given.get("external_id")):
        raise SlackError("invalid_arguments", "missing required field: view_id or external_id")
    modals = backstage.people.modals
    view = modals.find(given.get("view_id"), given.get("external_id"))
    return _shown(backstage, modals.update(view, given["view"], given.get("hash")))


def _publish(backstage: Backstage, given: Json) -> Json:
    if not backstage.manifest.home_tab:
        raise SlackError("not_enabled")
    user = person(backstage, given["user_id"])
    return _shown(backstage, backstage.people.modals.publish(user.id, given["view"], given.get("hash")))


METHODS = (
    Method("views.open", _open, TRIGGERED, tier=4),
    Method("views.push", _push, TRIGGERED, tier=4),
    Method(
        "views.update",
        _update,
        {"view": required(mapping), "view_id": optional(text), "external_id": optional(text), "hash": optional(text)},
        tier=4,
    ),
    Method(
        "views.publish",
        _publish,
        {"view": required(mapping), "user_id": required(text), "hash": optional(text)},
        tier=4,
    ),
)
