"""The listed models, and finding the one that a name, a folder or a hub id means."""

from knowledge.catalogue.commonly import common
from knowledge.catalogue.lookup import find, ids, is_folder, keep_to_folders, open_hub, resolve
from knowledge.catalogue.names import normalise
from knowledge.catalogue.quantised import variants, with_quantization
from knowledge.catalogue.short_names import aliases

__all__ = [
    "aliases",
    "common",
    "find",
    "ids",
    "is_folder",
    "keep_to_folders",
    "normalise",
    "open_hub",
    "resolve",
    "variants",
    "with_quantization",
]
