"""From a name or a memory to the cards that it means."""

from knowledge.errors import Refusal
from knowledge.gpus.cards import Gpu, labelled, with_total
from knowledge.gpus.mentions import mentions, whole
from knowledge.gpus.names import candidates, nearest


def from_memory(name: str | None, gib: float | None = None, gb: float | None = None) -> Gpu:
    """A card from its memory: `gib` is the total as the driver reports it, `gb` the size it is sold with; `gib` wins.

    A `name` that is known lends its link, bandwidth and number formats; a listed card whose memory this is stays listed.
    Refuses when neither is given, or when it is not a memory that a card has.
    """
    size = gib if gib is not None else gb
    if size is None or not 1 <= size <= 2000:
        raise Refusal(
            "gpu-memory",
            f"`{'no memory' if size is None else f'{size:g} GB'}` is not a GPU's memory.",
            "Say how much memory one card has, for example `24` GB.",
            name=name,
        )
    base = _named(name, size)
    if gib is not None:
        return with_total(base, gib)
    return base


def _named(name: str | None, size: float) -> Gpu:
    """The card that `name` means at `size` (GB or GiB), or one computed from the size alone."""
    found = next((mention for mention in mentions(name or "") if mention.family), None)
    if found is not None:
        return candidates(found.name or found.family or "", size)[0]
    return labelled((name or f"{size:g} GB GPU").strip()[:60], size)


def find(text: str, memory_gb: float | None = None) -> tuple[Gpu, ...]:
    """The cards that `text` names, likeliest first: two for a bare A100. `memory_gb` is the size if it was said elsewhere.

    A memory that no listed card of that name has makes a computed card. Refuses an unknown name without a memory.
    """
    found = next(iter(mentions(text)), None) or whole(text)
    if found is None:
        return (_unknown(text, memory_gb),)
    if found.family is not None and memory_gb is not None:
        return candidates(found.name or found.family, memory_gb)
    if not found.gpus:
        raise Refusal(
            "gpu-memory-needed",
            f"`{text.strip()[:40]}` is not in the list of GPUs and comes with more than one memory size.",
            "Say its memory too, for example `24G`.",
            gpu=found.family,
        )
    return found.gpus


def _unknown(text: str, memory_gb: float | None) -> Gpu:
    if memory_gb is not None:
        return from_memory(text.strip() or None, gb=memory_gb)
    near = nearest(text)
    raise Refusal(
        "unknown-gpu",
        f"`{text.strip()[:40]}` is not a GPU that I know.",
        (f"Did you mean {' or '.join(f'`{name}`' for name in near)}? Or say" if near else "Say")
        + " how much memory it has, for example `24G`.",
        gpu=text.strip()[:40],
        near=near,
    )
