from typing import Any

import pytest

from knowledge.commands.pasted import PastedCommand, parse


def read(text: str) -> PastedCommand:
    command = parse(text)
    assert command is not None
    return command


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("-tp 4 -pp 2 --data-parallel-size 2", {"tp": 4, "pp": 2, "dp": 2}),
    ("--tensor_parallel_size=4", {"tp": 4}),
    ("—tensor-parallel-size 4", {"tp": 4}),
    ("--max-model-len 32768", {"context": 32768}),
    ("--max-model-len 32K", {"context": 32768}),
    ("--max-model-len 32k", {"context": 32000}),
    ("--max-model-len 25.6k", {"context": 25600}),
    ("--max-model-len auto", {}),
    ("--max-model-len -1", {}),
    ("--gpu-memory-utilization .95", {"gpu_memory_utilization": 0.95}),
    ("--device-memory-utilization 0.8", {"gpu_memory_utilization": 0.8}),
    ("--gpu-memory-utilization 95", {}),
    ("--gpu-memory-utilization nan", {}),
    ("--max-num-seqs 16 --max-num-batched-tokens 4096", {"max_num_seqs": 16, "max_num_batched_tokens": 4096}),
    ("--max-num-seqs 0", {}),
    (
        "--dtype half --quantization awq --kv-cache-dtype fp8",
        {"dtype": "half", "quantization": "awq", "kv_cache_dtype": "fp8"},
    ),
    ("--dtype auto", {}),
    ("--enforce-eager --enable-expert-parallel", {"enforce_eager": True, "enable_expert_parallel": True}),
    ("--no-enforce-eager", {}),
    ("--block-size 32 --nnodes 2", {"block_size": 32, "nodes": 2}),
    ("--kv-cache-memory-bytes 4G", {"kv_cache_memory_gib": 4.0}),
    ("--kv-cache-memory-bytes 4g", {"kv_cache_memory_gib": 4e9 / 2**30}),
    ("--tensor-parallel 2 --max-num 3", {"tp": 2}),
    ("--kv-offloading-size 64", {"kv_offloading_size": 64.0}),
    ("--kv-offloading-size -1", {}),
    ("--enable-lora", {"max_lora_rank": 16}),
    ("--enable-lora --max-lora-rank 64", {"max_lora_rank": 64}),
    ("--max-lora-rank 64", {}),
    ("--limit-mm-per-prompt image=2,video=1", {"limit_mm_images": 2}),
    ("""--limit-mm-per-prompt '{"image": 3}'""", {"limit_mm_images": 3}),
    ("""--limit-mm-per-prompt '{"image": {"count": 1, "width": 512}}'""", {"limit_mm_images": 1}),
    ("--limit-mm-per-prompt.image 2", {"limit_mm_images": 2}),
    ("""--limit-mm-per-prompt '{"video": 3}'""", {}),
    (
        """--speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'""",
        {"speculative": '{"method": "mtp", "num_speculative_tokens": 2}'},
    ),
    (
        "--speculative-config.method mtp --speculative-config.num_speculative_tokens 2",
        {"speculative": '{"method": "mtp", "num_speculative_tokens": 2}'},
    ),
    (
        "--speculative-model [ngram] --num-speculative-tokens 5",
        {"speculative": '{"method": "ngram", "num_speculative_tokens": 5}'},
    ),
    ("--spec-method mtp --spec-tokens 1", {"speculative": '{"method": "mtp", "num_speculative_tokens": 1}'}),
    ("--spec-tokens 1", {}),
    ("--speculative-config {}", {}),
    ("--port 8000 --trust-remote-code", {}),
]


@pytest.mark.parametrize(("written", "options"), OPTIONS, ids=[written for written, _ in OPTIONS])
def test_options_say_what_the_estimator_asks(written: str, options: dict[str, Any]) -> None:
    command = read(f"vllm serve Qwen/Qwen3-8B {written}")
    assert command.model == "Qwen/Qwen3-8B"
    assert command.options == options


def test_every_option_is_kept_by_its_full_name() -> None:
    command = read(
        "vllm serve Qwen/Qwen3-8B -tp 2 --served-model-name a b-1 --made-up yes --other --no-enable-prefix-caching "
        "--compilation-config.level 3 --compilation-config.pass_config.x 1 -O2 --port 1 --port 2"
    )
    assert command.flags == {
        "--tensor-parallel-size": "2",
        "--served-model-name": ["a", "b-1"],
        "--made-up": "yes",
        "--other": True,
        "--enable-prefix-caching": False,
        "--compilation-config": {"level": "3", "pass_config": {"x": "1"}},
        "--optimization-level": "2",
        "--port": "2",
    }
    assert [written.typed for written in command.written if written.flag is None] == ["--made-up", "--other"]


PROGRAMS = [
    ("vllm serve Qwen/Qwen3-8B -tp 2", "serve", "Qwen/Qwen3-8B"),
    ("uv run vllm serve ./model", "serve", "./model"),
    ("vllm serve --model Qwen/Qwen3-8B", "serve", "Qwen/Qwen3-8B"),
    ("python3 -m vllm.entrypoints.openai.api_server --model /data/qwen --port 80", "module", "/data/qwen"),
    ("python -m vllm.entrypoints.api_server --model a/b", "module", "a/b"),
    ("docker run --gpus all --rm -it -p 80:80 vllm/vllm-openai:latest --model a/b -tp 2", "docker", "a/b"),
    ("podman run --device x docker.io/vllm/vllm-openai@sha256:ab a/b -tp 2", "docker", "a/b"),
    ("docker run vllm/vllm-openai vllm serve a/b", "docker", "a/b"),
    (
        "docker run --entrypoint=python3 vllm/vllm-openai -m vllm.entrypoints.openai.api_server --model a/b",
        "docker",
        "a/b",
    ),
]


@pytest.mark.parametrize(("text", "program", "model"), PROGRAMS, ids=[text for text, _, _ in PROGRAMS])
def test_programs_that_start_a_server(text: str, program: str, model: str) -> None:
    command = read(text)
    assert (command.program, command.model) == (program, model)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "how does vllm serve work with tensor parallel?",
        "vllm serve command fails",
        "vllm serve",
        "vllm serve \n Qwen/Qwen3-8B is my model",
        "docker run ubuntu ls",
        "docker run --rm",
        "python -m vllm.entrypoints.openai.api_server is old",
        "vllm serve ...",
    ],
)
def test_talk_about_it_is_no_command(text: str) -> None:
    assert parse(text) is None


SPANS = [
    ("will this start? `vllm serve a/b1 -tp 2` and `x`", "vllm serve a/b1 -tp 2"),
    ("我这样起：vllm serve a/b1 -tp 4，能起来吗", "vllm serve a/b1 -tp 4"),
    ("vllm serve a/b1 -tp 4 能起来吗", "vllm serve a/b1 -tp 4"),
    ("vllm serve a/b1能起来吗", "vllm serve a/b1"),
    ("vllm serve a/b1?", "vllm serve a/b1"),
    ("vllm serve a/b1 --enforce-eager will it fit", "vllm serve a/b1 --enforce-eager"),
    ("vllm serve a/b1 --made-up will it fit", "vllm serve a/b1 --made-up"),
    ("vllm serve a/b1\n--port 80\n--enforce-eager\ndoes it start", "vllm serve a/b1\n--port 80\n--enforce-eager"),
    ("vllm serve a/b1 \\\n  --port 80 \\\n\nok?", "vllm serve a/b1 \\\n  --port 80"),
    ("CUDA_VISIBLE_DEVICES=0,1 nohup vllm serve a/b1 > log &", "CUDA_VISIBLE_DEVICES=0,1 nohup vllm serve a/b1"),
    ("vllm serve a/b1 - that is all", "vllm serve a/b1"),
]


@pytest.mark.parametrize(("text", "span"), SPANS, ids=[text for text, _ in SPANS])
def test_the_persons_own_words_stay_outside(text: str, span: str) -> None:
    command = read(text)
    assert text[command.start : command.end].rstrip(" -") == span


def test_variables_have_the_values_that_were_set() -> None:
    command = read("export TP=8\nMODEL='a/b1'\nvllm serve $MODEL -tp ${TP} --max-model-len ${LEN:-4096} --port $PORT")
    assert command.model == "a/b1"
    assert command.options == {"tp": 8, "context": 4096}
    assert [written.name for written in command.written if written.unknown] == ["--port"]


def test_docker_says_gpus_version_and_environment() -> None:
    command = read(
        """docker run --gpus '"device=0,1,2,3"' -e VLLM_USE_V1=0 --env HF_TOKEN=hf_x vllm/vllm-openai:v0.8.5 --model a/b -q fp8"""
    )
    assert command.options == {"quantization": "fp8", "count": 4, "vllm_version": "0.8.5"}
    assert command.environment == {"VLLM_USE_V1": "0"}
    assert read("docker run --gpus 2 vllm/vllm-openai:nightly --model a/b").options == {"count": 2}
    assert read("docker run --gpus all -e CUDA_VISIBLE_DEVICES=0,3 vllm/vllm-openai --model a/b").options == {
        "count": 2
    }


def test_keys_and_tokens_are_not_repeated() -> None:
    command = read("VLLM_API_KEY=sk-123 vllm serve a/b1 --api-key sk-456 --hf-token hf_789")
    assert not any(secret in f"{command.flags}{command.environment}" for secret in ("sk-123", "sk-456", "hf_789"))


def test_json_without_quotes_is_understood_as_it_was_meant() -> None:
    command = read(
        'vllm serve a/b1 --speculative-config {"method": "mtp", "num_speculative_tokens": 1} --enforce-eager'
    )
    assert command.flags["--speculative-config"] == {"method": "mtp", "num_speculative_tokens": 1}
    assert command.options["enforce_eager"] is True


def test_what_is_no_json_stays_text() -> None:
    assert read("vllm serve a/b1 --speculative-config mtp").flags == {"--speculative-config": "mtp"}
    assert read("vllm serve a/b1 --speculative-config " + "[" * 30_000).options == {}


def test_a_switch_may_be_told_true_or_false() -> None:
    assert read("vllm serve a/b1 --enable-chunked-prefill=False").flags == {"--enable-chunked-prefill": False}
    assert read("vllm serve a/b1 --enable-chunked-prefill True -tp 2").options == {"tp": 2}


def test_huge_numbers_are_left_out() -> None:
    nines = "9" * 5_000
    command = read(
        f"vllm serve a/b1 -tp {nines} --speculative-config.num_speculative_tokens {nines} --max-num-seqs 1e999"
    )
    assert set(command.options) == {"speculative"}


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve a/b " + "--x y " * 6_500,
        "vllm serve " * 3_600,
        "docker run " * 3_600,
        "docker run -e A=b " * 2_000,
        "vllm serve a/b --lora-modules " + "a=b " * 9_000,
        "a" * 39_900 + " vllm serve a/b -tp 2",
        "vllm serve a/b --compilation-config " + "{" * 39_000,
        "vllm serve a/b -tp 2 " + "\x00\x1b[31m" * 5_000,
        "vllm serve a/b --speculative-config '" + '{"a":' * 7_000 + "'",
    ],
    ids=lambda text: text[:24],
)
def test_40_000_characters_of_anything_come_to_an_end(text: str) -> None:
    command = parse(text)
    assert command is None or command.end <= 40_000
