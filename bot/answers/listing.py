"""What the tables over many launches have in common."""

from bot.answers.facts import cards, model_name, names_build
from bot.settings import Language
from bot.text.phrases import say
from knowledge.fit.estimate import Estimate

SIXTEEN_BITS = ("bf16", "fp16")
HEADS = ("fit.column_verdict", "fit.column_left", "fit.column_longest", "fit.column_at_once")


def what_of(estimate: Estimate, language: Language) -> str:
    """How long a context, and of how many requests at once."""
    return say(language, "fit.what", context=estimate.context, concurrency=estimate.concurrency)


def columns_of(first: str, language: Language) -> tuple[str, ...]:
    """The heads of a table with a column of its own first."""
    return tuple(say(language, head) for head in (first, *HEADS))


def spoken_of(language: Language) -> tuple[str, ...]:
    """Those of the heads that a cell does not speak for."""
    return ("", "", *(say(language, head) for head in HEADS[1:]))


def quantisation_of(estimate: Estimate) -> str:
    """How the weights are stored, where that was not asked and is not 16 bits."""
    how = str((estimate.assumed or {}).get("weight_quant", ""))
    return "" if how in SIXTEEN_BITS else how


def build_of(estimate: Estimate) -> str:
    """`Qwen3-32B (fp8)`, or the name alone where it says how it is quantised."""
    name, how = model_name(estimate), quantisation_of(estimate)
    return name if not how or names_build(name, how) else f"{name} ({how})"


def titled_of(estimate: Estimate, language: Language) -> dict[str, str]:
    """Model and cards, as a title names them."""
    return {"model": build_of(estimate), "cards": cards(estimate, language)}


def title_of(estimate: Estimate, language: Language) -> str:
    """The title of a command."""
    return say(language, "choices.title_command_model", **titled_of(estimate, language))
