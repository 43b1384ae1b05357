"""The data type that vLLM loads a checkpoint in with --dtype auto."""

from knowledge.shapes.fields import Fields

WORDS = {
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "half": "float16",
    "fp16": "float16",
    "float32": "float32",
    "float": "float32",
}


def read_dtype(root: Fields, text: Fields, *, pooling: bool = False) -> str:
    """bfloat16 or float16: what the file says, at the root, in the text part or in the vision part.

    float32, or nothing said, loads as bfloat16 (as float16 for pooling models) on every card with native bfloat16
    (vLLM 0.32, config/model.py).
    """
    vision = root.section("vision_config") or Fields({})
    for fields in (root, text, vision):
        said = WORDS.get(fields.word("torch_dtype", "dtype").removeprefix("torch."))
        if said in {"bfloat16", "float16"}:
            return said
        if said == "float32":
            break
    return "float16" if pooling else "bfloat16"
