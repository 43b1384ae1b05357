"""Which option of `vllm serve` which version has. Expected values: the argument parsers in vLLM's sources."""

import pytest

from knowledge import flags
from knowledge.versions import Version


@pytest.mark.parametrize(
    ("name", "version", "known"),
    [
        pytest.param("--max-model-len", Version(0, 4), True, id="always there"),
        pytest.param("--swap-space", Version(0, 17), True, id="last seen in 0.17.1"),
        pytest.param("--swap-space", Version(0, 32), False, id="gone in 0.18"),
        pytest.param("--kv-cache-memory-bytes", Version(0, 9), False, id="new in 0.10.2"),
        pytest.param("--kv-cache-memory-bytes", Version(0, 10, 2), True, id="in 0.10.2"),
        pytest.param("--no-enable-prefix-caching", Version(0, 32), True, id="negated"),
        pytest.param("-tp", Version(0, 32), True, id="short"),
        pytest.param("--max_model_len", Version(0, 32), True, id="with underscores"),
    ],
)
def test_an_option_by_version(name: str, version: Version, known: bool) -> None:
    flag = flags.lookup(name)
    assert flag is not None
    assert flag.known_in(version) is known


def test_an_option_that_is_gone_names_its_successor() -> None:
    gone = flags.lookup("--speculative-model")
    assert gone is not None
    assert (gone.until, gone.instead) == (Version(0, 8, 2), "--speculative-config.model")


def test_an_invented_option_is_found_by_nobody_but_has_a_nearest_one() -> None:
    assert flags.lookup("--max-model-length") is None
    assert flags.nearest("--max-model-length", Version(0, 32)) == "--max-model-len"
    assert flags.nearest("--qqqqqqqqqqqq", Version(0, 32)) is None
