"""The output of `vllm bench serve` (before 0.8 of benchmark_serving.py): settings, results, failures."""

import re
from dataclasses import dataclass, field

from knowledge.logs.lines import Line

_SETTING = re.compile(r"(Traffic request rate|Burstiness factor|Maximum request concurrency):\s+(\S+)")
_RESULT = re.compile(r"([A-Z][\w ()/.%-]{3,60}?):\s{1,60}(-?[\d.,]+|inf|nan)\s*$")
_HEAD = re.compile(r"=+ Serving Benchmark Result =+")
_ARGUMENT = re.compile(
    r"\b(request_rate|max_concurrency|num_prompts|random_input_len|random_output_len|ramp_up_strategy|num_warmups|seed)=('?[\w.]+'?)"
)
NAMES = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Benchmark duration (s)": "seconds",
    "Total input tokens": "input_tokens",
    "Total generated tokens": "output_tokens",
    "Request throughput (req/s)": "request_rate_out",
    "Output token throughput (tok/s)": "output_rate",
    "Peak concurrent requests": "peak_concurrency",
    "Mean TTFT (ms)": "ttft_ms",
    "Median TTFT (ms)": "ttft_p50_ms",
    "P99 TTFT (ms)": "ttft_p99_ms",
    "Mean TPOT (ms)": "tpot_ms",
    "Median TPOT (ms)": "tpot_p50_ms",
    "P99 TPOT (ms)": "tpot_p99_ms",
    "Mean ITL (ms)": "itl_ms",
    "Median ITL (ms)": "itl_p50_ms",
    "P99 ITL (ms)": "itl_p99_ms",
}


@dataclass(slots=True)
class BenchOutput:
    """Collects figures from lines as they come; the last benchmark of a text counts."""

    results: dict[str, float] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    seen: bool = False

    def feed(self, line: Line) -> bool:
        """Takes a line; says whether it belongs to a benchmark's output."""
        text = line.text.strip()
        if _HEAD.match(text):
            self.seen = True
            self.lines["head"] = line
            self.results.clear()
            return True
        if found := _SETTING.match(text):
            self.settings[found[1]] = found[2]
            self.lines[found[1]] = line
            return True
        if text.startswith("Namespace("):
            self.settings.update((name, value.strip("'")) for name, value in _ARGUMENT.findall(text))
            return True
        return self.seen and self._result(text, line)

    def _result(self, text: str, line: Line) -> bool:
        found = _RESULT.match(text)
        name = NAMES.get(found[1]) if found else None
        if found is None or name is None:
            return False
        self.results[name] = float(found[2].replace(",", ""))
        self.lines[name] = line
        return True

    @property
    def unlimited(self) -> bool:
        """Whether all requests were sent at once: no rate and no limit on how many run."""
        rate = self.settings.get("Traffic request rate", self.settings.get("request_rate", ""))
        limit = self.settings.get("Maximum request concurrency", self.settings.get("max_concurrency", "None"))
        return rate == "inf" and limit == "None"
