"""Settings: `tuning-bot.toml`, every key optional; secrets never stand in it."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from bot.outside import checked, shown
from knowledge.errors import Refusal
from knowledge.versions import parse
from runners.machines.host import Host

Language = Literal["en", "zh"]
LARGEST = 2**20  # bytes of a settings file that are read; real ones have a few thousand


def _a_version(value: str) -> str:
    try:
        parse(value)
    except Refusal:
        raise ValueError("should be a version like 0.32") from None
    return value


Release = Annotated[str, AfterValidator(_a_version)]


class Section(BaseModel):
    """A table of the file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Defaults(Section):
    """`[defaults]`: what holds when a question does not say."""

    model: str | None = Field(
        default=None, description="the model meant when none is named; an id, an alias or a folder"
    )
    vllm_version: Release | None = Field(default=None, description="the vLLM version that answers are for, as `0.32`")
    language: Language | None = Field(default=None, description="`en` or `zh`; unset follows each message")
    timezone: str = Field(default="UTC", description="an IANA name, for schedules and dates")

    @field_validator("timezone")
    @classmethod
    def _a_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (OSError, ValueError, ZoneInfoNotFoundError):
            raise ValueError("should be an IANA name like Asia/Shanghai") from None
        return value


class Slack(Section):
    """`[slack]`: how the bot is connected."""

    mode: Literal["socket", "http"] = Field(
        default="socket", description="`socket` needs no open port; `http` checks signatures"
    )
    port: int = Field(default=3000, ge=1, le=65535, description="the port that `http` listens on")
    host: str = Field(default="127.0.0.1", description="the address that `http` listens on; `0.0.0.0` in a container")


class Channel(Section):
    """`[channels.NAME]`: what differs in one channel."""

    model: str | None = Field(default=None, description="the model meant in this channel")
    vllm_version: Release | None = Field(default=None, description="the vLLM version that answers here are for")
    language: Language | None = Field(default=None, description="the language of answers in this channel")
    broadcast: bool = Field(default=True, description="whether a job's last line is also shown in the channel")
    chart: bool = Field(default=False, description="whether answers that fit or not get a memory chart unasked")


class Access(Section):
    """`[access]`: who may do what, by Slack user id. Asking questions needs no entry."""

    operators: tuple[str, ...] = Field(default=(), description="people who may start and cancel jobs")
    admins: tuple[str, ...] = Field(default=(), description="people who may also change schedules and defaults")
    approvers: tuple[str, ...] = Field(default=(), description="people who may approve what somebody else started")
    approvals: bool = Field(default=True, description="whether jobs wait for an approver")


class Knowledge(Section):
    """`[knowledge]`: what a team knows beside us."""

    folder: Path | None = Field(default=None, description="a folder with the team's own entries (docs/entries.md)")


class Store(Section):
    """`[store]`: where the bot remembers."""

    path: Path = Field(default=Path("tuning-bot.sqlite"), description="the SQLite file; its folder must be writable")


class Server(Section):
    """`[[servers]]`: a vLLM that runs already."""

    name: str = Field(min_length=1, max_length=100, description="what people call it")
    url: str = Field(pattern=r"^https?://[^\s?#]+$", description="where it answers, without /v1")
    api_key_env: str | None = Field(default=None, description="the variable with its key; unset: it needs none")
    environment: str | None = Field(default=None, description="what it serves: production, staging, …")


class Agents(Section):
    """`[agents]`: where the agents of GPU hosts reach `serve`."""

    listen: str | None = Field(
        default=None, description="`HOST:PORT`, or `unix:PATH`; unset: a socket beside the store"
    )


class Dispatch(Section):
    """`[dispatch]`: who runs jobs."""

    backend: Literal["embedded"] = Field(default="embedded", description="`embedded`: agents that `serve` hears")


class Settings(Section):
    """The whole file."""

    defaults: Defaults = Defaults()
    slack: Slack = Slack()
    channels: dict[str, Channel] = Field(default_factory=dict)
    access: Access = Access()
    knowledge: Knowledge = Knowledge()
    store: Store = Store()
    hosts: tuple[Host, ...] = Field(default=(), description="the machines that benchmarks run on")
    servers: tuple[Server, ...] = Field(default=(), description="the servers that are watched, and may be measured")
    agents: Agents = Agents()
    dispatch: Dispatch = Dispatch()

    @field_validator("hosts", "servers")
    @classmethod
    def _distinct(cls, value: tuple[Host | Server, ...]) -> tuple[Host | Server, ...]:
        if len({each.name for each in value}) < len(value):
            raise ValueError("should have different names")
        return value


def load(path: Path | None) -> Settings:
    """The settings in `path`, the defaults when it is None. Refuses a file that cannot be read, is not TOML or has unknown keys."""
    if path is None:
        return Settings()
    try:
        with path.open("rb") as file:
            values = tomllib.loads(file.read(LARGEST).decode())
    except OSError as fault:
        hint = "Give the path of a tuning-bot.toml with --config or TUNING_BOT_CONFIG."
        raise Refusal(
            "settings-unreadable", f"`{path}` cannot be read: {fault.strerror}.", hint, path=str(path)
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        error = f"`{path}` is not TOML: {shown(fault)}."
        raise Refusal(
            "settings-not-toml", error, 'Correct that line; values are written as `key = "value"`.', path=str(path)
        ) from None
    return checked(Settings, values)
