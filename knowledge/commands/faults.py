"""What is wrong with a pasted command for a version of vLLM: what stops its start, and what is only worth saying.

Codes, each with the option as `flag`: unknown-flag, ambiguous-flag, flag-gone, flag-not-yet, cannot-negate, short-name,
needs-value, takes-no-value, bad-type, bad-choice, bad-range, bad-json, unquoted-json, unknown-key, no-model, module-model, needs-flag,
batch-below-seqs, batch-below-context; and without stopping it: flag-deprecated, flag-ignored, odd-choice, given-twice,
without-lora, ignored-beside, model-by-flag, unknown-variable, variable-gone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.commands.pasted import PastedCommand
from knowledge.commands.value_faults import SHOWN, fault, known_choices, value_fault
from knowledge.commands.words import Written
from knowledge.errors import Refusal
from knowledge.releases import flags, variables
from knowledge.releases.flags import Flag
from knowledge.versions import V1_DEFAULT, Version, chunked_prefill

MOST = 200  # options that are looked at
LEVELS = Version(0, 6, 5)  # -O3


@dataclass(frozen=True, slots=True)
class Faults:
    """`stops` keep vLLM from starting, `notes` do not. Each is one sentence, and one on what to do."""

    stops: tuple[Refusal, ...]
    notes: tuple[Refusal, ...]


def check(command: PastedCommand, version: Version) -> Faults:
    """Everything wrong with the command for that version, in its order; then what is wrong between options."""
    stops: list[Refusal] = []
    notes: list[Refusal] = []
    for written in command.written[:MOST]:
        option = _unabbreviated(written, version)
        found = _option_fault(option, version) or value_fault(option, version)
        if found is not None:
            stops.append(found)
        else:
            notes += _option_notes(option, version)
    stops += _between(command, version)
    notes += [*_twice(command), *_beside(command), *_variables(command, version)]
    return Faults(tuple(stops), tuple(notes))


def _unabbreviated(written: Written, version: Version) -> Written:
    """A beginning of one option's name stands for it, as argparse reads it."""
    if written.flag is not None or not written.typed.startswith("--") or len(written.typed) < 4:
        return written
    meant = flags.beginning(written.typed, version)
    return replace(written, flag=meant[0]) if len(meant) == 1 else written


def _option_fault(written: Written, version: Version) -> Refusal | None:
    flag, typed = written.flag, written.typed[:SHOWN]
    if flag is None:
        return _unknown(written, version)
    if re.match(r"-O", typed) and version >= LEVELS:
        return None
    if not flag.known_in(version):
        return _absent(flag, typed, version)
    if written.negated and flag.negation(version) != "yes":
        return fault(
            "cannot-negate",
            f"`{typed}` cannot be switched off that way in vLLM {version}.",
            f"Write `{flag.name}=false`." if flag.negation(version) == "value" else "Leave it out.",
            flag.name,
            version=version,
        )
    if not typed.startswith("--") and not flag.spelt_in(typed.partition(".")[0], version):
        return fault(
            "short-name",
            f"`{typed}` is not a short name in vLLM {version}.",
            f"Write `{flag.name}`.",
            flag.name,
            version=version,
        )
    return None


def _unknown(written: Written, version: Version) -> Refusal:
    typed = written.typed[:SHOWN]
    meant = flags.beginning(written.typed, version) if len(written.typed) >= 4 else ()
    if len(meant) > 1:
        names = [flag.name for flag in meant[:4]]
        hint = f"Write one of {', '.join(f'`{name}`' for name in names)}."
        return fault("ambiguous-flag", f"`{typed}` could be more than one option.", hint, typed, near=names)
    near = flags.nearest(written.typed, version)
    hint = f"Did you mean `{near}`?" if near else "Leave it out."
    return fault("unknown-flag", f"`{typed}` is not an option of vLLM.", hint, typed, near=near, version=version)


def _absent(flag: Flag, typed: str, version: Version) -> Refusal:
    instead = flags.replacement(flag.name, version)
    hint = _instead(flag, instead)
    facts = {"version": version, "since": flag.since, "until": flag.until, "instead": instead}
    if version < flag.since:
        error = f"`{typed}` came with vLLM {flag.since}; {version} does not have it."
        return fault("flag-not-yet", error, hint, flag.name, **facts)
    return fault("flag-gone", f"`{typed}` was removed after vLLM {flag.until}.", hint, flag.name, **facts)


def _instead(flag: Flag, instead: str | None) -> str:
    """What to do about an option that a version lacks: its successor may be its opposite."""
    if instead is None:
        return "Leave it out."
    if flag.name.startswith("--disable-") and instead.startswith("--enable-"):
        return f"Leave it out: that is the default, and `{instead}` switches it on."
    return f"Use `{instead}`."


def _option_notes(written: Written, version: Version) -> Iterator[Refusal]:
    flag = written.flag
    if flag is None:
        return
    instead = _instead(flag, flag.instead)
    if flag.ignored and flag.ignored <= version:
        error = f"`{flag.name}` does nothing since vLLM {flag.ignored}."
        yield fault("flag-ignored", error, instead, flag.name, since=flag.ignored, instead=flag.instead)
    elif flag.deprecated and flag.deprecated <= version:
        error = f"`{flag.name}` is deprecated since vLLM {flag.deprecated}."
        yield fault("flag-deprecated", error, instead, flag.name, since=flag.deprecated, instead=flag.instead)
    choices = flag.choices_in(version)
    if not flag.closed and choices and not written.unknown:
        for odd in (each for each in written.values if each not in choices):
            error = f"`{odd[:SHOWN]}` is no value of `{flag.name}` that vLLM {version} itself brings."
            hint = known_choices(odd, choices)
            yield fault("odd-choice", error, hint, flag.name, value=odd, choices=choices)


def _between(command: PastedCommand, version: Version) -> Iterator[Refusal]:
    """What no option says alone."""
    said = command.flags
    if command.program == "module" and command.model is None:
        yield fault("module-model", "No `--model` is named.", "The module takes its model by `--model ID`.", "--model")
    if said.get("--enable-auto-tool-choice") is True and not said.get("--tool-call-parser"):
        error = "`--enable-auto-tool-choice` needs `--tool-call-parser`."
        yield fault("needs-flag", error, "Name the parser that fits the model.", "--tool-call-parser")
    yield from _batch_faults(command, version)


def _batch_faults(command: PastedCommand, version: Version) -> Iterator[Refusal]:
    """vllm/config/scheduler.py: a batch holds every sequence, and without chunked prefill a whole prompt."""
    batched, seqs = command.options.get("max_num_batched_tokens"), command.options.get("max_num_seqs")
    context = command.options.get("context")
    if batched is None:
        return
    if seqs is not None and batched < seqs:
        error = f"`--max-num-batched-tokens {batched}` is below `--max-num-seqs {seqs}`."
        yield fault("batch-below-seqs", error, "Raise the one or lower the other.", "--max-num-batched-tokens")
    asked = command.flags.get("--enable-chunked-prefill")
    chunked = asked is True or (asked is None and chunked_prefill(version, context or 0))
    if context is not None and batched < context and not chunked:
        error = f"`--max-num-batched-tokens {batched}` is below `--max-model-len {context}` without chunked prefill."
        hint = (
            "Raise it, or let prompts be split."
            if version >= V1_DEFAULT
            else "Raise it, or add `--enable-chunked-prefill`."
        )
        yield fault("batch-below-context", error, hint, "--max-num-batched-tokens")


def _twice(command: PastedCommand) -> Iterator[Refusal]:
    seen: dict[str, Written] = {}
    for written in command.written:
        before = seen.get(written.name)
        seen[written.name] = written
        repeats = written.flag is not None and (written.key or written.name == "--middleware")
        if before is not None and not repeats and (before.values, before.negated) != (written.values, written.negated):
            error = f"`{written.name}` is given twice."
            yield fault("given-twice", error, "The last one counts; keep one.", written.name)


def _beside(command: PastedCommand) -> Iterator[Refusal]:
    said = command.flags
    if "--max-lora-rank" in said and said.get("--enable-lora") is not True:
        error = "`--max-lora-rank` does nothing without `--enable-lora`."
        yield fault("without-lora", error, "Add `--enable-lora` or leave it out.", "--max-lora-rank")
    if "--kv-cache-memory-bytes" in said and "--gpu-memory-utilization" in said:
        error = "`--gpu-memory-utilization` does not size the KV cache beside `--kv-cache-memory-bytes`."
        yield fault("ignored-beside", error, "Keep the one that you mean.", "--gpu-memory-utilization")
    if command.model_by_flag and command.program == "serve":
        error = "`vllm serve` takes its model as the first argument; `--model` still works and warns."
        yield fault("model-by-flag", error, f"Write `vllm serve {(command.model or '')[:SHOWN]}`.", "--model")
    if command.model is None and command.program == "serve":
        error = "No model is named, so `vllm serve` loads its own small example."
        yield fault("no-model", error, "Write the model behind `vllm serve`.", "--model")


def _variables(command: PastedCommand, version: Version) -> Iterator[Refusal]:
    for name in command.environment:
        if not name.startswith("VLLM_"):
            continue
        known = variables.lookup(name)
        if known is None:
            near = variables.nearest(name)
            hint = f"Did you mean `{near}`?" if near else "Leave it out."
            yield fault(
                "unknown-variable", f"`{name[:SHOWN]}` is not a variable that vLLM reads.", hint, name, near=near
            )
        elif not known.known_in(version):
            hint = f"Use `{known.instead}`." if known.instead and version > known.since else "Leave it out."
            error = f"`{name}` is not read by vLLM {version}."
            yield fault("variable-gone", error, hint, name, until=known.until, instead=known.instead)
