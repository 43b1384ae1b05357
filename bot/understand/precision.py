"""The number formats of weights and of the KV cache, and which of the two a word is about."""

import re
from dataclasses import dataclass

from bot.understand.scan import TAKEN, Scan, grammar

# How it is said -> the contract's word; the first that matches wins.
_SAID = (
    (r"gptq[-_ ]?(?:int)?[-_ ]?8(?:[- ]?bit)?\b|(?:int8|8[- ]?bit)[-_ ]gptq", "gptq-int8"),
    (r"(?:auto)?gptq(?:[-_ ]marlin)?(?:[-_ ]?(?:int)?[-_ ]?4(?![\dk.])(?:[- ]?bits?|位|比特)?)?|(?:int4"
        r"|4[- ]?bits?)[-_ ]gptq", "gptq-int4"),
    (r"(?:auto)?awq(?:[-_ ]marlin)?(?:[-_ ]?(?:int)?[-_ ]?4(?![\dk.])(?:[- ]?bits?|位|比特)?)?|(?:int4"
        r"|4[- ]?bits?)[-_ ]awq", "awq-int4"),
    (r"nvfp4|(?:modelopt[-_ ])?fp4", "nvfp4"),
    (r"mxfp4", "mxfp4"),
    (r"bnb(?:[-_ ]?(?:int4|nf4|4[- ]?bits?))?|bitsandbytes|nf4", "bnb-int4"),
    (r"q8(?![_\d])", "int8"),
    (r"q4(?![_\d])", "int4"),
    (r"gguf|q[2-8]_(?:k(?:_[sml])?|[01])|iq[1-4]_\w{1,3}", "gguf"),
    (r"w8a8[-_ ]fp8|fp8[-_ ]w8a8|(?:fp|float)[- ]?8(?:[-_](?:e4m3(?:fn)?|e5m2))?(?:[-_]dynamic)?"
        r"|e4m3(?:fn)?|e5m2|8[- ]?bit float|mxfp8", "fp8"),
    (r"w8a8|w8a16|(?:int|i)[-_ ]?8(?:[- ]?bits?|位)?|8[- ]?bits?|8\s?(?:位|比特)|llm\.int8(?:\(\))?", "int8"),
    (r"w4a16|w4a8|(?:int|i)[-_ ]?4(?:[- ]?bits?|位)?|4[- ]?bits?|4\s?(?:位|比特)|auto[- ]?round|compressed-tensors-int4", "int4"),
    (r"bf[- ]?16|bfloat[- ]?16", "bf16"),
    (r"fp[- ]?16|float[- ]?16|\bf16|dtype[ =]half|--dtype[ =]half", "fp16"),
    # Sixteen bits without saying which: bf16 is what nearly every checkpoint is in.
    (r"half[- ]precision|半精度|16[- ]?bits?|16\s?位", "bf16"),
    (
        r"(?:no|without(?:\sany)?|not|un|non)[- ]?\s?quant(?:i[sz]ed|i[sz]ation|s)?|full[- ](?:precision"
            r"|weights?)|不(?:做|要|用)?量化|未量化|没量化|非量化|无量化"
        r"|原精度|全精度|原始精度|(?:original|native) (?:precision|weights)",
        "bf16",
    ),
)  # fmt: skip
_WORD = rf"(?<![a-z0-9.])(?:{'|'.join(pattern for pattern, _ in _SAID)})(?![a-z0-9])"
_COMPILED = tuple((grammar(pattern), word) for pattern, word in _SAID)

_KV = r"(?:kv[-_ ]?caches?|kv|k/v|cache|缓存)(?:[-_ ]?(?:d?type|精度|quant(?:i[sz]ation|i[sz]ed)?|量化))?"
_BETWEEN = (
    r"\s?(?:(?:=|:|,|\bin\b|\bat\b|\bis\b|\bto\b|\bas\b|\bwith\b|\busing\b|\balso\b|\bdtype\b|用|开|是|为|也|都|走|存|的"
    r"|(?:换|改|设|压|量化|转)(?:成|为|到))\s?){0,3}"
)
_BOTH = grammar(
    rf"(?P<value>{_WORD})\s?(?:for\s)?(?:the\s)?(?:both\s)?(?:weights?|model|权重)\s?(?:and|&|\+|/|和|跟|与"
    rf"|,)\s?(?:the\s)?{_KV}(?![a-z])"
    rf"|(?:weights?|权重|{_KV})\s?(?:and|&|\+|/|和|跟|与)\s?(?:the\s)?(?:weights?|权重|{_KV})\s?(?:both|all|都|全|均"
    rf"|in|at|用|是|:|=)*\s?(?P<other>{_WORD})"
)
_BEFORE_KV = grammar(
    rf"(?P<value>{_WORD}|(?<![a-z])auto)\s?(?:的|for|for the)?\s?{_KV}(?![a-z])(?!\s?(?:dtype)?\s?(?:=|:|用|开"
    rf"|is|in|at|换成|改成)\s?{_WORD})"
)
_AFTER_KV = grammar(
    rf"(?<![a-z]){_KV}{_BETWEEN}(?P<value>{_WORD}|auto(?![a-z]))(?!\s?(?:weights?|权重|model|模型|量化的))"
)
_ANY = grammar(_WORD)
_NOT = grammar(
    rf"(?:\b(?:without|no|not|drop(?:ping)?|remove|minus|instead of|rather than|no longer)|去掉|不用|不要|别用|不开|不做|关掉|取消)"
    rf"\s?(?:the\s|an?\s)?(?P<kv>{_KV}\s?)?(?P<value>{_WORD})(?:\s?(?P<after>{_KV}))?(?!\s?(?:量化)?的?(?:问题|影响))"
)
_KV_WORDS = {"int8": "int8_per_token_head", "int4": "int4_per_token_head"}  # vllm/config/cache.py CacheDType, 0.32


@dataclass(frozen=True, slots=True)
class Precision:
    """What was said; `not_weights` and `not_kv` are what was said not to be (without fp8)."""

    weights: str | None = None
    kv: str | None = None
    not_weights: str | None = None
    not_kv: str | None = None


def word(said: str) -> str:
    """The contract's word for a format as it was said, lower case."""
    return next(known for pattern, known in _COMPILED if pattern.fullmatch(said))


def weight_word_in(name: str) -> str | None:
    """The format that a checkpoint's name states (…-AWQ, …-FP8), None when it states none."""
    found = _ANY.search(name.lower().replace("_", "-").replace(".", "-"))
    return word(found[0]) if found else None


def _kv_word(said: str) -> str:
    if said == "auto":
        return "auto"
    if "e5m2" in said:
        return "fp8_e5m2"
    known = word(said)
    if known == "int8" and "bit" in said:
        return "fp8"  # eight bits without saying which: what vLLM is nearly always run with
    return _KV_WORDS.get(known, known)


def _unslip(scan: Scan) -> Scan:
    """The scan with slips of the keyboard in long format words (gtpq) put right, in place."""
    text = scan.text
    for slip in re.finditer(r"(?<![a-z0-9.])[a-z]{4}(?![a-z])", text):
        if slip[0] != "gptq" and sorted(slip[0]) == sorted("gptq"):
            text = text[: slip.start()] + "gptq" + text[slip.end() :]
    return Scan(scan.said, text)


def find(scan: Scan) -> tuple[Precision, Scan]:
    """The formats said of weights and cache, and the scan without them. Of one said twice the last counts."""
    scan = _unslip(scan)
    never, scan = scan.take(_NOT)
    both, scan = scan.take(_BOTH)
    before, scan = scan.take(_BEFORE_KV)
    after, scan = scan.take(_AFTER_KV)
    weights, scan = scan.take(_ANY)
    shared = [word(match["value"] or match["other"]) for match in both]
    cache = [_kv_word(match["value"]) for match in [*before, *after]] or shared
    said = [word(match[0]) for match in weights] or shared
    not_kv = [_kv_word(match["value"]) for match in never if match["kv"] or match["after"]]
    not_weights = [word(match["value"]) for match in never if not (match["kv"] or match["after"])]
    return Precision(
        _most_telling(said),
        cache[-1] if cache else None,
        not_weights[-1] if not_weights else None,
        not_kv[-1] if not_kv else None,
    ), scan


def _most_telling(said: list[str]) -> str | None:
    """Of `awq` and `int4` said of one model, the one that says more; else the last."""
    for kind, bits in (("awq-int4", "int4"), ("gptq-int4", "int4"), ("bnb-int4", "int4"), ("gptq-int8", "int8")):
        if kind in said and set(said) <= {kind, bits}:
            return kind
    if "gptq-int4" in said and "int8" in said:
        return "gptq-int8"
    return said[-1] if said else None


__all__ = ["TAKEN", "Precision", "find", "weight_word_in", "word"]
