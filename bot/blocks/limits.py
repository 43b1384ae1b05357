"""Slack's limits as of 2026, and cutting text to them.

Sources: the Block Kit reference at docs.slack.dev, and slackapi/bolt-js issues 2509 and 2867 for the sum of all texts.
"""

BLOCKS = 50  # in a message
SECTION_TEXT = 3000
FIELDS = 10  # in a section
FIELD_TEXT = 2000
CONTEXT_ELEMENTS = 10
ACTIONS = 25
OPTIONS = 100  # in a select
OPTION_TEXT = 75
OPTION_VALUE = 150
PLACEHOLDER = 150
BUTTON_TEXT = 75
BUTTON_VALUE = 2000
IDENTIFIER = 255  # action_id, block_id
TABLE_ROWS = 100  # with the heading
TABLE_COLUMNS = 20
TABLE_TEXT = 10_000  # over all tables of a message
TABLES = 1  # in a message
MESSAGE_TEXT = 4000  # above it Slack may refuse or split the fallback text
ALL_TEXT = 11_500  # msg_blocks_too_long at about 12,000 characters


def clip(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, an ellipsis where it was cut; never empty, since Slack refuses that."""
    if not text.strip():
        return "–"
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def split(text: str, limit: int) -> list[str]:
    """`text` in pieces of at most `limit` characters, cut at line ends, else at spaces, else where it must be."""
    pieces = []
    while len(text) > limit:
        cut = max(text.rfind("\n", 1, limit + 1), 0) or max(text.rfind(" ", 1, limit + 1), 0) or limit
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*pieces, text] if text.strip() else pieces
