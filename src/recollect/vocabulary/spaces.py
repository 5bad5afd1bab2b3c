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


@dataclass(frozen=True, slots=True)
class Member:
    """One person's place in a space."""

    user: str
    role: Role
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name that a person writes under in a space, and the steward who confirmed it."""

    user: str
    name: str
    confirmed_by: str
    confirmed_at: datetime
