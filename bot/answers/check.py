"""Whether a pasted `vllm serve` command starts: its options first, for that version, then the memory."""

from dataclasses import dataclass, replace

from bot.answers.short import refusal_sheet
from bot.sheet import Sheet, Tone
from bot.text.phrases import say
from bot.text.refusals import kind_sentence
from bot.understand.understood import Understood
from knowledge import catalogue
from knowledge.commands import faults, pasted
from knowledge.errors import Refusal
from knowledge.fit.words import quantization_label
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, parse

# Methods whose checkpoints must be made before: vllm/model_executor/layers/quantization of 0.32.0, without those made while loading.
STORED = frozenset({"awq", "awq_marlin", "gptq", "gptq_marlin", "compressed-tensors", "modelopt", "modelopt_fp4"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of a command's options: what stops a start, and what is only worth saying."""

    version: Version
    stops: tuple[Refusal, ...]
    notes: tuple[Refusal, ...]


def checked_flags(understood: Understood, version: str | None) -> Checked:
    """The command's options under `version`, within the tables' ends; None is the version that answers are for."""
    used = min(max(parse(version) if version else DEFAULT, OLDEST), NEWEST)
    command = pasted.parse(understood.text)
    found = faults.check(command, used) if command else faults.Faults((), ())
    unfit = _not_so_stored(understood) if command else ()
    told = {fault.error for fault in (*found.stops, *found.notes)}
    also = tuple(problem for problem in understood.problems if problem.error not in told)
    return Checked(version=used, stops=(*found.stops, *unfit, *also), notes=found.notes)


def _not_so_stored(understood: Understood) -> tuple[Refusal, ...]:
    """--quantization names how a checkpoint is stored, but for what vLLM makes while loading; of a listed one that is known."""
    said, model_id = understood.flags.get("--quantization"), understood.fields.model_id
    if not isinstance(said, str) or said.lower() not in STORED or model_id not in catalogue.ids():
        return ()
    shape = catalogue.find(model_id)
    if shape.quantization is not None:
        return ()
    builds = [each for each in catalogue.variants(model_id) if label_of_id(each) == quantization_label(said)]
    do = f"Serve `{builds[0]}`, or leave" if builds else "Serve a checkpoint that is stored so, or leave"
    return (
        Refusal(
            "not-so-stored",
            f"`--quantization {said}` does not fit `{model_id}`, whose weights are not quantised.",
            f"{do} --quantization out.",
            flag="--quantization",
            model=model_id,
            builds=builds[:1],
        ),
    )


def label_of_id(model_id: str) -> str | None:
    """How a listed checkpoint is stored, by the contract's word."""
    quantization = catalogue.find(model_id).quantization
    return quantization.label if quantization else None


def check_sheet(understood: Understood, found: Checked, memory: Sheet | Refusal) -> Sheet:
    """The answer: options that stop a start do so whatever the memory is; then what `memory` says of it."""
    language = understood.language
    about = refusal_sheet(memory, language) if isinstance(memory, Refusal) else memory
    notes = tuple(kind_sentence(note, language) for note in found.notes)
    if not found.stops:
        return replace(about, notes=(*notes, *about.notes))
    return replace(
        about,
        lead=say(
            language, "check.wrong-flags", version=found.version, flags=list(dict.fromkeys(map(_subject, found.stops)))
        ),
        tone=Tone.BAD,
        points_title=say(language, "check.title-problems"),
        points=tuple(kind_sentence(stop, language) for stop in found.stops),
        command_title=say(language, "check.title-command"),
        notes=(say(language, "check.memory", sentence=about.lead), *notes, *about.notes),
        feedback=True,
    )


def _subject(stop: Refusal) -> str:
    """The option that is wrong, else what the sentence quotes first."""
    quoted = stop.error.split("`")[1:2]
    return str(stop.facts.get("flag") or (quoted or [stop.code])[0])
