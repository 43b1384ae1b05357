"""The estimator's own track record, on real starts of vLLM that people published."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from bot.settings import Language
from bot.text.phrases import say

FILE = Path(__file__).parents[2] / "knowledge" / "data" / "track_record.json"


@lru_cache(maxsize=1)
def record_object() -> dict[str, dict[str, Any]]:
    """Figures by set: `first` as first answered, before anything was learnt from them; `all` as if each start's own logs were not known."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def record_text(language: Language) -> str:
    """The record in sentences, what was answered unseen first."""
    found = record_object()
    told = [
        f"{say(language, f'accuracy.{name}', **found[name])}\n{say(language, 'accuracy.figures', **found[name], percent=_percent)}"
        for name in ("first", "all")
    ]
    return "\n\n".join([*told, say(language, "accuracy.how")])


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %"
