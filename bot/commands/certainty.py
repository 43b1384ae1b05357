"""Whether a message is a request to act beyond doubt: stricter than recognising what one asks that is known to be a request."""

from bot.commands import signs
from bot.commands.command import Name
from bot.commands.loads import Load, take_load
from bot.commands.people import owner
from bot.commands.places import take_place
from bot.commands.recognising import Words, recognise
from bot.commands.recurrences import take_recurrence
from bot.commands.run_references import references
from bot.commands.wording import wording
from bot.understand import topics
from bot.understand.scan import Scan, grammar

_RERUN = grammar(
    r"\bre-?(?:run|bench\w*|peat|do)\b|\b(?:run|bench|test|do|try) (?:it|that|this|those|the same|that one|the last \w+)\b.{0,24}\b(?:again|once more|with|but)\b|\bonce more\b"
    rf"|{signs.LEAD}same (?:{signs.BENCH}|run|workload|load|job|thing)\b|^again\b|重跑|重新?\s?(?:跑|压|测)|再(?:跑|压|测|来|做)\s?(?:一|1)?(?:遍|次|轮|下|个)"
)
_TUNE = grammar(
    rf"{signs.LEAD}(?:auto[- ]?)?tune\b|{signs.LEAD}tuning (?:session|run)\b|(?:做|开|来|跑|起)(?:一?(?:个|次|轮|下))?\s?(?:自动)?调优|调优一?下|自动调优"
)
_SWEPT = grammar(
    rf"{signs.LEAD}(?:sweep|try|vary|test|bench\w*|run|go through|loop over)\b|\bsweep\b|扫(?:一?下|一?遍|描|\s?(?=[a-z]))|分别|依次|各(?:跑|压|测)|遍历"
)
_QUEUE = grammar(
    r"^(?:the )?(?:jobs|queue)\W*$|\bwhat(?:'s| is|s) (?:currently )?(?:running|queued)\b(?! (?:out|on (?:prod|vllm)))|\bwho(?:'s| is|s)? (?:using|running|on|has|hogging|occupying)\b|\b(?:any|some)(?:one|body)\b.{0,12}\b(?:using|running on|on) (?:the |our |a )?"
    r"|\b(?:which|what|any|are|is|all) (?:the |our |of the )?(?:\w+ )?(?:gpus?|cards?|hosts?|machines?|box(?:es)?|nodes?) (?:are |is |that are )?(?:currently |still )?(?:free|idle|busy|taken|available|in use)\b(?! memory)|\b(?:in|of|at|see|show|check|view|empty) (?:the |our |my )?(?:job )?queue\b|\bwhat does the queue\b|\bqueue (?:status|position|list)\b"
    r"|\b(?:any|how many|which|what|list|show|all|pending|queued|running|waiting) (?:\w+ )?(?:jobs?|benchmarks|benches)\b|谁(?:在|占)(?:用|跑|着)|(?:多少|几|哪些|什么)\s?个?\s?(?:任务|压测)|有(?:没有)?人(?:在)?(?:用|跑|占)|排队(?:的?情况|状态|列表)|队列|(?:有没有)?(?:人|谁|别人)在(?:用|跑|压|测)|(?:哪|几)(?:些|张|台|个)\S{0,6}(?:空|闲)|空着(?:吗|么|没)|(?:是否|有没有|还有)?\s?(?:空闲|闲置)(?!时|的时候|期间|状态下|占)"
)
_HOW_TO = grammar(
    r"\bhow (?:to|do (?:i|we|you)|can (?:i|we)|should)\b|\bshould (?:i|we)\b|\bis it (?:safe|ok|a good idea|worth)\b|\bwhat (?:does(?! the queue)|do|is the (?:difference|best)|happens?)\b|\bwhen (?:should|does|do|to)\b|\bworth\b|\bdoes (?:it|vllm|the(?! queue))\b"
    r"|怎么(?:办|做|设|用|写|跑|压|测|调|配|才|样才)|如何(?!了)|应该|该(?:不该|设|用)|多少(?:合适|比较|才|好)|要不要|是不是|会不会|有必要|什么意思|区别|合适|能不能|可不可以|可以.{0,12}吗"
)
_ASKED = grammar(r"[?？吗呢]\s?$")
_POLITE = grammar(
    r"\b(?:can|could|would|will) (?:you|u|we|someone)\b|\b(?:you|someone) could\b|能不能|可以帮|能帮|帮(?:我|忙)"
)
_DEFINITE_BASELINE = grammar(r"\b(?:the|our|current|present|new|old)\s(?:\w+\s)?base ?line\b|基线|\bbase ?line['’]s\b")
_PAIR = grammar(
    r"(?<![\w.])#?\d{1,7}(?:'s)?\s?(?:and|vs\.?|versus|to|with|against|than|from|&|和|跟|与|比|对)\s?#?\d{1,7}(?![\w.%])"
)
_WHY_NUMBER = grammar(
    r"^(?:\w+ )?(?:the )?logs? (?:of |for |from )?#?\d{1,7}\b|\d{1,7}\s?号?的?日志|^.{0,24}#?\b\d{1,7}\b.{0,24}\b(?:than|against|versus) (?:run )?#?\d{1,7}(?![\w.%])"
    r"|^(?:why|how come|explain|为什么|为啥|分析(?:一?下)?)\W{0,2}(?:is |was |did |does |has |s |'s )?(?:run )?#?\d{1,7}\b|^\d{1,7}\s?(?:为什么|为啥|怎么)"
)
_RUN_ALONE = grammar(r"\s*(?:run|#|show|任务|运行)\s?(?:run )?#?\d{1,7}\s?\W*")
_NOT_A_RUN = grammar(
    r"(?<!\d )\b(?:to|can|could|will|would|i|we|you|should|it|that|must)\s(?:run|bench|test)\s\d|\brun \d+ (?:models?|replicas?|instances?|copies|requests?|gpus?|servers?)\b"
)
_LOADED = grammar(rf"\b{signs.BENCH}\b|(?<!抗)压(?!缩|力)|基准测试|性能测试|\bsoak\b")
_CANCEL_ORDER = grammar(rf"{signs.LEAD}(?:cancel|abort|stop|kill|terminate|clear)\b")
_AHEAD = grammar(r"前面(?:还)?有|排(?:到)?第几|轮到我")
_HEALTH = grammar(r"\bhealth\w*\b|健康|体检|巡检|日报|周报")
_OUR_SCHEDULER = grammar(r"\b(?:priorit\w+|fair|async\w*|batch|step|request|token|policy|scheduler|max-num)\b")
_CHANGED_BY_US = grammar(r"^\s?(?:can|could|would|will) (?:you|u|we)\b|把|将")


def certain(own: str, *, subject: bool) -> bool:
    """Whether `own` (the person's own words) asks for something to be done. `subject` says that it names a model or a card."""
    scan = wording(own)
    if (name := recognise(scan)) is None:
        return False
    if _numbered(scan):
        return True
    return _HOW_TO.search(scan.text) is None and _by_name(name, Words(scan), subject=subject)


def _by_name(name: Name, words: Words, *, subject: bool) -> bool:
    match name.value.partition(".")[0]:
        case "bench" | "tune":
            return _load(name, words)
        case "job":
            return _job(name, words)
        case "run":
            return _run(words, subject=subject)
        case "schedule":
            return _schedule(words)
        case _:
            return _deployment(name, words)


def _numbered(scan: Scan) -> bool:
    """Whether a run is named by its number: then nothing else can be meant."""
    found, _ = references(scan)
    return any(isinstance(each.run, int) for each in found) and _NOT_A_RUN.search(scan.text) is None


def _load(name: Name, words: Words) -> bool:
    load = take_load(words.scan)
    if name is Name.BENCH_RERUN:
        said = words.have(_RERUN) or (words.have(signs.AGAIN) and (words.runs() or _changed(load)))
        return bool(said) and topics.trouble(load.rest.text) == 0
    known = bool({"model", "targets"} & load.arguments.keys()) or words.runs() > 0
    calm = topics.trouble(load.rest.text) == 0 and (not words.have(_ASKED) or words.have(_POLITE))
    if name is Name.TUNE_START:
        return known and words.have(_TUNE)
    if name is Name.BENCH_SWEEP:
        return known and calm and words.have(_SWEPT)
    measured = words.have(signs.BENCH_ORDER) or (words.have(_LOADED) and words.model and _changed(load))
    return known and calm and measured


def _changed(load: Load) -> bool:
    """Whether something of the load, or an option, is said."""
    return bool(load.arguments.keys() - {"model", "targets", "gpus"})


def _job(name: Name, words: Words) -> bool:
    if words.model:
        return False
    if name is Name.JOB_LIST:
        return words.have(_QUEUE)
    if name is Name.JOB_CANCEL and words.have(signs.CANCEL_ALONE):
        return True
    if owner(words.scan.text) is None:
        return False
    return words.have(signs.JOB_NOUN) or words.have(_AHEAD) or (name is Name.JOB_CANCEL and words.have(_CANCEL_ORDER))


def _run(words: Words, *, subject: bool) -> bool:
    found, _ = references(words.scan)
    kinds = {each.run["ref"] for each in found if isinstance(each.run, dict)}
    if "previous" in kinds or ("baseline" in kinds and words.have(_DEFINITE_BASELINE)):
        return True
    if subject or topics.techniques(words.scan.text) > 2:
        return False
    return words.have(_PAIR) or words.have(_WHY_NUMBER) or _RUN_ALONE.fullmatch(words.scan.text) is not None


def _schedule(words: Words) -> bool:
    found, _ = take_recurrence(words.scan)
    if words.have(_OUR_SCHEDULER) and not words.have(signs.REPORT):
        return False
    if words.have(signs.REPORT) or words.have(signs.SCHEDULED):
        return True
    return bool(found and found.cron) and words.have(signs.BENCH_ORDER)


def _deployment(name: Name, words: Words) -> bool:
    """Health, metrics, watches, changes: of an environment, or of a server whose name has one in it."""
    place, _ = take_place(words.scan)
    if not place:
        return name is Name.HEALTH_SHOW and words.have(_HEALTH) and words.have(signs.REPORT)
    if "server" in place and not take_place(Scan.of(place["server"].replace("-", " ").replace("_", " ")))[0]:
        return name in (Name.WATCH_START, Name.WATCH_STOP) or (name is Name.HEALTH_SHOW and words.have(_HEALTH))
    if name is Name.DEPLOY_CHANGE:
        return not words.have(_ASKED) or words.have(_CHANGED_BY_US)
    return name is not Name.METRICS_QUERY or not words.have(signs.WHY)
