"""What is said beside the answer: a pasted secret, speed and cost that only a measurement tells, another language."""

from dataclasses import replace

from bot.sheet import Sheet
from bot.text.phrases import say
from bot.understand.understood import Aside, Understood

MODEL = "MODEL"  # stands in a command for the served model's name when none was said
OUTPUT, PROMPTS, INPUT = 256, 200, 1024  # tokens, requests, tokens: a first measurement that takes minutes


def with_asides(sheet: Sheet, understood: Understood, model_id: str | None) -> Sheet:
    """`sheet` with everything that `understood.asides` asks for: a secret first, speed and cost after the verdict, how to measure last."""
    language = understood.language
    said = [say(language, f"short.{aside}") for aside in (Aside.SPEED, Aside.COST) if aside in understood.asides]
    how = "\n".join((say(language, "short.measure"), bench_command(understood, model_id)))
    before = [
        say(language, f"short.{aside}".replace("-", "_"))
        for aside in (Aside.SECRET, Aside.OTHER_LANGUAGE)
        if aside in understood.asides
    ]
    lead = "\n".join([*before, sheet.lead, *said[:1]])
    return replace(sheet, lead=lead, notes=(*sheet.notes, *([how] if said else [])))


def measured_sheet(understood: Understood, model_id: str | None) -> Sheet:
    """The whole answer to a question about nothing but speed or cost."""
    aside = Aside.SPEED if Aside.SPEED in understood.asides else Aside.COST
    language = understood.language
    return Sheet(
        lead=say(language, f"short.{aside}"),
        command_title=say(language, "short.measure"),
        command=bench_command(understood, model_id),
    )


def bench_command(understood: Understood, model_id: str | None) -> str:
    """`vllm bench serve` (from 0.8.0) for the asked context and concurrency, against a server on its usual port."""
    fields = understood.fields
    tokens = max((fields.context_tokens or INPUT + OUTPUT) - OUTPUT, 1)
    at_once = f" --max-concurrency {fields.concurrency}" if fields.concurrency else ""
    return (
        f"vllm bench serve --model {model_id or MODEL} --dataset-name random --random-input-len {tokens}"
        f" --random-output-len {OUTPUT} --num-prompts {PROMPTS}{at_once}"
    )
