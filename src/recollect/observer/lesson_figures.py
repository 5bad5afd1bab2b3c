"""Measures recall of lessons: how many annotated lessons the observer's memories cover.

A memory covers a lesson when it cites a record that the lesson names as evidence. Each session is
replayed by itself, as if nothing were known before it. The baseline is the same number of users'
turns drawn at random, each citing what a memory of that turn would cite; a result above it shows
selection, not chance.
"""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.names import words
from recollect.observer.observer import Observer
from recollect.observer.promotion import Judge
from recollect.observer.replay import Played
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.errors import InvalidInput

_DRAWS: Final = 40
_SEED: Final = 17
_TURNS: Final = frozenset({Signal.REFUSAL, Signal.CORRECTION})
_LEAST_WORD_LENGTH: Final = 4


@dataclass(frozen=True, slots=True)
class AnnotatedLesson:
    """A lesson written by a reader, with the beginnings of the records that show it."""

    session: str
    text: str
    evidence: tuple[str, ...]
    by_user: bool = False  # stated by the user in words

    def is_shown_by(self, records: Iterable[str]) -> bool:
        """Whether one of the records is evidence of the lesson."""
        return any(record.startswith(self.evidence) for record in records)


@dataclass(frozen=True, slots=True)
class _Cited:
    """A memory, reduced to what the measurement needs."""

    session: str
    text: str
    records: tuple[str, ...]


def lessons_of(file: Path) -> list[AnnotatedLesson]:
    """Lessons of a file with one JSON object per line."""
    try:
        lines = file.read_text("utf-8").splitlines()
        return [_lesson(json.loads(line)) for line in lines if line.strip()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{str(file)!r} does not hold lessons: {error}.") from None


def lesson_figures(
    sessions: Sequence[Played], lessons: Sequence[AnnotatedLesson]
) -> dict[str, int | float]:
    """Figures for the annotated sessions, using rules only."""
    wanted = {lesson.session for lesson in lessons}
    annotated = [played for played in sessions if played.name in wanted]
    found = {played.name: _candidates(played) for played in annotated}
    promoted = {name: Judge().judge(some, {}, []).promoted for name, some in found.items()}
    return figures_of(annotated, lessons, promoted)


def figures_of(
    annotated: Sequence[Played],
    lessons: Sequence[AnnotatedLesson],
    memories: Mapping[str, Sequence[Candidate]],
) -> dict[str, int | float]:
    """Figures for some sessions with the memories promoted from each; ``told`` ones are those that
    need no review before an agent is told them, and ``said_by_user`` are the lessons that the user
    stated in words."""
    there = {played.name for played in annotated}
    gold = [lesson for lesson in lessons if lesson.session in there]
    promoted = [_cited(one) for name in there for one in memories.get(name, ())]
    turns = [turn for played in annotated for turn in _turns(played, _candidates(played))]
    first = [_Cited(one.session, one.text, one.records[:1]) for one in promoted]
    told = [_cited(one) for name in there for one in memories.get(name, ()) if not one.needs_review]
    said = [lesson for lesson in gold if lesson.by_user]
    third, half = _worded(gold, promoted)
    floor = _floor(gold, turns, len(promoted))
    return {
        "gold": len(gold),
        "sessions": len(annotated),
        "promoted": len(promoted),
        "per_session": round(len(promoted) / max(1, len(annotated)), 2),
        "recall": _recall(gold, promoted),
        "precision": _precision(gold, promoted),
        "anchored_recall": _recall(gold, first),
        "anchored_precision": _precision(gold, first),
        "words_third": third,
        "words_half": half,
        "floor_recall": floor[0],
        "floor_precision": floor[1],
        "said_by_user": len(said),
        "said_by_user_recall": _recall(said, promoted),
        "told": len(told),
        "told_recall": _recall(gold, told),
        "told_precision": _precision(gold, told),
    }


def _lesson(line: Mapping[str, Any]) -> AnnotatedLesson:
    evidence = tuple(str(one) for one in line["evidence"] if str(one))
    by_user = line.get("who") == "user" and line.get("how_told") == "stated"
    return AnnotatedLesson(str(line["session"]), str(line["lesson"]), evidence, by_user)


def _candidates(played: Played) -> list[Candidate]:
    observer = Observer(played.name)
    for act in played.acts:
        observer.observe(act)
    return observer.candidates()


def _cited(one: Candidate) -> _Cited:
    return _Cited(one.session, one.content, one.events)


def _turns(played: Played, found: Sequence[Candidate]) -> list[_Cited]:
    """Every turn of the user, with the records that its memory would cite."""
    known = {one.events[0]: one for one in found if one.signal in _TURNS and one.events}
    turns: list[_Cited] = []
    for act in played.acts:
        spoken = act.kind is ActKind.PROMPT or (act.kind is ActKind.REFUSAL and act.text.strip())
        if spoken and act.event:
            one = known.get(act.event)
            turns.append(
                _Cited(played.name, act.text, (act.event,)) if one is None else _cited(one)
            )
    return turns


def _floor(
    gold: Sequence[AnnotatedLesson], turns: Sequence[_Cited], count: int
) -> tuple[float, float]:
    drawn = random.Random(_SEED)
    recalls = precisions = 0.0
    for _ in range(_DRAWS):
        some = drawn.sample(list(turns), min(count, len(turns)))
        recalls += _recall(gold, some)
        precisions += _precision(gold, some)
    return round(recalls / _DRAWS, 3), round(precisions / _DRAWS, 3)


def _recall(gold: Sequence[AnnotatedLesson], memories: Sequence[_Cited]) -> float:
    covered = sum(any(_covers(one, lesson) for one in memories) for lesson in gold)
    return round(covered / max(1, len(gold)), 3)


def _precision(gold: Sequence[AnnotatedLesson], memories: Sequence[_Cited]) -> float:
    right = sum(any(_covers(one, lesson) for lesson in gold) for one in memories)
    return round(right / max(1, len(memories)), 3)


def _covers(one: _Cited, lesson: AnnotatedLesson) -> bool:
    return one.session == lesson.session and lesson.is_shown_by(one.records)


def _worded(gold: Sequence[AnnotatedLesson], memories: Sequence[_Cited]) -> tuple[float, float]:
    """Shares of lessons of whose content words a covering memory contains a third, and half."""
    third = half = 0
    for lesson in gold:
        wanted = _content_words(lesson.text)
        shares = [
            len(wanted & _content_words(one.text)) / max(1, len(wanted))
            for one in memories
            if _covers(one, lesson)
        ]
        best = max(shares, default=0.0)
        third += best >= 1 / 3
        half += best >= 1 / 2
    return round(third / max(1, len(gold)), 3), round(half / max(1, len(gold)), 3)


def _content_words(text: str) -> set[str]:
    """Words that carry meaning: names split, in the singular, common words left out."""
    return {word for word in words(text) if len(word) >= _LEAST_WORD_LENGTH}
