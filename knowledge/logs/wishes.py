"""What the person wrote beside the paste, as far as it changes what a healthy or busy server's text is asked about."""

import re
from enum import StrEnum


class Wish(StrEnum):
    """What is wondered about."""

    RESERVED = "reserved"  # memory that stays taken
    SLOW_START = "slow-start"
    SLOW_LOAD = "slow-load"
    PREFIX = "prefix"
    THROUGHPUT = "throughput"
    LATENCY = "latency"
    GARBLED = "garbled"
    METRIC_NAME = "metric-name"
    SPECULATION = "speculation"
    CONCURRENCY = "concurrency"
    COMPILE = "compile"
    SWAP = "swap"
    STUCK = "stuck"
    SAME_ANSWER = "same-answer"  # equal prompts, different answers


_PATTERNS: tuple[tuple[Wish, str], ...] = (
    (
        Wish.RESERVED,
        r"(?i)leak|idle|zero requests|no requests|nothing running|still (?:sits|at|using|holds|full)|always (?:full|90)|releas|free(?:d|s)? (?:the )?memory"
        r"|(?:all|so much|most).{0,20}(?:v?ram|gpu memory|memory)|显存.{0,12}(?:占满|占用|不释放|没释放|一直|泄[漏露]|都被|全被|很高|90)|占(?:了|用).{0,8}显存|空闲.{0,12}显存|没有?请求.{0,16}显存",
    ),
    (Wish.COMPILE, r"(?i)torch\.?compile|compil|编译"),
    (
        Wish.SLOW_START,
        r"(?i)(?:start|boot|startup|come up|ready|launch|restart).{0,30}(?:slow|long|forever|minutes|min\b)|(?:slow|long|forever|minutes|min\b).{0,30}(?:start|boot|startup|come up|ready|launch)|启动.{0,12}(?:慢|久|分钟)|(?:慢|久|分钟).{0,8}启动|cold start|冷启动",
    ),
    (
        Wish.SLOW_LOAD,
        r"(?i)(?:load|weights|nfs|lustre|s3|disk|shards?).{0,30}(?:slow|long|forever|minutes|min\b|takes)|加载.{0,16}(?:慢|久|分钟)|(?:慢|久).{0,8}加载",
    ),
    (Wish.PREFIX, r"(?i)prefix|cache hit|hit rate|前缀|命中"),
    (Wish.SPECULATION, r"(?i)specul|draft|eagle|\bmtp\b|accept(?:ance|ed)|投机|接受率|草稿"),
    (
        Wish.METRIC_NAME,
        r"(?i)grafana|dashboard|panel|no data|metric.{0,20}(?:missing|gone|name|renamed|not found)|(?:missing|gone|renamed).{0,20}metric|仪表盘|面板|指标.{0,10}(?:没|找不到|消失|改名|不见)",
    ),
    (Wish.GARBLED, r"(?i)garbl|gibberish|exclamation|nonsense|乱码|感叹号|胡言|重复输出|!!!"),
    (Wish.SWAP, r"(?i)\bswap"),
    (
        Wish.STUCK,
        r"(?i)\bhang(?:s|ing)?\b|\bhung\b|\bstuck\b|freez|frozen|never (?:finish|start|come|get|end)|no progress|nothing happens|forever|stands still|卡住|卡在|卡死|不动|没反应|没动静|一直不|停在",
    ),
    (
        Wish.SAME_ANSWER,
        r"(?i)determinis|reproducib|(?:same|identical|equal) (?:prompt|input|seed|request|question).{0,60}(?:differ|vary|not the same)|(?:differ\w*|varying) (?:answers?|outputs?|results?|responses?)|确定性|复现不|不可复现|(?:同样|相同|一样)的?.{0,16}(?:每次|两次|多次|结果|输出|回答).{0,10}(?:不一样|不同|不一致)|每次.{0,10}(?:不一样|不同|不一致)",
    ),
    (Wish.LATENCY, r"(?i)ttft|tpot|\bitl\b|latency|first token|slow|stutter|jitter|延迟|首字|首 ?token|卡顿|慢|抖动"),
    (Wish.THROUGHPUT, r"(?i)throughput|tokens?/s|tok/s|tps|gpu.{0,12}(?:idle|not busy|low)|吞吐|利用率"),
    (Wish.CONCURRENCY, r"(?i)concurren|users|queue|waiting|排队|并发"),
)


def wishes(message: str) -> frozenset[Wish]:
    """Everything that the words wonder about; empty for a bare paste."""
    text = message[:4000]
    return frozenset(wish for wish, pattern in _PATTERNS if re.search(pattern, text))
