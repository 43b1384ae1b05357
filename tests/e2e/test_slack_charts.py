"""Memory charts and kept starts in Slack: one click each, at most one chart an answer, and figures that estimates use from then on."""

import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from bot.playground.server import Drop, Refuse, ServerError, SlackServer
from bot.playground.server.selections import find_element
from bot.playground.server.state import Ephemeral, Message
from knowledge.fit.observed import FILE_NAME, ObservedFile
from tests.e2e.conftest import Bot, Place, running, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
SETTINGS = """
[store]
path = "kept/tuning-bot.sqlite"

[channels.room1]
chart = true

[[hosts]]
name = "gpu-a"
gpus = 4

[[hosts]]
name = "gpu-b"
gpus = 4
"""
FIT = "will 16k context fit on 4xH100 with qwen2.5 72b?"
PNG = b"\x89PNG"
START = """INFO 07-01 10:00:00 [core.py:93] Initializing a V1 LLM engine (v0.11.0) with config: model='Qwen/Qwen2.5-7B-Instruct', speculative_config=None, dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=1, pipeline_parallel_size=1, data_parallel_size=1, quantization=None, enforce_eager=False, kv_cache_dtype=auto
INFO 07-01 10:00:20 [gpu_model_runner.py:2653] Model loading took 14.2488 GiB and 4.1 seconds
INFO 07-01 10:00:50 [gpu_worker.py:298] Available KV cache memory: 54.18 GiB
INFO 07-01 10:00:51 [kv_cache_utils.py:1087] GPU KV cache size: 1,014,480 tokens
INFO 07-01 10:01:10 [api_server.py:1971] Starting vLLM API server 0 on http://0.0.0.0:8000
"""
WITH_START = f"what does this say? it is on one A100 80GB\n```{START}```"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with serving() as server, running(server, tmp_path_factory.mktemp("bot"), SETTINGS) as bot:
        yield bot


def button(message: Message | Ephemeral, text: str) -> str:
    """What the button with `text` on it does."""
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    (found,) = [e["action_id"] for row in rows for e in row if e["type"] == "button" and e["text"]["text"] == text]
    return str(found)


def pictures(server: SlackServer, answer: Message) -> list[Message]:
    """Messages with pictures in the answer's thread."""
    thread = answer.thread_ts or answer.ts
    return [each for each in server.observed.by_app(answer.channel) if each.files and each.thread_ts == thread]


@pytest.fixture
def place(server: SlackServer, numbers: Any) -> Place:
    """A room that has no section of its own."""
    number = next(numbers)
    return Place(server, number if number != 1 else next(numbers))


async def test_a_chart_comes_into_the_thread_once(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(FIT))
    assert not pictures(server, answer)
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.until(lambda: pictures(server, answer))
    (shared,) = pictures(server, answer)
    (file,) = shared.files
    assert (server.workspace.files[file["id"]].content or b"").startswith(PNG)
    await place.click(answer, button(answer, "Memory chart"), None)
    (told,) = await place.whispers()
    assert told.text == "The memory chart of this answer is in its thread already."
    assert len(pictures(server, answer)) == 1


async def test_a_name_that_means_two_cards_gets_two_pictures(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention("will 16k context fit on 2xA100 with qwen2.5 32b?"))
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.until(lambda: pictures(server, answer))
    assert len(pictures(server, answer)[0].files) == 2


async def test_another_card_from_the_menu_may_have_a_chart_of_its_own(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(FIT))
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.until(lambda: pictures(server, answer))
    await place.click(answer, "pick_gpu", "A100-80GB")
    await place.until(lambda: len(answer.revisions) > 1)
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.until(lambda: len(pictures(server, answer)) > 1)


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("files.getUploadURLExternal", Refuse("not_allowed_token_type")),
        ("upload", ServerError(503)),
        ("files.completeUploadExternal", Refuse("not_in_channel")),
    ],
    ids=["no place for it", "the upload fails", "it cannot be shared"],
)
async def test_a_failed_upload_is_one_sentence_and_can_be_tried_again(
    place: Any, server: SlackServer, target: str, fault: Any
) -> None:
    answer = await place.answer(place.mention(FIT))
    server.faults.plan(target, fault)
    await place.click(answer, button(answer, "Memory chart"), None)
    (told,) = await place.whispers()
    assert told.text.startswith("The memory chart did not get through.")
    assert not pictures(server, answer)
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.until(lambda: pictures(server, answer))


async def test_a_lost_reply_never_makes_two_charts(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(FIT))
    server.faults.plan("files.completeUploadExternal", Drop(committed=True))
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.whispers()
    await place.click(answer, button(answer, "Memory chart"), None)
    await place.whispers(2)
    assert len(pictures(server, answer)) == 1


async def test_an_answer_for_one_person_alone_says_where_charts_go(place: Any) -> None:
    await place.slash(FIT)
    (answer,) = await place.whispers()
    await place.click(answer, button(answer, "Memory chart"), None)
    _, told = await place.whispers(2)
    assert told.text.startswith("A memory chart goes into a thread")


async def test_a_channel_that_wants_charts_gets_them_unasked(server: SlackServer) -> None:
    place = Place(server, 1)
    answer = await place.answer(place.mention(FIT))
    await place.until(lambda: pictures(server, answer))
    await place.click(answer, button(answer, "Memory chart"), None)
    (told,) = await place.whispers()
    assert "in its thread already" in told.text
    await place.slash("settings")
    _, shown = await place.whispers(2)
    assert "Memory chart under answers: on (from the settings file)" in shown.text


async def test_a_start_is_kept_for_the_chosen_host(bot: Bot, place: Any) -> None:
    answer = await place.answer(place.mention(WITH_START))
    await place.click(answer, button(answer, "Remember for a host"), None)
    (menu,) = await place.whispers()
    await place.click(menu, "keep_start.0", "gpu-b")
    await place.until(lambda: menu.text.startswith("Kept for gpu-b"))
    (kept,) = ObservedFile(bot.folder / "kept" / FILE_NAME).on("gpu-b")
    assert (kept.model, kept.version, kept.kv_gib) == ("Qwen/Qwen2.5-7B-Instruct", "0.11.0", 54.18)
    assert "tuning-bot fit --host gpu-b --model Qwen/Qwen2.5-7B-Instruct" in menu.text


async def test_a_host_that_the_settings_do_not_name_is_not_kept(bot: Bot, place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention(WITH_START))
    block_id, _ = find_element(answer.blocks, button(answer, "Remember for a host"))
    action = {"type": "button", "action_id": "keep_start.0", "block_id": block_id, "value": "../elsewhere"}
    await server.people.act(place.person, answer, action)
    (told,) = await place.whispers()
    assert told.text.startswith("That is no name for a host")
    assert not ObservedFile(bot.folder / "kept" / FILE_NAME).on("../elsewhere")


async def test_the_name_is_written_where_no_host_is_configured(own_bot: Bot, own_place: Place) -> None:
    own_bot.environment["XDG_DATA_HOME"] = str(own_bot.folder)
    await own_bot.restart()
    answer = await own_place.answer(own_place.mention(WITH_START))
    await own_place.click(answer, button(answer, "Remember for a host"), None)
    (field,) = await own_place.whispers()
    await own_place.click(field, "keep_start.0", "rack7-node2")
    await own_place.until(lambda: field.text.startswith("Kept for rack7-node2"))
    assert ObservedFile(own_bot.folder / "tuning-bot" / FILE_NAME).on("rack7-node2")


async def test_in_chinese_everything_is_said_in_chinese(place: Any, server: SlackServer) -> None:
    answer = await place.answer(place.mention("4 张 H100 跑 qwen2.5 72b，16k 上下文够吗？"))
    await place.click(answer, button(answer, "显存图"), None)
    await place.until(lambda: pictures(server, answer))
    await place.click(answer, button(answer, "显存图"), None)
    (told,) = await place.whispers()
    assert told.text == "这条回答的显存图已经在消息列里了。"


async def test_a_kept_start_survives_a_restart_between_log_and_click(own_bot: Bot, own_place: Place) -> None:
    own_bot.settings(SETTINGS)
    await own_bot.restart()
    answer = await own_place.answer(own_place.mention(WITH_START))
    await own_bot.restart(signal.SIGKILL)
    await own_place.click(answer, button(answer, "Remember for a host"), None)
    (menu,) = await own_place.whispers()
    await own_place.click(menu, "keep_start.0", "gpu-a")
    await own_place.until(lambda: menu.text.startswith("Kept for gpu-a"))
