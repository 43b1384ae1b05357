"""From one message to what it asks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.understand import asks, fold, pasted, secrets, threads, topics
from bot.understand.command_line import said_by
from bot.understand.intents import ESTIMATES, Wanted, decide
from bot.understand.language import detect, wordy
from bot.understand.model_sizes import billions
from bot.understand.parts import Part, split
from bot.understand.reading import read, settle
from bot.understand.threads import Before
from bot.understand.understood import Aside, Fields, Intent, Language, Understood

if TYPE_CHECKING:
    from knowledge.commands.pasted import PastedCommand

LONGEST = 40_000  # characters that are looked at: what Slack delivers
_OWN = 1_600  # of a person's own words, at each end of a long text


def understand(
    text: str,
    *,
    earlier: Understood | None = None,
    language: Language | None = None,
    default_model: str | None = None,
) -> Understood:
    """What `text` asks. Never raises; what cannot be is told in `problems`.

    `earlier` is the last Understood of the thread: a message that goes on with it changes what it names and keeps the rest, and in any
    case `fields` hold what the thread has said. `language` overrules the message's own. `default_model` (an id) is put into `fields`
    only where the text points at it (“our model”, its size); otherwise assuming it is the answer's business.
    """
    masked, secret = secrets.mask(text[:LONGEST])
    shown = fold.plain(masked)
    found = pasted.part(shown)
    own = fold.narrow(_ends(found.own))
    spoken, asides = _language(own or shown[:_OWN], earlier, language)
    common = _Message(shown, spoken, asides + ((Aside.SECRET,) if secret else ()), earlier, default_model)
    if found.log:
        return common.diagnose(own)
    if found.command is not None:
        return common.check(own, found.command)
    return common.ask(own)


@dataclass(frozen=True, slots=True)
class _Message:
    """What holds for every part of one message."""

    text: str
    language: Language
    asides: tuple[Aside, ...]
    earlier: Understood | None
    default_model: str | None

    @property
    def before(self) -> Before:
        """What the thread has said."""
        earlier = self.earlier
        return _before(earlier) if earlier else Before()

    def diagnose(self, own: str) -> Understood:
        """A pasted log: what the person wrote beside it says more, what the log says is read elsewhere."""
        reading = read(own, self.default_model)
        fields, options = threads.carry(settle(reading, Intent.DIAGNOSE), reading.options, self.before)
        return self._understood(Part(own, reading, Wanted(Intent.DIAGNOSE)), Intent.DIAGNOSE, fields, options)

    def check(self, own: str, command: "PastedCommand") -> Understood:
        """A pasted command: its flags say the fields, the words around it say the rest."""
        before = said_by(command)
        reading = read(own, self.default_model)
        wanted = decide(own, reading, known=before.fields)
        cured = wanted.intent not in ESTIMATES and topics.trouble(reading.asked) > 0
        known = wanted.intent is Intent.KNOWLEDGE and wanted.asked
        intent = Intent.KNOWLEDGE if cured or known else Intent.CHECK_COMMAND
        fields, options = threads.inherit(reading, intent, before)
        return replace(self._understood(Part(own, reading, wanted), intent, fields, options), flags=command.flags)

    def ask(self, own: str) -> Understood:
        """The person's own words and nothing else."""
        known = self.before.fields
        known = replace(known, model_id=known.model_id or self.default_model)
        reading = read(own, self.default_model)
        whole = Part(own, reading, decide(own, reading, known=known))
        parts = split(own, whole, known)
        found = [self._first(parts[0])]
        for part in parts[1:]:
            found.append(self._next(part, found[-1]))
        if len(found) == 1:
            return found[0]
        found = [_filled(each, found[index + 1 :]) for index, each in enumerate(found)]
        return replace(
            found[0], parts=tuple(replace(each, text=part.text) for each, part in zip(found, parts, strict=True))
        )

    def _first(self, part: Part) -> Understood:
        before, wanted = self.before, part.wanted
        if threads.continues(part.text, part.reading, wanted, before):
            intent = threads.intent_of(wanted, part.reading, before)
            found = self._understood(part, intent, *threads.inherit(part.reading, intent, before))
            return _sized(found, before)
        fields, options = settle(part.reading, wanted.intent), part.reading.options
        if wanted.intent not in ESTIMATES:
            fields, options = threads.carry(fields, options, before)
        return self._understood(part, wanted.intent, fields, options)

    def _next(self, part: Part, previous: Understood) -> Understood:
        before = _before(previous)
        intent = part.wanted.intent
        if intent in ESTIMATES or not part.wanted.asked:
            intent = threads.intent_of(part.wanted, part.reading, before)
        return _sized(self._understood(part, intent, *threads.inherit(part.reading, intent, before)), before)

    def _understood(self, part: Part, intent: Intent, fields: Fields, options: dict[str, Any]) -> Understood:
        return Understood(
            text=self.text,
            language=self.language,
            intent=intent,
            fields=fields,
            model_size_b=billions(part.reading.size) if part.reading.size and fields.model_id is None else None,
            options=options,
            asides=self.asides + _wishes(part, intent),
            decline=part.wanted.decline if intent is Intent.DECLINE else None,
            problems=part.reading.problems if intent in ESTIMATES else (),
        )


def _before(understood: Understood) -> Before:
    return Before(understood.fields, understood.options, understood.intent, understood.model_size_b)


def _sized(understood: Understood, before: Before) -> Understood:
    """A size stands until a model is named."""
    kept = understood.model_size_b or before.size
    return replace(understood, model_size_b=kept if understood.fields.model_id is None else None)


def _wishes(part: Part, intent: Intent) -> tuple[Aside, ...]:
    """Speed and cost, where they are asked beside an estimate."""
    if intent not in ESTIMATES:
        return ()
    text = fold.lower(part.text)
    return tuple(
        aside for aside, pattern in ((Aside.SPEED, asks.SPEED), (Aside.COST, asks.COST)) if pattern.search(text)
    )


def _filled(part: Understood, later: list[Understood]) -> Understood:
    """A part whose model or card is named only after it."""
    fields = part.fields
    for other in later:
        if fields.model_id is None and other.fields.model_id is not None:
            fields = replace(
                fields, model_id=other.fields.model_id, weight_quant=fields.weight_quant or other.fields.weight_quant
            )
        if (
            fields.gpu is None
            and fields.gpu_mem_gb is None
            and part.intent not in (Intent.WHICH_GPU, Intent.KV_PER_TOKEN)
        ):
            count = None if part.intent is Intent.HOW_MANY_GPUS else fields.count or other.fields.count
            fields = replace(fields, gpu=other.fields.gpu, gpu_mem_gb=other.fields.gpu_mem_gb, count=count)
    return replace(part, fields=fields)


def _ends(text: str) -> str:
    """A long text's beginning and end, where a person's own question stands."""
    return text if len(text) <= 2 * _OWN else f"{text[:_OWN]}\n{text[-_OWN:]}"


def _language(own: str, earlier: Understood | None, said: Language | None) -> tuple[Language, tuple[Aside, ...]]:
    spoken = detect(own)
    asides = (Aside.OTHER_LANGUAGE,) if spoken == "other" else ()
    if said is not None:
        return said, asides
    if earlier is not None and spoken == "en" and not wordy(own):
        return earlier.language, asides
    return ("en" if spoken == "other" else spoken), asides
