"""Finding in a config.json the language model, and what stands beside it."""

from dataclasses import dataclass

from knowledge.errors import Refusal
from knowledge.shapes.architectures import PLAIN
from knowledge.shapes.defaults import DEFAULTS
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.weights import Body

TEXT_SECTIONS = ("text_config", "llm_config", "language_config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a config.json was found to describe: `text` are the fields of the language model, `model_type` the root's."""

    architecture: str
    model_type: str
    text: Fields
    body: Body
    multimodal: bool = False
    max_image_tokens: int = 0


def read_body(root: Fields) -> Found:
    """The language model's layers, with the weights of what stands beside it. Refuses an architecture it does not know."""
    name = _architecture(root)
    known = PLAIN.get(name)
    if known is None:
        raise Refusal(
            "unknown-architecture",
            f"`{name[:60]}` is an architecture that is not understood here, so nothing about it can be computed.",
            "Ask about a listed model of the same size, or measure it: start vLLM once and read its KV cache lines.",
            architecture=name[:60],
        )
    text = root.over(DEFAULTS.get(known.model_type, {}))
    return Found(architecture=name, model_type=root.word("model_type"), text=text, body=known.read(text))


def _architecture(root: Fields) -> str:
    names = root.items("architectures")
    if not names or not isinstance(names[0], str):
        raise refuse("architectures", names, "which names no architecture")
    return names[0]
