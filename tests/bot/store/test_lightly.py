"""The store's library comes without numpy, which stays there for who needs it."""

import subprocess
import sys

import pytest

CHECK = """
import sys
{before}
from bot.store.lightly import take_lightly
take_lightly()
import sqlite_utils.db
assert sqlite_utils.db.np is {expected}
assert ("numpy" in sys.modules) is {loaded}
import numpy
"""


@pytest.mark.parametrize(
    ("before", "expected", "loaded"),
    [("", "None", "False"), ("import numpy", "numpy", "True")],
    ids=["at first", "where numpy is there already"],
)
def test_numpy_is_left_alone(before: str, expected: str, loaded: str) -> None:
    pytest.importorskip("numpy")
    script = CHECK.format(before=before, expected=expected, loaded=loaded)
    subprocess.run([sys.executable, "-c", script], check=True)
