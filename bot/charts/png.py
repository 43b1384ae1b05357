"""The memory bar as a PNG. It is drawn by a child process that ends with it: matplotlib never enters the bot's own memory."""

import asyncio
import json
import subprocess
import sys
from typing import Any

from bot.charts.memory import MemoryBar, label, title
from bot.settings import Language

DEADLINE = 30.0  # seconds; a cold start of matplotlib builds its font list once
CHILD = (sys.executable, "-m", "bot.charts.draw")


class NotDrawn(Exception):
    """The child could not draw: matplotlib is missing, or it took too long."""


def png(bar: MemoryBar, language: Language, *, deadline: float = DEADLINE) -> bytes:
    """The picture. Raises NotDrawn."""
    try:
        done = subprocess.run(CHILD, input=asked(bar, language), capture_output=True, timeout=deadline, check=False)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired:
        raise NotDrawn("drawing took too long") from None
    return _drawn(done.returncode, done.stdout, done.stderr)


async def png_later(bar: MemoryBar, language: Language, *, deadline: float = DEADLINE) -> bytes:
    """The picture, without holding up the event loop. Raises NotDrawn."""
    return await drawn_later(asked(bar, language), deadline=deadline)


async def drawn_later(said: bytes, *, deadline: float = DEADLINE) -> bytes:
    """The picture of what `asked` wrote down, without holding up the event loop. Raises NotDrawn."""
    child = await asyncio.create_subprocess_exec(
        *CHILD, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(deadline):
            out, err = await child.communicate(said)
    except TimeoutError:
        child.kill()
        await child.wait()
        raise NotDrawn("drawing took too long") from None
    return _drawn(child.returncode, out, err)


def _drawn(status: int | None, out: bytes, err: bytes) -> bytes:
    if status != 0 or not out.startswith(b"\x89PNG"):
        raise NotDrawn(err.decode("utf-8", "replace").strip()[-200:] or "nothing was drawn")
    return out


def asked(bar: MemoryBar, language: Language) -> bytes:
    """The bar as the child reads it: figures, and labels in the language and in English, for want of fonts."""
    said: dict[str, Any] = {
        "total": bar.total,
        "budget": bar.budget,
        "length": bar.length,
        "pieces": [{"use": piece.use, "gib": piece.gib} for piece in bar.pieces],
        "titles": [title(bar, language), title(bar, "en")],
        "labels": [{piece.use: label(piece.use, bar, spoken) for piece in bar.pieces} for spoken in (language, "en")],
    }
    return json.dumps(said).encode()
