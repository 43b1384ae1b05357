"""Run by estimator.py with the interpreter of a venv that has aiconfigurator: starts in as JSON lines, its KV cache out."""

import contextlib
import io
import json
import sys
from typing import Any

SYSTEMS = {
    "H100": "h100_sxm",
    "H200": "h200_sxm",
    "A100": "a100_sxm",
    "L40S": "l40s",
    "L4": "l4",
    "B200": "b200_sxm",
    "RTX PRO 6000": "rtx_pro_6000_server",
}
GEMM = {"fp8": "fp8", "awq": "int4_wo", "gptq": "int4_wo", "w8a8": "int8_wo", "compressed-tensors-int4": "int4_wo"}
# Models whose config.json it does not bring, as one of the same dimensions that it does.
SAME_DIMENSIONS = {
    "meta-llama/Llama-3.1-8B-Instruct": "meta-llama/Meta-Llama-3.1-8B",
    "meta-llama/Meta-Llama-3-8B": "meta-llama/Meta-Llama-3.1-8B",
    "meta-llama/Llama-3.3-70B-Instruct": "meta-llama/Meta-Llama-3.1-70B",
    "Qwen/Qwen3-8B-FP8": "Qwen/Qwen3-8B",
}


def answer(row: dict[str, Any]) -> dict[str, Any]:
    """Its estimate, or why there is none."""
    from aiconfigurator_core.sdk.memory import estimate_kv_cache  # type: ignore[import-not-found]

    asked = row["request"]
    name = str(asked.get("gpu") or "").upper()
    system = next((found for card, found in SYSTEMS.items() if name.startswith(card) or name == card), None)
    if system is None:
        return {"error": "no such system"}
    total = asked.get("gpu_memory_gib")
    tp, dp = asked.get("tp", 1), asked.get("dp", 1)
    expert_parallel = asked.get("enable_expert_parallel", False)
    found = estimate_kv_cache(
        SAME_DIMENSIONS.get(asked["model"], asked["model"]),
        system,
        "vllm",
        "current",
        max_num_tokens=asked.get("max_num_batched_tokens") or 8192,
        max_batch_size=asked.get("max_num_seqs") or 256,
        memory_fraction_kind="of_total",
        memory_fraction_value=asked.get("gpu_memory_utilization") or 0.9,
        tp_size=tp,
        pp_size=asked.get("pp", 1),
        attention_dp_size=dp,
        moe_tp_size=1 if expert_parallel else tp * dp,
        moe_ep_size=tp * dp if expert_parallel else 1,
        gemm_quant_mode=GEMM.get(asked.get("quantization") or ""),
        kvcache_quant_mode="fp8" if asked.get("kv_cache_dtype") == "fp8" else None,
        gpu_memory_capacity_bytes_override=int(total * 2**30) if total else None,
    )
    return {"gib": found["total_kv_size_bytes"] / 2**30, "tokens": found["total_kv_size_tokens"]}


def main() -> None:
    """One answer a line."""
    for line in sys.stdin:
        row = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                found = answer(row)
            except Exception as error:  # noqa: BLE001 - whatever it raises counts as no answer
                found = {"error": str(error)[:200]}
        print(json.dumps({"id": row["id"], **found}))


if __name__ == "__main__":
    main()
