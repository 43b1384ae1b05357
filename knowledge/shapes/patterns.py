"""Matching a checkpoint's module names against the lists that quantisation configs carry: exact names, globs, simple regexes."""

import re
from collections.abc import Iterable
from fnmatch import translate
from itertools import chain, islice, product

MOST_PATTERNS = 100_000  # MiniMax-M3-NVFP4 lists 22,422
MOST_GLOBS = 100  # about any layer, or about one; the longest list seen has 3 and 2
LAYER = re.compile(r"layers\.(\d+)\.")
LONGEST = 300
DOT = "\0"  # stands for a dot that is meant
PREFIXES = ("model.", "language_model.", "backbone.", "transformer.", "thinker.", "llm.")
FUSED = {
    "q_proj": "qkv_proj",
    "k_proj": "qkv_proj",
    "v_proj": "qkv_proj",
    "gate_proj": "gate_up_proj",
    "up_proj": "gate_up_proj",
}
SYNONYMS = (
    (".block_sparse_moe.", ".mlp."),
    (".feed_forward.", ".mlp."),
    (".mixer.experts.", ".mlp.experts."),
    (".ffn.", ".mlp."),
    (".attn.", ".self_attn."),
    (".shared_expert.", ".shared_experts."),
)


def canonical(name: str) -> str:
    """A module's name without the prefixes that differ between checkpoints, and with one word for one thing."""
    name = name[:LONGEST]
    stripped = True
    while stripped:
        stripped = False
        for prefix in PREFIXES:
            if name.startswith(prefix):
                name, stripped = name[len(prefix) :], True
    for theirs, ours in SYNONYMS:
        name = name.replace(theirs, ours)
    return name


class Patterns:
    """A list of module names, globs (`layers.0*`) and `re:` patterns; a plain name also covers the modules inside it."""

    __slots__ = ("_anywhere", "_by_layer", "_names", "_words")

    def __init__(self, patterns: Iterable[str]) -> None:
        names: set[str] = set()
        globs: dict[str, None] = {}
        for pattern in islice(patterns, MOST_PATTERNS):
            if pattern.startswith("re:"):
                globs.update(dict.fromkeys(from_regex(pattern[3:])))
            elif "*" in pattern:
                globs[canonical(pattern)] = None
            else:
                names.add(canonical(pattern))
        self._names = frozenset(names)
        self._words = tuple(name for name in names if not name.startswith("layers."))[:MOST_GLOBS]
        self._anywhere: list[re.Pattern[str]] = []
        self._by_layer: dict[str, list[re.Pattern[str]]] = {}
        for glob in globs:
            layer = LAYER.match(glob)
            same = self._by_layer.setdefault(layer[1], []) if layer else self._anywhere
            if len(same) < MOST_GLOBS:
                same.append(re.compile(translate(glob)))

    def match(self, name: str) -> bool:
        """Whether the module `name` (canonical) is listed."""
        return any(self._listed(form) for form in forms(name))

    def _listed(self, name: str) -> bool:
        parts = name.split(".")
        if any(".".join(parts[:end]) in self._names for end in range(1, len(parts) + 1)):
            return True
        if any(_inside(word, name) for word in self._words):
            return True
        layer = LAYER.match(name)
        globs = chain(self._anywhere, self._by_layer.get(layer[1], ()) if layer else ())
        return any(glob.match(name) or glob.match(name + ".") for glob in globs)


def forms(name: str) -> tuple[str, ...]:
    """The name, and the one it has when the checkpoint fuses it with its neighbours."""
    head, _, leaf = name.rpartition(".")
    return (name, f"{head}.{FUSED[leaf]}") if leaf in FUSED else (name,)


def _inside(word: str, name: str) -> bool:
    return f".{word}." in f".{name}."


def from_regex(pattern: str) -> list[str]:
    """The globs that a simple regex stands for: `.*`, digits, escaped dots, alternatives in brackets.

    A regex from outside is never run: it could take for ever. What cannot be said as globs matches nothing.
    """
    body = pattern[:LONGEST].removeprefix("^").removesuffix("$")
    body = re.sub(r"\\d[+*]?|\[0-9\][+*]?", "*", body.replace(r"\.", DOT))
    body = body.replace(".*", "*").replace(".+", "*").replace(DOT, ".")
    pieces = re.split(r"\(\??:?([^()]*)\)", body)
    if any(set(piece) & set("[]{}?+\\^$()") for piece in pieces):
        return []
    choices = [piece.split("|") if index % 2 else [piece] for index, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST_GLOBS:
        return []
    return [canonical("".join(parts)) for parts in product(*choices)]
