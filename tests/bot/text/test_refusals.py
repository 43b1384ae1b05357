"""Every refusal can be said in Chinese, with what it is about."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.text.phrases import knows
from bot.text.refusals import kind_sentence
from knowledge.errors import Refusal

ROOT = Path(__file__).parents[3]
HAND_WRITTEN = {
    "bad-context",
    "bad-concurrency",
    "bad-dtype",
    "bad-kv-cache-dtype",
    "bad-quantization",
    "missing-model",
}


def codes() -> Iterator[str]:
    """The codes that the sources raise, as far as they are written out where a Refusal is made."""
    for package in ("knowledge", "bot"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "id", "").lower().endswith("refusal")
                    and node.args
                ):
                    code = node.args[0]
                    if isinstance(code, ast.Constant) and isinstance(code.value, str):
                        yield code.value


@pytest.mark.parametrize("code", sorted({*codes(), *HAND_WRITTEN}))
def test_every_code_has_its_chinese_sentence(code: str) -> None:
    assert knows("zh", f"refusals.{code}")


@pytest.mark.parametrize(
    ("refusal", "chinese"),
    [
        pytest.param(
            Refusal(
                "unknown-model",
                "`qwem 7b` is not a listed model.",
                "Did you mean `Qwen/Qwen2.5-7B`?",
                name="qwem 7b",
                near=["Qwen/Qwen2.5-7B"],
            ),
            "没有找到模型 `qwem 7b`，是不是想问 `Qwen/Qwen2.5-7B`？",
            id="model with a near miss",
        ),
        pytest.param(
            Refusal("unknown-model", "`zzz` is not a listed model.", "Give its Hugging Face id."),
            "没有找到模型 `zzz`，请给出它的 Hugging Face id 或带 config.json 的目录。",
            id="model like no other",
        ),
        pytest.param(
            Refusal("unknown-gpu", "`X99` is not a GPU that I know.", "Say its memory, for example `24G`.", gpu="X99"),
            "不认识显卡 `X99`，可以直接写每张卡的显存，例如 `24G`。",
            id="card",
        ),
        pytest.param(
            Refusal("bad-value", "`-1` cannot be used for `count`.", "`count` should be 1.", name="count", value="-1"),
            "`count` 的取值 `-1` 无效，请换一个值或去掉它。",
            id="value",
        ),
        pytest.param(
            Refusal(
                "tp-does-not-divide",
                "--tensor-parallel-size `3` does not divide the 40 attention heads of `Q`.",
                "Use one of 1.",
                usable=[1, 2],
            ),
            "TP `3` 不能整除 `Q` 的注意力头数等维度，可用的有 1、2；其他卡数请配合 PP。",
            id="parallelism",
        ),
    ],
)
def test_a_refusal_in_chinese(refusal: Refusal, chinese: str) -> None:
    assert kind_sentence(refusal, "zh") == chinese


def test_english_speaks_for_itself_and_stands_in_where_a_sentence_is_missing() -> None:
    refusal = Refusal("brand-new", "`x` is wrong.", "Use `y`.", q="never mind", language="nor this")
    assert kind_sentence(refusal, "en") == "`x` is wrong. Use `y`."
    assert kind_sentence(refusal, "zh") == "`x` is wrong. Use `y`."
