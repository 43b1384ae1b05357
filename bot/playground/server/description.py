"""The small frozen description that a workspace is made from: its people and its rooms."""

from pydantic import BaseModel, ConfigDict, model_validator


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Person(_Described):
    """Somebody in the workspace; `name` is what tests call them by."""

    name: str
    real_name: str = ""
    locale: str = "en-US"
    tz: str = "Etc/UTC"
    is_guest: bool = False


class Room(_Described):
    """A channel; `bot` tells whether the app was invited."""

    name: str
    members: tuple[str, ...] = ()
    private: bool = False
    archived: bool = False
    bot: bool = True


class Described(_Described):
    """A whole workspace. Every member of a room is one of the people; names are unique."""

    team: str = "Playground"
    domain: str = "playground"
    people: tuple[Person, ...]
    rooms: tuple[Room, ...]

    @model_validator(mode="after")
    def _members_are_people(self) -> "Described":
        names = [person.name for person in self.people]
        strangers = {member for room in self.rooms for member in room.members} - set(names)
        if strangers:
            raise ValueError(f"members who are not among the people: {', '.join(sorted(strangers))}")
        if len(set(names)) < len(names) or len({room.name for room in self.rooms}) < len(self.rooms):
            raise ValueError("names of people and of rooms must be unique")
        return self


DEFAULT = Described(
    people=(
        Person(name="alice", real_name="Alice Moreau"),
        Person(name="bob", real_name="Bob Lind"),
        Person(name="xiaoming", real_name="王小明", locale="zh-CN", tz="Asia/Shanghai"),
    ),
    rooms=(
        Room(name="general", members=("alice", "bob", "xiaoming")),
        Room(name="serving-zh", members=("alice", "xiaoming")),
        Room(name="gpu-ops", members=("alice", "bob"), private=True),
        Room(name="random", members=("alice", "bob"), bot=False),
        Room(name="old-project", members=("alice",), archived=True),
    ),
)
"""Three people and five rooms: one Chinese, one private, one without the bot, one archived."""
