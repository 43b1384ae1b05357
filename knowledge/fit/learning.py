"""Estimates that use what starts on the same host observed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from knowledge.errors import Refusal
from knowledge.fit.observed import Observed, minor, request_of
from knowledge.fit.plans import Subject, plan
from knowledge.memory.budget import budget
from knowledge.memory.learned import Learned, learned
from knowledge.units import GIB

SAME_CARD = 0.03  # of a card's memory: as much as the same card reports differently in different hosts
TERMS = {
    "weights": "weights_gib",
    "activation": "activation_gib",
    "non-torch": "non_torch_gib",
    "cuda-graphs": "graphs_gib",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A kept start and what it taught; it holds for launches of its version and layout."""

    observed: Observed
    learned: Learned

    def holds_for(self, version: str, tp: int, pp: int) -> bool:
        """Whether it speaks of such a launch."""
        return (minor(version), tp, pp) == (minor(self.observed.version), self.observed.tp, self.observed.pp)


def taught(subject: Subject, kept: Iterable[Observed]) -> Subject:
    """The subject with every lesson about its model that was kept."""
    lessons = [lesson for each in kept if _about(each, subject) and (lesson := _lesson(each, subject))]
    return replace(subject, lessons=tuple(lessons)) if lessons else subject


def _about(observed: Observed, subject: Subject) -> bool:
    """Whether the start was of this model, stored like this, on such a card.

    A start that speculated says nothing of one that does not: which draft it had is not kept.
    """
    total = subject.gpu.total_gib.expected
    stored = subject.shape.quantization.label if subject.shape.quantization else None
    return (
        observed.model == subject.shape.model_id
        and (observed.speculative is None or subject.speculation is not None)
        and observed.stored_as in (None, stored or "bf16")
        and abs(observed.total_gib - total) <= SAME_CARD * total
    )


def _as_started(observed: Observed, subject: Subject) -> Subject:
    """The subject as it was then: without a draft model where there was none."""
    return replace(subject, lessons=(), speculation=subject.speculation if observed.speculative else None)


def _lesson(observed: Observed, subject: Subject) -> Lesson | None:
    """None where the start cannot be computed again: of a model that is not listed any more, a layout that is refused."""
    try:
        launch = plan(request_of(observed), _as_started(observed, subject)).launch
    except Refusal:
        return None
    per_gpu = budget(launch).per_gpu
    predicted = {
        "weights": per_gpu.weights.expected,
        "activation": per_gpu.activation.expected,
        "non-torch": per_gpu.non_torch.expected,
        "cuda-graphs": per_gpu.cuda_graphs.expected,
    }
    told = {term: getattr(observed, name) for term, name in TERMS.items()}
    found = learned(
        launch,
        observed.total_gib * GIB,
        observed.kv_gib * GIB,
        {term: size * GIB for term, size in predicted.items()},
        {term: size * GIB for term, size in told.items() if size is not None},
    )
    return Lesson(observed=observed, learned=found)
