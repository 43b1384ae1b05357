"""Recurrent states: how large they are on one GPU, and how vLLM keeps them beside attention's pages."""

from knowledge.launch import Launch
from knowledge.shapes.layers import RecurrentState
from knowledge.versions import Version

IN_THE_POOL = Version(
    0, 10, 2
)  # before, hybrids ran on the old engine, which kept max_num_seqs states outside the pool
PREFIX_CACHED = Version(0, 28)  # hybrids cache prefixes by default, which keeps the last state and the one before it
COUNTS_DRAFTS = Version(0, 15)  # a state for each speculative token enters a request's pages
LENGTHENED_BY_DRAFTS = frozenset({"mamba2", "gdn", "kda", "short_conv"})


def state_bytes(state: RecurrentState, tp: int, speculative_tokens: int = 0) -> int:
    """Bytes of one sequence's state in one layer on one of `tp` GPUs."""
    return sum(
        _part_elements(state, index, tp, speculative_tokens) * size for index, (_, size) in enumerate(state.parts)
    )


def _part_elements(state: RecurrentState, index: int, tp: int, speculative_tokens: int) -> int:
    elements = state.parts[index][0]
    if index:
        return elements // tp
    grouped = state.groups * state.group_elements
    held = state.groups // tp if state.groups % tp == 0 else 1
    share = (elements - grouped) // tp + held * state.group_elements
    if state.kind in LENGTHENED_BY_DRAFTS:
        return share * (state.conv_tokens + speculative_tokens) // state.conv_tokens
    return share


def speculative_tokens(launch: Launch) -> int:
    """Draft tokens a step, 0 without speculation."""
    return launch.speculation.tokens if launch.speculation else 0


def caches_prefixes(launch: Launch) -> bool:
    """Whether a hybrid's prefixes are cached: as stated, else that version's default."""
    return launch.version >= PREFIX_CACHED if launch.prefix_caching is None else launch.prefix_caching


def state_pages(launch: Launch, *, hybrid: bool) -> int:
    """Pages that a sequence's state takes: the running one, with prefix caching its predecessor, one for each draft token."""
    cached = hybrid and caches_prefixes(launch)
    drafts = speculative_tokens(launch) if launch.version >= COUNTS_DRAFTS else 0
    return 1 + cached + drafts


def state_block_size(launch: Launch, attention_block: int | None) -> int:
    """Tokens that a state is counted for: attention's block when prefixes are cached, else the whole length."""
    if attention_block and caches_prefixes(launch):
        return attention_block
    return launch.max_model_len
