"""Who has what until when, by a clock that only goes forward; kept in memory, because a restart gives everybody a new term."""

from collections.abc import Callable


class Leases:
    """Leases of attempts, and which agent answers for a host. Seconds of `steady`."""

    def __init__(self, steady: Callable[[], float], term: float) -> None:
        self._steady, self._term = steady, term
        self._until: dict[str, float] = {}
        self._agents: dict[str, tuple[str, float]] = {}

    def begin(self, key: str) -> None:
        """A first term, for one that was given out before we began: nobody could renew it while we were away."""
        if key not in self._until:
            self.renew(key)

    def renew(self, key: str) -> None:
        """One more term."""
        self._until[key] = self._steady() + self._term

    def end(self, key: str) -> None:
        """Nothing is waited for any more."""
        self._until.pop(key, None)

    def run_out(self) -> list[str]:
        """Those whose term is over; each is told once."""
        now = self._steady()
        over = [key for key, until in self._until.items() if until < now]
        for key in over:
            del self._until[key]
        return over

    def admit(self, host: str, instance: str) -> bool:
        """Whether this agent answers for the host: the one that did, or any when that one has been silent for a term."""
        held = self._agents.get(host)
        if held is not None and held[0] != instance and self._steady() - held[1] < self._term:
            return False
        self._agents[host] = (instance, self._steady())
        return True

    def heard(self, host: str) -> float | None:
        """Seconds since a host's agent spoke; None when it did not since we began."""
        held = self._agents.get(host)
        return None if held is None else self._steady() - held[1]
