"""One diagnosed text with what its figures can be computed from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from knowledge import catalogue, gpus
from knowledge.errors import Refusal
from knowledge.gpus import Gpu
from knowledge.logs.lines import Line
from knowledge.logs.reading import Reading
from knowledge.logs.startup import ObservedStart
from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape
from knowledge.versions import DEFAULT, Version, parse

Facts = dict[str, Any]

_UPGRADE = re.compile(
    r"v?(\d\.\d{1,2}(?:\.\d{1,2})?)\S{0,8}\s{0,3}(?:->|→|=>|to|到|升到|升级到|升级成)\s{0,3}v?(\d\.\d{1,2}(?:\.\d{1,2})?)"
)
_MENTIONED = re.compile(r"(?<![\d.])(0\.\d{1,2}\.\d{1,2}(?:\.post\d)?)(?![\d.])")
LONGEST_NAME = 300
PRECISION = {"float32": 4.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the person wrote beside the paste, as far as it was understood. None: not said."""

    model: str | None = None
    gpu: str | None = None
    gpu_mem_gb: float | None = None
    count: int | None = None
    tp: int | None = None
    vllm_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """What was decided (`text`, `facts`), and everything else that was read."""

    text: str
    facts: Facts
    line: Line | None
    reading: Reading
    message: str = ""
    said: Said = field(default_factory=Said)

    @property
    def start(self) -> ObservedStart:
        """What the start observed."""
        return self.reading.start

    @cached_property
    def version(self) -> Version | None:
        """The vLLM version of the log or the message; None where neither says."""
        upgraded = _UPGRADE.search(self.message)
        found = _MENTIONED.search(self.message)
        for text in (self.start.version, self.said.vllm_version, upgraded and upgraded[2], found and found[1]):
            if text:
                try:
                    return parse(text)
                except Refusal:
                    continue
        return None

    @property
    def settled(self) -> Version:
        """The version that answers are for: the log's, else the newest that was checked."""
        return self.version or DEFAULT

    @property
    def before(self) -> str | None:
        """The version before an upgrade that the message tells of."""
        found = _UPGRADE.search(self.message)
        return found[1] if found else None

    @cached_property
    def shape(self) -> ModelShape | None:
        """The model's dimensions; None where the model is not named or not listed."""
        for name in self._names():
            try:
                return catalogue.find(name)
            except Refusal:
                continue
        return None

    def _names(self) -> Iterator[str]:
        """The names that the log and the person use."""
        for name in (self.start.model, self.start.args.get("model_tag"), self.start.args.get("model"), self.said.model):
            if isinstance(name, str) and name and len(name) < LONGEST_NAME:
                yield _without_folders(name)

    @property
    def model(self) -> str | None:
        """The model as the log names it, without folders."""
        return next(self._names(), None)

    @cached_property
    def gpu(self) -> Gpu | None:
        """The card: from nvidia-smi in the paste, else as the person names it; None where nobody says."""
        cards = self.reading.smi.cards
        named = cards[0].name if cards and cards[0].name != "GPU" else None
        for name in (named, self.said.gpu, self.start.gpu):
            if name:
                try:
                    return gpus.find(name, self.said.gpu_mem_gb)[0]
                except Refusal:
                    continue
        return None

    @property
    def total_gib(self) -> float | None:
        """GiB of one card, as the log has it, else the named card's."""
        told = self.facts.get("total_gib") or self.start.total_gib
        if isinstance(told, int | float):
            return float(told)
        return self.gpu.total_gib.expected if self.gpu is not None else None

    @property
    def tp(self) -> int:
        """Tensor parallel size: of the log's settings, its ranks, or what the person says; else 1."""
        return self.start.tp or self.start.gpus or self.said.tp or 1

    @property
    def gpus(self) -> int:
        """GPUs that are there as far as anybody says."""
        return max(self.said.count or 0, self.start.gpus or 0, self.tp)

    def weights_gib(self, bits: float | None = None) -> float | None:
        """GiB of the whole model's weights: as stored, or with that many bits a weight. None where the model is unknown."""
        return None if self.shape is None else weights_gib(self.shape, bits)

    def common(self) -> Iterator[tuple[str, Any]]:
        """What any sentence may use."""
        yield "model", self.model
        yield "version", str(self.version) if self.version else None
        yield "tp", self.start.tp or self.start.gpus or self.said.tp
        yield "utilization", self.start.utilization
        yield "before", self.before


def weights_gib(shape: ModelShape, bits: float | None = None) -> float:
    """GiB of a model's weights. With `bits` its decoder layers take that much a weight and the rest 16."""
    if bits is None and shape.checkpoint_bytes:
        return shape.checkpoint_bytes / 2**30
    return sum(_bytes(shape, bits)) / 2**30


def _bytes(shape: ModelShape, bits: float | None) -> Iterator[float]:
    quantization = shape.quantization
    plain = PRECISION.get(shape.dtype, 2.0) * 8
    for layer in shape.layers:
        for part, count in layer.parameters.items():
            if part is not Part.MTP:
                yield count * (bits or (quantization.bits_of(part) if quantization else plain)) / 8
    for part, count in shape.outside.items():
        if part is not Part.MTP:
            yield count * (quantization.bits_of(part) if quantization and bits is None else plain) / 8


def _without_folders(name: str) -> str:
    """A Hugging Face id as it is; of a path, which is another machine's, the last part."""
    return (
        name if name.count("/") == 1 and not name.startswith((".", "/", "~")) else name.rstrip("/").rpartition("/")[2]
    )
