"""The page arithmetic against what vLLM itself said: its own functions (tests/vllm/pages_truth.py), and public logs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from knowledge.launch import Launch
from knowledge.memory.pages import cache_layout
from knowledge.units import GIB
from knowledge.versions import parse
from tests.knowledge.memory.described import cache, launch, options

PAGES = Path(__file__).parents[2] / "data" / "pages"
LAYOUTS = json.loads((PAGES / "layouts.json").read_text())["models"]
ROWS = [json.loads(line) for line in (PAGES / "vllm-0.32.0.jsonl").read_text().splitlines()]
LOGGED = json.loads((PAGES / "logged.json").read_text())
STARTED, REFUSED = LOGGED["started"], LOGGED["refused"]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_cache_holds_what_vllms_own_functions_say(row: Mapping[str, Any]) -> None:
    described = LAYOUTS[row["model"]]
    letters = "".join(letters * times for letters, times in described["layers"])
    layers = [[cache(one, row["state_parts"]) for one in described[letter]] for letter in letters]
    layout, kv_bytes, truth = (
        cache_layout(launch(layers, **options(row))),
        round(row["kv_cache_gib"] * GIB),
        row["truth"],
    )
    found = {
        "tokens": layout.tokens(kv_bytes),
        "concurrency": round(layout.concurrency(kv_bytes, row["max_model_len"]), 4),
        "blocks": layout.blocks(kv_bytes),
        "block_bytes": layout.block_bytes,
        "groups": sorted(sum(len(layers) for _, layers in group.members) for group in layout.groups),
        "max_context": layout.max_context(kv_bytes, row["max_model_len"]),
    }
    assert found == truth | {"groups": sorted(truth["groups"])}


def logged_launch(row: Mapping[str, Any]) -> Launch:
    layers = [[cache(one)] for times, caches in row["layers"] for one in caches * times]
    return launch(layers, version=parse(row["vllm"]), **options(row))


@pytest.mark.parametrize("row", STARTED, ids=[row["id"] for row in STARTED])
def test_logged_gib_give_the_logged_tokens(row: Mapping[str, Any]) -> None:
    layout, kv_bytes = cache_layout(logged_launch(row)), round(row["kv_gib"] * GIB)
    # The log rounds to 0.01 GiB, which is up to 0.2 % of the smallest of these caches.
    rounding = 0.005 / row["kv_gib"]
    tolerance = max(0.001, rounding) if len(layout.groups) == 1 else 0.01
    assert layout.tokens(kv_bytes) == pytest.approx(row["tokens"], rel=tolerance)
    if row["concurrency"] is not None:
        concurrency = layout.concurrency(kv_bytes, row["max_model_len"])
        assert concurrency == pytest.approx(row["concurrency"], rel=max(0.01, 0.005 / row["concurrency"]))


@pytest.mark.parametrize("row", REFUSED, ids=[row["id"] for row in REFUSED])
def test_a_refused_start_would_have_needed_what_vllm_said(row: Mapping[str, Any]) -> None:
    layout, length = cache_layout(logged_launch(row)), row["max_model_len"]
    needed = row["needed_gib"]
    assert not layout.fits_one(int((needed - 0.01) * GIB), length)
    assert layout.fits_one(int((needed + 0.01) * GIB) + layout.block_bytes, length)
    if "max_context" in row:
        assert layout.max_context(round(row["kv_gib"] * GIB), length) == pytest.approx(row["max_context"], rel=0.005)
