"""What a benchmark is of: model, targets, load, options of the server."""

from dataclasses import dataclass, field
from typing import Any

from bot.commands.lengths import take_lengths, take_long_prompts
from bot.commands.options import quantised, take_options
from bot.commands.places import take_place
from bot.commands.quantities import said_load
from bot.commands.targets import take_cards, take_targets
from bot.understand import model_names, model_sizes
from bot.understand.model_ids import Named, in_format
from bot.understand.precision import weight_word_in
from bot.understand.scan import Scan
from knowledge.errors import Refusal

_FORMATS = {"awq": "awq-int4", "gptq": "gptq-int4", "fp8": "fp8", "nvfp4": "nvfp4"}


@dataclass(frozen=True, slots=True)
class Load:
    """`arguments` as the contract names them; `unknown` says which model is in no list, `rest` is what was not understood."""

    rest: Scan
    arguments: dict[str, Any] = field(default_factory=dict)
    unknown: Refusal | None = None


def take_load(scan: Scan) -> Load:
    """Everything that a benchmark is told."""
    named, scan = model_names.find(scan)
    cards, count, scan = take_cards(scan)
    serve, scan = take_options(scan)
    long_prompts, scan = take_long_prompts(scan)
    load, scan = said_load(scan)
    lengths, scan = take_lengths(scan)
    targets, scan = take_targets(scan, cards)
    if not named:
        named, scan = model_names.find_slips(scan)
    _, scan = model_sizes.take_sizes(scan)
    model, unknown = model_sizes.known(model_names.chosen(named), scan)
    arguments: dict[str, Any] = _model(model, unknown, serve)
    if not targets:
        targets = list(take_place(scan)[0].values())
    if targets:
        arguments["targets"] = targets
    arguments |= {"gpus": count} if count else {}
    arguments |= long_prompts | lengths | load
    if serve:
        arguments["serve"] = serve
    return Load(scan, arguments, unknown)


def _model(model: Named | None, unknown: Refusal | None, serve: dict[str, Any]) -> dict[str, Any]:
    """The model's id; of a listed one in the format that was said, where its maker has one, the checkpoint in that format."""
    if model is None:
        return {"model": unknown.facts["name"]} if unknown and "name" in unknown.facts else {}
    quant = _FORMATS.get(str(serve.get("quantization")))
    if model.listed and model.quant is None and quant:
        checkpoint = in_format(model.model_id, quant)
        if checkpoint != model.model_id:
            del serve["quantization"]
        return {"model": checkpoint}
    if model.quant and weight_word_in(model.model_id) is None:
        serve.setdefault(*quantised(model.quant))
    return {"model": model.model_id}
