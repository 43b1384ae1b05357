"""Llama-3.2-Vision's language model: some layers attend to the image instead of the text, and keep no text cache."""

from knowledge.shapes.blocks import Heads, attention, embedding, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import read_dimensions
from knowledge.shapes.fields import Fields, refuse, whole
from knowledge.shapes.weights import Body, Draft
from knowledge.shapes.windows import attention_caches

ADDED_TOKENS = 8  # rows of the embedding beyond the vocabulary


def read_mllama(config: Fields) -> Body:
    """Self-attention layers with cross-attention layers between them."""
    from dataclasses import replace

    size = read_dimensions(config)
    listed = config.items("cross_attention_layers")
    if listed is None:
        raise refuse("cross_attention_layers", None, "without which the cache cannot be counted")
    crossing = {whole("cross_attention_layers", layer, 0, size.layers - 1) for layer in listed}
    heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    common = (*mlp(size.hidden, size.inner), vector("norms", 2 * size.hidden))
    own = Draft(attention_caches([None], size.kv_heads, size.head_size)[0], (*attention(heads), *common))
    gates = vector("cross_attn.norms", 2 * size.head_size + 2)
    cross = Draft((), (*attention(heads, prefix="cross_attn."), gates, *common))
    body = assemble(config, Recipe(), size, [cross if layer in crossing else own for layer in range(size.layers)])
    added = embedding(ADDED_TOKENS, size.hidden, name="embed_tokens.added")
    return replace(body, outside=(*body.outside, added))
