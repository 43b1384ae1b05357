"""Memory terms corrected by what a start on the same host observed."""

from dataclasses import dataclass

from knowledge.launch import Launch
from knowledge.units import GIB, Range

# From one start of a group to another of its model, version, layout and card, 60 pairs in six groups of public logs: within 0.01 GiB
# where only the context differs (54 pairs), within 0.06 GiB where the utilisation does as well.
SAME_START = 0.06 * GIB  # bytes
GROWN = 0.25  # of what a term is larger or smaller than in the observed start: how wrong the change may be
UNLOGGED = (
    "activation",
    "non-torch",
    "cuda-graphs",
)  # who is given what the logged terms leave unexplained: the first not logged

Batch = tuple[int, int, bool]


def batch_of(launch: Launch) -> Batch:
    """What the profiling run and the graphs depend on, beside the model: sequences, tokens, and whether there are graphs."""
    return (launch.max_num_seqs, launch.max_num_batched_tokens, launch.enforce_eager)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What one start taught, for launches of the same model, version and layout. Bytes on one GPU.

    `predicted` is what the terms would have been without it, `offset` how much more they were; `total` what torch reports there.
    `logged` are the terms that the start's log had. What they leave unexplained is among the others, and is carried over to
    launches with the same `batch` only.
    """

    total: float
    batch: Batch
    logged: frozenset[str]
    predicted: dict[str, float]
    offset: dict[str, float]

    def applied(self, terms: dict[str, Range], launch: Launch) -> dict[str, Range]:
        """The terms of a launch, moved by what was observed; as wide as the launch differs from the observed one."""
        same = batch_of(launch) == self.batch
        return {name: self._moved(name, term) if same or name in self.logged else term for name, term in terms.items()}

    def _moved(self, name: str, term: Range) -> Range:
        """A term that is smaller than in the observed start keeps its share of the offset: most errors are of a factor."""
        before, offset = self.predicted[name], self.offset[name]
        kept = min(1.0, term.expected / before) if before > 0 else 1.0
        expected = max(0.0, term.expected + offset * kept)
        error = SAME_START / 2 + GROWN * abs(term.expected - before) + abs(offset) * (1 - kept) / 2
        return Range(max(0.0, expected - error), expected, expected + error)


def learned(
    launch: Launch, total: float, kv: float, predicted: dict[str, float], observed: dict[str, float]
) -> Learned:
    """From the terms that a start of `launch` logged (`observed`, those that it did), its KV cache and total; bytes on one GPU."""
    offset = {name: observed.get(name, expected) - expected for name, expected in predicted.items()}
    rest = total * launch.utilization - kv - sum(observed.get(name, predicted[name]) for name in predicted)
    carrier = next((name for name in UNLOGGED if name not in observed), "non-torch")
    offset[carrier] += rest
    return Learned(
        total=total,
        batch=batch_of(launch),
        logged=frozenset(observed),
        predicted=dict(predicted),
        offset=offset,
    )
