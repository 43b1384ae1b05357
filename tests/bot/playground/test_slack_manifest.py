"""The bot's own manifest: well formed, least in its scopes, and with a reason beside every scope."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.playground.server import Manifest, load_manifest
from bot.playground.server.blocks.rules import Bool, Choice, Items, Number, Shape, Str
from bot.playground.server.manifest import EVENT_SCOPES, default_manifest

FILE = Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml"

SCOPES = Items(Str(50), 255)
PROMPT = Shape({"title": Str(), "message": Str()})
FORM = Shape(
    {
        "display_information": Shape(
            {"name": Str(35)},
            {
                "description": Str(140),
                "background_color": Str(7, 4, r"#[0-9a-fA-F]{3,6}"),
                "long_description": Str(4000, 175),
            },
        )
    },
    {
        "_metadata": Shape({"major_version": Choice((1,))}, {"minor_version": Number(whole=True)}),
        "features": Shape(
            {},
            {
                "app_home": Shape(
                    {},
                    {
                        name: Bool()
                        for name in ("home_tab_enabled", "messages_tab_enabled", "messages_tab_read_only_enabled")
                    },
                ),
                "bot_user": Shape({"display_name": Str(80)}, {"always_online": Bool()}),
                "agent_view": Shape({}, {"agent_description": Str(300), "suggested_prompts": Items(PROMPT, 4)}),
                "shortcuts": Items(
                    Shape(
                        {
                            "name": Str(24),
                            "type": Choice(("message", "global")),
                            "callback_id": Str(255),
                            "description": Str(150),
                        }
                    ),
                    10,
                ),
                "slash_commands": Items(
                    Shape(
                        {"command": Str(32, 2, r"/\S+"), "description": Str(2000)},
                        {"usage_hint": Str(1000), "should_escape": Bool(), "url": Str(3000)},
                    ),
                    50,
                ),
            },
        ),
        "oauth_config": Shape({}, {"scopes": Shape({}, {"bot": SCOPES, "bot_optional": SCOPES})}),
        "settings": Shape(
            {},
            {
                "event_subscriptions": Shape({}, {"bot_events": Items(Str(50), 100)}),
                "interactivity": Shape({"is_enabled": Bool()}),
                "org_deploy_enabled": Bool(),
                "socket_mode_enabled": Bool(),
                "token_rotation_enabled": Bool(),
            },
        ),
    },
)
"""The parts of Slack's manifest, version 1, that this app uses, and their limits (slackapi/manifest-schema, 2026)."""

NEEDED = {
    "app_mentions:read": "app_mention",
    "channels:history": "message.channels",
    "groups:history": "message.groups",
    "im:history": "message.im",
}


@pytest.fixture
def raw() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return loaded


def test_the_manifest_is_well_formed(raw: dict[str, Any]) -> None:
    assert list(FORM.check(raw, "")) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("display_information", "name"), "x" * 36),
        (("display_information", "description"), "x" * 141),
        (("features", "slash_commands"), [{"command": "vllm", "description": "x"}]),
        (("features", "shortcuts"), [{"name": "x" * 25, "type": "message", "callback_id": "x", "description": "x"}]),
        (("features", "agent_view"), {"suggested_prompts": [{"title": "t", "message": "m"}] * 5}),
        (("settings", "socket_mode_enabled"), "yes"),
        (("settings", "socket"), True),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else None,
)
def test_the_form_finds_what_slack_would_refuse(raw: dict[str, Any], path: tuple[str, str], value: Any) -> None:
    raw[path[0]][path[1]] = value
    assert list(FORM.check(raw, ""))


def test_the_app_is_what_the_documentation_says(raw: dict[str, Any]) -> None:
    manifest = load_manifest(FILE)
    assert manifest == Manifest.read(raw)
    assert manifest.commands == {"/vllm"}
    assert manifest.shortcuts == {"diagnose_log": "message"}
    assert (manifest.socket_mode, manifest.interactivity, manifest.home_tab) == (True, True, True)
    assert (manifest.messages_tab, manifest.agent_view, manifest.should_escape) == (True, True, False)
    assert manifest.events == {"app_home_opened", "app_mention", "message.channels", "message.groups", "message.im"}


def test_every_subscription_has_its_scope_and_every_scope_its_reason(raw: dict[str, Any]) -> None:
    manifest = load_manifest(FILE)
    assert {EVENT_SCOPES[event] for event in manifest.events} - {None} == set(NEEDED)
    lines = FILE.read_text(encoding="utf-8").splitlines()
    explained = {match[1] for line in lines if (match := re.match(r"\s+- (\w+(?::\w+)*) # \S", line))}
    assert set(raw["oauth_config"]["scopes"]["bot"]) == explained


def test_nothing_is_asked_for_that_reads_more_than_conversations() -> None:
    scopes = load_manifest(FILE).scopes
    assert not {scope for scope in scopes if scope.startswith(("admin", "users.profile", "users:read.email"))}
    assert "chat:write.public" not in scopes
    assert "chat:write.customize" not in scopes


def test_the_manifest_is_found_and_may_be_json(tmp_path: Path, raw: dict[str, Any]) -> None:
    assert default_manifest() == FILE
    as_json = tmp_path / "manifest.json"
    as_json.write_text(json.dumps(raw), encoding="utf-8")
    assert load_manifest(as_json) == load_manifest(FILE)
