"""The first sentence: a verdict, led by the worse of start and concurrency."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.answers.leads import lead, tone
from bot.settings import Language
from bot.sheet import Tone
from bot.understand.understood import Intent
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range

Make = Callable[..., Estimate]
NO, PERHAPS, YES = Verdict.DOES_NOT_FIT, Verdict.UNCERTAIN, Verdict.FITS


@pytest.mark.parametrize(
    ("changed", "english", "chinese", "mark"),
    [
        pytest.param(
            {},
            "Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB with a context of 16,384 tokens.",
            "放得下：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct，16,384 token 上下文没问题。",
            Tone.GOOD,
            id="fits",
        ),
        pytest.param(
            {"context": 32_768},
            "Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB, even with the model's full context of 32,768 tokens.",
            "放得下：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct，可以开满模型自身的 32,768 token 上下文。",
            Tone.GOOD,
            id="fits in full",
        ),
        pytest.param(
            {"concurrency": 8, "concurrency_verdict": YES},
            "Yes: Qwen2.5-72B-Instruct on 4 × A100-80GB holds 8 requests of 16,384 tokens at once.",
            "放得下：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct，16,384 token 上下文可同时跑 8 个满长请求。",
            Tone.GOOD,
            id="all at once",
        ),
        pytest.param(
            {"concurrency": 50, "concurrency_verdict": NO},
            "Not 50 at once: Qwen2.5-72B-Instruct starts on 4 × A100-80GB, but only ≈ 27 requests of the full 16,384 tokens run at once; the rest wait in the queue.",
            "50 并发放不下：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct 能启动，但 16,384 token 的满长请求同时只能跑 ≈ 27 个，其余要排队。",
            Tone.BAD,
            id="not all at once",
        ),
        pytest.param(
            {"concurrency": 27, "concurrency_verdict": PERHAPS},
            "Too close to call: Qwen2.5-72B-Instruct starts on 4 × A100-80GB, but whether 27 requests of 16,384 tokens run at once is uncertain; expect ≈ 27.",
            "不确定：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct 能启动，但 16,384 token 的满长请求能否同时跑 27 个说不准，预期 ≈ 27 个。",
            Tone.UNSURE,
            id="perhaps all at once",
        ),
        pytest.param(
            {"verdict": PERHAPS, "limiting": Limiting.KV_CACHE, "deciding": "activation"},
            "Too close to call: Qwen2.5-72B-Instruct with 16,384 tokens on 4 × A100-80GB may or may not start; the activation peak (1.60–2.40 GiB per GPU) decides.",
            "不确定：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct，16,384 token 上下文处在临界点，取决于激活峰值（每卡 1.60–2.40 GiB）。",
            Tone.UNSURE,
            id="uncertain",
        ),
        pytest.param(
            {"verdict": NO, "limiting": Limiting.WEIGHTS, "max_context": Range.exact(0), "count": 1},
            "No: Qwen2.5-72B-Instruct does not fit on 1 × A100-80GB: the weights take 33.9 GiB of the 72.9 GiB budget per GPU, which leaves too little for everything else.",
            "放不下：单张 A100-80GB 跑不了 Qwen2.5-72B-Instruct，每卡 72.9 GiB 的预算里权重占了 33.9 GiB，剩下的不够用。",
            Tone.BAD,
            id="weights",
        ),
        pytest.param(
            {"verdict": NO, "limiting": Limiting.KV_CACHE, "max_context": Range(9_000, 9_600, 9_900)},
            "Not with 16,384 tokens: Qwen2.5-72B-Instruct fits on 4 × A100-80GB with up to ≈ 9,600 tokens.",
            "16,384 token 放不下：4 张 A100-80GB 跑 Qwen2.5-72B-Instruct，上下文最长 ≈ 9,600 token。",
            Tone.BAD,
            id="too long",
        ),
        pytest.param(
            {"verdict": NO, "limiting": Limiting.MODEL_LIMIT, "context": 100_000},
            "No: 100,000 tokens is more than Qwen2.5-72B-Instruct was made for; its own limit is 32,768 tokens.",
            "不行：100,000 token 超过了 Qwen2.5-72B-Instruct 自身的上限 32,768 token。",
            Tone.BAD,
            id="beyond the model",
        ),
    ],
)
def test_a_fit_question(estimate: Make, changed: dict[str, Any], english: str, chinese: str, mark: Tone) -> None:
    made = estimate(**changed)
    assert lead(made, Intent.FIT, context_said=True, language="en") == english
    assert lead(made, Intent.FIT, context_said=True, language="zh") == chinese
    assert tone(made, Intent.FIT, context_said=True) is mark


@pytest.mark.parametrize(
    ("intent", "changed", "english", "mark"),
    [
        pytest.param(
            Intent.MAX_CONTEXT,
            {"max_context": Range(20_000, 25_678, 30_000)},
            "≈ 25,600 tokens: that is the longest context of Qwen2.5-72B-Instruct on 4 × A100-80GB.",
            Tone.GOOD,
            id="longest context",
        ),
        pytest.param(
            Intent.MAX_CONTEXT,
            {},
            "32,768 tokens: Qwen2.5-72B-Instruct on 4 × A100-80GB reaches the model's own limit, memory is not what holds it back.",
            Tone.GOOD,
            id="the model's limit",
        ),
        pytest.param(
            Intent.MAX_CONTEXT,
            {"max_context": Range.exact(0), "verdict": NO, "limiting": Limiting.KV_CACHE},
            "No: Qwen2.5-72B-Instruct does not fit on 4 × A100-80GB: one request of 16,384 tokens needs 1.25 GiB of KV cache per GPU, and 34.2 GiB is left for it.",
            Tone.BAD,
            id="no context at all",
        ),
        pytest.param(
            Intent.MAX_CONCURRENCY,
            {},
            "≈ 27 requests of 16,384 tokens run at once: Qwen2.5-72B-Instruct on 4 × A100-80GB.",
            Tone.GOOD,
            id="requests at once",
        ),
        pytest.param(
            Intent.MAX_CONCURRENCY,
            {"max_concurrency": Range(0.4, 0.6, 0.7), "max_context": Range(9_000, 9_600, 9_900)},
            "Not even one: Qwen2.5-72B-Instruct on 4 × A100-80GB cannot hold a request of 16,384 tokens, only up to ≈ 9,600 tokens.",
            Tone.BAD,
            id="not one request",
        ),
        pytest.param(
            Intent.MAX_CONCURRENCY,
            {"max_concurrency": Range.exact(0), "max_context": None, "limiting": Limiting.NONE},
            "No: Qwen2.5-72B-Instruct does not fit on 4 × A100-80GB: memory is short.",
            Tone.BAD,
            id="nothing known",
        ),
    ],
)
def test_how_long_and_how_many(
    estimate: Make, intent: Intent, changed: dict[str, Any], english: str, mark: Tone
) -> None:
    made = estimate(**changed)
    assert lead(made, intent, context_said=False, language="en") == english
    assert tone(made, intent, context_said=False) is mark


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("limiting", list(Limiting))
@pytest.mark.parametrize("verdict", [NO, PERHAPS])
def test_every_limiting_term_has_its_words(
    estimate: Make, verdict: Verdict, limiting: Limiting, language: Language
) -> None:
    made = estimate(verdict=verdict, limiting=limiting, max_context=Range.exact(0))
    assert lead(made, Intent.FIT, context_said=False, language=language)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("deciding", ["weights", "activation", "non-torch", "cuda-graphs", "total-memory"])
def test_every_deciding_term_has_its_words(estimate: Make, deciding: str, language: Language) -> None:
    made = estimate(verdict=PERHAPS, deciding=deciding)
    assert "GiB" in lead(made, Intent.FIT, context_said=True, language=language)


def test_a_shortage_is_not_a_negative_rest(estimate: Make) -> None:
    short = PerGpu(
        total=Range.exact(24),
        budget=Range.exact(22),
        weights=Range.exact(20),
        activation=Range.exact(4),
        non_torch=Range.exact(0.2),
        cuda_graphs=Range.exact(0),
        kv_cache=Range.exact(-2.2),
    )
    made = estimate(verdict=NO, limiting=Limiting.ACTIVATION, per_gpu=short, max_context=Range.exact(0))
    assert "go beyond the budget of 22.0 GiB per GPU by 2.20 GiB" in lead(
        made, Intent.FIT, context_said=True, language="en"
    )
