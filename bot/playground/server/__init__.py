"""A Slack-compatible server: a strict workspace on loopback, for tests and for the playground.

`SlackServer` is the server, `Manifest` the app that is installed in it, `validate_blocks` its Block Kit rules alone.
"""

from bot.playground.server.blocks.payload import validate_blocks
from bot.playground.server.blocks.view import view_problems
from bot.playground.server.changes import NotSeen
from bot.playground.server.description import Described, Person, Room
from bot.playground.server.manifest import Manifest, ManifestError, load_manifest
from bot.playground.server.server import SlackServer
from bot.playground.server.timings import Timings
from bot.playground.server.violations import Rule, Violation

__all__ = [
    "Described",
    "Manifest",
    "ManifestError",
    "NotSeen",
    "Person",
    "Room",
    "Rule",
    "SlackServer",
    "Timings",
    "Violation",
    "load_manifest",
    "validate_blocks",
    "view_problems",
]
