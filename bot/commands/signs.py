"""The words by which requests to act are told apart, in English and Chinese; text is lower case, numerals are digits."""

import re

from bot.understand.scan import grammar

Sign = re.Pattern[str]

BENCH = r"(?:bench(?:mark)?(?:ing|s)?|soak(?:[- ]?test)?|numbers(?= (?:for|on|of) (?!run))|load[- ]?test\w*|stress[- ]?test\w*|perf(?:ormance)?[- ]test\w*)"
REPORT = grammar(
    r"\b(?:report|digest|summary)s?\b|日报|周报|晨报|(?:健康|巡检|状态)(?:报告|报表|汇总|播报)|报告|巡检(?!一下)"
)
SCHEDULED = grammar(
    r"(?<!async )(?<!asynchronous )\bschedul(?:e|ed|es|ing)\b|\bcron ?(?:jobs?)?\b|\brecurring\b|\breminders?\b|定时(?:任务|压测|报告)?|定期(?:任务)?|计划任务|排期"
)
REMOVE = grammar(
    r"\b(?:delete|remove|drop|cancel|stop|kill|unschedule|unsubscribe|turn off|disable|end|clear|get rid of|no more|don'?t (?:send|post)|do not (?:send|post))\b"
    r"|删|取消|停掉|停止|停了|不(?:要|用)再?(?:发|推|播)|别再?(?:发|推|播)|关掉|关了|撤掉|退订|(?<!一)下线"
)
PAUSE = grammar(r"\b(?:pause|suspend|mute|snooze|hold(?: off)?)\b|暂停|先停|停几天|停一?下(?!来)|静音")
RESUME = grammar(
    r"\b(?:resume|unpause|unmute|re-?enable|re-?activate|re-?start|continue|turn (?:back )?on|back on)\b|恢复|继续发|重新(?:开启|打开|启用|开)|接着发"
)
MOVE = grammar(
    r"\b(?:move|change|shift|reschedule|push back|postpone|bring forward|switch|delay)\b|\b(?:set|make|update|push|bring) (?:the|our|this|that|my)\b|改(?:到|成|为|在)?|挪|推迟|提前|换到|换成|调(?:到|整|成)|顺延"
)
LIST = grammar(
    r"\b(?:what|which|list|show|any|see|display|are there|do we have|got)\b|哪些|什么|列(?:出|一下)?|有没有|看(?:一?下|看)?|查(?:看|一下)?|都有|几个"
)
SET_UP = grammar(
    r"\b(?:schedule|set ?up|create|add|start|subscribe|post|send|deliver|publish|drop|share|push|run|give|want|need)\b|发|推|播|订阅|建|加|设|开|跑|来"
)
WATCH = grammar(
    r"\b(?:(?:keep |start )?(?:watch|monitor|track)(?:ing)?)\b(?!dog)|\bkeep (?:an )?eye on\b|\bstart (?:watching|monitoring|alerting)\b|盯|监控(?!指标|面板|数据|系统)|看着点|守着|留意"
    r"|\b(?:alert|notify|page|ping|warn|tell|wake|let)\s(?:me|us|this channel|the channel|#[\w-]+)\b.{0,30}\b(?:if|when|once|whenever)\b"
    r"|(?:超过|高于|大于|低于|掉到|涨到|达到|>|≥).{0,24}(?:告警|报警|通知|提醒|叫|喊|告诉|@|艾特|说一声)|(?:告警|报警)(?:给|我|到|一下|发)"
)
UNWATCH = grammar(
    r"\bun-?watch|\b(?:stop|quit|no more|don'?t|do not|end|cancel|disable|turn off)\s(?:the\s|all\s|our\s)?(?:[\w-]+\s)?(?:watch\w*|monitor\w*|alert\w*|track\w*|paging|pinging)|\bwatch(?:ing)?\s(?:stop|off|end)\b|\bmute (?:the )?alerts?"
    r"|别再?(?:盯|监控|告警|报警|看着)|不用再?(?:盯|监控|告警|报警|看着)|(?:停止|取消|关掉|停掉|关闭|停)\S{0,12}?(?:盯|监控|告警|报警)|(?:监控|告警|报警)\S{0,4}(?:关掉|停掉|取消|关了|停了)"
)
DONE_FIRST = grammar(
    r"\b(?:when|once|as soon as|after)\b.{0,30}\b(?:done|finish\w*|complet\w*|is over|ends?)\b|跑完|完成(?:后|了)|结束(?:后|了)|好了(?:通知|告诉|叫|@|艾特)"
)
SWEEP = grammar(r"\bsweep\w*\b|\bgrid\b|\bscan over\b|扫(?:一?下|描|一遍|参)|遍历|网格")
EACH_VALUE = grammar(
    r"\b(?:try|test|run|bench\w*|compare|go through|iterate|vary|loop|step)\b|分别|各(?:跑|压|测|来)|依次|轮流|都(?:跑|压|测|试)|试(?:一?下|试)?"
)
TUNE = grammar(
    r"\b(?:auto-?)?tune\b(?!d)|\btuning (?:session|run|job)\b|\b(?:start|begin|launch|run|kick off)\b.{0,16}\btuning\b|调优|调参|自动(?:调|优化)|\boptimi[sz]e\b|(?:find|search)\b.{0,24}\bbest (?:settings?|config\w*|flags?|param\w*|setup)|寻优|找(?:到|出|一?下)?\S{0,6}(?:最优|最佳|最好)"
)
AGAIN = grammar(
    r"\bre-?(?:run|bench\w*|test|do|peat|play)\b|\b(?:once|one time|one) more(?: time)?\b|\bagain\b|\bsame (?:bench\w*|run|tests?|thing|job)\b|\bredo\b|\brepeat\b|\bretry\b|复跑|复测|复压"
    r"|(?:再|重新?|又)\s?(?:跑|压|测|来|做|试)|重跑|重压|重测|重来|(?:照|按)(?:着)?\S{0,12}(?:参数|配置|设置)?再"
)
# What only means a repeat where no model is named: beside one it says that several hosts get the same load.
SAME = grammar(
    r"\bsame (?:workload|load|config\w*|settings?|params|as)\b|(?:一样|同样|相同)的?(?:配置|参数|压测|负载|设置)"
)
BASELINE = grammar(r"\bbase ?line\b|基线|基准(?!测试)")
MARK = grammar(
    r"\b(?:set|mark|make|use|save|pin|keep|promote|take|declare|treat|tag|turn|want|should be|becomes?|is (?:now )?(?:the|our) (?:new )?base(?: ?line)?)\b|\bas (?:the|our|a|new)?\s?(?:new )?base ?line|^base ?line\s?[=:]?\s?(?:run )?#?\d+\s?$"
    r"|设(?:为|成|置)?|标(?:为|成|记)|作(?:为)?|当(?:作|成|做|新)?|定(?:为|成)|记(?:为|成|作)|选|升(?:为|级)|换成|存(?:为|成)|就用|改(?:为|成)|更新(?:为|成)|拿"
)
WHY = grammar(
    r"\bwhy\b|\bhow come\b|\bexplain\b|\bwhat (?:made|caused|explains|happened|went wrong)\b|\breasons?\b|(?:慢|差|高|低|快|好)在哪|为什么|为啥|为何|怎么(?:会|这么|比|就|回事)|咋(?!样)|原因|解释|分析|讲讲|归因"
)
COMPARE = grammar(
    r"\bcompar\w+|\bdiff\w*\b|\bversus\b|\bvs\b|\bagainst\b|\bchang\w+\b|\bbetween\b|\b(?:better|worse|faster|slower|higher|lower)\b|\bregress\w*\b|\bside by side\b|\bdelta\b|\bstack up\b"
    r"|对比|比较|比一?比|比一?下|相比|比.{0,16}?(?:快|慢|好|差|高|低|怎么样|如何|咋样)|差(?:异|别|多少|在哪|距|了)|区别|变了|变化|改了|(?:哪|谁)(?:个|一个|次|边)?.{0,10}?(?:更|快|好|强|慢|高|低|大|小|差)|哪里不(?:一样|同)|不一样|(?:有|什么|啥)不同|(?:跟|和|与|同).{1,24}?比(?!较)"
)
LOGS = grammar(r"\blogs?\b|\btail\b|\bstd(?:out|err)\b|\bconsole output\b|\boutput of\b|日志|输出(?:的)?最后|log")
CANCEL = grammar(
    r"\b(?:cancel|abort|terminate|stop|kill|halt|scrap|call off|get rid of)\b|\b(?:clear|empty|flush)\b.{0,16}\bqueue\b|\b(?:end|drop|pull) (?:my|the|that|this|all|every\w*|job|run|it)\b|取消|停掉|停止|停了|停下|停一下|终止|中止|撤销|撤掉|撤回|撤了|杀掉|干掉|别(?:再)?跑|不(?:要|用)?(?:再)?跑了|结束掉|停吧"
)
QUEUE = grammar(
    r"\bqueued?\b|\bjobs?\b|\bin line\b|\brunning (?:right )?now\b|\bwhat'?s running\b|\busing (?:the |our )?\S{0,12}\s?(?:gpus?|cards?|box|machine)|\bwho(?:'s| is| has)\b|\b(?:any|some)(?:one|body)\b.{0,12}\b(?:using|running|on)\b|\b(?:gpus?|cards?|hosts?|anything|machines?) (?:are |is )?(?:free|idle|busy|available|taken|running)|\bruns\b|\bbusy\b"
    r"|队列|排队|任务|谁在|有人(?:在)?(?:用|跑)|在跑(?:的|什么|哪些|啥)|空闲|空着|被占|占用|(?:有没有|还有)\S{0,8}(?:空|闲)|正在跑|谁(?:占|用)着"
)
STATUS = grammar(
    r"\b(?:status|progress|state|eta)\b|\b(?:is|are|has|have|did)\b.{0,24}\b(?:done|finish\w*|ready|complet\w*|start\w*|running|stuck|over|ended|ending|end(?! up)|begin|begun|through)\b|\bhow (?:far|long|much longer|much time)\b|\bwhere(?:'s| is| am)\b"
    r"|\bhow(?:'s| is| are)\b.{0,20}\b(?:going|doing|coming|getting on|along)\b|\bhow(?:'s| is) (?:my|the|our|job|run)\b|\b(?:my )?(?:position|place|spot|turn)\b|\bwhen (?:will|does|is|do)\b|\bstill (?:running|going|queued|waiting)\b|\bhappening\b|\bgoing on\b|\bwhat(?:'s|s| is) up with\b|\bdone yet\b|\bfinished\??$"
    r"|状态|进度|进展|到哪|(?:跑|压|测|做)(?:完|好)了?(?:吗|没|么)|好了(?:吗|没)|完(?:成)?了(?:吗|没)|结束了?(?:吗|没)|还要(?:多久|多长)|还在跑(?:吗|么)|(?:还)?(?:要|需要|得)?等?多久|什么时候|排(?:到)?第几|前面(?:还)?有|轮到|跑到|开始了?(?:吗|没)|怎么样了|咋样了"
)
JOB = grammar(
    rf"\b(?:jobs?|runs?|{BENCH}|tests?)\b|任务|压测|运行|job|bench|#\d|\b(?:it|that|this)\b|\b(?:am|are|do|will) (?:i|we)\b|\bi\b|我|它|\d{{1,6}}\s?号"
)
BENCH_VERB = grammar(
    rf"\b{BENCH}\b|\b(?:hammer|stress)\b|\b(?:throw|fire|send|push|shoot|blast)\b.{{0,20}}\b(?:prompts?|requests?|reqs?|rps|qps|traffic|load)\b|\bmeasure\b|\btest (?:the )?(?:throughput|latency|performance|speed|ttft)|\bput .{{0,30}}\bunder load\b"
    r"|压(?!缩|力测试结果)|基准测试|性能测试|压力测试|跑(?:一?个|一?下|一?轮|一?遍|一?次|分)|测(?:一?下|一测|试|测)|打(?:一?下|点|满)?\s?\d*\s?(?:压|流量|请求|qps)|(?:发|灌|打)\s?\d+\s?(?:k|个|条|次|请求|prompt|rps|qps|并发)"
)
LEAD = (
    r"(?:^|[.!?;:\n。！？；，]\s?|,\s?)(?:(?:yo|hey|hi|hello|ok(?:ay)?|so|now|then|also|and|please|pls|plz|kindly|just|maybe|nvm|never ?mind|actually|quickly|go(?: ahead and)?|let'?s|lets"
    r"|(?:any chance )?(?:(?:can|could|would|will) (?:you|u|we|i|someone)|(?:you|we|someone) (?:can|could))|i(?:'d| would)? (?:want|like|need)(?: you)?(?: to)?|we (?:want|need|should|would like)(?: to)?|want(?: to)?|need(?: to)?|looking for|help me|try to|do(?: me)?|kick off|fire off"
    r"|start|launch|run|queue(?: up)?|set up|give me|get me|gimme|show(?: me)?|an?|the|another|one more|quick|short|small|full|new|fresh|proper)[\s,:]{1,2})*"
)
ZH_LEAD = (
    r"(?:^|[,。!?;:，！？；\s]|请|麻烦|帮(?:我|忙|我们)?|给(?:我|我们)?|现在|再|先|都|各|上|来|开始|我?想|需要|去)\s?"
)
BENCH_ORDER = grammar(
    rf"{LEAD}(?:{BENCH}|hammer|measure|throw|fire|blast|stress(?! test))\b(?!\s?(?:results?|numbers|shows?|says?|fail\w*|is|are|was|command|tool|script|serve|json))"
    rf"|{ZH_LEAD}(?:压测|压一?(?:下|轮|遍|把)|压(?=\s?[a-z])|测一?下|测测|(?:跑|做|来)(?:一?(?:下|轮|个|次|遍))?.{{0,30}}(?:压测|基准测试|性能测试|{BENCH}))(?!的?(?:结果|时|过程|里|发现|显示|数据|工具))"
)
SHOW = grammar(
    r"\b(?:show|open|get|see|display|view|fetch|details?|results?|outcome|numbers|figures|report|summary|how (?:did|was)|what (?:did|was|were|happened)|give|look at|pull up|command|chart|graph|who|when)\b"
    r"|结果|详情|看|查|怎么样|如何|咋样|数据|报告|打开|调出|命令|图"
)
RUN_ALONE = grammar(r"\s*(?:run|#|bench|job|任务|运行|show|results?)?\s?(?:run)?\s?#?\d{1,7}\s?(?:号)?\s?[?.!？]*\s*")
ACTIONS = (
    ("restart", grammar(r"\b(?:restart|reboot|bounce|recycle|reload)\b|重启|重新启动")),
    ("rollback", grammar(r"\broll(?:ing)?[- ]?back\b|\broll\b.{0,20}\bback\b|\brevert\b|回滚|回退|退回")),
    ("scale", grammar(r"\bscale\b|\badd (?:\w+ )?(?:replicas?|instances?)\b|扩容|缩容|加(?:几个|\d+个)?副本")),
    ("upgrade", grammar(r"\bupgrade\b|\bdowngrade\b|升级|降级")),
    (
        "deploy",
        grammar(
            r"\b(?:re)?deploy\b|\broll(?:ing)? ?out\b|\bship\b|\bpush\b.{0,20}\bto\b|\bswitch\b.{0,30}\b(?:to|over)\b|上线|部署|发布|切到|切换"
        ),
    ),
    ("stop", grammar(r"\b(?:stop|shut ?down|kill|take down|drain)\b|(?<!一)下线|停掉|关掉|停了|停机")),
)
CHANGE = grammar(
    r"\b(?:set|change|update|bump|raise|lower|increase|decrease|reduce|turn (?:on|off)|enable|disable|apply|use|switch|put|add|remove|drop|cap|limit|tweak)\b|改|调|设|开|关|升|降|换|加|减|提|拉"
)
HEALTH = grammar(
    r"\bhealth\w*\b|\bhow(?:'s| is|s| are| do| does)\b|\b(?:ok|okay|alive|up|down|fine|status|state|good|well|broken|on fire|wrong|off|issues?|problems?|troubles?|incidents?|outage)\b|\bcheck(?: on| up)?\b|\blook(?:s|ing)?\b|\bservers\b|\breport\b"
    r"|咋样|怎么样|如何|还好|健康|状态|正常|挂了|活着|什么情况|情况|体检|巡检|报告|日报|稳(?:定|吗|不稳)|服务器(?:列表)?|有(?:没有)?(?:什么)?(?:问题|异常)|看(?:看|一?下)"
)
SERVERS = grammar(r"\s*(?:servers|health|report|health report)\s*")
ASKING = grammar(r"\b(?:show|give|get|need|want|see|send)\b|给|看|发|要|来")
JOB_NOUN = grammar(rf"\b(?:jobs?|runs?|{BENCH}|tests?|queue)\b|任务|压测|运行|队列")
SUBJECT = grammar(rf"{BENCH}|{REPORT.pattern}|压|测|跑")
COMPARE_OR_FAIL = grammar(rf"{COMPARE.pattern}|\bfail\w*\b|\bcrash\w*\b|\bdie\w*\b|失败|崩|挂了|报错")
EXPLAIN_NUMBERS = grammar(r"\s*explain (?:runs? )?#?\d{1,7}\b.*")
CANCEL_ALONE = grammar(
    r"^\s?(?:please |pls |ok |now )?(?:cancel|stop|abort)(?: (?:it|that|this|please|now|pls))*\s?[.!]?\s?$|^\s?(?:取消|停|停掉|停下)(?:吧|它|掉)?\s?[。!！]?$|别(?:再)?跑|不(?:要|用|想)?(?:再)?跑了|(?:^|[,，。]\s?)取消(?:吧|掉)?\s?$"
)
RESULT = grammar(r"\bresults?\b|\boutcome\b|结果")
BENCH_WITH = grammar(rf"\b(?:run|start|kick off|do|launch|queue)\b.{{0,20}}\b{BENCH}\b")
HEALTH_ALONE = grammar(r"\b(?:health(?:y| ?check| status| report)?)\b|健康|体检|巡检")
METRICS_FIRST = grammar(r"^\s?(?:show )?metrics?\b")
WATCH_VERB = grammar(r"\b(?:watch|monitor|track)|盯|监控|看着")
COMPARE_VERB = grammar(r"\bcompar\w+\b|\bdiff\b|对比|比较")
TAIL = grammar(r"^\s?(?:please |pls )?(?:tail|show|get|see)\b|看|查|发")
