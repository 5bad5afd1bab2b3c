"""Visibility: who may see an item, decided once when it is created, and never changed.

An *audience* is that decision as a value. A *viewer* is the person or agent who asks. An *access*
is the viewer resolved in one space, with what the store knows of them there; only the authorisation
function creates one, and every read requires one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final

from recollect.vocabulary.arguments import checked_name
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.rights import DELETED_PERSON
from recollect.vocabulary.spaces import AT_LEAST, Role

_LONGEST_CLIENT: Final = 80


class Visibility(StrEnum):
    """How widely an item can be seen."""

    PERSONAL = "personal"
    PROJECT = "project"
    TEAM = "team"
    ORGANISATION = "organisation"
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class Audience:
    """The owner of an item and how widely it can be seen."""

    owner: str
    visibility: Visibility
    team: str | None = None
    organisation: str | None = None
    stream: str | None = None

    def __post_init__(self) -> None:
        wanted = _NEEDED.get(self.visibility)
        if wanted and getattr(self, wanted) is None:
            raise InvalidInput(f"Visibility {self.visibility.value!r} needs a {wanted}.")


_NEEDED = {
    Visibility.TEAM: "team",
    Visibility.ORGANISATION: "organisation",
    Visibility.STREAM: "stream",
}

#: An audience made before: most items of a space have one of a few, and all of them share it.
shared_audience: Final = lru_cache(1_024)(Audience)


@dataclass(frozen=True, slots=True)
class Viewer:
    """The one who asks: a person, or an agent on a person's behalf.

    Who came with an access token sees the spaces that it ``opens`` and no others, and has at most
    the role there that the token has. ``client`` is the program that asks for them, for the log of
    what was served: it decides nothing, and the same person is the same viewer with every program.
    """

    user: str
    teams: frozenset[str] = field(default_factory=frozenset)
    organisations: frozenset[str] = field(default_factory=frozenset)
    opens: frozenset[tuple[str, Role]] | None = None
    token: str | None = None
    client: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.user, "user")
        if self.client is not None:
            checked_name(self.client, "client")
        if self.user == DELETED_PERSON:
            raise InvalidInput(f"Nobody can be called {DELETED_PERSON!r}.")
        for what, names in (("team", self.teams), ("organisation", self.organisations)):
            for name in names:
                checked_name(name, what)

    def enters(self, space_id: str) -> bool:
        """Whether the viewer may enter a space at all."""
        return self.opens is None or any(space == space_id for space, _ in self.opens)

    def limited(self, space_id: str, role: Role | None) -> Role | None:
        """A role in a space, limited to the role of the viewer's token."""
        if self.opens is None or role is None:
            return role
        most = next((most for space, most in self.opens if space == space_id), None)
        return role if most in AT_LEAST[role] else most


@lru_cache(256)  # asked with every request
def client_name(surface: str, program: str = "") -> str:
    """How a client stands in the log: the surface it came by, and what it calls itself.

    >>> client_name("mcp", "claude-code")
    'mcp/claude-code'
    """
    said = "".join(one for one in program[:_LONGEST_CLIENT] if one.isalnum() or one in " ._-")
    said = " ".join(said.split())
    return f"{surface}/{said}" if said else surface


def viewer_of(user: str, teams: Iterable[str], organisations: Iterable[str]) -> Viewer:
    """A viewer from a caller's arguments; a single string is not split into letters."""
    for what, names in (("teams", teams), ("organisations", organisations)):
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidInput(f"Give {what} as a list of names.")
    return Viewer(user, frozenset(teams), frozenset(organisations))


@dataclass(frozen=True, slots=True)
class Access:
    """A viewer in one space: every read is filtered by it."""

    space_id: str
    viewer: Viewer
    role: Role | None
    remembers: bool = True  # unless the person switched memory off here
    has_incognito_sessions: bool = False  # whether some of their sessions are incognito
    forgot: bool = True  # False: no recent forgetting blocks new memories
    code_indexed: bool = True  # False: no code of the space is indexed, or none that they may see

    @property
    def member(self) -> bool:
        """Whether the viewer is a member of the space, and so sees what is shared in it."""
        return self.role is not None
