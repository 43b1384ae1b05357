"""The captured figures are what a real vLLM 0.32.0 says: it is asked again."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "data" / "pages"
ASK_S = 300


def ask(python: str, script: str, *arguments: str | Path) -> str:
    """What a script beside this file prints in that venv."""
    command = [python, ROOT / "tests" / "vllm" / script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ASK_S)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.vllm
def test_vllm_says_the_captured_pages_again(vllm_python: str) -> None:
    captured = [json.loads(line) for line in (PAGES / "vllm-0.32.0.jsonl").read_text().splitlines()]
    sample = {row["id"]: row for row in captured[::5]}
    said = ask(vllm_python, "pages_truth.py", PAGES / "layouts.json", *sample)
    assert {row["id"]: row for row in (json.loads(line) for line in said.splitlines())} == sample


@pytest.mark.vllm
def test_vllm_says_the_captured_states_again(vllm_python: str) -> None:
    said = json.loads(ask(vllm_python, "states_truth.py", PAGES / "hybrid-configs.json"))
    assert said == json.loads((PAGES / "states-vllm-0.32.0.json").read_text())
