"""Questions that are messages: asked, changed, taken back."""

from functools import partial
from typing import Any

from bot.answers.answer import Answer
from bot.conversation import context_after, reply
from bot.settings import Language
from bot.slack.incoming import Asked, Deleted, Edited, Message, Said
from bot.slack.means import Means
from bot.slack.places import Place
from bot.slack.written import sentence, written
from bot.store.inbox import Received
from bot.store.outbox import Call
from bot.store.questions import Question
from bot.store.store import Store
from bot.text.phrases import say
from bot.understand.language import detect
from bot.understand.understood import Intent, Understood
from bot.understand.wire import from_json, to_json

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
    match work:
        case Asked():
            return await _asked(means, received, work)
        case Edited():
            return await _edited(means, received, work)
        case Deleted():
            return _deleted(means, received, work)


async def _asked(means: Means, received: Received, message: Message) -> str:
    """Answers a message where it was written. What became of it."""
    question = means.store.questions.at(message.channel, message.ts)
    if question is None or question.deleted:
        return "deleted"
    if question.understood is not None:
        return "answered before"
    return await _answer(means, received, message, question)


async def _edited(means: Means, received: Received, message: Message) -> str:
    """Changes the answer to what the question is now."""
    question = means.store.questions.at(message.channel, message.ts)
    if question is None or question.deleted:
        return "deleted"
    if question.understood is not None and question.text == message.text:
        return "unchanged"
    return await _answer(means, received, message, question)


def _deleted(means: Means, received: Received, gone: Deleted) -> str:
    """Takes the answer back."""
    question = means.store.questions.at(gone.channel, gone.ts)
    if question is None or question.answer_ts is None:
        return "no answer"
    means.store.outbox.add(f"delete:{question.key}", received.id, Call.DELETE, gone.channel, {"ts": question.answer_ts})
    return "deleted"


async def _answer(means: Means, received: Received, message: Message, question: Question) -> str:
    place = await means.places.of(message.channel)
    if received.busy:
        _put(means.store, received, message, question, sentence(say(_language(place, message.text), "slack.busy")))
        return "busy"
    earlier = earlier_of(means.store, question)
    think = partial(reply, message.text, earlier=earlier, language=place.language, settings=place.settings)
    answer = await means.thinking.about(think)
    if not (message.direct or message.addressed or question.answer_ts) and _small_talk(answer):
        return "silent"
    known = to_json(context_after(answer, earlier))
    with means.store.atomic():
        means.store.questions.answered(question.key, known, answer.understood.language, message.text)
        revision = means.store.questions.revised(question.key) if question.answer_ts else 0
        _put(means.store, received, message, question, written(answer, question.key, revision))
    return "answered"


def earlier_of(store: Store, question: Question) -> Understood | None:
    """What the thread's last question before this one was understood as."""
    before = store.questions.before(question.channel, question.thread, question.ts or "")
    return understood_of(before) if before else None


def understood_of(question: Question) -> Understood | None:
    """What a question was understood as; None when it never was, or another version of the bot wrote it down."""
    try:
        return from_json(question.understood or "null")
    except (ValueError, KeyError, TypeError):
        return None


def _small_talk(answer: Answer) -> bool:
    """What people say to each other in a thread where the bot has spoken."""
    return answer.understood.intent is Intent.DECLINE


def _language(place: Place, text: str) -> Language:
    spoken = detect(text)
    return place.language or place.settings.defaults.language or ("en" if spoken == "other" else spoken)


def _put(store: Store, received: Received, message: Message, question: Question, content: dict[str, Any]) -> None:
    """Writes the answer down: over the one that stands, else as a new message."""
    if question.answer_ts:
        body = {"ts": question.answer_ts, **content}
        store.outbox.add(
            f"update:{question.key}:{received.id}",
            received.id,
            Call.UPDATE,
            message.channel,
            body,
            question=question.key,
        )
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
