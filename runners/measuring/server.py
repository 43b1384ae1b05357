"""One vLLM server: started on loopback, waited for until it is healthy, asked, stopped until nothing of it is left."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from runners.measuring.failure import Layer, failed
from runners.measuring.logfile import start_failure
from runners.processes import guarded
from runners.processes.guarded import CouldNotStart, Ended, Guarded

LOOPBACK = "127.0.0.1"
LOOK_S = 0.25  # between questions whether it is healthy
ASK_S = 5.0
RESET_S = 30.0
STOP_GRACE_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What to start: the whole command, and where its log goes."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    port: int
    limit_s: float

    @property
    def url(self) -> str:
        """Where it will answer."""
        return f"http://{LOOPBACK}:{self.port}"


def serve_argv(command: Sequence[str], model: str, port: int, options: Sequence[str]) -> tuple[str, ...]:
    """`vllm serve` on loopback. The model is served under its own name: the bench then counts its prompts with the server's tokenizer."""
    return (*command, "serve", model, "--host", LOOPBACK, "--port", str(port), *options)


def free_port() -> int:
    """A port of loopback that nobody has at the moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


class Server:
    """A server that we started."""

    def __init__(self, launch: Launch, program: Guarded) -> None:
        self.launch, self.program = launch, program

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.launch.url

    async def healthy(self) -> None:
        """Returns once it answers /health. Raises RunFailed when it ends before, or when its time is up."""
        waiting = asyncio.create_task(_until_healthy(self.url))
        try:
            done, _ = await asyncio.wait(
                {waiting, self.program.ended}, timeout=self.launch.limit_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
        if self.program.ended in done:
            raise start_failure(self.launch.log, self.program.ended.result())
        if not done:
            minutes = self.launch.limit_s / 60
            raise failed(Layer.SERVER_START, f"The server was not ready within {minutes:.3g} minutes.")

    async def stop(self) -> Ended:
        """Ends it, for certain."""
        return await self.program.stop()


async def launch(order: Launch) -> Server:
    """Starts a server; it is not ready yet. Raises RunFailed when the command cannot be run."""
    try:
        program = await guarded.start(
            order.argv,
            environment=order.environment,
            log=order.log,
            folder=order.log.parent,
            grace=STOP_GRACE_S,
        )
    except CouldNotStart as fault:
        raise failed(Layer.SET_UP, f"`{order.argv[0]}` cannot be run: {fault}.") from None
    return Server(order, program)


async def reset_prefix_cache(url: str) -> bool:
    """Empties a server's prefix cache: whether it says that it did. Only for servers that we started."""
    try:
        async with httpx.AsyncClient(timeout=RESET_S, trust_env=False) as client:
            answer = await client.post(f"{url}/reset_prefix_cache")
    except httpx.HTTPError:
        return False
    return answer.status_code == httpx.codes.OK


async def answers(url: str) -> bool:
    """Whether a server says that it is healthy."""
    try:
        async with httpx.AsyncClient(timeout=ASK_S, trust_env=False) as client:
            return (await client.get(f"{url}/health")).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


async def page(client: httpx.AsyncClient, url: str) -> str | None:
    """The server's /metrics, None when it does not answer."""
    try:
        answer = await client.get(f"{url}/metrics")
    except httpx.HTTPError:
        return None
    return answer.text if answer.status_code == httpx.codes.OK else None


async def served_model(url: str, api_key: str | None) -> str:
    """What a running server calls its model. Raises RunFailed when it cannot be asked."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        async with httpx.AsyncClient(timeout=ASK_S, trust_env=False, headers=headers) as client:
            answer = await client.get(f"{url.removesuffix('/v1')}/v1/models")
            answer.raise_for_status()
            return str(answer.json()["data"][0]["id"])
    except httpx.HTTPStatusError as fault:
        code = fault.response.status_code
        why = "does not take the key" if code in {401, 403} else f"answers {code}"
        raise failed(Layer.SET_UP, f"The server at {url} {why}.") from None
    except httpx.HTTPError as fault:
        raise failed(Layer.SET_UP, f"The server at {url} does not answer: {type(fault).__name__}.") from None
    except (ValueError, LookupError, TypeError):
        raise failed(Layer.SET_UP, f"What answers at {url} is no vLLM server.") from None


async def version(url: str) -> str | None:
    """The version that a running server states, None when it does not."""
    try:
        async with httpx.AsyncClient(timeout=ASK_S, trust_env=False) as client:
            answer = await client.get(f"{url.removesuffix('/v1')}/version")
            return str(answer.json()["version"])
    except (httpx.HTTPError, ValueError, LookupError, TypeError):
        return None


async def _until_healthy(url: str) -> None:
    async with httpx.AsyncClient(timeout=ASK_S, trust_env=False) as client:
        while True:
            with suppress(httpx.HTTPError):
                answer = await client.get(f"{url}/health")
                if answer.status_code == httpx.codes.OK:
                    return
            await asyncio.sleep(LOOK_S)
