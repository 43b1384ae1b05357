"""An estimate as the facts that sentences are made of, and the small sentences that several parts share."""

from collections.abc import Sequence
from typing import Any

from bot.settings import Language
from bot.text.figures import about, gib
from bot.text.phrases import say
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Verdict
from knowledge.units import Range
from knowledge.versions import NEWEST, OLDEST

SEVERITY = (Verdict.FITS, Verdict.UNCERTAIN, Verdict.DOES_NOT_FIT)
REFUSED = "build-refused-by-card"  # the note of weights that vLLM does not load on the card
NOTHING = Range.exact(0)


def short_name(model_id: str) -> str:
    """A model's name without its owner, or a folder's last part."""
    return " ".join(model_id.rstrip("/").rsplit("/", 1)[-1].split())


def model_name(estimate: Estimate) -> str:
    """The model's short name, with the quantisation that was asked for where the name does not stand for it."""
    name, how = short_name(estimate.model_id), estimate.asked_weights
    return f"{name} ({how})" if how and not names_build(name, how) else name


def names_build(name: str, how: str) -> bool:
    """Whether a model's name says a quantisation: `Qwen3-32B-AWQ` says awq-int4."""
    return any(word in name.lower() for word in how.split("-"))


def facts(estimate: Estimate, language: Language) -> dict[str, Any]:
    """Everything that a sentence about `estimate` may name. GiB are per GPU."""
    left = estimate.per_gpu.kv_cache.expected if estimate.per_gpu else 0
    return {
        "model": model_name(estimate),
        "gpu": estimate.gpu,
        "count": estimate.count,
        "cards": cards(estimate, language),
        "tp": estimate.tp,
        "pp": estimate.pp,
        "used": (estimate.tp or 1) * (estimate.pp or 1) * (estimate.dp or 1),
        "version": estimate.vllm_version,
        "oldest": OLDEST,
        "newest": NEWEST,
        "context": estimate.context,
        "concurrency": estimate.concurrency,
        "limit": estimate.model_max_context,
        "per_gpu": estimate.per_gpu,
        "kv_request": estimate.kv_gib_per_request or 0,
        "left": gib(max(left, 0)),
        "short": max(-left, 0),
        "longest": about(estimate.max_context or NOTHING),
        "at_once": about(estimate.max_concurrency or NOTHING),
        "at_once_number": int((estimate.max_concurrency or NOTHING).expected),
        "together": about(estimate.max_context_together or NOTHING),
        "highest": estimate.max_context.high if estimate.max_context else 0,
        "max_num_seqs": (estimate.assumed or {}).get("max_num_seqs", 0),
    }


def cards(estimate: Estimate, language: Language) -> str:
    """`4 × A100-80GB`."""
    return cards_of(estimate.gpu or "GPU", estimate.count or 1, language)


def cards_of(gpu: str, count: int, language: Language) -> str:
    """`4 × A100-80GB`."""
    return say(language, "fit.cards", count=count, gpu=gpu)


def worse(estimate: Estimate) -> Verdict:
    """The worse of the two verdicts: it leads the sentence. What vLLM refuses to load does not fit."""
    if REFUSED in estimate.notes:
        return Verdict.DOES_NOT_FIT
    said = [verdict for verdict in (estimate.verdict, estimate.concurrency_verdict) if verdict is not None]
    return max(said, key=SEVERITY.index, default=Verdict.FITS)


def refused_lead(estimates: Sequence[Estimate], language: Language) -> str:
    """The sentence that answers where vLLM refuses to load the model on all of the cards; empty where it does not."""
    if not estimates or any(REFUSED not in estimate.notes for estimate in estimates):
        return ""
    gpus = list(dict.fromkeys(estimate.gpu for estimate in estimates))
    models = list(dict.fromkeys(model_name(estimate) for estimate in estimates))
    return say(language, "fit.refused", gpus=gpus, models=models)


def names(limiting: str) -> str:
    """A limiting term as the end of a phrase's name."""
    return limiting.replace("-", "_")


def tokens_known(value: Range | None) -> bool:
    """Whether at least one token is expected to fit."""
    return value is not None and value.expected >= 1


def deciding(estimate: Estimate) -> str:
    """The term whose uncertainty decides, as the end of a phrase's name."""
    return names(estimate.deciding or estimate.limiting)
