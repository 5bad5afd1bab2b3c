"""What a session leaves behind in the store: memories, facts, sightings, pairs, counters.

All of it is one transaction after the session, or after a validated subtask of it. While a session
runs, nothing here is called. Learning a session twice changes nothing but its facts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import numpy as np

from recollect.inference.indexer import Indexer
from recollect.jobs.queue import promise
from recollect.jobs.schedule import ensure_schedule
from recollect.memories.drafts import Draft, draft_of, memory_of
from recollect.memories.keeper import MemoryKeeper
from recollect.observer.across import across
from recollect.observer.candidates import Candidate
from recollect.observer.coaccess import commit_pairs, merged, session_pairs
from recollect.observer.discretion import Discretion, discretion_of
from recollect.observer.facts import SessionFacts, facts_of, kept
from recollect.observer.git_history import Commit
from recollect.observer.history import History
from recollect.observer.observer import Observer, Report
from recollect.observer.prediction import Predicted, predict
from recollect.observer.promotion import Judge, Judged, Known, Refused, fields_of
from recollect.observer.remembered import history_from
from recollect.observer.sketches import Sketch
from recollect.observer.synthesis import CHAINS, SYNTHESISE, WEEK, threshold
from recollect.observer.taxonomy import Signal
from recollect.observer.wording_task import Wording, local_wording
from recollect.storage import events, memories, observations
from recollect.storage.database import Database, Transaction
from recollect.storage.observations import Pair
from recollect.trust.visibility import look, require_role
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Role, Space

SESSIONS: Final = 600
KNOWN: Final = 1_000
_HISTORY_KEPT: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was remembered of a session, and what was not, with the reason."""

    session: str
    memories: tuple[Memory, ...]
    dropped: tuple[Refused, ...]


class Learner:
    """The observer's side that knows the store."""

    def __init__(
        self,
        database: Database,
        keeper: MemoryKeeper,
        indexer: Indexer,
        clock: Clock,
        wording: Wording = local_wording,
    ) -> None:
        self._database = database
        self._keeper = keeper
        self._clock = clock
        self._judge = Judge(embed=embedding(indexer))
        self._wording = wording
        self._histories: dict[str, tuple[datetime, History]] = {}

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
        """Remember what a session taught; ``over`` says that it will do no more, ``page`` names the
        stream it was recorded on."""
        return self.learn_from(
            viewer, space, observer.report(), succeeded=succeeded, over=over, page=page
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
        """The same from what was noticed; ``patient`` says that a model may be waited for."""
        facts, candidates = report.facts, report.candidates
        discretion = self.discretion(viewer, space, facts.session, page)
        if discretion.silent:
            unheard = tuple(Refused(one, discretion.silent) for one in candidates)
            return Lesson(facts.session, (), unheard)
        found, seen, known = self._looked_up(viewer, space, facts, candidates)
        judged = self._judge.judge(
            found,
            seen,
            known,
            report.session_type,
            succeeded=succeeded,
            wording=partial(self._wording, space.id) if patient else None,
        )
        drafts, unfit = self._drafts(viewer, space, judged, discretion)
        notes = None
        if over and discretion.shares:
            notes = self._noting(viewer, space, facts, found, report.sketches)
        made = self._keeper.create_all(viewer, space, drafts, notes)
        self._histories.pop(space.id, None)
        return Lesson(facts.session, tuple(made), (*judged.dropped, *unfit))

    def discretion(
        self, viewer: Viewer, space: Space, session: str, page: str | None = None
    ) -> Discretion:
        """How far a session's traces may go."""
        with self._database.reading() as transaction:
            sight = require_role(look(transaction, viewer, space), Role.MEMBER, "learn")
            return discretion_of(transaction, sight, session, page)

    def bootstrap(self, viewer: Viewer, space: Space, commits: Sequence[Commit]) -> int:
        """Learn from commits which files change together; how many were new."""

        def work(transaction: Transaction) -> int:
            require_role(look(transaction, viewer, space), Role.MEMBER, "learn from commits")
            ordered = [(commit, at, _short(paths)) for commit, at, paths in commits]
            new = observations.put_commits(transaction, space.id, ordered)
            pairs = [pair for _, at, paths in new for pair in commit_pairs(at, paths)]
            observations.strengthen(transaction, space.id, merged(pairs))
            return len(new)

        added = self._database.write(work)
        self._histories.pop(space.id, None)
        return added

    def predict(
        self,
        viewer: Viewer,
        space: Space,
        files: Sequence[str],
        prompt: str = "",
        *,
        branch: str = "",
        limit: int = 10,
    ) -> list[Predicted]:
        """The files that a session which touched these will probably touch next."""
        history = self.history(viewer, space)
        return predict(history, files, self._clock(), prompt, branch=branch, limit=limit)

    def together(
        self, viewer: Viewer, space: Space, files: Sequence[str], limit: int = 20
    ) -> list[Pair]:
        """The pairs that these files are in, the strongest first."""
        with self._database.reading() as transaction:
            require_role(look(transaction, viewer, space), Role.READER, "see what goes together")
            return observations.pairs_of(transaction, space.id, list(files), limit=limit)[:limit]

    def history(self, viewer: Viewer, space: Space) -> History:
        """What is known of the space's files; read again when it is half a minute old."""
        now = self._clock()
        with self._database.reading() as transaction:
            require_role(look(transaction, viewer, space), Role.READER, "see what is learned")
            found = self._histories.get(space.id)
            if found is None or now - found[0] > _HISTORY_KEPT:
                found = self._histories[space.id] = (now, history_from(transaction, space.id))
        return found[1]

    def _looked_up(
        self, viewer: Viewer, space: Space, facts: SessionFacts, candidates: Sequence[Candidate]
    ) -> tuple[list[Candidate], dict[tuple[str, str], int], list[Known]]:
        """The candidates with those that only several sessions show, and what is known of them."""
        with self._database.reading() as transaction:
            sight = require_role(look(transaction, viewer, space), Role.MEMBER, "learn")
            past = [
                facts_of(session, started_at, document)
                for session, started_at, document in observations.recent_sessions(
                    transaction, space.id, SESSIONS
                )
                if session != facts.session
            ]
            found = [*candidates, *across([*past, facts])]
            signs = list(dict.fromkeys((one.signal.value, one.key) for one in found))
            counts = observations.count_sightings(transaction, space.id, signs, but=facts.session)
            pointed = {event for one in found for event in one.events}
            there = (
                set(events.get_events(transaction, sight, sorted(pointed))) if pointed else set()
            )
            listed = memories.list_memories(
                transaction,
                sight,
                Filters(),
                now=to_microseconds(self._clock()),
                before=None,
                limit=KNOWN,
            )
        known = [
            Known(memory.content, frozenset(memory.files), frozenset(memory.tags))
            for memory in listed
        ]
        seen = {sign: count + 1 for sign, count in counts.items()}
        return [_pointing(one, there) for one in found], seen, known

    def _drafts(
        self, viewer: Viewer, space: Space, judged: Judged, discretion: Discretion
    ) -> tuple[list[Draft], list[Refused]]:
        """The drafts of what is promoted; one that does not fit is told, not thrown."""
        drafts: list[Draft] = []
        unfit: list[Refused] = []
        for one in judged.promoted:
            try:
                draft = draft_of(one.content, fields_of(one) | discretion.fields)
                memory_of(draft, space, viewer, self._clock())
            except InvalidInput as error:
                unfit.append(Refused(one, f"does not fit: {error.message}"))
            else:
                drafts.append(draft)
        return drafts, unfit

    def _noting(
        self,
        viewer: Viewer,
        space: Space,
        facts: SessionFacts,
        found: Sequence[Candidate],
        sketches: Mapping[str, Sketch],
    ) -> Callable[[Transaction], None]:
        """Synthesis of the first kind: what every session adds, without a model."""
        now = self._clock()
        signs = [(one.signal.value, one.key[:500]) for one in found if _sighted(one)]

        def write(transaction: Transaction) -> None:
            new = observations.put_session(
                transaction, space.id, facts.session[:200], facts.started_at, kept(facts)
            )
            observations.add_sightings(transaction, space.id, facts.session[:200], signs, now)
            names = {path: {"names": sketch.state()} for path, sketch in sketches.items()}
            observations.put_sketches(transaction, space.id, names, now)
            if not new:
                return
            observations.strengthen(transaction, space.id, session_pairs(facts))
            counts = observations.count_modules(transaction, space.id, facts.modules[:20], now)
            for module, (sessions, thought) in counts.items():
                if threshold(sessions) > thought:
                    payload = {"module": module, "sessions": sessions, "user": viewer.user}
                    promise(transaction, space.id, SYNTHESISE, payload, now=now)
            ensure_schedule(transaction, space.id, CHAINS, CHAINS, every=WEEK, first=now + WEEK)

        return write


def embedding(indexer: Indexer) -> Callable[[Sequence[str]], "np.ndarray[Any, Any]"] | None:
    """The local embedder; a remote one is not asked to compare, words do."""
    embedder = indexer.embedder
    if embedder is None or not embedder.local:
        return None
    return lambda texts: np.asarray(embedder.embed(list(texts)))


def _pointing(one: Candidate, there: set[str]) -> Candidate:
    return replace(one, events=tuple(event for event in one.events if event in there))


def _sighted(one: Candidate) -> bool:
    """Whether a sign must be counted: what shows in one session or by comparing needs no count."""
    return one.signal not in _COMPARED and one.needed_sessions > 1


def _short(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if 0 < len(path) <= 500)


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
