"""Which vLLM and torch a command runs, found without importing either (which takes seven seconds)."""

import asyncio
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ASK_S = 60.0
_ASK = """
from importlib.metadata import PackageNotFoundError, version
for name in ("vllm", "torch", "transformers"):
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Versions as their distributions state them; None where there is none."""

    vllm: str | None = None
    torch: str | None = None
    transformers: str | None = None


async def installed(command: Sequence[str], environment: Mapping[str, str]) -> Installed:
    """What the `vllm` command of these words runs: its Python is asked; failing that, `vllm --version`. Nothing where neither says."""
    python = _python_of(command[0], environment.get("PATH"))
    said = await _said([python, "-c", _ASK], environment) if python and len(command) == 1 else ""
    found = dict(line.split(" ", 1) for line in said.splitlines() if " " in line)
    if "vllm" not in found:
        version = re.search(r"\d+\.\d+\.\d+\S*", await _said([*command, "--version"], environment))
        found = {"vllm": version[0]} if version else {}
    return Installed(vllm=found.get("vllm"), torch=found.get("torch"), transformers=found.get("transformers"))


def _python_of(command: str, path: str | None) -> str | None:
    """The interpreter in a script's first line."""
    where = shutil.which(command, path=path)
    if where is None:
        return None
    with Path(where).open("rb") as file:
        first = file.readline(500).decode("utf-8", "replace").strip()
    named = first.removeprefix("#!").strip().split()
    usable = first.startswith("#!") and named and "python" in Path(named[0]).name
    return named[0] if usable else None


async def _said(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, env=dict(environment), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(ASK_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return said.decode("utf-8", "replace")
