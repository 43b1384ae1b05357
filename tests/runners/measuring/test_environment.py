"""What vLLM is told by its environment."""

from runners.measuring.environment import for_bench, for_server, passed, telling

OURS = {
    "PATH": "/bin",
    "HF_TOKEN": "hf_x",
    "VLLM_LOGGING_LEVEL": "INFO",
    "CUDA_VISIBLE_DEVICES": "7",
    "SLACK_BOT_TOKEN": "xoxb-1",
    "TUNING_BOT_AGENT_TOKEN": "t",
    "OPENAI_API_KEY": "sk-1",
    "VLLM_API_KEY": "k",
    "AWS_SECRET_ACCESS_KEY": "a",
}


def test_no_secret_of_ours_reaches_vllm() -> None:
    assert passed(OURS) == {"PATH": "/bin", "HF_TOKEN": "hf_x", "VLLM_LOGGING_LEVEL": "INFO"}


def test_a_server_sees_its_gpus_and_can_empty_its_cache() -> None:
    told = for_server(OURS, {"NCCL_DEBUG": "WARN"}, (0, 3))
    assert told["CUDA_VISIBLE_DEVICES"] == "0,3"
    assert told["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert told["VLLM_SERVER_DEV_MODE"] == "1"
    assert told["NCCL_DEBUG"] == "WARN"
    assert "CUDA_VISIBLE_DEVICES" not in for_server(OURS, {}, ())


def test_the_client_sees_no_gpu_and_only_the_key_it_needs() -> None:
    assert for_bench(OURS, {}, None)["CUDA_VISIBLE_DEVICES"] == ""
    assert "OPENAI_API_KEY" not in for_bench(OURS, {}, None)
    assert for_bench(OURS, {}, "sk-2")["OPENAI_API_KEY"] == "sk-2"


def test_the_fingerprint_has_what_can_change_a_figure_and_no_secret() -> None:
    told = for_server(OURS, {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_PLUGIN_TOKEN": "secret"}, (0,))
    assert telling(told) == {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_LOGGING_LEVEL": "INFO",
        "VLLM_PLUGIN_TOKEN": "…",
    }
