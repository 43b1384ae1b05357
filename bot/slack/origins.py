"""Where a channel's values are from."""

from bot.settings import Channel, Settings


def in_the_file(section: Channel | None, file: Settings, name: str) -> str | None:
    """What the settings file says: the channel's section, else `[defaults]`; None where it says nothing."""
    if section is not None and name in section.model_fields_set:
        return str(getattr(section, name))
    value = getattr(file.defaults, name, None)
    return None if value is None else str(value)
