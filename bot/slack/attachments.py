"""Questions that come with files: the files are fetched, diagnosed and forgotten."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.settings import Language
from bot.slack.files import Unreadable
from bot.slack.incoming import Attached
from bot.slack.means import Means
from bot.slack.thought import Question, Thought
from bot.text.phrases import say


async def think_with(means: Means, question: Question, files: Sequence[Attached]) -> Thought:
    """The answer to a question with its files. Raises Unreadable, and Thoughtless where no answer comes."""
    if not files or means.files is None:
        return await means.thinking.about(question)
    with tempfile.TemporaryDirectory(prefix="tuning-bot-") as folder:
        paths = [await means.files.fetch(file, Path(folder)) for file in files]
        asked = question.model_copy(update={"files": tuple(str(path) for path in paths)})
        return await means.thinking.about(asked)


def why_not(fault: Unreadable, language: Language) -> str:
    """What a person is told about a file that could not be read."""
    return say(language, f"slack.file_{fault.why}", name=fault.name)
