"""Sentences by name and language: each is a block of a Jinja template in `en/` or `zh/`, named `file.block`."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.settings import Language
from bot.text import figures

if TYPE_CHECKING:
    from jinja2 import Environment, Template

AFTER_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff]) 单张")  # cards begin with a digit elsewhere, and stand apart
FOLDER = Path(__file__).parent
FORMS = (
    figures.count,
    figures.gib,
    figures.gib_range,
    figures.gib_span,
    figures.count_range,
    figures.about,
    figures.size,
)


def say(language: Language, phrase: str, **facts: Any) -> str:
    """The sentence `phrase` with `facts`, as plain text. A missing phrase or fact is a bug and raises."""
    subject, name = phrase.split(".")
    template = _template(language, subject)
    environment = template.environment
    context = environment.context_class(environment, facts, template.name, {})  # no phrase is made of others
    said = "".join(template.blocks[name.replace("-", "_")](context)).strip()
    return AFTER_CHINESE.sub("单张", said) if language == "zh" and " 单张" in said else said


def knows(language: Language, phrase: str) -> bool:
    """Whether there is such a sentence in `language`."""
    subject, name = phrase.split(".")
    return (FOLDER / language / f"{subject}.jinja").is_file() and name.replace("-", "_") in _template(
        language, subject
    ).blocks


@cache
def _template(language: Language, subject: str) -> "Template":
    return _environment().get_template(f"{language}/{subject}.jinja")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from bot.text.compiled import Compiled

    environment = Environment(  # noqa: S701 - plain text: what goes to Slack is escaped where blocks are built
        loader=FileSystemLoader(FOLDER),
        bytecode_cache=Compiled(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {form.__name__: form for form in FORMS} | {"ticked": "`{}`".format}
    return environment
