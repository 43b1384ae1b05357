"""Trigger ids: each opens one modal, within three seconds."""

from dataclasses import dataclass

from bot.playground.server.common import Common
from bot.playground.server.errors import SlackError


@dataclass(slots=True)
class _Trigger:
    user: str
    made: float
    used: bool = False


class Triggers:
    """Gives out trigger ids and takes them back once."""

    def __init__(self, common: Common) -> None:
        self._common = common
        self._made: dict[str, _Trigger] = {}

    def make(self, user: str) -> str:
        """A trigger for what this person just did."""
        trigger_id = f"{self._common.ids.take('')}.{user}"
        self._made[trigger_id] = _Trigger(user, self._common.ids.clock())
        return trigger_id

    def use(self, trigger_id: str) -> str:
        """The person whose trigger it was; raises the error that Slack gives for an old, used or foreign one."""
        trigger = self._made.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self._common.ids.clock() - trigger.made > self._common.timings.trigger:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger.user
