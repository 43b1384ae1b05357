"""How many tokens a model may be asked for: what vLLM derives from its config.json."""

from collections.abc import Iterator, Mapping
from typing import Any

from knowledge.shapes.fields import Fields

# vLLM 0.32's keys, the smallest of those that are set counts; model_max_length overrides them all
KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
# rope types whose max_position_embeddings is already the scaled figure; every other type multiplies it by its factor
ALREADY_SCALED = frozenset({"su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling"})
UNSAID = 2048  # vLLM's own assumption when no key is there


def read_max_context(text: Fields, model_type: str) -> int:
    """The longest --max-model-len that vLLM accepts for this model, in tokens."""
    said = [length for key in KEYS if (length := text.optional(key)) is not None]
    longest = text.optional("model_max_length") or min(said, default=UNSAID)
    if "gemma3" in model_type:
        return longest
    return int(longest * _scaling(text))


def read_default_context(text: Fields, max_context: int) -> int:
    """What vLLM takes for --max-model-len when none is given: LongRoPE models start with their original length."""
    if not any(_rope_type(rope) in {"longrope", "su"} for rope in _ropes(text)):
        return max_context
    return min(max_context, text.integer("original_max_position_embeddings", fallback=max_context))


def _scaling(text: Fields) -> float:
    factor = 1.0
    for rope in _ropes(text):
        if _rope_type(rope) not in ALREADY_SCALED:
            factor = Fields(rope).number("factor", factor)
    return factor


def _rope_type(rope: Mapping[str, Any]) -> str:
    return Fields(rope).word("rope_type", "type", fallback="default")


def _ropes(text: Fields) -> Iterator[Mapping[str, Any]]:
    """The rope settings: one object, or one for each kind of layer."""
    for name in ("rope_scaling", "rope_parameters"):
        section = text.raw(name)
        if not isinstance(section, Mapping):
            continue
        nested = [inner for inner in section.values() if isinstance(inner, Mapping)]
        yield from nested or [section]
