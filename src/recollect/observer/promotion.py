"""Promotes candidates to memories in eight steps, each a function of the previous one's result.

Validation, frequency, novelty, trust, scoring and wording happen here, on values; the keeper does
the batch of embeddings and the one transaction. Every dropped candidate carries a reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import numpy as np

from recollect.memories.lesson_changes import LessonConflict
from recollect.memories.text_comparison import WordVectors, are_distinct, read
from recollect.observer.candidates import (
    BY_USER,
    CAPS,
    TAINT_FACTOR,
    WISHES,
    Candidate,
    SessionType,
)
from recollect.observer.covered import is_covered
from recollect.observer.gates import rank
from recollect.observer.phrases import digest
from recollect.observer.taxonomy import LEAST_SCORE, TRAITS, Signal
from recollect.observer.wish_relations import WishRelation, related
from recollect.trust.secrets import redacted, redacted_values
from recollect.vocabulary.bounded_wishes import BOUNDED, LONGEST, is_bounded
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.own_wishes import ONE_PERSONS_WISH

#: Similarity above which a text repeats a memory about the same files.
SAME: Final = 0.88
LEAST_CONFIDENCE: Final = 0.45
HIGHEST_CONFIDENCE: Final = 0.95
#: A wish that seems to contradict more earlier ones is read wrongly.
MAX_CONFLICTS: Final = 3
KNOWN_ALREADY: Final = "known already"

#: Candidates that are known, by identity, with the memory; and the signs of those that clear one.
Repeats = tuple[dict[int, str], tuple[tuple[str, str], ...]]
Embed = Callable[[Sequence[str]], "np.ndarray[Any, Any]"]
Scan = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Known:
    """An existing memory, reduced to what the novelty check needs."""

    content: str
    files: frozenset[str]
    signs: frozenset[str] = frozenset()
    id: str = ""
    said_at: datetime | None = None
    #: Whether it holds what a user asked for, in the user's words.
    is_wish: bool = False
    #: Work that it holds for, if not for all.
    unit: WorkUnit | None = None
    #: Whether it was learned after outside text and still waits for review.
    doubtful: bool = False


def known_of(memory: Memory) -> Known:
    """A memory, reduced to what is compared with candidates."""
    by_session = memory.provenance.source is Source.OBSERVER_INFERRED
    said = by_session and memory.content.startswith(BY_USER)
    taught = memory.provenance.source is Source.USER_TAUGHT and not memory.provenance.outside
    return Known(
        memory.content,
        frozenset(memory.files),
        frozenset(memory.tags),
        memory.id,
        memory.created_at,
        is_wish=(said or taught) and memory.type in WISHES,
        unit=memory.work_unit if is_bounded(memory) else None,
        doubtful=by_session and memory.needs_review and bool(memory.provenance.outside),
    )


@dataclass(frozen=True, slots=True)
class RejectedCandidate:
    """A candidate that is not promoted now, and the reason."""

    candidate: Candidate
    reason: str
    #: The memory that says the same already.
    known: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """Promoted candidates, most important first, and rejected ones."""

    promoted: tuple[Candidate, ...]
    dropped: tuple[RejectedCandidate, ...]
    #: Signs of candidates, each with the memory that said it after outside text and waits for
    #: review: shown again without any, it takes that one's place.
    cleared: tuple[tuple[str, str], ...] = ()

    @property
    def settled(self) -> list[Candidate]:
        """Candidates that are decided whatever else the session does: promoted, or known
        already."""
        known = [one.candidate for one in self.dropped if one.reason == KNOWN_ALREADY]
        return [*self.promoted, *known]


@dataclass(frozen=True, slots=True)
class Judge:
    """Dependencies of the steps: the embedder and the secret scanner."""

    embed: Embed | None = None
    scan: Scan = redacted  # every promoted text passes this scanner, and only here
    vectors: WordVectors | None = None

    def judge(
        self,
        candidates: Sequence[Candidate],
        seen: Mapping[tuple[str, str], int],
        known: Sequence[Known],
        session_type: SessionType = SessionType.BUILD,
        *,
        succeeded: bool = True,
        wording: Callable[[Sequence[Candidate]], Sequence[str]] | None = None,
    ) -> Judged:
        """Run the steps in order; ``wording`` gives each promoted candidate its text."""
        dropped: list[RejectedCandidate] = []
        found = _kept(validated(candidates, succeeded), candidates, dropped, "failed approach")
        counted = [_counted(one, seen) for one in found]
        found = _kept(frequent(counted), counted, dropped, "not seen in enough sessions")
        again, cleared = self.repeats(found, known)
        dropped += [
            RejectedCandidate(one, KNOWN_ALREADY, again[id(one)])
            for one in found
            if id(one) in again
        ]
        found = [one for one in found if id(one) not in again]
        found = [scored(trusted(one)) for one in found]
        sure = [one for one in found if one.confidence >= _least_of(one)]
        found = _kept(sure, found, dropped, "not sure enough")
        found.sort(key=lambda one: (*rank(one, session_type), one.key))
        cap = CAPS[session_type]
        dropped += [RejectedCandidate(one, "over the session's cap") for one in found[cap:]]
        worded = [
            replace(one, content=self.scan(text), extras=redacted_values(one.extras))
            for one, text in _worded(found[:cap], wording)
        ]
        return Judged(tuple(worded), tuple(dropped), cleared)

    def repeats(self, candidates: Sequence[Candidate], known: Sequence[Known]) -> Repeats:
        """Candidates that say nothing new, by identity, each with the id of the memory that says it
        already; empty where it is another candidate of the session. And the signs of those that
        were known from outside text only, with the memories that they clear."""
        if not candidates:
            return {}, ()
        texts = [one.content for one in candidates] + [one.content for one in known]
        alike = _likeness(texts, len(candidates), self.embed)
        signs = {sign: one for one in reversed(known) for sign in one.signs}
        cleared: list[tuple[str, str]] = []
        said: set[str] = set()  # a sentence occurs once per batch, whatever its files
        taken: list[int] = []
        found: dict[int, str] = {}
        for place, one in enumerate(candidates):
            sign = sign_of(one)
            if sign in signs and not _clears(one, signs[sign]):
                found[id(one)] = signs[sign].id
                continue
            near = [candidates[at] for at in taken if alike[place][at] > SAME]
            if (
                digest(one.content) in said
                or any(_says_same(one, other) for other in near)
                or _is_covered(one, candidates, known)
            ):
                found[id(one)] = ""
                continue
            same = [
                other
                for at, other in enumerate(known, len(candidates))
                if sign in other.signs or self._is_repeat(one, other, float(alike[place][at]))
            ]
            held = next((other for other in same if not _clears(one, other)), None)
            if held is not None:
                found[id(one)] = held.id
            else:
                cleared += [(sign, other.id) for other in same]
                taken.append(place)
                said.add(digest(one.content))
        return found, tuple(cleared)

    def conflicts(
        self, promoted: Sequence[Candidate], known: Sequence[Known]
    ) -> list[LessonConflict]:
        """Wishes kept before that a new one, by its place, replaces or contradicts. One that is not
        sure enough to be told, or that is older, replaces nothing."""
        wishes = [one for one in known if one.is_wish]
        found: list[LessonConflict] = []
        for place, one in enumerate(promoted if wishes else ()):
            if not one.is_wish or one.unit is not None:
                continue  # what holds for a while replaces nothing that holds always
            for other in wishes:
                relation = related(other.content, one.content, self.vectors)
                if relation not in (WishRelation.REPLACES, WishRelation.AGAINST):
                    continue
                later = one.at is None or other.said_at is None or one.at >= other.said_at
                sure = relation is WishRelation.REPLACES and not one.needs_review and later
                found.append(LessonConflict(place, other.id, sure))
        return found if len(found) <= MAX_CONFLICTS else []

    def _is_repeat(self, one: Candidate, other: Known, likeness: float) -> bool:
        """Whether a memory says what a candidate says. Wishes are compared by what they choose."""
        if one.unit != other.unit:
            return False
        if one.is_wish and other.is_wish:
            relation = related(other.content, one.content, self.vectors)
            return relation is WishRelation.SAME or (
                relation is None and likeness > SAME and _says_same(one, other)
            )
        return likeness > SAME and _says_same(one, other)


def _clears(one: Candidate, other: Known) -> bool:
    """Whether a candidate without outside text says what a memory said after some."""
    return other.doubtful and one.tainted_by is None


def _is_covered(one: Candidate, others: Sequence[Candidate], known: Sequence[Known]) -> bool:
    """Whether a fuller text tells what a candidate does. What was found after outside text covers
    nothing that was found without any."""
    fit = [other for other in others if one.tainted_by is not None or other.tainted_by is None]
    return is_covered(one, fit, (other.content for other in known if not _clears(one, other)))


def _least_of(one: Candidate) -> float:
    """Confidence that a candidate needs. What follows outside text counts for less and waits for
    review; that alone is no reason to lose it."""
    return LEAST_CONFIDENCE * (1.0 if one.tainted_by is None else TAINT_FACTOR)


def _says_same(one: Candidate, other: Candidate | Known) -> bool:
    """Whether two near texts are one finding: about the same files; or about files of which one may
    be the other's, with no word that separates them."""
    mine, theirs = frozenset(one.files), frozenset(other.files)
    if mine == theirs:
        return True
    shared = not mine or not theirs or not mine.isdisjoint(theirs)
    return shared and not are_distinct(read(one.content), read(other.content))


def _worded(
    candidates: Sequence[Candidate],
    wording: Callable[[Sequence[Candidate]], Sequence[str]] | None,
) -> list[tuple[Candidate, str]]:
    """Word all candidates in one task; a user's words are unchanged."""
    own = [one.content for one in candidates]
    texts = wording(candidates) if wording and candidates else own
    return [
        (one, one.content if _is_verbatim(one) or not text.strip() else text.strip())
        for one, text in zip(candidates, texts, strict=True)
    ]


def _is_verbatim(one: Candidate) -> bool:
    """Whether a candidate is kept in the words in which it was found."""
    return bool(one.quote) or one.signal is Signal.COMMIT_STATEMENT


def validated(candidates: Iterable[Candidate], succeeded: bool) -> list[Candidate]:
    """Drop candidates from a failed approach, unless the failure is the lesson, and candidates of
    signals with too low a score."""
    lessons = {Signal.REFUSAL, Signal.ERROR_RETRY, Signal.SELF_CORRECTION}
    return [
        one
        for one in candidates
        if TRAITS[one.signal].score >= LEAST_SCORE
        and (one.type is MemoryType.DEAD_END or not one.failed)
        and (succeeded or one.signal in lessons)
    ]


def frequent(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates that enough sessions have shown."""
    return [one for one in candidates if one.sessions >= one.needed_sessions]


def trusted(candidate: Candidate) -> Candidate:
    """Keep the mark of outside text on the candidate; a user's own words lose it."""
    if candidate.tainted_by is None or candidate.quote:
        return replace(candidate, tainted_by=None)
    return candidate


def scored(candidate: Candidate) -> Candidate:
    """Final confidence, from the candidate, the score of its signal, and the number of sessions."""
    worth = 0.6 + 0.4 * TRAITS[candidate.signal].score
    more = 0.02 * min(candidate.sessions - 1, 5) + 0.03 * min(candidate.agents - 1, 3)
    confidence = min(HIGHEST_CONFIDENCE, candidate.confidence * worth + more)
    return replace(candidate, confidence=round(confidence, 3))


def tainted(candidate: Candidate, source: str) -> Candidate:
    """The candidate after outside text: with lower confidence, and subject to review."""
    confidence = candidate.confidence * TAINT_FACTOR
    return replace(candidate, tainted_by=source, confidence=confidence)


def fields_of(candidate: Candidate) -> dict[str, Any]:
    """Fields of a memory's draft for a candidate."""
    return {
        "type": candidate.type.value,
        "confidence": candidate.confidence,
        "importance": round(TRAITS[candidate.signal].score, 2),
        "source": source_of(candidate).value,
        "files": [path for path in candidate.files if len(path) <= 200],
        "modules": [module for module in candidate.modules if len(module) <= 200],
        "events": candidate.events,
        "session": candidate.session,
        "tags": _tags(candidate),
        "extras": candidate.extras,
        "happened_at": candidate.at,
        "commit": candidate.commit,
        "phase": candidate.phase,
        "work_unit": candidate.unit,
        "valid_to": candidate.at + LONGEST if candidate.unit and candidate.at else None,
        "needs_review": candidate.needs_review,
        "outside": [candidate.tainted_by] if candidate.tainted_by else [],
    }


def source_of(candidate: Candidate) -> Source:
    """How the memory of a candidate was made."""
    stated = candidate.signal is Signal.COMMIT_STATEMENT
    return Source.COMMIT_AUTO if stated else Source.OBSERVER_INFERRED


def sign_of(candidate: Candidate) -> str:
    """Tag that identifies a finding independently of its wording."""
    return f"sign:{digest(f'{candidate.signal.value} {candidate.key}')}"


def _tags(candidate: Candidate) -> list[str]:
    tags = [f"signal:{candidate.signal.value}", sign_of(candidate)]
    if candidate.is_wish:
        tags.append(ONE_PERSONS_WISH)
    if candidate.unit is not None:
        tags.append(BOUNDED)
    return [*tags, "contaminated"] if candidate.tainted_by is not None else tags


def _counted(one: Candidate, seen: Mapping[tuple[str, str], int]) -> Candidate:
    return replace(one, sessions=max(one.sessions, seen.get((one.signal.value, one.key), 0)))


def _kept(
    kept: Sequence[Candidate],
    candidates: Sequence[Candidate],
    dropped: list[RejectedCandidate],
    reason: str,
) -> list[Candidate]:
    known = {id(one) for one in kept}
    dropped += [RejectedCandidate(one, reason) for one in candidates if id(one) not in known]
    return list(kept)


def _likeness(texts: Sequence[str], rows: int, embed: Embed | None) -> "np.ndarray[Any, Any]":
    """Similarity of each of the first texts to all texts, from 0 to 1."""
    if embed is not None:
        vectors = np.asarray(embed(texts), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors / np.maximum(lengths, 1e-9)
        return np.asarray(vectors[:rows] @ vectors.T)
    words = [frozenset(text.lower().split()) for text in texts]
    return np.array(
        [[len(a & b) / max(1, len(a | b)) for b in words] for a in words[:rows]], np.float32
    )
