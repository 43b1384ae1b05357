"""Taking sqlite-utils without numpy, which it imports where it is installed for types that no table here has."""

import importlib
import sys
from typing import Any


def take_lightly() -> None:
    """Imports it once for the process, which is 12 MiB smaller for it; numpy can be imported as ever afterwards."""
    modules: dict[str, Any] = sys.modules
    if "numpy" in modules:
        return
    modules["numpy"] = None  # an import of it raises ImportError, which sqlite-utils is prepared for
    try:
        importlib.import_module("sqlite_utils")
    finally:
        del modules["numpy"]
