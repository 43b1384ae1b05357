"""What is set by name, in flags or in words: parallelism, utilisation, batch limits, options, the vLLM version."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.understand.numbers import TOKENS, tokens
from bot.understand.scan import Scan, grammar
from knowledge.errors import Refusal
from knowledge.units import GIB
from knowledge.versions import parse

LINK = r"\s?(?:size|大小|数|值)?\s?(?:=|:|\bis\b|\bof\b|\bto\b|\bat\b|\bwith\b|为|是|用|开到?|(?:设|调|改|降|升|提)(?:成|为|到|置为|至)?|到)?\s?"
_NO_MORE = r"(?![\d.]*\d|[kmb%])"
_COUNT = r"(?P<value>-?\d{1,7})" + _NO_MORE
_PERCENT = r"(?P<value>-?\d{1,4}(?:\.\d{1,4})?\s?%?|-?\.\d{1,4})(?![\dkm])"


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be said by name: `field` of Fields, or (option) of FitRequest."""

    field: str
    pattern: re.Pattern[str]
    read: Callable[[str], Any]
    option: bool = False


def _share(said: str) -> float:
    value = float(said.rstrip("% "))
    return round(value / 100, 6) if "%" in said or 10 <= value <= 100 else value


def _gib(said: str) -> float:
    number = float(re.findall(r"[\d.]+", said)[0])
    return round(number / GIB, 3) if number >= 10**6 else number


def _speculation(said: str) -> str:
    method = re.match(r"[a-z]+-?[a-z]*(?:[23](?!\d))?", said)
    steps = re.search(r"(\d{1,2})$", said[method.end() :]) if method else None
    name = (method[0] if method else said).replace("n-gram", "ngram").replace("-", "")
    return f"{name} n={steps[1]}" if steps else name


def _yes(_said: str) -> bool:
    return True


def _setting(field: str, names: str, value: str, read: Callable[[str], Any] = int, *, option: bool = False) -> Setting:
    return Setting(field, grammar(rf"(?<![a-z])(?:--)?(?:{names}){LINK}{value}"), read, option)


def _phrase(field: str, pattern: str, read: Callable[[str], Any], *, option: bool = False) -> Setting:
    return Setting(field, grammar(pattern), read, option)


_UTILIZATION_NAMES = (
    r"(?:gpu[-_ ])?mem(?:ory)?[-_ ](?:fraction|util\w{0,8})|gpu[-_ ]util\w{0,8}|gmu|(?:显存|gpu)\s?(?:利用率"
    r"|占用率|使用率|比例|占比|上限)|利用率|util(?:i[sz]ation)?"
)

# Longer names first where one holds another.
SETTINGS = (
    _setting("max_num_batched_tokens", r"(?:max[-_ ])?(?:num[-_ ])?batched[-_ ]tokens?|mnbt|批内 ?token", rf"(?P<value>{TOKENS})", tokens),
    _setting("max_num_seqs", r"max[-_ ]?(?:num[-_ ]?)?seqs?(?![-_ ]?len)|num[-_ ]seqs", _COUNT),
    _setting("utilization", _UTILIZATION_NAMES, _PERCENT, _share),
    _phrase("utilization", r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d)?\s?%"
        r"|0?\.\d{1,3})\s?(?:的\s?)?(?:(?:gpu[-_ ])?(?:mem(?:ory)?[-_ ])?util\w{0,8}|(?:显存)?(?:利用率|占用))", _share),
    _setting("tp", r"tensor[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|张量并行(?:度)?|(?<!\w)tp(?:[-_ ]size)?", r"-?" + _COUNT),
    _phrase("tp", r"(?<![\w.])(?P<value>\d{1,3})(?:[- ]?way|路)?\s?(?:tensor[- ]parallel(?:ism)?|张量并行|tp\b)", int),
    _setting("pp", r"pipeline[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|流水线并行(?:度)?|pp(?:[-_ ]size)?", _COUNT),
    _setting("dp", r"data[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|数据并行(?:度)?|dp(?:[-_ ]size)?", _COUNT),
    _setting("block_size", r"block[-_ ]size", _COUNT, option=True),
    _setting("max_lora_rank", r"(?:max[-_ ])?lora[-_ ](?:max[-_ ])?rank|lora[- ]?\(?r(?:ank)?", _COUNT, option=True),
    _phrase("max_lora_rank", r"\b(?:rank|r)[- ]?=?\s?(?P<value>\d{1,4})\s?(?:的\s?)?lora", int, option=True),
    _setting("limit_mm_images", r"limit[-_ ]mm[-_ ](?:per[-_ ]prompt|images?)[\s=:'\"{]{0,4}(?:image)?[\s=:'\"]{0,4}", _COUNT, option=True),
    _phrase("limit_mm_images", r"(?<![\w.])(?P<value>\d{1,4})\s?(?:张(?:图|照片)|(?:images?|imgs?|pics?|pictures?|photos?)\b)", int, option=True),
    _phrase("limit_mm_images", r"图(?:片|像)?\s?(?:最多|至多|上限)?\s?(?:=|:|是|为)?\s?(?P<value>\d{1,4})\s?张", int, option=True),
    _setting("kv_cache_memory_gib", r"kv[-_ ]cache[-_ ]memory(?:[-_ ](?:bytes|gib))?", r"(?P<value>\d{1,14}(?:\.\d+)?\s?(?:gi?b?)?)", _gib, option=True),
    _setting("kv_offloading_size", r"kv[-_ ]offload(?:ing)?(?:[-_ ]size)?|kv\s?(?:cache\s?)?(?:卸载|换出)|offload(?:ing)?", r"(?P<value>\d{1,6}(?:\.\d+)?\s?(?:gi?b?)?)(?!\d)", _gib, option=True),
    _phrase("kv_offloading_size", r"(?<![\w.])(?P<value>\d{1,5}(?:\.\d+)?\s?gi?b?)\s?(?:of\s)?(?:the\s)?(?:cpu\s|ram\s"
        r"|内存\s?)?(?:kv\s)?(?:offload|卸载)", _gib, option=True),
    _phrase("enforce_eager", r"(?P<value>(?:--)?enforce[-_ ]eager|\beager[- ](?:mode|only)|(?<![\w-])eager(?=\s?(?:[,;，、]|$))|eager\s?模式|(?:without|no|disabled?|turn(?:ed)? off)\s(?:the\s)?cuda[- ]?graphs?|(?:不开|不用|关掉?|关闭|禁用)\s?cuda\s?graphs?)", _yes, option=True),
    _phrase("enable_expert_parallel", r"(?P<value>(?:--)?(?:enable[-_ ])?expert[-_ ]?parallel(?:ism)?|专家并行"
        r"|(?<![\w-])ep(?:\s?=?\s?\d{1,3})?(?![\w-]))", _yes, option=True),
    _phrase("speculative", r"(?<![\w-])(?P<value>(?:mtp|eagle-?[23]?|n-?gram|medusa)(?:\s?(?:n|k|num_speculative_tokens"
        r"|with)?\s?[=:]?\s?\d{1,2}(?![\d.kgb%]))?)(?![\w-])", _speculation, option=True),
)  # fmt: skip

_VERSION = grammar(
    r"\bvllm[- ]?(?:版本|version\s?|serve\s?)?[=:@v ]{0,3}(\d\.\d{1,2}(?:\.\d{1,2})?(?:\.post\d|rc\d)?)(?![\d.]*\d|[bk%])"
    r"|(?<![\w.])v(0\.\d{1,2}(?:\.\d{1,2})?(?:\.post\d|rc\d)?)(?![\w.]*\d)"
    r"|(?<![\w.])(?:版本|version)\s?(?:是|为|:|is)?\s?(0\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d|[bk%])"
    r"|(?<![\w.])(0\.\d{1,2}(?:\.\d{1,2})?)\s?(?:版本?|version\b|release\b)"
    r"|\b(?:on|in|since|using)\s(0\.[1-3]\d)(?![\w.%])"
    r"|(?<![\w.])(0\.\d{1,2}\.\d{1,2}(?:\.post\d|rc\d)?)(?![\w.]*\d|[bk%])"
)


def find_version(scan: Scan) -> tuple[str | None, Scan]:
    """The vLLM version that was named, the last of several: `vllm 0.8.5`, `v0.11`, `0.11 版本`, `0.9.2`."""
    found, scan = scan.take(_VERSION)
    said = next((group for match in reversed(found) for group in match.groups() if group), None)
    return (str(parse(said)) if said else None), scan


def find_settings(scan: Scan) -> tuple[dict[str, Any], dict[str, Any], Scan]:
    """Fields and options that were set by name, and the scan without them. Of one said twice the last counts (从 0.7 改成 0.8)."""
    fields: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for setting in SETTINGS:
        found, scan = scan.take(setting.pattern)
        if found:
            (options if setting.option else fields)[setting.field] = setting.read(found[-1]["value"])
    return fields, options, scan


def faults(fields: dict[str, Any]) -> tuple[Refusal, ...]:
    """What cannot be among the settings; such values are taken out of `fields`."""
    found = []
    share = fields.get("utilization")
    if share is not None and not 0 < share <= 1:
        found.append(
            Refusal(
                "bad-utilization",
                f"`{fields.pop('utilization'):g}` is not a share of GPU memory.",
                "Use more than 0 and at most 1; 0.90 to 0.95 is usual.",
                value=share,
            )
        )
    for name in ("tp", "pp", "dp", "max_num_seqs", "max_num_batched_tokens"):
        if fields.get(name) is not None and fields[name] < 1:
            wrong = fields.pop(name)
            found.append(
                Refusal("bad-number", f"`{name}` cannot be `{wrong}`.", "Use a whole number from 1 up.", field=name)
            )
    return tuple(found)
