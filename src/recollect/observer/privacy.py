"""Privacy limits of a session: incognito leaves no traces, private only for readers of its page.

Paths, pairs and counts belong to the whole space, so a session that is not visible to all adds
none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from recollect.storage.database import Transaction
from recollect.storage.pages.streams import find_stream, private_stream
from recollect.trust.authorisation import closed
from recollect.vocabulary.audiences import Access, Visibility

#: Agents whose sessions have pages named after them.
_AGENTS: Final = ("claude-code", "codex", "cursor", "swe-agent", "acts", "agent")


@dataclass(frozen=True, slots=True)
class Discretion:
    """Privacy limits of a session's traces."""

    silent: str | None = None  # reason why nothing is kept
    stream: str | None = None  # page whose readers alone may see the traces

    @property
    def shares(self) -> bool:
        """Whether the session may contribute to the figures of all sessions."""
        return self.silent is None and self.stream is None

    @property
    def fields(self) -> dict[str, Any]:
        """Audience fields of a memory's draft."""
        if self.stream is None:
            return {}
        return {"visibility": Visibility.STREAM.value, "stream": self.stream}


def discretion_of(
    transaction: Transaction, access: Access, session: str, page: str | None = None
) -> Discretion:
    """Privacy limits of a session, by its own name or by its page's."""
    why = silence_of(transaction, access, session, page)
    return Discretion(why, private_stream(transaction, access, _names(session, page)))


def silence_of(
    transaction: Transaction, access: Access, session: str, page: str | None = None
) -> str | None:
    """Reason why nothing of a session may be kept; None if it may."""
    names = _names(session, page)
    return next((why for name in names if (why := closed(transaction, access, name))), None)


def page_of(transaction: Transaction, access: Access, session: str) -> str | None:
    """Id of the page to which a session's transcript was imported."""
    for name in _names(session, None)[1:]:
        found = find_stream(transaction, access, name=name)
        if found is not None:
            return found.id
    return None


def _names(session: str, page: str | None) -> Sequence[str]:
    pages = (page,) if page else tuple(f"{agent} {session}"[:200] for agent in _AGENTS)
    return (session, *pages)
