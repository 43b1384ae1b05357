"""Well-known models of about a size, where a question says a size and no name."""

from math import log

from knowledge import catalogue

# One or two of each size that people mean by it, beside those that are common anyway; all are in the catalogue.
WELL_KNOWN = (
    "Qwen/Qwen2.5-1.5B-Instruct",
    "Qwen/Qwen2.5-7B-Instruct",
    "mistralai/Mistral-7B-Instruct-v0.3",
    "Qwen/Qwen2.5-14B-Instruct",
    "microsoft/phi-4",
    "google/gemma-3-27b-it",
    "Qwen/Qwen2.5-32B-Instruct",
    "01-ai/Yi-1.5-34B-Chat",
    "mistralai/Mixtral-8x7B-Instruct-v0.1",
    "Qwen/Qwen2.5-72B-Instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "zai-org/GLM-4.5-Air",
    "mistralai/Mistral-Large-Instruct-2411",
    "mistralai/Mixtral-8x22B-Instruct-v0.1",
    "zai-org/GLM-4.5",
    "meta-llama/Llama-3.1-405B-Instruct",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    "deepseek-ai/DeepSeek-V3",
    "moonshotai/Kimi-K2-Instruct",
)
NEAR = log(1.15)  # 13b means 12B and 14B too, 7b does not mean 9B
MOST = 4
SMALLEST = 0.01  # billions: whatever is less is no model's size


def of_size(billions: float) -> tuple[str, ...]:
    """At most four models, the nearest in size first; the two nearest where none is near."""
    ids = dict.fromkeys((*catalogue.common(), *WELL_KNOWN))
    wanted = max(billions, SMALLEST)
    apart = sorted((abs(log(_billions(model_id) / wanted)), place) for place, model_id in enumerate(ids))
    near = [place for distance, place in apart if distance <= NEAR][:MOST]
    chosen = near or [place for _, place in apart[:2]]
    return tuple(list(ids)[place] for place in chosen)


def _billions(model_id: str) -> float:
    return catalogue.find(model_id).parameters() / 1e9
