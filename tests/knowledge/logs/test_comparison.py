"""What a start logged beside what was predicted for it."""

from dataclasses import replace
from datetime import UTC, datetime

from knowledge.fit.observed import Missing, Observed
from knowledge.logs.comparison import compare, kept_start
from knowledge.logs.diagnosis import Said
from knowledge.logs.startup import read_startup

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
# tests/data/startups, row 143: Llama-3.1-8B on an H100 at 0.95, context 2,048
LOG = (
    "INFO 08-01 10:00:00 [api_server.py:1] vLLM API server version 0.19.0\n"
    "INFO 08-01 10:00:00 [x.py:1] non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 2048, "
    "'gpu_memory_utilization': 0.95}\n"
    "INFO 08-01 10:00:00 [x.py:1] Model loading took 14.99 GiB and 9.0 seconds\n"
    "INFO 08-01 10:00:00 [x.py:1] Available KV cache memory: 58.11 GiB\n"
)
H100 = Said(gpu="H100 80GB", count=1)


def test_every_logged_term_stands_beside_its_prediction() -> None:
    kept = kept_start(read_startup(LOG), H100, "gpu-01", WHEN)
    assert isinstance(kept, Observed)
    rows = {row.term: row for row in compare(kept)}
    assert set(rows) == {"weights", "kv_cache"}
    assert rows["weights"].observed == 14.99
    assert abs(rows["weights"].predicted.expected - 14.99) < 0.05
    assert abs(rows["kv_cache"].predicted.expected - 58.11) < 1.5


def test_the_card_of_the_message_gives_the_total() -> None:
    kept = kept_start(read_startup(LOG), H100, "gpu-01", WHEN)
    assert isinstance(kept, Observed)
    assert 79 < kept.total_gib < 80


def test_without_a_card_the_total_is_missing() -> None:
    assert kept_start(read_startup(LOG), Said(), "gpu-01", WHEN) == Missing(("total_gib",))


def test_the_share_is_the_releases_default_where_no_flag_set_it() -> None:
    kept = kept_start(replace(read_startup(LOG), utilization=None), H100, "gpu-01", WHEN)
    assert isinstance(kept, Observed)
    assert kept.utilization == 0.9  # 0.92 since 0.20


def test_a_version_that_says_nothing_has_no_default_share() -> None:
    start = replace(read_startup(LOG), version="nightly", utilization=None)
    assert kept_start(start, H100, "gpu-01", WHEN) == Missing(("utilization",))


def test_a_model_that_is_not_listed_cannot_be_kept() -> None:
    start = replace(read_startup(LOG), model="me/mine", args={})
    assert kept_start(start, H100, "gpu-01", WHEN) == Missing(("model",))


def test_a_command_that_the_estimator_refuses_has_no_prediction() -> None:
    kept = kept_start(read_startup(LOG), H100, "gpu-01", WHEN)
    assert isinstance(kept, Observed)
    assert compare(kept.model_copy(update={"tp": 3})) == ()
