"""Questions that are messages: asked, changed, taken back."""

from typing import Any

from bot.bugs import report
from bot.settings import Language
from bot.sheet import Act
from bot.slack import attachments, requested
from bot.slack.files import Unreadable
from bot.slack.incoming import Asked, Deleted, Edited, Message, Said
from bot.slack.means import Means
from bot.slack.places import Place
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question as Wondered
from bot.slack.thought import Thought
from bot.slack.written import sentence
from bot.store.inbox import Received
from bot.store.outbox import Call
from bot.store.questions import Question
from bot.store.store import Store
from bot.text.phrases import say
from bot.understand.language import detect

EVENT = "tuning_bot_answer"  # the metadata's event_type


def key_of(channel: str, ts: str) -> str:
    """The key of the question that a message is."""
    return f"{channel}-{ts}"


def question_at(message: Message) -> Question:
    """The row of a message that may be a question."""
    thread = message.thread or ("" if message.direct else message.ts)
    return Question(
        key=key_of(message.channel, message.ts),
        channel=message.channel,
        ts=message.ts,
        thread=thread,
        user=message.user,
        text=message.text,
    )


def question_gone(gone: Deleted) -> Question:
    """The row that remembers that a message was deleted."""
    key = key_of(gone.channel, gone.ts)
    return Question(key=key, channel=gone.channel, ts=gone.ts, thread=gone.thread or "", user="", text="")


async def handle(means: Means, received: Received, work: Said) -> str:
    """Does what a message asks for and writes down what goes out; what became of it."""
    if isinstance(work, Deleted):
        return _deleted(means, received, work)
    question = means.store.questions.at(work.channel, work.ts)
    if question is None or question.deleted:
        return "deleted"
    if question.understood is not None and (isinstance(work, Asked) or question.text == work.text):
        return "answered before"
    return await _answer(means, received, work, question)


def _deleted(means: Means, received: Received, gone: Deleted) -> str:
    """Takes the answer back."""
    question = means.store.questions.at(gone.channel, gone.ts)
    if question is None or question.answer_ts is None:
        return "no answer"
    key, body = f"delete:{question.key}", {"ts": question.answer_ts}
    means.store.outbox.add(key, received.id, Call.DELETE, gone.channel, body)
    return "deleted"


async def _answer(means: Means, received: Received, message: Message, question: Question) -> str:
    """Answers a message where it was written, over the answer that stands there."""
    place = await means.places.of(message.channel)
    if received.busy:
        busy = say(language_of(place, message.text), "slack.busy")
        _put(means.store, received, message, question, sentence(busy))
        return "busy"
    before = means.store.questions.before(question.channel, question.thread, message.ts)
    revision = means.store.questions.revised(question.key)
    act, value = requested.page_in(message.text) or (None, "")
    language = language_of(place, message.text) if act else place.language
    wondered = Wondered(
        number=0,
        text=message.text,
        earlier=before.understood if before else None,
        language=await _for_files(means, message) if message.files and not message.text else language,
        settings=place.settings,
        act=act,
        direct=message.direct and message.user in place.settings.access.admins,
        value=message.ts.partition(".")[0] if act is Act.QUIZ else value,  # another order each time
        mark=question.key,
        revision=revision,
    )
    try:
        thought = await attachments.think_with(means, wondered, message.files)
    except Unreadable as fault:
        told = attachments.why_not(fault, wondered.language or language_of(place, message.text))
        _put(means.store, received, message, question, sentence(told))
        return "unreadable"
    except Thoughtless as fault:
        _put(means.store, received, message, question, sentence(bug(fault, language_of(place, message.text))))
        return "no thought"
    if thought.small_talk and not (message.direct or message.addressed or question.answer_ts):
        return "silent"  # what people say to each other in a thread where the bot has spoken
    with means.store.atomic():
        means.store.questions.answered(
            question.key, thought.known, thought.language, message.text, started=thought.started
        )
        _put(means.store, received, message, question, shown(thought))
    return "answered"


async def _for_files(means: Means, message: Message) -> Language:
    """The language for files without a word beside them."""
    return await means.places.spoken(message.channel, message.user)


def shown(thought: Thought) -> dict[str, Any]:
    """An answer as a message."""
    return {"text": thought.text, "blocks": thought.blocks}


def bug(fault: Exception, language: Language) -> str:
    """What a person is told when there is no answer because of a fault of ours."""
    return f"{report(fault).sentence(language)}\n{say(language, 'short.bug_hint')}"


def language_of(place: Place, text: str) -> Language:
    """The language for a sentence about a message: the channel's, the bot's, the message's own."""
    own: Language = "zh" if detect(text) == "zh" else "en"
    return place.language or place.settings.defaults.language or own


def _put(store: Store, received: Received, message: Message, question: Question, content: dict[str, Any]) -> None:
    """Writes the answer down: over the one that stands, else as a new message."""
    if question.answer_ts:
        key, body = f"update:{question.key}:{received.id}", {"ts": question.answer_ts, **content}
        store.outbox.add(key, received.id, Call.UPDATE, message.channel, body, question=question.key)
        return
    key = f"answer:{question.key}" + (f":{received.id}" if isinstance(message, Edited) else "")
    thread = message.thread or (None if message.direct else message.ts)
    body = {
        **content,
        **({"thread_ts": thread} if thread else {}),
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": {"event_type": EVENT, "event_payload": {"key": key}},
    }
    store.outbox.add(key, received.id, Call.POST, message.channel, body, question=question.key)
