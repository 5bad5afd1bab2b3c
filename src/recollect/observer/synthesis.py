"""Synthesis across sessions: at certain numbers of sessions per module, and weekly.

After 5, 10, 20, 50 and 100 sessions in a module, the common findings of its sessions are stored;
weekly, modules that change together and chains of files that follow each other. Both are jobs. Both
apply the same novelty check, have the findings worded by a model if one is configured, and mark
them for review.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from recollect.jobs.handler import Write
from recollect.memories.drafts import draft_of
from recollect.memories.write_path import WritePath
from recollect.observer.across import LARGE, across_module
from recollect.observer.candidates import Candidate
from recollect.observer.coaccess import NEEDED, CoAccess, is_directional, weighed
from recollect.observer.facts import SessionFacts, facts_of
from recollect.observer.names import folder, twins
from recollect.observer.promotion import Judge, Known, fields_of
from recollect.observer.taxonomy import Signal
from recollect.observer.wording_task import Wording, local_wording
from recollect.storage.agents import observations
from recollect.storage.agents.observations import Pair
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages.spaces import space_of
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.spaces import Space

SYNTHESISE: Final = "observer.synthesise"
CHAINS: Final = "observer.chains"
WEEK: Final = timedelta(days=7)
THRESHOLDS: Final = (5, 10, 20, 50, 100)
KEEPER: Final = Viewer("recollect")
MAX_MEMORIES_OF_JOB: Final = 5
_SESSIONS: Final = 600
_PAIRS: Final = 500
_KNOWN: Final = 1_000
_LEAST_SESSIONS: Final = 4
_LEAST_SHARE: Final = 0.5


def threshold(sessions: int) -> int:
    """Largest synthesis threshold that this number of sessions has reached; 0 if none."""
    return max((count for count in THRESHOLDS if count <= sessions), default=0)


class Synthesis:
    """Handler of both jobs."""

    def __init__(
        self,
        database: Database,
        path: WritePath,
        judge: Judge,
        wording: Wording = local_wording,
    ) -> None:
        self._database = database
        self._path = path
        self._judge = judge
        self._wording = wording

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Find, judge and word the candidates; returns the write that stores them."""
        writes: list[Write] = []
        for job in jobs:
            with self._database.reading(all_spaces=True) as transaction:
                space = space_of(transaction, job.space_id)
                if space is None:
                    continue
                found = self._found(transaction, job)
                known = _known(transaction, space)
            writes.append(self._write(space, job, found, known))

        def write(transaction: Transaction) -> None:
            for one in writes:
                one(transaction)

        return write

    def _found(self, transaction: Transaction, job: Job) -> list[Candidate]:
        sessions = [
            facts_of(session, started_at, document)
            for session, started_at, document in observations.recent_sessions(
                transaction, job.space_id, _SESSIONS
            )
        ]
        if job.kind == SYNTHESISE:
            return across_module(sessions, str(job.payload["module"]))
        pairs = observations.strongest_pairs(transaction, job.space_id, _LEAST_SESSIONS, _PAIRS)
        known = weighed(transaction, job.space_id, pairs)
        return [*followers(known), *chains(pairs), *clusters(sessions)]

    def _write(
        self, space: Space, job: Job, found: Sequence[Candidate], known: Sequence[Known]
    ) -> Write:
        wording = partial(self._wording, space.id)
        judged = self._judge.judge(found, {}, known, wording=wording).promoted[:MAX_MEMORIES_OF_JOB]
        owner = Viewer(str(job.payload["user"])) if "user" in job.payload else KEEPER
        drafts = [
            replace(draft_of(one.content, fields_of(one)), needs_review=True) for one in judged
        ]
        keep = self._path.for_job(owner, space, drafts)

        def write(transaction: Transaction) -> None:
            if job.kind == SYNTHESISE:
                module, count = str(job.payload["module"]), int(job.payload["sessions"])
                if not observations.synthesised(transaction, space.id, module, threshold(count)):
                    return
            keep(transaction)

        return write


def followers(pairs: Iterable[CoAccess]) -> Iterator[Candidate]:
    """Files that nearly always follow another one, and are used with it rather than alone."""
    for one in pairs:
        first, then = one.order
        if one.weight <= NEEDED or not one.directional or twins(first, then):
            continue
        yield Candidate(
            signal=Signal.CO_ACCESS,
            key=f"{first} → {then}",
            type=MemoryType.CAUSAL_DEPENDENCY,
            content=(
                f"Work on `{first}` goes on to `{then}` "
                f"({one.times} sessions, in this order; strength {one.weight:.2f})."
            ),
            session="across sessions",
            files=(first, then),
            modules=tuple(dict.fromkeys(filter(None, (folder(first), folder(then))))),
            confidence=one.weight,
            sessions=one.times,
            extras={"when_changed": first, "then_touch": [then]},
        )


def chains(pairs: Iterable[Pair]) -> Iterator[Candidate]:
    """Files that nearly always follow each other in this order."""
    follows: dict[str, list[tuple[str, Pair]]] = {}
    for pair in pairs:
        if is_directional(pair) and not twins(pair.first, pair.second):
            forward = pair.forward * 2 >= pair.times
            first, then = (pair.first, pair.second) if forward else (pair.second, pair.first)
            follows.setdefault(first, []).append((then, pair))
    for first, nexts in sorted(follows.items()):
        then, one = max(nexts, key=lambda item: item[1].weight)
        further = [(last, two) for last, two in follows.get(then, ()) if last not in (first, then)]
        if not further:
            continue
        last, two = max(further, key=lambda item: item[1].weight)
        times = min(one.times, two.times)
        yield Candidate(
            signal=Signal.CO_ACCESS,
            key=f"{first} → {then} → {last}",
            type=MemoryType.CAUSAL_DEPENDENCY,
            content=(
                f"Work that begins at `{first}` goes on to `{then}` and from there to `{last}` "
                f"({times} sessions)."
            ),
            session="across sessions",
            files=(first, then, last),
            confidence=0.65,
            sessions=times,
            extras={"when_changed": first, "then_touch": [then, last]},
        )


def clusters(sessions: Sequence[SessionFacts]) -> Iterator[Candidate]:
    """Modules that change together more often than not."""
    changed = [
        {folder(path) for path in past.edited if folder(path)}
        for past in sessions
        if 0 < len(past.edited) <= LARGE
    ]
    counts = Counter(module for modules in changed for module in modules)
    both = Counter(
        (first, second)
        for modules in changed
        for first in modules
        for second in modules
        if first != second
    )
    for (first, second), times in sorted(both.items()):
        share = times / counts[first]
        usual = counts[second] / len(changed)
        if times >= _LEAST_SESSIONS and share >= _LEAST_SHARE and share > 1.5 * usual:
            yield Candidate(
                signal=Signal.CO_ACCESS,
                key=f"{first} ⇒ {second}",
                type=MemoryType.CAUSAL_DEPENDENCY,
                content=(
                    f"Changes in `{first}` reach `{second}` in {times} of {counts[first]} sessions."
                ),
                session="across sessions",
                modules=(first, second),
                confidence=0.6 + 0.3 * share,
                sessions=times,
                extras={"when_changed": first, "then_touch": [second]},
            )


def _known(transaction: Transaction, space: Space) -> list[Known]:
    found = reads.contents_for_jobs(transaction, space.id, _KNOWN)
    return [Known(*one) for one in found]
