"""A second look: what the words of a message hid is answered from the entries, and what is about memory stays there."""

import pytest

from bot.answers.rather import one_line, rather
from bot.settings import Settings
from bot.understand.message import understand
from bot.understand.understood import Intent


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('need 128k on qwen2.5 72b but "User-specified max_model_len (131072) is greater than the derived max_model_len"', id="a quoted error beside a model"),
        pytest.param("--quantization fp8 on A100?", id="a flag that no estimate takes"),
        pytest.param("a 3090 and a 4090 in one box, tp 2", id="cards without a model"),
        pytest.param("You are trying to access a gated repo", id="no subject was seen"),
        pytest.param("[Errno 98] Address already in use 8000", id="a short error"),
    ],
)  # fmt: skip
def test_an_entry_is_preferred(text: str) -> None:
    assert rather(understand(text), Settings()).intent is Intent.KNOWLEDGE


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        pytest.param("qwen3-32b on 2x4090 with 32k fp8 kv", Intent.FIT, id="a model and cards"),
        pytest.param("what's the max context on 8 H100", Intent.MAX_CONTEXT, id="a figure of cards"),
        pytest.param("how many B200s does DeepSeek-R1 need", Intent.HOW_MANY_GPUS, id="cards for a model"),
        pytest.param("what is the weather in shenzhen", Intent.DECLINE, id="everyday matters"),
        pytest.param("ollama modelfile num_ctx", Intent.DECLINE, id="another program"),
        pytest.param("thanks a lot!", Intent.DECLINE, id="a courtesy"),
        pytest.param("where is the onboarding doc", Intent.DECLINE, id="nothing of ours"),
    ],
)
def test_the_first_reading_stays(text: str, intent: Intent) -> None:
    assert rather(understand(text), Settings()).intent is intent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ValueError: Free memory on device (22.1/23.6 GiB) on startup is less than desired GPU memory utilization (0.95)", True, id="one error line"),
        pytest.param("\n".join(["INFO started"] * 5 + ["No available memory for the cache blocks"]), False, id="a log"),
        pytest.param("hello there", False, id="no error"),
    ],
)  # fmt: skip
def test_one_error_line_is_no_log(text: str, expected: bool) -> None:
    assert one_line(understand(text), Settings()) is expected
