"""Makes a model of a few hundred kilobytes of configuration in a folder: run by the Python that has vLLM, for `--load-format dummy`.

python tiny_model.py FOLDER [HIDDEN LAYERS HEADS]
"""

import json
import re
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # type: ignore[import-not-found]

VOCABULARY = 2000


def tokenizer(folder: Path) -> None:
    """A byte-level BPE, trained on the words of the standard library's own sources."""
    words = sorted(
        set(re.findall(r"[a-zA-Z]{3,}", "".join(file.read_text() for file in (Path(json.__file__), Path(re.__file__)))))
    )
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    lines = [f"the {word} of {word[::-1]} number {place}" for place, word in enumerate(words * 20)]
    special = ["<s>", "</s>", "<pad>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=alphabet)
    )
    made.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "chat_template": "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def config(folder: Path, hidden: int, layers: int, heads: int) -> None:
    """A small Qwen2."""
    values = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": hidden,
        "intermediate_size": 2 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads // 2 or 1,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True,
        "hidden_act": "silu",
        "torch_dtype": "bfloat16",
        "bos_token_id": 0,
        "eos_token_id": 1,
    }
    (folder / "config.json").write_text(json.dumps(values))


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    tokenizer(where)
    config(where, *(int(word) for word in sys.argv[2:] or ("128", "4", "4")))
