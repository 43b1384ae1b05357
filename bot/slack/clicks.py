"""Commands, menus, thumbs and shortcuts: what is answered through a response URL, for one person's eyes."""

import re
from hashlib import sha256

from bot.settings import Language
from bot.slack import attachments, channel_settings, pages
from bot.slack.answering import bug, language_of, shown
from bot.slack.files import Unreadable
from bot.slack.home import home
from bot.slack.incoming import (
    Acted,
    Commanded,
    Done,
    Explained,
    HomeOpened,
    Picked,
    Pressed,
    Rated,
    Reached,
    Shortcut,
)
from bot.slack.means import Means
from bot.slack.places import Place
from bot.slack.responding import respond, tell
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question as Wondered
from bot.store.inbox import Received
from bot.store.outbox import Call
from bot.store.questions import Question
from bot.text.phrases import say

ASKING = frozenset(["ask", "fit"])  # the subcommands that only say that a question follows
COUNT = re.compile(r"--count[ =]+(\d+)")  # the one option of `tuning-bot fit` that a sentence would not have
DIAGNOSE = "diagnose"  # the one that a log follows


SHOWING = {"quiz": pages.quiz, "kb": pages.knowledge, "settings": channel_settings.settings}


async def handle(means: Means, received: Received, work: Done) -> str:
    """Does what was asked for and writes down what goes out; what became of it."""
    match work:
        case Commanded():
            return await _commanded(means, received, work)
        case Picked():
            return await _picked(means, received, work)
        case Rated() | Explained() | Acted():
            return await pages.handle(means, received, work)
        case Shortcut():
            return await _shortcut(means, received, work)
        case HomeOpened():
            return await _home_opened(means, work)
        case Pressed():
            return await _pressed(means, received, work)


async def _commanded(means: Means, received: Received, command: Commanded) -> str:
    """`/vllm …`: the answer, for the person alone. A first word that is no subcommand belongs to the question."""
    first, _, rest = command.text.partition(" ")
    if (shows := SHOWING.get(first.lower())) is not None:
        return await shows(means, received, command, rest)
    if first.lower() == DIAGNOSE and not rest.strip():
        spoken = await means.places.spoken(command.channel, command.user)
        return tell(means, received, command, say(spoken, "slack.diagnose_how"))
    place = await means.places.of(command.channel)
    language, text, log = place.language, command.text, False
    if first.lower() in ASKING or first.lower() == DIAGNOSE:
        text, log = COUNT.sub(r"\1 GPUs", rest.strip()), first.lower() == DIAGNOSE
    if not text or text.lower() == "help":
        text, language = "help", await means.places.spoken(command.channel, command.user)
    key = f"slash-{sha256(command.trigger.encode()).hexdigest()[:16]}"
    asked = Question(key=key, channel=command.channel, ts=None, thread="", user=command.user, text=text)
    wondered = Wondered(number=0, text=text, log=log, language=language, settings=place.settings, mark=key)
    return await _whispered(means, received, command, asked, wondered)


async def _shortcut(means: Means, received: Received, used: Shortcut) -> str:
    """“Diagnose this log”: the diagnosis, for the person alone and in their language."""
    place = await means.places.of(used.channel)
    key = f"log-{received.id}"
    language = await means.places.spoken(used.channel, used.user)
    asked = Question(key=key, channel=used.channel, ts=None, thread="", user=used.user, text=used.text)
    wondered = Wondered(number=0, text=used.text, log=True, language=language, settings=place.settings, mark=key)
    try:
        return await _whispered(means, received, used, asked, wondered, used.thread)
    except Unreadable as fault:
        return tell(means, received, used, attachments.why_not(fault, language), used.thread)


async def _whispered(
    means: Means,
    received: Received,
    reached: Reached,
    asked: Question,
    wondered: Wondered,
    thread: str | None = None,
) -> str:
    if received.busy:
        return tell(means, received, reached, say(_language(wondered), "slack.busy"), thread)
    try:
        files = reached.files if isinstance(reached, Shortcut) else ()
        thought = await attachments.think_with(means, wondered, files)
    except Thoughtless as fault:
        return tell(means, received, reached, bug(fault, _language(wondered)), thread)
    with means.store.atomic():
        means.store.questions.add(asked)
        means.store.questions.answered(asked.key, thought.known, thought.language, started=thought.started)
        respond(means, received, reached, shown(thought) | ({"thread_ts": thread} if thread else {}))
    return "answered"


async def _picked(means: Means, received: Received, choice: Picked) -> str:
    """The answer with another model or card, in the place of the one that stands there."""
    question = means.store.questions.by_key(choice.question)
    if question is None or question.deleted or question.understood is None:
        return tell(means, received, choice, say(await pages.spoken(means, choice), "slack.stale"))
    place = await means.places.of(choice.channel)
    wondered = Wondered(
        number=0,
        earlier=question.understood,
        settings=place.settings,
        mark=question.key,
        revision=means.store.questions.revised(question.key),
        menu=choice.menu,
        value=choice.value,
    )
    try:
        thought = await means.thinking.about(wondered)
    except Thoughtless as fault:
        return tell(means, received, choice, bug(fault, await pages.spoken(means, choice, question)))
    if thought.refused:
        respond(means, received, choice, shown(thought) | {"replace_original": False})
        return "refused"
    with means.store.atomic():
        means.store.questions.answered(question.key, thought.known, thought.language)
        if choice.ephemeral:
            respond(means, received, choice, shown(thought) | {"replace_original": True})
        else:
            body = {"ts": choice.ts, **shown(thought)}
            means.store.outbox.add(f"pick:{received.id}", received.id, Call.UPDATE, choice.channel, body)
    return "picked"


async def _pressed(means: Means, received: Received, press: Pressed) -> str:
    """A button that is not the bot's, or no longer."""
    return tell(means, received, press, say(await pages.spoken(means, press), "slack.pressed"), press.thread)


async def _home_opened(means: Means, opened: HomeOpened) -> str:
    """The Home tab, in the person's language."""
    language = await means.places.spoken("", opened.user)
    await means.homes.publish_home(opened.user, home(language, (await means.places.of("")).settings))
    return "shown"


def _language(wondered: Wondered) -> Language:
    return wondered.language or language_of(Place(wondered.settings, None), wondered.text)
