"""The waiting times that Slack documents, in seconds; a test shortens the ones it has to sit through."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timings:
    """Defaults are the documented values of 2026 (docs.slack.dev: Events API, interactivity, slash commands)."""

    ack: float = 3.0
    """Every envelope or request is acknowledged within this time."""
    retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0)
    """Waits before the second, third and fourth delivery of an event that was not acknowledged."""
    trigger: float = 3.0
    """How long a `trigger_id` opens a modal."""
    response_url: float = 1800.0
    """How long a `response_url` is good for."""
    warning: float = 10.0
    """How far ahead a `disconnect` with reason `warning` comes."""


DOCUMENTED = Timings()
