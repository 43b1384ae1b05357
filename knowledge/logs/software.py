"""Whose text it is: vLLM's, or another program's whose failures are not ours to explain."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from knowledge.logs.lines import Line
from knowledge.logs.needles import Needles

# What only vLLM writes: its processes, paths, metric names and headings.
_OURS = re.compile(
    r"(?i:\bvllm\b|vllm[/:_.]|vllmworker)|EngineCore|APIServer|LLM engine \(v|\bLLMEngine\b|RayWorkerWrapper|KV [Cc]ache (?:size|usage|memory)"
    r"|max_num_batched_tokens|max_num_seqs|gpu_memory_utilization|# (?:GPU|cuda|CUDA) blocks|Serving Benchmark Result|Worker_TP\d"
)
_SOURCE = re.compile(
    r"(?:core|core_client|gpu_worker|gpu_model_runner|model_runner|worker|llm_engine|async_llm|loggers|kv_cache_utils|multiproc_executor|"
    r"multiproc_worker_utils|worker_base|arg_utils|api_server|serving_chat|config|parallel_state|shm_broadcast|launcher|engine|metrics)\.py:\d+"
)
THEIRS: tuple[tuple[str, str], ...] = (
    (
        "text-generation-inference (TGI)",
        r"text_generation_(?:launcher|server|router)|text-generation-(?:launcher|inference|server)|ShardCannotStart",
    ),
    (
        "SGLang",
        r"sglang|--mem-fraction-static|mem_fraction_static|TP\d\] (?:Load weight|Scheduler hit)|\bTokenizerManager\b",
    ),
    ("TensorRT-LLM", r"tensorrt_llm|TensorRT-LLM|\[TRT-LLM\]|\[TRT\]|trtllm-(?:build|serve)"),
    ("Ollama", r"\bollama\b|msg=\"(?:llama runner|offload to|model request too large|loaded runners)"),
    (
        "llama.cpp",
        r"\bllama_(?:model_load|init|new_context|kv_cache|load_model|perf)\w*\b|\bggml_\w+|llama-server|llama\.cpp|llama_cpp",
    ),
    ("LMDeploy", r"lmdeploy|\[TM\]\[(?:INFO|WARNING|ERROR)\]|turbomind"),
    ("Triton Inference Server", r"tritonserver|model_repository_manager\.cc|triton_python_backend|\bpb_stub\.cc"),
    ("DeepSpeed", r"deepspeed(?:/|\.|:| --)|\[deepspeed\]|DeepSpeedEngine"),
    ("LMStudio", r"LM ?Studio"),
    ("ExLlama", r"exllamav?[23]"),
    ("MLC-LLM", r"mlc[_-]llm"),
    ("KTransformers", r"ktransformers"),
    ("ComfyUI", r"ComfyUI|comfy/"),
    ("Stable Diffusion WebUI", r"stable-diffusion-webui|modules/sd_|diffusers/"),
    ("text-generation-webui", r"text-generation-webui"),
    (
        "a Transformers training run",
        r"transformers/trainer\.py|Trainer\.train|trl/trainer|accelerate/commands|llamafactory/|unsloth/models|axolotl|pytorch_lightning|train\.py",
    ),
    ("Transformers on its own", r"transformers/generation/utils\.py|model\.generate\("),
    ("MindIE", r"mindie|MindIE"),
    ("OpenVINO", r"openvino"),
    ("PostgreSQL", r"FATAL:  .{0,60}(?:database|role|password)|postgres(?:ql)?\b.{0,20}(?:LOG|ERROR|FATAL)"),
    ("nginx", r"nginx: \[|\[error\] \d+#\d+:"),
    ("Java", r"java\.lang\.\w+(?:Exception|Error)|at [\w.$]+\([\w]+\.java:\d+\)"),
    ("npm", r"npm ERR!"),
    ("Redis", r"WRONGTYPE Operation|# Server initialized|\* Ready to accept connections"),
)


@dataclass(slots=True)
class Software:
    """Counts signs from lines as they come."""

    ours: int = 0
    theirs: Counter[str] = field(default_factory=Counter)
    lines: dict[str, Line] = field(default_factory=dict)

    def feed(self, line: Line) -> None:
        """Takes a line."""
        text = line.raw[:4000]
        name = _foreign(text)
        if name is not None:
            self.theirs[name] += 1
            if name not in self.lines or _tells_trouble(text):
                self.lines.setdefault(name, line)
            return
        if line.process or (line.source and _SOURCE.fullmatch(line.source)) or _OURS.search(text):
            self.ours += 1

    @property
    def foreign(self) -> str | None:
        """The other program that wrote it; None where it is vLLM's or nobody's in particular.

        Some programs import pieces of vLLM, and some logs of vLLM name another program once: the more signs decide.
        """
        if not self.theirs:
            return None
        name, count = self.theirs.most_common(1)[0]
        return name if count > self.ours else None


def _foreign(text: str) -> str | None:
    patterns, index = _patterns()
    return next(
        (patterns[place][0] for place in index.owners(text.lower()) if patterns[place][1].search(text)),
        None,
    )


def _tells_trouble(text: str) -> bool:
    return "rror" in text or "ailed" in text


_WORDS: dict[str, tuple[str, ...]] = {
    "text-generation-inference (TGI)": ("text_generation", "text-generation", "shardcannotstart"),
    "SGLang": ("sglang", "mem-fraction", "mem_fraction", "] load weight", "scheduler hit", "tokenizermanager"),
    "TensorRT-LLM": ("tensorrt_llm", "tensorrt-llm", "[trt", "trtllm"),
    "Ollama": ("ollama", "msg="),
    "llama.cpp": ("llama_", "ggml_", "llama-server", "llama.cpp"),
    "LMDeploy": ("lmdeploy", "[tm]", "turbomind"),
    "Triton Inference Server": ("tritonserver", "model_repository", "triton_python_backend", "pb_stub"),
    "DeepSpeed": ("deepspeed",),
    "LMStudio": ("lmstudio", "lm studio"),
    "ExLlama": ("exllama",),
    "MLC-LLM": ("mlc",),
    "KTransformers": ("ktransformers",),
    "ComfyUI": ("comfy",),
    "Stable Diffusion WebUI": ("stable-diffusion", "modules/sd_", "diffusers/"),
    "text-generation-webui": ("text-generation-webui",),
    "a Transformers training run": ("train", "accelerate/", "llamafactory", "unsloth/", "axolotl", "lightning"),
    "Transformers on its own": ("transformers/generation", "model.generate("),
    "MindIE": ("mindie",),
    "OpenVINO": ("openvino",),
    "PostgreSQL": ("fatal:  ", "postgres"),
    "nginx": ("nginx", "[error]"),
    "Java": ("java",),
    "npm": ("npm err",),
    "Redis": ("wrongtype", "# server init", "ready to accept"),
}


@lru_cache(maxsize=1)
def _patterns() -> tuple[list[tuple[str, re.Pattern[str]]], Needles]:
    compiled = [(name, re.compile(pattern)) for name, pattern in THEIRS]
    return compiled, Needles((word, place) for place, (name, _) in enumerate(THEIRS) for word in _WORDS[name])
