"""`/vllm settings`: what holds in a channel and where it is from, and changing it for those who may."""

import re
from dataclasses import dataclass

from bot.blocks import elements
from bot.settings import Channel, Language, Settings
from bot.sheet import Act
from bot.slack.answering import bug, shown
from bot.slack.incoming import Commanded
from bot.slack.means import Means
from bot.slack.origins import in_the_file
from bot.slack.places import DIRECT, Place
from bot.slack.responding import respond, tell
from bot.slack.thinking import Thoughtless
from bot.slack.thought import Question as Wondered
from bot.slack.written import text
from bot.store.channel_defaults import ChannelDefault
from bot.store.inbox import Received
from bot.text.phrases import say
from bot.text.plain import COLONS
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, parse

NAMES = {
    "model": "model", "模型": "model",
    "vllm_version": "vllm_version", "vllm-version": "vllm_version", "version": "vllm_version", "vllm": "vllm_version",
    "版本": "vllm_version",
    "language": "language", "lang": "language", "语言": "language",
    "broadcast": "broadcast", "广播": "broadcast",
    "chart": "chart", "charts": "chart", "图表": "chart", "显存图": "chart",
}  # fmt: skip
LANGUAGES = {"en": "en", "english": "en", "英文": "en", "英语": "en", "zh": "zh", "chinese": "zh", "中文": "zh"}
SWITCH = {"on": "true", "true": "true", "yes": "true", "开": "true", "off": "false", "false": "false", "no": "false", "关": "false"}  # fmt: skip
BACK = frozenset(["default", "unset", "reset", "默认"])
_SAID = re.compile(r"(\S+?)\s*(?:[=:：]|\s)\s*(\S.*)", re.DOTALL)
LONGEST = 200  # characters of a value


class Unknown(Exception):
    """A name or a value that is not understood; the phrase says what is."""


@dataclass(frozen=True, slots=True)
class _Change:
    """What is to be set; `value` None puts back what the file says."""

    name: str
    value: str | None


async def settings(means: Means, received: Received, command: Commanded, words: str) -> str:
    """`/vllm settings [NAME VALUE]`: shows what holds here, or changes one value and shows it then."""
    language = await means.places.spoken(command.channel, command.user)
    if not words.strip():
        return await _show(means, received, command, language)
    allowed = means.places.settings.access.admins
    if not command.channel.startswith(DIRECT) and command.user not in allowed:
        told = say(language, "settings.not_allowed", user=command.user, anybody=bool(allowed))
        return tell(means, received, command, told)
    try:
        change = _read(words.strip())
    except Unknown as unknown:
        return tell(means, received, command, say(language, f"settings.{unknown}"))
    return await _change(means, received, command, change, language)


def _read(words: str) -> _Change:
    """Raises Unknown."""
    found = _SAID.fullmatch(words)
    name = NAMES.get(found[1].lower()) if found else None
    if found is None or name is None:
        raise Unknown("how")
    said = found[2].strip().strip("`\"'")
    if said.lower() in BACK:
        return _Change(name, None)
    match name:
        case "language":
            value = LANGUAGES.get(said.lower())
        case "broadcast" | "chart":
            value = SWITCH.get(said.lower())
        case "vllm_version":
            value = _version(said)
        case _:
            value = said if len(said) <= LONGEST else None
    if value is None:
        raise Unknown(f"bad_{name}")
    return _Change(name, value)


def _version(said: str) -> str | None:
    try:
        parse(said.lower().removeprefix("v"))
    except Refusal:
        return None
    return said.lower().removeprefix("v")


async def _change(means: Means, received: Received, command: Commanded, change: _Change, language: Language) -> str:
    value = change.value
    if change.name == "model" and value is not None:
        place = await means.places.of(command.channel)
        asked = Wondered(
            number=0, act=Act.MODEL, value=value, language=language, settings=place.settings, mark=f"set-{received.id}"
        )
        try:
            thought = await means.thinking.about(asked)
        except Thoughtless as fault:
            return tell(means, received, command, bug(fault, language))
        if thought.refused:
            respond(means, received, command, shown(thought))
            return "refused"
        value = thought.text
    if value is None:
        means.store.defaults.drop(command.channel, change.name)
    else:
        kept = ChannelDefault(channel=command.channel, name=change.name, value=value, user=command.user)
        means.store.defaults.put(kept)
    return await _show(means, received, command, language, changed=change.name)


async def _show(
    means: Means, received: Received, command: Commanded, language: Language, *, changed: str | None = None
) -> str:
    place = await means.places.of(command.channel)
    section = await means.places.section(command.channel)
    said = means.store.defaults.of(command.channel)
    lead = say(language, "settings.changed" if changed else "settings.lead")
    pairs = []
    for name in Channel.model_fields:
        origin = _origin(said.get(name), section, means.places.settings, name, language)
        value = say(language, "settings.value", value=_value(place, name, language), origin=origin)
        pairs.append((say(language, f"settings.{name}"), value))
    how = say(language, "settings.how")
    plain = "\n".join([lead, *(f"{label}{COLONS[language]}{value}" for label, value in pairs), how])
    blocks = [elements.section(elements.escape(lead)), *elements.fields(pairs), *elements.context([how])]
    respond(means, received, command, {"text": text(plain), "blocks": blocks})
    return "changed" if changed else "shown"


def _value(place: Place, name: str, language: Language) -> str:
    """A value as people say it."""
    defaults = place.settings.defaults
    match name:
        case "model":
            return defaults.model or say(language, "slack.home_none")
        case "vllm_version":
            return defaults.vllm_version or str(DEFAULT)
        case "language":
            spoken = place.language or defaults.language
            return {"en": "English", "zh": "中文"}[spoken] if spoken else say(language, "slack.home_follows")
        case _:
            return say(language, "settings.on" if getattr(place, name) else "settings.off")


def _origin(said: ChannelDefault | None, section: Channel | None, file: Settings, name: str, language: Language) -> str:
    """Where a value is from; one from chat also tells what the file says."""
    in_file = in_the_file(section, file, name)
    if said is not None:
        other = say(language, "settings.file_says", value=in_file) if in_file else say(language, "settings.file_silent")
        return say(language, "settings.from_chat", user=said.user, other=other)
    return say(language, "settings.from_file" if in_file else "settings.from_us")
