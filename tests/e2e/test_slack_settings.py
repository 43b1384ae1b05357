"""`/vllm settings`: shown to everybody, changed by admins, or by anybody for themselves; it holds at once and after a restart."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from bot.playground.server import SlackServer
from tests.e2e.conftest import Bot, Place, running, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
SETTINGS = """
[defaults]
vllm_version = "0.20"

[channels.room1]
model = "Qwen/Qwen3-32B"

[access]
admins = ["{admin}"]
"""
FIT = "will it fit on 4×A100 80GB with 16k context?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with serving() as server:
        settings = SETTINGS.format(admin=server.workspace.user("xiaoming").id)
        async with running(server, tmp_path_factory.mktemp("bot"), settings) as bot:
            yield bot


async def told(server: SlackServer, room: str, person: str, text: str) -> str:
    """What a command is answered with."""
    before = len(server.observed.ephemerals(person))
    await server.people.slash(room, person, "/vllm", text)
    return str((await server.observed.wait_for_ephemerals(person, before + 1))[before].text)


async def test_everybody_sees_what_holds_and_where_it_is_from(server: SlackServer) -> None:
    text = await told(server, "room1", "person1", "settings")
    assert "Model: Qwen/Qwen3-32B (from the settings file)" in text
    assert "vLLM version: 0.20 (from the settings file)" in text
    assert "Language: that of your message (not set)" in text
    assert "channel: on (not set)" in text


async def test_only_admins_change_a_channel(server: SlackServer) -> None:
    assert "changed by the admins" in await told(server, "room2", "person2", "settings language zh")
    assert "Language: that of your message" in await told(server, "room2", "person2", "settings")


async def test_what_an_admin_says_holds_at_once_and_stands_over_the_file(server: SlackServer) -> None:
    text = await told(server, "room1", "xiaoming", "settings 版本 v0.8.5")
    assert "vLLM 版本：0.8.5（" in text
    assert "配置文件里是 0.20" in text
    await told(server, "room1", "xiaoming", "settings model=qwen2.5 72b")
    answer = await Place(server, 1).answer(Place(server, 1).mention(FIT))
    assert "Qwen2.5-72B-Instruct" in answer.text
    assert "gpu-memory-utilization 0.9," in answer.text  # what 0.8.5 takes when nothing is said; 0.32 takes 0.92
    entry = await Place(server, 1).answer(Place(server, 1).mention("gpu_cache_usage_perc is blank in vllm"))
    assert "For vLLM 0.8.5." in entry.text
    text = await told(server, "room1", "xiaoming", "settings model default")
    assert "模型：Qwen/Qwen3-32B（来自配置文件）" in text


async def test_a_language_holds_for_everybody_in_the_channel(server: SlackServer) -> None:
    await told(server, "room3", "xiaoming", "settings language 中文")
    answer = await Place(server, 3).answer(
        Place(server, 3).mention("is a larger --max-num-seqs always faster in vllm?")
    )
    assert "怎么做" in answer.text
    assert "任务结果同时发到频道：关" in await told(server, "room3", "xiaoming", "settings 广播 关")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("settings version banana", "这不是我认识的 vLLM 版本"),
        ("settings language fr", "我会英文和中文"),
        ("settings broadcast maybe", "广播 开"),
        ("settings model flurbling-zzyzx-9b", "flurbling-zzyzx-9b"),
        ("settings colour blue", "修改：/vllm settings"),
        ("settings model", "修改：/vllm settings"),
    ],
)
async def test_what_cannot_be_is_told_and_changes_nothing(server: SlackServer, typed: str, says: str) -> None:
    assert says in await told(server, "room4", "xiaoming", typed)
    assert "在这里设的" not in await told(server, "room4", "xiaoming", "settings")


async def test_it_holds_after_a_restart(bot: Bot, server: SlackServer, place: Any) -> None:
    await told(server, "room5", "xiaoming", "settings version 0.10")
    await bot.restart()
    assert "vLLM version: 0.10 (set here by" in await told(server, "room5", "person5", "settings")
