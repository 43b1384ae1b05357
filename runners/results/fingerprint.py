"""What a run depended on, written down: two runs can be compared only where exactly the declared field differs."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

# What changes with a field that was declared, and is no second difference.
IMPLIED = {
    "host": frozenset({"gpu", "gpu_count", "driver", "power_limit_w", "max_sm_clock", "cpu", "cores", "vllm", "torch"}),
    "vllm": frozenset({"torch", "transformers"}),
    "torch": frozenset(),
    "model": frozenset({"revision", "weights"}),
    "revision": frozenset({"weights"}),
    "serve.--tensor-parallel-size": frozenset({"gpu_count", "gpus"}),
    "serve.--pipeline-parallel-size": frozenset({"gpu_count", "gpus"}),
    "serve.--data-parallel-size": frozenset({"gpu_count", "gpus"}),
    "gpu_count": frozenset({"gpus", "serve.--tensor-parallel-size"}),
}
_NOT_COMPARED = frozenset({"company", "client_cores", "gpus"})


class Fingerprint(BaseModel):
    """Everything a result hangs on; None: could not be found out, which counts as different from anything known.

    `revision` is the snapshot that was loaded, `weights` a digest of a folder's file names and sizes, `serve` and `environment` what the
    server was told, `workload` what the client was, `cache` what was done against the prefix cache. `company` is who else was at work.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    revision: str | None = None
    weights: str | None = None
    host: str
    url: str | None = None
    vllm: str | None = None
    torch: str | None = None
    transformers: str | None = None
    gpu: str | None = None
    gpu_count: int = 0
    gpus: tuple[int, ...] = ()
    driver: str | None = None
    power_limit_w: float | None = None
    max_sm_clock: int | None = None
    cpu: str | None = None
    cores: int | None = None
    serve: dict[str, Any] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    workload: dict[str, Any] = Field(default_factory=dict)
    slo: dict[str, Any] = Field(default_factory=dict)
    dataset: str | None = None
    cache: str = ""
    company: tuple[str, ...] = ()
    client_cores: float | None = None


def fields(fingerprint: Fingerprint) -> dict[str, Any]:
    """The compared fields, one a key: `serve.--max-num-seqs`, `workload.request_rate`."""
    flat: dict[str, Any] = {}
    for name, value in fingerprint.model_dump(mode="json").items():
        if name in _NOT_COMPARED:
            continue
        if isinstance(value, Mapping):
            flat |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            flat[name] = value
    return flat


def differences(one: Fingerprint, other: Fingerprint) -> dict[str, tuple[Any, Any]]:
    """The fields in which two runs differ; an option that only one of them had stands as None in the other."""
    left, right = fields(one), fields(other)
    return {
        name: (left.get(name), right.get(name))
        for name in sorted(left.keys() | right.keys())
        if left.get(name) != right.get(name)
    }


def beyond(found: Mapping[str, Any], declared: str | None) -> tuple[str, ...]:
    """The differences that the declared one does not account for."""
    allowed = {declared} | (IMPLIED.get(declared, frozenset()) if declared else frozenset())
    return tuple(name for name in found if name not in allowed)
