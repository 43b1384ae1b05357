"""A Slack-compatible server: a strict workspace on loopback, for tests and for the playground.

    async with SlackServer(load_manifest(path), timings=Timings(retry_delays=(0, 0, 0))) as server:
        # an app, in this process or another, is connected by server.environment
        question = server.people.say("general", "alice", f"{server.mention} will it fit?")
        (answer,) = await server.observed.wait_for_answers(question)
        await server.people.click("alice", answer, "feedback", "+")
        server.faults.plan("chat.postMessage", Drop(committed=True))
        assert not list(server.violations), server.violations

`people` is what people do, `observed` what they see and waiting for it, `faults` what goes wrong next, `violations` what
the app did that Slack or good manners forbid, `deliveries` what the app was sent and how soon it acknowledged,
`web_api.calls` what it called. `socket_mode` disconnects and cuts, `http` forges and replays. `validate_blocks` and
`view_problems` are the Block Kit rules alone, without a server.
"""

from bot.playground.server.blocks.payload import validate_blocks
from bot.playground.server.blocks.view import view_problems
from bot.playground.server.changes import NotSeen
from bot.playground.server.description import Described, Person, Room
from bot.playground.server.faults import (
    CutAfterSend,
    Delay,
    Drop,
    Duplicate,
    InvalidJson,
    LoseAck,
    RateLimited,
    Refuse,
    ServerError,
)
from bot.playground.server.manifest import Manifest, ManifestError, load_manifest
from bot.playground.server.server import SlackServer
from bot.playground.server.timings import Timings
from bot.playground.server.violations import Rule, Violation

__all__ = [
    "CutAfterSend",
    "Delay",
    "Described",
    "Drop",
    "Duplicate",
    "InvalidJson",
    "LoseAck",
    "Manifest",
    "ManifestError",
    "NotSeen",
    "Person",
    "RateLimited",
    "Refuse",
    "Room",
    "Rule",
    "ServerError",
    "SlackServer",
    "Timings",
    "Violation",
    "load_manifest",
    "validate_blocks",
    "view_problems",
]
