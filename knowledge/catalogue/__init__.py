"""The listed models, and finding the one that a name, a folder or a hub id means."""

from knowledge.catalogue.aliases import aliases
from knowledge.catalogue.find import common, find, ids, resolve
from knowledge.catalogue.names import normalise
from knowledge.catalogue.variants import variants, with_quantization

__all__ = ["aliases", "common", "find", "ids", "normalise", "resolve", "variants", "with_quantization"]
