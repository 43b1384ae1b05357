"""The answer object of the contract, as scripts read it."""

import json

from bot.answers.wire import as_object
from bot.conversation import reply

CONTRACT = {
    "id", "language", "intent", "understood", "assumed", "estimates", "entries", "command", "parts", "text", "blocks",
}  # fmt: skip
UNDERSTOOD = {
    "model_id", "gpu", "gpu_mem_gb", "count", "context_tokens", "concurrency", "weight_quant", "kv_dtype", "tp", "pp", "dp",
    "utilization", "vllm_version", "max_num_seqs", "max_num_batched_tokens",
}  # fmt: skip


def test_an_answer_has_the_contracts_keys_and_is_json() -> None:
    sent = as_object(reply("qwen3 8b on an L4, 16k"), answer_id=[1])
    assert set(sent) == CONTRACT
    assert set(sent["understood"]) == UNDERSTOOD
    assert sent["id"] == [1]
    assert (sent["intent"], sent["language"], sent["understood"]["count"]) == ("fit", "en", 1)
    assert json.loads(json.dumps(sent, allow_nan=False)) == sent


def test_a_refusal_adds_what_is_wrong_and_what_to_do() -> None:
    sent = as_object(reply("qwen3 8b on 0 L4"))
    assert sent["error"].endswith(".")
    assert sent["hint"].endswith(".")
    assert sent["estimates"] == []


def test_parts_are_answers_themselves() -> None:
    sent = as_object(reply("will qwen3 8b fit on an L4 with 16k? and how many 4090s for qwen2.5 72b?"))
    assert [set(part) for part in sent["parts"]] == [CONTRACT, CONTRACT]
    assert sent["parts"][1]["intent"] == "how_many_gpus"
    assert sent["intent"] == sent["parts"][0]["intent"]
