"""A pasted command's options, under the version that it is for. Expected: the argument parsers in vLLM's sources."""

import pytest

from bot.answers.check import check_sheet, checked_flags
from bot.settings import Language
from bot.sheet import Sheet, Tone
from bot.text.refusals import kind_sentence
from bot.understand.message import understand
from bot.understand.understood import Intent, Understood
from knowledge.errors import Refusal

FITS = Sheet(lead="Yes: it fits.", tone=Tone.GOOD, notes=("a note",), feedback=True)


def pasted(options: str, language: Language = "en", *problems: Refusal) -> Understood:
    text = f"vllm serve Qwen/Qwen3-8B {options}"
    return Understood(text=text, language=language, intent=Intent.CHECK_COMMAND, problems=problems)


@pytest.mark.parametrize(
    ("options", "version", "english", "chinese"),
    [
        pytest.param("--preemption-mode swap", "0.32", "`--preemption-mode` was removed after vLLM 0.10.2.", "`--preemption-mode` 在 vLLM 0.10.2 之后已移除，去掉即可。", id="gone"),
        pytest.param("--kv-cache-memory-bytes 1000", "0.8.5", "`--kv-cache-memory-bytes` came with vLLM 0.10.2; 0.8.5 does not have it.", "`--kv-cache-memory-bytes` 从 vLLM 0.10.2 才有，0.8.5 没有，", id="not yet"),
        pytest.param("--max-model-lenght 8192", "0.32", "`--max-model-lenght` is not an option of vLLM.", "vLLM 没有 `--max-model-lenght` 这个参数，是不是想写 `--max-model-len`？", id="misspelt"),
        pytest.param("--dtype bf16", "0.32", "`bf16` is not a value of `--dtype` in vLLM 0.32.", "`--dtype` 在 vLLM 0.32 里没有 `bf16` 这个取值，是不是想写 `bfloat16`？", id="no such value"),
        pytest.param("--gpu-memory-utilization 95", "0.32", "`95` is out of range for `--gpu-memory-utilization`.", "`--gpu-memory-utilization` 的取值 `95` 超出范围，可以写 `0.95`。", id="out of range"),
        pytest.param("--enforce-eager true", "0.32", "`--enforce-eager` takes no value, but `true` follows it.", "`--enforce-eager` 是开关，不带取值，后面却写了 `true`，请写 `--enforce-eager`。", id="a switch with a value"),
    ],
)  # fmt: skip
def test_an_option_that_stops_a_start(options: str, version: str, english: str, chinese: str) -> None:
    stops = checked_flags(pasted(options), version).stops
    assert [stop.error for stop in stops] == [english]
    assert kind_sentence(stops[0], "zh").startswith(chinese)


def test_wrong_options_lead_and_the_memory_follows() -> None:
    understood = pasted("--preemption-mode swap --dtype bf16")
    found = check_sheet(understood, checked_flags(understood, None), FITS)
    assert found.lead == "No: vLLM 0.32 does not accept --preemption-mode, --dtype."
    assert found.tone is Tone.BAD
    assert len(found.points) == 2
    assert found.notes == ("Apart from that: Yes: it fits.", "a note")


def test_a_right_command_is_a_question_of_memory_alone() -> None:
    understood = pasted("--max-model-len 8192")
    assert check_sheet(understood, checked_flags(understood, "0.32"), FITS) == FITS


def test_what_is_only_worth_saying_is_a_note() -> None:
    understood = pasted("--use-v2-block-manager", "zh")
    found = check_sheet(understood, checked_flags(understood, "0.8"), FITS)
    assert found.lead == FITS.lead
    assert found.notes == ("`--use-v2-block-manager` 自 vLLM 0.6.3 起不起作用，去掉即可。", "a note")


def test_a_value_that_cannot_be_is_told_once() -> None:
    problem = Refusal("bad-number", "`tp` cannot be `0`.", "Use a whole number from 1 up.", field="tp")
    found = checked_flags(pasted("", "en", problem), None)
    assert found.stops == (problem,)
    understood = pasted("", "zh", problem)
    assert check_sheet(understood, found, problem).lead == "启动不了：vLLM 0.32 不接受 tp。"


def test_a_version_outside_the_tables_is_held_to_the_nearest() -> None:
    assert str(checked_flags(pasted(""), "0.99").version) == "0.33"


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        pytest.param("vllm serve Qwen/Qwen3-8B --quantization awq", "Qwen/Qwen3-8B-AWQ", id="a published build"),
        pytest.param("vllm serve Qwen/Qwen3-8B --quantization modelopt", "--quantization out", id="none is listed"),
    ],
)
def test_a_quantisation_that_the_checkpoint_does_not_have_stops_the_start(text: str, offered: str) -> None:
    # vLLM 0.32: "Cannot find the config file for awq"
    understood = understand(text)
    (stop,) = checked_flags(understood, None).stops
    assert stop.code == "not-so-stored"
    assert offered in stop.hint
    assert "Qwen/Qwen3-8B" in kind_sentence(stop, "zh")


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve Qwen/Qwen3-8B --quantization fp8",  # made while loading
        "vllm serve Qwen/Qwen3-8B-AWQ --quantization awq",
        "vllm serve acme/private-13b --quantization awq",  # nobody knows
    ],
)
def test_a_quantisation_that_may_be_is_left_alone(text: str) -> None:
    assert checked_flags(understand(text), None).stops == ()
