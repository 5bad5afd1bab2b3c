"""What a person may know and decide about their own data, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

#: What stands where the name of a deleted person stood. Nobody can bear this name.
DELETED_PERSON: Final = "deleted-person"


@dataclass(frozen=True, slots=True)
class PersonSummary:
    """What the store holds of a person: rows by table, in each space by its name."""

    user: str
    names: tuple[str, ...]
    spaces: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: Teams and organisations, like ``team platform``.
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonDeleted:
    """What was deleted of a person, and where something of it may still lie."""

    user: str
    memories: int = 0
    events: int = 0
    streams: int = 0
    rows: int = 0
    #: Memories of others that were built on it: rewritten without its words, or deleted.
    rewritten: int = 0
    derived_deleted: int = 0
    #: Spaces that were this person's alone, deleted as wholes.
    spaces: tuple[str, ...] = ()
    #: Where traces may be left, in words: copies, backups, a server's files.
    left: tuple[str, ...] = ()
