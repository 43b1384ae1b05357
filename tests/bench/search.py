"""How well and how fast the knowledge base is searched: python tests/bench/search.py [QUESTIONS.tsv]

Prints hit@1 and hit@3 in each language over tests/data/questions, the time of a search (median, slowest), of loading every
entry, and of building the index anew. QUESTIONS.tsv replaces the questions: ids that answer (separated by spaces), tab, question.
"""

import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "questions" / "tuning.tsv"


def milliseconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Prints the table."""
    from knowledge.entries.loading import every

    print(f"load all entries, cold   {milliseconds(lambda: list(every())):6.0f} ms")
    from knowledge.search import search
    from knowledge.search.index import index

    print(f"build the index, cold    {milliseconds(lambda: index().scores(['=oom'])):6.0f} ms")
    topics = {entry.id: {entry.id, *entry.topics} for entry in every()}
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    first, three, count, taken = Counter[str](), Counter[str](), Counter[str](), []
    for ids, question in (line.split("\t") for line in lines):
        language = "en" if question.isascii() else "zh"
        search("warm up")
        taken.append(milliseconds(lambda asked=question: search(asked)))  # type: ignore[misc]
        right = [bool(topics[hit.id] & set(ids.split())) for hit in search(question)]
        count[language] += 1
        first[language] += right[:1] == [True]
        three[language] += any(right)
    for language in sorted(count):
        print(f"{language}: hit@1 {first[language]}/{count[language]}, hit@3 {three[language]}/{count[language]}")
    print(f"one search: median {statistics.median(taken):.2f} ms, slowest {max(taken):.2f} ms")


if __name__ == "__main__":
    main()
