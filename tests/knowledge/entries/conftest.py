"""A small entry that is right, to be made wrong in one place at a time."""

from collections.abc import Callable
from pathlib import Path

import pytest

RIGHT = """
related = ["OTHER"]
names = ["--max-num-seqs"]

[en]
title = "How many at once"
short = "Lower --max-num-seqs to 64 when requests are preempted."
mechanism = "Since 0.20 the KV cache is shared by all running requests."
symptoms = ["requests are preempted ID", "too many at once ID", "what is the right number ID"]
not_shown = "What is best for you."

[zh]
title = "同时多少请求"
short = "出现抢占时把 --max-num-seqs 调到 64。"
mechanism = "0.20 起 KV Cache 由所有运行中的请求共享。"
symptoms = ["请求被抢占 ID", "同时请求太多 ID", "设多少合适 ID"]
not_shown = "哪个值最适合你。"

[[steps]]
en = "Lower it."
zh = "调低。"
command = "vllm serve MODEL --max-num-seqs 64"

[[checks]]
en = "No preemptions."
zh = "没有抢占。"
metric = "vllm:num_preemptions_total"
since = "0.5"

[[evidence]]
source = "vllm/v1/core/sched/scheduler.py"
version = "0.32"
date = 2026-12-01
status = "documented"
figures = ["64"]
"""

Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes two entries that name each other into a folder; pairs of texts replace parts of the first."""

    def write(*changes: tuple[str, str]) -> Path:
        first = RIGHT
        for old, new in changes:
            assert old in first
            first = first.replace(old, new)
        for entry_id, text in (("first", first), ("second", RIGHT)):
            other = "second" if entry_id == "first" else "first"
            path = tmp_path / f"{entry_id}.toml"
            path.write_text(text.replace("OTHER", other).replace(" ID", f" {entry_id}"), encoding="utf-8")
        return tmp_path

    return write
