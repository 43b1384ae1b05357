"""`users.info` and `users.list`."""

from bot.playground.server.state import Json, User
from bot.playground.server.web_api.arguments import flag, optional, required, text
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.pages import PAGED, page
from bot.playground.server.web_api.places import person


def _user_json(backstage: Backstage, user: User, *, with_locale: bool) -> Json:
    shown: Json = {
        "id": user.id,
        "team_id": backstage.workspace.team.id,
        "name": user.name,
        "deleted": False,
        "real_name": user.real_name,
        "tz": user.tz,
        "is_bot": user.is_bot,
        "is_restricted": user.is_guest,
        "is_admin": False,
        "profile": {"real_name": user.real_name, "display_name": user.name},
    }
    return shown | {"locale": user.locale} if with_locale else shown


def _info(backstage: Backstage, given: Json) -> Json:
    user = person(backstage, given["user"])
    return {"user": _user_json(backstage, user, with_locale=given.get("include_locale", False))}


def _list(backstage: Backstage, given: Json) -> Json:
    found, metadata = page(list(backstage.workspace.users.values()), given)
    with_locale = given.get("include_locale", False)
    members = [_user_json(backstage, user, with_locale=with_locale) for user in found]
    return {"members": members, "response_metadata": metadata}


METHODS = (
    Method(
        "users.info",
        _info,
        {"user": required(text), "include_locale": optional(flag)},
        ("users:read",),
        accepts_json=False,
        tier=4,
    ),
    Method(
        "users.list", _list, {**PAGED, "include_locale": optional(flag)}, ("users:read",), accepts_json=False, tier=2
    ),
)
