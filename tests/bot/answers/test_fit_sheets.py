"""A fit answer: verdict, figures, what to change, command, assumptions, sources."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.answers.fit import ASSUMED, family, fit_sheet
from bot.settings import Language
from bot.sheet import Menu, Sheet, Tone
from bot.text.phrases import FOLDER, knows
from bot.text.plain import plain
from bot.understand.understood import Intent
from knowledge.fit import assumptions
from knowledge.fit.estimate import Change, Estimate
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range

Make = Callable[..., Estimate]


def sheet(*estimates: Estimate, intent: Intent = Intent.FIT, language: Language = "en") -> Sheet:
    return fit_sheet(estimates, intent, language, context_said=True)


def test_a_whole_answer_reads_from_the_verdict_to_the_sources(estimate: Make) -> None:
    assert plain(sheet(estimate()), "en") == (
        """Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB with a context of 16,384 tokens.

Memory per GPU: 79.2 GiB, of which vLLM may use 72.9 GiB
Weights per GPU: 33.9 GiB
Activation peak per GPU: 1.90 GiB (1.60–2.40 GiB)
Overheads per GPU: 2.10 GiB NCCL and driver, 0.80 GiB CUDA graphs
Left for the KV cache per GPU: 34.2 GiB (33.1–35.0 GiB)
KV cache of one request: 1.25 GiB per GPU for 16,384 tokens
KV cache size: 448,266 (433,000–458,000) tokens
Longest context: 32,768 tokens (the model's own limit)
Requests at once: 27 (26–27) of 16,384 tokens
Requests at once by length: 8,192 tokens: ≈ 54 · 16,384 tokens: ≈ 27

To get more
1. The KV cache in FP8, --kv-cache-dtype fp8: 54 requests of 16,384 tokens at once, up to about 32,768 tokens each; check the quality of long contexts on your own evaluation set

Command
vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --max-model-len 16384

Assumed: TP 4, 1 request at a time, gpu-memory-utilization 0.92, vLLM 0.32.
Sources: vllm/v1/core/kv_cache_utils.py"""
    )


def test_the_chinese_answer_says_the_same(estimate: Make) -> None:
    text = plain(sheet(estimate(), language="zh"), "zh")
    assert "每卡显存：79.2 GiB，vLLM 可用 72.9 GiB\n每卡权重：33.9 GiB\n" in text
    assert "可同时跑：27 (26–27) 个 16,384 token 的请求" in text
    assert text.endswith(
        "假设：TP 4、1 并发、gpu-memory-utilization 0.92、vLLM 0.32。\n来源：vllm/v1/core/kv_cache_utils.py"
    )


def test_what_is_missing_is_left_out(estimate: Make) -> None:
    bare = estimate(
        per_gpu=None,
        kv_gib_per_request=None,
        kv_cache_tokens=None,
        max_context=None,
        max_concurrency=None,
        ladder=(),
        changes=(),
        serve_command=None,
        assumed=None,
        sources=(),
    )
    assert (
        plain(sheet(bare), "en") == "Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB with a context of 16,384 tokens."
    )


def test_a_shortage_is_named_as_one(estimate: Make) -> None:
    per_gpu = PerGpu(
        total=Range.exact(14.7),
        budget=Range.exact(13.5),
        weights=Range.exact(27.4),
        activation=Range.exact(0.4),
        non_torch=Range.exact(0.5),
        cuda_graphs=Range.exact(1.2),
        kv_cache=Range(-17, -16, -15),
    )
    made = estimate(
        per_gpu=per_gpu, verdict=Verdict.DOES_NOT_FIT, limiting=Limiting.WEIGHTS, max_context=Range.exact(0)
    )
    assert ("Left for the KV cache per GPU", "nothing: 16.0 GiB short") in sheet(made).figures


@pytest.mark.parametrize(
    ("changed", "title"),
    [
        pytest.param({}, "Command", id="fits"),
        pytest.param({"verdict": Verdict.UNCERTAIN}, "Command to try", id="uncertain"),
        pytest.param(
            {"verdict": Verdict.DOES_NOT_FIT, "command_change": "context"},
            "Command, with the first change",
            id="changed",
        ),
    ],
)
def test_the_command_says_what_it_is(estimate: Make, changed: dict[str, Any], title: str) -> None:
    assert sheet(estimate(**changed)).command_title == title


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "deciding",
    [
        "weights",
        "kv-cache",
        "activation",
        "cuda-graphs",
        "free-memory",
        "state-blocks",
        "parallelism",
        "model-limit",
        "none",
        "non-torch",
        "total-memory",
    ],
)
def test_an_uncertain_answer_says_what_to_measure(estimate: Make, deciding: str, language: Language) -> None:
    made = estimate(verdict=Verdict.UNCERTAIN, deciding=deciding)
    start = {"en": "To settle it: ", "zh": "怎么确认："}[language]
    assert sheet(made, language=language).notes[0].startswith(start)


def change(kind: str, verdict: Verdict = Verdict.FITS, **more: Any) -> Change:
    values: dict[str, Any] = {"flag": "--flag", "to": "8", "effect": "", "max_context": 32_768, "max_concurrency": 3.2}
    return Change(kind=kind, verdict=verdict, **(values | more))


@pytest.mark.parametrize(
    ("tried", "line"),
    [
        pytest.param(change("context", to="8192", max_context=9000), "A shorter context, --max-model-len 8192: fits even by the lower bound of the estimate, 3 requests at once", id="context"),
        pytest.param(change("more-gpus", count=8), "8 GPUs instead of 4: fits, up to about 32,768 tokens, 3 requests of 16,384 tokens at once", id="more GPUs"),
        pytest.param(change("other-gpu", to="H200-141GB", max_concurrency=1.9), "4 × H200-141GB instead of A100-80GB: fits, up to about 32,768 tokens, 1 request of 16,384 tokens at once", id="other card"),
        pytest.param(change("quantization", flag="--quantization", to="fp8", caveat="quality", max_context=0), "Weights in FP8, quantised while loading with --quantization fp8: fits, 3 requests of 16,384 tokens at once; check the quality on your own evaluation set", id="FP8 while loading"),
        pytest.param(change("quantization", flag="--quantization", to="awq-int4", max_context=0), "A build of the model in awq-int4, found or made: fits, 3 requests of 16,384 tokens at once", id="a build to be found"),
        pytest.param(change("quantization", flag="--model", to="Qwen/Qwen2.5-72B-Instruct-AWQ", verdict=Verdict.UNCERTAIN), "Qwen/Qwen2.5-72B-Instruct-AWQ: may fit, expected up to about 32,768 tokens", id="a published build"),
        pytest.param(change("brand-new", verdict=Verdict.UNCERTAIN), "--flag 8: may fit, expected up to about 32,768 tokens", id="unknown kind"),
        pytest.param(change("kv-dtype", flag="--kv-cache-dtype", to="fp8", verdict=Verdict.DOES_NOT_FIT), "The KV cache in FP8, --kv-cache-dtype fp8: 3 requests of 16,384 tokens at once, still fewer than 1", id="more but not enough"),
        pytest.param(change("copies", flag="--data-parallel-size", to="8", max_context=0), "Copies of the attention instead of a wider split, --data-parallel-size 8: fits, 3 requests of 16,384 tokens at once", id="copies"),
        pytest.param(change("quantization", flag="--model", to="Qwen/Qwen2.5-72B-Instruct-AWQ", also_kind="context", also_flag="--max-model-len", also_to="8192", max_context=8192), "Two changes together, Qwen/Qwen2.5-72B-Instruct-AWQ, plus a shorter context, --max-model-len 8192: fits, 3 requests of 8,192 tokens at once", id="two together"),
    ],
)  # fmt: skip
def test_a_change_is_one_line(estimate: Make, tried: Change, line: str) -> None:
    made = estimate(
        verdict=Verdict.DOES_NOT_FIT, limiting=Limiting.KV_CACHE, changes=(tried,), max_context=Range.exact(9000)
    )
    assert sheet(made).points == (line,)
    assert sheet(made, language="zh").points[0] != line or tried.kind == "brand-new"


def test_notes_are_told_in_both_languages_and_unknown_codes_are_not(estimate: Make) -> None:
    made = estimate(notes=("no-nvlink", "something-new", "latent-replicated"))
    assert sheet(made).notes == (
        "Over PCIe alone, without NVLink, tensor parallelism is much slower; memory is not affected.",
        "This model's MLA cache is stored whole on every GPU: tensor parallelism does not make it smaller.",
    )
    assert sheet(made, language="zh").notes[0].startswith("没有 NVLink")


def two(estimate: Make, **of_the_second: Any) -> Sequence[Estimate]:
    return estimate(), estimate(gpu="A100-40GB", **of_the_second)


NO = {"verdict": Verdict.DOES_NOT_FIT, "limiting": Limiting.WEIGHTS, "max_context": Range.exact(0)}


@pytest.mark.parametrize(
    ("second", "english", "mark"),
    [
        pytest.param(
            NO,
            "It depends on which A100: 4 × A100-80GB fits; 4 × A100-40GB does not fit. This is for Qwen2.5-72B-Instruct, a context of 16,384 tokens.",
            Tone.UNSURE,
            id="one of two",
        ),
        pytest.param(
            {},
            "Either way fits: Qwen2.5-72B-Instruct on 4 × A100-80GB and 4 × A100-40GB, a context of 16,384 tokens.",
            Tone.GOOD,
            id="both",
        ),
        pytest.param(
            {"concurrency": 9, "concurrency_verdict": Verdict.DOES_NOT_FIT, "max_concurrency": Range.exact(4)},
            "It depends on which A100: 4 × A100-80GB fits; 4 × A100-40GB starts, but holds 4 at once. This is for Qwen2.5-72B-Instruct, a context of 16,384 tokens.",
            Tone.UNSURE,
            id="fewer at once",
        ),
    ],
)
def test_two_cards_get_both_answers(estimate: Make, second: dict[str, Any], english: str, mark: Tone) -> None:
    found = sheet(*two(estimate, **second))
    assert (found.lead, found.tone) == (english, mark)
    assert found.table is not None
    assert len(found.table.rows) == 2
    assert found.command_title == "Command for 4 × A100-80GB"


def test_two_cards_and_the_longest_context(estimate: Make) -> None:
    found = two(estimate, max_context=Range(20_000, 25_678, 30_000))
    lead = fit_sheet(found, Intent.MAX_CONTEXT, "en", context_said=False).lead
    assert lead == (
        "It depends on which A100: 4 × A100-80GB 32,768 tokens; 4 × A100-40GB ≈ 25,600 tokens. This is the longest context of Qwen2.5-72B-Instruct."
    )


def test_two_cards_and_requests_at_once_in_chinese(estimate: Make) -> None:
    found = two(estimate, max_concurrency=Range(3, 4.5, 5))
    lead = fit_sheet(found, Intent.MAX_CONCURRENCY, "zh", context_said=True).lead
    assert (
        lead
        == "看是哪种 A100：4 张 A100-80GB ≈ 27 个请求；4 张 A100-40GB ≈ 4 个请求。按 Qwen2.5-72B-Instruct、16,384 token 的满长请求估算。"
    )


def test_a_card_on_which_nothing_fits_has_no_figures_in_the_table(estimate: Make) -> None:
    found = sheet(*two(estimate, **NO))
    assert "4 × A100-40GB: does not fit\n" in plain(found, "en")


def test_cards_have_a_name_in_common_or_are_gpus(estimate: Make) -> None:
    assert family([estimate(gpu="H100-80GB"), estimate(gpu="H100 NVL")]) == "H100"
    assert family([estimate(gpu="RTX 4090"), estimate(gpu="RTX 4090 48GB")]) == "RTX 4090"
    assert family([estimate(gpu="T4"), estimate(gpu=None)]) == "GPU"


def test_every_answer_can_pin_a_model_and_a_card(estimate: Make) -> None:
    assert sheet(estimate()).menus == (Menu.MODEL, Menu.GPU)


NOTES = re.findall(r"{% block (\w+) %}", (FOLDER / "en" / "notes.jinja").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", NOTES)
def test_every_note_is_a_sentence(estimate: Make, code: str, language: Language) -> None:
    note = sheet(estimate(notes=(code.replace("_", "-"),)), language=language).notes[0]
    assert note.endswith((".", "。"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_that_can_be_assumed_is_said(estimate: Make, language: Language) -> None:
    said = sheet(estimate(assumed=dict.fromkeys(ASSUMED, 2)), language=language).assumed
    assert said is not None
    assert said.count("2") == len(ASSUMED)


def test_every_note_that_the_estimator_can_give_has_its_sentence() -> None:
    codes = re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)": ', inspect.getsource(assumptions.notes))
    codes += [f"plugin-{plugin}" for plugin in assumptions.PLUGINS.values()]
    assert len(codes) > 15
    assert [code for code in codes if not knows("zh", f"notes.{code}")] == []
