"""What containers, shippers and terminals put around a line comes off; what vLLM wrote stays."""

import json

import pytest

from knowledge.logs.lines import LONGEST, clean, read

SAYS = "ValueError: max_num_batched_tokens (512) is smaller than max_model_len (2048)."

WRAPPED = {
    "plain": SAYS,
    "v0": f"ERROR 11-18 18:07:28 engine.py:389] {SAYS}",
    "v1": f"(EngineCore_DP0 pid=494) ERROR 05-20 00:55:13 [core.py:866] {SAYS}",
    "worker in ray": f"(EngineCore_DP0 pid=6) (RayWorkerWrapper pid=7106, ip=10.0.0.2) ERROR 02-24 20:21:57 [worker_base.py:341] {SAYS}",
    "compose": f"vllm-1  | ERROR 11-18 18:07:28 engine.py:389] {SAYS}",
    "iso time": f"[2026-02-24T20:21:58Z] (EngineCore_DP0 pid=6) ERROR 02-24 20:21:57 [core.py:866] {SAYS}",
    "containerd": f"2026-02-24T20:21:58.123456789Z stderr F ERROR 02-24 20:21:57 [core.py:866] {SAYS}",
    "stern": f"[pod/vllm-7d9c4/vllm] ERROR 02-24 20:21:57 [core.py:866] {SAYS}",
    "journal": f"Feb 24 20:21:58 gpu-01 vllm[812]: ERROR 02-24 20:21:57 [core.py:866] {SAYS}",
    "journal in chinese": f"2月 24 20:21:58 gpu-01 vllm[812]: ERROR 02-24 20:21:57 [core.py:866] {SAYS}",
    "google cloud": f"ERROR 2025-05-04T12:38:36.096633600Z [resource.labels.containerName: vllm] (VllmWorker rank=4 pid=5) ERROR 05-04 12:38:38 multiproc_executor.py:380] {SAYS}",
    "coloured": f"\x1b[36m(EngineCore_DP0 pid=494)\x1b[0;0m \x1b[31mERROR\x1b[0m 05-20 00:55:13 [core.py:866] {SAYS}",
    "colours as text": f"^[[36m(EngineCore_DP0 pid=494)^[[0;0m ERROR 05-20 00:55:13 [core.py:866] {SAYS}",
    "colours without escape": f"[1;36m(EngineCore_DP0 pid=494)[0;0m ERROR 05-20 00:55:13 [core.py:866] {SAYS}",
    "syslog colours": f"#033[36m(EngineCore_DP0 pid=494)#033[0;0m ERROR 05-20 00:55:13 [core.py:866] {SAYS}#015",
    "torchrun": f"[rank0]: {SAYS}",
    "quoted mail": f"> ERROR 05-20 00:55:13 [core.py:866] {SAYS}",
}


@pytest.mark.parametrize("raw", WRAPPED.values(), ids=WRAPPED.keys())
def test_wrappers_come_off(raw: str) -> None:
    assert clean(raw).text == SAYS


def test_process_level_and_place_are_kept() -> None:
    line = clean(WRAPPED["v1"])
    assert (line.process, line.level, line.source) == ("EngineCore_DP0 pid=494", "ERROR", "core.py:866")


def test_the_rank_that_torchrun_prints_tells_writers_apart() -> None:
    assert clean(WRAPPED["torchrun"]).process == "rank 0"


@pytest.mark.parametrize("place", ["[monitor.py:34] ", "[metrics.py:96] ", "[multiproc_executor.py:380] "])
def test_a_place_that_begins_with_m_is_no_colour(place: str) -> None:
    assert clean(f"INFO 02-12 15:00:36 {place}{SAYS}").source == place.strip(" []")


def test_the_indentation_of_a_frame_stays() -> None:
    assert clean('ERROR 05-20 00:55:13 [core.py:866]   File "x.py", line 1, in f').text == '  File "x.py", line 1, in f'


@pytest.mark.parametrize("key", ["log", "message", "msg", "textPayload", "MESSAGE"])
def test_what_a_json_line_carries_is_read(key: str) -> None:
    assert [line.text for line in read([json.dumps({"time": "2026", key: SAYS + "\n"})])] == [SAYS]


def test_an_exception_beside_a_json_message_is_read_too() -> None:
    record = {"message": "failed", "exc_info": f"Traceback (most recent call last):\n{SAYS}"}
    assert [line.text for line in read([json.dumps(record)])] == ["failed", "Traceback (most recent call last):", SAYS]


@pytest.mark.parametrize("raw", ["{not json}", '{"a": 1}', "{" * 5000 + "}"], ids=["broken", "no text", "deep"])
def test_braces_that_carry_no_log_stay_as_they_are(raw: str) -> None:
    assert [line.raw for line in read([raw])] == [raw]


def test_a_very_long_line_is_cut() -> None:
    (line,) = read(["x" * (LONGEST + 5)])
    assert len(line.raw) == LONGEST


def test_lines_are_counted_from_one() -> None:
    assert [line.number for line in read("a\nb")] == [1, 2]
