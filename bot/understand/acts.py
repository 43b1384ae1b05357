"""Requests to act: benchmarks, jobs, runs, health, schedules. Which command it is, is read elsewhere; here only that it is one."""

from bot.understand.scan import grammar

_LEAD = (
    r"(?:^|[.!?;\n。！？；]\s?|,\s?)(?:(?:hey|hi|hello|ok|okay|so|now|then|also|and|please|pls|plz|kindly|just"
    r"|maybe|bot|quickly|go(?: ahead and)?|let'?s|lets|can (?:you|we|i|u)|could (?:you|we|i)|would you"
    r"|will you|i(?:'d| would)? (?:want|like|need)(?: you)? to|we (?:want|need|should)(?: to)?|want to"
    r"|need to|"
    r"help me|try to|do(?: me)?|kick off|fire off|start|launch|run|queue(?: up)?|give me|show me|get me"
    r"|gimme|show|an?|the|another|one more|quick|short|small|full|new|fresh|proper|nightly)[\s,:]{1,2})*"
)
_ZH_LEAD = r"(?:^|[,。!?;\n，！？；]|请|麻烦|帮(?:我|忙|我们)?|给(?:我|我们)?|能不能|可以|现在|再|先|把|用|对|拿|去|来|开始|我想|想|需要)\s?"
_RUN_NUMBER = r"(?:runs?|jobs?|bench(?:mark)?s?|任务|运行|压测)\s?(?:#|no\.?|number|id|号)?\s?\d{1,7}\b|#\d{1,7}\b"
_SERVER = r"(?:prod(?:uction)?|staging|stage|canary|dev|test env|线上|生产(?:环境)?|预发|灰度|测试环境|线下|集群)"

_ACTS = tuple(
    grammar(pattern)
    for pattern in (
        # benchmarks and tuning sessions
        rf"{_LEAD}(?:bench(?:mark|marking)?|load[- ]?test|stress[- ]?test|perf(?:ormance)?[- ]test|hammer"
        r"|sweep)\b(?!\s?(?:run )?(?:结果|显示|发现|里|时|说|shows?|says?|gives?|result|results|serve|numbers|is\b|was\b|are\b|fail"
        r"|against (?:the )?(?:docs|paper)|with (?:the )?default|json|command|tool|script))",
        rf"{_LEAD}(?:re-?run|re-?bench|repeat|redo)\b|{_LEAD}(?:once|one) more\b(?: time)?|\b(?:bench|run|test|try|do) (?:it|that|this|the (?:last"
        r"|same|previous)(?: one| run| bench| benchmark| test)?) (?:again|once more|with|but)"
        rf"|\bsame (?:bench(?:mark)?|run|test|workload)(?: again)?\b.{{0,40}}\b(?:with|but|on|again)",
        rf"{_LEAD}(?:auto-?)?tune\b(?!r)|{_LEAD}(?:start|begin|launch) .{{0,12}}tuning",
        rf"{_ZH_LEAD}[^,。?!，]{{0,24}}?(?:压测|压一?(?:下|压)|跑(?:一?个|一?下|一?轮|一?遍)?\s?(?:bench\w*|压测|基准|benchmark"
        r"|性能测试)|测(?:一下|下|一测)\s?(?:性能|吞吐|延迟|ttft|速度)|打压|加压)(?!的?(?:结果|时|过程|中|里|发现|显示|数据|工具|:|：))",
        r"(?:再|重新?|重)(?:跑|压|测|来)(?:一?[遍次轮个下]|一)|重跑|复跑|(?:跑|压|测)(?:一|1)?(?:遍|轮|次)\s?(?:\S{1,12})?(?:$|[,。，])"
        r"|(?:开始|做|跑|来)(?:一?[次轮个])?\s?(?:自动)?调优|(?:扫|遍历)一?下",
        rf"{_LEAD}(?:throw|fire|send|push|shoot) \d+k? (?:prompts?|requests?|reqs?)\b|(?:打|发|灌)\s?\d+\s?(?:个|条)\s?(?:请求|prompt)"
        r"|(?:用|拿).{0,16}(?:参数|配置|设置).{0,6}(?:再|重新)?(?:测|压|跑)一",
        # jobs and the queue
        r"\b(?:cancel|abort|terminate)\b(?!.{0,12}\b(?:a |in-?flight |client )?requests?\b)|\b(?:stop|kill"
        r"|end) (?:my|the|that|this|all|every\w*|his|her|their|job|run|bench\w*|it)\b(?!.{0,30}\b(?:server"
        r"|process|from|vllm)\b)|(?:取消|停掉|停止|终止|中止|撤销|撤回|杀掉|干掉|停一?下|停了)(?:.{0,16}(?:任务|job|压测|bench\w*|队列|排队"
        r"|run|运行|它|这个|那个)|\s?(?:我的|所有|全部|大家))|(?:任务|job|压测|run)\s?.{0,10}(?:取消|停掉|停止|终止|停了|撤)",
        r"\b(?:queue|jobs?)\b.{0,24}\b(?:status|list|position|left|waiting|ahead|running|empty|long|look|doing"
        r"|done|finished|progress)\b|\b(?:what'?s|what is|whats|who'?s|who is|anything|show|list"
        r"|see)\b.{0,24}\b(?:in (?:the )?queue|queued|the queue|jobs?\b|running (?:right )?now|running on"
        r"|using the gpus?)|(?:my|our|the|which|list|all) jobs?\b|(?:is|are) (?:my|the) (?:bench\w*|job|run"
        r"|test)s? (?:done|finished|still|ready|running|stuck)|how(?:'s| is| far).{0,12}(?:my|the) (?:bench\w*"
        r"|job|run)\b|队列|(?:任务|job|压测|bench).{0,8}(?:状态|进度|列表|到哪|完了|好了|跑完|结束|在跑|排队|多久|几个|多少个|怎么样了|咋样了)|(?:还有|有"
        r"|现在).{0,6}(?:几个|多少|哪些|什么)\s?(?:任务|job)|现在.{0,4}排队.{0,6}(?:几|多少|哪些|谁)|排(?:到|第)几|谁在(?:用|跑)",
        # runs
        r"\b(?:logs?|output|tail|result|results|report|details?|summary|command"
        rf"|chart)\b.{{0,20}}(?:{_RUN_NUMBER})|(?:{_RUN_NUMBER}).{{0,24}}(?:logs?|output|results?|日志|结果|详情|怎么样"
        rf"|命令|图|输出)|{_LEAD}(?:tail|show|open|get|see|fetch"
        rf"|display)\s?(?:me )?(?:the )?.{{0,24}}(?:{_RUN_NUMBER})|\blogs? (?:of|for|from)\b.{{0,30}}\b(?:jobs?"
        rf"|runs?|bench\w*)\b|{_LEAD}tail\b|(?:看|查|发|拉|给).{{0,12}}(?:{_RUN_NUMBER})|(?:任务|压测|run"
        rf"|bench).{{0,10}}(?:的)?日志.{{0,8}}(?:看|发|拉|给|最后|$)|^\s?(?:{_RUN_NUMBER})\s?\??$",
        r"\b(?:compare|diff|difference|versus|vs\.?|changed?|slower|faster|worse|better"
        rf"|regress\w*)\b.{{0,60}}(?:{_RUN_NUMBER}|\bbaseline\b|\b(?:last|previous) (?:run|bench\w*)\b)"
        rf"|(?:{_RUN_NUMBER}|\bbaseline\b).{{0,40}}\b(?:compare|diff|versus|vs\.?|slower|faster|worse|better"
        rf"|than|against|changed?)\b|\bwhy (?:is|was|did) (?:run )?#?\d{{1,6}} (?:so |much )?(?:slower|faster"
        rf"|worse|better|fail)|{_LEAD}compare \d+|{_LEAD}(?:explain|show) (?:run )?#?\d{{1,6}}\b|(?:对比|比较|比一?下"
        rf"|差异|差别|差在哪|区别).{{0,24}}(?:{_RUN_NUMBER}|baseline|基线|\d{{1,6}}\s?(?:和|跟|与|vs)\s?\d{{1,6}})"
        rf"|(?:{_RUN_NUMBER}|baseline|基线|\d{{1,6}}\s?(?:为什么|为啥|怎么)?\s?(?:和|跟|与|vs|比)\s?\d{{1,6}}).{{0,24}}(?:对比"
        r"|比较|比一?下|差异|差别|差在哪|区别|慢|快|差|高|低|改了|变了)",
        rf"\b(?:set|mark|make|use|save|pin|keep|promote|take)\b.{{0,30}}\bbaseline\b|(?:设|标|作|当|存|定|记|选|升)(?:置"
        rf"|记|为|成|作|做|定)?.{{0,8}}(?:基线|baseline)|(?:{_RUN_NUMBER}).{{0,12}}(?:基线|baseline)",
        rf"\b(?:how (?:did|was|is)|what happened (?:to|with|in)|who (?:started|ran|runs|owns|cancell?ed)|when (?:did|was))\b.{{0,16}}(?:{_RUN_NUMBER})"
        r"|\b(?:results?|report|summary|logs?|numbers|outcome) (?:of|for|from) (?:the |my |our )?(?:last|latest|previous|newest|bench\w*|job|run)\b"
        r"|(?:有没有人|谁|有人)(?:还)?在用|(?:卡|机器|那台|gpu).{0,6}(?:空闲|空着|被占)|(?:上次|上一次|最近一次|刚才)(?:的)?(?:压测|bench\w*|run).{0,8}(?:结果|怎么样|如何)",
        # health, metrics, watches, schedules, changes
        rf"\bhow(?:'s| is|s| are)\b.{{0,12}}{_SERVER}|{_SERVER}.{{0,12}}\b(?:ok|okay|healthy|health|status|up"
        rf"|alive|doing|down|fine|look)|\b(?:health|status)\b(?: check| report)?.{{0,12}}(?:of|on"
        rf"|for)?\s?(?:the )?(?:{_SERVER}|servers?\b|fleet|cluster)|{_LEAD}health(?:[- ]?(?:report|check"
        rf"|status))?\s?(?:$|[?!.,]|(?:of|on|for|please|pls|now)\b)|is {_SERVER}|{_SERVER}(?:的)?(?:服务|环境|那边|那台"
        rf"|现在|模型)?.{{0,8}}(?:咋样|怎么样|如何|还好|健康|状态|正常吗|挂了(?:吗|没)|活着|什么情况|情况)|(?:健康|体检|巡检)(?:日报|报告|检查|状态|情况|一下)"
        rf"|(?:看|查)(?:一下|看|下)?.{{0,6}}(?:健康|状态)",
        rf"\b(?:p\d{{2}}|ttft|tpot|itl|latency|throughput|qps|rps|kv|hit rate|preemptions?|queue|waiting"
        rf"|running|error rate|requests?|tokens?)\b.{{0,48}}\b(?:on|in|for|of"
        rf"|at)\s(?:the )?{_SERVER}\b.{{0,30}}|(?:last|past|over the|since|between|yesterday|today|this morning"
        rf"|tonight)\b.{{0,24}}\b(?:p\d{{2}}|ttft|tpot|itl|latency|throughput|error rate)\b|\b(?:p\d{{2}}|ttft"
        rf"|tpot|itl|latency|throughput|error rate)\b.{{0,40}}\b(?:last|past|over the last|since|between"
        rf"|yesterday|today|this morning)\b.{{0,16}}(?:hour|min|day|week|night|morning|\?|$|\d)"
        rf"|{_SERVER}.{{0,16}}(?:p\d{{2}}|ttft|tpot|itl|延迟|吞吐|qps|rps|kv|命中率|抢占|排队|错误率).{{0,20}}(?:多少|多大|怎么样|如何"
        rf"|曲线|趋势|$)|(?:昨天|今天|昨晚|最近|过去|近|刚才|上周).{{0,20}}(?:p\d{{2}}|ttft|tpot|itl|延迟|吞吐|qps|命中率|抢占|错误率)"
        rf"|(?:p\d{{2}}|ttft|tpot|延迟|吞吐|错误率).{{0,12}}(?:昨天|今天|昨晚|最近|过去|近\d|上周)",
        r"\b(?:watch|monitor|alert|notify|page|ping|warn|tell|wake) (?:me|us|this channel)\b.{0,40}\b(?:if|when|once|about|on)\b|"
        + _LEAD
        + r"(?:watch|unwatch|monitor|keep an eye on|start watching|stop (?:watching|monitoring|alerting))\b"
        r"|(?:盯着|盯一下|盯住|监控一下|监控着|帮.{0,4}监控|看着点|告警.{0,6}(?:我|群|发)|报警.{0,6}(?:我|群)|别再?(?:盯|监控|告警)|停止监控|取消监控)",
        r"(?<!priority )(?<!request )(?<!batch )(?<!fair )\bschedul(?:e|ed|es|ing)\b(?!r)(?!.{0,12}\b(?:policy|priority|algorithm|delay|step|budget)\b)"
        r"|\b(?:every|each) (?:day|morning|evening|night|weekday|week|hour|monday|tuesday|wednesday|thursday"
        r"|friday|saturday|sunday|month|\d+ ?(?:min|hour|day)\w*|workday)\b|\b(?:daily|weekly|hourly"
        r"|nightly) (?:at|report|health|bench\w*|summary|run)|\b(?:pause|resume|unpause|move|stop|delete"
        r"|remove|change|shift) (?:the|my|our|this|all)?\s?(?:daily|weekly|hourly|nightly|morning|health"
        r"|schedul\w+|reports?)\b|\b(?:post|send) .{0,24}report"
        r"|每(?:天|日|周|晚|个?小时|个?工作日|早|隔|\d+\s?(?:分钟|小时|天))|每(?:周|星期)?[一二三四五六日末]|工作日.{0,8}(?:点|发|跑)|定时|定期|计划任务|日报"
        r"|周报|(?:暂停|恢复|删掉?|取消|改到|改成|推迟|提前).{0,10}(?:日报|周报|定时|报告|计划)",
        r"\b(?:set|change|update|bump|raise|lower|increase|decrease|restart|redeploy|deploy|roll ?back"
        rf"|rollback|scale|switch|turn (?:on|off)|enable|disable|apply)\b.{{0,60}}\b(?:on|in|for|to|of"
        rf"|at)\s(?:the |our )?{_SERVER}\b|{_LEAD}(?:restart|redeploy|deploy|roll(?:ing)?(?: ?back)?|scale (?:up"
        rf"|down))\b.{{0,30}}{_SERVER}|(?:把|将|给).{{0,10}}{_SERVER}.{{0,30}}(?:改|调|设|重启|开|关|升|降|回滚|扩|缩|换)"
        rf"|{_SERVER}.{{0,20}}(?:改成|调到|调成|设成|重启|回滚|扩容|缩容|升级到|切到|上线)",
        # what the other patterns leave out: several values, progress, the last run, and words as they stand after /vllm
        r"\b(?:try|test|vary|loop over|go through) (?:\w+ )?(?:max-num-\w+|request[- ]rates?|rates|concurrenc\w+|batched tokens"
        r"|[a-z]+(?:-[a-z]+)+)s? \d|(?:分别|依次|各)\s?(?:跑|压|测|试)|调优\s?\S|调优(?:一下|任务)"
        r"|跑(?:一?个|一?下|一?轮|一?遍)?.{1,40}的?(?:压测|基准测试|性能测试|benchmark)|(?:别|不用)再?跑了",
        rf"\b(?:status|progress|state|position|eta) of (?:my |the )?(?:{_RUN_NUMBER}|job|run|bench)|\bhow far\b.{{0,12}}(?:{_RUN_NUMBER}|job|bench)"
        r"|(?:show|open|see|get|how (?:was|did|is)|what (?:was|did)).{0,12}\b(?:last|latest|previous) (?:run|bench\w*|job|test)\b"
        r"|^how (?:does|did|do) #?\d{1,6} (?:compare|do|look|stack)|\d{1,6}\s?(?:和|跟|与|比)\s?(?:\d{1,6}|上一?次|之前|基线).{0,16}差",
        r"\b(?:once|twice|\d times) (?:a|per) (?:day|week)\b.{0,16}\b(?:at|report)\b|^/?(?:vllm )?(?:queue|servers|runs|cancel|report|schedules?)\s?$"
        r"|^/?(?:vllm )?(?:run|logs?|cancel|rerun|baseline|explain|compare)(?: #?\d{1,7}\b)+|^/?(?:vllm )?(?:metrics|health|watch) \w+.{0,40}$",
    )
)
# Words without which nothing is to be done: only with one of them a message is looked at more closely.
_MAY_ACT = grammar(
    r"\b(?:bench\w*|load[- ]?test\w*|stress\w*|soak|who\W?s?|any(?:one|body)|numbers|hammer|measure|throw|blast|re-?run|re-?do|repeat|retry|again|once more|same|sweep|vary|try|auto-?tune|tune|tuning"
    r"|jobs?|queued?|runs|run #?\d+|differ\w*|base ?line|logs?|tail|reports?|summary|schedul\w+|watch|monitor\w*|alerts?|tell|ping|notify|prod\w*|staging|stage|canary|health\w*"
    r"|cancel|abort|stop|kill|terminate|free|idle|busy|using|running|restart|roll ?back|scale|compare|diff|than|why\W?s?|explain)\b|#\d|[-_](?:prod|staging|canary)\b"
    r"|\d\s?(?:和|跟|与|比)\s?\d|压|测|跑|扫|号|前面|结果|任务|队列|排队|基线|日志|报告|日报|周报|定时|盯|监控|告警|看着|线上|生产|预发|灰度|健康|取消|停|谁在|有人|空闲|空着|对比|分析|为什么|为啥"
)
_QUESTION = grammar(
    r"^\s?(?:why|how (?:do|does|should|would|can i|to)|what (?:does|is the (?:meaning|difference|best)"
    r"|happens)|when (?:should|does|do)|should i|is it normal|does|explain (?!run|\d|#)"
    r"|what'?s the (?:right|best|correct) (?:way|flag))|^(?:为什么|为啥|怎么(?:做|用|写|跑|测|设)|如何|什么是|什么时候|要不要|该不该"
    r"|explain 一下)|(?:怎么|如何)(?:做|用|写|测|压)(?:压测|bench\w*)?|压测(?:要|该|应该)?(?:怎么|如何)"
)
_HOW_TO = grammar(r"\bhow (?:to|do (?:i|we|you)|can (?:i|we))\b|怎么(?:办|样才能|才能)")
_ABOUT_RUNS = grammar(
    rf"{_RUN_NUMBER}|\bbaseline\b|基线|\bwhy (?:is|was|did) #?\d|^how (?:does|did) #?\d{{1,6}} (?:compare|do|look)\b|{_SERVER}|\bmy (?:job|run|bench)"
)


def may_act(text: str) -> bool:
    """Whether there is a word in it that requests to act have; most questions of fit have none."""
    return _MAY_ACT.search(text) is not None


def acts(text: str) -> bool:
    """Whether something is to be done. `text` is narrowed and lower case; a question about how to do it is none."""
    if (_QUESTION.search(text) or _HOW_TO.search(text)) and not _ABOUT_RUNS.search(text):
        return False
    return any(pattern.search(text) for pattern in _ACTS)
