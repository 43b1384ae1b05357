"""Looks at a server while it is measured: before, every second or so, and after."""

import asyncio
import time
from contextlib import suppress

import httpx

from runners.measuring import scrape
from runners.measuring.scrape import Sample
from runners.measuring.server import ASK_S, page

OFTEN_S, SELDOM_S, OFTEN = 1.0, 5.0, 120  # seconds between looks; after so many, the longer pause


class Watch:
    """The looks of one repeat. `begin` forgets those before: warm-ups are not measured."""

    def __init__(self, url: str, api_key: str | None = None) -> None:
        self.samples: list[Sample] = []
        self._url = url.removesuffix("/v1")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(timeout=ASK_S, trust_env=False, headers=headers)
        self._again = asyncio.Event()
        self._begun = False
        self._task = asyncio.create_task(self._run())

    def begin(self) -> None:
        """The measured part begins now; said again, it changes nothing."""
        if not self._begun:
            self._begun = True
            self.samples.clear()
            self._again.set()

    async def end(self) -> list[Sample]:
        """One last look, and all of them."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._look()
        await self._client.aclose()
        return self.samples

    async def _run(self) -> None:
        while True:
            await self._look()
            pause = OFTEN_S if len(self.samples) < OFTEN else SELDOM_S
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._again.wait()
            self._again.clear()

    async def _look(self) -> None:
        text = await page(self._client, self._url)
        if text is not None:
            self.samples.append(scrape.read(text, time.time()))
