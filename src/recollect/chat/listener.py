"""Listens to a conversation: one message in, and back what was done with each of its sentences.

The message is kept once as an event of the person's own; each lasting statement becomes an entry
that points at it. What changes something known takes its place, and everything else is skipped with
its reason. Nothing is kept where memory is off or the session is incognito.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Final

from recollect.chat.entry_writer import EntryWriter, NewEntryText
from recollect.chat.speech_acts import SpeechAct
from recollect.chat.statements import Statement, statements_of
from recollect.chat.updates import corrected, is_correction, may_change, verdict
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads
from recollect.trust.switches import closed
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Quarantined, SecretRefused
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.personal import Heard, HeardStatement, Outcome
from recollect.vocabulary.spaces import Role, Space

USER: Final = "user"
ASSISTANT: Final = "assistant"
_STREAM: Final = "chat of"
_CORRECTED_WITHIN: Final = timedelta(hours=1)
_KNOWN: Final = 200
_WHY: Final = {
    SpeechAct.QUESTION: "It is a question.",
    SpeechAct.REQUEST: "It asks for something once.",
    SpeechAct.CHATTER: "It tells nothing lasting.",
    SpeechAct.HYPOTHETICAL: "It is only imagined.",
    SpeechAct.QUOTATION: "These are somebody else's words.",
    SpeechAct.PASTED: "It was pasted in.",
}


class Listener:
    """Hears messages."""

    def __init__(
        self,
        database: Database,
        *,
        keeper: EntryWriter,
        events: Events,
        streams: Streams,
        clock: Clock,
    ) -> None:
        self._database = database
        self._keeper = keeper
        self._events = events
        self._streams = streams
        self._clock = clock

    def hear(
        self,
        viewer: Viewer,
        space: Space,
        text: str,
        *,
        at: datetime | None,
        speaker: str,
        session: str | None,
        whose: tuple[str, ...] = (),
        extras: Mapping[str, str] | None = None,
    ) -> Heard:
        """Take one message in; with ``whose``, of somebody whom these tags name."""
        why = self._closed(viewer, space, session)
        if why is not None:
            return Heard(None, reason=f"Nothing was kept: {why}.")
        if not text.strip():
            return Heard(None, reason="Nothing was said.")
        said_at = self._clock() if at is None else at
        message = _Message(
            viewer,
            space,
            text,
            said_at,
            session,
            speaker=speaker,
            dated=at is not None,
            whose=whose,
            extras=extras or {},
        )
        event_id = self._record(message)
        if speaker != USER:
            return Heard(event_id, reason="The assistant's words are not kept as entries.")
        message = replace(message, event_id=event_id)
        found = statements_of(text, said_at.date())
        if is_correction(text):
            done = self._correct(message, found)
            if done is not None:
                return Heard(event_id, done)
        return Heard(event_id, tuple(self._one(message, one) for one in found))

    # --- each sentence ----------------------------------------------------------------------------

    def _one(self, message: "_Message", said: Statement) -> HeardStatement:
        if not said.lasts:
            return HeardStatement(said.text, said.act.value, Outcome.SKIPPED, _WHY[said.act])
        if message.has(self._pointing(message), said.text):
            reason = "This message was heard before."
            return HeardStatement(said.text, said.act.value, Outcome.SKIPPED, reason)
        replaces = contradicts = None
        if may_change(said.text):
            changed = verdict(said.text, self._known(message))
            if changed is not None:
                replaces = changed.old_id if changed.at_once else None
                contradicts = None if changed.at_once else changed.old_id
        return self._keep(message, said, (), replaces=replaces, contradicts=contradicts)

    def _correct(
        self, message: "_Message", found: list[Statement]
    ) -> tuple[HeardStatement, ...] | None:
        """Exchange a value in what was said just before; None when nothing there fits."""
        for old in self._just_before(message):
            words = corrected(old.content, message.text)
            if words is None:
                continue
            if message.has(self._pointing(message), words):
                return ()
            said = Statement(words, SpeechAct.STATEMENT)
            kept = self._keep(message, said, old.provenance.events, replaces=old.id)
            skipped = [
                HeardStatement(one.text, one.act.value, Outcome.SKIPPED, "It was a correction.")
                for one in found
            ]
            return (kept, *skipped)
        return None

    def _keep(
        self,
        message: "_Message",
        said: Statement,
        earlier: tuple[str, ...],
        *,
        replaces: str | None = None,
        contradicts: str | None = None,
    ) -> HeardStatement:
        telling = NewEntryText(
            said.text,
            session=message.session,
            events=(message.event_id, *(one for one in earlier if one != message.event_id)),
            kind=_kind(message, said),
            since=min(message.at, self._clock()),
            replaces=replaces,
            contradicts=contradicts,
            whose=message.whose,
            extras=message.extras,
        )
        try:
            kept = self._keeper.add(message.viewer, message.space, telling)
        except SecretRefused:
            return HeardStatement(
                "", said.act.value, Outcome.NOT_KEPT, "It holds what looks like a secret."
            )
        except Quarantined as error:
            return HeardStatement(said.text, said.act.value, Outcome.NOT_KEPT, error.message)
        return HeardStatement(
            said.text,
            said.act.value,
            kept.outcome,
            kept.reason,
            kept.entry,
            replaces if kept.outcome is Outcome.REPLACED else None,
            kept.question,
            kept.undo,
        )

    # --- what is there ----------------------------------------------------------------------------

    def _known(self, message: "_Message") -> dict[str, str]:
        """The person's entries that were told before this message, the newest first."""
        with self._database.reading() as transaction:
            found = _entries(transaction, authorise(transaction, message.viewer, message.space))
        before = [one for one in found if message.may_change(one)]
        return {one.id: one.content for one in before}

    def _just_before(self, message: "_Message") -> list[Memory]:
        """What this person told within the last hour, the newest first."""
        with self._database.reading() as transaction:
            found = _entries(transaction, authorise(transaction, message.viewer, message.space))
        said_at = min(message.at, self._clock())
        return [
            one
            for one in found
            if abs(said_at - one.valid_from) <= _CORRECTED_WITHIN
            and message.may_change(one)
        ]

    def _pointing(self, message: "_Message") -> list[Memory]:
        with self._database.reading() as transaction:
            access = authorise(transaction, message.viewer, message.space)
            return reads.pointing_at(transaction, access, message.event_id)

    def _closed(self, viewer: Viewer, space: Space, session: str | None) -> str | None:
        with self._database.reading() as transaction:
            access = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "keep memories"
            )
            return closed(transaction, access, session)

    def _record(self, message: "_Message") -> str:
        """Keep the message once as an event of the person's own; the same one is not kept twice."""
        viewer, space, speaker = message.viewer, message.space, message.speaker
        name = f"{_STREAM} {viewer.user}"
        home, _ = self._streams.planned(viewer, space, name, kind="chat", access="private")
        named = f"{speaker}\n{message.at.isoformat()}\n{message.text}"
        new = NewEvent(
            message.text,
            author=None if speaker == USER else ASSISTANT,
            occurred_at=message.at,
            payload={"role": speaker},
            external_id=blake2b(named.encode("utf-8", "replace"), digest_size=16).hexdigest()
            if message.dated
            else None,
        )
        (event,) = self._events.record(viewer, space, home, [new], programs=(ASSISTANT,))
        return event.id


@dataclass(frozen=True, slots=True)
class _Message:
    """One message on its way."""

    viewer: Viewer
    space: Space
    text: str
    at: datetime
    session: str | None
    event_id: str = ""
    speaker: str = USER
    dated: bool = False  # whether its teller says when it was said
    whose: tuple[str, ...] = ()  # tags that name whom it is of, where one viewer speaks for many
    extras: Mapping[str, str] = field(default_factory=dict)

    def may_change(self, one: Memory) -> bool:
        """Whether an entry was told before it, by the same person."""
        return self.event_id not in one.provenance.events and set(self.whose) <= set(one.tags)

    @staticmethod
    def has(pointing: list[Memory], words: str) -> bool:
        """Whether an entry that points at the message holds these words already."""
        return any(one.content == words for one in pointing)


def _kind(message: _Message, said: Statement) -> MemoryType | None:
    if message.extras:  # only facts have a key and a value beside them
        return MemoryType.FACT
    return MemoryType.PREFERENCE if said.act is SpeechAct.PREFERENCE else None


def _entries(transaction: Transaction, access: Access) -> list[Memory]:
    ids = entries.list_entries(
        transaction, access, before=None, limit=_KNOWN, pinned=None, manually_saved=None
    )
    found = reads.get_memories(transaction, access, ids)
    known = [found[one] for one in ids if one in found]
    return sorted(known, key=lambda one: one.valid_from, reverse=True)
