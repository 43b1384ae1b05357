"""What is wrong with the value of one option in a pasted command, for a version of vLLM."""

import re
from typing import Any

from knowledge.commands.options import decimal, size
from knowledge.commands.pasted import read_json
from knowledge.commands.words import Written
from knowledge.errors import Refusal
from knowledge.releases import flags
from knowledge.releases.flags import Flag
from knowledge.versions import Version

HUMAN_SIZES = Version(0, 8, 4)  # 16k instead of 16000
JSON_LIMITS = Version(0, 8, 5)  # --limit-mm-per-prompt; image=1 before
AUTO_CONTEXT = Version(0, 14)  # --max-model-len auto
_AT_LEAST_ONE = frozenset(
    {"--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--max-num-seqs"}
    | {"--max-num-batched-tokens", "--max-model-len", "--block-size", "--nnodes"}
)
_SHARES = frozenset({"--gpu-memory-utilization", "--device-memory-utilization"})
SHOWN = 40  # characters of what somebody typed


def fault(code: str, error: str, hint: str, flag: str, **facts: Any) -> Refusal:
    """A fault of the option `flag`: what is wrong and what to do."""
    return Refusal(code, error, hint, flag=flag, **facts)


def value_fault(written: Written, version: Version) -> Refusal | None:
    """Why that version refuses the option's value; None when it does not, or when the value is an unresolved variable."""
    flag = written.flag
    if flag is None or written.unknown:
        return None
    if flag.switch:
        return _switch_fault(written, flag, version)
    if written.value is None or (written.value == "" and flag.kind in {"int", "float", "size", "json"}):
        return fault("needs-value", f"`{written.typed[:SHOWN]}` needs a value.", "Write it behind it.", flag.name)
    if flag.kind == "json":
        return _keys_fault(written, flag, version) if written.key else _json_fault(written, flag, version)
    return _type_fault(written, flag, version) or _choice_fault(written, flag, version)


def _switch_fault(written: Written, flag: Flag, version: Version) -> Refusal | None:
    if written.value is None or flag.negation(version) == "value":
        return None
    off = f"--no-{flag.name[2:]}" if flag.negation(version) == "yes" else None
    wants_off = written.value.lower() == "false"
    hint = f"Write `{off}`." if wants_off and off else "Leave it out." if wants_off else f"Write `{flag.name}` alone."
    error = f"`{written.typed[:SHOWN]}` takes no value, but `{written.value[:SHOWN]}` follows it."
    return fault("takes-no-value", error, hint, flag.name, value=written.value)


def _type_fault(written: Written, flag: Flag, version: Version) -> Refusal | None:
    kind, value = flag.kind.removesuffix("+"), written.value or ""
    if kind == "size" or flag.name in {"--max-model-len", "--max-num-batched-tokens"}:
        return _size_fault(flag, value, version)
    wrong = next((each for each in written.values if not _is(kind, each)), None)
    if wrong is not None:
        what = "a whole number" if kind == "int" else "a number"
        return _bad_type(flag, wrong, f"Give it {what}.")
    return _range_fault(flag, value)


def _is(kind: str, value: str) -> bool:
    if kind == "int":
        return re.fullmatch(r"\s*[+-]?\d[\d_]{0,30}\s*", value) is not None
    return kind != "float" or decimal(value) is not None


def _size_fault(flag: Flag, value: str, version: Version) -> Refusal | None:
    if flag.name == "--max-model-len" and (value.lower() == "auto" or value.strip() == "-1"):
        if version >= AUTO_CONTEXT:
            return None
        return _bad_type(flag, value, f"vLLM {version} has no automatic length: give it a number of tokens.")
    number = size(value)
    if number is None:
        return _bad_type(flag, value, "Write a number such as `16384`.")
    if version < HUMAN_SIZES and not value.strip().lstrip("+-").isdigit():
        return _bad_type(flag, value, f"vLLM {version} takes digits alone: `{number}`.")
    return _range_fault(flag, str(number))


def _bad_type(flag: Flag, value: str, hint: str) -> Refusal:
    return fault(
        "bad-type", f"`{value[:SHOWN]}` is not a value that `{flag.name}` reads.", hint, flag.name, value=value
    )


def _range_fault(flag: Flag, value: str) -> Refusal | None:
    number = decimal(value)
    if number is not None and flag.name in _SHARES and not 0 < number <= 1:
        share = f"`{number / 100:g}`" if 1 < number <= 100 else "`0.92`"
        return _out_of_range(flag, value, f"It is a share of the GPU's memory: {share}, for example.")
    if number is not None and flag.name in _AT_LEAST_ONE and number < 1:
        return _out_of_range(flag, value, "It must be at least 1.")
    return None


def _out_of_range(flag: Flag, value: str, hint: str) -> Refusal:
    return fault("bad-range", f"`{value[:SHOWN]}` is out of range for `{flag.name}`.", hint, flag.name, value=value)


def _choice_fault(written: Written, flag: Flag, version: Version) -> Refusal | None:
    choices = flag.choices_in(version)
    wrong = next((each for each in written.values if choices and each not in choices), None)
    if wrong is None or not flag.closed:
        return None
    return fault(
        "bad-choice",
        f"`{wrong[:SHOWN]}` is not a value of `{flag.name}` in vLLM {version}.",
        known_choices(wrong, choices),
        flag.name,
        value=wrong,
        choices=choices,
        version=version,
    )


def known_choices(typed: str, choices: tuple[str, ...]) -> str:
    """The choice that was probably meant, else the first of them."""
    from rapidfuzz import fuzz, process

    near = process.extractOne(typed[:SHOWN].lower(), choices, scorer=fuzz.ratio, score_cutoff=60)
    return f"Did you mean `{near[0]}`?" if near else f"Known are {', '.join(f'`{each}`' for each in choices[:12])}."


def _json_fault(written: Written, flag: Flag, version: Version) -> Refusal | None:
    value = written.value or ""
    if flag.name == "--limit-mm-per-prompt" and version < JSON_LIMITS:
        return None
    quoted = written.raw[:1] in {"'", '"'} or '"' not in written.raw
    if isinstance(read_json(value), (dict, list)):
        return _keys_fault(written, flag, version)
    if not quoted and isinstance(read_json(value, written.raw), (dict, list)):
        error = f"The shell takes the quotes out of `{written.raw[:SHOWN]}`."
        return fault("unquoted-json", error, f"Put single quotes around it: `{flag.name} '…'`.", flag.name)
    if isinstance(read_json(value), (int, float)) and flag.name == "--compilation-config":
        return None
    error = f"`{value[:SHOWN]}` behind `{flag.name}` is not JSON."
    return fault("bad-json", error, """Write an object such as `'{"key": 1}'`.""", flag.name, value=value)


def _keys_fault(written: Written, flag: Flag, version: Version) -> Refusal | None:
    """A key that the option's object has not got; only the outermost keys are looked at."""
    known = flags.json_keys(flag.name, version)
    given = read_json(written.value or "")
    keys = [written.key.split(".")[0].rstrip("+")] if written.key else list(given) if isinstance(given, dict) else []
    wrong = next((key for key in keys if known and key not in known), None)
    if wrong is None:
        return None
    error = f"`{wrong[:SHOWN]}` is not a key of `{flag.name}` in vLLM {version}."
    return fault(
        "unknown-key", error, known_choices(wrong, known), flag.name, key=wrong, choices=known, version=version
    )
