"""`auth.test` and `apps.connections.open`."""

from bot.playground.server.errors import SlackError
from bot.playground.server.state import Json
from bot.playground.server.web_api.method import Backstage, Method


def _test(backstage: Backstage, given: Json) -> Json:
    team = backstage.workspace.team
    return {
        "url": f"https://{team.domain}.slack.com/",
        "team": team.name,
        "user": backstage.workspace.users[team.bot_user].name,
        "team_id": team.id,
        "user_id": team.bot_user,
        "bot_id": team.bot_id,
        "is_enterprise_install": False,
    }


def _open(backstage: Backstage, given: Json) -> Json:
    if not backstage.manifest.socket_mode:
        raise SlackError("socket_mode_not_enabled")
    return {"url": backstage.socket_mode.link()}


METHODS = (
    Method("auth.test", _test, tier=4),
    Method("apps.connections.open", _open, token="app", accepts_json=False),  # noqa: S106  # a kind of token
)
