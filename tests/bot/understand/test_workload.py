"""Lengths and numbers of requests, told from all other numbers."""

import pytest

from bot.understand.numbers import fold
from bot.understand.scan import Scan
from bot.understand.workload import find


@pytest.mark.parametrize(
    ("text", "context", "concurrency"),
    [
        ("32k", 32768, None),
        ("ctx 4096", 4096, None),
        ("30000 ctx", 30000, None),
        ("context length of 20000", 20000, None),
        ("上下文长度 16384", 16384, None),
        ("max-model-len=40960", 40960, None),
        ("1M context", 1048576, None),
        ("20k prompts", 20480, None),
        ("2k in 300 out", 2348, None),
        ("输入 2k 输出 300", 2348, None),
        ("input 8k, output 1k", 9216, None),
        ("8k/1k", 9216, None),
        ("4k+512", 4608, None),
        ("prompts of 6000 tokens and 1000 token answers", 7000, None),
        ("from 64k to 128k", 131072, None),
        ("64k -> 128k", 131072, None),
        ("并发 32", None, 32),
        ("32 并发", None, 32),
        ("并发数是 50", None, 50),
        ("16 users", None, 16),
        ("256 seqs", None, 256),
        ("8 concurrent", None, 8),
        ("batch size 16", None, 16),
        ("bs=4", None, 4),
        ("20 人同时用", None, 20),
        ("one user", None, 1),
        ("just me", None, 1),
        ("单并发", None, 1),
        ("32k x 12", 32768, 12),
        ("12 x 32k", 32768, 12),
        ("32k*8", 32768, 8),
        ("8 并发 32768 上下文", 32768, 8),
        ("16384 并发 8", 16384, 8),
        ("16k 并发 4", 16384, 4),
        ("20 requests/s", None, None),
        ("kv per 1k tokens", None, None),
        ("a 16gb card", None, None),
    ],
)
def test_a_number_is_a_length_or_a_number_of_requests(text: str, context: int | None, concurrency: int | None) -> None:
    found, _ = find(Scan.of(fold(text)))
    assert (found.context, found.concurrency) == (context, concurrency)
