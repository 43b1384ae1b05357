"""A text becomes signs that both languages, slips and ways of writing share."""

import pytest

from knowledge.search.words import everyday, signs, signs_of_line, stem


def meant(text: str) -> set[str]:
    return {sign for sign in signs(text) if sign.startswith("=")}


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        pytest.param(("it ran out of memory", "OOM!", "OOMs", "爆显存了", "显存不够"), "=oom", id="out of memory"),
        pytest.param(("time to first token", "TTFT", "首 token 延迟", "首字"), "=ttft", id="first token"),
        pytest.param(("requests are queued", "queueing", "waiting", "排队"), "=queue", id="queue"),
        pytest.param(("2x3090", "two cards", "双卡", "4 张卡"), "=multigpu", id="several cards"),
        pytest.param(("3080 + 3090", "a 24g and 16g card", "4090 和 3090"), "=mixedgpu", id="unequal cards"),
        pytest.param(("a 70k prompt", "128K context", "2万字"), "=longtext", id="long"),
        pytest.param(("0.9.2 was better than 0.10.1", "after upgrading", "升级后"), "=regress", id="two releases"),
        pytest.param(("set to 0.95", "util .8"), "=share", id="a share of the memory"),
        pytest.param(("kv-cache-dtype", "kv_cache_dtype", "KV cache dtype"), "=kvdtype", id="a flag's words"),
    ],
)
def test_different_words_have_the_same_sign(texts: tuple[str, ...], sign: str) -> None:
    assert [text for text in texts if sign not in meant(text)] == []


@pytest.mark.parametrize(
    "text",
    ["llama-3.1-70b", "Qwen2.5", "H100 80GB", "an A100", "4096", "the of and", ""],
)
def test_models_cards_and_numbers_say_nothing_by_themselves(text: str) -> None:
    assert {sign for sign in signs(text) if sign not in ("window", "=release")} == set()


def test_words_lose_their_endings_and_chinese_becomes_pairs() -> None:
    assert "adapt" in signs("adapters") or "adapter" in signs("adapters")
    assert signs("crashing")[0] == signs("crashed")[0] == signs("crash")[0]
    assert {"张量", "量并", "并行"} <= set(signs("张量并行"))
    assert "卡" in signs("tp 卡 x")


def test_tp_and_its_number_are_one_sign() -> None:
    assert "tp" in signs("tp4")
    assert "tp" in signs("tp=4")
    assert "503" in signs("a 503 from the server")
    assert "7" not in signs("7 requests")


def test_a_line_says_each_sign_once() -> None:
    assert len(signs("queue queue")) == 2 * len(signs("queue"))
    assert sorted(signs_of_line("queue queue queue")) == sorted(set(signs("queue queue queue")))


def test_everyday_speech_is_known() -> None:
    assert everyday(stem("always"))
    assert not everyday(stem("prefill"))
