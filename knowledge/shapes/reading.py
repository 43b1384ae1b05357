"""Finding in a config.json the language model, and what stands beside it."""

from dataclasses import dataclass, replace

from knowledge.errors import Refusal
from knowledge.shapes.architectures import ALIASES, ARCHITECTURES, BY_MODEL_TYPE, HEADLESS, Architecture
from knowledge.shapes.defaults import DEFAULTS
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.layers import Part
from knowledge.shapes.multimodal import MULTIMODAL, Multimodal
from knowledge.shapes.weights import Body, Weight

TEXT_SECTIONS = ("text_config", "llm_config", "language_config")
WRAPPERS = ("thinker_config",)  # an omni model is a thinker and a talker; vLLM runs the thinker
KEPT_ONCE = ("tie_word_embeddings", "max_position_embeddings")  # said at the root, meant for the language model


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
    beside = MULTIMODAL.get(name)
    if name == "ChatGLMModel" and root.section("vision_config") is not None:
        beside = MULTIMODAL["GLM4VForCausalLM"]
    if beside is not None:
        return _read_multimodal(root, name, beside)
    known = _known(name)
    text = root.over(DEFAULTS.get(known.model_type, {}))
    body = known.read(text)
    if name in HEADLESS:
        body = _headless(body)
    return Found(architecture=name, model_type=root.word("model_type"), text=text, body=body)


def _architecture(root: Fields) -> str:
    names = root.items("architectures")
    if not names or not isinstance(names[0], str):
        raise refuse("architectures", names, "which names no architecture")
    return names[0]


def _known(name: str) -> Architecture:
    known = ARCHITECTURES.get(ALIASES.get(name, name))
    if known is None:
        raise Refusal(
            "unknown-architecture",
            f"`{name[:60]}` is an architecture that is not understood here, so nothing about it can be computed.",
            "Ask about a listed model of the same size, or start vLLM once and read its KV cache lines.",
            architecture=name[:60],
        )
    return known


def _headless(body: Body) -> Body:
    """Embedding and reward models have no output head."""
    return replace(body, outside=tuple(weight for weight in body.outside if weight.part is not Part.LM_HEAD))


def _read_multimodal(root: Fields, name: str, beside: Multimodal) -> Found:
    whole = next((inner for inner in (root.section(wrapper) for wrapper in WRAPPERS) if inner is not None), root)
    text = next((inner for inner in (whole.section(section) for section in TEXT_SECTIONS) if inner is not None), whole)
    known = _known(beside.text or _text_architecture(text))
    said_above = {key: root.raw(key) for key in KEPT_ONCE if root.raw(key) is not None and key not in text}
    text = text.over({**DEFAULTS.get(known.model_type, {}), **said_above})
    body = known.read(text)
    section = whole.section(beside.section) or Fields({})
    encoder = beside.encoder(section.over(DEFAULTS.get(beside.defaults, {})), whole, body.hidden_size)
    weight = Weight(encoder.name, Part.VISION, encoder.number)
    return Found(
        architecture=name,
        model_type=root.word("model_type"),
        text=text,
        body=replace(body, outside=(*body.outside, weight)),
        multimodal=True,
        max_image_tokens=encoder.largest,
    )


def _text_architecture(text: Fields) -> str:
    names = text.items("architectures")
    if names and isinstance(names[0], str):
        return names[0]
    return BY_MODEL_TYPE.get(text.word("model_type"), text.word("model_type"))
