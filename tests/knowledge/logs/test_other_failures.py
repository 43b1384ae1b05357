"""Layouts, quantised checkpoints, builds, flags and requests: figures computed from the line and the model."""

import pytest

from knowledge.logs.diagnosis import Said, diagnose

V1 = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.10.0\n"
QWEN = Said(model="Qwen/Qwen2.5-7B-Instruct", count=8)  # 28 heads, 4 KV heads


def test_heads_that_do_not_divide_name_the_sizes_that_do() -> None:
    says = "  Value error, Total number of attention heads (28) must be divisible by tensor parallel size (8).\n"
    facts = diagnose("", V1 + says, said=QWEN).facts
    assert facts["sizes"] == [1, 2, 4]  # divisors of 28 up to 8 that the 4 KV heads allow
    assert (facts["tp_to"], facts["dp"]) == (4, 2)
    assert facts["odd"] == 7


def test_heads_of_an_unknown_model_are_only_divided() -> None:
    says = "  Value error, Total number of attention heads (28) must be divisible by tensor parallel size (8).\n"
    assert diagnose("", V1 + says).facts["sizes"] == [1, 2, 4, 7]


def test_a_number_of_the_image_encoder_is_told_as_such() -> None:
    log = (
        V1 + "Traceback (most recent call last):\n"
        '  File "/x/vllm/model_executor/models/intern_vit.py", line 1, in __init__\n'
        "AssertionError: 25 is not divisible by 4\n"
    )
    facts = diagnose("", log).facts
    assert facts["vision"] is True
    assert facts["sizes"] == [1, 5, 25]


def test_experts_that_do_not_divide_name_the_neighbours() -> None:
    says = "AssertionError: n_physical_experts=256 must be divisible by ep_size=3. Adjust num_redundant_experts.\n"
    facts = diagnose("", V1 + says).facts
    assert (facts["below"], facts["above"]) == (2, 4)


def test_more_ranks_than_gpus_come_down_to_what_is_there() -> None:
    says = "ValueError: World size (4) is larger than the number of available GPUs (3) in this node.\n"
    assert diagnose("", V1 + says).facts["tp_to"] == 2


def test_the_first_collective_that_hangs_is_the_transports_fault() -> None:
    says = "[rank0]:[E ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600086 milliseconds before timing out.\n"
    facts = diagnose("", V1 + says).facts
    assert (facts["minutes"], facts["first"]) == (10, True)


def test_a_segment_of_shared_memory_is_told_in_mib() -> None:
    says = "node:77:301 [1] misc/shmutils.cc:140 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-8QnUgX (size 33030528), error: No space left on device (28)\n"
    assert diagnose("", says).facts["mib"] == 32


def test_waits_before_a_hang_are_counted() -> None:
    wait = (
        "INFO 07-01 10:00:00 [shm_broadcast.py:466] No available shared memory broadcast block found in 60 seconds.\n"
    )
    says = (
        "(EngineCore_DP0 pid=3) ERROR 07-01 10:05:00 [core.py:1] TimeoutError: RPC call to sample_tokens timed out.\n"
    )
    facts = diagnose("", V1 + wait * 3 + says).facts
    assert facts["waits"] == 3


def test_groups_of_a_quantised_row_give_the_sizes() -> None:
    said = Said(model="Qwen/Qwen2.5-72B-Instruct", tp=2)
    says = "ValueError: The input size is not aligned with the quantized weight shape. This can be caused by too large tensor parallel size.\n"
    facts = diagnose("", V1 + says, said=said).facts
    assert (facts["inner"], facts["groups"]) == (29_568, 231)  # an MLP of 29,568 in groups of 128
    assert facts["factors"] == [3, 7, 11]
    assert facts["sizes"] == [1, 3, 7, 11]
    assert facts["padded"] == 29_696  # the next multiple of 2 × 128


def test_a_slice_that_is_no_whole_tile_fits_at_half_the_size() -> None:
    log = V1 + "".join(f"(Worker_TP{rank} pid={rank}) INFO 07-01 10:00:00 [x.py:1] up\n" for rank in range(4))
    facts = diagnose("", log + "RuntimeError: size_n = 5472 is not divisible by tile_n_size = 64\n").facts
    assert facts["tiles"] == 85.5
    assert (facts["tp_to"], facts["size_to"], facts["tiles_to"]) == (2, 10_944, 171)


def test_capabilities_are_written_as_people_write_them() -> None:
    says = "ValueError: The quantization method awq is not supported for the current GPU. Minimum capability: 75. Current capability: 70.\n"
    facts = diagnose("", V1 + says).facts
    assert (facts["needs"], facts["has"]) == ("7.5", "7.0")
    assert (facts["awq"], facts["gptq"], facts["half"]) == (False, True, True)


@pytest.mark.parametrize(
    ("message", "before"),
    [("upgraded 0.23 -> 0.24", "0.23"), ("从 0.23 升级到 0.24 之后", "0.23"), ("it breaks", None)],
)
def test_an_upgrade_in_the_message_tells_which_version_ran(message: str, before: str | None) -> None:
    says = "ValueError: FP8 KV cache is not supported by the Triton attention backend on Quadro RTX 8000 (compute capability 7.5); native FP8 (fp8e4nv) requires SM89+.\n"
    assert diagnose(message, V1 + says).facts.get("before") == before


def test_a_new_card_names_the_builds_that_know_it() -> None:
    says = (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
    )
    facts = diagnose("vllm", says).facts
    assert (facts["cuda"], facts["torch"], facts["driver"]) == ("12.8", "2.7", 570)
    assert facts["card"] == "NVIDIA GeForce RTX 5090"


def test_a_kernel_that_is_missing_is_looked_up_by_the_card_that_the_person_names() -> None:
    facts = diagnose(
        "",
        V1 + "RuntimeError: CUDA error: no kernel image is available for execution on the device\n",
        said=Said(gpu="V100"),
    ).facts
    assert (facts["sm"], facts["old"]) == ("sm_70", True)


def test_the_driver_of_nvidia_smi_stands_beside_the_one_that_is_needed() -> None:
    log = (
        V1 + "torch.AcceleratorError: CUDA error: the provided PTX was compiled with an unsupported toolchain.\n"
        "| NVIDIA-SMI 550.163.01             Driver Version: 550.163.01     CUDA Version: 12.4     |\n"
    )
    facts = diagnose("", log).facts
    assert (facts["has_driver"], facts["has_cuda"]) == ("550.163.01", "12.4")
    assert (facts["cuda"], facts["driver"]) == ("12.8", 570)  # what vLLM 0.10 was built with


def test_a_driver_version_in_torchs_words_is_read() -> None:
    facts = diagnose(
        "", V1 + "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).\n"
    ).facts
    assert facts["has_cuda"] == "11.4"


@pytest.mark.parametrize(
    ("message", "log", "port"),
    [
        (
            "",
            "OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 8080): address already in use\n",
            8080,
        ),
        ("vllm serve m --port 9000", "OSError: [Errno 98] Address already in use\n", 9000),
        ("vllm", "OSError: [Errno 98] Address already in use\n", 8000),
    ],
    ids=["in the line", "in the message", "the default"],
)
def test_the_port_is_named_with_the_next_one(message: str, log: str, port: int) -> None:
    facts = diagnose(message, log).facts
    assert (facts["port"], facts["port_to"]) == (port, port + 1)


def test_removed_flags_name_their_last_release_and_what_took_their_place() -> None:
    log = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.20.0\nvllm: error: unrecognized arguments: --swap-space 16 --max-modle-len 100\n"
    swap, misspelt = diagnose("", log).facts["each"]
    assert swap["flag"] == "--swap-space"
    assert swap["until"] == "0.17.1"
    assert misspelt["near"] == "--max-model-len"


def test_a_flag_of_a_later_release_names_it() -> None:
    log = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.8.0\nvllm: error: unrecognized arguments: --kv-offloading-size 16\n"
    (each,) = diagnose("", log).facts["each"]
    assert each["since"] is not None


def test_an_argument_of_a_class_is_looked_up_as_a_flag() -> None:
    log = V1 + "TypeError: EngineArgs.__init__() got an unexpected keyword argument 'swap_spaces'\n"
    assert diagnose("", log).facts["each"][0]["near"] == "--swap-space"


def test_images_in_one_request_are_written_in_the_versions_spelling() -> None:
    new = diagnose("", V1 + "ValueError: At most 1 image(s) may be provided in one request.\n").facts
    assert (new["wanted"], new["json"]) == (2, True)
    old = diagnose(
        "", V1.replace("0.10.0", "0.9.1") + "ValueError: At most 1 image(s) may be provided in one request.\n"
    ).facts
    assert old["json"] is False


def test_a_lora_rank_is_rounded_up_to_one_that_is_allowed() -> None:
    assert diagnose("", V1 + "ValueError: LoRA rank 48 is greater than max_lora_rank 16.\n").facts["rank_to"] == 64


def test_batched_tokens_hold_the_largest_item() -> None:
    says = "ValueError: Chunked MM input disabled but max_tokens_per_mm_item (16385) is larger than max_num_batched_tokens (2048). Please increase max_num_batched_tokens.\n"
    assert diagnose("", V1 + says).facts["batched_to"] == 32_768


def test_vocabularies_are_told_apart_by_rows() -> None:
    says = "  Value error, Target and draft model should have the same vocabulary size. Target model vocab_size=152064. Draft model vocab_size=151936.\n"
    assert diagnose("", V1 + says).facts["apart"] == 128


def test_a_context_beyond_the_models_own_is_a_factor() -> None:
    says = "ValueError: User-specified max_model_len (131072) is greater than the derived max_model_len (max_position_embeddings=32768.0 or model_max_length=None in model's config.json).\n"
    assert diagnose("", V1 + says).facts["factor"] == 4.0


def test_what_fits_beside_the_prompt_and_beside_the_answer() -> None:
    says = "ValueError: This model's maximum context length is 16384 tokens. However, you requested 16500 tokens (12500 in the messages, 4000 in the completion).\n"
    facts = diagnose("", V1 + says).facts
    assert (facts["over"], facts["prompt_to"], facts["output_to"]) == (116, 12_384, 3884)


def test_a_prompt_that_is_too_long_alone() -> None:
    says = "ValueError: The decoder prompt (length 40000) is longer than the maximum model length of 32768.\n"
    assert diagnose("", V1 + says).facts["over"] == 7232


def test_the_version_of_the_message_counts_where_the_log_has_none() -> None:
    assert diagnose("vllm 0.9.2, fails", "vllm: error: unrecognized arguments: --foo\n").facts["version"] == "0.9.2"


def test_a_version_that_is_none_is_passed_over() -> None:
    assert "version" not in diagnose("on 0.999.1", "vllm: error: unrecognized arguments: --foo\n").facts


def test_only_the_consequence_sends_back_for_the_whole_log() -> None:
    says = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_DP0': 1}\n"
    found = diagnose("", says)
    assert (found.cause, found.text, found.confidence) == ("engine-dead", "general.root_above", "low")


def test_one_token_over_and_over_is_blamed_on_the_quantisation_that_the_log_names() -> None:
    log = (
        "INFO 04-17 14:20:04 llm_engine.py:74] Initializing an LLM engine (v0.4.0) with config: model='m', dtype=torch.float16, quantization=gptq\n"
        '{"choices":[{"message":{"content":"!!!!!!!!!!!!!!!!!!!!!!!!!!!!"}}]}\n'
    )
    found = diagnose("garbage", log)
    assert (found.cause, found.facts["quantization"], found.facts["old_gptq"]) == ("garbled-output", "gptq", True)
    assert "quantization=gptq" in found.deciding_line


def test_one_token_over_and_over_is_quoted_itself_where_nothing_else_is_known() -> None:
    found = diagnose("vllm answers this", '{"choices":[{"message":{"content":"!!!!!!!!!!!!!!!!!!!!!!!!!!!!"}}]}\n')
    assert "!!!!" in found.deciding_line


def test_how_often_requests_were_preempted_is_the_last_count() -> None:
    line = "WARNING 08-20 10:18:39 scheduler.py:1141] Sequence group {0} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. total_num_cumulative_preemption={0}\n"
    assert diagnose("", line.format(1) + line.format(51)).facts["preemptions"] == 51


def test_groups_of_an_unknown_model_are_not_guessed() -> None:
    says = "ValueError: The input size is not aligned with the quantized weight shape. This can be caused by too large tensor parallel size.\n"
    assert "groups" not in diagnose("", V1 + says).facts


def test_a_tile_without_sizes_stays_without_figures() -> None:
    says = "ValueError: The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128.\n"
    assert "tp_to" not in diagnose("", V1 + says).facts


def test_a_card_named_by_nobody_has_no_architecture() -> None:
    facts = diagnose(
        "", V1 + "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    ).facts
    assert "sm" not in facts


def test_a_repository_that_is_not_there_is_named() -> None:
    says = "OSError: qwen/nothing is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'\n"
    assert diagnose("", V1 + says).facts["model"] == "qwen/nothing"


def test_a_path_of_another_machine_is_shortened_to_its_last_part() -> None:
    args = "INFO [x.py:1] non-default args: {'model': '/mnt/models/Qwen2.5-7B-Instruct'}\n"
    assert (
        diagnose("", V1 + args + "ValueError: LoRA rank 64 is greater than max_lora_rank 16.\n").facts["model"]
        == "Qwen2.5-7B-Instruct"
    )


def test_a_card_nobody_sells_is_passed_over() -> None:
    facts = diagnose("", V1 + "RuntimeError: CUDA error: out of memory\n", said=Said(gpu="Voodoo 3")).facts
    assert "total_gib" not in facts
