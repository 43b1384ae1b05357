"""Speculative decoding as people and --speculative-config say it."""

from dataclasses import replace

import pytest

from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit.speculation import read_speculation
from knowledge.launch import Speculation

PLAIN = catalogue.find("meta-llama/Llama-3.1-8B-Instruct")
WITH_MTP = replace(PLAIN, mtp_layers=1)


@pytest.mark.parametrize(
    ("said", "method", "tokens"),
    [
        ("mtp", "mtp", 1),
        ("mtp n=3", "mtp", 3),
        ("MTP 2", "mtp", 2),
        ("deepseek_mtp", "mtp", 1),
        ("eagle", "eagle", 3),
        ("eagle3, k=5", "eagle3", 5),
        ("ngram num_speculative_tokens=4", "ngram", 4),
        ("ngram_gpu", "ngram", 5),
        ('{"method": "mtp", "num_speculative_tokens": 2}', "mtp", 2),
        ('{"method": "eagle3", "model": "somebody/eagle-head"}', "eagle3", 3),
    ],
)
def test_words_and_json(said: str, method: str, tokens: int) -> None:
    assert read_speculation(said, WITH_MTP, catalogue.resolve) == Speculation(method, tokens, None)


def test_a_draft_model_is_resolved() -> None:
    said = '{"model": "Qwen/Qwen3-8B", "num_speculative_tokens": 5}'
    assert read_speculation(said, PLAIN, catalogue.resolve) == Speculation(
        "draft_model", 5, catalogue.find("Qwen/Qwen3-8B")
    )


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("mtp", "no-mtp"),
        ("egale", "bad-speculation"),
        ("zzz", "bad-speculation"),
        ("eagle 0", "bad-speculation"),
        ("eagle 500", "bad-speculation"),
        ("!!", "bad-speculation"),
        ("{", "bad-speculation"),
        ("{}", "bad-speculation"),
        ('{"method": 3}', "bad-speculation"),
        ('{"method": "eagle", "num_speculative_tokens": "many"}', "bad-speculation"),
        ('{"method": "eagle", "num_speculative_tokens": 1.5}', "bad-speculation"),
        ("draft_model", "no-draft"),
        ('{"model": "no/such-thing-anywhere", "num_speculative_tokens": 5}', "unknown-model"),
    ],
)
def test_what_makes_no_sense_is_refused(said: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_speculation(said, PLAIN, catalogue.resolve)
    assert refused.value.code == code
    assert refused.value.hint
