"""How far a session's traces may go: nowhere when it is incognito, to its page when it is private.

Paths, pairs and counts belong to the whole space, so a session that is not for all leaves none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from recollect.storage.database import Transaction
from recollect.storage.pages.streams import find_stream, private_stream
from recollect.trust.visibility import closed
from recollect.vocabulary.audiences import Access, Visibility

#: Whose sessions have pages that are named after them.
_AGENTS: Final = ("claude-code", "codex", "cursor", "swe-agent", "acts", "agent")


@dataclass(frozen=True, slots=True)
class Discretion:
    """What a session's traces may do."""

    silent: str | None = None  # why nothing is kept at all
    stream: str | None = None  # the page whose readers alone may know

    @property
    def shares(self) -> bool:
        """Whether the session may be seen in what all sessions come to."""
        return self.silent is None and self.stream is None

    @property
    def fields(self) -> dict[str, Any]:
        """What a memory's draft says of its readers."""
        if self.stream is None:
            return {}
        return {"visibility": Visibility.STREAM.value, "stream": self.stream}


def discretion_of(
    transaction: Transaction, access: Access, session: str, page: str | None = None
) -> Discretion:
    """How far a session's traces may go, by its own name or its page's."""
    why = silence_of(transaction, access, session, page)
    return Discretion(why, private_stream(transaction, access, _names(session, page)))


def silence_of(
    transaction: Transaction, access: Access, session: str, page: str | None = None
) -> str | None:
    """Why nothing of a session may be kept; None when it may."""
    names = _names(session, page)
    return next((why for name in names if (why := closed(transaction, access, name))), None)


def page_of(transaction: Transaction, access: Access, session: str) -> str | None:
    """The id of the page that a session's transcript was imported to."""
    for name in _names(session, None)[1:]:
        found = find_stream(transaction, access, name=name)
        if found is not None:
            return found.id
    return None


def _names(session: str, page: str | None) -> Sequence[str]:
    pages = (page,) if page else tuple(f"{agent} {session}"[:200] for agent in _AGENTS)
    return (session, *pages)
