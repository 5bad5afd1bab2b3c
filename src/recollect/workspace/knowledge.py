"""Knowledge overview: topics, gaps, related knowledge of an event, and suggestions while typing.

Everything is read for one viewer at the time of the query; suggestions are cached for a minute, for
that viewer alone, and only as long as nothing changes in the space.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Lock
from typing import Final

from recollect.memories.text_comparison import WordVectors, alike
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import events
from recollect.storage.space_clock import number_and_clock
from recollect.storage.workspace import memos as rows
from recollect.storage.workspace.people import unanswered
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import repaired_text, shown, whole
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import EventNotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.metrics import SUGGESTIONS_OPENED, SUGGESTIONS_SHOWN
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.spaces import AT_LEAST, Role, Space, SpaceKind
from recollect.vocabulary.workspace import (
    CoverageGap,
    Expert,
    KnowledgeOverview,
    Memo,
    Related,
    RelatedDiscussion,
    Suggestions,
    Topic,
)
from recollect.workspace.conversation_reader import conversation_within
from recollect.workspace.experts import Experts
from recollect.workspace.likeness import best_likeness, terms_of
from recollect.workspace.memo_search import MemoFinder, QuestionVector, question_text
from recollect.workspace.memo_text import cut, headline
from recollect.workspace.memo_view import is_gone, shown_memos

#: Suggestions: minimum length of the typed text, minimum relevance and confidence, maximum number,
#: and seconds that they are cached.
SHORTEST: Final = 10
RELEVANT: Final = 0.7
CONFIDENT: Final = 0.5
MAX_SUGGESTED: Final = 3
KEPT_SECONDS: Final = 60.0
_KEPT: Final = 1_000
#: Gaps: minimum number of times asked, within this number of days.
GAP_ASKED: Final = 2
GAP_DAYS: Final = 30
MAX_GAPS: Final = 20
_LOG: Final = 2_000
MAX_TOPICS: Final = 500
#: A topic of fewer memos is left out where as many others have more.
_SHARED: Final = 2
_ENOUGH_TOPICS: Final = 8
#: A memo that is opened within this time after being suggested counts as opened for that reason.
OFFERED_SECONDS: Final = 1_800.0
_GLANCE: Final = 5
_TOPICS_AT_A_GLANCE: Final = 8
_RELATED: Final = 0.35
_DISCUSSIONS: Final = 12

_Kept = tuple[float, int, Suggestions]


class Knowledge:
    """Knowledge of a space as a viewer may see it."""

    def __init__(
        self,
        database: Database,
        *,
        finder: MemoFinder,
        experts: Experts,
        clock: Clock,
        vectors: Callable[[], WordVectors | None],
        written_down: Callable[[], object],
        counts: PendingCounts,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._finder = finder
        self._experts = experts
        self._clock = clock
        self._vectors = vectors
        self._written_down = written_down
        self._seconds = seconds
        self._counts = counts
        #: Memos suggested lately to a viewer, and whether the viewer opened them.
        self._offered: OrderedDict[tuple[Viewer, str, str], tuple[float, bool]] = OrderedDict()
        self._lock = Lock()
        self._suggested: OrderedDict[tuple[Viewer, str, str], _Kept] = OrderedDict()

    def topics(self, viewer: Viewer, space: Space, *, limit: int = 100) -> tuple[Topic, ...]:
        """Topics of visible memos, those with most memos first; of one memo alone only where few
        topics have more.
        """
        whole(limit, 1, MAX_TOPICS, "A list of topics has")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = [Topic(*one) for one in rows.topics(transaction, access, limit)]
        shared = [one for one in found if one.memos >= _SHARED]
        return tuple(shared if len(shared) >= _ENOUGH_TOPICS else found)

    def gaps(
        self, viewer: Viewer, space: Space, *, limit: int = MAX_GAPS
    ) -> tuple[CoverageGap, ...]:
        """Questions asked twice or more within 30 days that found nothing; the askers are not
        named.

        Nearly identical wordings are grouped, and the newest is shown. A question that only one
        person asked is shown to that person alone, however often they asked.
        """
        whole(limit, 1, MAX_GAPS * 5, "A list of gaps has")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
        if access.role not in AT_LEAST[Role.READER]:
            return ()
        if space.kind is SpaceKind.PERSONAL and access.role not in AT_LEAST[Role.OWNER]:
            return ()
        self._written_down()
        since = self._clock() - timedelta(days=GAP_DAYS)
        with self._database.reading(all_spaces=True) as transaction:
            asked = unanswered(transaction, space.id, since, _LOG)
        groups: list[list[int]] = []
        by_terms: dict[frozenset[str], int] = {}
        vectors = self._vectors()
        for place, (query, _, _) in enumerate(asked):
            terms = frozenset(terms_of(query[:600]))
            group = by_terms.get(terms)
            if group is None:
                group = self._alike_group(asked, groups, terms, query, vectors)
            if group is None:
                group = len(groups)
                groups.append([])
            by_terms.setdefault(terms, group)
            groups[group].append(place)
        found = [
            CoverageGap(cut(asked[group[0]][0]), len(group), asked[group[0]][1])
            for group in groups
            if len(group) >= GAP_ASKED
            and (len(askers := {asked[one][2] for one in group}) > 1 or viewer.user in askers)
        ]
        found.sort(key=lambda gap: (-gap.asked, -gap.last_asked.timestamp(), gap.query))
        return tuple(found[:limit])

    @staticmethod
    def _alike_group(
        asked: Sequence[tuple[str, object, str]],
        groups: Sequence[Sequence[int]],
        terms: frozenset[str],
        query: str,
        vectors: WordVectors | None,
    ) -> int | None:
        """The number of the group of questions that ask the same in other words, or None."""
        for number, group in enumerate(groups[:300]):
            first = asked[group[0]][0]
            if terms & frozenset(terms_of(first[:600])) and alike(first, query, vectors):
                return number
        return None

    def suggest(
        self, viewer: Viewer, space: Space, typed: str, *, stream: str | None = None
    ) -> Suggestions:
        """Memos that may answer the text being typed; none for fewer than ten characters."""
        text = " ".join(repaired_text(typed).split())
        if len(text) < SHORTEST:
            return Suggestions(text)
        key = (viewer, space.id, text.lower())
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            _, clock = number_and_clock(transaction, access.space_id)
        known = self._remembered(key, clock)
        if known is not None:
            return known
        hits = self._finder.search(
            viewer, space, text, MAX_SUGGESTED * 2, least_confidence=CONFIDENT, is_typed=True
        )
        kept = [hit for hit in hits if hit.score > RELEVANT][:MAX_SUGGESTED]
        if stream is not None:  # of equally similar memos, this stream's come first
            kept.sort(key=lambda hit: (-hit.score, hit.memo.stream_id != stream))
        answer = Suggestions(text, tuple(kept))
        with self._lock:
            self._suggested[key] = self._seconds(), clock, Suggestions(text, answer.found, True)
            self._suggested.move_to_end(key)
            while len(self._suggested) > _KEPT:
                self._suggested.popitem(last=False)
        self._offer(viewer, space, [hit.memo.id for hit in kept])
        return answer

    def _offer(self, viewer: Viewer, space: Space, memo_ids: Sequence[str]) -> None:
        """Count the suggestions; the same memo counts once while a person continues typing."""
        now = self._seconds()
        with self._lock:
            for memo_id in memo_ids:
                key = viewer, space.id, memo_id
                known = self._offered.get(key)
                if known is None or now - known[0] > OFFERED_SECONDS:
                    self._offered[key] = now, False
                    self._counts.add(space.id, SUGGESTIONS_SHOWN)
            while len(self._offered) > _KEPT:
                self._offered.popitem(last=False)

    def opened(self, viewer: Viewer, space: Space, memo_id: str) -> None:
        """Count a memo as opened, once, when it was suggested to the viewer lately."""
        key = viewer, space.id, memo_id
        with self._lock:
            since, taken = self._offered.get(key, (0.0, True))
            if not taken and self._seconds() - since <= OFFERED_SECONDS:
                self._offered[key] = since, True
                self._counts.add(space.id, SUGGESTIONS_OPENED)

    def _remembered(self, key: tuple[Viewer, str, str], clock: int) -> Suggestions | None:
        """Suggestions for the same text within the last minute, unless the space has changed."""
        with self._lock:
            known = self._suggested.get(key)
        if known is None or known[1] != clock or self._seconds() - known[0] > KEPT_SECONDS:
            return None
        return known[2]

    def related(self, viewer: Viewer, space: Space, event_id: str, *, limit: int = 5) -> Related:
        """Memos and other conversations on the topic of an event."""
        whole(limit, 1, 50, "A list of related conversations has")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = (
                events.get_events(transaction, access, [event_id]) if is_id(event_id, EVENT) else {}
            )
            if event_id not in found:
                raise EventNotFound(f"No event {shown(event_id)} is visible here.")
            window = conversation_within(transaction, access, event_id)
        about = question_text(_about(window.events, window.anchor) or "?")
        own = {one.id for one in window.events}
        hits = self._finder.search(viewer, space, about, limit * 3, without=event_id)
        memos = [hit for hit in hits if hit.score > _RELATED and not own & set(hit.memo.anchors)]
        vector = self._finder.vector_of(about)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            talks = self._discussions(transaction, access, about, vector, own)
        return Related(tuple(memos[:limit]), tuple(talks[:limit]))

    def _discussions(
        self,
        transaction: Transaction,
        access: Access,
        about: str,
        vector: QuestionVector | None,
        own: set[str],
    ) -> Sequence[RelatedDiscussion]:
        """Other conversations with similar messages, each once."""
        slots = self._finder.slots(transaction, access, "events", about, vector)
        ids = rows.events_at_slots(transaction, access, list(slots))
        said = events.get_events(
            transaction, access, [one for one in ids.values() if one not in own]
        )
        vectors = self._vectors()
        ranked = sorted(
            ((best_likeness(about, [headline(one.text)], vectors), one) for one in said.values()),
            key=lambda pair: (-pair[0], pair[1].id),
        )
        seen: set[str] = set(own)
        talks: list[RelatedDiscussion] = []
        for score, one in ranked[:_DISCUSSIONS]:
            if score < _RELATED or one.id in seen or one.deleted_at:
                continue
            window = conversation_within(transaction, access, one.id)
            seen |= {event.id for event in window.events}
            names = rows.stream_names(transaction, access, [one.stream_id])
            talks.append(
                RelatedDiscussion(
                    one.stream_id,
                    names.get(one.stream_id, ""),
                    one.id,
                    cut(one.text),
                    window.participants,
                    one.occurred_at,
                    score,
                )
            )
        return talks

    def overview(self, viewer: Viewer, space: Space) -> KnowledgeOverview:
        """Frequently referenced, recent and by topic, with gaps and top experts."""
        topics = self.topics(viewer, space, limit=_TOPICS_AT_A_GLANCE)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)

            def listed(**narrow: object) -> tuple[Memo, ...]:
                ids = rows.ids_of_memos(transaction, access, limit=_GLANCE, **narrow)  # type: ignore[arg-type]
                found = reads.get_memories(transaction, access, ids)
                views = shown_memos(
                    transaction, access, [found[one] for one in ids if one in found]
                )
                return tuple(one for one in views if not is_gone(one))

            frequent = listed(by="use", least_retrievals=1)
            recent = listed(by="time")
            by_topic = {one.name: listed(by="use", topic=one.name) for one in topics}
        return KnowledgeOverview(
            frequent, recent, by_topic, self.gaps(viewer, space), self.top_experts(viewer, space)
        )

    def top_experts(self, viewer: Viewer, space: Space) -> tuple[Expert, ...]:
        """The best experts over the leading topics, with those topics."""
        best: dict[str, Expert] = {}
        for topic, found in self.experts_by_topic(viewer, space).items():
            for one in found:
                known = best.get(one.user)
                if not one.expertise:
                    continue
                worth = one.expertise + (known.expertise if known else 0.0)
                named = (*(known.topics if known else ()), topic)
                best[one.user] = Expert(
                    one.user,
                    score=max(one.score, known.score if known else 0.0),
                    expertise=round(worth, 4),
                    # An answer may belong to several topics and counts once.
                    answered=max(one.answered, known.answered if known else 0),
                    topics=named,
                    last_signal_at=one.last_signal_at,
                )
        ranked = sorted(best.values(), key=lambda one: (-one.expertise, one.user))
        return tuple(ranked[:_GLANCE])

    def experts_by_topic(
        self, viewer: Viewer, space: Space, *, limit: int = 3
    ) -> dict[str, tuple[Expert, ...]]:
        """The experts on each of the leading topics."""
        return {
            one.name: self._experts.about(viewer, space, one.name, limit=limit)
            for one in self.topics(viewer, space, limit=_TOPICS_AT_A_GLANCE)
        }


def _about(spoken: Sequence[Event], anchor: Event) -> str:
    """The event's headline, or those of the first three messages where it has too few words."""
    own = headline(anchor.text)
    if len(terms_of(own)) >= 3:
        return own
    return " ".join(headline(one.text) for one in spoken[:3])[:400] or own
