"""Encoders for embeddings and rankings: BERT and its kin. They keep no cache."""

from knowledge.shapes.blocks import Heads, attention, embedding, linear, mlp, vector
from knowledge.shapes.dimensions import WIDEST, Dimensions, read_dimensions
from knowledge.shapes.fields import Fields
from knowledge.shapes.layers import Part
from knowledge.shapes.weights import Body, Draft, Weight


def read_bert(config: Fields) -> Body:
    """BERT, RoBERTa, XLM-RoBERTa: learned positions, two norms with bias a layer, a pooler."""
    size = read_dimensions(config)
    heads = Heads(size.hidden, size.heads, size.heads, size.head_size)
    weights = (
        *attention(heads, qkv_bias=True, out_bias=True, prefix="attention."),
        *mlp(size.hidden, size.inner, gated=False, bias=True),
        vector("norms", 4 * size.hidden),
    )
    pooler = linear("pooler", Part.REPLICATED, size.hidden, size.hidden, bias=True)
    return encoder(size, Draft((), weights), (*_embeddings(config, size), pooler))


def _embeddings(config: Fields, size: Dimensions) -> tuple[Weight, ...]:
    kinds = config.integer("type_vocab_size", high=WIDEST)
    return (
        embedding(size.vocab, size.hidden),
        embedding(config.integer("max_position_embeddings", high=WIDEST), size.hidden, name="position_embeddings"),
        embedding(kinds, size.hidden, name="token_type_embeddings"),
        vector("embeddings.norm", 2 * size.hidden),
    )


def encoder(size: Dimensions, draft: Draft, outside: tuple[Weight, ...]) -> Body:
    """A body of equal layers that cache nothing."""
    return Body(
        layers=(draft,) * size.layers,
        outside=outside,
        hidden_size=size.hidden,
        intermediate_size=size.inner,
        vocab_size=size.vocab,
        attention_heads=size.heads,
        kv_heads=size.heads,
        head_size=size.head_size,
        tied_embeddings=True,
        encoder_only=True,
    )
