"""What people ask for in vain is counted, most wanted first."""

from bot.answers.gaps import gaps
from bot.store.asked import Asked

UNKNOWN = "vllm flurbling zzyzx?"


def test_questions_without_an_entry_come_first_and_add_up() -> None:
    found = gaps([Asked(UNKNOWN, 0), Asked("VLLM  flurbling, zzyzx", 1), Asked("why is my queue long in vllm", 0)])
    assert [(gap.text, gap.times, gap.unhelpful, gap.answered) for gap in found] == [(UNKNOWN, 2, 1, False)]


def test_an_answer_that_did_not_help_is_a_gap_with_its_entry() -> None:
    found = gaps([Asked("is a larger --max-num-seqs always faster in vllm?", 2), Asked(UNKNOWN, 0)])
    assert next((gap.nearest, gap.unhelpful, gap.answered) for gap in found) == ("max-num-seqs", 2, True)


def test_greetings_figures_and_vague_questions_are_none() -> None:
    assert gaps([Asked("hi", 1), Asked("will qwen2.5 7b fit on a 4090?", 1), Asked("why so slow", 1)]) == []
