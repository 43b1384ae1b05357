"""Block elements: buttons, menus, pickers, inputs. Limits: docs.slack.dev and @slack/types 3.2.0, as of 2026."""

from collections.abc import Mapping

from bot.playground.server.blocks.composition import (
    CONFIRM,
    CONVERSATION_FILTER,
    DATE,
    DISPATCH_CONFIG,
    MRKDWN_OPTION,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    PLAIN_OPTION,
    SLACK_FILE,
    TIME,
    URL,
    plain,
)
from bot.playground.server.blocks.rich_text import RICH_TEXT
from bot.playground.server.blocks.rules import (
    Bool,
    Choice,
    Items,
    Number,
    Rule,
    Shape,
    Str,
    Typed,
    one_of,
    ordered,
    unique,
)


def _initial_among_options(element: dict[str, object]) -> str | None:
    """What is chosen at first must be one of the options, in every field."""
    groups = element.get("option_groups")
    holders = (
        [element, *(group for group in groups if isinstance(group, dict))] if isinstance(groups, list) else [element]
    )
    lists = [holder.get("options") for holder in holders]
    offered = [option for options in lists if isinstance(options, list) for option in options]
    first, several = element.get("initial_option"), element.get("initial_options")
    wanted = [first] if first is not None else several if isinstance(several, list) else []
    return None if all(option in offered for option in wanted) else "the initial choice is not among the options"


_ID: Mapping[str, Rule] = {"action_id": Str(255)}
_CONFIRM: Mapping[str, Rule] = {"confirm": CONFIRM}
_FOCUS: Mapping[str, Rule] = {"focus_on_load": Bool()}
_PLACEHOLDER: Mapping[str, Rule] = {"placeholder": plain(150)}
_MENU = {**_ID, **_CONFIRM, **_FOCUS, **_PLACEHOLDER}
_MULTI: Mapping[str, Rule] = {**_MENU, "max_selected_items": Number(1, whole=True)}
_INPUT: Mapping[str, Rule] = {**_ID, **_FOCUS, **_PLACEHOLDER, "dispatch_action_config": DISPATCH_CONFIG}
_LABEL: Mapping[str, Rule] = {"accessibility_label": Str(75)}
_STYLE: Mapping[str, Rule] = {"style": Choice(("primary", "danger"))}
_OPTIONS: Mapping[str, Rule] = {"options": Items(PLAIN_OPTION, 100), "option_groups": Items(OPTION_GROUP, 100)}
_QUERY: Mapping[str, Rule] = {"min_query_length": Number(0, whole=True)}
_CONVERSATIONS: Mapping[str, Rule] = {"default_to_current_conversation": Bool(), "filter": CONVERSATION_FILTER}
_RESPONSE: Mapping[str, Rule] = {"response_url_enabled": Bool()}
_IDS = Items(Str())
_CHOICES = (unique("options", "value"), _initial_among_options)
_ONE_SOURCE = (one_of("options", "option_groups"), *_CHOICES)
_FEEDBACK = Shape({"text": plain(75), "value": Str(2000)}, _LABEL)

IMAGE = Shape(
    {"alt_text": Str(2000)}, {"image_url": URL, "slack_file": SLACK_FILE}, (one_of("image_url", "slack_file"),)
)

ELEMENTS: Mapping[str, Shape] = {
    "button": Shape(
        {"text": plain(75)}, {**_ID, **_CONFIRM, **_STYLE, **_LABEL, "value": Str(2000, least=0), "url": URL}
    ),
    "checkboxes": Shape(
        {"options": Items(MRKDWN_OPTION, 10)},
        {**_ID, **_CONFIRM, **_FOCUS, "initial_options": Items(MRKDWN_OPTION, 10)},
        _CHOICES,
    ),
    "datepicker": Shape({}, {**_MENU, "initial_date": Str(pattern=DATE)}),
    "datetimepicker": Shape({}, {**_ID, **_CONFIRM, **_FOCUS, "initial_date_time": Number(10**9, whole=True)}),
    "email_text_input": Shape({}, {**_INPUT, "initial_value": Str(least=0)}),
    "feedback_buttons": Shape({"positive_button": _FEEDBACK, "negative_button": _FEEDBACK}, _ID),
    "file_input": Shape({}, {**_ID, "filetypes": Items(Str()), "max_files": Number(1, 10, whole=True)}),
    "icon_button": Shape(
        {"icon": Choice(("trash",)), "text": plain(75)},
        {**_ID, **_CONFIRM, **_LABEL, "value": Str(2000), "visible_to_user_ids": Items(Str(), 10)},
    ),
    "image": IMAGE,
    "number_input": Shape(
        {"is_decimal_allowed": Bool()},
        {**_INPUT, "initial_value": Str(least=0), "min_value": Str(), "max_value": Str()},
        (
            ordered("min_value", "max_value"),
            ordered("min_value", "initial_value"),
            ordered("initial_value", "max_value"),
        ),
    ),
    "overflow": Shape({"options": Items(OVERFLOW_OPTION, 5)}, {**_ID, **_CONFIRM}),
    "plain_text_input": Shape(
        {},
        {
            **_INPUT,
            "initial_value": Str(3000, least=0),
            "multiline": Bool(),
            "min_length": Number(0, 3000, whole=True),
            "max_length": Number(1, 3000, whole=True),
        },
        (ordered("min_length", "max_length"),),
    ),
    "radio_buttons": Shape(
        {"options": Items(MRKDWN_OPTION, 10)},
        {**_ID, **_CONFIRM, **_FOCUS, "initial_option": MRKDWN_OPTION},
        _CHOICES,
    ),
    "rich_text_input": Shape(
        {},
        {
            **_INPUT,
            "initial_value": Typed({"rich_text": RICH_TEXT}),
            "min_lines": Number(1, 100, whole=True),
            "max_lines": Number(1, 100, whole=True),
        },
        (ordered("min_lines", "max_lines"),),
    ),
    "timepicker": Shape({}, {**_MENU, "initial_time": Str(pattern=TIME), "timezone": Str()}),
    "url_text_input": Shape({}, {**_INPUT, "initial_value": Str(least=0)}),
    "workflow_button": Shape(
        {
            "text": plain(75),
            "workflow": Shape(
                {
                    "trigger": Shape(
                        {"url": Str()},
                        {"customizable_input_parameters": Items(Shape({"name": Str(), "value": Str()}))},
                    )
                }
            ),
        },
        {**_ID, **_STYLE, **_LABEL, **_CONFIRM},
    ),
    "static_select": Shape({}, {**_MENU, **_OPTIONS, "initial_option": PLAIN_OPTION}, _ONE_SOURCE),
    "external_select": Shape({}, {**_MENU, **_QUERY, "initial_option": PLAIN_OPTION}),
    "users_select": Shape({}, {**_MENU, "initial_user": Str()}),
    "conversations_select": Shape({}, {**_MENU, **_CONVERSATIONS, **_RESPONSE, "initial_conversation": Str()}),
    "channels_select": Shape({}, {**_MENU, **_RESPONSE, "initial_channel": Str()}),
    "multi_static_select": Shape({}, {**_MULTI, **_OPTIONS, "initial_options": Items(PLAIN_OPTION)}, _ONE_SOURCE),
    "multi_external_select": Shape({}, {**_MULTI, **_QUERY, "initial_options": Items(PLAIN_OPTION)}),
    "multi_users_select": Shape({}, {**_MULTI, "initial_users": _IDS}),
    "multi_conversations_select": Shape({}, {**_MULTI, **_CONVERSATIONS, "initial_conversations": _IDS}),
    "multi_channels_select": Shape({}, {**_MULTI, "initial_channels": _IDS}),
}

SELECTS = frozenset(name for name in ELEMENTS if name.endswith("_select") and not name.startswith("multi_"))
MULTI_SELECTS = frozenset(name for name in ELEMENTS if name.startswith("multi_"))
_ANYWHERE = SELECTS | MULTI_SELECTS | {"checkboxes", "datepicker", "radio_buttons", "timepicker"}
_PRESSED = {"button", "overflow", "workflow_button"}

IN_ACTIONS = _ANYWHERE | _PRESSED | {"datetimepicker", "rich_text_input"}
IN_SECTION = _ANYWHERE | _PRESSED | {"image"}
IN_INPUT = _ANYWHERE | {
    "datetimepicker",
    "email_text_input",
    "file_input",
    "number_input",
    "plain_text_input",
    "rich_text_input",
    "url_text_input",
}
IN_CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})
MODAL_ONLY = frozenset({"file_input"})
