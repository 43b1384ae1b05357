"""vLLM versions: reading what people type, and the facts that changed between releases."""

import re
from dataclasses import dataclass

from knowledge.errors import Refusal


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A vLLM release; post and pre releases count as the release itself."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" + (f".{self.patch}" if self.patch else "")


DEFAULT = Version(0, 32)  # the newest whose behaviour was checked against a running server
OLDEST, NEWEST = Version(0, 4), Version(0, 33)  # the tables' ends

V1_OPT_IN = Version(0, 6, 4)  # VLLM_USE_V1=1 (vllm/envs.py); its chunked prefill and prefix caching came with 0.6.5
V1_DEFAULT = Version(0, 8)  # vllm/engine/arg_utils.py: V1 wherever the model and flags allow it
V0_LAST = Version(0, 11)  # removed by PRs 25321 and 27798; VLLM_USE_V1 itself went in 0.11.1
SERVE_COMMAND = Version(0, 5, 2)  # before it, python -m vllm.entrypoints.openai.api_server
BENCH_COMMAND = Version(0, 8)  # `vllm bench serve`
PREFIX_CACHING_FOR_HYBRIDS = Version(0, 28)  # PRs 23716 and 50991: Mamba and linear attention
GRAPHS_IN_BUDGET = Version(0, 20)  # PR 38284: the CUDA-graph estimate counts, and the default utilization is 0.92
ASYNC_SCHEDULING = Version(0, 14)  # --async-scheduling unset means on where possible
LOGS_DERIVED_TOKENS = Version(
    0, 20
)  # "GPU KV cache size" = int(concurrency × max_model_len): kv_cache_utils.py, about 0.20
CUTS_MAX_TOKENS = Version(0, 30)  # prompt + max_tokens above the limit: 400 up to about 0.29, cut in 0.32 (tried)
GGUF_PLUGIN = Version(0, 24)  # PR 39612: GGUF left the main package
HIDES_OLD_METRICS = Version(0, 12)  # gpu_cache_usage_perc and gpu_prefix_cache_* gone: PR 29330


def parse(text: str) -> Version:
    """`0.32`, `v0.8.5.post1`, `0.10.1.1`, `0.20.0rc1`. Refuses anything else."""
    found = re.fullmatch(
        r"\s*v?(\d{1,2})\.(\d{1,3})(?:\.(\d{1,3}))?(?:\.\d{1,3})?(?:[.\-+]?[a-z]+[\w.+-]*)?\s*",
        text[:60],
        re.IGNORECASE,
    )
    if found is None:
        raise Refusal(
            "bad-version", f"`{text[:40]}` is not a vLLM version.", "Write it like `0.32` or `0.8.5`.", text=text[:40]
        )
    return Version(*(int(part or 0) for part in found.groups()))


def nearest(version: Version) -> tuple[Version, bool]:
    """The version whose rules answer for `version`: itself inside the tables, else their nearer end; True when it differs.

    0.33.5 is answered as 0.33 without a word: a patch release of the newest known minor.
    """
    known = min(max(version, OLDEST), NEWEST)
    return known, (known.major, known.minor) != (version.major, version.minor)


def v1(version: Version) -> bool:
    """Whether the V1 engine is what runs when nothing is said."""
    return version >= V1_DEFAULT


def chunked_prefill(version: Version, max_model_len: int) -> bool:
    """Whether prompts are split across steps when nothing is said, for a model that generates.

    V1 always; V0 since 0.5.3 only beyond 32,768 tokens (vllm/engine/arg_utils.py).
    """
    return v1(version) or (version >= Version(0, 5, 3) and max_model_len > 32_768)


def prefix_caching(version: Version, *, hybrid: bool = False) -> bool:
    """Whether shared prefixes are kept when nothing is said, for a model that generates; `hybrid` has recurrent layers."""
    return version >= (PREFIX_CACHING_FOR_HYBRIDS if hybrid else V1_DEFAULT)


def graphs_in_budget(version: Version) -> bool:
    """Whether the CUDA-graph estimate is taken from the budget before the KV cache is sized."""
    return version >= GRAPHS_IN_BUDGET


def async_scheduling(version: Version) -> bool:
    """Whether scheduling runs a step ahead when nothing is said and nothing forbids it."""
    return version >= ASYNC_SCHEDULING


def logs_derived_tokens(version: Version) -> bool:
    """Whether the logged KV cache size is concurrency × max_model_len; before, it is blocks × block size of one group."""
    return version >= LOGS_DERIVED_TOKENS
