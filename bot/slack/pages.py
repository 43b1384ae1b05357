"""Buttons and subcommands that show a page: entries, how to measure one, the quiz, what to write next; and why an answer did not help."""

from hashlib import sha256

from bot.blocks import elements
from bot.settings import Language
from bot.sheet import Act
from bot.slack import charting, keeping
from bot.slack.answering import bug, shown
from bot.slack.incoming import Acted, Commanded, Explained, Rated, Reached
from bot.slack.means import Means
from bot.slack.reading import WHY
from bot.slack.responding import beside, respond, tell
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question as Wondered
from bot.slack.thought import Thought
from bot.slack.written import SEPARATOR, sentence
from bot.store.inbox import Received
from bot.store.outbox import Call
from bot.store.questions import Question
from bot.text.phrases import say

REASONS = ("wrong", "other-version", "other-question", "not-enough", "too-long")
KB = {"list": Act.LIST, "gaps": Act.GAPS, "show": Act.OPEN, "search": Act.SEARCH}
WITH_WORDS = frozenset([Act.OPEN, Act.SEARCH])
IN_PLACE = frozenset([Act.REVEAL, Act.KNEW, Act.MISSED, Act.QUIZ])  # they replace the message that they stand in
DOING = {Act.CHART: charting.pressed, Act.REMEMBER: keeping.pressed, Act.KEEP: keeping.chosen}
LANGUAGES: dict[str, Language] = {"en": "en", "english": "en", "zh": "zh", "中文": "zh"}


async def handle(means: Means, received: Received, work: Rated | Explained | Acted) -> str:
    """Does what a button or a menu of reasons says; what became of it."""
    match work:
        case Rated():
            return await rated(means, received, work)
        case Explained():
            return await explained(means, received, work)
        case Acted():
            return await acted(means, received, work)


async def quiz(means: Means, received: Received, command: Commanded, words: str) -> str:
    """`/vllm quiz [en|zh]`: a round in another order each time, behind the three questions that begin it."""
    language = LANGUAGES.get(words.strip().lower()) or await means.places.spoken(command.channel, command.user)
    seed = int(sha256(command.trigger.encode()).hexdigest()[:6], 16)
    return await _page(means, received, command, Act.QUIZ, str(seed), language)


async def knowledge(means: Means, received: Received, command: Commanded, words: str) -> str:
    """`/vllm kb list | show ID | search TEXT | gaps`; anything else is told what there is."""
    first, _, rest = words.strip().partition(" ")
    act, value = KB.get(first.lower()), rest.strip()
    language = await means.places.spoken(command.channel, command.user)
    if act is None or (act in WITH_WORDS and not value):
        return tell(means, received, command, say(language, "pages.kb_how"))
    return await _page(means, received, command, act, value, language)


async def acted(means: Means, received: Received, press: Acted) -> str:
    """What a button shows: in the place of what stands there, or beside it for the one who pressed."""
    question = means.store.questions.by_key(press.question)
    language = await spoken(means, press, question)
    if (does := DOING.get(press.act)) is not None:
        return await does(means, received, press, question, language)
    if press.act is Act.CHOOSE and (question is None or question.deleted):
        return tell(means, received, press, say(language, "slack.stale"), press.thread)
    try:
        thought = await _thought(means, press, press.act, press.value, language, press.question)
    except Thoughtless as fault:
        return tell(means, received, press, bug(fault, language), press.thread)
    if thought.refused or not (press.act is Act.CHOOSE or (press.act in IN_PLACE and press.ephemeral)):
        respond(means, received, press, beside(shown(thought), press.thread))
    elif press.ephemeral:
        respond(means, received, press, shown(thought) | {"replace_original": True})
    else:
        body = {"ts": press.ts, **shown(thought)}
        means.store.outbox.add(f"act:{received.id}", received.id, Call.UPDATE, press.channel, body)
    return press.act


async def rated(means: Means, received: Received, opinion: Rated) -> str:
    """Keeps an opinion and thanks for it, and asks for the reason of a bad one; the same one again changes nothing."""
    language = await spoken(means, opinion, means.store.questions.by_key(opinion.question))
    with means.store.atomic():
        if not means.store.feedback.rate(opinion.question, opinion.user, opinion.value):
            return "rated before"
        content = sentence(say(language, f"slack.{opinion.value}"))
        if opinion.value == "not-helpful":
            reasons = [(_reason(reason, language), reason) for reason in REASONS]
            menu = elements.select(WHY, say(language, "pages.why"), reasons)
            content["blocks"].append(elements.actions(SEPARATOR.join(("why", "0", opinion.question)), [menu]))
        respond(means, received, opinion, beside(content, opinion.thread))
    return "rated"


async def explained(means: Means, received: Received, why: Explained) -> str:
    """Keeps the reason and thanks for it, in the place of the menu."""
    language = await spoken(means, why, means.store.questions.by_key(why.question))
    with means.store.atomic():
        if why.reason not in REASONS or not means.store.feedback.explain(why.question, why.user, why.reason):
            return tell(means, received, why, say(language, "slack.pressed"))
        thanks = sentence(say(language, "pages.explained", reason=_reason(why.reason, language)))
        respond(means, received, why, thanks | {"replace_original": True})
    return "explained"


async def spoken(means: Means, reached: Reached, question: Question | None = None) -> Language:
    """The language of the answer that was clicked, else of the channel, else of the person."""
    if question is not None and question.language is not None:
        return "zh" if question.language == "zh" else "en"
    return await means.places.spoken(reached.channel, reached.user)


async def _page(means: Means, received: Received, reached: Reached, act: Act, value: str, language: Language) -> str:
    try:
        thought = await _thought(means, reached, act, value, language, f"page-{received.id}")
    except Thoughtless as fault:
        return tell(means, received, reached, bug(fault, language))
    respond(means, received, reached, shown(thought))
    return act


async def _thought(means: Means, reached: Reached, act: Act, value: str, language: Language, mark: str) -> Thought:
    place = await means.places.of(reached.channel)
    revision = means.store.questions.revised(mark)
    return await means.thinking.about(
        Wondered(
            number=0,
            act=act,
            direct=reached.user in place.settings.access.admins,
            value=value,
            language=language,
            settings=place.settings,
            mark=mark,
            revision=revision,
        )
    )


def _reason(reason: str, language: Language) -> str:
    return say(language, f"pages.why_{reason.replace('-', '_')}")
