"""Other programs' logs are told from vLLM's, which may name them."""

import pytest

from knowledge.logs.diagnosis import diagnose

FOREIGN = {
    "text-generation-inference (TGI)": "2023-08-17T10:23:20Z  INFO text_generation_launcher: Starting shard 0\n2023-08-17T10:23:40Z ERROR text_generation_launcher: Shard 0 failed to start\n",
    "SGLang": "[2025-03-12 10:01:02 TP0] Load weight begin. avail mem=44.05 GB\nRuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n",
    "llama.cpp": "llama_model_load: error loading model: unable to allocate CUDA0 buffer\nggml_cuda_init: failed\n",
    "Ollama": 'time=2025-01-01T00:00:00Z level=ERROR source=server.go:1 msg="llama runner process has terminated: exit status 2"\nollama serve\n',
    "TensorRT-LLM": "[TRT-LLM] [E] Failed to build engine: out of memory\n[TensorRT-LLM] TensorRT-LLM version: 0.15.0\n",
    "Triton Inference Server": "I0101 00:00:00.0 1 model_repository_manager.cc:1 failed to load 'm' version 1: Internal\n",
    "PostgreSQL": '2025-01-01 00:00:00 UTC [1] FATAL:  database "x" does not exist\n',
    "nginx": "2025/01/01 00:00:00 [error] 31#31: *1 upstream timed out\n",
    "a Transformers training run": 'Traceback (most recent call last):\n  File "/x/transformers/trainer.py", line 1, in train\nRuntimeError: CUDA error: device-side assert triggered\n',
}


@pytest.mark.parametrize(("name", "log"), FOREIGN.items(), ids=FOREIGN.keys())
def test_another_programs_failure_is_not_judged(name: str, log: str) -> None:
    found = diagnose("what is wrong?", log)
    assert (found.cause, found.text, found.facts["software"]) == ("none", "general.foreign", name)


def test_the_line_of_a_foreign_program_that_tells_trouble_is_quoted() -> None:
    assert "failed to start" in diagnose("", FOREIGN["text-generation-inference (TGI)"].split("\n", 1)[1]).deciding_line


def test_a_log_of_vllm_that_names_another_program_stays_vllms() -> None:
    log = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.10.0\nINFO 07-01 10:00:00 [x.py:1] nginx: [warn] in front\n"
    log += "(EngineCore_DP0 pid=1) ERROR 07-01 10:00:00 [core.py:1] ValueError: LoRA rank 64 is greater than max_lora_rank 16.\n"
    assert diagnose("", log).cause == "lora"


def test_a_line_that_others_print_too_counts_without_a_foreign_traceback() -> None:
    assert diagnose("", "OSError: [Errno 28] No space left on device\n").cause == "model-download"
    trace = 'Traceback (most recent call last):\n  File "/home/me/copy.py", line 1, in run\nOSError: [Errno 28] No space left on device\n'
    assert diagnose("", trace).cause == "none"
