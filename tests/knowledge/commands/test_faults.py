import pytest

from knowledge.commands.faults import check
from knowledge.commands.pasted import parse
from knowledge.versions import parse as version_of


def codes(command: str, version: str) -> tuple[list[str], list[str]]:
    parsed = parse(command)
    assert parsed is not None
    found = check(parsed, version_of(version))
    return [fault.code for fault in found.stops], [fault.code for fault in found.notes]


# What argparse, pydantic and vllm/config/scheduler.py refuse; bad flags, choices and batch sizes were tried on 0.32.0.
STOPS = [
    ("--tensor-paralel-size 2", "0.32", "unknown-flag"),
    ("--qqqq", "0.32", "unknown-flag"),
    ("--max-num 3", "0.32", "ambiguous-flag"),
    ("--swap-space 4", "0.32", "flag-gone"),
    ("--disable-log-requests", "0.32", "flag-gone"),
    ("--kv-cache-memory-bytes 4G", "0.8", "flag-not-yet"),
    ("--no-enforce-eager", "0.8.5", "cannot-negate"),
    ("--no-enable-chunked-prefill", "0.6", "cannot-negate"),
    ("-ep", "0.12", "short-name"),
    ("--max-num-seqs", "0.32", "needs-value"),
    ("--max-num-seqs=", "0.32", "needs-value"),
    ("--enable-prefix-caching False", "0.32", "takes-no-value"),
    ("--enforce-eager=false", "0.8.5", "takes-no-value"),
    ("--enforce-eager True", "0.32", "takes-no-value"),
    ("--max-num-seqs many", "0.32", "bad-type"),
    ("--gpu-memory-utilization high", "0.32", "bad-type"),
    ("--max-model-len long", "0.32", "bad-type"),
    ("--max-model-len 32k", "0.8.3", "bad-type"),
    ("--max-model-len auto", "0.13", "bad-type"),
    ("--cudagraph-capture-sizes 1 2 x4", "0.32", "bad-type"),
    ("--scheduling-policy lifo", "0.32", "bad-choice"),
    ("--kv-cache-dtype fp9", "0.32", "bad-choice"),
    ("--kv-cache-dtype nvfp4", "0.19", "bad-choice"),
    ("--gpu-memory-utilization 95", "0.32", "bad-range"),
    ("--gpu-memory-utilization 0", "0.32", "bad-range"),
    ("--tensor-parallel-size 0", "0.32", "bad-range"),
    ("--max-model-len 0", "0.32", "bad-range"),
    ("--compilation-config '{level: 3}'", "0.32", "bad-json"),
    ("""--speculative-config {"method":"mtp"}""", "0.32", "unquoted-json"),
    ("""--speculative-config '{"method": "mtp", "num_spec_tokens": 2}'""", "0.32", "unknown-key"),
    ("--compilation-config.level 3", "0.32", "unknown-key"),
    ("--enable-auto-tool-choice", "0.32", "needs-flag"),
    ("--max-num-batched-tokens 16 --max-num-seqs 32", "0.32", "batch-below-seqs"),
    ("--max-num-batched-tokens 512 --max-model-len 4096 --no-enable-chunked-prefill", "0.32", "batch-below-context"),
    ("--max-num-batched-tokens 512 --max-model-len 4096", "0.6", "batch-below-context"),
]


@pytest.mark.parametrize(
    ("options", "version", "code"), STOPS, ids=[f"{options} {version}" for options, version, _ in STOPS]
)
def test_what_stops_the_start(options: str, version: str, code: str) -> None:
    assert codes(f"vllm serve a/b {options}", version)[0] == [code]


NOTES = [
    ("vllm serve a/b --disable-log-requests", "0.12", "flag-deprecated"),
    ("vllm serve a/b --use-v2-block-manager", "0.9", "flag-ignored"),
    ("vllm serve a/b --tokenizer-mode fast", "0.32", "odd-choice"),
    ("vllm serve a/b --port 1 --port 2", "0.32", "given-twice"),
    ("vllm serve a/b --enable-prefix-caching --no-enable-prefix-caching", "0.32", "given-twice"),
    ("vllm serve a/b --max-lora-rank 8", "0.32", "without-lora"),
    ("vllm serve a/b --kv-cache-memory-bytes 4G --gpu-memory-utilization 0.9", "0.32", "ignored-beside"),
    ("vllm serve --model a/b", "0.32", "model-by-flag"),
    ("vllm serve --port 80", "0.32", "no-model"),
    ("VLLM_USE_V1=0 vllm serve a/b", "0.32", "variable-gone"),
    ("VLLM_ATTENTION_BACKND=x vllm serve a/b", "0.14", "unknown-variable"),
    ("VLLM_QQQQQQQQ=x vllm serve a/b", "0.14", "unknown-variable"),
]


@pytest.mark.parametrize(
    ("command", "version", "code"), NOTES, ids=[f"{command} {version}" for command, version, _ in NOTES]
)
def test_what_is_only_worth_saying(command: str, version: str, code: str) -> None:
    assert codes(command, version) == ([], [code])


CLEAN = [
    ("vllm serve a/b -tp 4 --max-model-len 32k --gpu-memory-utilization 0.95", "0.32"),
    ("vllm serve a/b --max-model-len auto --max-model 4096 -O3", "0.32"),
    ("vllm serve a/b --tensor-parallel 4", "0.32"),
    ("vllm serve a/b --enable-chunked-prefill=True --max-num-batched-tokens 512 --max-model-len 4096", "0.6"),
    ("vllm serve a/b --limit-mm-per-prompt image=2", "0.8.4"),
    ("vllm serve a/b --speculative-config.method mtp --speculative-config.num_speculative_tokens 1", "0.32"),
    ("vllm serve a/b --enable-auto-tool-choice --tool-call-parser hermes", "0.32"),
    ("vllm serve a/b --max-num-seqs $N --scheduling-policy $P", "0.32"),
    ("vllm serve a/b --compilation-config 3", "0.10"),
    ("vllm serve a/b --compilation-config.level 3", "0.10"),
    ("""vllm serve a/b --compilation-config '{"mode": 3, "pass_config": {"fuse": 1}}'""", "0.32"),
    ("vllm serve a/b --middleware a.b --middleware c.d", "0.32"),
    ("CUDA_VISIBLE_DEVICES=0 VLLM_LOGGING_LEVEL=DEBUG vllm serve a/b", "0.32"),
    ("python -m vllm.entrypoints.openai.api_server --model a/b --swap-space 4 --disable-log-requests", "0.7"),
]


@pytest.mark.parametrize(("command", "version"), CLEAN, ids=[f"{command} {version}" for command, version in CLEAN])
def test_a_good_command_has_no_fault(command: str, version: str) -> None:
    stops, notes = codes(command, version)
    assert stops == []
    assert set(notes) <= {"given-twice"}


def test_the_module_takes_its_model_by_option_alone() -> None:
    assert codes("python -m vllm.entrypoints.openai.api_server --port 80", "0.7")[0] == ["module-model"]


HINTS = [
    ("--tensor-paralel-size 2", "0.32", "`--tensor-parallel-size`"),
    ("--num-speculative-tokens 2", "0.9", "`--speculative-config.num_speculative_tokens`"),
    ("--disable-log-requests", "0.32", "Leave it out: that is the default"),
    ("--num-scheduler-steps 8", "0.32", "Leave it out."),
    ("--gpu-memory-utilization 95", "0.32", "`0.95`"),
    ("--gpu-memory-utilization 900", "0.32", "`0.92`"),
    ("--enable-prefix-caching False", "0.32", "`--no-enable-prefix-caching`"),
    ("--enforce-eager false", "0.8", "Leave it out."),
    ("--no-enable-chunked-prefill", "0.6", "`--enable-chunked-prefill=false`"),
    ("--kv-cache-dtype fp8_e4m4", "0.32", "`fp8_e4m3`"),
    ("--max-model-len 32k", "0.8", "`32000`"),
    ("--qqqq", "0.32", "Leave it out."),
    ("--speculative-config.num_spec_tokens 2", "0.32", "`num_speculative_tokens`"),
]


@pytest.mark.parametrize(
    ("options", "version", "hint"), HINTS, ids=[f"{options} {version}" for options, version, _ in HINTS]
)
def test_every_fault_says_what_to_do(options: str, version: str, hint: str) -> None:
    parsed = parse(f"vllm serve a/b {options}")
    assert parsed is not None
    (fault,) = check(parsed, version_of(version)).stops
    assert hint in fault.hint
    assert fault.error.endswith(".")
    assert fault.facts["flag"]


def test_a_very_long_name_is_shown_short() -> None:
    parsed = parse(f"vllm serve a/b --{'x' * 30_000}")
    assert parsed is not None
    assert all(len(fault.error) < 120 for fault in check(parsed, version_of("0.32")).stops)
