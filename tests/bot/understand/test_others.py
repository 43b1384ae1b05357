"""Questions about other programs, about training and about chores are told from those about serving with vLLM."""

import pytest

from bot.understand.others import others


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ollama modelfile num_ctx", id="another engine"),
        pytest.param("comfyui is out of memory", id="pictures"),
        pytest.param("how to quantize my yolo model with tensorrt", id="a model that is not served"),
        pytest.param("openai api key cost per month", id="a service of others"),
        pytest.param("mysql 慢查询怎么优化", id="a database"),
        pytest.param("docker build cache not used", id="a chore"),
        pytest.param("chatgpt 怎么充值", id="a chatbot"),
        pytest.param("is the cluster down", id="news"),
        pytest.param("how many epochs should i train my qlora", id="training"),
        pytest.param("how do i merge a lora into base weights w/ peft", id="merging"),
        pytest.param("which model is best for coding", id="which model is cleverest"),
    ],
)
def test_other_work_is_recognised(text: str) -> None:
    assert others(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ollama vs vllm for 20 users", id="compared with another engine"),
        pytest.param("comfyui and vllm share a card", id="pictures beside vllm"),
        pytest.param("redis for kv cache of prompts", id="a database beside the cache"),
        pytest.param("docker image too big for vllm", id="a chore with vllm"),
        pytest.param("local alternative to chatgpt", id="instead of a chatbot"),
        pytest.param("how to serve several fine-tuned models", id="tuned models served"),
        pytest.param("自己微调的模型说完了还一直往下编", id="a tuned model that does not stop"),
        pytest.param("lora adapters after training: how to deploy", id="training before serving"),
        pytest.param("which model is best for coding on a 24gb gpu", id="which model for a card"),
        pytest.param("old tutorial says vllm_use_v1=1", id="a variable of vLLM"),
        pytest.param("first token is slow", id="plain"),
    ],
)
def test_serving_is_left_alone(text: str) -> None:
    assert not others(text)
