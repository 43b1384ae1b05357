"""Attached files are fetched from the workspace's own host, with the token, and from nowhere else."""

import os
from pathlib import Path

import pytest
from aiohttp import web

from bot.slack.calls import Refused
from bot.slack.files import LARGEST, Files, Unreadable, own_host
from bot.slack.incoming import Attached


@pytest.mark.parametrize(
    ("address", "api", "own"),
    [
        pytest.param("https://files.slack.com/files-pri/T1-F1/download/a.log", "https://slack.com/api/", True, id="Slack"),
        pytest.param("https://files.slack-gov.com/a.log", "https://slack-gov.com/api/", True, id="Slack for governments"),
        pytest.param("http://127.0.0.1:8000/files/F1/a.log", "http://127.0.0.1:8000/api/", True, id="a local server"),
        pytest.param("http://127.0.0.1:8001/files/F1/a.log", "http://127.0.0.1:8000/api/", False, id="another port"),
        pytest.param("http://files.slack.com/a.log", "https://slack.com/api/", False, id="without TLS"),
        pytest.param("https://files.slack.com.example.com/a.log", "https://slack.com/api/", False, id="a longer name"),
        pytest.param("https://files.slack.com@example.com/a.log", "https://slack.com/api/", False, id="a user's name"),
        pytest.param("https://example.com/a.log", "https://slack.com/api/", False, id="another host"),
        pytest.param("", "https://slack.com/api/", False, id="nowhere"),
    ],
)  # fmt: skip
def test_the_token_goes_to_the_workspaces_own_host_only(address: str, api: str, own: bool) -> None:
    assert own_host(address, api) is own


class Unknown:
    """A Web API that knows no file."""

    async def file_address(self, file: str) -> str:
        raise Refused("file_not_found")


async def login(_request: web.Request) -> web.Response:
    return web.Response(text="<html>log in</html>", content_type="text/html")


async def elsewhere(_request: web.Request) -> web.Response:
    raise web.HTTPFound("https://example.com/")


async def endless(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    for _ in range(LARGEST // 2**20 + 2):
        await answer.write(b"x" * 2**20)
    return answer


@pytest.mark.parametrize(
    ("path", "why"),
    [
        pytest.param("/login", "no_access", id="a page to log in on"),
        pytest.param("/elsewhere", "no_access", id="a redirect"),
        pytest.param("/endless", "too_large", id="more than was announced"),
        pytest.param("/none", "no_access", id="not there"),
        pytest.param("", "no_access", id="not known"),
        pytest.param("http://127.0.0.1:1/a.log", "no_access", id="another host"),
    ],
)
async def test_what_cannot_be_read_is_named(tmp_path: Path, unused_tcp_port: int, path: str, why: str) -> None:
    app = web.Application()
    app.add_routes([web.get("/login", login), web.get("/elsewhere", elsewhere), web.get("/endless", endless)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", unused_tcp_port).start()
    base = f"http://127.0.0.1:{unused_tcp_port}"
    address = f"{base}{path}" if path.startswith("/") else path
    file = Attached(id="F1", name="a.log", size=1, url=address)
    try:
        with pytest.raises(Unreadable) as raised:
            await Files(Unknown(), "xoxb-1", f"{base}/api/").fetch(file, tmp_path)
    finally:
        await runner.cleanup()
    assert raised.value.why == why
    assert not os.listdir(tmp_path)  # noqa: PTH208 - nothing waits for it


async def test_a_host_that_is_not_there_is_named(tmp_path: Path, unused_tcp_port: int) -> None:
    base = f"http://127.0.0.1:{unused_tcp_port}"
    file = Attached(id="F1", name="a.log", size=1, url=f"{base}/a.log")
    with pytest.raises(Unreadable):
        await Files(Unknown(), "xoxb-1", f"{base}/api/").fetch(file, tmp_path)
