"""The questions that the estimator answers, as they are asked in English and Chinese."""

from bot.understand.scan import CARD, MEMORY, MODEL, TAKEN, grammar
from bot.understand.understood import Intent

_PEOPLE = (
    r"(?:concurrent|concurrency|simultaneous|parallel|users?|people|persons|ppl|seqs?|sequences|requests?"
    r"|reqs|sessions?|streams|clients|chats|conversations|devs|developers"
    r"|employees|engineers|agents|customers|folks)\b"
)
_LEN = r"(?:ctx|contx?t|context|seq(?:uence)?[- ]?len\w*|windows?|max[-_ ]model[-_ ]len(?:gth)?|prompts?|inputs?|len(?:gth)?)\b"
_ZH_LEN = r"(?:上下文|长度|窗口|ctx|context|max[-_ ]model[-_ ]len|token|序列|文本|输入)"
_CAN = r"(?:can|could|would|will|should|do|does|might|may)"
_FLAGS = (
    r"(?:flags?|settings?|args?|arguments?|configs?|configuration|params?|parameters|options?"
    r"|command(?: line)?|cmd|launch (?:line|script)|recipe|setup|layout|parallelism|tensor[- ]parallel(?: size)?|tp size|tp(?:\s?/\s?pp)?(?= for)|split)\b"
)

# Asked of a token or of the cache, before anything that has a number to find.
_KV_PER_TOKEN = grammar(
    r"\b(?:request|prompt|context|sequence|conversation)s?\b.{0,24}?\b(?:weigh|take|cost|use|need|occupy)s?\b.{0,16}?\b(?:in|of) kv\b"
    r"|\b(?:memory|v?ram|space|gi?b|gigs?)\b.{0,20}?\bkv[- ]?cache (?:of|for)\b"
    r"|\bkv\b.{0,40}?(?:per|each|a single|every|/)\s?(?:\d+\s?k?\s?)?(?:tokens?|tok)\b|(?:per|each"
    r"|/)[- ]?(?:1?\d{0,3}k?\s?)?tokens?\b.{0,24}?\bkv\b|\bkv\b.{0,6}/\s?tok"
    r"|\bbytes?\b.{0,12}\b(?:per|a|each)\b\s?token|(?:一个?|每个?|单个?|每\s?\d+\s?k?个?|1个)\s?token.{0,16}?(?:kv"
    r"|缓存)|kv\s?(?:cache|缓存)?.{0,14}?(?:每个?|一个|单个)\s?token"
    r"|(?:每个?|一个|单个?)\s?token\s?(?:是|占|要|用)?\s?(?:多大|多少(?!钱|秒|毫秒|ms))"
    r"|(?:一个?|每个?|单个?)\s?token.{0,8}(?:多少|多大|几)\s?(?:字节|显存|内存|[kmg]i?b|bytes?)"
    rf"|what(?:'s| is)?(?: the)? kv[- ]?cache (?:of|for|size)(?!.{{0,30}}{CARD})"
    r"|(?:how (?:big|large|much)|what(?:'s"
    rf"| is)? the size).{{0,20}}\bkv(?:[- ]?cache)?\b(?!.{{0,30}}{CARD})|\bkv[- ]?cache (?:size|footprint"
    rf"|memory)\b(?! too)(?!.{{0,30}}{CARD})"
    rf"|kv\s?(?:cache|缓存)?\s?(?:大概|一共|总共|会|要|得)?(?:多大|(?:占|要|用|吃|需要)\s?(?:多少|多大|几))(?!.{{0,30}}{CARD})"
)

_ASKS: tuple[tuple[Intent, str], ...] = (
    (
        Intent.HOW_MANY_GPUS,
        rf"how many\s?(?:\?|$|(?:do|would|will) (?:i|we|it) need|are needed|needed|for (?:the|an?)\b)|how many (?:\S{{1,12}} ){{0,3}}?(?:gpus?|cards?|nodes?|boxes|accelerators?|{CARD}|{MEMORY})|(?:number|amount"
        rf"|count) of (?:gpus?|cards?|{CARD})|(?:min(?:imum)?|fewest|least)\b.{{0,16}}?(?:gpus|cards|gpu count)|(?:fewest|least) {CARD}"
        rf"|(?:几|多少)\s?(?:张(?!图|照片|图片)|块|卡|颗|台|个\s?(?:gpu|卡|节点)|gpu|{CARD})|{CARD}+\s?(?:要|需要)\s?(?:几|多少)(?!\s?(?:并发|人|显存"
        r"|k|用户|上下文|token|g))|gpu\s?(?:数量|数)\s?(?:要|是)?\s?(?:多少|几)",
    ),
    (
        Intent.MAX_CONCURRENCY,
        rf"(?:how many|number of|count of) (?:\S{{1,14}} ){{0,2}}?{_PEOPLE}|(?:what|how much|how high|which)\b.{{0,24}}?\bconcurren\w+"
        r"|max(?:imum|\.)?[- ](?:concurren\w+|users|people|requests|seqs)\b(?!\s?(?:=|:|\d))|\bconcurrency (?:each|there|then)?\s?(?:\?|$)|concurrency (?:limit|ceiling|can|would|will|do|could|max)"
        r"|how many\b.{0,24}\b(?:at once|at the same time|in parallel|simultaneously|concurrently)"
        r"|what batch size|max(?:imum)? batch(?: size)?"
        rf"|(?:几|多少)\s?(?:个|路|条|名|位)?\s?{_PEOPLE}"
        r"|(?:几|多少)\s?(?:个|路|条|名|位)?\s?(?:人|用户|并发|请求|会话|客户|员工|同事|路|线程|连接)|并发(?:数|量|度|能力"
        r"|请求)?[^,，。;]{0,12}?(?:多少|几个?|多大|上限|最大|极限|多高|顶多|最多)|(?:最大|最多|最高|极限|支持的?|上限).{0,6}?并发"
        r"|(?:能|可以)?(?:扛|撑|顶|抗)(?:得住|住|得起|起)?\s?(?:多少|几)|多少路|能(?:同时)?(?:跑|服务|支持|接)(?:几|多少)(?:个|路|条)",
    ),
    (
        Intent.MAX_CONTEXT,
        r"(?:max(?:imum|\.)?|longest|largest|biggest|how (?:long|much|big|large)(?: of)?(?: an?)?"
        rf"|highest)\s(?:possible |usable |total |safe )?{_LEN}|how long (?:a |an |of )?(?:{_LEN}|{_CAN}|is)"
        rf"|how many (?:k )?tokens(?!\s?(?:/|per|a|each)\s?s)|how far\b.{{0,30}}{_LEN}|(?:what|which)(?:'s"
        rf"| is)?(?: the)? (?:max[-_ ]model[-_ ]len|context|ctx|seq(?:uence)? len\w*)\b.{{0,20}}?(?:{_CAN}"
        r"|fits?|possible|limit|max|get|size|$|\?)"
        rf"|{_LEN} (?:is |are )?possible|{_LEN}.{{0,16}}?(?:limit|ceiling|max(?:imum)?|{_CAN} (?:i|we|it|you) (?:get|have|go|use|set|fit"
        r"|reach|push|run))(?!\s?(?:\d|=|:|is \d))"
        rf"|(?:最大|最长|最多|极限|上限).{{0,8}}?{_ZH_LEN}.{{0,8}}?(?:多|几|呢|是|能|吗|\?|$)|{_ZH_LEN}[^,，。;]{{0,14}}?(?:多长|多少"
        rf"|多大|多高|上限|最大(?!\s?\d)|最长(?!\s?\d)|极限|几\s?k)|多长|多少\s?{_ZH_LEN}|(?:多少|几)\s?k\b(?!\s?(?:并发|人))"
        r"|能(?:开|跑|支持|撑|设|拉|塞)(?:到|多少)?\s?(?:多大|多少|多长|几k)(?!\s?(?:的?模型|张|卡|人|并发|个))",
    ),
    (
        Intent.WHICH_MODEL,
        r"(?:which|what|biggest|largest|best|strongest|smartest)\s(?:\S{1,12} ){0,2}?(?:models?|llms?)\b"
        r"|(?:biggest|largest|best|smartest|strongest) (?:one|thing) (?:it|i|we|you|this|that|they) can (?:run|host|serve|fit|handle|take)"
        r"|(?:biggest|largest|best) \S{1,16} (?:that (?:fits?|runs?)|i can|we can|which fits)|how (?:big|large)(?: of)? an? (?:\S{1,10} )?(?:model|llm)|what(?:'s| is)? the (?:biggest|largest"
        r"|best)(?! (?:way|practice|value|setting|flag|config|batch|context|ctx))"
        rf"|what (?:{_CAN}) (?:i|we|you|it|this|that|{CARD}) (?:run|serve|host|fit|deploy|handle|put)\b|what (?:runs|fits)\b"
        r"|(?:什么|哪些|哪个|哪种|啥|多大(?:参数)?的?)\s?(?:参数(?:量)?的?)?\s?(?:大?模型|llm)|能(?:跑|上|部署|放|装)(?:得动|得下|下|动"
        rf"|些)?\s?(?:什么|哪些|啥|多大(?:的|参数))|最大.{{0,8}}?(?:多大|多少|什么).{{0,4}}?模型|模型.{{0,4}}最大|模型推荐|推荐.{{0,8}}模型|最大(?:能|可以"
        rf"|的)?.{{0,6}}模型|(?:模型|跑|llm).{{0,16}}(?:选|用|推荐)\s?(?:哪个|哪款|什么|啥)(?!\s?(?:显?卡|gpu|机器|硬件|配置))",
    ),
    (
        Intent.WHICH_GPU,
        r"\b(?:cheaper|smaller|bigger|larger|better|another|other|different|fewer) (?:gpus?|cards?)\b.{0,24}\?|(?:which|what|smallest|cheapest|best|minimum|min|what kind of|what type of"
        r"|what sort of)\s(?:\S{1,12} ){0,2}?(?:gpus?|cards?|hardware|accelerators?|graphics|machines?"
        r"|instances?|box)\b|how much (?:\S{1,8} )?(?:v?ram|gpu mem(?:ory)?|memory|mem|hbm)\b"
        r"|(?:v?ram|gpu memory|memory|hardware) (?:needed|required|requirements?|reqs?|need|do i need)\b"
        r"|(?:v?ram|hardware) for\b|(?:minimum|min|required|what) (?:v?ram|gpu memory|hardware)|how many (?:gb"
        r"|gib|gigs?|g)\b|what do i need (?:to|for)|what(?:'s| is)? (?:needed|required) (?:to|for)"
        r"|(?:什么|哪种|哪款|哪个|哪张|啥|何种|怎样的?|什么样的?|哪些)(?:型号的?|样的?)?\s?(?:显卡|卡|gpu|硬件|机器|机型|配置|服务器)|(?:多大|多少"
        r"|几\s?g)\s?(?:的)?\s?(?:显存|vram|内存)|显存.{0,8}?(?:多少|多大|要求|需求)|(?:多少|几)\s?g(?:b|ib)?(?!\w)|(?:配置|硬件"
        r"|显卡)(?:的)?(?:要求|需求)|用?(?:什么|啥)(?:显)?卡",
    ),
    (
        Intent.RECOMMEND,
        r"(?:what|which|best|good|recommend(?:ed|ation)?s?|optimal|sane|right|sensible|ideal|proper"
        rf"|suggest(?:ed)?|starting|start with|give me|show me|need|want|write)\b.{{0,36}}?{_FLAGS}"
        rf"|{_FLAGS}.{{0,24}}?\b(?:recommend|suggest|should i|do you|would you|to use|start with|best)"
        r"|(?:what|which) (?:tp|pp|tensor[- ]parallel\w*|parallelism|layout)\b.{0,12}?\b(?:should|would|to use|do i|is best)"
        rf"|how (?:should|do|would|can|to|best to)\b.{{0,12}}?(?:launch|serve|deploy|start(?! (?:with)?out)|run"
        rf"|configure|config|set ?up|host|split|shard)\b.{{0,40}}?(?:{MODEL}|{CARD})|best way to (?:run|serve"
        r"|deploy|launch|host)|vllm (?:serve )?(?:command|cmd) for"
        rf"|(?:启动|部署|推理|运行|vllm|serve)?\s?(?:参数|配置|命令|flags?|选项|config).{{0,10}}?(?:怎么|如何|推荐|建议|咋|给|写|是什么|合适|最佳"
        rf"|最优|合理)|(?:怎么|如何|咋)\s?(?:起|启动|部署|配|配置|跑|开|设|拉起|切分?|上).{{0,40}}?(?:{MODEL}|{CARD})|(?:{MODEL}"
        rf"|{CARD}).{{0,24}}?(?:怎么|如何|咋)\s?(?:起(?!不)|启动(?!失败)|部署|配|配置|跑|开|切|上线?)"
        r"|(?:推荐|建议|给).{0,16}?(?:参数|配置|命令|设置|flags?|config|起步)|怎么(?:配|起|部署)(?:比较)?(?:合适|最好|合理)",
    ),
    (
        Intent.FIT,
        r"\bfit(?:s|ting)?\b|(?:which|what) (?:quant\w*|precision|bits?)\b|(?:什么|哪种|哪个)(?:量化|精度)|\benough\b"
        rf"|\bsufficient\b|\bsuffice\b|{_CAN} (?:i|we|you|it|this|that|they|one|an?|the|my|our|\d+|{MODEL}"
        rf"|{CARD}).{{0,40}}?\b(?:run|serve|host|do|handle|hold|load|squeeze|use|support|get away|manage|deploy"
        r"|cope|take|work|start|boot|come up|launch|go|sustain|have|survive|oom|crash)\b"
        rf"|\b{_CAN} (?:i|we|it|you) (?:get|reach|push|go|use) (?:up to |to )?{TAKEN}|\bgo or no[ -]go\b|\b{_CAN} (?:\w{{1,12}} ){{0,2}}?(?:run|serve|host|handle|hold|fit|load|do(?= {MODEL})"
        r"|cope|support|take|manage)\b|\bdo (?:i|we) (?:really )?need\b|is (?:it|this|that) (?:possible|feasible|doable|ok|okay|enough"
        r"|realistic|viable)|possible to|feasible|doable|realistic|viable|able to (?:run|serve|fit|load|host)"
        rf"|squeeze|room (?:for|left)|any chance|will .{{0,30}}(?:work|start|load|oom|run|crash|hold|be ok)"
        rf"|does .{{0,40}}\bwork\b|is .{{0,40}}(?:ok|fine|enough|too (?:much|big|long|large|tight))\b"
        r"|[放装塞挤吃](?:得|不)?[下进]|[放装塞]不[放装塞]得|够(?:不够|放|吗|用|么|嘛|了吗|跑)|(?:能|可以|可否|能否)(?:不能)?(?:在|用|上|把|同时|直接"
        rf"|稳定)?[^,，。;?]{{0,16}}?(?:跑|放|装|塞|上|部署|起|开|用|支持|扛|撑|带|拉|顶|行|hold)|跑(?:得|不)(?:动|起来|了|起|下)|带(?:得|不)动"
        r"|[撑扛顶拉吃吼](?:得|不)(?:住|起来|动|消)|hold\s?(?:得)?住|行不行|问题(?:大|不大)(?:吗|么|吧|不)|稳(?:吗|么|不稳)|悬(?:吗|不悬)|行吗|行么|行不|可以吗|可以么|可不可以|能不能|能否|可行|能行|ok\s?(?:吗|么)|有戏"
        r"|没问题吧|会(?:不会)?\s?(?:oom|爆|炸|崩|溢出)|(?:oom|爆显存|爆)(?:吗|么)",
    ),
)
_PATTERNS = tuple((intent, grammar(pattern)) for intent, pattern in _ASKS)

SPEED = grammar(
    r"\bhow (?:fast|quick(?:ly)?|slow)\b|how many (?:tok(?:en)?s?|tps)\s?(?:/|per|a)\s?s|(?:what|which"
    r"|expected?|how much|estimate)\b.{0,20}\b(?:speed|throughput|tps|latency|ttft|tpot|tok(?:en)?s?(?:/"
    r"| per )s)|(?:tok(?:en)?s?/s(?:ec)?|tokens per second|tps)\s?\?|^(?:tok(?:en)?s?/s(?:ec)?|tokens per second|tps) (?:for|of|on|with)\b"
    r"|多快|速度(?:怎么样|如何|多少|咋样|能到|大概|会)|(?:吞吐|延迟|ttft|tpot|每秒)(?:量)?.{0,6}(?:多少|多大|多高|能到|怎么样|如何|几)"
    r"|多少\s?tokens?\s?(?:/|每|per)\s?(?:s|秒)|几个?\s?token\s?(?:/|每|一)\s?(?:s|秒)"
)
COST = grammar(
    r"\b(?:how much|what)\b.{0,30}\b(?:costs?|price|pay|budget|dollars?|usd)\b|\bcosts?\b.{0,30}\?"
    r"|\b(?:cheap(?:er|est)?|expensive|price)\b|多少钱|成本|费用|价格|什么价|贵不贵|便宜|花多少|预算"
)


def ask(asked: str, rest: str) -> Intent | None:
    """What is asked of the estimator, None when nothing is.

    `asked` is a gist with names marked; in `rest` the numbers are marked too: a length that is given is not asked for.
    """
    if _KV_PER_TOKEN.search(asked):
        return Intent.KV_PER_TOKEN
    return next((intent for intent, pattern in _PATTERNS if pattern.search(rest)), None)


def wish(text: str) -> bool:
    """Whether speed or cost is asked, which no estimate tells."""
    return bool(SPEED.search(text.lower()) or COST.search(text.lower()))
