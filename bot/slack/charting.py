"""Memory charts in the thread of an answer: at most one for each, on a click or, where the channel wants it, unasked."""

import logging

from bot.charts.png import NotDrawn, drawn_later
from bot.settings import Language
from bot.sheet import Act
from bot.slack.calls import CallFailed, Unclear
from bot.slack.incoming import Acted
from bot.slack.means import Means, Uploads
from bot.slack.responding import tell
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question as Wondered
from bot.slack.thought import Thought
from bot.store.charts import Drawn
from bot.store.inbox import Received
from bot.store.outbox import Call, Outgoing
from bot.store.questions import Question
from bot.text.phrases import say

log = logging.getLogger(__name__)


async def pressed(means: Means, received: Received, press: Acted, question: Question | None, language: Language) -> str:
    """The chart of the answer under which the button stands; a sentence where there will be none."""
    if press.ephemeral:
        return tell(means, received, press, say(language, "charts.alone"), press.thread)
    if question is None or question.deleted or question.understood is None:
        return tell(means, received, press, say(language, "slack.stale"), press.thread)
    drawn = await _chart(means, question, press.thread or press.ts)
    if drawn is None:
        return "charted"
    phrase = "charts.there" if drawn is Drawn.THERE else "charts.failed"
    return tell(means, received, press, say(language, phrase), press.thread)


async def unasked(means: Means, answer: Outgoing) -> None:
    """The chart under an answer that went out, in channels that want it. What goes wrong is said on a click only."""
    offered = any(
        str(element.get("action_id", "")).startswith(Act.CHART)
        for block in answer.body.get("blocks") or ()
        for element in block.get("elements") or ()
    )
    if not offered or answer.call not in {Call.POST, Call.UPDATE} or not (await means.places.of(answer.target)).chart:
        return
    question = means.store.questions.by_key(answer.question or "")
    if question is not None and not question.deleted and question.understood and question.answer_ts:
        await _chart(means, question, question.thread or question.answer_ts)


async def _chart(means: Means, question: Question, thread: str) -> Drawn | None:
    """Draws and uploads; None when it is there now, else what was known of it before, or NO where it failed."""
    assert question.understood is not None
    before = means.store.charts.begin(question.key, question.understood)
    if before is not Drawn.NO:
        return before
    try:
        files = await _uploaded(means, question)
        assert means.uploads is not None
        await means.uploads.share(question.channel, thread, files)
    except (CallFailed, NotDrawn, Thoughtless) as fault:
        log.warning("the chart of %s did not arrive: %r", question.key, fault)
        if not isinstance(fault, Unclear):
            means.store.charts.drop(question.key, question.understood)
        return Drawn.NO
    means.store.charts.there(question.key, question.understood)
    return None


async def _uploaded(means: Means, question: Question) -> dict[str, str]:
    """The pictures, which nobody sees yet: titles by id. Raises NotDrawn, CallFailed and Thoughtless."""
    thought = await _thought(means, question)
    if means.uploads is None or not thought.charts:
        raise NotDrawn("there is nothing to draw")
    files = {}
    for chart in thought.charts:
        picture = await drawn_later(chart.bar.encode())
        files[await _upload(means.uploads, picture, chart.told)] = chart.told.partition("\n")[0]
    return files


async def _upload(uploads: Uploads, picture: bytes, told: str) -> str:
    try:
        return await uploads.upload("memory.png", picture, told)
    except Unclear as fault:
        raise CallFailed from fault  # an upload that is not shared is nothing


async def _thought(means: Means, question: Question) -> Thought:
    place = await means.places.of(question.channel)
    asked = Wondered(number=0, act=Act.CHART, earlier=question.understood, settings=place.settings, mark=question.key)
    return await means.thinking.about(asked)
