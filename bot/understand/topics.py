"""The words of tuning and operating vLLM, of trouble with it, and of wanting to know: what makes a message a question for the knowledge base."""

from bot.understand.scan import grammar

# What vLLM does and what it runs in: two such words beside a model make it a question about how things work.
_TECHNIQUES = grammar(
    r"\bsglang\b|\bscrap\w+|\bdcgm\b|tensorrt|trt-?llm|llama\.?cpp|\bollama\b|\btgi\b|lmdeploy|\blmcache\b|\bdynamo\b"
    r"|\bxinference\b|\bcaching\b|prefix|prefill|\bdecod(?:e|ing)\b|chunked|preempt\w*|recompute|\bswap\w*"
    r"|\bttft\b|\btpot\b|\bitl\b|\be2e\b|latency|throughput|goodput|tok(?:en)?s?\s?/\s?s"
    r"|tokens? per sec\w*|\bslo\b|queue\w*|\bwaiting\b|\bpending\b|batched[-_ ]tokens"
    r"|cuda[-_ ]?graphs?|\bgraphs?\b|enforce[-_ ]eager|\beager\b|torch|\bcompile\b|inductor|triton"
    r"|flash[-_ ]?(?:attn|attention|infer)|attention[-_ ]backend|xformers|\bnccl\b|\brdma\b|infiniband"
    r"|nvlink|\bp2p\b|all[-_ ]?reduce|\bray\b|multi[- ]?node|inter-?node|bandwidth|\bshm\b|/dev/shm|docker"
    r"|kubernetes|\bk8s\b|\bhelm\b|\bpods?\b|container"
    r"|offload\w*|\bcpu\b|\bram\b|adapters?|marlin|speculat\w*|\bdraft\b|acceptance|guided"
    r"|structured output|json schema|grammar|xgrammar|outlines|tool[- _]?call\w*|reasoning[- _]parser"
    r"|chat template|tokenizer|rope|yarn"
    r"|trust[-_ ]remote|(?:tensor|pipeline|data|expert)[-_ ]parallel\w*|\btp\d*\b|\bpp\d*\b|\bdp\d*\b"
    r"|\bep\d*\b|scheduler|scheduling|priorit\w*|determinis\w*|\bseed\b|sleep mode|disaggregat\w*|\b1p1d\b"
    r"|\bpd\b|metrics?|prometheus|grafana|dashboard|histogram|endpoint|/health|liveness|readiness|\bprobe"
    r"|\bgloo\b|semaphores?|\broce\b|\bgid\b|ifname|\bnvshmem\b|\bdeepep\b|deepgemm|cutlass|flashmla|\baiter\b|\bgfx\d+|\bsm\s?\d{2,3}\b|\buvicorn\b|\blogits?\b|beam search|\beos\b|stop tokens?|token ids?"
    r"|\bsse\b|\bwebui\b|\bdify\b|litellm|one-?api|\bkserve\b|\bkuberay\b|\brerank\w*|\bembeddings?\b|\bpooling\b|\b(?:pcie )?lanes?\b|\bx[148] (?:slot|lane)\w*|\briser\b|\bkeda\b|\bhpa\b|\bsidecar\b|\bistio\b|\bingress\b"
    r"|告警|阈值|端口|探针|标签|对象存储|联网|混部|跑批|唤醒|休眠|瓶颈|第一个字|出字|function call|副本|业务方|向量|重排|鉴权|轮流|轮着|[两三四五六七八\d]\s?张卡|每秒|代理|直连|利用率\s?(?:\d|一直|打满)|\bblock[-_ ]size|\bknobs?\b|\bspawn\b|\bstarv\w+|\b(?:free|paid|paying) users\b|\bpictures\b|\bwsl2?\b|pin_memory|转接|插槽|重试|网卡|断开|中断请求"
    r"|kubectl|in-?flight|\brolling\b|\bgraceful\w*|\bdrain\w*|入口|转发|反向代理|反代|滚动|发版|摘流量"
    r"|api[-_ ]?keys?|\bauth\w*|download|hugging ?face|offline|air-?gapped|internet"
    r"|warm-?up|drivers?|compute cap\w*|kernels?|\bsm_?\d\d\b|\bpip\b|upgrad\w*|nightly|\bv0\b|\bv1\b"
    r"|hit rate|benchmark\w*|load balanc\w*|replicas?|instances?|router|gateway|\brps\b|\bqps\b|streaming"
    r"|openai[- ]compatible|/v1/|sampling|temperature|logprobs|penalt\w+|numa|\bmig\b|\bmps\b"
    r"|\bheads?\b|\bblocks?\b|\bparsers?\b|<?/?think(?:ing)?>|\bthinking\b|\bstreams?\b|\bquota\b|rate limit\w*"
    r"|前缀|预填充|解码|抢占|重算|换出|首\s?token|首字|延迟|时延|吞吐|排队|等待|图捕获|编译|多机|双机|跨机|通信|带宽|共享内存|容器|卸载|投机|草稿|接受率|结构化|工具调用"
    r"|模板|分词|张量并行|流水线|数据并行|专家并行|调度|优先级|确定性|监控|指标|面板|健康检查|探针|鉴权|密钥|多用户|下载|离线|内网|外网|镜像|预热|驱动|内核|升级|命中率?|压测"
    r"|负载均衡|副本|网关|路由|思考|流式|乱码|重复"
)
# Trouble that is only thought of: will it OOM?
_FEARED = grammar(
    r"\b(?:will|would|could|might|may|can|does|do|going to|gonna|'ll)\b[^,.;?]{0,40}?\b(?:ooms?|crash\w*"
    r"|fail\w*|die|explode|blow up|run out of (?:memory|vram)|break|be (?:too )?slow\w*)\b"
    r"|(?:会(?:不会|不)?|是否会|怕|担心)[^,。;?]{0,12}?(?:oom|爆|炸|崩|溢出|不够|挂)|(?:oom|爆显存|爆|挂)(?:吗|么|不)"
)
# Words that questions of fit share with those of tuning, and that nobody else uses.
_SPECIFIC = grammar(
    r"\bvllm\b|\bkvs?\b|kv[-_ ]?cache|\bcaches?\b|max[-_ ]?num[-_ ]?seqs?|max[-_ ]model[-_ ]len|gpu[-_ ]mem\w*|\bvram\b"
    r"|utili[sz]ation|\butil\b|context length|\bmax[-_ ]concurrency\b|\booms?\b|\bloras?\b|quanti[sz]\w*|\bawq\b|\bgptq\b"
    r"|\bfp8\w*|\bint8\b|\bint4\b|\bgguf\b|nvfp4|bf16|bfloat16|fp16|dtype|\beagle3?\b|\bmtp\b|n-?gram|\bmoe\b|\bcuda\b"
    r"|multi-?modal|nvidia-smi|concurren\w+|checkpoint|max[-_ ]tokens|\bllm\(|hopper|blackwell|ampere|rocm|\bpcie\b"
    r"|显存|并发|上下文|爆显存|多卡|单卡|双卡|量化|卡间|调优|多模态"
)
# Words that anybody uses: it takes two, or a question, to mean vLLM.
_COMMON = grammar(
    r"\bbatch(?:es|ing)?\b|nodes?\b|memory|experts?|\bhf\b|startup|start-?up|boot|wheel|install|\bbench\b|images?|embedding"
    r"|rerank\w*|\bgpus?\b|\bparallel\w*|\breq(?:uest)?s?\b|tokens?\b|serv(?:e|er|ing)\b|infer\w+|engine|weights?|\bhpu\b"
    r"|\btpu\b|\bnpu\b|\bflags?\b|acc?elerat\w+"
    r"|缓存|批|利用率|显卡|节点|精度|专家|嵌入|推理|部署|参数|权重|引擎|请求|性能|启动|算力|安装|版本|图片"
)
_WAY = grammar(
    r"\b[tpde]p\d*,? (?:or|vs\.?|versus|还是) [tpde]p\b|\bwhy\b|\bhow come\b|\bformula\b|how (?:do|does|is|are|to)\b.{0,30}\b(?:calculat|comput|work out|deriv)\w*|怎么算|怎么计算|如何计算|计算公式|公式|为什么|为啥"
)
# What is a name, a variable or a flag of vLLM cannot be about anything else.
_UNMISTAKABLE = grammar(
    r"\b[a-z]{2,}(?:_[a-z0-9]+)+\b|--[a-z][a-z0-9-]{3,}|\bvllm:\w+|enginedeaderror|enginecore|\bvllm\b"
)
# What trouble may be with; alone they say nothing.
_SYSTEM = grammar(
    r"\bmodels?\b|\boutputs?\b|\bload(?:s|ed|ing)?\b|\bservers?\b|\brespon\w+|\bprompts?\b|\brequests?\b|\busers?\b|请求|\bllms?\b|\bapi\b|模型|输出|加载|服务|返回|回答|回复|接口|机器|卡"
)
_TROUBLE = grammar(
    r"\berrors?\b|\bfail\w*|\bcrash\w*|\bhang(?:s|ing)?\b|\bhung\b|\bstuck\b|\bfreez\w*|\bdies?\b|\bdead\b"
    r"|\bkilled\b|\bboots?\b|\bbroken\b|\bbroke\b|\brejects?\b|\brejected\b|\brefus\w*|\bignored?\b"
    r"|\bgarb\w+|\bgibberish\b|\bslow(?:er|ly|s)?\b|\bworse\b|\bdropp?(?:s|ed)?\b|\bfalls?\b|\bwent from\b"
    r"|\bwent down\b|\bspik\w+|\bleak\w*|\bwast\w+"
    r"|(?<!will it )(?<!would it )(?<!would that )(?<!will this )(?<!will that )(?<!it'll )\booms?\b(?!\?)"
    r"|out of memory|\b(?:no|not enough|insufficient) memory|no (?:speed ?up|gain|effect|benefit|kernel"
    r"|throughput|hits?)|\b(?:wo|do|does|is|are|ca|did)n'?t\b (?:load|work|start|help|help|fit|change"
    r"|divisible|use|come up|take|half|it half)|not (?:supported|working|divisible|found|recogni[sz]ed"
    r"|used)|isnt divisible|\bnothing\b|\bblank\b|unchanged|unconstrained|unhandled|\bbus error\b"
    r"|\bspam\w*|\b\d00\b (?:error|status)|\b(?:http|a|with|get|returns?) [45]\d\d\b|times? out|timeout"
    r"|\bvs \d+k?\b|\bonly (?:boots|loads|starts|works|gets?|see|uses?|sees?)\b|\balways\b|\bkeeps?\b|\bnever (?:stops?|ends?|finish\w*|returns?)\b|permission denied|read-?only file|\bstill (?:grabs?|takes?|eats?|uses?|hogs?|fills?)\b|\b(?:grabs?|hogs?|eats?)\b"
    r"|whenever|\bdiffer(?:ent|s)?\b (?:\w+ )?(?:numbers?|values?|results?|figures?)|\bmismatch\w*|\brising\b|\bclimb\w*|\bempty\b|\bpegged\b|\bonly one (?:starts?|works?|runs?)\b|\bdoes not (?:support|exist|match)\b|\b(?:cut|gets cut) (?:off )?after\b|\baborted\b|\bvanish\w*|\bcrawl\w*|\bonly (?:about |around |like )?\d+(?:\.\d+)?\s?(?:tok|t/s|req|rps|qps)\w*|\bsomething (?:must be|is|'s)? ?(?:off|wrong)\b|\bswap\w* (?:to death|like)|\bafter (?:the |an? |my )?(?:upgrad\w+|updat\w+)|since (?:v?0\.\d+|the (?:up|down)grade)"
    r"|used to|suddenly|weird|strange|\bconfus\w+|\btoo (?:big|small|slow|high|low|much)\b"
    r"|\btakes? (?:over |about |up |like |around |more than )?(?:\d+\s?(?:%|gi?b?\b|x\b|s\b|sec|min|h\b|hour|times)|ages|forever)|\beven for\b|\bdoes only\b|\bonly (?:get|does|reach\w*)\b|\bexpected \d|cuts? off|\btruncat\w+|\bstops? (?:mid|half|after|early)|\bonly gives?\b"
    r"|\bbut only\b|(?:要|花|等)了?\s?(?:\d+(?:\.\d+)?|十几|几十|好几|几|半)\s?(?:多|几)?(?:秒|分钟|小时|天|s\b)|\b\d+ (?:minutes?|mins?|seconds?|secs?|hours?)\b|\bdoes ?n[o']?t have\b|\bblocks?:? 0\b|\bmissing\b"
    r"|空闲(?:时|的时候)|往下编|才\s?\d|只能起|起不了|连不上|偶尔|有时候?|时好时坏|没事|断开|被中断|自动重发|自问自答|停不下来|溢出|对不上|上不去|打不满|占不满|停顿|打断|不触发|没被|半天|不释放|没释放|自己退出|时不时|冲突|卡一下|一卡一卡|停了|停住|中断|截断|波动|不一致|报错?(?!告|表)|错误|失败|崩|挂了|挂掉|卡住|卡死|死锁|没反应|不动|起不来|跑不起来了|不生效|没生效|没用|无效|乱码|感叹号|问号|重复|变慢|更慢|很慢|太慢|好慢|慢(?:得"
    r"|了|一|很|死)|(?<!多)慢|变小|变少|变差|变大|反而|掉到|下降|降低了|暴涨|飙|抖动|吃光|占满|打满|泄漏|拉不下|下载不|超时|不支持|(?<!够)不够(?!吗|用吗|呢|？|\?"
    r"|不)|(?<!能)不能|不出|没数据|没有数据|异常|白|警告|warning|就\s?(?:oom|爆|挂|死)|(?:oom|爆)(?:了|掉|，|,|。)|怎么回事|不对|不一样|少了|不见"
)
_WONDER = grammar(
    r"\bwhy\b|\bhow come\b|\bhow (?:do|does|did|is|are|to|should|would)\b|what(?:'s|s| is"
    r"| are)? (?:the )?(?:actual |real )?(?:link|difference|meaning|point|deal|catch|reason|cause"
    r"|trade-?off|default|effect|impact|relation\w*|best practice)\b|what (?:does|do|happens?|decides"
    r"|determines|controls|causes|scaling|differs|goes)\b|\bmeans?\b|\bexplain\b|difference between"
    r"|\bwhen (?:should|does|do|is|to)\b|\bshould (?:i|we)\b|which (?:knob|flag|metric|setting|parameter"
    r"|one|backend|env)\b|what(?:'s|s)? (?:the )?(?:flag|knob|metric|env)|what (?:knob|flag)"
    r"|what do i (?:set|turn|change|do)|what now|how (?:can|could) (?:i|we)\b|any way to|is there (?:an?"
    r"|any)\b|\bis (?:it|that|this) (?:normal|expected|safe|worth|a (?:bug|hole|leak)|better|bad|true"
    r"|still)|\bnormal\b|\bworth\b|still needed|either/or|\btips?\b|\badvice\b|\bbetter\b|\bfaster\b|\bbest\b"
    r"|\bversus\b|\bvs\b|\bpros\b|\btune\b|\btuning\b|\bimprove\b|\boptimi[sz]e\b|speed up|\breduce\b"
    r"|\bincrease\b|\blower\b|\bshouldn'?t\b|\bisn'?t (?:it|that|this|\d)|so only|\bthen\b.{0,12}\?"
    r"|\bworks? (?:on|with)\b.{0,30}(?:at all)?|\bcan (?:i|we|it|the|you) (?:pass|set|cap|limit|cache|pin|disable"
    r"|turn|switch|use|mix|download|do|put|share|combine|get|jump|sit|go)\b|\ba paying\b|\bdo i (?:need"
    r"|have to)\b|\bcompar\w+|\bchoose\b"
    r"|为什么|为啥|为何|怎么(?!样)|咋(?!样)|如何|是不是|区别|原理|什么意思|啥意思|含义|作用|影响|关系|正常(?:吗|么|不)|什么时候|何时|要不要|该不该|有必要|有用吗|值得"
    r"|越大越好|越.越|更好|哪个好|哪个更|还是|好处|坏处|优缺点|建议|经验|技巧|优化|调(?:哪|多|大|小|优|参)|改哪|哪里改|在哪(?:里)?(?:改|设|看)|设(?:多少|几)"
    r"|从多少|多少合适|怎么办|咋办|求解|讲讲|解释|说说|啥是|什么是|是什么|去哪了|在哪|哪些|能关|能不能关|可以关|需要(?:注意|改|调)|支持.{0,8}吗|有没有|对吗|是吗"
    r"|吗[?]?$|吧[?]?$|呢[?]?$"
)


def terms(text: str) -> int:
    """How much of a text is vLLM's: 2 for a word that is nobody else's, 1 for a common one."""
    own = len(_SPECIFIC.findall(text)) + len(_UNMISTAKABLE.findall(text)) + techniques(text)
    return 2 * own + len(_COMMON.findall(text))


def vague(text: str) -> bool:
    """Whether trouble is told with hardly a word: `why so slow`, `模型加载特别慢`."""
    return len(text) <= 16 or _SYSTEM.search(text) is not None


def techniques(text: str) -> int:
    """How many words in it name what vLLM does or runs in, which no question of memory needs."""
    return len(_TECHNIQUES.findall(text))


def trouble(text: str) -> int:
    """How many words in it tell of something that went wrong."""
    return len(_TROUBLE.findall(_FEARED.sub(" ", text)))


def wonder(text: str) -> int:
    """How many words in it ask for a reason, a way or advice."""
    return len(_WONDER.findall(text))


def way(text: str) -> bool:
    """Whether it is asked why, or by which formula, beside a question for figures."""
    return _WAY.search(text) is not None
