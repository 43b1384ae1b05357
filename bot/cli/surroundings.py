"""What an attempt on this machine is given."""

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bot.settings import Settings
from runners.agent.surroundings import Surroundings
from runners.machines.host import Host
from runners.machines.machine import look


def surroundings_of(
    host: Host, settings: Settings, environment: Mapping[str, str], own_key: str | None = None
) -> Surroundings:
    """This machine as it is. Its locks are those of every tuning-bot of this user here.

    A server that runs already gets the key that the settings name for it; `own_key` goes to whatever address the person typed.
    """
    locks = Path(environment.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"tuning-bot-{os.getuid()}"
    keys = {server.url.rstrip("/"): server.api_key_env for server in settings.servers if server.api_key_env}

    def api_key(url: str) -> str | None:
        name = keys.get(url.rstrip("/"))
        return environment.get(name) if name else own_key

    return Surroundings(host=host, environment=environment, locks=locks, look=look, clock=time.time, api_key=api_key)
