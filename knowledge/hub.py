"""The one door to the Hugging Face hub: a model's config.json and what is beside it, within a deadline, kept once fetched."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import urljoin, urlsplit

from knowledge.errors import Refusal
from knowledge.shapes.model import REPOSITORY, ModelShape

HUB = "https://huggingface.co"
TOTAL = re.compile(rb'"total_size"\s*:\s*(\d{1,15})')
INDEX_HEAD = 2**16  # bytes of a safetensors index that are looked at: its total stands at the beginning
REDIRECTS = 3
OTHERWISE = "Give a folder that holds its config.json, or name the listed model that it is built on."


@dataclass(frozen=True, slots=True)
class HubAccess:
    """How the hub is reached: a token (None: public models only), where fetched files are kept (None: nowhere), its address
    (None: huggingface.co) and the seconds that all requests for one model may take together."""

    token: str | None = None
    cache_dir: Path | None = None
    endpoint: str | None = None
    timeout_s: float = 5.0

    def shape(self, repo_id: str) -> ModelShape:
        """The model's shape; refuses as `fetch_shape` does."""
        return fetch_shape(
            repo_id, token=self.token, cache_dir=self.cache_dir, endpoint=self.endpoint, timeout_s=self.timeout_s
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What the hub holds about one model. `total` is the size of its weights in bytes, where it says it."""

    config: dict[str, Any]
    sidecar: dict[str, Any] | None
    total: int | None


def fetch_shape(
    repo_id: str,
    *,
    token: str | None,
    cache_dir: Path | None,
    endpoint: str | None = None,
    timeout_s: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> ModelShape:
    """The shape of a model on the hub at `endpoint` (None: huggingface.co).

    All requests together take at most `timeout_s` seconds. `token` is sent to the endpoint alone. What was fetched once is kept
    in `cache_dir` and needs no network again. Refuses with a code that begins with `hub-`.
    """
    from knowledge.shapes.checkpoint import loaded_bytes
    from knowledge.shapes.config import read_config  # every architecture: only for a model that is fetched

    if not REPOSITORY.fullmatch(repo_id):
        raise _refusal("hub-bad-id", repo_id, "is not a Hugging Face id", "Write it as `organisation/name`.")
    base = (endpoint or HUB).rstrip("/")
    kept = None if cache_dir is None else cache_dir / "hub" / _file_name(base, repo_id)
    found = _read_kept(kept)
    if found is None:
        found = _Door(repo_id, base, token, clock() + timeout_s, clock).visit()
        _keep(kept, found)
    model = read_config(found.config, repo_id, hf_quant_config=found.sidecar)
    return replace(model, checkpoint_bytes=loaded_bytes(model, found.total))


def _file_name(base: str, repo_id: str) -> str:
    host = re.sub(r"\W+", "-", base.partition("://")[2].partition("/")[0])
    return f"{host}--{repo_id.replace('/', '--')}.json"


def _read_kept(file: Path | None) -> Found | None:
    """What was kept, None when nothing was or it cannot be read."""
    if file is None or not file.is_file():
        return None
    try:
        values = json.loads(file.read_bytes())
        found = Found(values["config"], values["sidecar"], values["total"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    kinds = ((found.config, dict), (found.sidecar, dict | None), (found.total, int | None))
    return found if all(isinstance(value, kind) for value, kind in kinds) else None


def _keep(file: Path | None, found: Found) -> None:
    """Keep it, whole or not at all. A folder that cannot be written costs a fetch, not the answer."""
    if file is None:
        return
    part = file.with_suffix(".part")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"config": found.config, "sidecar": found.sidecar, "total": found.total}), "utf-8")
        part.replace(file)


@dataclass(frozen=True, slots=True)
class _Door:
    """One visit. `deadline` is in seconds of `clock`."""

    repo_id: str
    base: str
    token: str | None
    deadline: float
    clock: Callable[[], float]

    def visit(self) -> Found:
        """Fetch within the deadline, whatever the network does: looking up a host's address has no timeout of its own."""
        answers: Queue[Found | BaseException] = Queue()
        Thread(target=self._answer, args=(answers,), name="hub", daemon=True).start()
        try:
            answer = answers.get(timeout=self._left())
        except Empty:
            raise self._late() from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _answer(self, answers: "Queue[Found | BaseException]") -> None:
        try:
            answers.put(self._fetch())
        except BaseException as failure:  # noqa: BLE001 - it is raised again where it was asked for
            answers.put(failure)

    def _fetch(self) -> Found:
        """config.json, which must be there, and what else there is."""
        config = self._json("config.json")
        if config is None:
            raise _refusal("hub-no-config", self.repo_id, "has no config.json on the hub", OTHERWISE)
        sidecar = None if "quantization_config" in config else self._json("hf_quant_config.json")
        return Found(config, sidecar, self._total())

    def _json(self, name: str) -> dict[str, Any] | None:
        from knowledge.shapes.folder import LARGEST, parse_json

        data = self._get(name, LARGEST)
        if data is None:
            return None
        if len(data) > LARGEST:
            raise self._too_large(name)
        try:
            return parse_json(data, name)
        except Refusal as refusal:
            raise Refusal("hub-not-json", refusal.error, OTHERWISE, model=self.repo_id, file=name) from None

    def _total(self) -> int | None:
        """The weights' size, from the beginning of the index. Not having it costs exactness, not the answer."""
        try:
            data = self._get("model.safetensors.index.json", INDEX_HEAD, whole=False)
        except Refusal:
            return None
        found = TOTAL.search(data or b"")
        return int(found[1]) or None if found else None

    def _get(self, name: str, largest: int, *, whole: bool = True) -> bytes | None:
        """The file, None when it is not there; more than `largest` bytes are never read."""
        from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # whichever httpx the library uses

        try:
            with self._response(name) as response:
                if response.status_code == 404 and response.headers.get("X-Error-Code") != "RepoNotFound":
                    return None
                self._check(response.status_code, response.headers.get("X-Error-Code", ""))
                if whole and int(response.headers.get("Content-Length", 0)) > largest:
                    raise self._too_large(name)
                return self._read(response.iter_bytes(), largest)
        except (HTTPError, OSError, ValueError) as failure:
            raise self._unreachable(type(failure).__name__) from None

    @contextmanager
    def _response(self, name: str) -> Iterator[Any]:
        """The answer after redirects; the token goes to the endpoint's own origin and nowhere else."""
        from huggingface_hub import get_session, hf_hub_url

        url = hf_hub_url(self.repo_id, name, endpoint=self.base)
        for _ in range(REDIRECTS):
            headers = self._headers(url)
            request = get_session().stream("GET", url, headers=headers, timeout=self._left(), follow_redirects=False)
            with request as response:
                if not response.is_redirect:
                    yield response
                    return
                url = urljoin(url, response.headers.get("Location", ""))
        raise _refusal("hub-error", self.repo_id, "is redirected in circles by the hub", OTHERWISE)

    def _headers(self, url: str) -> dict[str, str]:
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

        own = urlsplit(url)[:2] == urlsplit(self.base)[:2]
        return dict(build_hf_headers(token=self.token if own and self.token else False))

    def _read(self, chunks: Iterator[bytes], largest: int) -> bytes:
        data = bytearray()
        for chunk in chunks:
            self._left()
            data += chunk
            if len(data) > largest:
                break
        return bytes(data)

    def _left(self) -> float:
        """Seconds until the deadline; refuses when there are none."""
        left = self.deadline - self.clock()
        if left <= 0:
            raise self._late()
        return left

    def _unreachable(self, failure: str) -> Refusal:
        if "Timeout" in failure or self.clock() >= self.deadline:
            return self._late()
        return _refusal("hub-offline", self.repo_id, f"cannot be fetched from {self.base} ({failure})", OTHERWISE)

    def _late(self) -> Refusal:
        return _refusal("hub-timeout", self.repo_id, f"could not be fetched in time from {self.base}", OTHERWISE)

    def _too_large(self, name: str) -> Refusal:
        from knowledge.shapes.folder import LARGEST

        why = f"has a {name} larger than {LARGEST:,} bytes on the hub, which no honest one is"
        return _refusal("hub-too-large", self.repo_id, why, OTHERWISE)

    def _check(self, status: int, code: str) -> None:
        """Refuse what is not the file, saying exactly what it is."""
        if status < 300:
            return
        if code == "GatedRepo" or (status == 403 and self.token):
            do = "Accept its licence on the hub and set a token with access, or name a listed model of its size."
            raise _refusal("hub-gated", self.repo_id, "is gated on the hub", do)
        if status in {401, 403, 404}:
            do = "Check its spelling; a private model needs a token (`HF_TOKEN`). " + OTHERWISE
            raise _refusal("hub-not-found", self.repo_id, "is not on the hub, or is private", do)
        if status == 429:
            raise _refusal("hub-busy", self.repo_id, "cannot be fetched now: the hub limits this address", OTHERWISE)
        raise _refusal("hub-error", self.repo_id, f"cannot be fetched: the hub answered {status}", OTHERWISE)


def _refusal(code: str, repo_id: str, wrong: str, do: str) -> Refusal:
    return Refusal(code, f"`{repo_id[:100]}` {wrong}.", do, model=repo_id[:100])
