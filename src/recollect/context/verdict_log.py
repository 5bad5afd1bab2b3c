"""Verdicts on sessions, as events of the sessions' pages: whoever holds a session reads them there.

A verdict may come from another process than the one that observes the session: from a command, a
server or a reviewer. Only readers of a page may say or read what is said of its session.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from recollect.observer.page_replay import VERDICT, verdict_of
from recollect.pages.events import Events
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.events import Event, EventKind, NewEvent
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream
from recollect.vocabulary.work_verdicts import WorkVerdict

_LISTED: Final = 500
_WORDS: Final = {
    WorkVerdict.QA_PASSED: "QA passed.",
    WorkVerdict.QA_FAILED: "QA failed.",
    WorkVerdict.ACCEPTED: "The work was accepted.",
}
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class VerdictLog:
    """Writes and reads the verdicts on sessions."""

    events: Events

    def add(
        self, who: tuple[Viewer, Space], stream: Stream, verdict: WorkVerdict, note: str = ""
    ) -> Event:
        """Write a verdict to a session's page."""
        said = f"{_WORDS[verdict]} {note}".strip()
        new = NewEvent(said, kind=EventKind.SYSTEM, payload={VERDICT: verdict.value})
        return self.events.record(*who, stream, [new])[0]

    def keep(self, who: tuple[Viewer, Space], stream: Stream, verdict: WorkVerdict) -> Event | None:
        """The same for a session that said it itself: where the store does not take it, the session
        still knows."""
        try:
            return self.add(who, stream, verdict)
        except RecollectError as error:
            _log.warning("A verdict on a session was not written: %s", error.message)
            return None

    def since(
        self, who: tuple[Viewer, Space], stream: Stream, known: Collection[str]
    ) -> list[tuple[str, WorkVerdict]]:
        """Verdicts on a session with their events, oldest first, without the known ones; none where
        the store does not answer."""
        found: list[tuple[str, WorkVerdict]] = []
        cursor: str | None = None
        try:
            while True:
                page = self.events.read(
                    *who, stream, cursor=cursor, limit=_LISTED, kind=EventKind.SYSTEM
                )
                for event in page.items:
                    verdict = verdict_of(event)
                    if verdict is not None and event.id not in known:
                        found.append((event.id, verdict))
                cursor = page.next_cursor
                if cursor is None:
                    return found
        except RecollectError as error:
            _log.warning("The verdicts on a session could not be read: %s", error.message)
            return []
