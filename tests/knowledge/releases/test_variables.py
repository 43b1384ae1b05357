import pytest

from knowledge.releases import flags, variables
from knowledge.versions import NEWEST, OLDEST, parse


@pytest.mark.parametrize("name", variables.names())
def test_every_row_reads_well(name: str) -> None:
    variable = variables.lookup(name)
    assert variable is not None
    assert OLDEST <= variable.since <= (variable.until or NEWEST) <= NEWEST
    assert variable.default(variable.since) is not None
    if variable.instead:
        assert flags.lookup(variable.instead) is not None


def test_465_variables_are_known() -> None:
    assert len(variables.names()) == 465


@pytest.mark.parametrize(
    ("name", "version", "known"),
    [
        ("VLLM_ATTENTION_BACKEND", "0.14", True),
        ("VLLM_ATTENTION_BACKEND", "0.15", False),
        ("VLLM_USE_V1", "0.11.0", True),
        ("VLLM_USE_V1", "0.12", False),
        ("VLLM_MADE_UP", "0.32", False),
    ],
)
def test_a_version_reads_its_variables(name: str, version: str, known: bool) -> None:
    assert variables.known(name, parse(version)) is known


def test_what_replaced_a_variable_is_said() -> None:
    backend = variables.lookup("VLLM_ATTENTION_BACKEND")
    assert backend is not None
    assert (backend.instead, backend.deprecated) == ("--attention-backend", parse("0.13"))


def test_defaults_change_with_the_version() -> None:
    cache = variables.lookup("VLLM_MM_INPUT_CACHE_GIB")
    assert cache is not None
    assert [cache.default(parse(version)) for version in ("0.8", "0.9", "0.32")] == ["8", "4", None]


@pytest.mark.parametrize(
    ("typed", "meant"), [("vllm_atention_backend", "VLLM_ATTENTION_BACKEND"), ("QQQQ_QQQQ_QQQQ", None)]
)
def test_slips_are_recognised(typed: str, meant: str | None) -> None:
    assert variables.nearest(typed) == meant
