"""The app's manifest as the server needs it: scopes, subscriptions, commands, shortcuts, and how events are delivered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENT_SCOPES: Mapping[str, str | None] = {
    "app_home_opened": None,
    "app_mention": "app_mentions:read",
    "app_uninstalled": None,
    "assistant_thread_context_changed": None,
    "assistant_thread_started": None,
    "file_shared": "files:read",
    "member_joined_channel": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "tokens_revoked": None,
}
"""The scope that a subscription needs (docs.slack.dev, reference/events); None where it needs none."""


class ManifestError(ValueError):
    """The manifest does not describe an app that could be installed."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What of a manifest decides how the server behaves."""

    name: str
    bot_name: str
    scopes: frozenset[str]
    events: frozenset[str]
    commands: frozenset[str]
    shortcuts: Mapping[str, str]
    """`callback_id` to `message` or `global`."""
    should_escape: bool
    socket_mode: bool
    interactivity: bool
    home_tab: bool
    messages_tab: bool
    agent_view: bool

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> "Manifest":
        """From the parsed YAML or JSON; raises ManifestError when a subscription lacks its scope."""
        features, settings = raw.get("features", {}), raw.get("settings", {})
        commands = features.get("slash_commands", [])
        home = features.get("app_home", {})
        manifest = cls(
            name=raw["display_information"]["name"],
            bot_name=features.get("bot_user", {}).get("display_name", raw["display_information"]["name"]),
            scopes=frozenset(raw.get("oauth_config", {}).get("scopes", {}).get("bot", [])),
            events=frozenset(settings.get("event_subscriptions", {}).get("bot_events", [])),
            commands=frozenset(command["command"] for command in commands),
            shortcuts={s["callback_id"]: s["type"] for s in features.get("shortcuts", [])},
            should_escape=any(command.get("should_escape", False) for command in commands),
            socket_mode=settings.get("socket_mode_enabled", False),
            interactivity=settings.get("interactivity", {}).get("is_enabled", False),
            home_tab=home.get("home_tab_enabled", False),
            messages_tab=home.get("messages_tab_enabled", False) and not home.get("messages_tab_read_only_enabled"),
            agent_view="agent_view" in features or "assistant_view" in features,
        )
        manifest._refuse_what_cannot_work()
        return manifest

    def _refuse_what_cannot_work(self) -> None:
        for event in sorted(self.events):
            if event not in EVENT_SCOPES:
                raise ManifestError(f"`{event}` is not an event that a bot subscribes to here")
            scope = EVENT_SCOPES[event]
            if scope and scope not in self.scopes:
                raise ManifestError(f"`{event}` needs the scope `{scope}`")
        if self.commands and "commands" not in self.scopes:
            raise ManifestError("slash commands need the scope `commands`")
        if self.shortcuts and not self.interactivity:
            raise ManifestError("shortcuts need interactivity")


def load_manifest(path: Path) -> Manifest:
    """A manifest file, YAML or JSON by its suffix."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return Manifest.read(json.loads(text))
    import yaml

    return Manifest.read(yaml.safe_load(text))


def default_manifest() -> Path:
    """The bot's own manifest: beside this module in an installed package, in `deploy/` of a checkout."""
    packaged = Path(__file__).with_name("slack-manifest.yaml")
    return packaged if packaged.exists() else Path(__file__).parents[3] / "deploy" / packaged.name
