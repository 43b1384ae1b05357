"""Cleaning up that goes to its end, however often its task is cancelled meanwhile."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Came = TypeVar("Came")


async def unbroken(work: Coroutine[Any, Any, Came]) -> Came:
    """The result of `work`; a cancellation that comes while it runs is raised after it has ended."""
    task = asyncio.create_task(work)
    interrupted = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            interrupted = True
    if interrupted:
        task.exception()
        raise asyncio.CancelledError
    return task.result()
