"""Files: the two calls around an upload and `files.info`."""

from bot.playground.server.errors import SlackError
from bot.playground.server.file_json import file_json
from bot.playground.server.state import Json, Message, SharedFile
from bot.playground.server.violations import Rule
from bot.playground.server.web_api.arguments import array, names, optional, required, text, timestamp, whole
from bot.playground.server.web_api.chat import thread_of
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import postable_channel

COMPLETE = {
    "files": required(array),
    "channel_id": optional(text),
    "channels": optional(names),
    "initial_comment": optional(text),
    "thread_ts": optional(timestamp),
    "blocks": optional(array),
}


def _start(backstage: Backstage, given: Json) -> Json:
    if given["length"] <= 0:
        raise SlackError("invalid_arguments", "length must be more than 0 [json-pointer:/length]")
    name = given["filename"]
    file = SharedFile(backstage.common.ids.take("F"), name, name, given["length"], backstage.workspace.team.bot_user)
    backstage.workspace.files[file.id] = file
    return {"file_id": file.id, "upload_url": f"{backstage.common.address.http}/upload/{file.id}"}


def _complete(backstage: Backstage, given: Json) -> Json:
    files = [_uploaded(backstage, entry) for entry in given["files"]]
    if not files:
        raise SlackError("invalid_arguments", "no fewer than 1 items allowed [json-pointer:/files]")
    places = [given["channel_id"]] if "channel_id" in given else given.get("channels", [])
    channels = [postable_channel(backstage, place) for place in places]
    if "thread_ts" in given and len(channels) != 1:
        raise SlackError("invalid_arguments", "thread_ts needs exactly one channel")
    for file in files:
        file.complete = True
    for channel in channels:
        thread_ts = thread_of(backstage, channel, given.get("thread_ts"), "files.completeUploadExternal")
        _share(backstage, channel.id, thread_ts, given.get("initial_comment", ""), files)
    return {"files": [{"id": file.id, "title": file.title} for file in files]}


def _uploaded(backstage: Backstage, entry: Json) -> SharedFile:
    file = backstage.workspace.files.get(str(entry.get("id")))
    if file is None or file.complete:
        raise SlackError("file_not_found")
    if file.content is None:
        backstage.common.violations.record(Rule.REFUSED, "files.completeUploadExternal", "completed before its upload")
        raise SlackError("file_not_found")
    file.title = entry.get("title") or file.name
    return file


def _share(backstage: Backstage, channel: str, thread_ts: str | None, comment: str, files: list[SharedFile]) -> None:
    team = backstage.workspace.team
    message = Message(channel, backstage.common.ids.timestamp(), team.bot_user, comment, thread_ts=thread_ts)
    message.bot_id, message.subtype = team.bot_id, "file_share"
    for file in files:
        file.shared.append(channel)
    message.files = [file_json(backstage.common.address.http, file) for file in files]
    backstage.workspace.post(message)


def _info(backstage: Backstage, given: Json) -> Json:
    file = backstage.workspace.files.get(given["file"])
    if file is None or not file.complete:
        raise SlackError("file_not_found")
    return {"file": file_json(backstage.common.address.http, file)}


METHODS = (
    Method(
        "files.getUploadURLExternal",
        _start,
        {
            "filename": required(text),
            "length": required(whole),
            "alt_txt": optional(text),
            "snippet_type": optional(text),
        },
        ("files:write",),
        tier=4,
    ),
    Method("files.completeUploadExternal", _complete, COMPLETE, ("files:write",), tier=4),
    Method("files.info", _info, {"file": required(text)}, ("files:read",), accepts_json=False, tier=4),
)
