"""Ranks a person's entries as answers to a question: the best one, or none if none is good enough.

Each entry has a score from its features (``answer_features``); the best one answers when its score
is high enough. Among entries with nearly the same score, the newer comes first.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.chat.answers.answer_features import QuestionFeatures, answer_score
from recollect.chat.answers.answer_people import (
    OF_ANOTHER_NAME,
    OF_US_ALONE,
    KnownEntry,
    of_a_third,
    of_another_person,
)
from recollect.chat.answers.crowded_evidence import CrowdedEvidence, crowded_score, has_contact
from recollect.chat.answers.informal_spelling import InformalSpelling
from recollect.chat.answers.later_counts import counts_others
from recollect.chat.answers.later_versions import common_words, is_later_version
from recollect.chat.answers.newer_values import NewerValues, RatedEntry
from recollect.chat.answers.question_reader import AskedQuestion
from recollect.chat.answers.question_subjects import QuestionSubjects
from recollect.chat.answers.required_details import RequiredDetail, required_detail
from recollect.chat.answers.shared_readings import SharedReadings, WordVectors
from recollect.chat.answers.word_alignment import with_siblings
from recollect.chat.language.change_words import says_anew
from recollect.chat.language.sentence_subject import names_in
from recollect.chat.updates.debts import settles
from recollect.memories.text_comparison import stem

_ASKS_WHETHER_SELF: Final = re.compile(
    r"(?:and |so |hey,? |wait,? )?(?:am|do|did|have|was|can|should) i\b"
    r"|(?:et |dis,? )?(?:est-ce que |est-ce qu')?(?:suis-je|ai-je|je suis|j'ai|je)\b",
    re.IGNORECASE,
)
#: More entries than this are compared with each other (``crowded_evidence``).
CROWD: Final = 16
_FAR: Final = -99.0  # score of an entry that does not lead
#: Minimum score of an entry that answers.
ENOUGH: Final = -0.5
ENOUGH_AMONG_MANY: Final = -0.35
_ALIKE: Final = 0.6  # score difference within which entries are equal and the newer comes first
_AS_MANY: Final = 0.5  # how much less of the question's words a newer entry may match
#: The same difference where both state the requested attribute: a person has one job, one home.
_SAME_ATTRIBUTE: Final = 1.5
#: The same difference where both match the same words and hold the requested kind of value.
_SAME_VALUE: Final = 2.5
#: The same difference where a later entry says that something changed or began.
_BEGUN_ANEW: Final = 4.0
_ALIKE_NOW: Final = 1.5  # the same difference where the question says "now"
#: How far below the best one of many entries another may score that tells its newer value.
_FOLLOWS: Final = 3.0
#: The same where nothing says that both are about the same thing.
_FOLLOWS_ANY: Final = 2.0
#: Minimum log odds of a later entry that answers in the place of the best one.
NEWER: Final = 0.0


#: Features by which two entries are compared with the question.
_ALIGNED: Final = (
    "core_met", "core_same", "category_met", "core_instance", "category_instance", "named",
    "related",
)  # fmt: skip


#: Features of entries that are over or about somebody else.
_ELSEWHERE: Final = frozenset({"over", "of_another", "of_both", "of_other_kin"})
_TOPICAL: Final = ("core_any", "category_any", "attribute_told", "attribute_hint")
_BY_NAME: Final = frozenset({"holds_who", "holds_where", "holds_name"})
_PEOPLE: Final = ("named", "related")


@dataclass(frozen=True, slots=True)
class ScoredEntry:
    """An entry id with its score and time."""

    id: str
    score: float
    at: datetime


class Matcher:
    """Ranks entries for one question.

    Several rankings for the same question share their ``readings``.
    """

    def __init__(
        self,
        question: AskedQuestion,
        vectors: WordVectors | None,
        readings: SharedReadings | None = None,
    ) -> None:
        self._question = question
        self._vectors = vectors
        self._readings = readings or SharedReadings(vectors)
        self.scores: dict[str, float] = {}  # of every entry, including those that do not answer
        self.in_its_place = ""  # id of an entry put first as another version of the best
        self.crowded = False  # whether there are many entries
        self.rated: dict[str, RatedEntry] = {}  # every entry with its features and score
        self._common: frozenset[str] = frozenset()  # words that many entries have
        self.told: dict[str, KnownEntry] = {}  # every entry in its own spelling

    def ranked(self, known: Sequence[KnownEntry]) -> list[ScoredEntry]:
        """Entries that can answer, best first; among equals, the newer first."""
        self.told = {one.id: one for one in known}
        typing = InformalSpelling(known)
        self._question = typing.question(self._question)
        known = [typing.entry(one) for one in known]
        features = QuestionFeatures(self._question, known, self._vectors, self._readings)
        self.crowded = len(known) > CROWD
        detail, texts = required_detail(self._question), {one.id: one.text for one in known}
        evidence: dict[str, dict[str, float]] = {}
        if self.crowded:
            compared = CrowdedEvidence(
                self._question, known, features.nearness(known), features.aliases, self._readings
            )
            evidence, leaders = compared.of(), compared.leaders()
            self.scores = {one.id: _FAR for one in known}
            known = [one for one in known if one.id in leaders]
        found = {
            one.id: row | evidence.get(one.id, {})
            for one, row in zip(known, features.all(known), strict=True)
        }
        can_answer = _of_whom_is_asked(self._question, found)
        if self.crowded:
            for one in known:
                found[one.id] |= _against(self._question, one, found[one.id], detail, can_answer)
                if of_another_person(self._question, one, features.aliases):
                    found[one.id]["of_another_person"] = 1.0
            with_siblings(list(found.values()))
        scored = [ScoredEntry(one.id, self._score(one, found[one.id]), one.at) for one in known]
        self.scores.update({one.id: one.score for one in scored})
        self.rated = {one.id: RatedEntry(one, found[one.id], self.scores[one.id]) for one in known}
        self._common = common_words([one.text for one in known])
        things = QuestionSubjects(self._question, features.aliases, self._readings)
        entry_of = {one.id: one for one in known}
        good = sorted(
            (
                one
                for one in scored
                if one.score >= self.enough
                and (has_contact(found[one.id]) if self.crowded else can_answer(found[one.id]))
                and (self.crowded or detail.held_by(texts[one.id]))
                and things.met_by(entry_of[one.id], found[one.id])
            ),
            key=_by_score,
        )
        if not good:
            return []
        good = _fuller_first(good, found, texts)
        best = good[0]
        near = best.score - (_ALIKE_NOW if self._question.now else _ALIKE)
        met = found[best.id].get("core_met", 0.0) - _AS_MANY
        alike = [
            one
            for one in good
            if one is best
            or (
                one.score >= near
                and found[one.id].get("core_met", 0.0) > met
                and not ("named" in found[best.id] and "named" not in found[one.id])
                and not (
                    "attribute_told" in found[best.id] and "attribute_told" not in found[one.id]
                )
                and not (self._question.now and "over" in found[one.id])
            )
            or (
                one.score >= best.score - _SAME_ATTRIBUTE
                and _tells_the_same(found[best.id], found[one.id])
            )
            or (
                one.score >= best.score - _SAME_VALUE
                and _aligns_as_well(found[best.id], found[one.id])
            )
            or (
                one.at > best.at
                and one.score >= best.score - _BEGUN_ANEW
                and says_anew(texts[one.id])
                and _may_take_its_place(found[best.id], found[one.id])
                and bool(names_in(texts[one.id])) >= bool(found[best.id].keys() & _BY_NAME)
            )
        ]
        alike.sort(key=lambda one: (one.at, one.score), reverse=not self._question.past)
        return self._current([*alike, *(one for one in good if one not in alike)], known)

    @property
    def enough(self) -> float:
        """Minimum score of an entry that answers."""
        return ENOUGH_AMONG_MANY if self.crowded else ENOUGH

    def _score(self, one: KnownEntry, row: Mapping[str, float]) -> float:
        return crowded_score(row) if self.crowded else answer_score(row) + one.worth

    def _current(self, ranked: list[ScoredEntry], known: Sequence[KnownEntry]) -> list[ScoredEntry]:
        """Put the latest version of the best entry in first place; for a question about the past,
        the version before it.
        """
        question = self._question
        first = next(one for one in known if one.id == ranked[0].id)
        common = self._common

        def newer(one: KnownEntry, other: KnownEntry) -> bool:
            if one.at > other.at and settles(other.text, one.text):
                return True
            if self.crowded and (self._meets_less(one, other) or not self._may_follow(one, other)):
                return False  # of many entries, some tell of the same person by chance
            if counts_others(question, other.text, one.text, one.message):
                return False
            return one.at > other.at and is_later_version(
                one.text, other.text, question.wants, question.text, one.message, common=common
            )

        others = (
            one for one in known if (newer(first, one) if question.past else newer(one, first))
        )
        meant = max(
            others,
            key=lambda one: (
                one.at,
                any(name in one.text for name in question.names),
                not _holds_names_of(first, one),
                self.scores[one.id],
            ),
            default=None,
        )
        if meant is None or (question.past and first.over):
            return ranked
        self.in_its_place = meant.id
        chosen = ScoredEntry(meant.id, ranked[0].score, meant.at)
        return [chosen, *(one for one in ranked if one.id != meant.id)]

    def _meets_less(self, one: KnownEntry, other: KnownEntry) -> bool:
        """Whether one entry holds fewer of the question's words than another."""
        met, least = (self.rated[entry.id].row.get("core_met", 0.0) for entry in (one, other))
        return met <= least - _AS_MANY

    def _may_follow(self, one: KnownEntry, other: KnownEntry) -> bool:
        """Whether an entry answers by itself nearly as well as one whose place it would take."""
        return self._follows(self.rated[one.id], self.rated[other.id])

    def _follows(self, one: RatedEntry, best: RatedEntry) -> bool:
        """Whether an entry answers by itself nearly as well as the best one; less well where it
        speaks of the same thing or says that something changed.
        """
        margin = _FOLLOWS_ANY
        if "changed" in one.row or says_anew(one.entry.text) or self._same_thing(one, best):
            margin = _FOLLOWS
        return has_contact(one.row) and one.score >= best.score - margin

    def _same_thing(self, one: RatedEntry, best: RatedEntry) -> bool:
        """Whether two entries have a word in common that the question does not have."""
        mine, theirs = (
            {stem(word) for word in self._readings.words(entry.entry.text)} for entry in (one, best)
        )
        return bool((mine & theirs) - self._question.stems - self._common)

    def newer_value(self, best_id: str, others: Iterable[RatedEntry]) -> RatedEntry | None:
        """The later entry that most likely tells the newer value of what the best one answers."""
        best = self.rated.get(best_id)
        if best is None or self._question.past or self._question.several:
            return None
        later = [one for one in others if one.entry.at > best.entry.at]
        if self.crowded:
            later = [one for one in later if self._follows(one, best)]
        values = NewerValues(self._question, self._vectors, self._common)
        found = [(values.score(best, one), one) for one in later]
        score, newest = max(found, key=lambda one: one[0], default=(0.0, None))
        return newest if score > NEWER else None


def _against(
    question: AskedQuestion,
    one: KnownEntry,
    row: Mapping[str, float],
    detail: RequiredDetail,
    can_answer: Callable[[Mapping[str, float]], bool],
) -> dict[str, float]:
    """Features of what an entry lacks as an answer: the detail asked for, or the right person; and
    of a sentence from a message, which is no entry.
    """
    found: dict[str, float] = {}
    if not detail.held_by(one.text):
        found["detail_untold"] = 1.0
    if not can_answer(row):
        found["not_of_whom"] = 1.0
    if not (row.get("related") or row.get("named")) and of_a_third(question, one.text):
        found["of_a_third"] = 1.0
    if one.is_sentence:
        found |= {"message": 1.0, "worth": one.worth}
    return found


def _of_whom_is_asked(
    question: AskedQuestion, found: Mapping[str, Mapping[str, float]]
) -> Callable[[Mapping[str, float]], bool]:
    """Filter for entries that may answer, by the person they are about, regardless of score.

    A statement about a named person is no answer about somebody else, nor is one about the speaker
    that leaves out the person in the question. If some entries name the
    person in the question, the speaker's statements about themselves only are no answers. And
    whether the speaker is or does something is not answered by a statement about another person.
    """
    named = any("named" in row for row in found.values())
    of_self = _ASKS_WHETHER_SELF.match(question.text) is not None

    def can_answer(row: Mapping[str, float]) -> bool:
        if OF_ANOTHER_NAME in row or OF_US_ALONE in row or (of_self and "of_another" in row):
            return False
        return not (named and "named_nowhere" in row and "of_speaker_alone" in row)

    return can_answer


def _fuller_first(
    good: list[ScoredEntry], found: Mapping[str, Mapping[str, float]], texts: Mapping[str, str]
) -> list[ScoredEntry]:
    """If the best entry lacks what is asked for (why, when), put an entry first that begins with
    its text and continues it.
    """
    best = good[0]
    if not any(name.startswith("lacks_") for name in found[best.id]):
        return good
    start = texts[best.id].rstrip(".!")
    for one in good[1:]:
        if len(texts[one.id]) > len(start) + 10 and texts[one.id].startswith(start):
            fuller = ScoredEntry(one.id, best.score, one.at)
            return [fuller, *(other for other in good if other.id != one.id)]
    return good


def _holds_names_of(first: KnownEntry, other: KnownEntry) -> bool:
    """Whether every name in the other entry is in the first one too; then the other may tell that
    what the first one tells is over.
    """
    names = names_in(f" {other.text}")
    return bool(names) and names <= names_in(f" {first.text}")


def _tells_the_same(best: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether both state the requested attribute and the other does not say that it is over."""
    return "attribute_told" in best and "attribute_told" in other and "over" not in other


def _aligns_as_well(best: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether an entry matches the question as well as the best one does, and holds a value too."""
    return (
        any(
            name.startswith("holds_") or (name.endswith("_instance") and value)
            for name, value in best.items()
        )
        and all(
            other.get(name, 0.0) >= value
            for name, value in best.items()
            if name.startswith("holds_") or name in _ALIGNED
        )
        and not other.keys() & _ELSEWHERE
    )


def _may_take_its_place(best: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether an entry has to do with the question, is about the same person as the best one, and
    holds what that holds.
    """
    topical = any(other.get(name) for name in _TOPICAL)
    kept = all(
        name in other
        for name in best
        if (name.startswith("holds_") and name not in _BY_NAME) or name in _PEOPLE
    )
    return topical and kept and not other.keys() & _ELSEWHERE


def _by_score(one: ScoredEntry) -> float:
    return -one.score
