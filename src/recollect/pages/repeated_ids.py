"""Recognises an event of a source by its id there when it comes again with another time or text.

The id of an event is made of its time and of a digest of its stream and its id in the source, so
one that comes with a corrected time has another id with the same digest. With the same words it is
the event that came before; with other words both are kept, because some programs count from one
again. Either way it is reported.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from recollect.pages.formats import Problems, Record
from recollect.pages.prepared import PreparedEvent
from recollect.vocabulary.ids import digest_of

#: How many of the latest ids of a source are held in memory.
IDS_KEPT: Final = 100_000
_SAME: Final = "its id {} came before with another time; the first is kept"
_OTHER_TEXT: Final = "its id {} came before with another text; the first is kept"
_OTHER: Final = "its id {} came before with another time and text; both are kept"
_SHOWN: Final = 40
#: How many events of one id are compared: a program may give all of its events the same.
_EVENTS_KEPT: Final = 1_000


class KnownEvent(NamedTuple):
    """What is compared of an event that came before."""

    id: str
    author: str
    text: str
    deleted: bool = False


#: The stored events of a stream whose ids have one of these digests.
Stored = Callable[[str, Sequence[str]], Sequence[KnownEvent]]


#: The one event with an id, by its stored id and its words: nearly all ids come once.
_Once = tuple[str, int]


class _Before:
    """The events with one id in the source, by their stored id and by their words."""

    def __init__(self) -> None:
        self.by_id: dict[str, tuple[str, int | None]] = {}
        self.by_words: dict[int, str] = {}
        self.deleted: str | None = None

    def add(self, own_id: str, kept_id: str, words: int | None) -> None:
        """Note an event: its own id, the id that it is kept under, and its words if compared."""
        if len(self.by_id) < _EVENTS_KEPT:
            self.by_id[own_id] = kept_id, words
            if words is not None:
                self.by_words.setdefault(words, kept_id)


class RepeatedIds:
    """The ids one import has seen. ``stored`` is asked about streams that were there before it."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._young: dict[str, _Before | _Once] = {}
        self._old: dict[str, _Before | _Once] = {}

    def resolve(
        self,
        events: Sequence[PreparedEvent],
        records: Sequence[Record],
        existing: Sequence[str],
        problems: Problems,
    ) -> list[PreparedEvent]:
        """The events, those that came before under the id that they had then.

        ``existing`` are the streams that were there before the import.
        """
        named = [place for place, record in enumerate(records) if record.has_id]
        resolved = list(events)
        if not named:
            return resolved
        stored = self._stored_ones([events[place] for place in named], existing)
        for place in named:
            event, record = events[place], records[place]
            kept_id, why = self._compared(event, stored)
            if why:
                shown = repr(record.external_id[:_SHOWN])
                problems.add_repeated_id(record.place, why.format(shown))
            if kept_id != event.id:
                resolved[place] = event._replace(id=kept_id)
        return resolved

    def _compared(
        self, event: PreparedEvent, stored: Mapping[str, Sequence[KnownEvent]]
    ) -> tuple[str, str | None]:
        """The id under which an event is kept, and what is reported of it."""
        digest, words = digest_of(event.id), _words_of(event.author, event.text)
        if digest not in self._young and digest not in self._old and digest not in stored:
            self._keep(digest, (event.id, words))
            return event.id, None
        before = self._before(digest, stored.get(digest, ()))
        if event.id in before.by_id:
            kept_id, known = before.by_id[event.id]
            return kept_id, None if known in (None, words) else _OTHER_TEXT
        kept_id, why = event.id, None
        if before.by_id:
            same = before.by_words.get(words) or before.deleted
            kept_id, why = (same, _SAME) if same else (event.id, _OTHER)
        before.add(event.id, kept_id, words)
        return kept_id, why

    def _before(self, digest: str, stored: Sequence[KnownEvent]) -> _Before:
        found = self._young.get(digest) or self._old.get(digest)
        if isinstance(found, _Before):
            return found
        before = _Before()
        if found is not None:
            own_id, words = found
            before.add(own_id, own_id, words)
        for one in stored:  # the text may have been edited here since: it is not compared
            before.add(one.id, one.id, None)
            before.by_words.setdefault(_words_of(one.author, one.text), one.id)
            before.deleted = one.id if one.deleted else before.deleted
        self._keep(digest, before)
        return before

    def _keep(self, digest: str, before: _Before | _Once) -> None:
        if len(self._young) >= IDS_KEPT // 2:
            self._old, self._young = self._young, {}
        self._young[digest] = before

    def _stored_ones(
        self, events: Sequence[PreparedEvent], existing: Sequence[str]
    ) -> dict[str, list[KnownEvent]]:
        """The stored events with the digests of these, by digest."""
        found: dict[str, list[KnownEvent]] = {}
        in_order = sorted(events, key=lambda one: one.stream_id)
        for stream, some in groupby(in_order, key=lambda one: one.stream_id):
            digests = {digest_of(one.id) for one in some} if stream in existing else set()
            unknown = sorted(digests - self._young.keys() - self._old.keys())
            for one in self._stored(stream, unknown) if unknown else ():
                found.setdefault(digest_of(one.id), []).append(one)
        return found


def _words_of(author: str, text: str) -> int:
    return hash((author, text))
