"""The commands of the contract: their names, their risks, and their form as JSON."""

import json

from bot.commands import Command, Name, read
from bot.commands.command import Risk, risk_of

# As the contract's table has them.
RISKS = {
    "run": ["bench.run", "bench.rerun", "bench.sweep", "tune.start"],
    "read": [
        "job.list",
        "job.status",
        "run.show",
        "run.logs",
        "run.compare",
        "run.explain",
        "health.show",
        "metrics.query",
        "schedule.list",
    ],
    "change": [
        "job.cancel",
        "run.set_baseline",
        "schedule.create",
        "schedule.update",
        "schedule.delete",
        "watch.start",
        "watch.stop",
    ],
    "never": ["deploy.change"],
}


def test_every_command_has_the_contracts_risk() -> None:
    expected = {name: risk for risk, names in RISKS.items() for name in names}
    assert {name.value: risk_of(name).value for name in Name} == expected


def test_a_command_goes_through_json_unchanged() -> None:
    command = read("bench qwen3-8b on h100 and a100, 2k in, 10 rps", "en")
    assert command is not None
    assert (command.risk, command.ambiguous) == (Risk.RUN, ("several-targets", "k-is-1024"))
    assert Command.of_object(json.loads(json.dumps(command.as_object()))) == command


def test_what_a_benchmark_lacks_is_named_with_what_a_workload_takes_for_it() -> None:
    command = read("bench llama 3.1 8b", "en")
    assert command is not None
    assert command.missing == ("targets", "input_len", "output_len", "request_rate or max_concurrency", "num_prompts")
    assert command.assumed == {"input_len": 1024, "output_len": 128, "num_prompts": 100}  # the workload's own defaults


def test_ten_requests_are_taken_for_each_one_at_once() -> None:
    command = read("bench llama 3.1 8b, concurrency 64", "en")
    assert command is not None
    assert command.assumed["num_prompts"] == 640
