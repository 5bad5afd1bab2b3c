"""Data rights of a person: summary and deletion of their data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

#: Replacement for the name of a deleted person. Nobody can have this name.
DELETED_PERSON: Final = "deleted-person"


@dataclass(frozen=True, slots=True)
class PersonSummary:
    """A person's rows in the store, by table, in each space by its name."""

    user: str
    names: tuple[str, ...]
    spaces: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: Teams and organisations, like ``team platform``.
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonDeleted:
    """Report of deleting a person's data, and where traces may remain."""

    user: str
    memories: int = 0
    events: int = 0
    streams: int = 0
    rows: int = 0
    #: Memories of others that were derived from it: rewritten without its text, or deleted.
    rewritten: int = 0
    derived_deleted: int = 0
    #: Spaces that belonged to this person alone, deleted as a whole.
    spaces: tuple[str, ...] = ()
    #: Where traces may remain, in words: copies, backups, a server's files.
    left: tuple[str, ...] = ()
