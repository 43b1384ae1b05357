"""What a person can type today for what was asked: `vllm bench serve …`, a look at /metrics, a server's new start."""

from typing import Any

from bot.commands.command import Command, Name
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT

MODEL, SERVER = "MODEL", "SERVER"  # stand for what was not said
PERCENTILES = "--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99"
_MOST_LINES = 8


def equivalent(command: Command, default_model: str | None = None) -> str | None:
    """One command a line, None where nothing that can be typed does it. `default_model` is meant where none was named."""
    match command.name:
        case Name.BENCH_RUN:
            return bench(command.arguments | command.assumed, default_model)
        case Name.BENCH_SWEEP:
            return _sweep(command, default_model)
        case Name.METRICS_QUERY if "metric" in command.arguments:
            return f"curl -s http://{SERVER}:8000/metrics | grep vllm:{command.arguments['metric']}"
        case Name.HEALTH_SHOW:
            names = "num_requests_(running|waiting)|kv_cache_usage_perc|num_preemptions"
            return f"curl -s http://{SERVER}:8000/metrics | grep -E 'vllm:({names})'"
        case Name.DEPLOY_CHANGE if command.arguments["override"]:
            return serve(command.arguments["override"], default_model)
        case _:
            return None


def bench(arguments: dict[str, Any], default_model: str | None = None) -> str:
    """`vllm bench serve` (from 0.8.0) for a load, against a server on its usual port."""
    words = [
        f"vllm bench serve --model {arguments.get('model') or default_model or MODEL} --dataset-name random",
        f"--random-input-len {arguments['input_len']} --random-output-len {arguments['output_len']}",
        f"--num-prompts {_prompts(arguments)}",
    ]
    if "request_rate" in arguments:
        words.append(f"--request-rate {arguments['request_rate']}")
    if "max_concurrency" in arguments:
        words.append(f"--max-concurrency {arguments['max_concurrency']}")
    return " ".join([*words, PERCENTILES])


def _prompts(arguments: dict[str, Any]) -> int:
    """How many requests fill the time at the rate; with a time and no rate, ten for each request at once."""
    rate, seconds = arguments.get("request_rate"), arguments.get("duration_s")
    if "num_prompts" in arguments:
        return int(arguments["num_prompts"])
    if isinstance(rate, int | float) and seconds:
        return max(1, round(float(rate) * float(seconds)))
    from runners.jobs.workload import LEAST_PROMPTS, PROMPTS_PER_SLOT

    return max(LEAST_PROMPTS, PROMPTS_PER_SLOT * int(arguments.get("max_concurrency", 1)))


def serve(options: dict[str, Any], model: str | None = None) -> str | None:
    """`vllm serve` with these options, None when one of them is none that may be set."""
    from runners.jobs.serve_flags import argv, typed

    try:
        words = argv(typed(options, DEFAULT))
    except Refusal:
        return None
    return " ".join(["vllm serve", model or MODEL, *words])


def _sweep(command: Command, default_model: str | None) -> str | None:
    from bot.commands.details import LOAD, assumed_load

    said = command.arguments
    parameter, values = said.get("param"), said.get("values", [])[:_MOST_LINES]
    if not parameter or not values:
        return None
    model = said.get("model") or default_model
    if parameter in LOAD:
        return "\n".join(
            bench(one | assumed_load(one), default_model) for one in (said | {parameter: value} for value in values)
        )
    lines = [serve(said.get("serve", {}) | {parameter: value}, model) for value in values]
    return "\n".join(line for line in lines if line) or None
