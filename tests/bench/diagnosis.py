"""How long logs take to be read, and in how much memory.

python -m tests.bench.diagnosis [--megabytes N]

Reads 10,000 lines and N MB (50) of made-up lines of a busy server, no two alike, with one failure in the middle, streamed; then the hardest line for
each pattern of the table: 6,000 characters that nearly match again and again. Prints seconds of a core and the peak of the process's memory.
"""

import argparse
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from knowledge.logs.diagnosis import diagnose
from knowledge.logs.lines import pieces
from knowledge.logs.signatures import LOOKED_AT, signatures

FAILURE = "(EngineCore_DP0 pid=2) ERROR 07-01 10:00:00 [core.py:866] ValueError: LoRA rank 64 is greater than max_lora_rank 16.\n"
WORDS = 5000


def lines(count: int) -> Iterator[str]:
    """What a server writes: statistics, answers, prompts, and text of containers around it."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 12))) for _ in range(WORDS)]
    for number in range(count):
        yield FAILURE if number == count // 2 else _line(number, chance, words)


def _line(number: int, chance: random.Random, words: list[str]) -> str:
    kind = number % 4
    text = " ".join(chance.choices(words, k=25))
    if kind == 0:
        return (
            f"(APIServer pid=1) INFO 07-01 10:00:00 [loggers.py:248] Engine 000: Avg prompt throughput: {number / 7:.1f} tokens/s, Avg generation "
            f"throughput: {number / 3:.1f} tokens/s, Running: 9 reqs, Waiting: 0 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 3.0%\n"
        )
    if kind == 1:
        return f'(APIServer pid=1) INFO:     10.0.0.1:{number % 60000} - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
    if kind == 2:
        return f"(EngineCore_DP0 pid=2) INFO 07-01 10:00:00 [logger.py:39] Received request chatcmpl-{number}: prompt: '{text}'\n"
    return f"2025-07-01T10:00:00Z stderr F {text} {number}\n"


def hardest() -> tuple[float, str]:
    """Seconds of the slowest pattern on a line made to be slow, and its name."""
    worst = (0.0, "")
    for signature in signatures():
        for needle in signature.row.needles:
            for filler in (needle, f"{needle} ", needle[:-1], f"{needle} 1", "1", "a", "(", " "):
                text = (needle + filler * LOOKED_AT)[:LOOKED_AT]
                begun = time.process_time()
                signature.pattern.search(text)
                worst = max(worst, (time.process_time() - begun, f"{signature.row.id}: {needle}"))
    return worst


def _timed(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(lines(count))
    begun = time.process_time()
    with path.open("rb") as log:
        found = diagnose("", pieces(log))
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{count:>9,} lines, {path.stat().st_size / 1e6:5.1f} MB: {seconds:6.2f} s, {peak:4.0f} MiB at most, cause {found.cause}"
    )


def main() -> None:
    """Prints the three."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=50)
    size = sum(len(line) for line in lines(4000)) / 4000
    diagnose("", lines(10))  # tables are loaded once
    megabytes = parser.parse_args().megabytes
    with TemporaryDirectory() as folder:
        for count in (10_000, int(megabytes * 1e6 / size)):
            _timed(Path(folder) / "made-up.log", count)
    seconds, name = hardest()
    print(f"hardest line: {seconds * 1000:.0f} ms ({name})")


if __name__ == "__main__":
    main()
