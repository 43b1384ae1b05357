import pytest

from knowledge.commands.shell_words import assignments, dashes, smooth, words

SPLIT: list[tuple[str, list[str]]] = [
    ("a b  c", ["a", "b", "c"]),
    ("a \\\n  b", ["a", "b"]),
    ("a ^\n b `\n c", ["a", "b", "c"]),
    ("'a b' \"c d\"", ["a b", "c d"]),
    ("“a b” ‘c d’", ["a b", "c d"]),
    ('x="a b"c', ["x=a bc"]),
    (r"a\ b", ["a b"]),
    (r'"a \"b\" \\ c"', ['a "b" \\ c']),
    ("'{\"a\": 1}'", ['{"a": 1}']),
    ("a # said aside\nb", ["a", "b"]),
    ("a#b", ["a#b"]),
    ("it's fine", ["it's", "fine"]),
    ('an "open end', ["an", '"open', "end"]),
    ("$A-${B:-2} ${C} '$A'", ["1-2", "${C}", "$A"]),
    ('"$A ${B:-2} $D"', ["1 2 $D"]),
    ("$(nproc)", ["$(nproc)"]),
    ("$", ["$"]),
    ("a\u00a0b\u200bc", ["a", "b", "c"]),
    ("\x1b[31ma\x1b[0m \x00b", ["a", "b"]),
    ('"a\\\nb"', ["ab"]),
]


@pytest.mark.parametrize(("text", "expected"), SPLIT, ids=[text for text, _ in SPLIT])
def test_text_splits_as_a_shell_would(text: str, expected: list[str]) -> None:
    assert [word.text for word in words(smooth(text), variables={"A": "1"})] == expected


def test_operators_and_fences_end_a_command() -> None:
    found = list(words("a && b | c > d; e & f ``` `g`"))
    assert [word.text for word in found if word.operator] == ["&&", "|", ">", ";", "&", "```", "`", "`"]


def test_a_line_that_was_not_continued_is_told() -> None:
    assert [(word.text, word.new_line) for word in words("a\nb \\\nc\n  d")] == [
        ("a", False),
        ("b", True),
        ("c", False),
        ("d", True),
    ]


def test_a_word_knows_where_it_stood_and_how_it_was_typed() -> None:
    text = "x 'a b' $Y"
    quoted, variable = list(words(text))[1:]
    assert (text[quoted.start : quoted.end], quoted.raw, quoted.unknown) == ("'a b'", "'a b'", False)
    assert variable.unknown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("—tensor-parallel-size", "--tensor-parallel-size"),
        ("–tensor-parallel-size=2", "--tensor-parallel-size=2"),
        ("–q", "-q"),
        ("--max-num-seqs", "--max-num-seqs"),
        ("−1", "-1"),
        ("plain", "plain"),
    ],
)
def test_long_dashes_were_two(typed: str, meant: str) -> None:
    assert dashes(typed) == meant


def test_the_last_assignment_counts() -> None:
    text = "export TP=4\nTP=\"8\" docker -e A='x y' --env B=1 path/C=2"
    assert assignments(text) == {"TP": "8", "A": "x y", "B": "1"}


@pytest.mark.parametrize(
    "text", ["'" * 40_000, '"' * 40_000, "$" * 40_000, "${a:-" * 8_000, "\\" * 40_000, "\n" * 40_000]
)
def test_nonsense_of_40_000_characters_is_split_all_the_same(text: str) -> None:
    assert len(list(words(smooth(text)))) <= 1
