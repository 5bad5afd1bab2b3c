"""Whether a later entry tells the newer value of what an earlier entry answers.

People seldom say that something changed: after "my brother lives in Hamburg" comes "his flat in
Leipzig has a guest room". When a question is asked, its topic, the person and the kind of value are
known, so the later entry can be compared with the one that answers best: whether both are about the
same, whether the later holds another value of the kind that is asked for, how well it meets the
question by itself, how much later it was told, and whether words say that something changed. Each
is a feature of the pair; the weights are in ``newer_value_score.tsv``
(``python -m benchmarks.newer_value_fit`` fits them to questions whose right answer is known).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers.answer_kinds import holds
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.later_counts import counts_others
from recollect.chat.answers.question_reader import AskedQuestion, content_words_of
from recollect.chat.language.change_words import is_over, says_anew, says_otherwise
from recollect.chat.language.concepts import (
    concepts_asked,
    concepts_told,
    is_common_word,
    members_by_concept,
)
from recollect.chat.language.sentence_subject import SAME_RELATION, relations_in
from recollect.chat.updates.plans import calls_off
from recollect.chat.updates.single_attributes import attributes_of
from recollect.chat.updates.update_verdict import names_of, other_scope, topic_of
from recollect.memories.text_comparison import normalised, stem, words_of

WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]

#: Kinds of answer that a text either holds or not.
VALUE_KINDS: Final = frozenset(
    {"when", "age", "number", "money", "clock", "where", "who", "colour"}
)
_FEWEST_MEMBERS: Final = 8
_DAYS: Final = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:lun|mar|mercre|jeu|vendre|same)dis?\b"
    r"|\bdimanches?\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\b\d{1,2}(?:[:h.]\d{2}| ?(?:am|pm)\b|h\b)", re.IGNORECASE)
_DATED: Final = re.compile(r" \([^()]{0,30}\d{4}\)")
_FIGURE: Final = re.compile(
    r"(?<![\w.,:])(\d{1,7}(?:[.,]\d{1,3})?k?)(?:(?: |-)?([a-zà-ÿ%€£$]{1,15}))?", re.IGNORECASE
)
_IN_WORDS: Final = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze"
    r"|douze|quinze|vingt|trente|quarante|cinquante|soixante)[ -]([a-zà-ÿ]{3,15})",
    re.IGNORECASE,
)
_NO_UNIT: Final = frozenset(
    "a an and at by each every for from in of on or per the to un une par is it we so but".split()
)
_DAY_OR_FIGURE: Final = re.compile(
    r"\d{1,7}|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:lun|mar|mercre|jeu|vendre|same)di\b"
    r"|\bdimanche\b|\b(?:first|second|third|premier|première|deuxième)\b",
    re.IGNORECASE,
)
#: Kinds of another value that tell by themselves; of the others only whether there is one counts.
_TELLING: Final = frozenset({"new_name", "new_of_unit"})
_READ: Final = 600
_SHORT_MESSAGE: Final = 200
_FAR: Final = 6.0
_PEOPLE: Final = ("named", "related", "introduced", "named_around", "related_around")
_ELSEWHERE: Final = ("of_another", "of_other_kin", "of_another_name", "of_us_alone", "of_both")
_OWN: Final = ("core_met", "core_any", "core_near", "category_any", "category_near", "near_part")


@dataclass(frozen=True, slots=True)
class TextValues:
    """The values that a text holds, by kind, and the units of its figures."""

    names: frozenset[str]
    figures: frozenset[str]
    units: Mapping[str, frozenset[str]]
    days: frozenset[str]
    clocks: frozenset[str]
    members: Mapping[int, frozenset[str]]


@lru_cache(2_048)
def values_of(text: str) -> TextValues:
    """The values of a text: names, figures with their units, days, hours, things of a kind."""
    plain = _DATED.sub("", text[:_READ])
    units: dict[str, set[str]] = {}
    figures: set[str] = set()
    for found in (*_FIGURE.finditer(plain), *_IN_WORDS.finditer(plain)):
        figure, unit = found[1].lower(), (found[2] or "").lower()
        figures.add(figure)
        if unit and unit not in _NO_UNIT:
            units.setdefault(stem(unit), set()).add(figure)
    names = {one for one in names_of(plain) if not is_common_word(one) or one.isupper()}
    return TextValues(
        frozenset(one.removesuffix("'s").lower() for one in names),
        frozenset(figures),
        {unit: frozenset(found) for unit, found in units.items()},
        frozenset(found[0].lower().rstrip("s") for found in _DAYS.finditer(plain)),
        frozenset(found[0].lower() for found in _CLOCK.finditer(plain)),
        members_by_concept(words_of(normalised(plain)), _FEWEST_MEMBERS),
    )


@dataclass(frozen=True, slots=True)
class RatedEntry:
    """An entry with its features for the question and its score as the answer."""

    entry: KnownEntry
    row: Mapping[str, float]
    score: float


class NewerValues:
    """Compares later entries with the best one, for one question."""

    def __init__(
        self, question: AskedQuestion, vectors: WordVectors | None, common: frozenset[str]
    ) -> None:
        self._question = question
        self._vectors = vectors
        self._common = common
        self._names = {name.lower() for name in question.names}
        self._asked = frozenset(
            kind for word in question.terms for kind in concepts_asked(stem(word))
        )
        self._stems = question.stems

    def features(self, best: RatedEntry, later: RatedEntry) -> dict[str, float]:
        """Features of a later entry against the best one; a missing feature counts as 0."""
        new, old = later.entry.text, best.entry.text
        said = later.entry.message
        said = said if new in said and len(said) <= _SHORT_MESSAGE else new
        days = (later.entry.at - best.entry.at).total_seconds() / 86_400
        found = {
            "behind": min(_FAR, max(-1.0, best.score - later.score)) / _FAR,
            "score": max(-_FAR, min(_FAR, later.score)) / _FAR,
            "days": min(1.0, log1p(max(0.0, days)) / 5.0),
            "alike": self._alike(old, new),
        }
        for name in _OWN:
            found[f"own_{name}"] = later.row.get(name, 0.0)
        found["less_met"] = max(0.0, best.row.get("core_met", 0.0) - later.row.get("core_met", 0.0))
        found.update(self._values(old, new))
        found.update(self._topics(old, new))
        found.update(self._people(best, later))
        for name, holds_it in (
            ("anew", says_anew(new)),
            ("otherwise", says_otherwise(said)),
            ("attribute_both", _tells(best) and _tells(later)),
            ("attribute_hint", _tells(best) and "attribute_hint" in later.row),
            ("attribute_best", _tells(best) and not _tells(later)),
            ("single", bool(attributes_of(old) & attributes_of(new))),
            ("lacks", any(one.startswith("lacks_") for one in later.row)),
        ):
            if holds_it:
                found[name] = 1.0
        return found

    def _values(self, old: str, new: str) -> dict[str, float]:
        """Whether the later text holds another value of a kind that the older one holds."""
        changed = _changed(old, new, self._names)
        found = {name: 1.0 for name in changed if name in _TELLING}
        if self._asked.intersection(_changed_kinds(values_of(old), values_of(new))):
            found["new_member_asked"] = 1.0
        if values_of(new).names & values_of(old).names - self._names:
            found["same_name"] = 1.0
        wants = self._question.wants
        if wants in VALUE_KINDS:
            held = holds(wants, new, self._question.text)
            found["kind_held" if held else "kind_lacking"] = 1.0
        if not changed:
            found["no_new"] = 1.0
        return found

    def _topics(self, old: str, new: str) -> dict[str, float]:
        """What both texts are about, within the question and beyond it."""
        named = {stem(name) for name in values_of(old).names | values_of(new).names}
        named |= {
            stem(word) for word in words_of(normalised(f"{old} {new}")[:_READ]) if _is_kin(word)
        }
        one, other = topic_of(old) - named, topic_of(new) - named
        shared = (one & other) - self._common
        asked = shared & self._stems
        concepts = concepts_told(one) & concepts_told(other)
        least = max(1, min(len(one), len(other)))
        return {
            "shared": min(3, len(shared - asked)) / 3,
            "shared_part": len(shared) / least,
            "shared_asked": min(2, len(asked)) / 2,
            "concept": float(bool(concepts)),
            "lost": self._lost(old, new),
        }

    def _lost(self, old: str, new: str) -> float:
        """Share of the question's words that the older text holds and the later one does not."""
        held = _stems(old) & self._stems
        return len(held - _stems(new)) / max(1, len(self._stems))

    def may_replace(self, best: RatedEntry, later: RatedEntry) -> bool:
        """Whether a later entry can tell the newer value at all: it holds the kind of answer that
        is asked for and the day or figure that the question names, and holds for the same times.
        """
        new, old, wants = later.entry.text, best.entry.text, self._question.wants
        if wants in VALUE_KINDS and not holds(wants, new, self._question.text):
            return False
        named = _DAY_OR_FIGURE.findall(self._question.text.lower())
        if any(one in old.lower() and one not in new.lower() for one in named):
            return False
        if counts_others(self._question, old, new, later.entry.message):
            return False
        return not other_scope(old, new)

    def _people(self, best: RatedEntry, later: RatedEntry) -> dict[str, float]:
        found: dict[str, float] = {}
        if self._question.names or self._question.relations:
            held = [name for name in _PEOPLE if later.row.get(name)]
            found["of_whom" if held else "of_nobody"] = 1.0
        if any(later.row.get(name) for name in _ELSEWHERE):
            found["elsewhere"] = 1.0
        if relations_in(best.entry.text) & relations_in(later.entry.text):
            found["same_relation"] = 1.0
        return found

    def _alike(self, old: str, new: str) -> float:
        if self._vectors is None:
            return 0.0
        rows = [self._vectors(content_words_of(text[:_READ]) or ["nothing"]) for text in (old, new)]
        one, other = (part.sum(axis=0) for part in rows)
        length = float(np.linalg.norm(one) * np.linalg.norm(other))
        return float(one @ other) / length if length else 0.0

    def score(self, best: RatedEntry, later: RatedEntry) -> float:
        """Log odds that the later entry answers in the place of the best one."""
        if not self.may_replace(best, later):
            return -np.inf
        weights = _weights()
        found = self.features(best, later)
        return weights["bias"] + sum(weights.get(name, 0.0) * one for name, one in found.items())


def tells_otherwise(old: str, new: str) -> bool:
    """Whether a text that took the place of another holds another value, or says it is over."""
    return bool(_changed(old, new, set())) or is_over(new) or calls_off(old, new)


def _changed(old: str, new: str, asked: set[str]) -> list[str]:
    """Kinds of value of which the later text holds another than the older one; the names in the
    question are no values.
    """
    one, other = values_of(old), values_of(new)
    found = (
        ("new_name", one.names - asked and other.names - one.names - asked),
        ("new_figure", one.figures and other.figures - one.figures),
        (
            "new_of_unit",
            any(figures - one.units.get(unit, figures) for unit, figures in other.units.items()),
        ),
        ("new_day", one.days and other.days - one.days),
        ("new_clock", one.clocks and other.clocks - one.clocks),
        ("new_member", _changed_kinds(one, other)),
    )
    return [name for name, changed in found if changed]


def _changed_kinds(one: TextValues, other: TextValues) -> list[int]:
    """Concepts of which both texts name things, the later one another."""
    return [
        kind
        for kind in one.members.keys() & other.members.keys()
        if other.members[kind] - one.members[kind]
    ]


@lru_cache(1_024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words_of(text[:_READ]))


def _is_kin(word: str) -> bool:
    return word in SAME_RELATION or word.rstrip("s") in SAME_RELATION


def _tells(rated: RatedEntry) -> bool:
    return "attribute_told" in rated.row


@lru_cache(1)
def _weights() -> Mapping[str, float]:
    text = (
        files("recollect.chat.answers")
        .joinpath("newer_value_score.tsv")
        .read_text(encoding="utf-8")
    )
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
