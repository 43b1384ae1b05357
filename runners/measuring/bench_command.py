"""`vllm bench serve` as argv, for the release that is installed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.releases import flags
from knowledge.versions import Version
from runners.jobs.spec import Slo
from runners.jobs.workload import Dataset, Workload

PERCENTILES = ("50", "90", "95", "99")
METRICS = ("ttft", "tpot", "itl", "e2el")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Whom to load: the address, what the server calls the model, and where its tokenizer is (None: as the model)."""

    url: str
    served_model: str
    tokenizer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOrder:
    """One call of the bench. `prompts` and `warmups` are requests, `report` the JSON file that it writes."""

    target: Target
    workload: Workload
    slo: Slo
    prompts: int
    warmups: int
    seed: int
    report: Path
    sharegpt: Path | None = None


def bench_argv(command: Sequence[str], order: BenchOrder, version: Version) -> tuple[str, ...]:
    """The words. An option that this release does not have is left out."""
    words = [*command, "bench", "serve"]
    for name, value in _options(order, version):
        if flags.known(name, version, flags.BENCH):
            words += [name, *value]
    return tuple(words)


def _options(order: BenchOrder, version: Version) -> Iterator[tuple[str, tuple[str, ...]]]:
    load = order.workload
    backend = "--backend" if flags.known("--backend", version, flags.BENCH) else "--endpoint-type"
    kind = "openai" if flags.default(backend, version, flags.BENCH) != "openai-comp" else "openai-comp"
    yield backend, (kind,)
    yield "--base-url", (order.target.url.removesuffix("/v1"),)
    yield "--endpoint", ("/v1/completions",)
    yield "--model", (order.target.tokenizer,)
    if order.target.served_model != order.target.tokenizer:
        yield "--served-model-name", (order.target.served_model,)
    yield from _dataset(order)
    yield "--num-prompts", (str(order.prompts),)
    yield "--num-warmups", (str(order.warmups),)
    yield "--ready-check-timeout-sec", ("0",)
    yield "--seed", (str(order.seed),)
    yield "--temperature", (f"{load.temperature:g}",)
    yield "--percentile-metrics", (",".join(METRICS),)
    yield "--metric-percentiles", (",".join(PERCENTILES),)
    yield from _pace(load)
    if order.slo.words:
        yield "--goodput", order.slo.words
    yield "--save-result", ()
    yield "--save-detailed", ()
    yield "--result-dir", (str(order.report.parent),)
    yield "--result-filename", (order.report.name,)


def _pace(load: Workload) -> Iterator[tuple[str, tuple[str, ...]]]:
    if load.request_rate is not None:
        yield "--request-rate", (f"{load.request_rate:g}",)
        yield "--burstiness", (f"{load.burstiness:g}",)
    if load.max_concurrency is not None:
        yield "--max-concurrency", (str(load.max_concurrency),)


def _dataset(order: BenchOrder) -> Iterator[tuple[str, tuple[str, ...]]]:
    load = order.workload
    match load.dataset:
        case Dataset.RANDOM:
            yield "--dataset-name", ("random",)
            yield "--random-input-len", (str(load.input_len),)
            yield "--random-output-len", (str(load.output_len),)
            yield "--random-range-ratio", (f"{load.range_ratio:g}",)
            yield "--random-prefix-len", (str(load.prefix_len),)
            yield "--ignore-eos", ()
        case Dataset.PREFIX_REPETITION:
            yield "--dataset-name", ("prefix_repetition",)
            prefix = load.prefix_len or load.input_len // 2
            yield "--prefix-repetition-prefix-len", (str(prefix),)
            yield "--prefix-repetition-suffix-len", (str(max(1, load.input_len - prefix)),)
            yield "--prefix-repetition-num-prefixes", (str(load.num_prefixes),)
            yield "--prefix-repetition-output-len", (str(load.output_len),)
            yield "--ignore-eos", ()
        case Dataset.SHAREGPT:
            yield "--dataset-name", ("sharegpt",)
            yield "--dataset-path", (str(order.sharegpt),)
