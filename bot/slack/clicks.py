"""Commands, menus, thumbs and shortcuts: what is answered through a response URL, for one person's eyes."""

from functools import partial
from hashlib import sha256
from typing import Any

from bot.answers.answer import Answer
from bot.answers.short import nearest_question
from bot.conversation import pick, reply
from bot.settings import Language
from bot.slack.answering import understood_of
from bot.slack.home import home
from bot.slack.incoming import Commanded, Done, HomeOpened, Picked, Pressed, Rated, Reached, Shortcut
from bot.slack.means import Means
from bot.slack.written import sentence, written
from bot.store.inbox import Received
from bot.store.outbox import Call
from bot.store.questions import Question
from bot.text.phrases import say
from bot.understand.language import detect
from bot.understand.understood import Fields
from bot.understand.wire import to_json

ASKING = frozenset(["ask", "fit"])  # the subcommands that only say that a question follows


async def handle(means: Means, received: Received, work: Done) -> str:
    """Does what was asked for and writes down what goes out; what became of it."""
    match work:
        case Commanded():
            return await _commanded(means, received, work)
        case Picked():
            return await _picked(means, received, work)
        case Rated():
            return await _rated(means, received, work)
        case Shortcut():
            return await _shortcut(means, received, work)
        case HomeOpened():
            return await _home_opened(means, work)
        case Pressed():
            return await _pressed(means, received, work)


async def _commanded(means: Means, received: Received, command: Commanded) -> str:
    """`/vllm …`: the answer, for the person alone. A first word that is no subcommand belongs to the question."""
    first, _, rest = command.text.partition(" ")
    text = rest.strip() if first.lower() in ASKING else command.text
    place = await means.places.of(command.channel)
    language = place.language
    if not text or text.lower() == "help":
        text, language = "help", await means.places.spoken(command.channel, command.user)
    if received.busy:
        return _say(means, received, command, say(await _spoken(means, command, text), "slack.busy"))
    answer = await means.thinking.about(partial(reply, text, language=language, settings=place.settings))
    key = f"slash-{sha256(command.trigger.encode()).hexdigest()[:16]}"
    with means.store.atomic():
        means.store.questions.add(
            Question(key=key, channel=command.channel, ts=None, thread="", user=command.user, text=text)
        )
        _keep(means, key, answer)
        _respond(means, received, command, written(answer, key))
    return "answered"


async def _picked(means: Means, received: Received, choice: Picked) -> str:
    """The answer with another model or card, in the place of the one that stands there."""
    question = means.store.questions.by_key(choice.question)
    earlier = understood_of(question) if question and not question.deleted else None
    if question is None or earlier is None:
        return _say(means, received, choice, say(await _spoken(means, choice), "slack.stale"))
    place = await means.places.of(choice.channel)
    chosen = {choice.menu: choice.value}
    answer = await means.thinking.about(partial(pick, earlier, place.settings, **chosen))
    if answer.refusal or answer.bug:
        return _say(means, received, choice, answer.text)
    with means.store.atomic():
        _keep(means, question.key, answer)
        content = written(answer, question.key, means.store.questions.revised(question.key))
        if choice.ephemeral:
            _respond(means, received, choice, {**content, "replace_original": True})
        else:
            body = {"ts": choice.ts, **content}
            means.store.outbox.add(f"pick:{received.id}", received.id, Call.UPDATE, choice.channel, body)
    return "picked"


async def _rated(means: Means, received: Received, opinion: Rated) -> str:
    """Keeps an opinion and thanks for it; the same one again changes nothing."""
    question = means.store.questions.by_key(opinion.question)
    language = await _spoken(means, opinion, language=question.language if question else None)
    with means.store.atomic():
        if not means.store.feedback.rate(opinion.question, opinion.user, opinion.value):
            return "rated before"
        _say(means, received, opinion, say(language, f"slack.{opinion.value}"), opinion.thread)
    return "rated"


async def _pressed(means: Means, received: Received, press: Pressed) -> str:
    """A button that is not the bot's, or no longer."""
    return _say(
        means, received, press, say(await _spoken(means, press), "slack.pressed"), getattr(press, "thread", None)
    )


async def _shortcut(means: Means, received: Received, used: Shortcut) -> str:
    """What the bot cannot do yet, and what it can."""
    language = await _spoken(means, used, used.text)
    offer = say(language, "short.offer", example=nearest_question(Fields(), language))
    return _say(means, received, used, f"{say(language, 'short.diagnose')}\n{offer}", used.thread)


async def _home_opened(means: Means, opened: HomeOpened) -> str:
    """The Home tab, in the person's language."""
    language = await means.places.spoken("", opened.user)
    await means.homes.publish_home(opened.user, home(language, (await means.places.of("")).settings))
    return "shown"


async def _spoken(means: Means, reached: Reached, text: str = "", *, language: str | None = None) -> Language:
    """The language for one sentence: that of the answer, of the channel, of the bot, of the text, of the person."""
    if language is not None:
        return "zh" if language == "zh" else "en"
    place = await means.places.of(reached.channel)
    chosen = place.language or place.settings.defaults.language
    if chosen is None and text:
        return "zh" if detect(text) == "zh" else "en"
    return chosen or await means.places.spoken(reached.channel, reached.user)


def _keep(means: Means, key: str, answer: Answer) -> None:
    means.store.questions.answered(key, to_json(answer.understood), answer.understood.language)


def _say(means: Means, received: Received, reached: Reached, plain: str, thread: str | None = None) -> str:
    content = sentence(plain) | {"replace_original": False} | ({"thread_ts": thread} if thread else {})
    _respond(means, received, reached, content)
    return "said"


def _respond(means: Means, received: Received, reached: Reached, content: dict[str, Any]) -> None:
    body = {"response_type": "ephemeral", **content}
    means.store.outbox.add(f"respond:{received.id}", received.id, Call.RESPOND, reached.respond, body)
