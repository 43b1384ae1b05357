"""Tokens of the right kind, from the environment, never shown."""

from pathlib import Path
from typing import Literal

import pytest
import yaml

from bot.slack import tokens
from bot.slack.scopes import SCOPES
from knowledge.errors import Refusal

ALL = {"SLACK_BOT_TOKEN": "xoxb-secret", "SLACK_APP_TOKEN": "xapp-secret", "SLACK_SIGNING_SECRET": "signing-secret"}


@pytest.mark.parametrize("mode", ["socket", "http"])
def test_everything_is_there_and_nothing_is_shown(mode: Literal["socket", "http"]) -> None:
    found = tokens.read(ALL, mode)
    assert found.bot.get_secret_value() == "xoxb-secret"
    assert found.api == "https://slack.com/api/"
    assert "secret" not in f"{found!r}{found}".replace("SecretStr", "")


@pytest.mark.parametrize(
    ("mode", "changed", "says"),
    [
        ("socket", {"SLACK_BOT_TOKEN": ""}, "`SLACK_BOT_TOKEN` is not set"),
        ("socket", {"SLACK_APP_TOKEN": " "}, "`SLACK_APP_TOKEN` is not set"),
        ("http", {"SLACK_SIGNING_SECRET": ""}, "`SLACK_SIGNING_SECRET` is not set"),
        ("socket", {"SLACK_BOT_TOKEN": "xapp-secret"}, "does not start with `xoxb-`"),
        ("socket", {"SLACK_APP_TOKEN": "xoxb-secret"}, "does not start with `xapp-`"),
    ],
    ids=["no bot token", "blank app token", "no signing secret", "app token for bot token", "bot token for app token"],
)
def test_what_is_missing_or_wrong_is_said(mode: Literal["socket", "http"], changed: dict[str, str], says: str) -> None:
    with pytest.raises(Refusal, match=says) as refused:
        tokens.read(ALL | changed, mode)
    assert "secret" not in f"{refused.value.error}{refused.value.hint}"


@pytest.mark.parametrize(("mode", "unneeded"), [("socket", "SLACK_SIGNING_SECRET"), ("http", "SLACK_APP_TOKEN")])
def test_what_the_mode_does_not_need_may_be_missing(mode: Literal["socket", "http"], unneeded: str) -> None:
    tokens.read({name: value for name, value in ALL.items() if name != unneeded}, mode)


@pytest.mark.parametrize("given", ["http://127.0.0.1:1/api", "http://127.0.0.1:1/api/", " http://127.0.0.1:1/api "])
def test_another_address_of_the_web_api(given: str) -> None:
    assert tokens.read(ALL | {"SLACK_API_URL": given}, "socket").api == "http://127.0.0.1:1/api/"


def test_the_manifest_asks_for_exactly_the_scopes_that_have_a_reason() -> None:
    manifest = yaml.safe_load((Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml").read_text("utf-8"))
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == set(SCOPES)
