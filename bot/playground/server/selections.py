"""What a person chose in an element, in the form in which each element type reports it."""

from collections.abc import Callable, Iterator, Mapping

from bot.playground.server.state import Json


class CannotChoose(LookupError):
    """The element does not offer what the person is said to have chosen."""


def find_element(blocks: list[Json], action_id: str, block_id: str | None = None) -> tuple[str, Json]:
    """The block id and the element with this action id, at any depth; raises CannotChoose."""
    for found_id, element in _elements(blocks):
        if element.get("action_id") == action_id and block_id in (None, found_id):
            return found_id, element
    raise CannotChoose(f"there is no element with action_id `{action_id}` here")


def _elements(blocks: list[Json]) -> Iterator[tuple[str, Json]]:
    for block in blocks:
        parts = [block.get("accessory"), block.get("element"), *block.get("elements", []), *block.get("actions", [])]
        for element in parts:
            if isinstance(element, dict) and "action_id" in element:
                yield str(block.get("block_id")), element
        yield from _elements(block.get("child_blocks", []))
        if block["type"] == "carousel":
            yield from _elements(block["elements"])


def inputs_of(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Every input block with its element."""
    for block in blocks:
        if block["type"] == "input":
            yield block, block["element"]


def _options(element: Json) -> Iterator[Json]:
    yield from element.get("options", [])
    for group in element.get("option_groups", []):
        yield from group["options"]


def _option(element: Json, value: object) -> Json:
    for option in _options(element):
        if option["value"] == value:
            return dict(option)
    if "external" in element["type"] and isinstance(value, dict):
        return value
    raise CannotChoose(f"`{value}` is not an option of `{element['action_id']}`")


def _many(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _one_option(element: Json, value: object) -> Json:
    return {"selected_option": None if value is None else _option(element, value)}


def _some_options(element: Json, value: object) -> Json:
    return {"selected_options": [_option(element, one) for one in _many(value)]}


def _typed(element: Json, value: object) -> Json:
    text = None if value is None else str(value)
    most = element.get("max_length")
    if text is not None and most is not None and len(text) > most:
        raise CannotChoose(f"`{element['action_id']}` takes {most} characters")
    return {"value": text}


def _button(element: Json, value: object) -> Json:
    pressed: Json = {name: element[name] for name in ("text", "value", "style") if name in element}
    return pressed if value is None else {**pressed, "value": value}


def _feedback(element: Json, value: object) -> Json:
    for name in ("positive_button", "negative_button"):
        if element[name]["value"] == value:
            return {"text": element[name]["text"], "value": value}
    raise CannotChoose(f"`{value}` is on neither feedback button")


def _field(name: str) -> Callable[[Json, object], Json]:
    return lambda element, value: {name: value}


def _list_field(name: str) -> Callable[[Json, object], Json]:
    return lambda element, value: {name: _many(value)}


CHOOSE: Mapping[str, Callable[[Json, object], Json]] = {
    "button": _button,
    "channels_select": _field("selected_channel"),
    "checkboxes": _some_options,
    "conversations_select": _field("selected_conversation"),
    "datepicker": _field("selected_date"),
    "datetimepicker": _field("selected_date_time"),
    "email_text_input": _typed,
    "external_select": _one_option,
    "feedback_buttons": _feedback,
    "file_input": _list_field("files"),
    "icon_button": _button,
    "multi_channels_select": _list_field("selected_channels"),
    "multi_conversations_select": _list_field("selected_conversations"),
    "multi_external_select": _some_options,
    "multi_static_select": _some_options,
    "multi_users_select": _list_field("selected_users"),
    "number_input": _typed,
    "overflow": _one_option,
    "plain_text_input": _typed,
    "radio_buttons": _one_option,
    "rich_text_input": _field("rich_text_value"),
    "static_select": _one_option,
    "timepicker": _field("selected_time"),
    "url_text_input": _typed,
    "users_select": _field("selected_user"),
    "workflow_button": _button,
}

INITIAL = {
    "initial_option": "selected_option",
    "initial_options": "selected_options",
    "initial_value": "value",
    "initial_date": "selected_date",
    "initial_time": "selected_time",
    "initial_date_time": "selected_date_time",
    "initial_user": "selected_user",
    "initial_users": "selected_users",
    "initial_conversation": "selected_conversation",
    "initial_channel": "selected_channel",
}
"""Where an element's initial choice stands in its state."""


def chosen(element: Json, value: object) -> Json:
    """The element's state after the person chose `value`."""
    return {"type": element["type"], **CHOOSE[element["type"]](element, value)}


def initial(element: Json) -> Json:
    """The element's state before anybody touched it."""
    return {"type": element["type"]} | {INITIAL[name]: element[name] for name in INITIAL if name in element}
