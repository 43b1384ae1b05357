"""What an attempt knows about itself while it runs, and what it says."""

import time
from collections.abc import Callable

from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order, Progress, Step
from runners.jobs.job import State
from runners.measuring.failure import Failure
from runners.results.fingerprint import Fingerprint

Tell = Callable[[Progress], None]


class Session:
    """The state of one attempt. `notes` are sentences for the result, `commands` the calls of the bench, `unclean` what could not be
    removed. `tell` is given all progress so far at every step, and about twice a second while requests run.
    """

    def __init__(self, order: Order, folder: Folder, around: Surroundings, tell: Tell) -> None:
        self.order, self.folder, self.around = order, folder, around
        self.spec = order.spec
        self.notes: list[str] = []
        self.commands: list[tuple[str, ...]] = []
        self.serve_command: tuple[str, ...] = ()
        self.fingerprint: Fingerprint | None = None
        self.unclean: Failure | None = None
        self._tell = tell
        self._progress = folder.progress()
        self._before = folder.spent()
        self._begun = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds that the run has taken, those before a restart of the agent included."""
        return self._before + time.monotonic() - self._begun

    def step(self, state: State, **detail: object) -> None:
        """Reports a state that was reached; the same one again, for the same repeat, is not reported twice."""
        last = self._progress.steps[-1] if self._progress.steps else None
        if last is not None and last.state is state and last.detail == detail:
            return
        reached = Step(state=state, at=self.around.clock(), detail=detail)
        self._progress = Progress(steps=(*self._progress.steps, reached))
        self.folder.keep_progress(self._progress)
        self.folder.keep_state(spent=self.spent, prompts=self.folder.prompts())
        self._tell(self._progress)

    def count(self, done: int, total: int) -> None:
        """Reports how many of a repeat's requests have ended."""
        self._progress = Progress(steps=self._progress.steps, done=done, total=total)
        self._tell(self._progress)

    def note(self, sentence: str) -> None:
        """Keeps a sentence for the result, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)
