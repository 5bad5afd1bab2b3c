"""Workspace API: memos, conversations, topics, experts, gaps, suggestions."""

import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream
from recollect.vocabulary.workspace import (
    ConversationWindow,
    CoverageGap,
    Expert,
    KnowledgeImported,
    KnowledgeOverview,
    Memo,
    MemoChanges,
    MemoHit,
    Related,
    Suggestions,
    Topic,
)

if TYPE_CHECKING:
    from recollect.pages.streams import Streams
    from recollect.workspace.conversation_reader import ConversationReader
    from recollect.workspace.experts import Experts
    from recollect.workspace.knowledge import Knowledge
    from recollect.workspace.knowledge_import import KnowledgeImporter
    from recollect.workspace.memos import Memos


@dataclass(frozen=True, slots=True)
class WorkspaceServices:
    """Services of a workspace."""

    memos: "Memos"
    conversations: "ConversationReader"
    experts: "Experts"
    knowledge: "Knowledge"
    streams: "Streams"
    importer: "KnowledgeImporter"
    #: Capabilities that the settings switch off.
    switched_off: frozenset[str]
    #: Registers a callback for writes of other processes, if the store can notify.
    listen: Callable[[Callable[[], None]], Callable[[], None]]


class Workspace:
    """Shared knowledge of one space, for one viewer."""

    def __init__(self, services: WorkspaceServices, viewer: Viewer, space: Space) -> None:
        self._services = services
        self._viewer = viewer
        self._space = space

    # --- memos ------------------------------------------------------------------------------------

    def save(
        self, event_id: str, *, summary: str | None = None, topics: Iterable[str] = ()
    ) -> Memo:
        """Save the conversation around an event as knowledge."""
        self._require("memos")
        return self._services.memos.save(
            self._viewer, self._space, event_id, summary=summary, topics=topics
        )

    def save_answer(
        self, question: str, answer: str, events: builtins.list[str], *, confidence: float = 0.6
    ) -> Memo | None:
        """Save a good answer with its citations, or strengthen the memo of the same question."""
        self._require("memos")
        return self._services.memos.from_answer(
            self._viewer, self._space, question, answer, events, confidence=confidence
        )

    @repeatable
    def memo(self, memo_id: str) -> Memo:
        """One memo, with the current text of its events."""
        self._require("memos")
        found = self._services.memos.get(self._viewer, self._space, memo_id)
        self._services.knowledge.opened(self._viewer, self._space, found.id)
        return found

    @repeatable
    def with_answers(self, memories: Iterable[Memory]) -> tuple[Memory, ...]:
        """Memories as people read them: memos of questions say what their sources say now."""
        return self._services.memos.with_answers(self._viewer, self._space, memories)

    @repeatable
    def memos(
        self,
        *,
        topic: str | None = None,
        archived: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memo]:
        """Memos, newest first, a page at a time."""
        self._require("memos")
        return self._services.memos.list(
            self._viewer, self._space, topic=topic, archived=archived, cursor=cursor, limit=limit
        )

    @repeatable
    def search_memos(
        self, question: str, *, limit: int = 5, topics: Iterable[str] = ()
    ) -> tuple[MemoHit, ...]:
        """Memos about a question, most similar first; over 0.9 it is the same question."""
        self._require("memos")
        return self._services.memos.search(
            self._viewer, self._space, question, limit, topics=topics
        )

    def update_memo(
        self,
        memo_id: str,
        *,
        summary: str | None = None,
        topics: Iterable[str] | None = None,
        confidence: float | None = None,
        revision: int | None = None,
    ) -> Memo:
        """Change the text, topics or confidence of a memo."""
        self._require("memos")
        return self._services.memos.update(
            self._viewer,
            self._space,
            memo_id,
            summary=summary,
            topics=topics,
            confidence=confidence,
            revision=revision,
        )

    def rate_memo(self, memo_id: str, *, helpful: bool) -> Memo:
        """Say whether a memo helped."""
        self._require("memos")
        return self._services.memos.rate(self._viewer, self._space, memo_id, helpful=helpful)

    def archive_memo(self, memo_id: str) -> Memo:
        """Archive a memo."""
        self._require("memos")
        return self._services.memos.archive(self._viewer, self._space, memo_id)

    def restore_memo(self, memo_id: str) -> Memo:
        """Restore an archived memo."""
        self._require("memos")
        return self._services.memos.restore(self._viewer, self._space, memo_id)

    @repeatable
    def changes(self, since: MemoChanges | None = None) -> MemoChanges:
        """Memos that were created, changed or archived since an earlier call."""
        self._require("memos")
        return self._services.memos.changes(self._viewer, self._space, since)

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` when another process may have written; returns a function that ends it."""
        return self._services.listen(wake)

    def import_knowledge(self, source: str, *, table: str = "knowledge") -> KnowledgeImported:
        """Create memos from an existing knowledge table (CSV, SQLite, PostgreSQL), only read."""
        self._require("memos")
        return self._services.importer.run(self._viewer, self._space, source, table=table)

    def _require(self, capability: str) -> None:
        """Raise an error if a capability is switched off."""
        if capability in self._services.switched_off:
            raise NotAllowed(
                f"This is disabled here: {capability}.",
                hint="The setting 'switched_off' lists what is disabled.",
            )

    # --- conversations ----------------------------------------------------------------------------

    @repeatable
    def conversation(self, event_id: str) -> ConversationWindow:
        """The conversation that an event is part of, separated from parallel ones."""
        return self._services.conversations.around(self._viewer, self._space, event_id)

    @repeatable
    def related(self, event_id: str, *, limit: int = 5) -> Related:
        """Memos and other conversations about the subject of an event."""
        self._require("related")
        return self._services.knowledge.related(self._viewer, self._space, event_id, limit=limit)

    @repeatable
    def stream(self, name: str) -> Stream:
        """One stream that the viewer may read, by its name or id, with its purpose."""
        return self._services.streams.get(self._viewer, self._space, name)

    def set_purpose(self, stream: str, purpose: str | None) -> Stream:
        """Set the purpose of a stream; headers of its messages mention it."""
        return self._services.streams.set_purpose(self._viewer, self._space, stream, purpose)

    # --- knowledge --------------------------------------------------------------------------------

    @repeatable
    def overview(self) -> KnowledgeOverview:
        """Overview of knowledge: frequent, recent, by topic, gaps, top experts."""
        self._require("knowledge")
        return self._services.knowledge.overview(self._viewer, self._space)

    @repeatable
    def topics(self, *, limit: int = 100) -> tuple[Topic, ...]:
        """Topics with their number of memos and the time of the last change."""
        self._require("knowledge")
        return self._services.knowledge.topics(self._viewer, self._space, limit=limit)

    @repeatable
    def gaps(self, *, limit: int = 20) -> tuple[CoverageGap, ...]:
        """Questions that were asked twice or more within 30 days and found nothing."""
        self._require("gaps")
        return self._services.knowledge.gaps(self._viewer, self._space, limit=limit)

    @repeatable
    def suggest(self, typed: str, *, stream: str | None = None) -> Suggestions:
        """Known answers to a question that is being typed; at most three memos."""
        self._require("suggestions")
        return self._services.knowledge.suggest(self._viewer, self._space, typed, stream=stream)

    @repeatable
    def experts(
        self, subject: str, *, limit: int = 5, asker: str | None = None
    ) -> tuple[Expert, ...]:
        """Who is likely to answer a question, or knows about a topic, with sample answers."""
        self._require("experts")
        return self._services.experts.about(
            self._viewer, self._space, subject, limit=limit, asker=asker
        )

    @repeatable
    def experts_by_topic(self, *, limit: int = 3) -> dict[str, tuple[Expert, ...]]:
        """The experts of each of the top topics."""
        self._require("experts")
        return self._services.knowledge.experts_by_topic(self._viewer, self._space, limit=limit)
