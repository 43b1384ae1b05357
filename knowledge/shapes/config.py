"""From a config.json to a model's shape: every figure checked, nothing guessed."""

from collections.abc import Mapping
from typing import Any

from knowledge.shapes.context import read_default_context, read_max_context
from knowledge.shapes.dtype import read_dtype
from knowledge.shapes.fields import Fields
from knowledge.shapes.layers import Cache, Layer
from knowledge.shapes.model import ModelShape
from knowledge.shapes.quantization import read_scheme
from knowledge.shapes.reading import read_body
from knowledge.shapes.scheme import summarise
from knowledge.shapes.weights import Body, Draft, by_part


def read_config(
    config: Mapping[str, Any],
    model_id: str,
    *,
    hf_quant_config: Mapping[str, Any] | None = None,
    checkpoint_bytes: int | None = None,
) -> ModelShape:
    """The shape of the model that `config` (a parsed config.json) describes.

    `hf_quant_config` is the parsed sidecar of NVIDIA's older checkpoints, `checkpoint_bytes` the real size of the weights
    that vLLM loads, where it is known. Refuses what cannot be and what is not understood.
    """
    root = Fields(config)
    found = read_body(root)
    body = found.body
    scheme = read_scheme(root, found.text, hf_quant_config)
    longest = read_max_context(found.text, found.model_type)
    start = read_default_context(found.text, longest)
    return ModelShape(
        model_id=model_id,
        architecture=found.architecture,
        layers=_layers(body),
        outside=by_part(body.outside),
        hidden_size=body.hidden_size,
        intermediate_size=body.intermediate_size,
        vocab_size=body.vocab_size,
        attention_heads=body.attention_heads,
        kv_heads=body.kv_heads,
        head_size=body.head_size,
        max_context=longest,
        default_context=None if start == longest else start,
        dtype=read_dtype(root, found.text, pooling=body.encoder_only),
        tied_embeddings=body.tied_embeddings,
        experts=body.experts,
        experts_per_token=body.experts_per_token,
        moe_intermediate_size=body.moe_intermediate_size,
        mtp_layers=body.mtp_layers,
        max_image_tokens=found.max_image_tokens,
        multimodal=found.multimodal,
        encoder_only=body.encoder_only,
        quantization=None if scheme is None else summarise(scheme, body),
        kv_cache_dtype="auto" if scheme is None else scheme.kv_cache_dtype,
        checkpoint_bytes=checkpoint_bytes,
        notes=body.notes,
    )


def _layers(body: Body) -> tuple[Layer, ...]:
    """Equal layers are one object."""
    made: dict[tuple[tuple[Cache, ...], int], Layer] = {}
    return tuple(made.setdefault((draft.caches, id(draft.weights)), _layer(draft)) for draft in body.layers)


def _layer(draft: Draft) -> Layer:
    return Layer(draft.caches, by_part(draft.weights))
