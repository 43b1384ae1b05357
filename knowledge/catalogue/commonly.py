"""The models that most people run today: for tables over which model fits a card."""

COMMON = (
    "Qwen/Qwen3-0.6B",
    "meta-llama/Llama-3.2-3B-Instruct",
    "Qwen/Qwen3-4B-Instruct-2507",
    "meta-llama/Llama-3.1-8B-Instruct",
    "Qwen/Qwen3-8B",
    "google/gemma-3-12b-it",
    "Qwen/Qwen3-14B",
    "openai/gpt-oss-20b",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    "Qwen/Qwen3-30B-A3B-Instruct-2507",
    "Qwen/Qwen3-32B",
    "meta-llama/Llama-3.3-70B-Instruct",
    "openai/gpt-oss-120b",
    "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "deepseek-ai/DeepSeek-R1",
)


def common() -> tuple[str, ...]:
    """Ids from the smallest to the largest."""
    return COMMON
