"""The secrets that connect the bot to Slack: from the environment only, and never printed."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from knowledge.errors import Refusal

BOT, APP, SIGNING, API = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_URL"
SLACK = "https://slack.com/api/"
WHERE = {
    BOT: "it starts with `xoxb-` and stands under OAuth & Permissions of the app at api.slack.com/apps",
    APP: "it starts with `xapp-`, needs the scope `connections:write` and is made under Basic Information, App-Level Tokens",
    SIGNING: "it stands under Basic Information of the app at api.slack.com/apps",
}
PREFIXES = {BOT: "xoxb-", APP: "xapp-"}


class Tokens(BaseModel):
    """`app` is for Socket Mode, `signing` for HTTP; the other one may be missing. `api` is the Web API's base, with its slash."""

    model_config = ConfigDict(frozen=True)

    bot: SecretStr
    app: SecretStr | None
    signing: SecretStr | None
    api: str


def problems(environment: Mapping[str, str], mode: Literal["socket", "http"]) -> list[Refusal]:
    """What is missing, or is a token of the wrong kind."""
    needed = (BOT, APP) if mode == "socket" else (BOT, SIGNING)
    found = [_problem(environment, name) for name in needed]
    return [problem for problem in found if problem]


def read(environment: Mapping[str, str], mode: Literal["socket", "http"]) -> Tokens:
    """The secrets that `mode` needs. Raises Refusal for the first problem."""
    for problem in problems(environment, mode):
        raise problem
    return Tokens(
        bot=SecretStr(environment[BOT].strip()),
        app=_secret(environment, APP),
        signing=_secret(environment, SIGNING),
        api=api_url(environment),
    )


def api_url(environment: Mapping[str, str]) -> str:
    """The base of the Web API, with a slash at its end."""
    return (environment.get(API, "").strip() or SLACK).rstrip("/") + "/"


def _secret(environment: Mapping[str, str], name: str) -> SecretStr | None:
    value = environment.get(name, "").strip()
    return SecretStr(value) if value else None


def _problem(environment: Mapping[str, str], name: str) -> Refusal | None:
    value = environment.get(name, "").strip()
    if not value:
        return Refusal(
            "missing-token", f"`{name}` is not set.", f"Set it in the environment: {WHERE[name]}.", name=name
        )
    prefix = PREFIXES.get(name, "")
    if not value.startswith(prefix):
        error = f"`{name}` is another kind of token: it does not start with `{prefix}`."
        return Refusal("wrong-token", error, f"Set the right one: {WHERE[name]}.", name=name)
    return None
