"""Multi-token prediction: layers in the checkpoint that are loaded only when vLLM speculates with them."""

from dataclasses import replace

from knowledge.shapes.blocks import linear, vector
from knowledge.shapes.fields import MOST_LAYERS, Fields
from knowledge.shapes.layers import Part
from knowledge.shapes.weights import Body, Draft, Weight, moved

# num_mtp_modules is not among them: MiniMax-M2 says it, but its checkpoints have no such layers
KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers")


def read_mtp_layers(config: Fields) -> int:
    """How many prediction layers the checkpoint has."""
    return config.optional(*KEYS, low=0, high=MOST_LAYERS) or 0


def predictor(body: Body, layers: int, like: Draft | None = None) -> Body:
    """The body with `layers` prediction layers made like `like` (by default its last layer), each with its projection of
    embedding and hidden state, and three norms. Embedding and output head are the model's own."""
    if not layers:
        return body
    like = like or body.layers[-1]
    one: tuple[Weight, ...] = (
        *like.weights,
        linear("eh_proj", Part.MTP, 2 * body.hidden_size, body.hidden_size),
        vector("norms", 3 * body.hidden_size),
    )
    weights = tuple(weight._replace(number=weight.number * layers) for weight in moved(one, Part.MTP, "mtp."))
    return replace(body, outside=(*body.outside, *weights), mtp_layers=layers)
