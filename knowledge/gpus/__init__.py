"""GPUs: what the driver really reports, and the names that people type."""

from knowledge.gpus.cards import Gpu, Link, all_gpus, with_total
from knowledge.gpus.lookup import find, from_memory
from knowledge.gpus.mentions import Mention, mentions

__all__ = ["Gpu", "Link", "Mention", "all_gpus", "find", "from_memory", "mentions", "with_total"]
