"""Daily maintenance of personal memory: roll-ups, retention, and clean-up of expired rows.

A roll-up summarises several old entries of low importance in one entry that points back at them,
and archives them; entries that are pinned or were saved by hand are never rolled up or erased.
Entries older than the person's retention are erased for good, with the person's own messages that
they came from. Expired tombstones, sessions and suspects are deleted.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from recollect.chat.entries.audit import note
from recollect.chat.entries.control import own_sources
from recollect.index.analyser import analyse
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import SUMMARY, Text
from recollect.jobs.handler import Write
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.entry_scores import scores
from recollect.memories.metadata import notice
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.pages.events import Events
from recollect.storage.access import quarantine
from recollect.storage.chat import personal_settings
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads, relations, tombstones
from recollect.storage.pages import spaces
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Access, Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import MemoryType, RelationType, Source
from recollect.vocabulary.spaces import Space

OLD: Final = timedelta(days=30)
SMALL: Final = 0.55
LEAST_OF_TOPIC: Final = 3
MAX_OF_TOPIC: Final = 20
SESSIONS_KEPT: Final = timedelta(days=90)
SUSPECTS_KEPT: Final = timedelta(days=90)
_WORDS: Final = 120


class ChatTidy:
    """The job handler of ``chat.tidy``."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        pages: Events,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._pages = pages
        self._database = database
        self._writer = writer
        self._tasks = tasks
        self._clock = clock

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Tidy each person's entries in transactions of their own; return the write of the system's
        rows.
        """
        ids = sorted({job.space_id for job in jobs})
        for space_id in ids:
            self.tidy(space_id)
        now = self._clock()

        def write(transaction: Transaction) -> None:
            for space_id in ids:
                tombstones.clear_tombstones(transaction, space_id, now)
                personal_settings.forget_sessions(transaction, space_id, now - SESSIONS_KEPT)
                quarantine.drop_suspects(transaction, space_id, now - SUSPECTS_KEPT)

        return write

    def tidy(self, space_id: str) -> int:
        """Roll up and erase entries in one space; return how many were archived or erased."""
        with self._database.reading(all_spaces=True) as transaction:
            space = spaces.space_of(transaction, space_id)
            people = entries.people_with_entries(transaction, space_id)
        if space is None:
            return 0
        return sum(self._roll_up(space, user) + self._erase_expired(space, user) for user in people)

    def _roll_up(self, space: Space, user: str) -> int:
        viewer = Viewer(user)
        now = self._clock()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            rows = [
                row
                for row in entries.trimmable(transaction, access)
                if row.importance < SMALL and row.created_at < now - OLD
            ]
            known = reads.get_memories(transaction, access, [row.memory_id for row in rows])
        count = 0
        for topic, group in _by_topic(rows, known).items():
            text = "\n".join(memory.content for memory in group)
            told = self._tasks.run(space.id, SUMMARY, Text(text, _WORDS)).value.summary
            count += self._put_together(viewer, space, group, topic=topic, told=told, now=now)
        return count

    def _put_together(
        self,
        viewer: Viewer,
        space: Space,
        group: Sequence[Memory],
        *,
        topic: str,
        told: str,
        now: datetime,
    ) -> int:
        first, last = group[0].created_at, group[-1].created_at
        content = f"About {topic}, {first:%Y-%m-%d} to {last:%Y-%m-%d}: {told}"
        draft = Draft(
            content,
            type=MemoryType.MEMO,
            source=Source.SYSTEM,
            visibility=Visibility.PERSONAL,
            importance=SMALL,
            tags=(topic,),
        )
        memory = memory_of(draft, space, viewer, now)
        indexed = self._writer.indexed(memory)

        def work(transaction: Transaction) -> int:
            access = authorise(transaction, viewer, space)
            standing = reads.get_memories(transaction, access, [one.id for one in group])
            still = [one for one in standing.values() if _may_go(one)]
            if len(still) < LEAST_OF_TOPIC or not access.remembers:
                return 0
            kept = self._writer.add_within(transaction, access, memory, indexed)
            entries.add_entry(
                transaction,
                (access.space_id, kept.id, viewer.user),
                noticed=notice(content, (topic,)),
                scores=scores(kept.importance, now, now),
                kept=False,
            )
            for one in still:
                relation = Relation(RelationType.DERIVED_FROM, kept.id, target_id=one.id)
                relations.put_relation(transaction, access.space_id, relation)
                archive_entry(transaction, access, self._writer, one, now)
            detail = {"rolled_up": [one.id for one in still]}
            note(transaction, access, "roll_up", kept.id, detail=detail, now=now)
            return len(still)

        return self._database.write(work)

    def _erase_expired(self, space: Space, user: str) -> int:
        """Erase entries older than the person's retention; return how many."""
        viewer = Viewer(user)
        now = self._clock()

        def work(transaction: Transaction) -> tuple[list[str], list[str], list[str]]:
            access = authorise(transaction, viewer, space)
            days = personal_settings.settings_of(transaction, access).retention_days
            if days is None:
                return [], [], []
            limit = now - timedelta(days=days)
            old = [
                row.memory_id
                for row in entries.trimmable(transaction, access)
                if row.created_at < limit
            ]
            lost = list(reads.get_memories(transaction, access, old).values())
            sources = own_sources(transaction, access, lost)
            texts: list[str] = []
            for memory in lost:
                texts += self._writer.remove_within(transaction, memory)
                note(transaction, access, "retention", memory.id, now=now)
            for event_id in sources:
                texts += self._pages.erase_within(transaction, access, event_id)
            return texts, [memory.id for memory in lost], sources

        texts, lost, sources = self._database.write(work)
        if lost:
            self._database.erasure.finish(
                space.id, texts, [*lost, *sources], analyse=analyse, waits=False
            )
        return len(lost)


def archive_entry(
    transaction: Transaction, access: Access, writer: MemoryWriter, memory: Memory, now: datetime
) -> None:
    """Archive an entry's memory and drop the entry; it can be restored within its grace period."""
    archived = replace(memory, archived_at=now, updated_at=now, revision=memory.revision + 1)
    writer.change_within(transaction, access, MemoryUpdate(memory, archived, Action.ARCHIVED))
    entries.drop_entry(transaction, access, memory.id)


def _may_go(memory: Memory) -> bool:
    return not (memory.pinned or memory.manually_saved or memory.archived or memory.superseded_by)


def _by_topic(rows: Sequence[Any], known: dict[str, Memory]) -> dict[str, list[Memory]]:
    """Old entries of low importance by their first tag, oldest first; only topics with enough of
    them.
    """
    groups: dict[str, list[Memory]] = {}
    for row in sorted(rows, key=lambda row: row.created_at):
        tags = entries.noticed_of(row).tags
        memory = known.get(row.memory_id)
        if memory is not None and _may_go(memory) and memory.type is not MemoryType.MEMO:
            groups.setdefault(tags[0] if tags else "various things", []).append(memory)
    large = {topic: group for topic, group in groups.items() if len(group) >= LEAST_OF_TOPIC}
    return {topic: group[:MAX_OF_TOPIC] for topic, group in large.items()}
