"""Spaces: the unit of isolation. A project, a workspace, or one person's chats."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final


class SpaceKind(StrEnum):
    """The purpose of a space."""

    PROJECT = "project"
    WORKSPACE = "workspace"
    PERSONAL = "personal"


class Role(StrEnum):
    """Role of a member; each includes the rights of the ones before it."""

    READER = "reader"
    MEMBER = "member"
    STEWARD = "steward"
    OWNER = "owner"


#: For each role, those that include its rights.
AT_LEAST: Final = {role: frozenset(list(Role)[place:]) for place, role in enumerate(Role)}


@dataclass(frozen=True, slots=True)
class Space:
    """One isolated memory with its own members."""

    id: str
    name: str
    kind: SpaceKind
    organisation: str | None
    team: str | None
    created_at: datetime
    #: An archived space is not listed or opened, until an owner restores it.
    archived_at: datetime | None = None
    #: Older data is deleted at night; None keeps everything.
    retention_days: int | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One person's membership of a space."""

    user: str
    role: Role
    joined_at: datetime
    #: When they were shown the introduction; None until then.
    welcomed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """An alias that a person writes under in a space, and the steward who confirmed it."""

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
    """The kind of a group of people."""

    TEAM = "team"
    ORGANISATION = "organisation"


class GroupRole(StrEnum):
    """Role of a person in a group: owners decide who belongs to it."""

    MEMBER = "member"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One person's membership of a team or an organisation."""

    user: str
    role: GroupRole
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Group:
    """A team or an organisation with its members, in whatever spaces they work."""

    kind: GroupKind
    name: str
    members: tuple[GroupMember, ...]
    created_by: str
    created_at: datetime
