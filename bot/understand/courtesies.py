"""Messages that ask for no figures: greetings, thanks, complaints, attacks, junk. And requests for help with the bot itself."""

import re

from bot.understand.scan import grammar
from bot.understand.understood import Decline

_PUNCTUATION = r"[\s!.~,?:;)(’'\"。！，～、？^_-]*"
_HAIL = (
    r"(?:hi|hii+|hello|helo|hey+|heya|yo|howdy|sup|hiya|greetings|good (?:morning|afternoon|evening|day)"
    r"|morning|gm|你好+|您好|哈喽|哈啰|嗨+|hello|在吗|在么|在不在|有人吗|早|早啊|早上好|上午好|中午好|下午好|晚上好|大家好|ping)"
)
_WHOM = (
    r"(?:there|all|bot|team|everyone|everybody|folks|guys|friend|buddy|again|呀|啊|哦|哈|机器人|小助手|各位|大家|老师)"
)
_GREETING = grammar(rf"{_PUNCTUATION}{_HAIL}(?:{_PUNCTUATION}(?:{_HAIL}|{_WHOM}))*{_PUNCTUATION}")
_THANKS = grammar(
    r"\b(?:thanks?|thx|thank you|thankyou|tysm|ty|cheers|appreciated?|much obliged|kudos|great job"
    r"|good job|nice work|well done|awesome|perfect|good bot)\b|谢谢|多谢|感谢|谢了|3q|辛苦|太棒了|^(?:你)?(?:真|太"
    r"|好)?(?:厉害|赞|牛)|^收到|^好的"
)
_COMPLAINT = grammar(
    r"\b(?:you(?:'re| are|r)?(?: (?:just|totally|completely|simply))? (?:wrong|useless|stupid|dumb|broken"
    r"|incorrect|lying|hallucinating|terrible|bad)|your (?:last )?(?:answer|number|estimate|advice|reply"
    r"|math|figure|suggestion)s?\b.{0,24}\b(?:wrong|bad|off|incorrect|useless|bullshit|nonsense|bs)"
    r"|(?:that|this|it)(?:'s| is| was)? (?:just |totally |completely |plain )?(?:wrong|not right|incorrect"
    r"|nonsense|useless|not helpful|unhelpful|bullshit|rubbish)|(?:this|the|stupid"
    r"|useless) bot\b.{0,20}(?:sucks|useless|stupid|wrong|bad|broken)|wrong (?:again|answer)|not helpful"
    r"|that (?:did ?n[o']t|does ?n[o']t|doesnt|didnt) (?:help|work)"
    r"|you (?:told|gave|said) (?:me )?.{0,16}\b(?:rubbish|nonsense|garbage|crap|wrong)\b|still (?:does ?n[o']t work|doesnt work|not working|wrong|broken|fails|the same|no good)"
    r"|didn'?t (?:help|work)|(?:you|it) made .{0,12}worse|wtf|bullshit)"
    r"|(?:你|这个?|机器人).{0,8}(?:答案|回答|说的|给的|建议|算的|结果).{0,8}(?:错|不对|没用|不准|有问题|离谱|瞎|胡)|你(?:说|答|算|搞|弄)错|(?:还是|依然"
    r"|仍然|照样)(?:不行|不对|没用|不管用)|不管用|没用啊|没什么用|垃圾|什么玩意|瞎说|胡说|胡扯|答非所问|不靠谱|太蠢|太笨|差评"
)
_INJECTION = grammar(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|previous"
    r"|above|guidelines|restrictions|polic\w+|approvals?)\b|(?:your|hidden|initial|original) system prompt"
    r"|what(?:'s| is| are) your (?:prompt|instructions)|you are now\b|(?:admin|developer|debug|god|dan"
    r"|sudo|root)[ -]mode|jailbreak|pretend (?:to be|you)|act as (?:an? |my |the )?(?!proxy|router)\w+"
    r"|\b(?:reveal|print|show|dump|leak|tell|give|send|share|paste|output|repeat|display"
    r"|cat)\b.{0,32}\b(?:(?:your|all|the|slack|bot|hf|api|admin|server'?s?)\s){1,3}(?:system )?(?:prompts?"
    r"|instructions|secrets?|tokens?(?! (?:per|/|limit|count|budget|throughput))|passwords?|credentials"
    r"|env(?:ironment)?(?: variables?| vars?)?|api[- ]?keys?|private keys?|\.env|config(?:uration)? file)"
    r"|^\s*(?:select\s.{1,80}\sfrom|drop\s+(?:table|database)|insert\s+into|update\s+\w+\s+set"
    r"|delete\s+from|truncate\s+table|union\s+select)\b|'\s*;\s*drop|\bor\s+'?1'?\s*=\s*'?1|<script"
    r"|\brepeat (?:everything|all|the (?:text|words|message))\b.{0,20}\babove\b|\bverbatim\b.{0,40}\b(?:rules?|prompts?|instructions?)\b|\$\{jndi|\{\{.{1,40}\}\}|\{%.{1,40}%\}|javascript:|\.\./\.\./|/etc/(?:passwd|shadow)|cat /etc"
    r"|(?:忽略|无视|忘(?:掉|记)|绕过|跳过).{0,12}(?:指令|提示词?|要求|规则|限制|设定|审批|命令|内容)|你现在是|(?:打印|输出|告诉我|发给我|给我看|展示|泄露|列出"
    r"|显示|复述).{0,12}(?:系统提示|提示词|环境变量|密钥|密码|凭证|(?<![\dk万千个])(?<![\dk万千个] )token\b(?!数)|api.?key|配置文件)|(?:系统提示词?|你的(?:提示词|指令|设定)).{0,4}(?:发|给我|贴|打印|输出|说|念|是什么|看)|扮演|越狱|管理员模式|开发者模式|把环境变量"
)
_PRIVILEGE = grammar(
    r"\b(?:i am|i'm|im|as)\s(?:the |an? |your |actually )*(?:admin\w*|root|cto|ceo|boss|owner"
    r"|developer of this bot|slack (?:admin|support))\b.{0,80}\b(?:approve|skip|give|grant|make|let|need"
    r"|allow|access|run|token|password|key|permission)"
    r"|\b(?:approve (?:it|this|that|my|the) .{0,20}(?:anyway|for me|myself|without)|(?:make"
    r"|add) me (?:an? |as )?(?:admin|operator|approver|owner)|grant me|give me (?:admin|root|access)"
    r"|without (?:an? )?approval|skip (?:the )?approval|(?:boss|manager|ceo|cto|admin|\w+) (?:said"
    r"|told) .{0,30}(?:approve|skip|token|password|key|no approval))"
    r"|(?:把我|给我)(?:设成|设为|加成|加为|升级?成|开|授予?).{0,6}(?:管理员|权限|admin|审批人)|(?:老板|领导|经理|主管).{0,10}(?:同意|批准"
    r"|说).{0,16}(?:直接|跳过|不用审批|给我)|(?:不用|免|跳过|绕过)审批|我是(?:管理员|root|老板|cto|ceo).{0,20}(?:给|把|让|直接|批)"
)
_DESTRUCTIVE = grammar(
    r"\brm\s+-\w*[rf]|\bmkfs|\bdd\s+if=|:\(\)\s*\{|\bsudo\s+\w|\bchmod\s+(?:-r|777)|\bchown\s+-r|(?:curl"
    r"|wget)\s.{1,120}\|\s*(?:ba|z)?sh|>\s*/dev/sd|\bkillall\b|^(?:please |pls |can you |run "
    r"|execute )*(?:kill\s+-9|pkill|shutdown|poweroff|reboot|halt|halt now|ssh\s|bash\s+-c|sh\s+-c|eval\s"
    r"|exec\s)|\b(?:run|execute|exec|launch|do)\b.{0,24}\b(?:shell|bash|terminal|arbitrary) (?:command"
    r"|script)?"
    r"|\b(?:delete|wipe|erase|destroy|nuke|purge|format|remove) (?:all|every\w*|the (?:whole|entire|disk"
    r"|database|cluster|server|host|drive))\b|\b(?:reboot|shut ?down|power off|kill) (?:the |all "
    r"|every )?(?:\w+ )?(?:hosts?|machines?|cluster|nodes?|box|runner|servers)\b|docker (?:system prune"
    r"|rm -f)|kubectl (?:delete|exec)|\bos\.system|subprocess\.|__import__"
    r"|删库|(?:删除|清空|抹掉|格式化|删掉|干掉|清除)(?:所有|全部|整个|磁盘|硬盘|数据库|服务器|集群|机器)|(?:重启|关机|关掉)(?:所有|全部|整个)?(?:机器|服务器|主机"
    r"|集群|节点)|执行.{0,8}(?:shell|bash|系统命令|脚本)"
)
_SMALLTALK = grammar(
    r"\bhow(?:'s| are| is) (?:you|it going|life|things|your day)|\bare you (?:an? )?(?:bot|robot|human|ai"
    r"|real|alive|sentient|chatgpt|gpt|smart|ok|there|happy|single)|\b(?:tell|know) (?:me )?(?:an? |any "
    r"|some )?(?:\w+ )?jokes?|who (?:made|built|wrote|created) you|what(?:'s| is) your (?:name|favou?rite"
    r"|age)|do you (?:like|love|dream|sleep|feel|have feelings|ever|think you)|(?:better|smarter|faster"
    r"|cooler|funnier) than (?:me|us|you|my)|i(?:'m| am) (?:bored|tired|hungry|sad|happy)|\b(?:lol|lmao"
    r"|rofl|haha+|hehe)\b|good night|see you|\bbye\b|happy (?:friday|monday|birthday|new year|weekend)"
    r"|what'?s up|love you|marry me"
    r"|讲个?笑话|(?:你|您)(?:是|叫)(?:谁|什么名字|机器人|真人|ai|人吗)|你(?:几岁|多大了|累|吃|喜欢|好厉害|真聪明|会不会累|有感情)|哈哈+|呵呵|嘿嘿|无聊|晚安|拜拜|再见|周末愉快|吃了吗|摸鱼|下班"
)
_HELP = grammar(
    rf"{_PUNCTUATION}(?:how (?:does|do) (?:this|it|that|you) work|/?help(?: me)?(?: please| pls)?|/?(?:usage|commands?|menu|man|examples?|docs?|start"
    r"|faq)|帮助|帮我|帮忙|求助|救命|使用(?:说明|方法|帮助)|命令|功能|菜单|示例)"
    rf"{_PUNCTUATION}"
)
_HELP_INSIDE = grammar(
    r"what (?:all )?(?:can|do|could) (?:you|this bot|the bot|u|it) (?:do|answer|help|know|offer|support)"
    r"|what (?:are you|is this bot|can i (?:ask|do (?:here|with you|with this bot)))|how (?:do|can"
    r"|should) (?:i|we) (?:use|talk to|ask|work with|query) (?:you|this bot|the bot|u)\b|who are you"
    r"|what are your (?:commands|capabilities|features)|list (?:of )?(?:your )?(?:commands|features)"
    r"|(?:your|the) (?:commands|capabilities)\b|(?:which|what) (?:vllm "
    r"|of vllm )?versions?\b.{0,24}\b(?:you|bot) (?:answer|cover|know|support|target)|what (?:kind"
    r"|sort) of questions|introduce yourself|how does this bot work|what is this(?: bot)?\?*$"
    r"|(?:你|您|机器人|这个?(?:机器人|bot)|bot)(?:都|还)?(?:能|会|可以|支持)(?:做|干|帮|回答|问|查|答)?(?:些)?(?:什么|哪些|啥)|(?:你|您|机器人"
    r"|bot)(?:怎么|如何|咋)(?:用|使用|玩)|(?:怎么|如何|咋)(?:用|使用|问|玩)(?:你|您|这个?(?:机器人|bot)|bot)|有(?:什么|哪些|啥)(?:功能|命令"
    r"|用法)|(?:可以|能)问(?:你|些)?(?:什么|哪些|啥)|介绍一?下(?:你|自己)|你是(?:谁|什么|干什么|干嘛|做什么)|支持(?:哪些|什么)(?:命令|功能)|(?:你"
    r"|机器人).{0,6}(?:哪个|什么|支持的?)(?:vllm)?版本"
)
# Everyday matters: beside them a word or two of ours means nothing.
_ELSEWHERE = grammar(
    r"\b(?:weather|rain|stocks?|restaurants?|pizza|lunch|dinner|recipes?|movies?|songs?|music|football|soccer|nba|world cup"
    r"|poems?|haiku|limericks?|riddles?|lyrics|novel|essay|homework|translate|(?<!in[- ])flights?|hotels?|trains? (?:to|from)|horoscope|politic\w*|president|election"
    r"|girlfriend|boyfriend|dating|vacation|holiday)\b"
    r"|天气|下雨|股票|股市|基金|餐厅|外卖|火锅|电影|歌曲|足球|篮球|诗|小说|作文|翻译|机票|酒店|火车票|星座|政治|总统|选举|旅游|请假|情书"
)


def elsewhere(text: str) -> bool:
    """Whether it is about everyday matters."""
    return _ELSEWHERE.search(text) is not None


def wants_help(text: str) -> bool:
    """Whether the bot itself is asked about. `text` is narrowed and lower case."""
    return text.strip() in ("", "?") or _HELP.fullmatch(text) is not None or _HELP_INSIDE.search(text) is not None


def attack(text: str) -> Decline | None:
    """What is refused whatever else is said: shell commands, injection, a grasp for rights."""
    if _DESTRUCTIVE.search(text):
        return Decline.DESTRUCTIVE
    return Decline.INJECTION if _INJECTION.search(text) or _PRIVILEGE.search(text) else None


def courtesy(text: str) -> Decline | None:
    """The short kinds that a whole message may be, None when it is none of them."""
    if _GREETING.fullmatch(text):
        return Decline.GREETING
    if _COMPLAINT.search(text):
        return Decline.COMPLAINT
    if _THANKS.search(text) and len(text) <= 80:
        return Decline.THANKS
    return Decline.SMALLTALK if _SMALLTALK.search(text) else None


def junk(text: str) -> bool:
    """Whether there is no word in it, or one that is no word: `???`, `asdfgh`, `42`."""
    words = re.findall(r"[a-z]+|[\u4e00-\u9fff]+", text)
    if not words:
        return True
    if any(not word.isascii() for word in words):
        return len(set("".join(words))) == 1 and len(words[0]) >= 3
    return (
        all(_gibberish(word) for word in words)
        or re.fullmatch(r"\W*(?:test(?:ing)?|foo|bar|asdf\w*|qwer\w*|lorem ipsum.*)\W*", text) is not None
    )


def _gibberish(word: str) -> bool:
    return len(word) >= 4 and (
        not re.search(r"[aeiouy]", word)
        or re.search(r"[bcdfghjklmnpqrstvwxz]{5,}|(.)\1{3,}|(..+)\2{2,}", word) is not None
    )
