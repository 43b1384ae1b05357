"""Numbers as people write them."""

import pytest

from bot.understand.numbers import LIMIT, fold, tokens


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("1.6万", "16000"),
        ("3 万 2", "32000"),
        ("3万2千", "32000"),
        ("十二万八", "128000"),
        ("一万六", "16000"),
        ("一百二十个并发", "120个并发"),
        ("一万零五百", "10500"),
        ("一百万", "1000000"),
        ("1.6w", "16000"),
        ("3w2", "32000"),
        ("两张", "2张"),
        ("八卡", "8卡"),
        ("双机", "2机"),
        ("16,384", "16384"),
        ("1,000,000 tokens", "1000000 tokens"),
        ("1e5", "100000"),
        ("10^6", "1000000"),
        ("2**17", "131072"),
        ("two h100s", "2 h100s"),
        ("thirty-two users", "32 users"),
        ("sixteen thousand", "16000"),
        ("a hundred thousand", "100000"),
        ("half a million", "500000"),
        ("a dozen", "12"),
        ("a couple of cards", "2 cards"),
        ("1 million", "1000000"),
        ("1.5 million", "1500000"),
    ],
)
def test_numerals_become_digits(written: str, folded: str) -> None:
    assert fold(written) == folded


@pytest.mark.parametrize(
    "text",
    [
        "一直",
        "万一",
        "一下",
        "十分",
        "which one",
        "w8a8",
        "16k",
        "v3,128k",
        "A100,128K",
        "Qwen2.5",
        "7 billion params",
        "300wh",
    ],
)
def test_what_is_no_numeral_stays(text: str) -> None:
    assert fold(text) == text


@pytest.mark.parametrize("written", ["10^99", "1e99", "9999^9"])
def test_nonsense_is_bounded(written: str) -> None:
    assert fold(written) == str(LIMIT)


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("16k", 16384),
        ("32 k", 32768),
        ("128k", 131072),
        ("1m", 1048576),
        ("0.5k", 512),
        ("30000", 30000),
        ("999999999m", LIMIT),
    ],
)
def test_k_is_1024_tokens_and_m_1024_of_those(said: str, count: int) -> None:
    assert tokens(said) == min(count, LIMIT)
