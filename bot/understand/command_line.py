"""What a pasted `vllm serve …` says: its flags as fields and options."""

from typing import TYPE_CHECKING, Any

from bot.understand.model_ids import of_name
from bot.understand.precision import weight_word_in
from bot.understand.threads import Before
from bot.understand.understood import Fields
from knowledge.errors import Refusal
from knowledge.fit.words import SHORT, kv_cache_word, quantization_label

if TYPE_CHECKING:
    from knowledge.commands.pasted import PastedCommand

# FitRequest's names for what Fields has under another name.
_FIELDS = {
    "context": "context_tokens",
    "gpu_memory_utilization": "utilization",
    "count": "count",
    "tp": "tp",
    "pp": "pp",
    "dp": "dp",
    "vllm_version": "vllm_version",
    "max_num_seqs": "max_num_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
}


def said_by(command: "PastedCommand") -> Before:
    """What is known once the command is read: the words around it may say more, and otherwise."""
    options = dict(command.options)
    values = {ours: options.pop(theirs) for theirs, ours in _FIELDS.items() if theirs in options}
    values |= _formats(options)
    if command.model is not None:
        values["model_id"] = of_name(command.model)
        stated = weight_word_in(values["model_id"])
        values["weight_quant"] = stated or values.get("weight_quant")
    return Before(Fields(**values), options)


def _formats(options: dict[str, Any]) -> dict[str, Any]:
    """The contract's words for the formats; one that no vLLM knows stays with the flags, whose fault it is."""
    values = {}
    try:
        values["weight_quant"] = quantization_label(options.pop("quantization", None))
        cache = options.pop("kv_cache_dtype", None)
        values["kv_dtype"] = SHORT.get(kv_cache_word(cache), kv_cache_word(cache)) if cache else None
    except Refusal:
        return values
    return values
