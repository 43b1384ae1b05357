"""Which deployment is meant: an environment, or a server by its name."""

from bot.understand.scan import TAKEN, Scan, grammar
from knowledge import gpus

_ENVIRONMENTS = (
    ("staging", r"staging|stage(?! \d)|pre-?prod(?:uction)?|预发(?:布)?(?:环境)?"),
    (
        "prod",
        r"prod(?:uction)?|live (?=deployment|env|servers?|traffic)|线上(?:环境|服务)?|生产(?:环境|线)?(?!力)|正式环境|现网",
    ),
    ("canary", r"canary|灰度(?:环境)?|金丝雀"),
    ("dev", r"dev(?:elopment)?(?: env\w*)?(?![a-z])|开发环境"),
    ("test", r"test(?:ing)? env\w*|测试环境|线下(?:环境)?"),
    ("qa", r"qa(?: env\w*)?(?![a-z])"),
    ("uat", r"uat(?: env\w*)?(?![a-z])"),
)
_EACH = tuple((name, grammar(rf"(?<![\w-])(?:{pattern})(?![\w-])")) for name, pattern in _ENVIRONMENTS)
_ANY = "|".join(pattern for _, pattern in _ENVIRONMENTS)
_WITH_ENVIRONMENT = grammar(
    rf"(?<![\w-])(?P<name>(?:[a-z0-9.]+[-_])+(?:{_ANY})(?:[-_][a-z0-9]+)*|(?:prod|staging|stage|canary|dev)(?:[-_][a-z0-9.]+)+)(?![\w-])"
)
_MADE = r"[a-z][a-z0-9.]*(?:[-_][a-z0-9.]*[a-z0-9])+"
_ASKED_OF = grammar(
    rf"(?:\b(?:watch|unwatch|watching|monitor|monitoring|eye on|track|health(?: check| report| status)?(?: of| for| on)?|how(?:'s| is|s)|status of|is|server|from|on|of|for|alerts? (?:on|for))|盯(?:着|一下|住)?|监控(?:一下)?|看(?:看|下|一下)?|查(?:一下|下)?)\s?(?:the\s|server\s)?(?P<name>{_MADE}|[a-z]+\d+)(?![\w-])"
    rf"|(?<![\w-])(?P<before>{_MADE})\s?(?:server|服务|实例|(?:现在|最近|今天)?(?:咋样|怎么样|健康|正常吗|状态|还好吗))"
)
_AROUND = grammar(
    rf"(?:\b(?:on|in|for|of|at|to)\s)?(?:the\s|our\s)?{TAKEN}+(?:\s(?:servers?|deployment|cluster|env\w*)\b)?"
)
_NO_SERVER = grammar(
    r"(?:max|num|gpu|kv|time|inter|request|prefix|e2e|end|tensor|enable|first|p\d\d|last|chunked|cuda|run\d|job\d)(?:[-_\d]|$)|health|report|\w+report"
)


def take_place(scan: Scan) -> tuple[dict[str, str], Scan]:
    """`{"env": …}` or `{"server": …}`, nothing when neither is named, and the scan without it."""
    if named := _WITH_ENVIRONMENT.search(scan.text):
        return {"server": named["name"]}, scan.mark(*named.span("name"))
    for name, pattern in _EACH:
        if found := pattern.search(scan.text):
            return {"env": name}, scan.mark(*found.span())
    for found in _ASKED_OF.finditer(scan.text):
        group = found.lastgroup or "name"
        if not _NO_SERVER.match(found[group]) and not gpus.mentions(found[group]):
            return {"server": found[group]}, scan.mark(*found.span(group))
    return {}, scan


def take_out_place(scan: Scan) -> tuple[dict[str, str], Scan]:
    """The same, with `on` and `of` before it gone too, so that a name and its value stand together: `seqs on prod to 512`."""
    place, scan = take_place(scan)
    return place, Scan.of(_AROUND.sub(" ", scan.text).replace("  ", " "))
