"""What comes from outside, checked once: a pydantic model or a Refusal that names the fault and the way out."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from knowledge.errors import Refusal

Checked = TypeVar("Checked", bound=BaseModel)

SHOWN = 60  # characters of an offending value that are repeated
BOUNDS = ("ge", "gt", "le", "lt")


def checked(model: type[Checked], values: Mapping[str, Any]) -> Checked:
    """`values` as `model`. Refuses the first fault: an unknown key with the nearest known one, a missing one, a bad value."""
    try:
        found = model.model_validate(dict(values))
    except ValidationError as fault:
        first = min(fault.errors(include_url=False), key=lambda error: error["type"] != "extra_forbidden")
        raise _refusal(model, first) from None
    for key, value in found:
        if isinstance(value, float) and not math.isfinite(value):
            raise _bad_value(key, value, "should be a finite number", {})
    return found


def shown(value: object) -> str:
    """`value` as it may be repeated in a sentence: one line, short."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(value)[: SHOWN * 2]).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def nearest(word: str, known: list[str]) -> str | None:
    """The one of `known` that `word` was probably meant to be."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=70)
    return found[0] if found else None


def _refusal(model: type[BaseModel], error: Any) -> Refusal:
    key = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "extra_forbidden":
            known = _known_keys(model, error["loc"][:-1])
            guess = nearest(str(error["loc"][-1]), known)
            hint = f"Did you mean `{guess}`?" if guess else f"Known are {', '.join(f'`{name}`' for name in known)}."
            return Refusal(
                "unknown-key", f"`{shown(key)}` is not known.", hint, key=shown(key), guess=guess, known=known
            )
        case "missing":
            return Refusal("missing-key", f"`{key}` is missing.", f"Give a value for `{key}`.", key=key)
    says = error["msg"].removeprefix("Input ").removeprefix("Value error, ")
    bounds = {bound: limit for bound, limit in error.get("ctx", {}).items() if bound in BOUNDS}
    field = model.model_fields.get(key)
    return _bad_value(key, error["input"], says, bounds, required=field is not None and field.is_required())


def _bad_value(key: str, value: object, says: str, bounds: Mapping[str, Any], *, required: bool = False) -> Refusal:
    return Refusal(
        "bad-value",
        f"`{shown(key)}` {says}, not `{shown(value)}`.",
        f"Give another value for `{shown(key)}`{'' if required else ', or leave it out'}.",
        key=key,
        value=shown(value),
        says=says,
        bounds=dict(bounds),
    )


def _known_keys(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    for part in path:
        inner = model.model_fields[str(part)].annotation if str(part) in model.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return _known_keys_of_values(model, path)
        model = inner
    return sorted(model.model_fields)


def _known_keys_of_values(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Keys of the models inside a table of tables, as `[channels.NAME]` is."""
    from typing import get_args

    inner = [kind for kind in get_args(model.model_fields[str(path[0])].annotation) if isinstance(kind, type)]
    return sorted(key for kind in inner if issubclass(kind, BaseModel) for key in kind.model_fields)
