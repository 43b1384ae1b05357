"""People ask in Slack and are answered by the real process: once each, where they asked, in their language."""

from typing import Any

import pytest

from bot.playground.server import SlackServer
from bot.playground.server.selections import find_element
from bot.playground.server.state import Message

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "will 16k context fit on 4×A100 80GB with qwen2.5 72b?"
EIGHT = "will 16k context fit on 8×A100 80GB with qwen2.5 72b?"
FITS = "Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB"


async def test_a_mention_is_answered_in_its_thread(place: Any) -> None:
    question = place.mention(QUESTION)
    answer = await place.answer(question)
    assert answer.thread_ts == question.ts
    assert answer.text.startswith(FITS)
    assert (answer.unfurl_links, answer.unfurl_media) == (False, False)


async def test_a_direct_message_is_answered_beside_it(place: Any) -> None:
    answer = await place.answer(place.write(QUESTION))
    assert answer.thread_ts is None
    assert answer.text.startswith(FITS)


async def test_a_question_in_chinese_is_answered_in_chinese(place: Any) -> None:
    answer = await place.answer(place.write("Qwen2.5-72B 用 4 张 A100 80GB，16k 上下文放得下吗？"))
    assert answer.text.startswith("放得下")


async def test_a_thread_follow_up_changes_one_thing_of_the_last_question(place: Any, server: SlackServer) -> None:
    question = place.mention(QUESTION)
    await place.answer(question)
    follow_up = server.people.say(place.room, "xiaoming", "and with 8 of them?", thread_ts=question.ts)
    answer = await place.answer(follow_up)
    assert "8 × A100-80GB" in answer.text.splitlines()[0]
    assert "Qwen2.5-72B-Instruct" in answer.text


async def test_a_follow_up_in_a_direct_conversation_needs_no_thread(place: Any) -> None:
    await place.answer(place.write("qwen2.5 72b 用 4 张 A100 80G 跑 16k 放得下吗？"))
    answer = await place.answer(place.write("那 8 张呢？"))
    assert "8 张 A100-80GB" in answer.text.splitlines()[0]


async def test_what_people_say_to_each_other_is_left_alone(place: Any, server: SlackServer) -> None:
    question = place.mention(QUESTION)
    await place.answer(question)
    other = server.workspace.user("xiaoming").id
    place.say("thanks!", thread_ts=question.ts)
    place.say(f"<@{other}> what about 8 GPUs?", thread_ts=question.ts)
    place.say(EIGHT)
    await server.observed.quiet(0.5)
    assert len(server.observed.by_app(place.room)) == 1


async def test_a_command_is_answered_for_one_person(place: Any, server: SlackServer) -> None:
    await place.slash(f"fit {QUESTION}")
    await place.whispers()
    await server.observed.quiet()
    (answer,) = server.observed.ephemerals(place.person)
    assert answer.text.startswith(FITS)
    assert not server.observed.by_app(place.room)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Ask in your own words"),
        ("help", "Ask in your own words"),
        (f"ask {QUESTION}", FITS),
        (QUESTION, FITS),
        ("fit --model qwen2.5-72b --gpu a100-80gb --count 4 --context 16384", FITS),
        ("frobnicate 12", "whether a model fits"),
    ],
    ids=["nothing", "help", "ask", "a sentence", "options", "an unknown word"],
)
async def test_a_command_takes_subcommands_and_sentences(place: Any, typed: str, said: str) -> None:
    await place.slash(typed)
    (answer,) = await place.whispers()
    assert said in answer.text


async def test_a_menu_answers_again_with_another_card(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(QUESTION))
    await place.click(answer, "pick_gpu", "H100-80GB")
    await place.until(lambda: len(answer.revisions) > 1)
    await server.observed.quiet()
    assert answer.text.startswith("Yes: Qwen2.5-72B-Instruct fits on 4 × H100-80GB")
    assert len(answer.revisions) == 2
    _, menu = find_element(answer.blocks, "pick_gpu")
    assert menu["initial_option"]["value"] == "H100-80GB"


async def test_a_follow_up_goes_on_from_what_was_picked(place: Any) -> None:
    question = place.mention(QUESTION)
    answer = await place.answer(question)
    await place.click(answer, "pick_gpu", "H100-80GB")
    await place.until(lambda: len(answer.revisions) > 1)
    follow_up = await place.answer(place.say("and with 8 of them?", thread_ts=question.ts))
    assert "8 × H100-80GB" in follow_up.text.splitlines()[0]


async def test_a_menu_under_an_ephemeral_answer_replaces_it(place: Any, server: SlackServer) -> None:
    await place.slash(QUESTION)
    (answer,) = await place.whispers()
    await place.click(answer, "pick_gpu", "H200-141GB")
    await place.until(lambda: "H200" in answer.text)
    assert len(server.observed.ephemerals(place.person)) == 1


def thumb_of(answer: Message, value: str) -> dict[str, Any]:
    block_id, element = find_element(answer.blocks, "feedback")
    return {"type": element["type"], "action_id": "feedback", "block_id": block_id, "value": value}


async def test_a_thumb_is_thanked_for_once(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(QUESTION))
    for _ in range(2):
        await server.people.act(place.person, answer, thumb_of(answer, "helpful"))
    (thanks,) = await place.whispers()
    await server.observed.quiet()
    assert "helped" in thanks.text
    assert thanks.thread_ts == answer.thread_ts
    assert len(server.observed.ephemerals(place.person)) == 1


async def test_an_edited_question_updates_its_answer(place: Any) -> None:
    question = place.mention(QUESTION)
    answer = await place.answer(question)
    place.server.people.edit(question, f"{place.server.mention} {EIGHT}")
    await place.until(lambda: "8 × A100" in answer.text)
    assert await place.answer(question) is answer


async def test_a_preview_of_a_link_changes_nothing(place: Any, server: SlackServer) -> None:
    question = place.mention(QUESTION)
    answer = await place.answer(question)
    server.people.unfurl(question)
    await server.observed.quiet()
    assert len(answer.revisions) == 1


async def test_an_edit_that_adds_the_mention_is_answered_once(place: Any, server: SlackServer) -> None:
    question = place.say(QUESTION)
    await server.observed.quiet()
    server.people.edit(question, f"{server.mention} {QUESTION}")
    await place.answer(question)


async def test_a_deleted_question_takes_its_answer_with_it(place: Any, server: SlackServer) -> None:
    in_channel, direct = place.mention(QUESTION), place.write(QUESTION)
    answers = [await place.answer(in_channel), await place.answer(direct)]
    server.people.delete(in_channel)
    server.people.delete(direct)
    await place.until(lambda: all(answer.deleted for answer in answers))


async def test_a_question_that_is_deleted_at_once_leaves_nothing(place: Any, server: SlackServer) -> None:
    question = place.write(QUESTION)
    server.people.delete(question)
    await server.observed.quiet(0.5)
    assert not server.observed.answers(question)


async def test_the_home_tab_is_in_the_readers_language(place: Any, server: SlackServer) -> None:
    for person, said in ((place.person, "will it fit"), ("xiaoming", "放不放得下")):
        server.people.open_home(person)
        view = await server.observed.wait_for_home(person)
        assert said in view.body["blocks"][0]["text"]["text"]


LOG = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."


async def test_the_shortcut_diagnoses_a_log_in_the_readers_language(place: Any, server: SlackServer) -> None:
    log = place.say(LOG)
    for person in (place.person, "xiaoming"):
        await server.people.shortcut(person, "diagnose_log", log)
    (english,) = await place.whispers()
    (chinese, *_) = await server.observed.wait_for_ephemerals("xiaoming")
    assert "--gpu-memory-utilization" in english.text
    assert "--gpu-memory-utilization" in chinese.text
    assert "显存" in chinese.text


async def test_a_command_diagnoses_a_log_too(place: Any) -> None:
    await place.slash(f"diagnose {LOG}")
    (answer,) = await place.whispers()
    assert "--gpu-memory-utilization" in answer.text
