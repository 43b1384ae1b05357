"""Time zones as people name them, by their IANA names."""

from functools import cache

from bot.understand.scan import grammar

_SAID = tuple(
    (grammar(rf"(?<![a-z])(?:{pattern})(?![a-z])"), zone)
    for pattern, zone in (
        (r"(?:时区\s?[:是为用]?\s?北京|北京时间)|中国时间|(?:beijing|china|bj|chinese)(?: (?:standard )?time)?|utc\s?\+\s?0?8(?::?00)?|gmt\s?\+\s?0?8|东八区", "Asia/Shanghai"),
        (r"utc|gmt|zulu|协调世界时|格林尼治(?:时间)?", "UTC"),
        (r"pacific(?: (?:standard |daylight )?time)?|p[sd]?t|bay area time|california time|太平洋时间|西海岸时间|美西(?:时间)?", "America/Los_Angeles"),
        (r"eastern(?: (?:standard |daylight )?time)?|e[sd]?t|east coast time|美东(?:时间)?|东部时间", "America/New_York"),
        (r"(?:us )?central time|cdt", "America/Chicago"),
        (r"mountain time|m[sd]t", "America/Denver"),
        (r"uk time|bst|(?:时区\s?[:是为用]?\s?伦敦|伦敦时间)", "Europe/London"),
        (r"cest|cet|central european time|欧洲中部时间", "Europe/Paris"),
        (r"german time|德国时间|(?:时区\s?[:是为用]?\s?柏林|柏林时间)", "Europe/Berlin"),
        (r"jst|japan(?: standard)? time|(?:时区\s?[:是为用]?\s?东京|东京时间)|日本时间", "Asia/Tokyo"),
        (r"kst|korean? time|(?:时区\s?[:是为用]?\s?首尔|首尔时间)|韩国时间", "Asia/Seoul"),
        (r"sgt|(?:时区\s?[:是为用]?\s?新加坡|新加坡时间)", "Asia/Singapore"),
        (r"hkt|(?:时区\s?[:是为用]?\s?香港|香港时间)", "Asia/Hong_Kong"),
        (r"ist|indian?(?: standard)? time|印度时间", "Asia/Kolkata"),
        (r"ae[sd]?t|(?:时区\s?[:是为用]?\s?悉尼|悉尼时间)", "Australia/Sydney"),
        (r"(?:时区\s?[:是为用]?\s?纽约|纽约时间)", "America/New_York"),
        (r"(?:时区\s?[:是为用]?\s?上海|上海时间)", "Asia/Shanghai"),
    )
)  # fmt: skip
_IANA = grammar(r"(?<![a-z/])(?P<zone>[a-z]+/[a-z_]+(?:/[a-z_]+)?)(?![a-z/])")
_CITY = grammar(
    r"(?<![a-z])(?P<city>[a-z]+(?:[ _][a-z]+)?) time(?![a-z])|(?<![a-z])(?:time ?zone|tz)\s?[=:]?\s?(?P<named>[a-z]+(?:[ _][a-z]+)?)"
)
_CST = grammar(r"(?<![a-z])cst(?![a-z])")


def zone(text: str) -> str | None:
    """The IANA name of the zone that was named, None when none was."""
    if (iana := _IANA.search(text)) and (named := _zones().get(iana["zone"])):
        return named
    for pattern, said in _SAID:
        if pattern.search(text):
            return said
    for found in _CITY.finditer(text):
        city = (found["city"] or found["named"]).replace(" ", "_")
        if name := _cities().get(city) or _cities().get(city.rpartition("_")[2]):
            return name
    return None


def two_ways(text: str) -> bool:
    """Whether CST was said, which is China's and America's."""
    return _CST.search(text) is not None


@cache
def _zones() -> dict[str, str]:
    from zoneinfo import available_timezones

    return {name.lower(): name for name in available_timezones()}


@cache
def _cities() -> dict[str, str]:
    """Cities by their zones; of a city in two zones the first in the alphabet."""
    found: dict[str, str] = {}
    for name in sorted(_zones().values()):
        area, _, city = name.partition("/")
        if city and area not in ("Etc", "SystemV", "posix", "right", "US"):
            found.setdefault(city.rpartition("/")[2].lower(), name)
    return found
