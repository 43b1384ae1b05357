"""`tuning-bot kb`: entries listed, shown, searched and checked, and what to write next."""

import json
from pathlib import Path

import pytest

from bot.store.questions import Question
from bot.store.store import open_store
from knowledge.entries.loading import ids
from tests.bot.cli.test_app import called
from tests.knowledge.search.test_ranking import ENTRY


def test_the_list_has_ids_titles_and_topics() -> None:
    status, out, _ = called("kb", "list", "--json")
    listed = json.loads(out)
    assert status == 0
    assert [entry["id"] for entry in listed] == list(ids())
    assert all(entry["title"] and len(entry["topics"]) <= 3 for entry in listed)
    assert "max-num-seqs  --max-num-seqs" in called("kb", "list")[1]


@pytest.mark.parametrize(("language", "says"), [("en", "What to do"), ("zh", "怎么做")])
def test_an_entry_is_shown_in_either_language(language: str, says: str) -> None:
    status, out, _ = called("kb", "show", "max-num-seqs", "--lang", language)
    assert status == 0
    assert says in out
    assert "max-num-batched-tokens" in out


def test_an_unknown_entry_is_refused_with_the_nearest() -> None:
    status, out, err = called("kb", "show", "max-num-seq")
    assert (status, out) == (1, "")
    assert "Did you mean `max-num-seqs`?" in err


def test_an_entry_is_shown_for_the_version_of_the_settings(tmp_path: Path) -> None:
    config = tmp_path / "tuning-bot.toml"
    config.write_text('[defaults]\nvllm_version = "0.8.5"\nlanguage = "zh"\n', encoding="utf-8")
    _, out, _ = called("kb", "show", "metric-names", "--config", str(config))
    assert "这个版本只有 vllm:gpu_cache_usage_perc" in out
    assert "适用于 vLLM 0.8.5。" in out


def test_a_search_prints_hits_or_the_nearest_in_brackets() -> None:
    status, out, _ = called("kb", "search", "what does --max-num-seqs do")
    assert status == 0
    assert out.split()[1] == "max-num-seqs"
    status, out, _ = called("kb", "search", "flurbling zzyzx of the kv")
    assert status == 1
    assert out.startswith("(")


def test_a_search_is_json_on_request() -> None:
    status, out, _ = called("kb", "search", "--json", "tp=4 反而比单卡慢")
    assert status == 0
    assert json.loads(out)[0]["id"] == "multi-gpu-tp"


def test_the_check_of_ours_finds_nothing() -> None:
    assert called("kb", "check")[:2] == (0, f"{len(ids())} entries checked, 0 faults\n")
    assert called("kb", "check", "max-num-seqs")[:2] == (0, "1 entries checked, 0 faults\n")


def test_the_check_of_a_team_names_every_fault(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(ENTRY.replace('"queueing"', '"nowhere"'), encoding="utf-8")
    status, out, _ = called("kb", "check", "--folder", str(tmp_path))
    assert status == 1
    assert "ours: related: there is no `nowhere`" in out


def test_gaps_are_read_from_the_store(tmp_path: Path) -> None:
    path, config = tmp_path / "store.sqlite", tmp_path / "tuning-bot.toml"
    config.write_text(f'[store]\npath = "{path}"\n', encoding="utf-8")
    assert "There is no store" in called("kb", "gaps", "--config", str(config))[2]
    with open_store(path, lambda: 1.0) as store:
        for key, text in (("a", "vllm flurbling zzyzx?"), ("b", "is a larger --max-num-seqs always faster in vllm?")):
            store.questions.add(Question(key=key, channel="C", ts=key, thread="", user="U", text=text))
            store.questions.answered(key, "{}", "en")
        store.feedback.rate("b", "U", "not-helpful")
    status, out, _ = called("kb", "gaps", "--config", str(config))
    assert status == 0
    assert "1 ×  1 not helpful  is a larger --max-num-seqs always faster in vllm?  (max-num-seqs)" in out
    assert "1 ×  no entry  vllm flurbling zzyzx?" in out
    assert out.endswith("2 gaps\n")
    assert len(json.loads(called("kb", "gaps", "--json", "--config", str(config))[1])) == 2
