"""Knowledge in Slack: entries behind buttons, benchmarks, reasons, the quiz, files with logs, what to write next."""

from typing import Any

import pytest

from bot.playground.server import SlackServer
from bot.playground.server.selections import find_element
from bot.playground.server.state import Ephemeral, Message
from knowledge.entries.loading import find
from tests.e2e.test_slack import thumb_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
HIGH = "is a larger --max-num-seqs always faster in vllm?"
LOG = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."
STARTING = "INFO 12-01 10:00:00 [core.py:1] Initializing a V1 LLM engine (v0.32.0)\n" * 200


def buttons(message: Message | Ephemeral) -> dict[str, str]:
    """What the buttons do, by what stands on them."""
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    return {each["text"]["text"]: each["action_id"] for row in rows for each in row if each["type"] == "button"}


async def test_a_related_entry_opens_for_the_one_who_pressed(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(HIGH))
    related = find(find("max-num-seqs").related[0])
    await place.click(answer, buttons(answer)[related.en.title], None)
    (opened,) = await place.whispers()
    await server.observed.quiet()
    assert opened.text.startswith(related.en.short[:100])
    assert opened.thread_ts == answer.thread_ts
    assert len(answer.revisions) == 1


async def test_a_measurement_is_shown_as_a_command(place: Any) -> None:
    answer = await place.answer(place.mention(HIGH))
    await place.click(answer, buttons(answer)["Benchmark this"], None)
    (shown,) = await place.whispers()
    assert "vllm bench serve --model MODEL" in shown.text


async def test_a_vague_question_is_answered_by_what_was_chosen(place: Any) -> None:
    answer = await place.answer(place.mention("vllm why so slow"))
    title, action = next(iter(buttons(answer).items()))
    await place.click(answer, action, None)
    await place.until(lambda: len(answer.revisions) > 1)
    assert title not in answer.text.splitlines()[0]
    assert "What to do" in answer.text


async def test_a_choice_in_an_ephemeral_menu_replaces_it(place: Any, server: SlackServer) -> None:
    await place.slash("显存")
    (answer,) = await place.whispers()
    await place.click(answer, next(iter(buttons(answer).values())), None)
    await place.until(lambda: "怎么做" in answer.text)
    assert len(server.observed.ephemerals(place.person)) == 1


@pytest.mark.parametrize("value", ["no-such-entry", ""], ids=["an entry that is gone", "nothing"])
async def test_a_stale_button_gets_a_kind_sentence(place: Any, server: SlackServer, value: str) -> None:
    answer = await place.answer(place.mention(HIGH))
    block_id, _ = find_element(answer.blocks, next(iter(buttons(answer).values())))
    action = {"type": "button", "action_id": "open_entry.0", "block_id": block_id, "value": value}
    await server.people.act(place.person, answer, action)
    (told,) = await place.whispers()
    assert "There is no entry" in told.text
    assert len(answer.revisions) == 1


async def test_a_choice_whose_question_is_gone_gets_a_kind_sentence(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(HIGH))
    action = {"type": "button", "action_id": "choose_entry.0", "block_id": "acts:0:C0-1.1", "value": "queueing"}
    await server.people.act(place.person, answer, action)
    (told,) = await place.whispers()
    assert "ask it again" in told.text


async def test_a_bad_answer_is_asked_for_its_reason(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(HIGH))
    await server.people.act(place.person, answer, thumb_of(answer, "not-helpful"))
    (asked,) = await place.whispers()
    await place.click(asked, "why_not", "other-version")
    await place.until(lambda: "Not for my version" in asked.text)
    assert len(server.observed.ephemerals(place.person)) == 1
    await place.slash("kb gaps")
    _, gaps = await place.whispers(2)
    assert "not helpful" in gaps.text
    assert "Not for my version" in gaps.text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("kb list", "max-num-seqs: --max-num-seqs"),
        ("kb show prefix-caching", "Prefix caching reuses the KV cache"),
        ("kb show prefix-cachin", "Did you mean `prefix-caching`?"),
        ("kb search tp=4 反而比单卡慢", "multi-gpu-tp"),
        ("kb search flurbling zzyzx of the kv", "I would rather not guess"),
        ("kb", "/vllm kb list"),
        ("kb show", "/vllm kb list"),
    ],
)
async def test_the_knowledge_base_has_subcommands(place: Any, typed: str, says: str) -> None:
    await place.slash(typed)
    (answer,) = await place.whispers()
    assert says in answer.text


async def test_a_round_of_the_quiz_is_played_in_one_message(place: Any, server: SlackServer) -> None:
    await place.slash("quiz")
    (message,) = await place.whispers()
    assert "How many bytes" in message.text
    assert "524,288 bytes" not in message.text
    await place.click(message, buttons(message)["Reveal the answer"], None)
    await place.until(lambda: "524,288 bytes, 0.5 MiB" in message.text)
    await place.click(message, buttons(message)["I did not"], None)
    await place.until(lambda: "Score: 0 of 1" in message.text)
    for known in range(1, 10):
        await place.click(message, buttons(message)["Reveal the answer"], None)
        await place.until(lambda: "I knew it" in buttons(message))
        await place.click(message, buttons(message)["I knew it"], None)
        await place.until(
            lambda known=known: f"Score: {known} of {known + 1}" in message.text or "known." in message.text
        )
    assert message.text.startswith("9 of 10 known.")
    assert find("kv-cache-formula").en.title in buttons(message)
    assert len(server.observed.ephemerals(place.person)) == 1
    await place.click(message, buttons(message)["Another round"], None)
    await place.until(lambda: "Question 1 of 10" in message.text)


async def test_the_quiz_speaks_the_readers_language(place: Any, server: SlackServer) -> None:
    await server.people.slash(place.room, "xiaoming", "/vllm", "quiz")
    (message, *_) = await server.observed.wait_for_ephemerals("xiaoming")
    assert "第 1 题，共 10 题" in message.text
    await place.slash("quiz zh")
    (asked,) = await place.whispers()
    assert "先想一想" in asked.text


async def test_a_button_of_another_quiz_gets_a_kind_sentence(place: Any, server: SlackServer) -> None:
    await place.slash("quiz")
    (message,) = await place.whispers()
    block_id, _ = find_element(message.blocks, buttons(message)["Reveal the answer"])
    action = {"type": "button", "action_id": "quiz_reveal.0", "block_id": block_id, "value": "{}"}
    await server.people.act(place.person, message, action)
    await place.until(lambda: "no longer asked" in message.text)


@pytest.mark.parametrize("direct", [False, True], ids=["mention", "direct"])
async def test_a_file_with_a_log_is_diagnosed_where_it_was_sent(place: Any, server: SlackServer, direct: bool) -> None:
    file = server.people.attach(place.person, "server.log", (STARTING + LOG).encode())
    if direct:
        question = server.people.direct_message(place.person, "", files=[file])
    else:
        question = place.mention("what is wrong here?", files=[file])
    answer = await place.answer(question)
    assert "--gpu-memory-utilization" in answer.text
    assert "No available memory for the cache blocks" in answer.text


async def test_the_shortcut_reads_the_file_of_a_message(place: Any, server: SlackServer) -> None:
    file = server.people.attach(place.person, "server.log", (STARTING + LOG).encode())
    message = place.say("it does not start", files=[file])
    await server.people.shortcut("xiaoming", "diagnose_log", message)
    await place.server.observed.wait_until(
        lambda: any("显存" in each.text for each in server.observed.ephemerals("xiaoming")) or None
    )


async def test_a_secret_in_a_file_is_never_repeated(place: Any, server: SlackServer) -> None:
    token = "hf_" + "abcdefghij" * 3 + "abcd"
    file = server.people.attach(place.person, "server.log", f"HF_TOKEN={token}\n{LOG}".encode())
    answer = await place.answer(place.mention("why?", files=[file]))
    assert token not in answer.text
    assert "revoke it" in answer.text


@pytest.mark.parametrize(
    ("content", "url", "says"),
    [
        pytest.param(b"x" * (10 * 2**20 + 1), None, "larger than 10 MB", id="too large"),
        pytest.param(b"\x7fELF\0\0", None, "is no text", id="binary"),
        pytest.param(b"fine", "https://files.example.com/server.log", "could not read", id="another host"),
    ],
)
async def test_a_file_that_cannot_be_read_is_told(
    place: Any, server: SlackServer, content: bytes, url: str | None, says: str
) -> None:
    file = server.people.attach(place.person, "server.log", content)
    file |= {"url_private_download": url} if url else {}
    answer = await place.answer(place.mention("why?", files=[file]))
    assert says in answer.text


async def test_a_file_that_is_only_named_is_asked_for(place: Any, server: SlackServer) -> None:
    file = server.people.attach(place.person, "server.log", LOG.encode())
    shared = {"id": file["id"], "file_access": "check_file_info", "name": "server.log", "mimetype": "text/plain"}
    answer = await place.answer(place.mention("why?", files=[shared]))
    assert "--gpu-memory-utilization" in answer.text


async def test_a_picture_is_no_log(place: Any, server: SlackServer) -> None:
    file = server.people.attach(place.person, "screen.png", b"\x89PNG\0") | {"mimetype": "image/png"}
    answer = await place.answer(place.mention(HIGH, files=[file]))
    assert answer.text.startswith("--max-num-seqs caps")


async def test_a_quiz_in_a_channel_is_played_by_each_for_themselves(place: Any, server: SlackServer) -> None:
    question = await place.answer(place.mention("quiz me"))
    assert "How many bytes" in question.text
    await place.click(question, buttons(question)["Reveal the answer"], None)
    (mine,) = await place.whispers()
    assert "524,288 bytes" in mine.text
    assert len(question.revisions) == 1
    await place.click(mine, buttons(mine)["I knew it"], None)
    await place.until(lambda: "Score: 1 of 1" in mine.text)


async def test_a_page_is_asked_for_in_a_sentence(place: Any) -> None:
    answer = await place.answer(place.write("打开条目 prefix-caching"))
    assert answer.text.startswith("前缀缓存复用")


async def test_diagnosing_nothing_says_how(place: Any) -> None:
    await place.slash("diagnose")
    (told,) = await place.whispers()
    assert "/vllm diagnose TEXT" in told.text
