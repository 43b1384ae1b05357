"""Which options of `vllm serve` a benchmark may set, and how each value is read."""

from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.releases import flags
from knowledge.versions import Version
from runners.jobs.serve_flags import ALLOWED, argv, typed

V032 = Version(0, 32)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"max_num_seqs": "128"}, {"--max-num-seqs": 128}),
        ({"--max-num-seqs": 128}, {"--max-num-seqs": 128}),
        ({"tp": 2}, {"--tensor-parallel-size": 2}),
        ({"max_model_len": "16K"}, {"--max-model-len": 16_384}),  # vLLM's own words: K is binary, k decimal
        ({"max_model_len": "16k"}, {"--max-model-len": 16_000}),
        ({"max_model_len": "auto"}, {"--max-model-len": "auto"}),
        ({"gpu_memory_utilization": "0.90"}, {"--gpu-memory-utilization": 0.9}),
        ({"enforce_eager": True}, {"--enforce-eager": True}),
        ({"enforce_eager": ""}, {"--enforce-eager": True}),
        ({"enable_prefix_caching": "off"}, {"--enable-prefix-caching": False}),
        ({"no-enable-prefix-caching": True}, {"--enable-prefix-caching": False}),
        ({"kv_cache_dtype": "fp8"}, {"--kv-cache-dtype": "fp8"}),
        ({"cudagraph_capture_sizes": [1, 2, 4]}, {"--cudagraph-capture-sizes": "1 2 4"}),
        ({"cudagraph_capture_sizes": "1 2 4"}, {"--cudagraph-capture-sizes": "1 2 4"}),
        (
            {"speculative_config": '{"num_speculative_tokens": 3, "method": "ngram", "prompt_lookup_max": 4}'},
            {"--speculative-config": '{"method":"ngram","num_speculative_tokens":3,"prompt_lookup_max":4}'},
        ),
        (
            {"speculative_config": {"model": "org/eagle-head", "num_speculative_tokens": 2}},
            {"--speculative-config": '{"model":"org/eagle-head","num_speculative_tokens":2}'},
        ),
        ({"seed": 1, "dtype": "half"}, {"--dtype": "half", "--seed": 1}),
    ],
)
def test_a_value_becomes_what_vllm_reads(given: dict[str, Any], read: dict[str, Any]) -> None:
    assert typed(given, V032) == read


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"trust_remote_code": True}, "flag-not-allowed"),
        ({"host": "0.0.0.0"}, "flag-not-allowed"),
        ({"port": 80}, "flag-not-allowed"),
        ({"chat_template": "/etc/passwd"}, "flag-not-allowed"),
        ({"reasoning_parser_plugin": "x.py"}, "flag-not-allowed"),
        ({"worker_cls": "os.system"}, "flag-not-allowed"),
        ({"api_key": "k"}, "flag-not-allowed"),
        ({"load_format": "dummy"}, "flag-not-allowed"),
        ({"download_dir": "/tmp"}, "flag-not-allowed"),
        ({"max_num_sequences_": 3}, "unknown-flag"),
        ({"xyzzy": 3}, "unknown-flag"),
        ({"max_num_seqs": "many"}, "bad-flag-value"),
        ({"max_num_seqs": True}, "bad-flag-value"),
        ({"max_num_seqs": None}, "bad-flag-value"),
        ({"max_num_seqs": 0}, "bad-range"),
        ({"gpu_memory_utilization": "nan"}, "bad-flag-value"),
        ({"gpu_memory_utilization": "much"}, "bad-flag-value"),
        ({"gpu_memory_utilization": 92}, "bad-range"),
        ({"enforce_eager": "maybe"}, "bad-flag-value"),
        ({"dtype": "half; reboot"}, "bad-flag-value"),
        ({"dtype": "--host"}, "bad-flag-value"),
        ({"quantization": "./plugin.py"}, "bad-flag-value"),
        ({"attention_backend": "my.module:Backend"}, "bad-flag-value"),
        ({"kv_cache_dtype": "fp7"}, "bad-choice"),
        ({"speculative_config": "ngram"}, "bad-flag-value"),
        ({"speculative_config": {"model": "/srv/draft"}}, "bad-flag-value"),
        ({"speculative_config": {"code": "x"}}, "bad-flag-value"),
        ({"limit_mm_per_prompt": {"image": "../x"}}, "bad-flag-value"),
        ({"swap_space": 4}, "flag-gone"),
        ({"max_num_batched_tokens": 8, "max_num_seqs": 16}, "batch-below-seqs"),
    ],
)
def test_what_may_not_be_set_or_read_is_refused(given: dict[str, Any], code: str) -> None:
    with pytest.raises(Refusal) as refused:
        typed(given, V032)
    assert refused.value.code == code


def test_a_slip_of_an_allowed_option_is_corrected() -> None:
    with pytest.raises(Refusal, match="max_num_seq_") as refused:
        typed({"max_num_seq_": 3}, V032)
    assert refused.value.hint == "Did you mean `--max-num-seqs`?"


def test_an_option_is_judged_by_the_release_that_is_installed() -> None:
    assert typed({"swap_space": 4}, Version(0, 10)) == {"--swap-space": 4.0}


def test_options_are_written_as_vllm_reads_them() -> None:
    options = {"--enable-prefix-caching": False, "--enforce-eager": True, "--max-num-seqs": 8}
    assert argv(options) == ["--no-enable-prefix-caching", "--enforce-eager", "--max-num-seqs", "8"]
    assert argv({"--cudagraph-capture-sizes": "1 2 4"}) == ["--cudagraph-capture-sizes", "1", "2", "4"]


def test_every_allowed_option_is_one_of_vllms() -> None:
    assert {name for name in ALLOWED if flags.lookup(name) is None} == set()


@pytest.mark.parametrize(
    "piece", ["path", "plugin", "host", "port", "template", "-dir", "middleware", "cls", "api-key", "url"]
)
def test_no_allowed_option_names_a_file_an_address_or_code(piece: str) -> None:
    assert [name for name in ALLOWED if piece in name] == []
