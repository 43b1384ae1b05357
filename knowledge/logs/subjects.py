"""What an exception that has no signature is about, by the words that it uses and the part of vLLM that raised it."""

import re
from functools import lru_cache

from knowledge.logs.tracebacks import Traceback

# Words, and the topic that they belong to; the first that stands in the message counts.
WORDS: tuple[tuple[str, str], ...] = (
    (r"watermark|profiler|OpenTelemetry|otlp", "deprecated-flags"),
    (r"(?i)\btool[ _-]?(?:s\b|call|choice|parser)|function[ _]call", "tool-calling"),
    (
        r"response_format|json_schema|structured[ _-]?output|structural_tag|guided_|\bgrammar|xgrammar|outlines",
        "structured-output",
    ),
    (r"(?i)reasoning", "reasoning-parser"),
    (r"(?i)chat[ _-]template|jinja", "chat-template"),
    (r"(?i)tokenizer|detokeniz", "tokenizer-error"),
    (r"(?i)\blora\b|max_lora|adapter", "lora"),
    (r"(?i)speculat|\bdraft|\beagle|\bMTP\b|ngram|medusa", "speculative-decoding"),
    (r"(?i)multi-?modal|\bmm_|limit_mm|\bimages?\b|\bvideos?\b|\baudio", "multimodal-memory"),
    (r"(?i)kv[ _-]?(?:connector|transfer|role)|disaggregat|nixl|mooncake|producer|P/D", "disaggregated-prefill"),
    (r"(?i)kv[ _-]?offload|offloading_size|LMCache", "kv-offload"),
    (r"(?i)cpu[ _-]?offload|offload_gb|pinned memory|\bUVA\b", "cpu-offload"),
    (r"(?i)sleep[ _]mode|wake[ _]up", "sleep-mode"),
    (r"(?i)prefix[ _-]cach", "prefix-caching"),
    (r"(?i)all2all|expert[ _-]parallel|\bEPLB\b|\bDeepEP|redundant_experts|num_experts", "expert-parallel"),
    (r"(?i)data[ _-]parallel", "data-parallel"),
    (r"(?i)pipeline[ _-]parallel|\bPP\b", "pipeline-parallel"),
    (r"(?i)(?:tensor|context)[ _-](?:model[ _-])?parallel|\bTP\b|attention heads|KV heads", "tensor-parallel-size"),
    (r"(?i)mamba|\bssm|state cache|linear attention", "mamba-cache-blocks"),
    (r"(?i)kv[ _-]?cache[ _-]?dtype|FP8 KV|quantized KV", "kv-cache-dtype-fp8"),
    (r"(?i)kv[ _-]?cache", "kv-cache-oom-at-startup"),
    (r"(?i)quantiz|\bfp8\b|\bawq\b|gptq|marlin|bitsandbytes|compressed.tensors|deep_?gemm|nvfp4|mxfp4", "quantization"),
    (r"(?i)cuda[ _]?graph|capture_size", "cuda-graph-memory"),
    (r"(?i)compil|inductor|dynamo|triton", "torch-compile-failure"),
    (r"(?i)attention[ _](?:backend|impl)|flash[ _-]?(?:attn|attention|infer|mla)|head_?dim|head size", "attention-backend"),
    (r"(?i)\brope|rotary|yarn", "rope-scaling"),
    (r"max_num_batched_tokens|max-num-batched-tokens", "max-num-batched-tokens"),
    (r"max_num_seqs|max-num-seqs", "max-num-seqs"),
    (r"(?i)max_model_len|context length", "context-length-error"),
    (r"(?i)bfloat16|\bdtype", "dtype-support"),
    (r"(?i)priorit", "scheduling-priority"),
    (r"(?i)architecture|hf_config|config\.json", "model-arch-unsupported"),
    (r"(?i)checkpoint|safetensors|weights?\b|load_format|revision", "model-download"),
    (r"(?i)\bray\b|placement group|node", "multi-node-ray"),
    (r"(?i)\bnccl|\bgloo|all_?reduce|process group|\brank\b", "nccl-hang"),
)  # fmt: skip
# Parts of vLLM whose own exceptions speak of how it was started or asked; after the words.
PARTS: tuple[tuple[str, str], ...] = (
    ("vllm/config/", "deprecated-flags"),
    ("engine/arg_utils", "deprecated-flags"),
    ("utils/argparse_utils", "deprecated-flags"),
    ("sampling_params", "client-side-limits"),
    ("pooling_params", "client-side-limits"),
    ("/protocol.py", "client-side-limits"),
    ("v1/executor/ray", "multi-node-ray"),
    ("distributed/", "nccl-hang"),
)


@lru_cache(maxsize=1)
def _words() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), topic) for pattern, topic in WORDS)


def subject(trace: Traceback) -> str | None:
    """The topic of an exception; None where neither its words nor its place tell."""
    says = trace.says[:600]
    spoken = next((topic for pattern, topic in _words() if pattern.search(says)), None)
    if spoken is not None:
        return spoken
    inside = next((path for path, _ in reversed(trace.frames) if "vllm/" in path), "")
    return next((topic for part, topic in PARTS if part in inside), None)
