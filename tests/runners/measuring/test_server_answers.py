"""What a server that runs already says of itself, and what stands in the way."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from aiohttp import web

from runners.measuring import server
from runners.measuring.failure import Layer, RunFailed

Serve = Callable[..., Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """The address of a server whose every answer is `status` and `body`."""
    runners: list[web.AppRunner] = []

    async def make(body: str = "", status: int = 200) -> str:
        async def answer(_: web.Request) -> web.Response:
            return web.Response(text=body, status=status, content_type="application/json")

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        runners.append(web.AppRunner(app))
        await runners[-1].setup()
        await web.TCPSite(runners[-1], "127.0.0.1", 0).start()
        host, port = runners[-1].addresses[0][:2]
        return f"http://{host}:{port}"

    yield make
    for runner in runners:
        await runner.cleanup()


async def test_its_model_and_version_are_asked(serve: Serve) -> None:
    url = await serve('{"data": [{"id": "chat", "root": "org/model"}], "version": "0.32.0"}')
    assert await server.served_model(url, "key") == "chat"
    assert await server.served_model(f"{url}/v1", None) == "chat"
    assert await server.version(url) == "0.32.0"
    assert await server.answers(url)
    assert await server.reset_prefix_cache(url)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("{}", 401, "does not take the key."),
        ("{}", 403, "does not take the key."),
        ("{}", 503, "answers 503."),
        ("<html>", 200, "is no vLLM server."),
        ('{"data": []}', 200, "is no vLLM server."),
    ],
)
async def test_what_stands_in_the_way(serve: Serve, body: str, status: int, says: str) -> None:
    with pytest.raises(RunFailed) as failed:
        await server.served_model(await serve(body, status), "key")
    assert failed.value.failure.layer is Layer.SET_UP
    assert failed.value.failure.why.endswith(says)


async def test_a_server_that_is_not_there() -> None:
    nowhere = "http://127.0.0.1:1"
    with pytest.raises(RunFailed, match="does not answer: ConnectError"):
        await server.served_model(nowhere, None)
    assert await server.version(nowhere) is None
    assert not await server.answers(nowhere)
    assert not await server.reset_prefix_cache(nowhere)


async def test_a_page_that_is_refused_is_none(serve: Serve) -> None:
    async with httpx.AsyncClient() as client:
        assert await server.page(client, await serve("no", 404)) is None
        assert await server.page(client, await serve("vllm:x 1")) == "vllm:x 1"
        assert await server.page(client, "http://127.0.0.1:1") is None


async def test_a_server_without_a_version_states_none(serve: Serve) -> None:
    assert await server.version(await serve("{}")) is None
