"""Personal memory's verbs: what an assistant keeps for a person, and what the person decides.

``memory.chat`` belongs to one viewer in one space. Every verb that changes something writes a row
of the audit log and gives back an id by which ``undo`` takes it back.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from recollect.chat.asking import Asking
from recollect.chat.control import Control
from recollect.chat.entry_writer import EntryWriter, NewEntryText
from recollect.chat.incoming_messages import ASSISTANT, USER
from recollect.chat.listener import Listener
from recollect.chat.quarantine import Quarantine
from recollect.chat.shares import Sharing
from recollect.chat.spoken_commands import SpokenCommands
from recollect.chat.summary import summarise
from recollect.chat.undo import Undo
from recollect.engine.verb_wrappers import repeatable
from recollect.memories.drafts import names
from recollect.memories.reader import MemoryReader
from recollect.recall.citations import named_in
from recollect.recall.usage_log import UsageLog
from recollect.trust.secrets import safe_name
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.numbers import flag, shown
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.personal import (
    AuditEntry,
    ChatAnswer,
    Entry,
    Forgotten,
    Heard,
    Intent,
    Kept,
    MemorySettings,
    Question,
    Said,
    Share,
    Summary,
    Suspect,
)
from recollect.vocabulary.plain import plain
from recollect.vocabulary.retrievals import ServedItem
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.text import EVENT_LIMIT, checked_name, checked_text
from recollect.vocabulary.uses import Channel, Usage

_MOST_CITED: Final = 20  # ids in one message that are looked up


@dataclass(frozen=True, slots=True)
class ChatServices:
    """The parts of personal memory, put together by ``wiring``."""

    keeper: EntryWriter
    control: Control
    undo: Undo
    saying: SpokenCommands
    quarantine: Quarantine
    sharing: Sharing
    listener: Listener
    asking: Asking


class Chat:
    """What may be done with one person's memory in one space."""

    def __init__(
        self,
        services: ChatServices,
        viewer: Viewer,
        space: Space,
        usage: UsageLog,
        reader: MemoryReader,
    ) -> None:
        self._services = services
        self._usage = usage
        self._reader = reader
        self._viewer = viewer
        self._space = space

    def add(
        self,
        text: str,
        *,
        tags: Iterable[str] = (),
        manually_saved: bool = False,
        pinned: bool = False,
        speaker: str = "user",
        source: str = Source.USER_TAUGHT,
        session: str | None = None,
        events: Iterable[str] = (),
        anyway: bool = False,
    ) -> Kept:
        """Keep something a person said. A repeat raises what it repeats; a contradiction asks.

        ``manually_saved`` says that the person asked for it; ``speaker`` is ``user`` or whoever
        else said it (an assistant that repeats what it recalled teaches nothing new); ``anyway``
        keeps it even if the person had something like it forgotten within the last day.
        """
        telling = NewEntryText(
            text,
            tags=names(tags, "tag"),
            manually_saved=flag(manually_saved, "manually_saved"),
            pinned=flag(pinned, "pinned"),
            speaker=checked_name(speaker, "speaker"),
            source=choice(Source, source, "source").value,
            session=_session(session),
            events=names(events, "event id"),
            anyway=flag(anyway, "anyway"),
        )
        return self._services.keeper.add(self._viewer, self._space, telling)

    def hear(
        self,
        text: str,
        *,
        at: datetime | None = None,
        speaker: str = USER,
        session: str | None = None,
        tags: Iterable[str] = (),
        extras: Mapping[str, str] | None = None,
    ) -> Heard:
        """Listen to one message of a conversation: keep what lasts, and say what was done.

        ``at`` is when it was said (now otherwise); with it, the same message heard twice is kept
        once. ``speaker`` is ``user`` or ``assistant``, whose words make no entries. ``tags`` name
        whom it is of, where one viewer keeps for several people: what is kept has them, and only
        what has them is merged or replaced.
        """
        if speaker not in (USER, ASSISTANT):
            raise InvalidInput(f"A speaker is {USER!r} or {ASSISTANT!r}, not {shown(speaker)}.")
        heard = self._services.listener.hear(
            self._viewer,
            self._space,
            checked_text(text, "message", EVENT_LIMIT),
            at=None if at is None else aware(at, "at"),
            speaker=speaker,
            session=_session(session),
            whose=names(tags, "tag"),
            extras=extras,
        )
        if speaker == ASSISTANT and heard.event_id is not None:
            self._note(self._cited(text), Usage.CITED)
        return heard

    def _cited(self, words: str) -> list[str]:
        """The memories that an assistant's words cite by their ids."""
        found = []
        for named in named_in(words)[:_MOST_CITED]:
            with suppress(RecollectError):
                who = (self._viewer, self._space)
                complete = self._reader.complete_id(*who, named)
                found.append(self._reader.get(*who, complete, None).id)
        return found

    def _note(self, ids: Sequence[str], usage: Usage) -> None:
        self._usage.used(self._space, ids, Channel.CHAT, usage)

    @repeatable
    def ask(
        self,
        question: str,
        *,
        at: datetime | None = None,
        session: str | None = None,
        explicit: bool = True,
    ) -> ChatAnswer:
        """Answer a question from the entries, or from messages of one's own that made none: one
        sentence with its date and its source.

        ``known`` is False when nothing holds the answer. With ``at``, what was told later does not
        count. An answer that is known is put in the log of questions, where ``feedback`` finds it
        by its ``id``; one that nobody asked for in words of their own (``explicit=False``) is not.
        """
        asked_for = flag(explicit, "explicit")
        found = self._services.asking.ask(
            self._viewer,
            self._space,
            checked_text(question, "question", EVENT_LIMIT),
            at=None if at is None else aware(at, "at"),
            session=_session(session),
        )
        if not found.known:
            return found
        rests_on = [found.entry_id] if found.entry_id is not None else []
        if not asked_for:
            self._note(rests_on, Usage.SERVED)
            return found
        return replace(found, id=self._gave(question, rests_on, found.events))

    def _gave(self, question: str, entries: Sequence[str], events: Sequence[str]) -> str | None:
        """Put an answer in the log; its id there."""
        kept = [ServedItem(one, "memory", 1.0) for one in entries]
        kept += [ServedItem(one, "event", 1.0) for one in events if not entries]
        return self._usage.gave(self._viewer, self._space, question, kept)

    @repeatable
    def entries(
        self,
        *,
        cursor: str | None = None,
        limit: int = 50,
        pinned: bool | None = None,
        manually_saved: bool | None = None,
    ) -> Page[Entry]:
        """The person's entries, newest first, a page at a time."""
        return self._services.control.page(
            self._viewer,
            self._space,
            cursor=cursor,
            limit=limit,
            pinned=pinned,
            manually_saved=manually_saved,
        )

    @repeatable
    def entry(self, memory_id: str) -> Entry:
        """One entry."""
        return self._services.control.get(self._viewer, self._space, memory_id)

    @repeatable
    def summary(self) -> Summary:
        """What is remembered, for a person to read: by topic, what is pinned first."""
        kept: list[Entry] = []
        cursor: str | None = None
        while True:
            page = self.entries(cursor=cursor, limit=1_000)
            kept += page.items
            cursor = page.next_cursor
            if cursor is None:
                return summarise(kept)

    def pin(self, memory_id: str, pinned: bool = True, *, session: str | None = None) -> Entry:
        """Keep an entry from ever being trimmed; or, with ``pinned=False``, let it go again."""
        entry, _ = self._services.control.pin(
            self._viewer,
            self._space,
            memory_id,
            pinned=flag(pinned, "pinned"),
            session=_session(session),
        )
        return entry

    def forget(self, *memory_ids: str, session: str | None = None) -> Forgotten:
        """Erase entries for good, and learn nothing near them for 24 hours.

        The words leave the rows, the index, the journal and the file; ``traces`` says what may be
        left where the store is a server. ``undo`` is a code that brings them back for a quarter of
        an hour, from any process; it holds the only key.
        """
        return self._services.control.forget(
            self._viewer, self._space, names(memory_ids, "memory id"), session=_session(session)
        )

    @repeatable
    def settings(self) -> MemorySettings:
        """What the person decided here: memory on or off, incognito, the cap, retention."""
        return self._services.control.settings(self._viewer, self._space)

    def set(self, **changes: Any) -> MemorySettings:
        """Change settings: memory_enabled, incognito_default, soft_cap, retention_days."""
        settings, _ = self._services.control.set(self._viewer, self._space, **changes)
        return settings

    def incognito(self, session: str, on: bool | None = None) -> bool:
        """Begin (True) or end (False) incognito for a session, or ask (None) whether it is.

        While it lasts nothing is written and nothing is recalled for that session.
        """
        if on is None:
            return self._services.control.is_incognito(self._viewer, self._space, session)
        now, _ = self._services.control.incognito(
            self._viewer, self._space, session, on=flag(on, "on")
        )
        return now

    def say(self, text: str, *, session: str | None = None) -> Said:
        """Do what a person asks of their memory in their own words, in English or French.

        The intent is ``none`` when the text asks nothing of the memory; nothing is done then.
        """
        said = self._services.saying.say(self._viewer, self._space, text, _session(session))
        if said.intent is Intent.ASK and said.done and said.subjects:
            self._gave(text, said.subjects, ())
        return said

    def undo(self, code: str) -> str:
        """Take back what an action's ``undo`` names; a sentence that says what."""
        return self._services.undo.undo(self._viewer, self._space, code).sentence

    @repeatable
    def questions(self) -> tuple[Question, ...]:
        """Contradictions that the person was asked about and has not settled, newest first."""
        return self._services.control.questions(self._viewer, self._space)

    def answer(self, question_id: str, replaces: bool) -> Question:
        """Settle a contradiction: the newer entry replaces the older, or both stand."""
        question, _ = self._services.control.answer(
            self._viewer, self._space, question_id, replaces=flag(replaces, "replaces")
        )
        return question

    @repeatable
    def audit(self, *, cursor: str | None = None, limit: int = 50) -> Page[AuditEntry]:
        """Everything the person did to their memory here, newest first, a page at a time."""
        return self._services.control.audit(self._viewer, self._space, cursor=cursor, limit=limit)

    def export_audit(self) -> Iterator[str]:
        """The whole audit log as lines of JSON, newest first."""
        cursor: str | None = None
        while True:
            page = self.audit(cursor=cursor, limit=1_000)
            for entry in page.items:
                yield json.dumps(plain(entry), ensure_ascii=False) + "\n"
            cursor = page.next_cursor
            if cursor is None:
                return

    @repeatable
    def suspects(self, *, cursor: str | None = None, limit: int = 50) -> Page[Suspect]:
        """Texts that were set aside because they read like orders hidden in content."""
        return self._services.quarantine.page(self._viewer, self._space, cursor=cursor, limit=limit)

    @repeatable
    def suspect_events(self, *, cursor: str | None = None, limit: int = 50) -> Page[Suspect]:
        """Events from outside that are kept and read in their stream, but not found by search,
        because they read like orders. ``get_event`` shows one whole."""
        return self._services.quarantine.events(
            self._viewer, self._space, cursor=cursor, limit=limit
        )

    def release(self, suspect_id: str) -> Memory:
        """Keep a text that was set aside after all. Its mark stays with it."""
        return self._services.quarantine.release(self._viewer, self._space, suspect_id)

    def reject(self, suspect_id: str) -> None:
        """Throw a text away that was set aside."""
        self._services.quarantine.reject(self._viewer, self._space, suspect_id)

    def share(self, tag: str, into: Space) -> Share:
        """Let entries with a tag be found in another space of the person's too."""
        return self._services.sharing.share(self._viewer, self._space, tag, into)

    def unshare(self, tag: str, into: Space) -> bool:
        """Share a tag no longer; whether it was shared."""
        return self._services.sharing.unshare(self._viewer, self._space, tag, into)

    @repeatable
    def shares(self) -> tuple[Share, ...]:
        """What the person shares out of this space."""
        return self._services.sharing.shares(self._viewer, self._space)


def _session(session: str | None) -> str | None:
    return None if session is None else safe_name(session, "session")
