"""A space is the wall: a project, a workspace, or one person's chats. Nothing crosses it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SpaceKind(StrEnum):
    """What a space is for."""

    PROJECT = "project"
    WORKSPACE = "workspace"
    PERSONAL = "personal"


class Role(StrEnum):
    """What a member may do, each including what the ones before it may."""

    READER = "reader"
    MEMBER = "member"
    STEWARD = "steward"
    OWNER = "owner"

    def includes(self, other: "Role") -> bool:
        """Whether whoever holds this role may do what the other may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Space:
    """One isolated memory with its own people."""

    id: str
    name: str
    kind: SpaceKind
    organisation: str | None
    team: str | None
    created_at: datetime
    #: An archived space is listed and opened no more, until an owner restores it.
    archived_at: datetime | None = None
    #: What is older is deleted at night; None keeps everything.
    retention_days: int | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One person's place in a space."""

    user: str
    role: Role
    joined_at: datetime
    #: When they were shown what matters most here; None until then.
    welcomed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name that a person writes under in a space, and the steward who confirmed it."""

    user: str
    name: str
    confirmed_by: str
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class AliasSuggestion:
    """A name on imported events that is probably a member's, and why; somebody must confirm it."""

    user: str
    name: str
    reason: str
    events: int


class GroupKind(StrEnum):
    """What a group of people is."""

    TEAM = "team"
    ORGANISATION = "organisation"


class GroupRole(StrEnum):
    """What a person may do with a group: owners say who belongs to it."""

    MEMBER = "member"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One person's place in a team or an organisation."""

    user: str
    role: GroupRole
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Group:
    """A team or an organisation with its people, in whatever spaces they work."""

    kind: GroupKind
    name: str
    members: tuple[GroupMember, ...]
    created_by: str
    created_at: datetime
