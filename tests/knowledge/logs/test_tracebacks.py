"""Tracebacks of processes that write at the same time are told apart, and the one that others follow from is the root."""

from knowledge.logs.crashes import root
from knowledge.logs.diagnosis import diagnose
from knowledge.logs.reading import read_all
from knowledge.logs.tracebacks import MOST

HEAD = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.10.0\n"


def trace(name: str, says: str, path: str = "/x/vllm/v1/worker/gpu_worker.py", prefix: str = "") -> str:
    lines = ["Traceback (most recent call last):", f'  File "{path}", line 10, in run', "    step()", f"{name}: {says}"]
    return "".join(f"{prefix}{line}\n" for line in lines)


def test_frames_and_the_exception_are_kept() -> None:
    (found,) = read_all(trace("KeyError", "'x'")).tracebacks.found
    assert (found.name, found.says, found.frames) == ("KeyError", "'x'", (("/x/vllm/v1/worker/gpu_worker.py", "run"),))


def test_two_ranks_that_write_alternately_have_a_traceback_each() -> None:
    first, second = (trace("IndexError", f"rank {rank}", prefix=f"[rank{rank}]: ").splitlines() for rank in (0, 1))
    mixed = "\n".join(line for pair in zip(first, second, strict=True) for line in pair)
    assert [found.says for found in read_all(mixed).tracebacks.found] == ["rank 0", "rank 1"]


def test_the_first_of_a_chain_is_the_root() -> None:
    log = (
        HEAD
        + trace("KeyError", "'first'")
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + trace("TypeError", "second")
    )
    found = root(read_all(log))
    assert found is not None
    assert found.trace.says == "'first'"


def test_an_exception_that_only_passes_another_on_is_no_root() -> None:
    log = (
        HEAD
        + trace("RuntimeError", "Engine core initialization failed. See root cause above.")
        + trace("KeyError", "'x'")
    )
    found = root(read_all(log))
    assert found is not None
    assert found.trace.name == "KeyError"


def test_what_pydantic_says_on_the_next_line_is_what_failed() -> None:
    log = trace("pydantic_core._pydantic_core.ValidationError", "1 validation error for ModelConfig") + (
        "  Value error, tokenizer must be a string, got int: 7. [type=value_error, input_value=..]\n"
    )
    (found,) = read_all(log).tracebacks.found
    assert found.says.startswith("tokenizer must be a string")


def test_a_log_in_which_everything_crashes_keeps_the_first_tracebacks() -> None:
    assert len(read_all(trace("KeyError", "'x'") * (MOST + 50)).tracebacks.found) == MOST


def test_an_exception_without_frames_is_looked_at_where_there_is_no_other() -> None:
    found = diagnose("", HEAD + "ValueError: Model Runner V2 does not yet support: LoRA with sinks\n")
    assert found.cause == "lora"
    assert "Model Runner V2" in found.deciding_line


def test_a_log_that_begins_inside_a_traceback_gives_its_exception() -> None:
    log = HEAD + trace("KeyError", "'layers.0.mlp.down_proj.weight'").split("\n", 1)[1]
    assert "KeyError" in diagnose("", log).deciding_line


def test_the_middle_of_a_traceback_alone_is_not_enough() -> None:
    found = diagnose("", '  File "/x/vllm/v1/engine/core.py", line 1, in run\n    self.step()\n')
    assert (found.cause, found.text) == ("insufficient-log", "general.cut_traceback")


def test_an_unknown_exception_is_placed_by_the_part_that_raised_it() -> None:
    log = HEAD + trace("KeyError", "'z'", "/x/vllm/model_executor/layers/quantization/awq.py")
    assert diagnose("", log).cause == "quantization"


def test_an_unknown_import_is_a_broken_environment() -> None:
    assert diagnose("", HEAD + trace("ModuleNotFoundError", "No module named 'zz'")).cause == "torch-abi-mismatch"


def test_an_unknown_exception_is_placed_by_its_words() -> None:
    log = HEAD + trace("ValueError", "--mamba-block-size can only be set with --enable-prefix-caching")
    assert diagnose("", log).cause == "prefix-caching"


def test_an_exception_of_the_configuration_is_about_the_start_command() -> None:
    log = HEAD + trace("ValueError", "Unsupported thing 7", "/x/vllm/config/vllm.py")
    assert diagnose("", log).cause == "deprecated-flags"


def test_an_exception_that_nobody_knows_is_quoted_and_not_guessed_at() -> None:
    found = diagnose("", HEAD + trace("ZeroDivisionError", "division by zero"))
    assert (found.cause, found.confidence, found.text) == ("engine-dead", "low", "general.crash")


def test_a_traceback_without_vllm_is_another_programs() -> None:
    found = diagnose("", trace("ZeroDivisionError", "division by zero", "/home/me/app.py"))
    assert (found.cause, found.text) == ("none", "general.foreign")


def test_a_refused_request_while_the_server_runs_is_not_a_crash() -> None:
    says = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion)."
    log = HEAD + trace("ValueError", says, "/x/vllm/entrypoints/openai/serving_chat.py")
    assert diagnose("", log).cause == "context-length-error"
