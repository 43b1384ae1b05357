"""The captured rows are what a real vLLM 0.32.0 says: a sample is asked again."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "data" / "pages"
INSTALL_S, ASK_S = 1800, 300


@pytest.fixture(scope="session")
def vllm_python() -> str:
    """The Python of a venv with vLLM, installed when missing."""
    script = ROOT / "deploy" / "vllm-cpu.sh"
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True, timeout=INSTALL_S)
    return done.stdout.splitlines()[-1]


@pytest.mark.vllm
def test_vllm_says_again_what_was_captured(vllm_python: str) -> None:
    captured = [json.loads(line) for line in (PAGES / "vllm-0.32.0.jsonl").read_text().splitlines()]
    sample = {row["id"]: row for row in captured[::5]}
    asked = [vllm_python, ROOT / "tests" / "vllm" / "pages_truth.py", PAGES / "layouts.json", *sample]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=ASK_S)
    assert done.returncode == 0, done.stderr[-2000:]
    said = {row["id"]: row for row in (json.loads(line) for line in done.stdout.splitlines())}
    assert said == sample
