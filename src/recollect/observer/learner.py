"""Stores the results of a session: memories, facts, sightings, pairs and counters.

Everything is written in one transaction after the session, or after a validated subtask. Nothing
here is called while a session is at work. Learning a session twice changes nothing but its facts.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from recollect.index.indexer import Indexer
from recollect.jobs.queue import enqueue
from recollect.jobs.schedule import ensure_schedule
from recollect.memories.drafts import Draft, draft_of, memory_of
from recollect.memories.lesson_changes import (
    LessonChanges,
    LessonCleared,
    LessonRepeat,
    SessionChanges,
)
from recollect.memories.text_comparison import WordVectors, read
from recollect.memories.write_path import WritePath
from recollect.observer.across import across
from recollect.observer.calibrations import candidate_of
from recollect.observer.candidates import Candidate
from recollect.observer.coaccess import commit_pairs, merged, session_pairs
from recollect.observer.experience import Experience
from recollect.observer.facts import SessionFacts, facts_of, kept
from recollect.observer.git_history import Commit
from recollect.observer.lesson_task import Lessons, local_lessons
from recollect.observer.observer import Observer, Report
from recollect.observer.privacy import Discretion, discretion_of, page_of, silence_of
from recollect.observer.promotion import (
    Judge,
    Judged,
    Known,
    RejectedCandidate,
    fields_of,
    known_of,
    scored,
    sign_of,
)
from recollect.observer.sketches import Sketch
from recollect.observer.synthesis import CHAINS, SYNTHESISE, WEEK, threshold
from recollect.observer.taxonomy import TRAITS, Signal
from recollect.observer.wording_task import Wording, local_wording
from recollect.pages.prepared import named_id
from recollect.storage.agents import observations
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import events
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import redacted, safe_names
from recollect.vocabulary.acts import Act
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Role, Space

SESSIONS: Final = 600
KNOWN: Final = 1_000


#: Changes fields of a memory.
Change = Callable[[Viewer, Space, str, Mapping[str, Any]], Memory]


@dataclass(frozen=True, slots=True)
class Lesson:
    """Memories created from a session, and rejected candidates with the reasons."""

    session: str
    memories: tuple[Memory, ...]
    dropped: tuple[RejectedCandidate, ...]


class Learner:
    """The part of the observer that accesses the store."""

    def __init__(
        self,
        database: Database,
        path: WritePath,
        indexer: Indexer,
        clock: Clock,
        *,
        lesson_changes: LessonChanges,
        wording: Wording = local_wording,
        lessons: Lessons = local_lessons,
        change_memory: Change | None = None,
    ) -> None:
        self._database = database
        self._change_memory = change_memory
        self._path = path
        self._clock = clock
        self._lesson_changes = lesson_changes
        vectors = path.word_vectors
        self._judge = Judge(embed=embedding(indexer) or by_words(vectors), vectors=vectors)
        self._wording = wording
        self._lessons = lessons
        self.experience = Experience(database, clock)
        self._settled: dict[tuple[str, str], set[str]] = {}

    def learn(
        self,
        viewer: Viewer,
        space: Space,
        observer: Observer,
        *,
        succeeded: bool = True,
        over: bool = True,
        page: str | None = None,
    ) -> Lesson:
        """Store the lessons of a session. ``over`` says that the session has ended, ``page`` names
        the stream on which it was recorded."""
        return self.learn_from(
            viewer, space, observer.report(over=over), succeeded=succeeded, over=over, page=page
        )

    def learn_from(
        self,
        viewer: Viewer,
        space: Space,
        report: Report,
        *,
        succeeded: bool = True,
        over: bool = True,
        page: str | None = None,
        patient: bool = True,
    ) -> Lesson:
        """Learn from a finished report; ``patient`` says that a model may be waited for."""
        facts, candidates = _safe_facts(report.facts), report.candidates
        discretion = self.discretion(viewer, space, facts.session, page)
        if discretion.silent:
            unheard = tuple(RejectedCandidate(one, discretion.silent) for one in candidates)
            return Lesson(facts.session, (), unheard)
        if over and patient and report.held is None:
            candidates = self._lessons(space.id, report)
        settled = self._settled_of(space.id, facts.session, over=over)
        found, seen, known = self._looked_up(
            viewer, space, facts, candidates, over=over, settled=settled
        )
        judged = self._judged(
            space.id,
            report,
            [one for one in found if sign_of(one) not in settled],
            seen,
            known,
            succeeded=succeeded,
            patient=patient,
        )
        drafts, unfit, ready = self._drafts(viewer, space, judged, discretion)
        notes = None
        if over and discretion.shares:
            notes = self._noting(viewer, space, facts, found, report.sketches)
        made: list[Memory] = []
        again = [_repeat_of(one, facts.session) for one in judged.dropped if one.known]
        against = self._judge.conflicts(ready, known)
        if drafts or again or notes is not None:
            changed = partial(
                self._change_lessons, SessionChanges(again, against, _cleared(judged, ready))
            )
            made = self._path.create_all(viewer, space, drafts, notes, changed)
            self.experience.outdate(space.id)
        settled.update(sign_of(one) for one in judged.settled)
        if notes is not None and facts.plan is not None and report.held is None:
            self._calibrate(viewer, space, facts)
        return Lesson(facts.session, tuple(made), (*judged.dropped, *unfit))

    def _calibrate(self, viewer: Viewer, space: Space, facts: SessionFacts) -> None:
        """Keep one calibration for each module of a planned session, with its newest figures. It is
        a figure rather than a lesson, so nobody reviews it; somebody else's is left to them."""
        for found in self.experience.calibrations(viewer, space, facts.modules[:3]):
            one = scored(candidate_of(found, facts.session))
            fields = fields_of(replace(one, session="")) | {"session": None}
            kept = self._kept_calibration(viewer, space, sign_of(one))
            if kept is None:
                if not found.is_usual:
                    self._path.create_all(viewer, space, [draft_of(one.content, fields)])
            elif self._change_memory is None:
                continue
            elif not kept.user_verified and kept.provenance.created_by == viewer.user:
                changed = {"content": one.content, "extras": one.extras}
                self._change_memory(viewer, space, kept.id, changed)

    def _kept_calibration(self, viewer: Viewer, space: Space, sign: str) -> Memory | None:
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            listed = reads.list_memories(
                transaction,
                access,
                Filters(tags=frozenset({sign})),
                now=to_microseconds(self._clock()),
                before=None,
                limit=1,
            )
        return listed[0] if listed else None

    def _judged(
        self,
        space_id: str,
        report: Report,
        found: Sequence[Candidate],
        seen: Mapping[tuple[str, str], int],
        known: Sequence[Known],
        *,
        succeeded: bool,
        patient: bool,
    ) -> Judged:
        """Promoted and rejected candidates; all are rejected while the session may not teach."""
        if report.held is not None:
            return Judged((), tuple(RejectedCandidate(one, report.held) for one in found))
        return self._judge.judge(
            found,
            seen,
            known,
            report.session_type,
            succeeded=succeeded,
            wording=partial(self._wording, space_id) if patient else None,
        )

    def _change_lessons(
        self,
        changes: SessionChanges,
        transaction: Transaction,
        access: Access,
        stored: Sequence[Memory | None],
    ) -> None:
        """Count what this session showed again, and let new lessons replace earlier ones."""
        self._lesson_changes.apply(transaction, access, stored, changes, self._clock())

    def _settled_of(self, space_id: str, session: str, *, over: bool) -> set[str]:
        """Candidates already decided in a running session, so that they are not judged at every
        turn.

        A session that continues in another process asks the store instead.
        """
        if over:
            return self._settled.pop((space_id, session), set())
        if len(self._settled) > SESSIONS:
            self._settled.clear()
        return self._settled.setdefault((space_id, session), set())

    def discretion(
        self, viewer: Viewer, space: Space, session: str, page: str | None = None
    ) -> Discretion:
        """Privacy limits of a session's traces."""
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn")
            return discretion_of(transaction, access, session, page)

    def named_events(
        self, viewer: Viewer, space: Space, session: str, acts: Sequence[Act]
    ) -> list[Act]:
        """Acts of a transcript with the ids of their events, if the transcript was imported."""
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn")
            page = page_of(transaction, access, session)
        if page is None:
            return list(acts)
        return [
            replace(act, event=named_id(page, act.event, act.at)) if act.event else act
            for act in acts
        ]

    def silence(self, viewer: Viewer, space: Space, session: str, page: str) -> str | None:
        """Reason why nothing of a session may be kept; None if it may."""
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn")
            return silence_of(transaction, access, session, page)

    def bootstrap(self, viewer: Viewer, space: Space, commits: Sequence[Commit]) -> int:
        """Learn from commits which files change together; returns the number of new commits."""

        def work(transaction: Transaction) -> int:
            require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn from commits")
            ordered = [(commit, at, _short(paths)) for commit, at, paths in commits]
            new = observations.put_commits(transaction, space.id, ordered)
            pairs = [pair for _, at, paths in new for pair in commit_pairs(at, paths)]
            observations.add_to_pairs(transaction, space.id, merged(pairs))
            return len(new)

        added = self._database.write(work)
        self.experience.outdate(space.id)
        return added

    def _looked_up(
        self,
        viewer: Viewer,
        space: Space,
        facts: SessionFacts,
        candidates: Sequence[Candidate],
        *,
        over: bool,
        settled: Set[str],
    ) -> tuple[list[Candidate], dict[tuple[str, str], int], list[Known]]:
        """Candidates with the known memories about them; at the end of a session also the
        cross-session candidates. Known memories are read only if a candidate may be new."""
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn")
            found = list(candidates)
            if over:
                shown = across([*_past(transaction, space.id, facts.session), facts])
                began = facts.started_at
                found += [replace(one, at=began) for one in shown if TRAITS[one.signal].on]
            signs = list(dict.fromkeys((one.signal.value, one.key) for one in found))
            counts = observations.count_sightings(transaction, space.id, signs, but=facts.session)
            pointed = {event for one in found for event in one.events}
            there = (
                set(events.get_events(transaction, access, sorted(pointed))) if pointed else set()
            )
            seen = {sign: count + 1 for sign, count in counts.items()}
            listed = (
                reads.list_memories(
                    transaction,
                    access,
                    Filters(),
                    now=to_microseconds(self._clock()),
                    before=None,
                    limit=KNOWN,
                )
                if any(_is_ripe(one, seen) and sign_of(one) not in settled for one in found)
                else []
            )
        known = [known_of(memory) for memory in listed]
        return [_pointing(one, there) for one in found], seen, known

    def _drafts(
        self, viewer: Viewer, space: Space, judged: Judged, discretion: Discretion
    ) -> tuple[list[Draft], list[RejectedCandidate], list[Candidate]]:
        """Drafts of the promoted candidates, and these; an invalid one is reported as rejected, not
        raised."""
        drafts: list[Draft] = []
        ready: list[Candidate] = []
        unfit: list[RejectedCandidate] = []
        for one in judged.promoted:
            try:
                draft = draft_of(one.content, fields_of(one) | discretion.fields)
                memory_of(draft, space, viewer, self._clock())
            except InvalidInput as error:
                unfit.append(RejectedCandidate(one, f"does not fit: {error.message}"))
            else:
                drafts.append(draft)
                ready.append(one)
        return drafts, unfit, ready

    def _noting(
        self,
        viewer: Viewer,
        space: Space,
        facts: SessionFacts,
        found: Sequence[Candidate],
        sketches: Mapping[str, Sketch],
    ) -> Callable[[Transaction], None]:
        """Prepare the write of a session's facts, sightings, sketches, pairs and module counts.
        This is the first kind of synthesis: every session adds to it, without a model."""
        now = self._clock()
        signs = [(one.signal.value, redacted(one.key)[:500]) for one in found if _sighted(one)]

        def write(transaction: Transaction) -> None:
            new = observations.put_session(
                transaction, space.id, facts.session[:200], facts.started_at, kept(facts)
            )
            observations.add_sightings(transaction, space.id, facts.session[:200], signs, now)
            names = {path: {"names": sketches[path].state()} for path in safe_names(sketches)}
            observations.put_sketches(transaction, space.id, names, now)
            if not new:
                return
            observations.add_to_pairs(transaction, space.id, session_pairs(facts))
            counts = observations.count_modules(transaction, space.id, facts.modules[:20], now)
            for module, (sessions, thought) in counts.items():
                if threshold(sessions) > thought:
                    payload = {"module": module, "sessions": sessions, "user": viewer.user}
                    enqueue(transaction, space.id, SYNTHESISE, payload, now=now)
            ensure_schedule(transaction, space.id, CHAINS, CHAINS, every=WEEK, first=now + WEEK)

        return write


def _cleared(judged: Judged, ready: Sequence[Candidate]) -> list[LessonCleared]:
    """Memories from outside text that these candidates show without any."""
    places = {sign_of(one): place for place, one in enumerate(ready)}
    return [LessonCleared(places[sign], one) for sign, one in judged.cleared if sign in places]


def _repeat_of(dropped: RejectedCandidate, session: str) -> LessonRepeat:
    """What a session adds to a memory that says the same already."""
    one = dropped.candidate
    return LessonRepeat(
        dropped.known,
        session,
        one.events,
        scored(one).confidence,
        one.needs_review,
        said=one.is_wish,
    )


def _safe_facts(facts: SessionFacts) -> SessionFacts:
    """The facts without files whose names look like a secret."""
    named = set(safe_names(file.path for file in facts.files))
    return replace(facts, files=tuple(file for file in facts.files if file.path in named))


def _past(transaction: Transaction, space_id: str, but: str) -> list[SessionFacts]:
    """Stored sessions except one."""
    rows = observations.recent_sessions(transaction, space_id, SESSIONS)
    return [
        facts_of(session, started_at, document)
        for session, started_at, document in rows
        if session != but
    ]


def _is_ripe(one: Candidate, seen: Mapping[tuple[str, str], int]) -> bool:
    """Whether enough sessions have shown the candidate."""
    times = max(one.sessions, seen.get((one.signal.value, one.key), 0))
    return times >= one.needed_sessions


def embedding(indexer: Indexer) -> Callable[[Sequence[str]], "np.ndarray[Any, Any]"] | None:
    """The local embedder; None for a remote one, in which case words are compared."""
    embedder = indexer.embedder
    if embedder is None or not embedder.local:
        return None
    return lambda texts: np.asarray(embedder.embed(list(texts)))


def by_words(vectors: WordVectors) -> Callable[[Sequence[str]], "np.ndarray[Any, Any]"]:
    """An embedder for where the configured one is remote and costs: the mean of the vectors of a
    text's meaningful words, so that findings are compared by meaning there too."""

    def embed(texts: Sequence[str]) -> "np.ndarray[Any, Any]":
        words = [sorted({*read(text).stems, *read(text).numbers}) or [text[:40]] for text in texts]
        return np.stack([np.asarray(vectors(one)).mean(axis=0) for one in words])

    return embed


def _pointing(one: Candidate, there: set[str]) -> Candidate:
    return replace(one, events=tuple(event for event in one.events if event in there))


def _sighted(one: Candidate) -> bool:
    """Whether sightings must be counted. Signals of one session, and those found by comparing
    sessions, need no count."""
    return one.signal not in _COMPARED and one.needed_sessions > 1


def _short(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(safe_names(path for path in paths if 0 < len(path) <= 500))


_COMPARED: Final = frozenset(
    {
        Signal.CO_ACCESS,
        Signal.CONFIG_TOUCH,
        Signal.FILE_ACCESS,
        Signal.IMPORT_CHASE,
        Signal.STEP_OVERRUN,
        Signal.TOKEN_SPIKE,
    }
)
