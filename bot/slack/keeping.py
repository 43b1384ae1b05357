"""“Remember for a host”: what a start-up log observed is kept, and estimates for that host use it."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

from bot.blocks import elements
from bot.settings import Language
from bot.sheet import Act
from bot.slack.incoming import Acted
from bot.slack.means import Means
from bot.slack.responding import beside, respond, tell
from bot.slack.written import SEPARATOR, sentence
from bot.store.inbox import Received
from bot.store.questions import Question
from bot.text.figures import gib
from bot.text.phrases import say

NAME = re.compile(r"[\w.-]{1,100}")
TERMS = {
    "weights": "weights_gib",
    "activation": "activation_gib",
    "non_torch": "non_torch_gib",
    "cuda_graphs": "graphs_gib",
    "kv_cache": "kv_gib",
}


async def pressed(means: Means, received: Received, press: Acted, question: Question | None, language: Language) -> str:
    """Asks for the host: a menu of those in the settings, else a field to write its name into."""
    if question is None or question.started is None:
        return tell(means, received, press, say(language, "diagnosis/general.start_gone"), press.thread)
    content = sentence(say(language, "diagnosis/general.which_host"))
    content["blocks"].append(_choice(means, press.question, language))
    respond(means, received, press, beside(content, press.thread))
    return press.act


async def chosen(means: Means, received: Received, press: Acted, question: Question | None, language: Language) -> str:
    """Keeps it, and says what was kept in the place of the menu."""
    if question is None or question.started is None:
        return tell(means, received, press, say(language, "diagnosis/general.start_gone"), press.thread)
    host = press.value.strip()
    hosts = {each.name for each in means.places.settings.hosts}
    if host not in hosts and (hosts or not NAME.fullmatch(host)):
        return tell(means, received, press, say(language, "diagnosis/general.bad_host"), press.thread)
    try:
        told = _keep(means, question.started, host, language)
    except OSError:
        return tell(means, received, press, say(language, "diagnosis/general.start_unwritten"), press.thread)
    respond(means, received, press, sentence(told) | {"replace_original": True})
    return "kept"


def _choice(means: Means, key: str, language: Language) -> elements.Block:
    hosts = [(host.name, host.name) for host in means.places.settings.hosts]
    block, action = SEPARATOR.join(("hosts", "0", key)), f"{Act.KEEP}.0"
    if hosts:
        return elements.actions(block, [elements.select(action, say(language, "diagnosis/general.host_menu"), hosts)])
    return elements.entered(block, action, say(language, "diagnosis/general.host_name"))


def _keep(means: Means, started: str, host: str, language: Language) -> str:
    """What is said of what was kept. Raises OSError."""
    from bot.answers.remembering import keep_for
    from knowledge.fit.observed import FILE_NAME, Observed, ObservedFile

    path = means.observed or Path(means.places.settings.store.path).parent / FILE_NAME
    at = datetime.fromtimestamp(time.time(), UTC)
    observed = Observed.model_validate_json(started).model_copy(update={"host": host, "at": at})
    told = keep_for(observed, language, ObservedFile(path))
    figures = [
        f"{say(language, f'diagnosis/general.term_{term}')} {gib(value)}"
        for term, field in TERMS.items()
        if (value := getattr(observed, field)) is not None
    ]
    how = say(language, "diagnosis/general.remembered_how", figures=figures, host=host, model=observed.model)
    return f"{told}\n{how}"
