"""`[[hosts]]`: a machine that benchmarks run on, and what may run there."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from knowledge.errors import Refusal
from runners.jobs.bounds import MOST_GPU_MINUTES

if TYPE_CHECKING:  # settings are read at every start of the command line: nothing heavy may come with them
    from runners.jobs.spec import BenchSpec

START_LIMIT_S = 1800.0  # large checkpoints from slow disks take most of half an hour


class Host(BaseModel):
    """One host. Its name is what people say ("h100") and what its agent is started with.

    `gpu` is the kind of its GPUs as `fit` takes it, None on a host without; `gpus` how many it has. `vllm` is the command as
    words; `serve_args` and `environment` are added to every start there and may name files, which chat may not. `models` are
    ids, folders or patterns that may run (empty: every Hugging Face id, no folder).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(min_length=1, max_length=100, pattern=r"^[\w.-]+$", description="what people call it")
    gpu: str | None = Field(default=None, description="the kind of GPU, as `fit` takes it; unset: no GPUs")
    gpus: int = Field(default=0, ge=0, le=64, description="how many GPUs it has")
    vllm: tuple[str, ...] = Field(default=("vllm",), min_length=1, description="the command that runs vLLM, as words")
    vllm_version: str | None = Field(default=None, description="its version, where the agent has not said it yet")
    serve_args: tuple[str, ...] = Field(default=(), description="words added to every `vllm serve` there")
    environment: dict[str, str] = Field(default_factory=dict, description="variables set for vLLM there")
    models: tuple[str, ...] = Field(default=(), description="models allowed; empty allows every Hugging Face id")
    sharegpt: Path | None = Field(default=None, description="a ShareGPT file on that host")
    port: int | None = Field(default=None, ge=1, le=65535, description="the port that servers take; unset: a free one")
    start_limit_s: float = Field(default=START_LIMIT_S, gt=0, description="seconds until a start has failed")
    idle_memory_gib: float = Field(default=1.0, ge=0, description="GPU memory that counts as idle")
    approval: bool | None = Field(default=None, description="whether jobs there wait for an approver")
    gpu_minutes: float = Field(default=120.0, gt=0, le=MOST_GPU_MINUTES, description="the most that one job may take")

    def why_not(self, spec: "BenchSpec") -> Refusal | None:
        """Why a job can never run here, None when it can."""
        if spec.limits.gpu_minutes > self.gpu_minutes:
            error = f"`{spec.limits.gpu_minutes:g}` GPU minutes are more than `{self.name}` allows."
            return Refusal("over-limit", error, f"Ask for {self.gpu_minutes:g} at most.", host=self.name)
        if spec.url is not None:
            return None
        missing = [index for index in spec.gpus if index >= self.gpus]
        if missing or (self.gpus and not spec.gpus):
            error = f"`{self.name}` has {self.gpus} GPUs, not those asked for."
            return Refusal("no-such-gpus", error, f"Ask for {self.gpus} GPUs at most.", host=self.name)
        if not self._allows(spec.model):
            error = f"`{spec.model}` may not run on `{self.name}`."
            allowed = ", ".join(f"`{model}`" for model in self.models[:5])
            hint = f"Allowed are {allowed}." if allowed else "Name its folder under `models` of the host."
            return Refusal("model-not-allowed", error, hint, host=self.name, model=spec.model)
        return None

    def _allows(self, model: str) -> bool:
        if not self.models:
            return not model.startswith(("/", "."))
        return any(fnmatchcase(model, allowed) for allowed in self.models)
