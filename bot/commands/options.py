"""Options of `vllm serve` and of a load that are set by name or in words: `max-num-seqs=128`, `fp8 kv`, `without prefix caching`."""

import re
from functools import cache
from typing import Any

from bot.commands.lengths import take_lengths
from bot.commands.quantities import said_load, whole
from bot.understand import precision
from bot.understand.numbers import tokens
from bot.understand.scan import Scan, grammar
from knowledge.releases import flags

# As people say them -> the option. Longer names first where one holds another.
_SPOKEN = (
    (r"(?:max[-_ ])?(?:num[-_ ])?batched[-_ ]tokens?|mnbt|批内 ?token(?:数)?", "max_num_batched_tokens"),
    (r"max[-_ ]?(?:num[-_ ]?)?seqs?(?![-_ ]?len)|(?<![a-z-])seqs(?=\s?[=:]?\s?\d)|num[-_ ]?seqs|(?<![a-z])mns(?![a-z])|最大(?:序列|请求)数", "max_num_seqs"),
    (
        r"(?:gpu[-_ ])?mem(?:ory)?[-_ ](?:fraction|util\w{0,8})|gpu[-_ ]util\w{0,8}|gmu|(?:显存|gpu)\s?(?:利用率|占用率|比例|占比)|利用率"
        r"|(?<![a-z])util(?:i[sz]ation)?",
        "gpu_memory_utilization",
    ),
    (r"max[-_ ](?:model[-_ ])?(?:len(?:gth)?|context)(?:gth)?|(?:max )?context(?:[-_ ](?:length|len|window))?|ctx|上下文(?:长度)?|最大长度", "max_model_len"),
    (r"tensor[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|张量并行(?:度|数)?|(?<![a-z])tp(?:[-_ ]size)?", "tensor_parallel_size"),
    (r"pipeline[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|流水线并行(?:度|数)?|(?<![a-z])pp(?:[-_ ]size)?", "pipeline_parallel_size"),
    (r"data[-_ ]?parallel(?:ism)?(?:[-_ ]size)?|数据并行(?:度|数)?|(?<![a-z])dp(?:[-_ ]size)?", "data_parallel_size"),
    (r"block[-_ ]size|块大小", "block_size"),
)  # fmt: skip
_SWITCHES = (
    (r"(?:automatic )?prefix[-_ ]?cach(?:e|ing)|前缀缓存|(?<![a-z])apc(?![a-z])", "enable_prefix_caching", True),
    (r"chunked[-_ ]?prefill|分块预填充|分块 ?prefill", "enable_chunked_prefill", True),
    (r"expert[-_ ]?parallel(?:ism)?|专家并行|(?<![a-z])ep(?![a-z\d])", "enable_expert_parallel", True),
    (r"async(?:hronous)?[-_ ]?scheduling|异步调度", "async_scheduling", True),
    (r"enforce[-_ ]?eager|eager(?:[- ]mode)?|eager ?模式", "enforce_eager", True),
    (r"cuda[-_ ]?graphs?", "enforce_eager", False),
)
_LOAD = {
    "request_rate": "request_rate",
    "max_concurrency": "max_concurrency",
    "num_prompts": "num_prompts",
    "input_len": "input_len",
    "output_len": "output_len",
    "random_input_len": "input_len",
    "random_output_len": "output_len",
    "duration": "duration_s",
}
_LOAD_SPOKEN = (
    (r"(?:max[-_ ])?concurrency|concurrent(?: requests| users)?|并发(?:数|量|度)?", "max_concurrency"),
    (r"request[-_ ]?rates?|rates?|rps|qps|请求速率|速率", "request_rate"),
    (r"num[-_ ]?prompts?|prompt counts?|请求数", "num_prompts"),
    (r"(?:random[-_ ])?input(?:s|[-_ ]?len(?:gth)?s?)?|prompt[-_ ]?len(?:gth)?s?|isl|输入(?:长度)?", "input_len"),
    (r"(?:random[-_ ])?output(?:s|[-_ ]?len(?:gth)?s?)?|osl|输出(?:长度)?", "output_len"),
)
_DTYPES = {"bf16": "bfloat16", "fp16": "float16"}
_QUANTIZATION = {"awq-int4": "awq", "gptq-int4": "gptq", "gptq-int8": "gptq", "bnb-int4": "bitsandbytes"}
_ON = r"(?:turn(?:ed|ing)? on|switch(?:ed)? on|enabled?|enabling|activated?|with|use|on|yes|true|打开|开启|开着|开上|启用|加上|用上|开)"
_OFF = r"(?:turn(?:ed|ing)? off|switch(?:ed)? off|disabled?|disabling|deactivate|without|no|off|false|drop(?:ped)?|not? using|关掉|关闭|关了|禁用|停用|不开|不用|去掉|别开|关)"
_LINK = (
    r"\s?(?:value|size|大小|数值?|的值)?\s?(?:=|:|→|->|\bfrom\s\S{1,12}\s(?=to\b)|\b(?:is|of|to|at|as|set to|up to|down to|lowered to|raised to|changed to)\b"
    r"|从\s?\S{1,10}\s?(?=[改调升降提换加减到])|为|是|用|(?:设|调|改|换|降|升|提|加|变|减|翻|拉|压)(?:置|整|高|低|大|小)?(?:成|为|到|至)?|到|成){0,3}\s?"
)
_NUMBER = r"(?P<value>(?<![\w.])\d{1,12}(?:\.\d{1,6})?\s?(?:[km](?:i?b?)?(?![a-z])|%)?|(?<![\w.])\.\d{1,6}|(?<=[a-z])\d{1,4}(?![\w.]))(?![\d])"
_NAMED = grammar(r"(?<![\w-])(?:--?)?(?P<name>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)(?![\w-])")
_FLAG = grammar(r"(?<![\w-])--(?P<name>[a-z][a-z0-9]*)(?![\w-])")
_VALUE = grammar(rf"{_LINK}(?P<value>[^\s,;，。；、]+)")
_BEHIND_NUMBER = grammar(rf"{_LINK}{_NUMBER}")
_SHARE = grammar(
    r"(?<![\w.])(?P<value>0?\.\d{1,3}|\d{2,3}(?:\.\d)?\s?%)\s?(?:的\s?)?(?:(?:gpu[-_ ])?(?:mem(?:ory)?[-_ ])?util\w{0,8}|(?:显存)?(?:利用率|占用))"
)
_CONTEXT = grammar(
    r"(?<![\w.])(?P<value>\d{1,7}(?:\.\d)?\s?[km]?)[- ]?(?:ctx|context|上下文)(?![a-z]|\s(?:in|input)\b)"
)
_WAY = grammar(r"(?<![\w.])(?P<value>\d{1,3})[- ]?(?:way|路)\s?(?:tensor[- ]parallel(?:ism)?|tp|张量并行)")


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((grammar(rf"(?:--)?(?:{names}){_LINK}{_NUMBER}"), option) for names, option in _SPOKEN)


@cache
def _behind() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The value before the name: `8k max-num-batched-tokens`."""
    return tuple((grammar(rf"{_NUMBER}\s(?:--)?(?:{names})(?![\w-])"), option) for names, option in _SPOKEN[:2])


@cache
def _switches() -> tuple[tuple[re.Pattern[str], str, bool], ...]:
    return tuple(
        (
            grammar(
                rf"(?:(?P<off_before>{_OFF}|--no-(?:enable-)?)\s?(?:the\s|了\s?)?|(?P<on_before>{_ON}|--enable-)\s?(?:the\s|了\s?)?)?"
                rf"(?<![a-z])(?:--)?(?:enable[-_ ])?(?:{names})(?![\w-])"
                rf"(?:\s?(?:=|:|is|was|都|给|也|全|turned|switched)?\s?(?:(?P<off>{_OFF}|0)(?!\w)|(?P<on>{_ON}|1)(?!\w)))?"
            ),
            option,
            value,
        )
        for names, option, value in _SWITCHES
    )


def take_options(scan: Scan) -> tuple[dict[str, Any], Scan]:
    """Options of `vllm serve` by their full names with `_`, and the scan without them. Token counts take k as 1,024."""
    said, scan = _take_named(scan)
    for take in (_take_switches, _take_spoken, _take_formats):
        more, scan = take(scan)
        said = more | said
    return said, scan


def take_overrides(scan: Scan) -> tuple[dict[str, Any], Scan]:
    """What a run is to have otherwise: options of `vllm serve` and the load's, by name."""
    options, scan = take_options(scan)
    lengths, scan = take_lengths(scan)
    load, scan = said_load(scan)
    return options | lengths | load, scan


def take_parameter(scan: Scan) -> tuple[str | None, int, Scan]:
    """The one parameter that is named, with where its name ends."""
    for found in (*_NAMED.finditer(scan.text), *_FLAG.finditer(scan.text)):
        name = _known(found["name"])
        if name:
            return name, found.end(), scan.mark(*found.span())
    for names, option in (*_SPOKEN, *_LOAD_SPOKEN):
        if spoken := grammar(rf"(?<![a-z])(?:{names})(?![a-z])").search(scan.text):
            return option, spoken.end(), scan.mark(*spoken.span())
    return None, 0, scan


def _known(name: str) -> str | None:
    """The argument or option that a name with dashes is, in full; of a beginning the only one that begins so."""
    written = name.replace("-", "_")
    if written in _LOAD:
        return _LOAD[written]
    flag = flags.lookup(f"--{name}")
    if flag is None and len(begun := flags.beginning(f"--{name}")) == 1:
        flag = begun[0]
    if flag is None or flag.name.replace("-", "_").lstrip("_") in _LOAD:
        return None
    return flag.name.lstrip("-").replace("-", "_")


def _take_named(scan: Scan) -> tuple[dict[str, Any], Scan]:
    said: dict[str, Any] = {}
    for found in (*_NAMED.finditer(scan.text), *_FLAG.finditer(scan.text)):
        name = _known(found["name"])
        if name is None or name in _LOAD.values():
            continue
        flag = flags.lookup(f"--{name}")
        assert flag is not None
        if flag.switch:
            continue
        value = (_BEHIND_NUMBER if flag.kind in ("int", "size", "float") else _VALUE).match(scan.text, found.end())
        if value:
            said[name] = _read(flag.kind, value["value"])
            scan = scan.mark(found.start(), value.end())
    return said, scan


def _read(kind: str, value: str) -> Any:
    if kind == "float":
        return _share(value)
    if kind in ("int", "size"):
        return tokens(value)
    return value.strip("'\"`")


def _share(said: str) -> float | int:
    number = float(said.rstrip("% "))
    return whole(number / 100 if "%" in said else number)


def _take_switches(scan: Scan) -> tuple[dict[str, Any], Scan]:
    said: dict[str, Any] = {}
    for pattern, option, value in _switches():
        if found := pattern.search(scan.text):
            off = bool(found["off"] or (found["off_before"] and not found["on"]))
            said.setdefault(option, value is not off)
            scan = scan.mark(*found.span())
    return said, scan


def _take_spoken(scan: Scan) -> tuple[dict[str, Any], Scan]:
    said: dict[str, Any] = {}
    for pattern, option in (
        (_SHARE, "gpu_memory_utilization"),
        (_CONTEXT, "max_model_len"),
        (_WAY, "tensor_parallel_size"),
        *_compiled(),
    ):
        if option in said or not (found := pattern.search(scan.text)):
            continue
        said[option] = _spoken(option, found["value"])
        scan = scan.mark(*found.span())
    for pattern, option in _behind():
        if option not in said and (found := pattern.search(scan.text)):
            said[option] = _spoken(option, found["value"])
            scan = scan.mark(*found.span())
    return said, scan


def _spoken(option: str, value: str) -> float | int:
    if option == "gpu_memory_utilization":
        share = _share(value)
        return whole(share / 100) if 1 < share <= 100 else share
    return tokens(value)


def _take_formats(scan: Scan) -> tuple[dict[str, Any], Scan]:
    """`fp8 kv`, `awq`: vLLM's own words for the formats."""
    formats, scan = precision.find(scan)
    said: dict[str, Any] = {}
    if formats.kv:
        said["kv_cache_dtype"] = formats.kv
    if formats.weights:
        option, value = quantised(formats.weights)
        said[option] = value
    return said, scan


def quantised(word: str) -> tuple[str, str]:
    """The option and vLLM's word for a format of the weights."""
    if word in _DTYPES:
        return "dtype", _DTYPES[word]
    return "quantization", _QUANTIZATION.get(word, word)
