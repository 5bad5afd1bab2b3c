"""Memos: pointers to conversations worth finding again, made by people, the system or good answers.

A memo is a memory of the type ``memo``, so it uses the same write path and the same visibility
filter: a viewer who may not read the stream of every event it points at, at the moment of reading,
does not find it. A memo stores its topic and the place of the conversation, and no text of it:
quotes are read from the events when the memo is shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from recollect.inference.tasks import Tasks
from recollect.memories.drafts import Draft
from recollect.memories.inserter import needs_embedding
from recollect.memories.operations import MemoryKeeper
from recollect.memories.reader import MemoryReader
from recollect.memories.write_path import WritePath, stored
from recollect.memories.write_policy import AS_IT_IS
from recollect.memories.writer import MemoryUpdate, MemoryWriter, found
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import events as event_rows
from recollect.storage.space_clock import number_and_clock
from recollect.storage.workspace import memos as rows
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.arguments import checked_text, shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import MemoryNotFound
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.workspace import (
    Memo,
    MemoChanged,
    MemoChanges,
    MemoHit,
    MemoSource,
)
from recollect.workspace.conversation_reader import conversation_within, is_question
from recollect.workspace.likeness import SAME
from recollect.workspace.memo_drafts import MemoDrafter, best_answer, extras_of
from recollect.workspace.memo_search import QUESTION_LIMIT, MemoFinder, question_text
from recollect.workspace.memo_text import topic_words
from recollect.workspace.memo_view import is_gone, is_memo, shown_memos, with_answers

BY_USER: Final = 0.9
BY_SYSTEM: Final = 0.5
BY_ANSWER: Final = 0.6
#: Confidence that one good answer adds to an existing memo, and that a bad one takes.
LIFT: Final = 0.05
DROP: Final = 0.1
LEAST_CONFIDENCE: Final = 0.1
MAX_ANCHORS: Final = 20
#: Overlap of a query for changes with the one before, and the maximum number of changes returned.
_OVERLAP: Final = timedelta(seconds=30)
_MAX_CHANGES: Final = 500
_OF: Final = {
    MemoSource.USER: Source.USER_TAUGHT,
    MemoSource.SYSTEM: Source.SYSTEM,
    MemoSource.RESEARCHER: Source.RESEARCHER,
}


class Memos:
    """The memos of a space, as a viewer may see and make them."""

    def __init__(
        self,
        database: Database,
        *,
        keeper: MemoryKeeper,
        reader: MemoryReader,
        path: WritePath,
        writer: MemoryWriter,
        finder: MemoFinder,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._database = database
        self._keeper = keeper
        self._reader = reader
        self._path = path
        self._writer = writer
        self._finder = finder
        self._drafter = MemoDrafter(tasks)
        self._clock = clock

    # --- finding ----------------------------------------------------------------------------------

    def search(
        self, viewer: Viewer, space: Space, question: str, limit: int = 5, **narrow: Any
    ) -> tuple[MemoHit, ...]:
        """Memos about a question, the most similar first; a score over 0.9 is the same question."""
        return self._finder.search(viewer, space, question, limit, **narrow)

    def get(self, viewer: Viewer, space: Space, memo_id: str) -> Memo:
        """One memo, with the current text of its events."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            memory = _memo_row(transaction, access, self._complete(viewer, space, memo_id))
            return shown_memos(transaction, access, [memory])[0]

    def with_answers(
        self, viewer: Viewer, space: Space, memories: Iterable[Memory]
    ) -> tuple[Memory, ...]:
        """Memories as people read them: memos of questions say what their sources say now."""
        return with_answers(self._database, viewer, space, memories)

    def list(
        self,
        viewer: Viewer,
        space: Space,
        *,
        topic: str | None = None,
        archived: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memo]:
        """Memos, newest first, a page at a time."""
        filters = Filters(
            types=frozenset((MemoryType.MEMO.value,)),
            tags=frozenset(() if topic is None else (topic,)),
            archived=archived,
        )
        page = self._reader.list(viewer, space, filters, cursor=cursor, limit=limit)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            views = shown_memos(transaction, access, page.items)
        return Page(tuple(views), page.next_cursor)

    def changes(self, viewer: Viewer, space: Space, since: MemoChanges | None) -> MemoChanges:
        """Memos that were made, changed or archived since an earlier query; each revision once.

        The first query only sets the starting point and returns no changes. A writer sets the time
        stamp before it commits, so a query reaches back a little, and leaves out the revisions that
        the query before had found.
        """
        now = self._clock()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            _, clock = number_and_clock(transaction, space.id)
            if since is not None and since.clock == clock:
                return replace(since, changes=())
            begun = now if since is None else since.at
            ids = rows.ids_changed_since(transaction, access, begun - _OVERLAP, _MAX_CHANGES)
            found_ones = reads.get_memories(transaction, access, ids)
            recent = [found_ones[one] for one in ids if one in found_ones]
            known = frozenset((one.id, one.revision) for one in recent)
            if since is None:
                return MemoChanges(clock, now, known=known)
            fresh = [one for one in recent if (one.id, one.revision) not in since.known]
            views = shown_memos(transaction, access, fresh)
        changes = tuple(_change(one) for one in views)
        return MemoChanges(clock, max(begun, now), changes, known)

    # --- making -----------------------------------------------------------------------------------

    def save(
        self,
        viewer: Viewer,
        space: Space,
        event_id: str,
        *,
        summary: str | None = None,
        topics: Iterable[str] = (),
        confidence: float = BY_USER,
        source: MemoSource = MemoSource.USER,
        happened_at: datetime | None = None,
        imported_from: str | None = None,
    ) -> Memo:
        """Keep the conversation around an event as a memo; a repeated call raises the existing
        memo.
        """
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            window = conversation_within(transaction, access, event_id)
        draft = self._drafter.of_window(
            space,
            window,
            summary=summary,
            topics=tuple(topics),
            extras={} if imported_from is None else {"imported_from": imported_from},
        )
        draft = replace(
            draft, confidence=confidence, source=_OF[source].value, happened_at=happened_at
        )
        return self._kept(viewer, space, draft, anchor=event_id, renamed=summary)

    def from_answer(
        self,
        viewer: Viewer,
        space: Space,
        question: str,
        answer: str,
        events: Sequence[str],
        *,
        confidence: float = BY_ANSWER,
    ) -> Memo | None:
        """Keep a good answer's question and the events it cites as a memo, or raise the existing
        memo.

        The answer itself is not stored: it can be found again in the events it cites. Without a
        citation there is nothing to point at, and nothing is kept.
        """
        asked = question_text(question)
        anchors = tuple(dict.fromkeys(events))[:MAX_ANCHORS]
        if not anchors:
            return None
        alike = self.search(viewer, space, asked, 1)
        if alike and alike[0].score > SAME:
            return self.rate(viewer, space, alike[0].memo.id, helpful=True)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            window = conversation_within(transaction, access, anchors[0])
            said = event_rows.get_events(transaction, access, list(anchors))
        draft = Draft(
            asked,
            type=MemoryType.MEMO.value,
            confidence=confidence,
            source=Source.RESEARCHER.value,
            events=anchors,
            tags=topic_words([said[one].text for one in anchors if one in said]),
            extras=extras_of(window, "question"),
        )
        return self._kept(viewer, space, draft, anchor=anchors[0], content=asked)

    def rate(self, viewer: Viewer, space: Space, memo_id: str, *, helpful: bool) -> Memo:
        """Record whether a memo helped; every such verdict changes its confidence."""
        complete = self._complete(viewer, space, memo_id)

        def work(transaction: Transaction) -> Memo:
            access = _member(transaction, viewer, space)
            memory = _memo_row(transaction, access, complete)
            return self._rated(transaction, access, memory, helpful=helpful)

        return self._database.write(work)

    def update(
        self,
        viewer: Viewer,
        space: Space,
        memo_id: str,
        *,
        summary: str | None = None,
        topics: Iterable[str] | None = None,
        confidence: float | None = None,
        revision: int | None = None,
    ) -> Memo:
        """Change the summary, topics or confidence of a memo; allowed for its author and for
        stewards.
        """
        complete = self._complete(viewer, space, memo_id)
        old = self._reader.get(viewer, space, complete)
        if not is_memo(old):
            raise MemoryNotFound(f"No memo {shown(memo_id)} is visible here.")
        fields: dict[str, Any] = {}
        extras = dict(old.extras)
        if summary is not None:
            fields["content"] = checked_text(summary, "summary", QUESTION_LIMIT)
            extras["summary_by"] = "user"
        if topics is not None:
            fields["tags"] = tuple(topics)
        if confidence is not None:
            fields["confidence"] = confidence
        if extras != dict(old.extras):
            fields["extras"] = extras
        self._keeper.change(viewer, space, complete, fields, revision=revision)
        return self.get(viewer, space, complete)

    def archive(self, viewer: Viewer, space: Space, memo_id: str) -> Memo:
        """Archive a memo; it can be restored."""
        complete = self.get(viewer, space, memo_id).id
        self._keeper.archive(viewer, space, complete)
        return self.get(viewer, space, complete)

    def restore(self, viewer: Viewer, space: Space, memo_id: str) -> Memo:
        """Restore an archived memo."""
        complete = self.get(viewer, space, memo_id).id
        self._keeper.restore(viewer, space, complete)
        return self.get(viewer, space, complete)

    def from_exchange(self, viewer: Viewer, space: Space, event_id: str) -> Memo | None:
        """Keep a question with its answer on behalf of the system; None where nobody asked or
        answered.
        """
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            window = conversation_within(transaction, access, event_id)
            asked = next((one for one in window.events if is_question(one.text)), None)
            if asked is None or not best_answer(window):
                return None
            if rows.pointing_at(transaction, access, [one.id for one in window.events]):
                return None  # this conversation has a memo already
        return self.save(viewer, space, asked.id, confidence=BY_SYSTEM, source=MemoSource.SYSTEM)

    def refresh(self, viewer: Viewer, space: Space, memo_id: str) -> None:
        """Update what a memo keeps of its source; a memo without a source is erased."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            memory = reads.get_memories(transaction, access, [memo_id]).get(memo_id)
            if memory is None or memory.extras.get("summary_by") not in {"source", "model"}:
                return
            (memo,) = shown_memos(transaction, access, [memory])
            gone = is_gone(memo)
            window = None if gone else conversation_within(transaction, access, memo.anchors[0])
        if window is None:
            self._keeper.erase(viewer, space, memo_id)
            return
        kept = memory.tags if memory.extras.get("topics_by") == "user" else ()
        draft = self._drafter.of_window(space, window, summary=None, topics=kept, extras={})
        fields: dict[str, Any] = {"content": draft.content, "tags": tuple(draft.tags)}
        self._keeper.change(viewer, space, memo_id, fields)

    # --- steps ------------------------------------------------------------------------------------

    def _complete(self, viewer: Viewer, space: Space, memo_id: str) -> str:
        return self._reader.complete_id(viewer, space, memo_id)

    def _kept(
        self,
        viewer: Viewer,
        space: Space,
        draft: Draft,
        *,
        anchor: str,
        renamed: str | None = None,
        content: str | None = None,
    ) -> Memo:
        """Write a memo, or raise the existing memo of the same event.

        Memos made from an answer are the same only when they have the same question.
        """
        (pending,) = self._path.prepare(viewer, space, [draft], AS_IT_IS)

        def work(transaction: Transaction) -> Memo:
            access = _member(transaction, viewer, space)
            self._database.dialect.acquire_locks(transaction, [f"{space.id} memo {anchor}"])
            known = self._known(transaction, access, anchor, content)
            if known is None:
                memory = stored(self._path.write(transaction, access, pending))
                return shown_memos(transaction, access, [memory])[0]
            wanted = pending.memory
            change = replace(
                known,
                confidence=max(known.confidence, wanted.confidence),
                content=known.content if renamed is None else wanted.content,
                extras={**known.extras, "summary_by": "user"} if renamed else known.extras,
            )
            return self._changed(transaction, access, known, change)

        return self._database.write(work)

    @staticmethod
    def _known(
        transaction: Transaction, access: Access, anchor: str, content: str | None
    ) -> Memory | None:
        """The existing memo that begins at an event; for a question, the one with the same text."""
        ids = rows.pointing_at(transaction, access, [anchor]).get(anchor, [])
        for memory in reads.get_memories(transaction, access, ids).values():
            from_question = memory.extras.get("summary_by") == "question"
            if content is None:
                same = not from_question and memory.provenance.events[:1] == (anchor,)
            else:
                same = from_question and memory.content == content
            if same:
                return memory
        return None

    def _rated(
        self, transaction: Transaction, access: Access, memory: Memory, *, helpful: bool
    ) -> Memo:
        moved = memory.confidence + (LIFT if helpful else -DROP)
        change = replace(
            memory,
            confidence=round(min(1.0, max(LEAST_CONFIDENCE, moved)), 6),
            extras={
                **memory.extras,
                "helpfulness": memory.extras.get("helpfulness", 0.0) + (1.0 if helpful else -1.0),
            },
        )
        return self._changed(transaction, access, memory, change)

    def _changed(self, transaction: Transaction, access: Access, old: Memory, new: Memory) -> Memo:
        if new != old:
            new = replace(new, updated_at=self._clock(), revision=old.revision + 1)
            indexed = self._writer.indexed(new) if needs_embedding(old, new) else None
            change = MemoryUpdate(old, new, Action.UPDATED, indexed)
            self._writer.change_within(transaction, access, change)
        return shown_memos(transaction, access, [new])[0]


def _change(memo: Memo) -> MemoChanged:
    event = "memo:created" if memo.revision == 1 else "memo:updated"
    if memo.archived_at is not None:
        event = "memo:archived"
    return MemoChanged(event, memo.id, memo.revision, memo)


def _memo_row(transaction: Transaction, access: Access, memo_id: str) -> Memory:
    memory = found(transaction, access, memo_id)
    if memory.type is not MemoryType.MEMO:
        raise MemoryNotFound(f"No memo {shown(memo_id)} is visible here.")
    return memory


def _member(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    return require_role(authorise(transaction, viewer, space), Role.MEMBER, "keep memos")
