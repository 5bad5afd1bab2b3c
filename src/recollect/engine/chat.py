"""Personal memory API: what an assistant remembers for a person, and the person's choices.

``memory.chat`` belongs to one viewer in one space. Every verb that changes something writes a row
of the audit log and returns an id with which ``undo`` reverts it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from recollect.chat.answers.answer_finder import AnswerFinder
from recollect.chat.entries.control import Control
from recollect.chat.entries.entry_writer import EntryWriter, NewEntryText
from recollect.chat.entries.quarantine import Quarantine
from recollect.chat.entries.shares import Sharing
from recollect.chat.entries.undo import Undo
from recollect.chat.incoming_messages import ASSISTANT, USER
from recollect.chat.listener import Listener
from recollect.chat.spoken_commands import SpokenCommands
from recollect.chat.summary import summarise
from recollect.engine.verb_wrappers import repeatable
from recollect.memories.drafts import names
from recollect.memories.reader import MemoryReader
from recollect.recall.citations import named_in
from recollect.recall.usage_log import UsageLog
from recollect.trust.secrets import safe_name
from recollect.vocabulary.arguments import (
    EVENT_LIMIT,
    checked_name,
    checked_text,
    choice,
    flag,
    shown,
)
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
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
from recollect.vocabulary.uses import Channel, Usage

_MAX_CITED: Final = 20  # maximum number of ids looked up in one message


@dataclass(frozen=True, slots=True)
class ChatServices:
    """Services of personal memory, wired by ``composition``."""

    keeper: EntryWriter
    control: Control
    undo: Undo
    saying: SpokenCommands
    quarantine: Quarantine
    sharing: Sharing
    listener: Listener
    answer_finder: AnswerFinder


class Chat:
    """The API of one person's memory in one space."""

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
        """Store something a person said. A repeat strengthens the entry; a contradiction asks.

        ``manually_saved`` says that the person asked for it; ``speaker`` is ``user`` or another
        author (an assistant that repeats what it recalled teaches nothing new); ``anyway`` stores
        it even if the person had something similar forgotten within the last day.
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
        """Process one message of a conversation: store what is lasting, and report what was done.

        ``at`` is when it was said (default: now); with it, the same message sent twice is stored
        once. ``speaker`` is ``user`` or ``assistant``, whose words make no entries. ``tags`` name
        the person it is about, where one viewer stores for several people: new entries have them,
        and only entries that have them are merged or replaced.
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
        """The memories that an assistant's message cites by their ids."""
        found = []
        for named in named_in(words)[:_MAX_CITED]:
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
        """Answer a question from the entries, or from own messages that made none.

        ``known`` is False when nothing holds the answer. With ``at``, what was told later does not
        count. An answer that is known is put in the log of questions, where ``feedback`` finds it
        by its ``id``; one that nobody asked for in words of their own (``explicit=False``) is not.
        """
        asked_for = flag(explicit, "explicit")
        found = self._services.answer_finder.ask(
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
        return replace(found, id=self._log_answer(question, rests_on, found.events))

    def _log_answer(
        self, question: str, entries: Sequence[str], events: Sequence[str]
    ) -> str | None:
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
        """Summary of the memory for a person to read: by topic, pinned entries first."""
        kept: list[Entry] = []
        cursor: str | None = None
        while True:
            page = self.entries(cursor=cursor, limit=1_000)
            kept += page.items
            cursor = page.next_cursor
            if cursor is None:
                return summarise(kept)

    def pin(self, memory_id: str, pinned: bool = True, *, session: str | None = None) -> Entry:
        """Protect an entry from being trimmed; or, with ``pinned=False``, stop protecting it."""
        entry, _ = self._services.control.pin(
            self._viewer,
            self._space,
            memory_id,
            pinned=flag(pinned, "pinned"),
            session=_session(session),
        )
        return entry

    def forget(self, *memory_ids: str, session: str | None = None) -> Forgotten:
        """Erase entries permanently, and learn nothing similar for 24 hours.

        The text is removed from the rows, the index, the journal and the file; ``traces`` says what
        may remain if the store is a server. ``undo`` is a code that restores them for a quarter of
        an hour, from any process; it contains the only key.
        """
        return self._services.control.forget(
            self._viewer, self._space, names(memory_ids, "memory id"), session=_session(session)
        )

    @repeatable
    def settings(self) -> MemorySettings:
        """The person's settings here: memory on or off, incognito, the cap, retention."""
        return self._services.control.settings(self._viewer, self._space)

    def set(self, **changes: Any) -> MemorySettings:
        """Change settings: memory_enabled, incognito_default, soft_cap, retention_days."""
        settings, _ = self._services.control.set(self._viewer, self._space, **changes)
        return settings

    def incognito(self, session: str, on: bool | None = None) -> bool:
        """Begin (True) or end (False) incognito for a session, or ask (None) whether it is.

        During it nothing is written and nothing is recalled for that session.
        """
        if on is None:
            return self._services.control.is_incognito(self._viewer, self._space, session)
        now, _ = self._services.control.incognito(
            self._viewer, self._space, session, on=flag(on, "on")
        )
        return now

    def say(self, text: str, *, session: str | None = None) -> Said:
        """Execute a memory command in a person's own words, in English or French.

        The intent is ``none`` if the text is not a command; then nothing is done.
        """
        said = self._services.saying.say(self._viewer, self._space, text, _session(session))
        if said.intent is Intent.ASK and said.done and said.subjects:
            self._log_answer(text, said.subjects, ())
        return said

    def undo(self, code: str) -> str:
        """Revert the action of an ``undo`` code; a sentence that says what was reverted."""
        return self._services.undo.undo(self._viewer, self._space, code).sentence

    @repeatable
    def questions(self) -> tuple[Question, ...]:
        """Contradictions that the person was asked about and has not resolved, newest first."""
        return self._services.control.questions(self._viewer, self._space)

    def answer(self, question_id: str, replaces: bool) -> Question:
        """Resolve a contradiction: the newer entry replaces the older, or both are kept."""
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
        """Texts quarantined because they read like instructions hidden in content."""
        return self._services.quarantine.page(self._viewer, self._space, cursor=cursor, limit=limit)

    @repeatable
    def suspect_events(self, *, cursor: str | None = None, limit: int = 50) -> Page[Suspect]:
        """Outside events that can be read in their stream but not searched.

        They read like instructions. ``get_event`` shows one whole.
        """
        return self._services.quarantine.events(
            self._viewer, self._space, cursor=cursor, limit=limit
        )

    def release(self, suspect_id: str) -> Memory:
        """Store a quarantined text after all. Its mark stays with it."""
        return self._services.quarantine.release(self._viewer, self._space, suspect_id)

    def reject(self, suspect_id: str) -> None:
        """Delete a quarantined text."""
        self._services.quarantine.reject(self._viewer, self._space, suspect_id)

    def share(self, tag: str, into: Space) -> Share:
        """Let entries with a tag be found in another space of the person too."""
        return self._services.sharing.share(self._viewer, self._space, tag, into)

    def unshare(self, tag: str, into: Space) -> bool:
        """Stop sharing a tag; whether it was shared."""
        return self._services.sharing.unshare(self._viewer, self._space, tag, into)

    @repeatable
    def shares(self) -> tuple[Share, ...]:
        """The person's shares out of this space."""
        return self._services.sharing.shares(self._viewer, self._space)


def _session(session: str | None) -> str | None:
    return None if session is None else safe_name(session, "session")
