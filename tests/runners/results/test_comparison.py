"""One run against another: better, worse, inconclusive, or not comparable."""

from collections.abc import Callable
from typing import Any

import pytest

from runners.results.comparison import Verdict, Why, compare
from runners.results.fingerprint import Fingerprint, beyond, differences
from runners.results.truth import Flag, Load, Truth

Make = Callable[..., Any]


def test_a_clear_gain_is_better_and_a_clear_loss_worse(make_result: Make) -> None:
    slow, fast = make_result(100, 101, 99), make_result(80, 81, 79, serve={"--max-num-seqs": 64})
    comparison = compare(slow, fast)
    assert (comparison.comparable, comparison.declared) == (True, "serve.--max-num-seqs")
    ttft, throughput = comparison.figure("ttft_p95_ms"), comparison.figure("request_throughput")
    assert ttft is not None
    assert throughput is not None
    assert (ttft.verdict, throughput.verdict) == (Verdict.BETTER, Verdict.BETTER)
    assert ttft.change == pytest.approx(-0.2)
    assert throughput.change == pytest.approx(0.25, abs=0.001)
    back = compare(fast, slow).figure("ttft_p95_ms")
    assert back is not None
    assert back.verdict is Verdict.WORSE


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ((100, 101), (80, 81), Why.TOO_FEW_REPEATS),
        ((100, 101, 99), (97, 99.5, 98), Why.WITHIN_NOISE),  # ranges touch
        ((100, 110, 90), (85, 86, 84), Why.WITHIN_NOISE),  # ranges apart, intervals not
        ((100.0, 100.01, 99.99), (99.5, 99.51, 99.49), Why.TOO_SMALL),
    ],
)
def test_what_is_not_sure_is_inconclusive(
    make_result: Make, one: tuple[float, ...], other: tuple[float, ...], why: Why
) -> None:
    figure = compare(make_result(*one), make_result(*other)).figure("ttft_mean_ms")
    assert figure is not None
    assert (figure.verdict, figure.why) == (Verdict.INCONCLUSIVE, why)


def test_runs_without_a_steady_state_prove_nothing(make_result: Make, make_repeat: Make) -> None:
    truth = Truth(load=Load.OVERLOADED, flags=(Flag.OVERLOADED,))
    overloaded = make_result(100, 101, 99).model_copy(
        update={"repeats": tuple(make_repeat(place, 100 + place, truth=truth) for place in (1, 2, 3))}
    )
    comparison = compare(overloaded, make_result(80, 81, 79))
    assert comparison.flags == (Flag.OVERLOADED,)
    assert {each.why for each in comparison.figures} == {Why.SPOILED}


def test_more_than_the_declared_difference_is_not_compared(make_result: Make) -> None:
    one = make_result(100, 101, 99, serve={"--max-num-seqs": 64})
    other = make_result(80, 81, 79, serve={"--max-num-seqs": 128, "--dtype": "half"})
    comparison = compare(one, other, "serve.--max-num-seqs")
    assert (comparison.comparable, comparison.beyond, comparison.figures) == (False, ("serve.--dtype",), ())
    assert comparison.differs == {"serve.--dtype": (None, "half"), "serve.--max-num-seqs": (64, 128)}
    assert comparison.figure("ttft_mean_ms") is None
    assert not compare(one, other).comparable


def test_a_repetition_can_be_compared(make_result: Make) -> None:
    comparison = compare(make_result(100, 101, 99), make_result(100, 102, 98))
    assert (comparison.comparable, comparison.declared, comparison.differs) == (True, None, {})


def test_nothing_measured_nothing_compared(make_result: Make) -> None:
    assert compare(make_result(), make_result(1)).beyond == ("repeats",)
    assert compare(make_result(1), make_result(1, fingerprint=None)).beyond == ("fingerprint",)


def test_error_rates_of_nothing_have_no_change(make_result: Make) -> None:
    figure = compare(make_result(100, 101, 99), make_result(80, 81, 79)).figure("error_rate")
    assert figure is not None
    assert figure.change is None


BASE = Fingerprint(
    model="org/model", host="h100", gpu="H100", gpu_count=1, driver="550", serve={"--tensor-parallel-size": 1}
)


@pytest.mark.parametrize(
    ("changed", "declared", "more"),
    [
        ({}, None, ()),
        ({"vllm": "0.33.0", "torch": "2.14"}, "vllm", ()),
        ({"vllm": "0.33.0", "torch": "2.14"}, "torch", ("vllm",)),
        ({"host": "a100", "gpu": "A100", "driver": "560"}, "host", ()),
        ({"gpu_count": 2, "gpus": (0, 1), "serve": {"--tensor-parallel-size": 2}}, "serve.--tensor-parallel-size", ()),
        ({"revision": "abc", "driver": "560"}, "revision", ("driver",)),
        ({"workload": {"request_rate": 5.0}}, "workload.request_rate", ()),
        ({"company": ("somebody",), "client_cores": 0.5, "gpus": (3,)}, None, ()),
        ({"environment": {"VLLM_USE_FLASHINFER": "1"}}, None, ("environment.VLLM_USE_FLASHINFER",)),
    ],
)
def test_a_declared_field_accounts_for_what_comes_with_it(
    changed: dict[str, Any], declared: str | None, more: tuple[str, ...]
) -> None:
    other = Fingerprint.model_validate(BASE.model_dump() | changed)
    assert beyond(differences(BASE, other), declared) == more
