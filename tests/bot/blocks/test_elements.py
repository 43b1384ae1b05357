"""Single blocks: escaped, cut, never empty."""

from bot.blocks import elements, limits


def test_nothing_of_a_text_becomes_a_mention_or_a_link() -> None:
    assert elements.escape('<!channel> & <@U1> "q"') == '&lt;!channel&gt; &amp; &lt;@U1&gt; "q"'


def test_a_cut_never_leaves_half_an_entity() -> None:
    text = elements.escape("&" * 700)
    cut = elements.mrkdwn(text, limits.SECTION_TEXT)["text"]
    assert len(cut) <= limits.SECTION_TEXT
    assert cut.endswith("&amp;…")
    assert elements.mrkdwn("x" * 4000, limits.SECTION_TEXT)["text"] == "x" * 2999 + "…"
    assert elements.mrkdwn("a & b" + "x" * 10, 9)["text"] == "a …"


def test_a_star_does_not_end_bold_early() -> None:
    assert elements.bold("4*A100") == "*4∗A100*"


def test_code_cannot_be_left_early() -> None:
    assert elements.code("a ``` <b>") == "```a  &lt;b&gt;```"


def test_long_text_becomes_several_sections() -> None:
    found = elements.sections("line\n" * 2000)
    assert len(found) == 4
    assert all(len(block["text"]["text"]) <= limits.SECTION_TEXT for block in found)


def test_eleven_fields_take_two_sections() -> None:
    found = elements.fields([("label", "value")] * 11)
    assert [len(block["fields"]) for block in found] == [10, 1]


def test_small_print_without_lines_is_no_block() -> None:
    assert elements.context([]) == []
    assert elements.context([""]) == []


def test_a_menu_holds_a_hundred_options_and_shows_the_chosen_one() -> None:
    options = [(f"model {number}" + "x" * 100, f"m{number}") for number in range(150)]
    menu = elements.select("pick", "Another", options, chosen="m3")
    assert len(menu["options"]) == limits.OPTIONS
    assert all(len(option["text"]["text"]) <= limits.OPTION_TEXT for option in menu["options"])
    assert menu["initial_option"]["value"] == "m3"
    assert "initial_option" not in elements.select("pick", "Another", options, chosen="elsewhere")


def test_a_value_that_a_menu_cannot_carry_is_left_out() -> None:
    menu = elements.select("pick", "Another", [("folder", "x" * 151), ("model", "m")])
    assert [option["value"] for option in menu["options"]] == ["m"]


def test_a_table_is_cut_to_what_slack_shows() -> None:
    table = elements.table(["a"] * 25, [["cell " * 200] * 25] * 150)
    assert len(table["rows"]) == limits.TABLE_ROWS
    assert all(len(row) == limits.TABLE_COLUMNS for row in table["rows"])
    assert sum(len(cell["text"]) for row in table["rows"] for cell in row) <= limits.TABLE_TEXT


def test_thumbs_have_words_for_screen_readers() -> None:
    block = elements.feedback("f-1", "feedback", "Helpful", "Not helpful")
    buttons = block["elements"][0]
    assert buttons["positive_button"]["accessibility_label"] == "Helpful"
    assert buttons["negative_button"]["value"] == "not-helpful"
