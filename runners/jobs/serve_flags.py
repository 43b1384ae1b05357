"""The options of `vllm serve` that a benchmark may set, typed; everything else is refused, whoever asks."""

import json
import math
import re
from collections.abc import Iterator, Mapping

from knowledge.commands.faults import check
from knowledge.commands.options import decimal, size
from knowledge.commands.pasted import parse, read_json
from knowledge.errors import Refusal
from knowledge.releases import flags
from knowledge.releases.flags import Flag
from knowledge.versions import Version

Value = bool | int | float | str

# Options that change memory, parallelism, scheduling or kernels and that name no file, plugin, address or code.
# Checked against the options of `vllm serve --help=all` in 0.32.0.
ALLOWED = frozenset(
    {
        "--all2all-backend",
        "--async-scheduling",
        "--attention-backend",
        "--block-size",
        "--calculate-kv-scales",
        "--cpu-offload-gb",
        "--cuda-graph-sizes",
        "--cudagraph-capture-sizes",
        "--data-parallel-size",
        "--dbo-decode-token-threshold",
        "--dbo-prefill-token-threshold",
        "--decode-context-parallel-size",
        "--disable-cascade-attn",
        "--disable-chunked-mm-input",
        "--disable-custom-all-reduce",
        "--disable-hybrid-kv-cache-manager",
        "--disable-log-requests",
        "--disable-sliding-window",
        "--dtype",
        "--enable-chunked-prefill",
        "--enable-dbo",
        "--enable-eplb",
        "--enable-expert-parallel",
        "--enable-prefix-caching",
        "--enforce-eager",
        "--expert-placement-strategy",
        "--gpu-memory-utilization",
        "--kv-cache-dtype",
        "--kv-cache-memory-bytes",
        "--kv-offloading-size",
        "--kv-sharing-fast-prefill",
        "--language-model-only",
        "--limit-mm-per-prompt",
        "--linear-backend",
        "--long-prefill-token-threshold",
        "--mamba-block-size",
        "--mamba-cache-dtype",
        "--mamba-cache-mode",
        "--mamba-ssm-cache-dtype",
        "--max-cudagraph-capture-size",
        "--max-long-partial-prefills",
        "--max-model-len",
        "--max-num-batched-tokens",
        "--max-num-partial-prefills",
        "--max-num-scheduled-tokens",
        "--max-num-seqs",
        "--max-seq-len-to-capture",
        "--mm-encoder-tp-mode",
        "--mm-processor-cache-gb",
        "--moe-backend",
        "--num-gpu-blocks-override",
        "--num-scheduler-steps",
        "--optimization-level",
        "--performance-mode",
        "--pipeline-parallel-size",
        "--prefill-context-parallel-size",
        "--prefix-caching-hash-algo",
        "--quantization",
        "--scheduling-policy",
        "--seed",
        "--skip-mm-profiling",
        "--spec-method",
        "--spec-tokens",
        "--speculative-config",
        "--stream-interval",
        "--swap-space",
        "--tensor-parallel-size",
        "--watermark",
    }
)
_NAMES_A_FILE = frozenset({"/", "\\", "~", "$"})
_SPECULATIVE_KEYS = frozenset(
    {"method", "num_speculative_tokens", "model", "draft_tensor_parallel_size", "quantization", "max_model_len"}
    | {"prompt_lookup_max", "prompt_lookup_min", "disable_padded_drafter_batch", "disable_by_batch_size"}
    | {"suffix_decoding_max_tree_depth", "suffix_decoding_max_cached_requests", "attention_backend"}
)
_HUB_ID = 1  # slashes in a Hugging Face id
_WORD = re.compile(r"(?!-)(?!.*\.py\b)[\w.,+=-]{1,200}")


def typed(given: Mapping[str, object], version: Version) -> dict[str, Value]:
    """`given` by full names (`max_num_seqs`, `--max-num-seqs` and `tp` in vLLM's short spelling all work), each value of its type.

    Refuses an option that may not be set here or that this version does not have, and a value that vLLM would not read.
    """
    found: dict[str, Value] = {}
    for name, value in given.items():
        flag = _allowed(name)
        found[flag.name] = _value(flag, value, negated=_negates(name, flag))
    _refuse_what_stops(found, version)
    return dict(sorted(found.items()))


def argv(options: Mapping[str, Value]) -> list[str]:
    """The options as words of a command line; a switch that is off is written in its `--no-` form."""
    return [word for name, value in options.items() for word in _words(name, value)]


def _words(name: str, value: Value) -> Iterator[str]:
    if value is False:
        yield f"--no-{name[2:]}"
        return
    yield name
    if value is not True:
        flag = flags.lookup(name)
        yield from str(value).split() if flag is not None and flag.several else (str(value),)


def _allowed(name: str) -> Flag:
    spelt = name if name.startswith("-") else f"--{name}"
    flag = flags.lookup(spelt) or (flags.lookup(f"-{name}") if len(name) <= 4 else None)
    if flag is None:
        near = flags.nearest(spelt)
        hint = f"Did you mean `{near}`?" if near in ALLOWED else "Write it as `vllm serve --help` does."
        raise Refusal("unknown-flag", f"`{name[:40]}` is not an option of `vllm serve`.", hint, flag=name[:40])
    if flag.name not in ALLOWED:
        raise Refusal(
            "flag-not-allowed",
            f"`{flag.name}` may not be set for a benchmark.",
            "Options that name files, addresses, plugins or code stand in the host's own settings.",
            flag=flag.name,
        )
    return flag


def _negates(name: str, flag: Flag) -> bool:
    bare = name.lstrip("-").replace("_", "-")
    return bare.startswith("no-") and not flag.name.startswith("--no-")


def _value(flag: Flag, value: object, *, negated: bool) -> Value:
    if flag.switch:
        return _switch(flag, value) is not negated
    if isinstance(value, bool) or value is None:
        raise _bad(flag, value, "It needs a value.")
    if flag.kind == "json":
        return _json(flag, value)
    if flag.several:
        words = value if isinstance(value, list | tuple) else str(value).split()
        return " ".join(_text(flag, str(word)) for word in words)
    return _number(flag, value) if flag.kind in {"int", "float", "size"} else _text(flag, str(value))


def _switch(flag: Flag, value: object) -> bool:
    said = str(value).strip().lower()
    if said in {"true", "on", "yes", "1", ""} or value is None:
        return True
    if said in {"false", "off", "no", "0"}:
        return False
    raise _bad(flag, value, "It is switched on with `true` and off with `false`.")


def _number(flag: Flag, value: object) -> Value:
    text = str(value).strip()
    if flag.kind == "float":
        number = decimal(text)
        if number is None or not math.isfinite(number):
            raise _bad(flag, value, "Give it a number.")
        return number
    if flag.kind == "size" and text.lower() == "auto":
        return "auto"
    whole = size(text)
    if whole is None:
        raise _bad(flag, value, "Give it a whole number.")
    return whole


def _text(flag: Flag, text: str) -> str:
    word = text.strip()
    if not _WORD.fullmatch(word):
        raise _bad(flag, text, "Give it a plain word: paths and code are not taken here.")
    return word


def _json(flag: Flag, value: object) -> str:
    read = read_json(value) if isinstance(value, str) else value
    if not isinstance(read, dict):
        raise _bad(flag, value, """Write an object such as `{"key": 1}`.""")
    if flag.name == "--speculative-config":
        _refuse_keys(flag, read)
    _refuse_paths(flag, read)
    return json.dumps(read, sort_keys=True, separators=(",", ":"))


def _refuse_keys(flag: Flag, given: Mapping[str, object]) -> None:
    wrong = next((key for key in given if key not in _SPECULATIVE_KEYS), None)
    if wrong is not None:
        raise _bad(flag, wrong, f"Known keys are {', '.join(f'`{key}`' for key in sorted(_SPECULATIVE_KEYS))}.")


def _refuse_paths(flag: Flag, given: Mapping[str, object]) -> None:
    """A draft may be named by its Hugging Face id, nothing else may have a slash in it."""
    for key, value in given.items():
        if not isinstance(value, str):
            continue
        hub_id = key == "model" and value.count("/") <= _HUB_ID and not value.startswith(("/", ".", "~"))
        if not hub_id and (_NAMES_A_FILE & set(value) or ".py" in value):
            raise _bad(flag, value, "Paths and code are not taken here.")


def _bad(flag: Flag, value: object, hint: str) -> Refusal:
    shown = "".join(letter if letter.isprintable() else " " for letter in str(value)[:40])
    return Refusal("bad-flag-value", f"`{shown}` is not a value of `{flag.name}`.", hint, flag=flag.name, value=shown)


def _refuse_what_stops(options: Mapping[str, Value], version: Version) -> None:
    """What `vllm serve` itself would refuse, before a GPU is kept waiting for it."""
    import shlex

    command = parse(shlex.join(["vllm", "serve", "org/model", *argv(options)]))
    stops = check(command, version).stops if command else ()
    if stops:
        raise stops[0]
