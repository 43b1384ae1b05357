"""An agent that dials out to the bot, over a Unix socket or TCP."""

from typing import Any

import httpx

from runners.dispatch.link import UNIX, Claim, Fenced, Turned, Unreachable
from runners.dispatch.orders import Order, Progress

CALL_S = 20.0


class HttpLink:
    """`where` is `unix:PATH` or an http address; `token` is the host's own, needed over TCP."""

    def __init__(self, where: str, host: str, instance: str, token: str | None = None) -> None:
        self._host, self._instance = host, instance
        path = where.removeprefix(UNIX) if where.startswith(UNIX) else None
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.AsyncClient(
            base_url="http://agents" if path else where,
            transport=httpx.AsyncHTTPTransport(uds=path) if path else None,
            headers=headers,
            timeout=CALL_S,
            trust_env=path is None,
        )

    async def claim(self, running: frozenset[str], wait_s: float) -> Claim | None:
        """Asks for work; the answer may take `wait_s`."""
        said = await self._call("claim", {"running": sorted(running), "wait_s": wait_s}, CALL_S + wait_s)
        if said.get("order") is None:
            return None
        return Claim(Order.model_validate(said["order"]), int(said["token"]))

    async def renew(self, key: str, token: int, progress: Progress) -> str | None:
        """Reports progress."""
        told = {"key": key, "token": token, "progress": progress.model_dump(mode="json")}
        cancel = (await self._call("renew", told)).get("cancel")
        return None if cancel is None else str(cancel)

    async def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
        """Reports the end."""
        told = {"key": key, "token": token, "progress": progress.model_dump(mode="json")}
        await self._call("finish", told | {"result": result})

    async def close(self) -> None:
        """Hangs up."""
        await self._client.aclose()

    async def _call(self, what: str, body: dict[str, Any], timeout: float = CALL_S) -> dict[str, Any]:  # noqa: ASYNC109 - httpx's own
        try:
            answer = await self._client.post(
                f"/agents/{what}", json={"host": self._host, "instance": self._instance} | body, timeout=timeout
            )
            said = answer.json()
        except (httpx.HTTPError, ValueError) as fault:
            raise Unreachable(f"{type(fault).__name__}: {fault}") from None
        match answer.status_code:
            case httpx.codes.OK:
                return dict(said)
            case httpx.codes.GONE:
                raise Fenced(str(body.get("key")))
            case httpx.codes.UNAUTHORIZED | httpx.codes.CONFLICT | httpx.codes.NOT_FOUND:
                raise Turned(str(said.get("error", answer.status_code)))
            case _:
                raise Unreachable(f"status {answer.status_code}")
