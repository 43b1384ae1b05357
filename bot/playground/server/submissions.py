"""Submitting a modal: what the person filled in, and what the app's answer does to the view."""

from collections.abc import Mapping

from bot.playground.server.common import Common
from bot.playground.server.errors import SlackError
from bot.playground.server.modals import Modals
from bot.playground.server.selections import CannotChoose, chosen, initial, inputs_of
from bot.playground.server.state import Json, View
from bot.playground.server.violations import Rule


def submitted_values(view: View, values: Mapping[str, object]) -> Json:
    """`state.values` by block and action; raises CannotChoose as Slack's own form would not let it pass."""
    state: Json = {}
    left = dict(values)
    for block, element in inputs_of(view.body["blocks"]):
        action_id = element["action_id"]
        filled = chosen(element, left.pop(action_id)) if action_id in left else initial(element)
        if not block.get("optional") and not _filled(filled):
            raise CannotChoose(f"`{action_id}` must be filled in")
        state[block["block_id"]] = {action_id: filled}
    if left:
        raise CannotChoose(f"the modal has no input `{next(iter(left))}`")
    return state


def _filled(state: Json) -> bool:
    return any(value not in (None, "", []) for name, value in state.items() if name != "type")


def apply_answer(modals: Modals, common: Common, view: View, answer: Json) -> None:
    """An empty answer closes the modal; the others show errors, update, push or clear."""
    try:
        _apply(modals, common, view, answer)
    except SlackError as error:
        common.violations.record(Rule.BAD_ACK, "view_submission", " ".join([error.code, *error.messages]))


def _apply(modals: Modals, common: Common, view: View, answer: Json) -> None:
    match answer.get("response_action"):
        case None:
            modals.close(view)
        case "clear":
            modals.close(view, everything=True)
        case "errors":
            _show_errors(common, view, answer.get("errors"))
        case "update":
            modals.update(view, answer.get("view", {}))
        case "push":
            modals.push(view.user, answer.get("view", {}))
        case other:
            raise SlackError("invalid_arguments", f"unknown response_action `{other}`")


def _show_errors(common: Common, view: View, errors: object) -> None:
    known = {block["block_id"] for block, _ in inputs_of(view.body["blocks"])}
    if not isinstance(errors, dict) or not errors or not set(errors) <= known:
        raise SlackError("invalid_arguments", "errors must name input blocks of the view")
    view.errors = {str(block_id): str(sentence) for block_id, sentence in errors.items()}
    common.changes.happened()
