"""`ask` and `fit` as scripts call them."""

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bot.cli.app import run
from bot.world import World


def called(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    world = World(environment={}, stdin=io.BytesIO(stdin.encode()), stdout=out, stderr=err)
    return run(arguments, world), out.getvalue(), err.getvalue()


def lines(command: str, sent: Iterable[dict[str, Any]], *arguments: str) -> list[dict[str, Any]]:
    status, out, err = called(command, "--jsonl", *arguments, stdin="".join(json.dumps(each) + "\n" for each in sent))
    assert (status, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_a_question_may_come_in_several_words() -> None:
    status, out, err = called("ask", "qwen3", "8b", "on", "an", "L40S,", "16k")
    assert (status, err) == (0, "")
    assert out.startswith("Yes: Qwen3-8B fits on 1 × L40S with a context of 16,384 tokens.\n")


def test_a_question_may_begin_with_dashes_behind_two() -> None:
    assert called("ask", "--", "--max-model-len 16k, qwen3 8b, L4")[0] == 0


def test_ask_json_is_the_answer_object() -> None:
    sent = json.loads(called("ask", "--json", "qwen3 8b 单张 L40S 能跑 16k 吗")[1])
    assert (sent["language"], sent["understood"]["context_tokens"]) == ("zh", 16_384)


def test_the_language_can_be_asked_for() -> None:
    assert called("ask", "--lang", "zh", "hi")[1].startswith("你好")


def test_lines_of_one_thread_share_their_context_and_others_do_not() -> None:
    answers = lines(
        "ask",
        [
            {"id": 1, "text": "qwen2.5 72b on 4 A100 80G, 16k", "thread": "a"},
            {"id": 2, "text": "and with fp8 kv?", "thread": "a"},
            {"id": 3, "text": "thanks!", "thread": "a"},
            {"id": 4, "text": "那 8 张呢？", "thread": "a"},
            {"id": 5, "text": "and with fp8 kv?", "thread": {"channel": "b"}},
            {"id": 6, "text": "and with fp8 kv?"},
        ],
    )
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4, 5, 6]
    assert answers[1]["understood"]["kv_dtype"] == "fp8"
    assert answers[3]["understood"]["count"] == 8
    assert answers[3]["understood"]["model_id"] == "Qwen/Qwen2.5-72B-Instruct"
    assert answers[4]["understood"]["model_id"] is None
    assert answers[5]["understood"]["model_id"] is None


def test_old_threads_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.cli.ask.THREADS", 1)
    question, follow_up = "qwen2.5 72b on 4 A100 80G, 16k", "and with fp8 kv?"
    answers = lines(
        "ask",
        [
            {"id": 1, "text": question, "thread": "a"},
            {"id": 2, "text": question, "thread": "b"},
            {"id": 3, "text": follow_up, "thread": "b"},
            {"id": 4, "text": follow_up, "thread": "a"},
        ],
    )
    assert [answer["understood"]["model_id"] is None for answer in answers] == [False, False, False, True]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        pytest.param({"id": 1}, "`text` is missing.", id="no text"),
        pytest.param({"id": 1, "text": 7}, "`text` should be a valid string, not `7`.", id="no string"),
        pytest.param(
            {"id": 1, "text": "hi", "lang": "fr"}, "`lang` should be 'en' or 'zh', not `fr`.", id="no language of ours"
        ),
        pytest.param({"id": 1, "text": "hi", "langage": "en"}, "`langage` is not known.", id="misspelt key"),
    ],
)
def test_a_line_that_is_no_question_is_told_so(line: dict[str, Any], error: str) -> None:
    answer, after = lines("ask", [line, {"id": 2, "text": "hi", "lang": "zh"}])
    assert answer == {"id": 1, "error": error, "hint": answer["hint"]}
    assert after["language"] == "zh"


def test_fit_lines_are_estimates_under_their_ids() -> None:
    first, second, third = lines(
        "fit",
        [
            {"id": {"row": 1}, "model": "Qwen/Qwen3-8B", "gpu": "L40S", "count": 1, "context": 8192},
            {"id": 2, "model": "Qwen/Qwen3-8B", "gpu": "X999"},
            {"id": 3, "model": "Qwen/Qwen2.5-72B-Instruct", "gpu": "A100", "count": 4},
        ],
    )
    assert (first["id"], first["verdict"], first["gpu"]) == ({"row": 1}, "fits", "L40S")
    assert set(second) == {"id", "error", "hint"}
    assert [third["gpu"], *(other["gpu"] for other in third["also"])] == ["A100-80GB", "A100-40GB"]


def test_fit_json_and_fit_for_people_say_the_same() -> None:
    options = ("fit", "--model", "qwen3 8b", "--gpu", "L40S", "--context", "16384", "--enforce-eager")
    assert json.loads(called(*options, "--json")[1])["verdict"] == "fits"
    assert called(*options)[1].startswith("Yes: Qwen3-8B fits on 1 × L40S with a context of 16,384 tokens.")
    assert called(*options, "--lang", "zh")[1].startswith("放得下：")


def test_a_question_that_cannot_be_answered_ends_with_1_and_one_sentence() -> None:
    status, out, err = called("fit", "--model", "nobody/nothing-7x", "--gpu", "L4")
    assert (status, out) == (1, "")
    assert err.startswith("`nobody/nothing-7x` ")
    assert len(err.splitlines()) == 1


def test_a_memory_makes_an_unlisted_card_answerable() -> None:
    sent = json.loads(called("fit", "--model", "Qwen/Qwen3-8B", "--gpu-memory-gib", "31.5", "--json")[1])
    assert sent["per_gpu_gib"]["total"] == 31.5


def test_the_settings_defaults_are_used(tmp_path: Path) -> None:
    path = tmp_path / "tuning-bot.toml"
    path.write_text('[defaults]\nmodel = "Qwen/Qwen3-8B"\nvllm_version = "0.8.5"\nlanguage = "zh"\n', encoding="utf-8")
    sent = json.loads(called("fit", "--gpu", "L4", "--json", "--config", str(path))[1])
    assert (sent["model_id"], sent["vllm_version"]) == ("Qwen/Qwen3-8B", "0.8.5")
    assert called("fit", "--gpu", "L40S", "--config", str(path), "--context", "4096")[1].startswith("放得下：")
