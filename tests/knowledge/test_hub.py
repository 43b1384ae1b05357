"""The door to the hub, against a hub on loopback: what is there, what is not, and a hub that misbehaves."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from knowledge.errors import Refusal
from knowledge.hub import fetch_shape
from knowledge.shapes.layers import Part

# Qwen/Qwen3-0.6B's dimensions
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
FP8 = {**CONFIG, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
PARAMETERS = 596_049_920  # the model's published count without the head it stores twice

Reply = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Hub:
    """A hub on loopback: `replies` by path, and what was asked of it."""

    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    endpoint: str = ""

    def serve(self, path: str, reply: Reply) -> None:
        self.replies[path] = reply

    def serve_model(self, repo: str, **files: object) -> None:
        for name, content in files.items():
            self.serve(f"/{repo}/resolve/main/{name.replace('__', '.')}", found(json.dumps(content).encode()))


def found(body: bytes, status: int = 200, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


@pytest.fixture
def hub() -> Iterator[Hub]:
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers.get("Authorization")))
            missing = found(b"", 404, X_Error_Code="EntryNotFound")
            try:
                state.replies.get(self.path, missing)(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.endpoint = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def refused(hub: Hub, repo: str = "org/model", **options: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        fetch_shape(repo, token=None, cache_dir=None, endpoint=hub.endpoint, **options)  # type: ignore[arg-type]
    return caught.value


def test_a_config_on_the_hub_becomes_a_shape(hub: Hub) -> None:
    hub.serve_model("org/model", config__json=CONFIG)
    shape = fetch_shape("org/model", token=None, cache_dir=None, endpoint=hub.endpoint)
    assert (shape.model_id, shape.parameters(), shape.checkpoint_bytes) == ("org/model", PARAMETERS, None)


def test_the_index_gives_the_real_size_of_quantised_weights(hub: Hub) -> None:
    hub.serve_model("org/model", config__json=FP8)
    index = {"metadata": {"total_size": 751_000_000}, "weight_map": {"x": "y" * 100_000}}
    hub.serve_model("org/model", model__safetensors__index__json=index)
    assert fetch_shape("org/model", token=None, cache_dir=None, endpoint=hub.endpoint).checkpoint_bytes == 751_000_000


def test_a_sidecar_says_how_it_is_quantised(hub: Hub) -> None:
    sidecar = {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}
    hub.serve_model("org/model", config__json=CONFIG, hf_quant_config__json=sidecar)
    shape = fetch_shape("org/model", token=None, cache_dir=None, endpoint=hub.endpoint)
    assert shape.quantization is not None
    assert (shape.quantization.label, shape.kv_cache_dtype) == ("nvfp4", "fp8")
    assert shape.quantization.bits_of(Part.EMBEDDING) == 16


def test_a_second_call_needs_no_network(hub: Hub, tmp_path: Path) -> None:
    hub.serve_model("org/model", config__json=CONFIG)
    first = fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=hub.endpoint)
    asked = len(hub.asked)
    assert fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=hub.endpoint) == first
    assert len(hub.asked) == asked


@pytest.mark.parametrize("spoilt", [b"{", b'{"config": 1}', b"[]", b'{"config": 5, "sidecar": 7, "total": "x"}'])
def test_a_spoilt_cache_is_fetched_again(hub: Hub, tmp_path: Path, spoilt: bytes) -> None:
    hub.serve_model("org/model", config__json=CONFIG)
    fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=hub.endpoint)
    for kept in (tmp_path / "hub").iterdir():
        kept.write_bytes(spoilt)
    assert fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=hub.endpoint).parameters() == PARAMETERS


def test_a_cache_that_cannot_be_written_costs_nothing_else(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "hub").write_text("a file where a folder should be")
    hub.serve_model("org/model", config__json=CONFIG)
    assert fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=hub.endpoint).parameters() == PARAMETERS


def test_the_token_goes_to_the_endpoint_and_nowhere_else(hub: Hub) -> None:
    other = hub.endpoint.replace("127.0.0.1", "localhost")
    hub.serve("/org/model/resolve/main/config.json", found(b"", 302, Location=f"{other}/elsewhere/config.json"))
    hub.serve("/elsewhere/config.json", found(json.dumps(CONFIG).encode()))
    fetch_shape("org/model", token="hf_secret", cache_dir=None, endpoint=hub.endpoint)
    sent = dict(hub.asked)
    assert sent["/org/model/resolve/main/config.json"] == "Bearer hf_secret"
    assert sent["/elsewhere/config.json"] is None


def test_without_a_token_none_is_sent(hub: Hub) -> None:
    hub.serve_model("org/model", config__json=CONFIG)
    fetch_shape("org/model", token=None, cache_dir=None, endpoint=hub.endpoint)
    assert {token for _, token in hub.asked} == {None}


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        pytest.param(
            found(b"", 404, X_Error_Code="RepoNotFound"), "hub-not-found", "not on the hub", id="no such model"
        ),
        pytest.param(found(b"", 404), "hub-no-config", "no config.json", id="no config"),
        pytest.param(found(b"", 401), "hub-not-found", "private", id="401"),
        pytest.param(found(b"", 403, X_Error_Code="GatedRepo"), "hub-gated", "gated", id="gated"),
        pytest.param(found(b"", 429), "hub-busy", "limits", id="rate limit"),
        pytest.param(found(b"oops", 500), "hub-error", "500", id="500"),
        pytest.param(found(b"<html>not json"), "hub-not-json", "not a JSON object", id="garbage"),
        pytest.param(found(b"[1, 2]"), "hub-not-json", "not an object", id="a list"),
        pytest.param(
            found(b"", 302, Location="/org/model/resolve/main/config.json"), "hub-error", "circles", id="loop"
        ),
        pytest.param(found(b"", 302), "hub-error", "circles", id="a redirection to nowhere"),
        pytest.param(found(b"", 302, Location="http://[::bad"), "hub-offline", "cannot be fetched", id="to no address"),
        pytest.param(
            found(b"", 302, Location="file:///etc/passwd"), "hub-offline", "cannot be fetched", id="to a file"
        ),
    ],
)
def test_what_went_wrong_is_said_exactly(hub: Hub, reply: Reply, code: str, says: str) -> None:
    hub.serve("/org/model/resolve/main/config.json", reply)
    refusal = refused(hub)
    assert refusal.code == code
    assert says in refusal.error
    assert "folder" in refusal.hint or "token" in refusal.hint


def test_a_gated_model_with_a_token_without_access_is_gated(hub: Hub) -> None:
    hub.serve("/org/model/resolve/main/config.json", found(b"", 403))
    with pytest.raises(Refusal, match="gated"):
        fetch_shape("org/model", token="hf_x", cache_dir=None, endpoint=hub.endpoint)


def test_a_hundred_megabytes_are_refused_by_their_size(hub: Hub) -> None:
    sent = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(100 * 2**20))
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" " * 2**20)
            sent.append(1)

    hub.serve("/org/model/resolve/main/config.json", reply)
    assert refused(hub).code == "hub-too-large"
    assert len(sent) < 50


def test_a_body_without_an_end_is_refused_once_it_is_too_large(hub: Hub) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * 2**20)

    hub.serve("/org/model/resolve/main/config.json", reply)
    assert refused(hub, timeout_s=60.0).code == "hub-too-large"


def waits(done: threading.Event) -> None:
    done.wait(30)


def test_a_silent_hub_is_given_up_at_the_deadline(hub: Hub) -> None:
    done = threading.Event()
    hub.serve("/org/model/resolve/main/config.json", lambda handler: waits(done))
    assert refused(hub, timeout_s=0.2).code == "hub-timeout"
    done.set()


def test_a_dripping_hub_is_given_up_at_the_deadline(hub: Hub) -> None:
    done = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not done.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    hub.serve("/org/model/resolve/main/config.json", reply)
    assert refused(hub, timeout_s=0.3).code == "hub-timeout"
    done.set()


def test_no_time_left_is_a_timeout(hub: Hub) -> None:
    ticks = iter([0.0, 10.0])
    assert refused(hub, timeout_s=5.0, clock=lambda: next(ticks, 10.0)).code == "hub-timeout"


def test_nobody_listening_is_said(hub: Hub) -> None:
    hub.endpoint = "http://127.0.0.1:9"
    refusal = refused(hub)
    assert refusal.code == "hub-offline"
    assert "127.0.0.1:9" in refusal.error


@pytest.mark.parametrize("name", ["no-organisation", "a/b/c", "org/../etc", "org/mo del", "/opt/x", ""])
def test_what_is_no_id_is_not_asked_for(hub: Hub, name: str) -> None:
    assert refused(hub, name).code == "hub-bad-id"
    assert hub.asked == []


def test_a_failing_index_costs_exactness_alone(hub: Hub) -> None:
    hub.serve_model("org/model", config__json=FP8)
    hub.serve("/org/model/resolve/main/model.safetensors.index.json", found(b"", 500))
    assert fetch_shape("org/model", token=None, cache_dir=None, endpoint=hub.endpoint).checkpoint_bytes is None


def test_an_architecture_that_is_not_understood_is_refused(hub: Hub) -> None:
    hub.serve_model("org/model", config__json={**CONFIG, "architectures": ["NobodyForCausalLM"]})
    assert refused(hub).code == "unknown-architecture"


@pytest.mark.parametrize("endpoint", ["notaurl", "http://[::bad", "ftp://example.invalid"])
def test_an_endpoint_that_is_none_is_said_and_no_bug(endpoint: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        fetch_shape("org/model", token=None, cache_dir=tmp_path, endpoint=endpoint)
    assert refusal.value.code == "hub-offline"
