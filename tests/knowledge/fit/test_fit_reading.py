"""Questions as JSON lines: every slip gets one sentence on what is wrong and one on what to do."""

import pytest

from knowledge.errors import Refusal
from knowledge.fit.reading import read_line
from knowledge.fit.request import FitRequest


def test_options_by_name() -> None:
    request = read_line(
        '{"id": 7, "model": "Qwen/Qwen3-8B", "gpu": "L4", "count": 2, "context": 16384, "kv_cache_dtype": "fp8"}'
    )
    assert (request.id, request.model, request.count, request.context) == (7, "Qwen/Qwen3-8B", 2, 16384)


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ("{", "`{` is not a JSON object.", "Write one object a line"),
        ("[" * 100_000, "is not a JSON object.", "Write one object a line"),
        ("[1]", "`[1]` is not a JSON object.", "Write one object a line"),
        ("{}", "`model` is missing.", "Say which model."),
        ('{"model": "m", "contxt": 5}', "`contxt` is not an option of `fit`.", "Did you mean `context`?"),
        (
            '{"model": "m", "max-num-seqs": 5}',
            "`max-num-seqs` is not an option of `fit`.",
            "Did you mean `max_num_seqs`?",
        ),
        ('{"model": "m", "zzzzzzzzz": 5}', "`zzzzzzzzz` is not an option of `fit`.", "Known are `model`"),
        (
            '{"model": "m", "count": 0}',
            "`0` cannot be used for `count`.",
            "`count` should be greater than or equal to 1.",
        ),
        ('{"model": "m", "context": -1}', "`-1` cannot be used for `context`.", "`context` should be greater"),
        (
            '{"model": "m", "context": 1000000000000}',
            "`1000000000000` cannot be used for `context`.",
            "`context` should be less",
        ),
        (
            '{"model": "m", "context": ' + "9" * 4000 + "}",
            "`a number of more than 77 digits` cannot",
            "`context` should be",
        ),
        (
            '{"model": "m", "context": 1.5}',
            "`1.5` cannot be used for `context`.",
            "`context` should be a valid integer",
        ),
        ('{"model": "m", "gpu_memory_utilization": 90}', "`90` cannot be used", "Give a share of the GPU's memory"),
        ('{"model": "m", "gpu_memory_utilization": NaN}', "`nan` cannot be used", "Give a share of the GPU's memory"),
        (
            '{"model": "m", "gpu_memory_gib": Infinity}',
            "`inf` cannot be used for `gpu_memory_gib`.",
            "`gpu_memory_gib` should be",
        ),
        ('{"model": ""}', "`` cannot be used for `model`.", "`model` should have at least 1 character."),
        (
            '{"model": "' + "x" * 40_000 + '"}',
            "`" + "x" * 40 + "` cannot be used for `model`.",
            "`model` should have at most",
        ),
    ],
)
def test_slips(line: str, error: str, hint: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_line(line)
    assert error in refused.value.error
    assert refused.value.hint.startswith(hint)
    assert len(refused.value.error) < 200


@pytest.mark.parametrize("name", ["count", "context", "gpu_memory_utilization"])
def test_true_is_no_number(name: str) -> None:
    with pytest.raises(Refusal, match=f"`True` cannot be used for `{name}`"):
        read_line(f'{{"model": "m", "{name}": true}}')


def test_what_is_repeated_is_one_line_without_control_characters() -> None:
    with pytest.raises(Refusal) as refused:
        read_line('{"model": "m", "count": "a\\n\\u202eb"}')
    assert refused.value.error == "`a b` cannot be used for `count`."


@pytest.mark.parametrize(("said", "tokens"), [("16k", 16384), ("1.5K", 1536), ("32768", 32768), (4096, 4096)], ids=str)
def test_a_context_may_be_said_in_thousands(said: object, tokens: int) -> None:
    assert FitRequest.model_validate({"model": "m", "context": said}).context == tokens
