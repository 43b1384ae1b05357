"""How long a cold `tuning-bot ask` takes, and what it spends the time importing: python tests/bench/cold_start.py [RUNS]

Prints the quickest and the median of RUNS calls (5 by default) of each question, then the slowest imports of one call.
"""

import re
import statistics
import subprocess
import sys
import time

QUESTIONS = (
    "qwen2.5 72b with 16k context on 4×A100 80G?",
    "will 16k context fit on 4×A100?",
    "deepseek-v3 一个 token 的 kv 多大",
    "hi",
)
IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| (\s*)(\S+)")
ASK = [sys.executable, "-m", "bot", "ask"]


def seconds(question: str) -> float:
    """One call in a process of its own."""
    started = time.perf_counter()
    subprocess.run([*ASK, question], check=True, capture_output=True)
    return time.perf_counter() - started


def imports(question: str, most: int = 20) -> list[tuple[int, str]]:
    """(microseconds, module) of the slowest imports, without what they import themselves."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *ASK[1:], question], check=True, capture_output=True, text=True
    )
    found = [(int(match[1]), match[4]) for match in map(IMPORT.match, run.stderr.splitlines()) if match]
    return sorted(found, reverse=True)[:most]


def main() -> None:
    """Prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for question in QUESTIONS:
        taken = sorted(seconds(question) for _ in range(runs))
        print(f"quickest {taken[0]:.3f} s  median {statistics.median(taken):.3f} s  {question}")
    for microseconds, module in imports(QUESTIONS[0]):
        print(f"{microseconds / 1000:8.1f} ms  {module}")


if __name__ == "__main__":
    main()
