"""The catalogue finds the model that people mean, and the same model in another quantisation."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from knowledge import catalogue
from knowledge.catalogue import add, index, quantised, short_names
from knowledge.catalogue.__main__ import main
from knowledge.errors import Refusal
from knowledge.hub import HubAccess
from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("qwen 72b", "Qwen/Qwen2.5-72B-Instruct"),
        ("qwen 7b", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5 72 b", "Qwen/Qwen2.5-72B-Instruct"),
        ("Qwen2.5-72B", "Qwen/Qwen2.5-72B-Instruct"),
        ("Qwen/Qwen2.5-72B", "Qwen/Qwen2.5-72B"),
        ("qwen3 30b a3b", "Qwen/Qwen3-30B-A3B"),
        ("qwen3-235b", "Qwen/Qwen3-235B-A22B"),
        ("qwen3 14b awq", "Qwen/Qwen3-14B-AWQ"),
        ("ｑｗｅｎ２．５－７ｂ", "Qwen/Qwen2.5-7B-Instruct"),
        ("通义72b", "Qwen/Qwen2.5-72B-Instruct"),
        ("千问3 8b", "Qwen/Qwen3-8B"),
        ("千问", "Qwen/Qwen3-32B"),
        ("qwen2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct"),
        ("qwq", "Qwen/QwQ-32B"),
        ("llama3.3", "meta-llama/Llama-3.3-70B-Instruct"),
        ("llama 70b", "meta-llama/Llama-3.3-70B-Instruct"),
        ("llama 3.1 8b", "meta-llama/Llama-3.1-8B-Instruct"),
        ("llama31 8b", "meta-llama/Llama-3.1-8B-Instruct"),
        ("llama3 8b", "meta-llama/Meta-Llama-3-8B-Instruct"),
        ("LLaMA-2-7b", "meta-llama/Llama-2-7b-chat-hf"),
        ("scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
        ("ds v3", "deepseek-ai/DeepSeek-V3"),
        ("DeepSeek-V3.1", "deepseek-ai/DeepSeek-V3.1"),
        ("r1", "deepseek-ai/DeepSeek-R1"),
        ("671B 满血版", "deepseek-ai/DeepSeek-R1"),
        ("r1 distill 32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"),
        ("智谱 glm4.5 air", "zai-org/GLM-4.5-Air"),
        ("mistral small", "mistralai/Mistral-Small-3.2-24B-Instruct-2506"),
        ("mistral nemo 12b", "mistralai/Mistral-Nemo-Instruct-2407"),
        ("mixtral", "mistralai/Mixtral-8x7B-Instruct-v0.1"),
        ("gpt oss 120b", "openai/gpt-oss-120b"),
        ("phi4", "microsoft/phi-4"),
        ("gemma3 27b", "google/gemma-3-27b-it"),
        ("kimi k2", "moonshotai/Kimi-K2-Instruct-0905"),
        ("command r+", "CohereLabs/c4ai-command-r-plus"),
        ("qwn2.5-32b", "Qwen/Qwen2.5-32B-Instruct"),
        ("lama 3.3 70b", "meta-llama/Llama-3.3-70B-Instruct"),
        ("mixtrall 8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1"),
    ],
)
def test_a_name_finds_the_model_it_means(said: str, meant: str) -> None:
    assert catalogue.find(said).model_id == meant


@pytest.mark.parametrize(
    "name", ["qwen2.5-33b", "gemma 3 28b", "llama 9 70b", "no such thing", "", "!!!", "x" * 100_000]
)
def test_a_name_with_other_numbers_is_no_typo(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        catalogue.find(name)
    assert refused.value.code == "unknown-model"
    assert len(refused.value.error) < 150


def test_an_unknown_name_is_refused_with_the_nearest_ids() -> None:
    with pytest.raises(Refusal) as refused:
        catalogue.find("mixtrall 99x7b")
    assert any("Mixtral" in model_id for model_id in refused.value.facts["near"])
    assert "`mistralai/Mixtral" in refused.value.hint


def test_the_same_name_under_another_organisation_is_the_same_model() -> None:
    mirrored = catalogue.find("unsloth/Llama-3.3-70B-Instruct")
    assert mirrored.model_id == "unsloth/Llama-3.3-70B-Instruct"
    assert mirrored.parameters() == 70_553_706_496


def test_a_quantisation_at_the_end_of_a_name_is_heard() -> None:
    model = catalogue.find("llama 3.1 70b awq")
    assert model.model_id == "meta-llama/Llama-3.1-70B-Instruct"
    assert model.quantization is not None
    assert model.quantization.label == "awq-int4"


def test_a_quantised_build_by_another_organisation_is_the_model_in_that_quantisation() -> None:
    model = catalogue.find("somebody/Mistral-Small-3.1-24B-Instruct-2503-quantized.w8a8")
    assert model.model_id == "somebody/Mistral-Small-3.1-24B-Instruct-2503-quantized.w8a8"
    assert model.quantization is not None
    assert model.quantization.label == "int8"


@pytest.mark.parametrize(
    ("name", "listed", "label"),
    [
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "meta-llama/Llama-3.1-8B-Instruct", "bnb-int4"),
        ("TheBloke/Llama-2-13B-chat-GPTQ", "meta-llama/Llama-2-13b-chat-hf", "gptq-int4"),
        ("cyankiwi/gemma-4-31B-it-AWQ-4bit", "google/gemma-4-31B-it", "awq-int4"),
        ("ISTA-DASLab/gemma-3-27b-it-GPTQ-4b-128g", "google/gemma-3-27b-it", "gptq-int4"),
        ("btbtyler09/Qwen3-Coder-30B-A3B-Instruct-gptq-8bit", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "gptq-int8"),
        ("Intel/Qwen3-30B-A3B-Instruct-2507-int4-AutoRound", "Qwen/Qwen3-30B-A3B-Instruct-2507", "int4"),
        ("nvidia/DeepSeek-R1-FP4", "deepseek-ai/DeepSeek-R1", "nvfp4"),
        ("unsloth/gpt-oss-20b-BF16", "openai/gpt-oss-20b", None),
        ("bartowski/Meta-Llama-3.1-8B-Instruct-GGUF", "meta-llama/Llama-3.1-8B-Instruct", "gguf"),
        ("huihui-ai/DeepSeek-R1-Distill-Qwen-32B-abliterated", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", None),
        ("cognitivecomputations/dolphin-2.9-llama3-8b", "meta-llama/Meta-Llama-3-8B-Instruct", None),
    ],
)
def test_a_repository_is_what_its_name_says_it_is_built_on(name: str, listed: str, label: str | None) -> None:
    found, base = catalogue.resolve(name), catalogue.find(listed)
    assert found.model_id == name
    assert (found.architecture, found.layers) == (base.architecture, base.layers)
    assert (found.quantization.label if found.quantization else None) == label
    assert "taken-as-listed" in found.notes


@pytest.mark.parametrize(
    ("name", "tokens"), [("somebody/Llama-3-8B-Instruct-262k", 268_288), ("somebody/Yi-34B-Chat-1M", 1_000_000)]
)
def test_a_context_in_a_repositorys_name_is_its_own(name: str, tokens: int) -> None:
    assert catalogue.resolve(name).max_context == tokens


@pytest.mark.parametrize(
    "name",
    [
        "zai-org/GLM-4.5V",
        "deepseek-ai/deepseek-vl2",
        "google/gemma-3n-E4B-it",
        "google/gemma-4-12B-it",
        "somebody/Olmo-3-13B-Think",
        "somebody/gpt-neon-20b",
        "Qwen/Qwen3-Omni-30B-A3B-Instruct",
        "llava-hf/llava-v1.6-vicuna-13b-hf",
        "AngelSlim/Qwen3-32B_eagle3",
        "nvidia/Llama-3.1-Nemotron-Nano-3B-v2",
    ],
)
def test_a_name_that_is_another_model_is_not_taken_for_a_listed_one(name: str) -> None:
    with pytest.raises(Refusal):
        catalogue.resolve(name)


def test_a_quantisation_of_nothing_is_unknown() -> None:
    with pytest.raises(Refusal):
        catalogue.find("nothing at all awq")


def test_every_hand_written_name_means_a_listed_model_and_no_two_are_the_same() -> None:
    names = tomllib.loads(short_names.FILE.read_text("utf-8"))["names"]
    assert set(names) <= set(catalogue.ids())
    spelled = [catalogue.normalise(name) for listed in names.values() for name in listed]
    assert len(spelled) == len(set(spelled))


def test_every_alias_means_a_listed_model() -> None:
    assert set(catalogue.aliases().values()) <= set(catalogue.ids())


def test_every_listed_model_is_found_by_its_id_and_has_layers() -> None:
    for model_id in catalogue.ids():
        model = catalogue.find(model_id.upper())
        assert model.model_id == model_id
        assert model.layers
        assert model.max_context >= 512


def test_common_models_are_listed_from_the_smallest_to_the_largest() -> None:
    sizes = [catalogue.find(model_id).parameters() for model_id in catalogue.common()]
    assert sizes == sorted(sizes)
    assert len(sizes) >= 14


def test_the_file_stays_small() -> None:
    assert index.FILE.stat().st_size < 400_000


def test_names_are_compared_in_one_form() -> None:
    assert catalogue.normalise(" Ｑwen2．5 - 7B_Instruct.") == "qwen2.57binstruct"


# quantisation


def bytes_of(model: ModelShape) -> float:
    parts = [*model.outside.items(), *(pair for layer in model.layers for pair in layer.parameters.items())]
    bits = model.quantization.bits_of if model.quantization else lambda part: 16.0
    return sum(number * bits(part) / 8 for part, number in parts if part is not Part.MTP)


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("awq", "awq-int4"),
        ("awq_marlin", "awq-int4"),
        ("GPTQ", "gptq-int4"),
        ("gptq-int8", "gptq-int8"),
        ("w8a8", "int8"),
        ("compressed-tensors", "int4"),
        ("compressed-tensors-int4", "int4"),
        ("modelopt", "fp8"),
        ("modelopt_fp4", "nvfp4"),
        ("bitsandbytes", "bnb-int4"),
        ("gguf", "gguf"),
        ("mxfp4", "mxfp4"),
        ("fp8", "fp8"),
    ],
)
def test_a_word_for_a_quantisation_is_understood(said: str, label: str) -> None:
    found = catalogue.with_quantization(catalogue.find("Qwen/Qwen3-4B-Instruct-2507"), said).quantization
    assert found is not None
    assert found.label == label


def test_a_word_that_is_no_quantisation_is_refused() -> None:
    with pytest.raises(Refusal, match="int3"):
        catalogue.resolve("qwen 7b", "int3")


def test_a_listed_quantised_checkpoint_gives_its_real_bytes() -> None:
    model = catalogue.resolve("Qwen/Qwen3-14B", "awq")
    assert (model.model_id, model.checkpoint_bytes) == ("Qwen/Qwen3-14B", 9_976_576_000)


def test_weights_asked_in_fp8_leave_the_kv_cache_as_it_is() -> None:
    assert catalogue.resolve("meta-llama/Llama-3.1-70B-Instruct", "fp8").kv_cache_dtype == "auto"


def test_what_is_not_listed_is_computed_from_the_weights_by_part() -> None:
    base = catalogue.find("mistralai/Mistral-Nemo-Instruct-2407")
    model = catalogue.with_quantization(base, "awq")
    assert model.checkpoint_bytes is None
    head = base.outside[Part.LM_HEAD]
    small = base.parameters() - 2 * head - 40 * 2 * 5120 - 5120
    assert bytes_of(model) == pytest.approx(small * (4 + 20 / 128) / 8 + 2 * (base.parameters() - small))


def test_mxfp4_holds_for_experts_where_there_are_any() -> None:
    model = catalogue.with_quantization(catalogue.find("Qwen/Qwen3-30B-A3B"), "mxfp4")
    assert model.quantization is not None
    assert model.quantization.parts == {Part.EXPERTS}


@pytest.mark.parametrize("said", ["fp8", "bitsandbytes"])
def test_what_vllm_makes_while_loading_is_marked(said: str) -> None:
    found = catalogue.with_quantization(catalogue.find("HuggingFaceTB/SmolLM3-3B"), said).quantization
    assert found is not None
    assert found.online


def test_a_natively_quantised_model_asked_in_16_bits_has_none() -> None:
    model = catalogue.with_quantization(catalogue.find("deepseek-ai/DeepSeek-R1"), "bf16")
    assert model.quantization is None
    assert bytes_of(model) == 2 * 671_026_404_352


def test_the_quantisation_it_has_is_no_change() -> None:
    model = catalogue.find("deepseek-ai/DeepSeek-R1")
    assert catalogue.with_quantization(model, "fp8") is model


def test_fp16_changes_the_dtype_alone() -> None:
    model = catalogue.with_quantization(catalogue.find("qwen 7b"), "half")
    assert (model.dtype, model.quantization) == ("float16", None)


@pytest.mark.parametrize(
    ("model_id", "variant"),
    [
        ("Qwen/Qwen3-14B", "Qwen/Qwen3-14B-AWQ"),
        ("Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4"),
        ("meta-llama/Llama-3.1-8B-Instruct", "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8"),
        ("meta-llama/Llama-3.3-70B-Instruct", "casperhansen/llama-3.3-70b-instruct-awq"),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4"),
    ],
)
def test_quantised_checkpoints_of_a_model_are_listed_with_it(model_id: str, variant: str) -> None:
    assert variant in catalogue.variants(model_id)
    assert model_id not in catalogue.variants(model_id)


def test_a_model_without_quantised_checkpoints_has_no_variants() -> None:
    assert catalogue.variants("nobody/nothing") == ()


# folders and the hub


def test_a_folder_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    model = catalogue.resolve(str(tmp_path), "fp8")
    assert len(model.layers) == 4
    assert model.quantization is not None


@pytest.mark.parametrize("name", ["/nowhere/at/all", "~nobody/x", "/\0", "/" + "x" * 5000, "a/b\0", "/" + "x" * 300])
def test_a_path_that_leads_nowhere_is_an_unknown_model(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        catalogue.resolve(name)
    assert refused.value.code == "unknown-model"


@pytest.fixture
def nobody_answers() -> Any:
    catalogue.open_hub(HubAccess(endpoint="http://127.0.0.1:9", timeout_s=2.0))
    yield
    catalogue.open_hub(None)


@pytest.mark.usefixtures("nobody_answers")
def test_an_id_that_is_not_listed_goes_to_the_hub_and_its_failure_is_said() -> None:
    with pytest.raises(Refusal) as refused:
        catalogue.resolve("somebody/Qwen3-8B-nano")
    assert refused.value.code == "hub-offline"
    assert "Qwen/Qwen3-8B" in refused.value.facts["near"]


@pytest.mark.usefixtures("nobody_answers")
def test_what_the_hub_cannot_say_is_taken_from_the_name_with_a_note() -> None:
    found = catalogue.resolve("somebody/Qwen3-8B-tuned")
    assert found.model_id == "somebody/Qwen3-8B-tuned"
    assert len(found.layers) == 36
    assert found.notes == ("taken-as-listed",)


class EmptyHub(HubAccess):
    """A hub that has no model."""

    def shape(self, repo_id: str) -> ModelShape:
        raise Refusal("hub-not-found", f"`{repo_id}` is not on the hub.", "Check its spelling.", model=repo_id)


def test_an_id_that_the_hub_has_not_may_be_a_typo_of_a_listed_one() -> None:
    catalogue.open_hub(EmptyHub())
    try:
        assert catalogue.resolve("Qwen/Qwen2.5-7B-Instuct").model_id == "Qwen/Qwen2.5-7B-Instruct"
        with pytest.raises(Refusal, match="not on the hub"):
            catalogue.resolve("nobody/nothing-9b")
    finally:
        catalogue.open_hub(None)


@pytest.mark.usefixtures("nobody_answers")
@pytest.mark.parametrize("name", ["qwen 7b", "Qwen/Qwen3-8B", "unsloth/Qwen3-8B"])
def test_what_is_listed_never_goes_to_the_hub(name: str) -> None:
    assert catalogue.resolve(name).layers


# keeping the file


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A catalogue of two models in a file of its own."""
    kept = tmp_path / "models.jsonl"
    listed = [index.lines()[name] for name in ("Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B-Instruct")]
    kept.write_text("\n".join(listed) + "\n", "utf-8")
    for module in (index, add):
        monkeypatch.setattr(module, "FILE", kept)
    _forget()
    yield kept
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    from knowledge.catalogue import lookup

    for cached in (index.lines, index.shape, short_names.aliases, quantised._families, lookup._by_id):
        cached.cache_clear()


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["catalogue", *arguments])
    main()


def test_a_folder_is_added(own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    called(monkeypatch, "add", str(tmp_path), "--id", "org/tiny", "--max-context", "2048", "--bytes", "77")
    model = index.shape("org/tiny")
    assert (len(model.layers), model.max_context, model.checkpoint_bytes) == (4, 2048, 77)
    assert len(own_file.read_text().splitlines()) == 3


def test_a_sibling_is_added_as_its_difference(own_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called(monkeypatch, "like", "org/Qwen3-8B-AWQ", "Qwen/Qwen3-8B", "--quantization", "awq")
    record = json.loads(own_file.read_text().splitlines()[-1])
    assert (record["like"], "layers" in record) == ("Qwen/Qwen3-8B", False)
    found = index.shape("org/Qwen3-8B-AWQ").quantization
    assert found is not None
    assert found.label == "awq-int4"


@pytest.mark.usefixtures("own_file")
def test_a_sibling_of_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        called(monkeypatch, "like", "org/new", "no such model")
    assert stopped.value.code == 2
    assert "`no such model` is not a listed model" in capsys.readouterr().err


def test_only_the_folders_that_settings_name_are_read_for_others(tmp_path: Path) -> None:
    for name in ("ours", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}", encoding="utf-8")
    catalogue.keep_to_folders(frozenset({str(tmp_path / "ours")}))
    try:
        assert catalogue.is_folder(str(tmp_path / "ours"))
        assert not catalogue.is_folder(str(tmp_path / "secret"))
    finally:
        catalogue.keep_to_folders(None)
    assert catalogue.is_folder(str(tmp_path / "secret"))
