"""Names and log lines point to an entry exactly."""

import pytest

from knowledge.search.signatures import logged, named

NAMES = {
    "maxnumseqs": ("max-num-seqs",),
    "maxnumbatchedtokens": ("max-num-batched-tokens",),
    "enableprefixcaching": ("prefix-caching",),
    "kvcacheusageperc": ("metric-names", "observe-metrics"),
}


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        pytest.param("what is --max-num-seqs for", {"max-num-seqs"}, id="a flag"),
        pytest.param("max_num_seqs=512", {"max-num-seqs"}, id="with underscores"),
        pytest.param("max num seqs 怎么设", {"max-num-seqs"}, id="in words"),
        pytest.param("max_num_seq 怎么设", {"max-num-seqs"}, id="a letter short"),
        pytest.param("--max-num-batch-tokens", {"max-num-batched-tokens"}, id="a slip"),
        pytest.param("--no-enable-prefix-caching", {"prefix-caching"}, id="switched off"),
        pytest.param("vllm:kv_cache_usage_perc is blank", {"metric-names", "observe-metrics"}, id="a metric of two"),
        pytest.param("num seqs", set(), id="only a part"),
        pytest.param("", set(), id="nothing"),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, entries: set[str]) -> None:
    assert set(named(text, NAMES)) == entries


def test_the_longer_of_two_names_counts() -> None:
    names = {"enablechunked": ("short",), "enablechunkedprefill": ("long",)}
    assert set(named("--enable-chunked-prefill", names)) == {"long"}


def test_a_log_line_is_found_inside_a_message() -> None:
    pieces = (("no available memory for the cache blocks", "blocks"), ("engine dead", "engine"))
    text = "ValueError: No  available memory\nfor the cache blocks. Try"
    assert logged(text, pieces) == {"blocks": "no available memory for the cache blocks"}
