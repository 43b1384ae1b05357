"""The entry behind a messy question is found, and nothing where nothing fits."""

from collections import Counter
from pathlib import Path

import pytest

from knowledge.entries.loading import every
from knowledge.search import nearest, search
from knowledge.versions import Version

DATA = Path(__file__).parents[2] / "data" / "questions"


def asked() -> list[tuple[set[str], str]]:
    """Questions with the ids that answer them."""
    lines = (DATA / "tuning.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [(set(ids.split()), question) for ids, question in (line.split("\t") for line in lines)]


def test_most_questions_find_their_entry_first_and_nearly_all_among_three() -> None:
    topics = {entry.id: {entry.id, *entry.topics} for entry in every()}
    first, three, count = Counter[str](), Counter[str](), Counter[str]()
    for wanted, question in asked():
        language = "en" if question.isascii() else "zh"
        right = [bool(topics[hit.id] & wanted) for hit in search(question)]
        count[language] += 1
        first[language] += right[:1] == [True]
        three[language] += any(right)
    for language in ("en", "zh"):
        assert first[language] / count[language] >= 0.92
        assert three[language] / count[language] >= 0.97


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        pytest.param("tp=4 反而比单卡慢", "multi-gpu-tp", id="both languages"),
        pytest.param("KV 满了一直 preempt 怎么办", "preemption", id="an English word in Chinese"),
        pytest.param("what does --max-num-seqs do", "max-num-seqs", id="a flag"),
        pytest.param("what does --max-num-seq do", "max-num-seqs", id="a flag with a slip"),
        pytest.param("gpu_cache_usage_perc", "metric-names", id="a metric alone"),
        pytest.param("VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0", "cuda-graph-memory", id="a variable alone"),
        pytest.param("prefix cahcing hit rate zero", "prefix-caching", id="a slip"),
        pytest.param("ValueError: No available memory for the cache blocks.", "no-memory-for-cache-blocks", id="an error line"),
        pytest.param("Sequence group 3 is preempted by PreemptionMode.RECOMPUTE mode", "preemption", id="a log line"),
    ],
)  # fmt: skip
def test_names_errors_and_slips(question: str, entry: str) -> None:
    assert search(question)[0].id == entry


def test_a_name_says_why() -> None:
    assert search("what does --max-num-seqs do")[0].why == ("maxnumseqs",)


@pytest.mark.parametrize("text", ["", "   ", "🙂", "1 2 3", "。。。", "the of and"])
def test_nothing_said_finds_nothing(text: str) -> None:
    assert search(text) == []
    assert nearest(text) == []


def test_words_of_no_entry_are_not_answered() -> None:
    assert search("zzyzx qwertyuiop flurbling") == []


def test_the_nearest_two_are_offered() -> None:
    assert len(nearest("sourdough bread with the gpu memory")) == 2


def test_the_same_question_has_the_same_answer_and_at_most_three() -> None:
    hits = search("requests wait in the queue and the kv cache is full")
    assert hits == search("requests wait in the queue and the kv cache is full")
    assert 1 <= len(hits) <= 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(search("requests wait in the queue and the kv cache is full", limit=1)) == 1


def test_a_long_text_is_read_in_part() -> None:
    assert search("max-num-seqs " * 100_000)[0].id == "max-num-seqs"


ENTRY = """
related = ["queueing"]
names = ["--max-num-seqs"]
applies_to = { until = "0.11" }
log_signatures = ["our gateway said no"]
en = { title = "Our gateway", short = "Ask Lin.", mechanism = "It is ours.", symptoms = ["flurbling stops", "gateway zzyzx", "zzyzx down"], not_shown = "Why." }
zh = { title = "我们的网关", short = "找小林。", mechanism = "自研的。", symptoms = ["网关又挂了", "网关限流", "网关超时"], not_shown = "原因。" }
steps = [{ en = "Ask.", zh = "问。" }]
evidence = [{ source = "our wiki", version = "0.11", date = 2026-12-01, status = "reported" }]
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A team's folder with one entry of its own and one in place of ours."""
    (tmp_path / "our-gateway.toml").write_text(ENTRY, encoding="utf-8")
    (tmp_path / "lora.toml").write_text(ENTRY.replace("flurbling", "grumbling"), encoding="utf-8")
    return tmp_path


def test_entries_of_a_team_are_searched_beside_ours_and_told_apart(team: Path) -> None:
    hit = search("the flurbling again", extra_folder=team)[0]
    assert (hit.id, hit.own) == ("our-gateway", True)
    assert search("the flurbling again") == []
    assert search("grumbling stops", extra_folder=team)[0].id == "lora"
    assert not search("why is my queue long", extra_folder=team)[0].own


def test_what_does_not_hold_for_the_version_is_left_out(team: Path) -> None:
    assert search("zzyzx down", version=Version(0, 11), extra_folder=team)
    assert "our-gateway" not in [hit.id for hit in nearest("zzyzx down", version=Version(0, 32), extra_folder=team)]
