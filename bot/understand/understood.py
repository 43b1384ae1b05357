"""What a message was understood to ask."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from knowledge.errors import Refusal

Language = Literal["en", "zh"]


class Intent(StrEnum):
    """The intents of the contract."""

    FIT = "fit"
    MAX_CONTEXT = "max_context"
    MAX_CONCURRENCY = "max_concurrency"
    KV_PER_TOKEN = "kv_per_token"  # noqa: S105 - an intent
    WHICH_GPU = "which_gpu"
    HOW_MANY_GPUS = "how_many_gpus"
    WHICH_MODEL = "which_model"
    RECOMMEND = "recommend"
    CHECK_COMMAND = "check_command"
    KNOWLEDGE = "knowledge"
    DIAGNOSE = "diagnose"
    COMMAND = "command"
    HELP = "help"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The contract's `understood`: only what the person said, in this message or earlier in its thread. None = not said."""

    model_id: str | None = None
    gpu: str | None = None
    gpu_mem_gb: float | None = None
    count: int | None = None
    context_tokens: int | None = None
    concurrency: int | None = None
    weight_quant: str | None = None
    kv_dtype: str | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    utilization: float | None = None
    vllm_version: str | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None


class Aside(StrEnum):
    """Something said beside the question that the answer must speak to."""

    SPEED = "speed"  # how fast: only a measurement tells
    COST = "cost"
    OTHER_LANGUAGE = "other-language"  # answered in English, with a line that says so
    SECRET = "secret"  # a token was pasted: never repeat it, tell them to revoke it  # noqa: S105 - a name, not a secret


class Decline(StrEnum):
    """Why a message gets a short, kind reply and no figures."""

    GREETING = "greeting"
    THANKS = "thanks"
    SMALLTALK = "smalltalk"
    COMPLAINT = "complaint"
    OUT_OF_SCOPE = "out-of-scope"
    INJECTION = "injection"
    DESTRUCTIVE = "destructive-command"
    JUNK = "junk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """One question. `options` are further options of `FitRequest` that were said (enforce_eager, block_size, speculative, …).

    `problems` are sayable faults in what was said (unknown model, 0 GPUs, nonsense numbers). `flags` are those of a pasted command.
    `model_size_b` is the size in billions of parameters of a model that was named by nothing else (“a 70b”).
    `parts` holds one Understood for each question when a message asks several (this one is the first), else it is empty.
    """

    text: str
    language: Language
    intent: Intent
    fields: Fields = Fields()
    model_size_b: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, Any] = field(default_factory=dict)
    asides: tuple[Aside, ...] = ()
    decline: Decline | None = None
    problems: tuple[Refusal, ...] = ()
    parts: tuple["Understood", ...] = ()
