"""How long a thousand messages take: python tests/bench/ask_lines.py [MESSAGES]

Sends that many different questions through one `tuning-bot ask --jsonl` and prints the time and the slowest gap between two answers.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

MODELS = ("qwen2.5 72b", "llama 3.3 70b fp8", "deepseek v3", "gpt-oss-120b", "qwen3-30b-a3b", "gemma 3 27b")
CARDS = ("4×A100", "8*H100", "2x4090", "L40S", "8 张 H20", "1x3090 24G")
ASK = [sys.executable, "-m", "bot", "ask", "--jsonl"]
LOADS = ("16k", "32k ctx, 8 users", "128k 并发 4", "max context?", "how many users at 8k?")


def questions(count: int) -> Iterator[str]:
    """`count` questions, as different as the lists allow."""
    every = (f"{model} on {card}, {load}" for load, model, card in itertools.product(LOADS, MODELS, CARDS))
    return itertools.islice(itertools.cycle(every), count)


def main() -> None:
    """Prints the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sent = "".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(questions(count)))
    started = last = time.perf_counter()
    slowest = 0.0
    with tempfile.TemporaryFile("w+") as lines:
        lines.write(sent)
        lines.seek(0)
        with subprocess.Popen(ASK, stdin=lines, stdout=subprocess.PIPE) as bot:
            assert bot.stdout is not None
            answers = 0
            for _ in bot.stdout:
                now = time.perf_counter()
                slowest, last, answers = max(slowest, now - last), now, answers + 1
    print(
        f"{answers} answers to {count} messages in {last - started:.2f} s; the longest wait between two was {slowest * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
