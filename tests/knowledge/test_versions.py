import pytest

from knowledge import versions
from knowledge.errors import Refusal
from knowledge.versions import Version, nearest, parse


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.32", Version(0, 32)),
        ("v0.8.5.post1", Version(0, 8, 5)),
        ("0.20.0rc1", Version(0, 20)),
        ("0.10.1.1", Version(0, 10, 1)),
        (" 0.9.0 ", Version(0, 9)),
        ("0.11.1+cu129", Version(0, 11, 1)),
    ],
)
def test_versions_as_people_type_them(text: str, version: Version) -> None:
    assert parse(text) == version


@pytest.mark.parametrize("text", ["", "latest", "32", "0.x", "1.2.3.4.5", "0.32" * 100])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse(text)
    assert refusal.value.code == "bad-version"


def test_a_version_reads_as_its_release_is_called() -> None:
    assert (str(Version(0, 32)), str(Version(0, 8, 5))) == ("0.32", "0.8.5")


@pytest.mark.parametrize(
    ("asked", "answered", "differs"),
    [("0.32", "0.32", False), ("0.3.2", "0.4", True), ("0.40", "0.33", True), ("0.33.5", "0.33", False)],
)
def test_a_version_outside_the_tables_is_answered_by_the_nearest(asked: str, answered: str, differs: bool) -> None:
    known, is_other = nearest(parse(asked))
    assert (str(known), is_other) == (answered, differs)


# What changed and when: vLLM's release sources, PRs 25321, 38284, 23716, 50991.
@pytest.mark.parametrize(
    ("version", "on"),
    [
        ("0.7.3", set()),
        ("0.8.0", {"v1", "prefix caching"}),
        ("0.14", {"v1", "prefix caching", "async scheduling"}),
        ("0.20", {"v1", "prefix caching", "async scheduling", "graphs in budget", "derived tokens"}),
        (
            "0.28",
            {"v1", "prefix caching", "async scheduling", "graphs in budget", "derived tokens", "hybrid prefix caching"},
        ),
    ],
)
def test_what_changed_between_releases(version: str, on: set[str]) -> None:
    number = parse(version)
    seen = {
        "v1": versions.v1(number),
        "prefix caching": versions.prefix_caching(number),
        "hybrid prefix caching": versions.prefix_caching(number, hybrid=True),
        "async scheduling": versions.async_scheduling(number),
        "graphs in budget": versions.graphs_in_budget(number),
        "derived tokens": versions.logs_derived_tokens(number),
    }
    assert {name for name, holds in seen.items() if holds} == on


@pytest.mark.parametrize(
    ("version", "context", "chunked"),
    [("0.8", 4096, True), ("0.6.3", 4096, False), ("0.6.3", 65536, True), ("0.5.2", 65536, False)],
)
def test_v0_chunks_prompts_only_of_long_contexts(version: str, context: int, chunked: bool) -> None:
    assert versions.chunked_prefill(parse(version), context) is chunked
