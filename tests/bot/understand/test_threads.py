"""What a message inherits from its thread, and what it changes."""

from typing import Any

import pytest

from bot.understand.message import understand
from bot.understand.understood import Intent, Understood
from tests.bot.understand.message_tables import blocks, expected, said


@pytest.mark.parametrize("block", blocks("threads.txt"), ids=lambda block: block[0])
def test_each_message_of_a_thread_changes_what_it_names_and_keeps_the_rest(block: list[str]) -> None:
    earlier: Understood | None = None
    fields: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for line in block:
        want = expected(line)
        fields = {name: value for name, value in (fields | want.fields).items() if value is not None}
        options |= want.options
        earlier = understand(want.text, earlier=earlier)
        assert (earlier.intent.value, said(earlier), earlier.options) == (want.intent, fields, options), want.text


FIRST = understand("qwen2.5-72b tp4 on 4xA100 80G at 16k, 2 nodes of 2 gpus")


def test_a_full_new_question_replaces_the_thread() -> None:
    understood = understand("will qwen3-8b fit on an L4?", earlier=FIRST)
    assert said(understood) == {"model_id": "Qwen/Qwen3-8B", "gpu": "L4", "count": 1}
    assert understood.options == {}


def test_another_number_of_cards_drops_the_old_layout() -> None:
    understood = understand("and on 8 cards?", earlier=FIRST)
    assert (understood.fields.count, understood.fields.tp, understood.options) == (8, None, {})


def test_another_card_drops_the_old_cards_memory() -> None:
    understood = understand("on H20 instead", earlier=FIRST)
    assert (understood.fields.gpu, understood.fields.gpu_mem_gb, understood.fields.count) == ("H20", None, 4)


def test_a_model_named_in_full_brings_its_own_format() -> None:
    earlier = understand("Qwen/Qwen3-14B-AWQ on one 3090")
    assert understand("what about Qwen/Qwen3-8B?", earlier=earlier).fields.weight_quant is None


def test_unquantised_again_goes_back_to_the_base() -> None:
    earlier = understand("Qwen/Qwen3-14B-AWQ on one 3090")
    understood = understand("and without quantization?", earlier=earlier)
    assert (understood.fields.model_id, understood.fields.weight_quant) == ("Qwen/Qwen3-14B", "bf16")


def test_a_question_of_knowledge_leaves_the_threads_fields_alone() -> None:
    understood = understand("why is prefill so slow?", earlier=FIRST)
    assert (understood.intent, understood.fields) == (Intent.KNOWLEDGE, FIRST.fields)


def test_a_follow_up_to_a_pasted_command_asks_whether_it_fits() -> None:
    earlier = understand("vllm serve Qwen/Qwen3-8B --max-model-len 8192\non one T4, will this start?")
    assert earlier.intent is Intent.CHECK_COMMAND
    understood = understand("and with 4k?", earlier=earlier)
    assert (understood.intent, understood.fields.context_tokens, understood.fields.gpu) == (Intent.FIT, 4096, "T4")
