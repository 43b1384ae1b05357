"""Whether a launch starts, whether the requests fit at once, and which term decides."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from knowledge.fit.builds import refused_by
from knowledge.fit.plans import Plan
from knowledge.memory.budget import Budget, budget
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.pages import CacheLayout, cache_layout
from knowledge.units import Range
from knowledge.versions import Version

# PR 38270: full CUDA graphs need a state block for each of max_num_seqs; seen refusing in 0.23 to 0.28, in the sources of 0.32.0.
CHECKS_STATE_BLOCKS = Version(0, 19)


NEARLY_ALL = 0.8  # of the budget: what is left then is less than the other terms usually take

SEVERITY = (Verdict.FITS, Verdict.UNCERTAIN, Verdict.DOES_NOT_FIT)


@dataclass(frozen=True)
class Weighed:
    """A plan with its memory budget and its pages, and what follows from them."""

    plan: Plan
    budget: Budget
    pages: CacheLayout

    @cached_property
    def fits(self) -> Verdict:
        """Whether `vllm serve --max-model-len CONTEXT` starts."""
        if self.beyond_model:
            return Verdict.DOES_NOT_FIT
        return worst(self._judge(self.starts), *(check.verdict for check in self.budget.outside))

    @property
    def beyond_model(self) -> bool:
        """Whether more context is asked than the model itself has: vLLM refuses that without any arithmetic."""
        return self.plan.context > self.plan.launch.shape.max_context

    @cached_property
    def fits_all(self) -> Verdict:
        """Whether the asked number of requests fits at once, each at full length; no better than whether it starts."""
        return worst(self.fits, self._judge(lambda kv_bytes: self.starts(kv_bytes) and self.holds_all(kv_bytes)))

    @property
    def overall(self) -> Verdict:
        """The worse of the two, as far as both were asked."""
        return self.fits if self.plan.request.concurrency is None else self.fits_all

    def starts(self, kv_bytes: float) -> bool:
        """Whether vLLM starts with that much cache: one request of the asked length fits, and the state blocks suffice."""
        if not self.pages.groups:
            return kv_bytes > 0
        return self.pages.fits_one(int(kv_bytes), self.plan.context) and self.has_state_blocks(kv_bytes)

    def has_state_blocks(self, kv_bytes: float) -> bool:
        """Whether a hybrid has the block a sequence that the capture of full CUDA graphs insists on."""
        launch = self.plan.launch
        if not self.pages.state_bytes_per_sequence or launch.enforce_eager or launch.version < CHECKS_STATE_BLOCKS:
            return True
        return launch.max_num_seqs <= self.pages.blocks(int(kv_bytes))

    def holds_all(self, kv_bytes: float) -> bool:
        """Whether all requests fit, each wholly on one data parallel rank."""
        if not self.pages.groups:
            return True
        at_once = int(self.pages.concurrency(int(kv_bytes), self.plan.context))
        return at_once * self.plan.launch.dp >= self.plan.concurrency

    @cached_property
    def limiting(self) -> Limiting:
        """The term that decides; none when everything asked fits on every GPU."""
        if self.beyond_model:
            return Limiting.MODEL_LIMIT
        if self.fits is not Verdict.FITS:
            return self._limiting_start()
        if self.overall is not Verdict.FITS:
            return Limiting.KV_CACHE
        return Limiting.PARALLELISM if self.plan.layout.awkward else Limiting.NONE

    @property
    def deciding(self) -> str:
        """The term to look up or measure: of the check beyond the budget that is unsure, else the budget's least known."""
        if self.fits is Verdict.UNCERTAIN and self._judge(self.starts) is Verdict.FITS:
            return next(check.code for check in self.budget.outside if check.verdict is Verdict.UNCERTAIN)
        return self.budget.deciding

    def _limiting_start(self) -> Limiting:
        """What stops a start, or might: the weights before all, then an unusable count, then the first check that fails."""
        if self.budget.binding is Limiting.WEIGHTS and not self._sized_by_hand:
            return Limiting.WEIGHTS
        if self.plan.layout.awkward:
            return Limiting.PARALLELISM
        if self._judge(self.starts) is not self.fits:
            return next(check.limiting for check in self.budget.outside if check.verdict is self.fits)
        decisive = self.kv.high if self.fits is Verdict.DOES_NOT_FIT else self.kv.low
        if self.pages.groups and self.pages.fits_one(int(decisive), self.plan.context):
            return Limiting.STATE_BLOCKS
        return Limiting.KV_CACHE if self._sized_by_hand else self._binding()

    def _binding(self) -> Limiting:
        """The budget's term; the weights where they take nearly all, whichever small term then happens to be the last straw."""
        binding, per_gpu = self.budget.binding, self.budget.per_gpu
        heavy = per_gpu.weights.expected >= NEARLY_ALL * per_gpu.budget.expected
        return Limiting.WEIGHTS if heavy and binding is not Limiting.KV_CACHE else binding

    @property
    def _sized_by_hand(self) -> bool:
        return self.plan.launch.kv_cache_memory_gib is not None

    @property
    def kv(self) -> Range:
        """Bytes of KV cache on one GPU."""
        return self.budget.kv_bytes

    def _judge(self, fits: Callable[[float], bool]) -> Verdict:
        if fits(self.kv.low):
            return Verdict.FITS
        return Verdict.UNCERTAIN if fits(self.kv.high) else Verdict.DOES_NOT_FIT


def refused(weighed: Weighed) -> bool:
    """Whether vLLM refuses to load the weights on the card, whatever its memory."""
    return refused_by(weighed.plan.launch.shape, weighed.plan.launch.gpu)


def worst(*verdicts: Verdict) -> Verdict:
    """The worst of several: one that does not fit outweighs an uncertain one."""
    return max(verdicts, key=SEVERITY.index)


def weigh(plan: Plan) -> Weighed:
    """The plan with its budget and its pages."""
    lesson = plan.subject.lesson_for(plan.launch)
    return Weighed(plan, budget(plan.launch, lesson.learned if lesson else None), cache_layout(plan.launch))
