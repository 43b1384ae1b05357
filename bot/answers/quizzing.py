"""A round of the quiz, one step after the other: what has happened so far travels in the buttons, so nothing is kept for it."""

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.settings import Language
from bot.sheet import Act, Button, Sheet
from bot.text.phrases import say
from knowledge.entries.loading import find
from knowledge.quiz import Question, named, round_of, shown

ROUND = 10  # questions
MOST = 50


class Standing(BaseModel):
    """Where a round stands: its order by `seed`, the question at `place` (counted from 0), and the entries of those missed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language
    seed: int
    count: int
    place: int
    question: str
    missed: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """Questions before this one that were known."""
        return self.place - len(self.missed)


def begin(language: Language, seed: int, count: int = ROUND) -> Sheet:
    """The first question of a round."""
    deck = round_of(min(count, MOST), seed)
    return _question(Standing(language=language, seed=seed, count=len(deck), place=0, question=deck[0].id))


def step(act: Act, value: str, language: Language) -> Sheet:
    """What follows a press; a kind line where the question is no longer asked."""
    try:
        standing = Standing.model_validate_json(value)
    except ValidationError:
        return Sheet(lead=say(language, "quiz.gone"), feedback=False)
    question = named(standing.question)
    if question is None:
        return Sheet(lead=say(standing.language, "quiz.gone"), feedback=False)
    if act is Act.REVEAL:
        return _answer(standing, question)
    return _next(standing, question, knew=act is Act.KNEW)


def _question(standing: Standing) -> Sheet:
    language = standing.language
    question = named(standing.question)
    assert question is not None
    return Sheet(
        lead=shown(question, language).ask,
        notes=(say(language, "quiz.think"),),
        assumed=_progress(standing),
        buttons=(Button(Act.REVEAL, say(language, "quiz.reveal"), standing.model_dump_json()),),
        feedback=False,
    )


def _answer(standing: Standing, question: Question) -> Sheet:
    language, value = standing.language, standing.model_dump_json()
    found = shown(question, language)
    return Sheet(
        lead=found.ask,
        notes=(found.answer,),
        assumed=_progress(standing),
        sources=say(language, "quiz.read_title", title=found.title),
        buttons=(
            Button(Act.KNEW, say(language, "quiz.knew"), value),
            Button(Act.MISSED, say(language, "quiz.did_not"), value),
        ),
        feedback=False,
    )


def _next(standing: Standing, question: Question, *, knew: bool) -> Sheet:
    deck = round_of(standing.count, standing.seed)
    missed = standing.missed if knew else (*standing.missed, question.entry)
    place = standing.place + 1
    if place >= len(deck):
        return _finished(standing.model_copy(update={"missed": missed, "place": place}))
    return _question(standing.model_copy(update={"missed": missed, "place": place, "question": deck[place].id}))


def _finished(standing: Standing) -> Sheet:
    """The score, the entries worth reading, and another round."""
    language = standing.language
    worth = [find(entry) for entry in dict.fromkeys(standing.missed)]
    return Sheet(
        lead=say(language, "quiz.finished", known=standing.known, answered=standing.place),
        points_title=say(language, "quiz.missed") if worth else "",
        points=tuple(entry.text(language).title for entry in worth),
        buttons=(
            *(Button(Act.OPEN, entry.text(language).title, entry.id) for entry in worth),
            Button(Act.QUIZ, say(language, "quiz.again"), str(standing.seed + 1)),
        ),
        feedback=False,
    )


def _progress(standing: Standing) -> str:
    language = standing.language
    place = say(language, "quiz.question", place=standing.place + 1, total=standing.count)
    return f"{place} · {say(language, 'quiz.score', known=standing.known, answered=standing.place)}"
