"""Everything wrong with an entry is found, and named where it stands."""

import pytest

from knowledge.entries.check import faults
from tests.knowledge.entries.conftest import Written

EVIDENCE = 'source = "vllm/v1/core/sched/scheduler.py"\nversion = "0.32"'


def test_a_right_entry_has_no_fault(written: Written) -> None:
    assert faults(written()) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param('related = ["OTHER"]', "related = []", "first: related: Tuple should have at least 1", id="nothing related"),
        pytest.param('related = ["OTHER"]', 'related = ["OTHER", "gone"]', "there is no `gone`", id="dangling reference"),
        pytest.param('related = ["OTHER"]', 'related = ["first", "OTHER"]', "related: names the entry itself", id="itself"),
        pytest.param('related = ["OTHER"]', 'related = ["OTHER", "OTHER"]', "related: `second` twice", id="twice"),
        pytest.param('names = [', 'namez = [', "namez: Extra inputs are not permitted", id="unknown key"),
        pytest.param('names = ["--max-num-seqs"]', 'topics = ["a", "b", "c", "d"]', "topics: Tuple should have at most 3", id="four topics"),
        pytest.param('names = ["--max-num-seqs"]', 'names = ["--max-num-seqz"]', "no release has `--max-num-seqz`; `--max-num-seqs`?", id="unknown flag"),
        pytest.param('names = ["--max-num-seqs"]', 'names = ["VLLM_NOSUCH_THING"]', "no release has `VLLM_NOSUCH_THING`", id="unknown variable"),
        pytest.param("[zh]\n", "[fr]\n", "zh: Field required", id="a language is missing"),
        pytest.param('title = "同时多少请求"\nshort = "出现抢占时把 --max-num-seqs 调到 64。"', 'title = "同时多少请求"\nshort = "Lower --max-num-seqs to 64."', "zh.short: is not in that language", id="wrong language"),
        pytest.param("把 --max-num-seqs 调到 64", "把它调到 64", "short: `--max-num-seqs` stands in one language only", id="a flag in one language"),
        pytest.param("把 --max-num-seqs 调到 64", "把 --max-num-seqs 调到 32", "short: the number 32 stands in one language only", id="another number"),
        pytest.param("调到 64", "调到 128", "short: the number 128 stands in one language only", id="one language alone"),
        pytest.param("Since 0.20 the", "Since 0.20 the 12 GiB", "mechanism: the number 12 stands in one language only", id="a number more"),
        pytest.param("What is best for you", "vllm:num_nosuch_total says", "no release has `vllm:num_nosuch_total`", id="unknown metric"),
        pytest.param("--max-num-seqs 64\"\n", "--max-num-queued-reqs 64\"\n", "steps.1.command: 0.4: `--max-num-queued-reqs`", id="a flag newer than its step"),
        pytest.param("vllm serve MODEL --max-num-seqs 64", "vllm bench serve --model MODEL --nosuch 1", "`--nosuch` is refused", id="no option of the benchmark"),
        pytest.param('since = "0.5"', 'since = "0.4"', "checks.1.metric: 0.4 has no `vllm:num_preemptions_total`", id="a metric newer than its check"),
        pytest.param('since = "0.5"', 'since = "0.9"\nuntil = "0.8"', "checks.1: ends with 0.8 before it begins with 0.9", id="backwards"),
        pytest.param('since = "0.5"', 'since = "0.99"', "0.99 is not among the releases 0.4 to 0.33", id="no such release"),
        pytest.param('since = "0.5"', 'since = "soon"', "should be a vLLM version like 0.32", id="no release at all"),
        pytest.param(EVIDENCE, EVIDENCE.replace("0.32", "0.12"), "nothing newer than 0.12 shows that it still holds in 0.30", id="expired"),
        pytest.param(EVIDENCE, EVIDENCE.replace("0.32", "0.99"), "0.99 is newer than the newest known release", id="evidence from the future"),
        pytest.param('status = "documented"', 'status = "guessed"', "evidence.0.status", id="no such status"),
        pytest.param("too many at once ID", "TOO  many at once second", "`too many at once second` also stands in", id="a symptom of another"),
        pytest.param('[en]\n', 'applies_to = { since = "0.5", until = "0.11" }\n\n[en]\n', "", id="an old span is no fault"),
        pytest.param('command = "vllm serve MODEL --max-num-seqs 64"', 'until = "0.10"', "steps: nothing to do in the newest release", id="nothing to do today"),
    ],
)  # fmt: skip
def test_a_fault_is_named_where_it_stands(written: Written, old: str, new: str, says: str) -> None:
    found = [str(fault) for fault in faults(written((old, new)))]
    assert any(says.lower() in fault.lower() for fault in found) if says else not found


def test_a_number_has_evidence(written: Written) -> None:
    folder = written(("shared by all", "shared by 300"), ("由所有", "由 300 个"))
    assert [str(fault) for fault in faults(folder)] == [
        "first: mechanism: no evidence has the number 300 in its figures"
    ]
    shown = ('figures = ["64"]', 'figures = ["64", "300"]')
    assert faults(written(("shared by all", "shared by 300"), ("由所有", "由 300 个"), shown)) == []


def test_a_step_outside_the_entry_is_found(written: Written) -> None:
    folder = written(
        ("[en]\n", 'applies_to = { since = "0.11" }\n\n[en]\n'), ('since = "0.5"', 'since = "0.5"\nuntil = "0.10"')
    )
    assert "checks.1: holds for no release that the entry holds for" in str(faults(folder)[0])


def test_all_faults_are_told_at_once(written: Written) -> None:
    folder = written(('names = ["', 'names = ["--nosuchflag", "--northisflag", "'), ('since = "0.5"', 'since = "0.4"'))
    (folder / "broken.toml").write_text("title = ", encoding="utf-8")
    (folder / "Bad Name.toml").write_text((folder / "second.toml").read_text(encoding="utf-8"), encoding="utf-8")
    told = "\n".join(str(fault) for fault in faults(folder))
    for part in (
        "nosuchflag",
        "northisflag",
        "broken: `broken.toml` is not TOML",
        "Bad Name: the file's name",
        "0.4 has no",
    ):
        assert part in told


def test_flags_of_other_programs_may_be_named(written: Written) -> None:
    said = (("What is best for you", "See --shm-size"), ("哪个值最适合你", "见 --shm-size"))
    assert "no release has `--shm-size`" in str(faults(written(*said))[0])
    assert faults(written(*said, ('names = ["', 'foreign_names = ["--shm-size"]\nnames = ["'))) == []


def test_entries_of_a_team_may_refer_to_ours(written: Written) -> None:
    folder = written(('"OTHER"', '"OTHER", "max-num-seqs"'))
    assert faults(folder) != []
    assert faults(folder, known=("max-num-seqs",)) == []
