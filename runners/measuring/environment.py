"""What vLLM is told by its environment: what it needs, and nothing of ours."""

from collections.abc import Iterable, Mapping

_PASSED = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "CPATH"}
    | {"VIRTUAL_ENV", "PYTHONPATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}
    | {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CUDA_HOME", "CUDA_PATH", "HF_TOKEN", "CXX", "CC"}
)
_PASSED_KINDS = (
    "LC_",
    "XDG_",
    "HF_",
    "TRANSFORMERS_",
    "VLLM_",
    "TORCH",
    "CUDA_",
    "NVIDIA_",
    "NCCL_",
    "OMP_",
    "TRITON_",
)
_SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD")
_NOT_TOLD = frozenset({"VLLM_API_KEY", "CUDA_VISIBLE_DEVICES"})
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}


def passed(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of ours that vLLM may see."""
    return {
        name: value
        for name, value in environment.items()
        if name not in _NOT_TOLD and (name in _PASSED or name.startswith(_PASSED_KINDS))
    }


def for_server(environment: Mapping[str, str], host: Mapping[str, str], gpus: Iterable[int]) -> dict[str, str]:
    """A server's variables: ours, the host's settings, its GPUs; development mode, which lets the prefix cache be reset."""
    shown = ",".join(str(index) for index in gpus)
    devices = {"CUDA_VISIBLE_DEVICES": shown, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if shown else {}
    return passed(environment) | dict(host) | devices | QUIET | {"VLLM_SERVER_DEV_MODE": "1"}


def for_bench(environment: Mapping[str, str], host: Mapping[str, str], api_key: str | None) -> dict[str, str]:
    """The client's variables: no GPU, and the server's key where it needs one."""
    key = {"OPENAI_API_KEY": api_key} if api_key else {}
    return passed(environment) | dict(host) | QUIET | {"CUDA_VISIBLE_DEVICES": ""} | key


def telling(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that can change what is measured, for the fingerprint: secrets hidden, ours left out."""
    kinds = ("VLLM_", "NCCL_", "TORCH", "OMP_", "CUDA_", "LD_PRELOAD")
    return {
        name: "…" if any(word in name for word in _SECRET) else value
        for name, value in sorted(environment.items())
        if name.startswith(kinds) and name not in QUIET and name not in {"VLLM_SERVER_DEV_MODE", "CUDA_VISIBLE_DEVICES"}
    }
