"""Evidence for an entry as the answer to a question, among many entries of the same person.

Among five entries, the one that shares a word with the question is the answer. Among a hundred,
some entry shares a word with any question, so that a shared word counts by how few entries hold it,
and what no entry holds counts against all of them. The features here are those of
``answer_features`` and how each entry compares with everything else that this person told: by the
rarity of the words that it shares, by how far its meaning stands out, by whether it is the newest
of those that share as much. The weights are in ``crowded_score.tsv``; ``python -m
benchmarks.crowded_fit`` fits them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers.answer_people import ROLES, KnownEntry
from recollect.chat.answers.question_reader import AskedQuestion, content_words_of
from recollect.chat.answers.shared_readings import SharedReadings
from recollect.chat.answers.word_alignment import aligned, alignment_features
from recollect.chat.language.attributes import attributes_asked
from recollect.chat.language.concepts import concepts_asked, concepts_told
from recollect.chat.language.sentence_subject import relations_in
from recollect.memories.synonyms import CANONICAL
from recollect.memories.text_comparison import stem

#: Entries that are read closely.
_LEADERS: Final = 30
_CONTACTS: Final = (
    "rare_same", "rare_like", "rare_around", "attribute_told", "attribute_hint", "named",
    "named_around", "related", "related_around", "introduced", "wish_told",
)  # fmt: skip
#: Words that ask for a name and say nothing of what has it.
_ASK_FOR_NAMES: Final = frozenset("called name names named appelle appellent nom prénom".split())
_NEAR: Final = 0.6  # cosine of a question and an entry that have nothing else in common
_STANDS_OUT: Final = 4.0  # standard deviations
_MUCH: Final = 0.8  # share of the best entry's evidence that counts as much as the best


@dataclass(frozen=True, slots=True)
class _WordMatches:
    """How an entry holds each word of a question: 1 where it does, else 0."""

    same: tuple[float, ...]
    like: tuple[float, ...]  # by the same word or one of the same concept
    around: tuple[float, ...]  # in the message that the entry is from, or in what it replaced


class CrowdedEvidence:
    """Compares all entries of a person with one question."""

    def __init__(
        self,
        question: AskedQuestion,
        known: Sequence[KnownEntry],
        nearness: Sequence[Mapping[str, float]],
        aliases: Mapping[str, set[str]],
        readings: SharedReadings,
    ) -> None:
        self._known = known
        self._attributes = attributes_asked(question.text)
        words = [word for word in question.terms if word not in _ASK_FOR_NAMES]
        terms = [_Term(word, aliases.get(word, set())) for word in words]
        called = frozenset((word, frozenset(aliases.get(word, ()))) for word in words)
        computed = readings.held((tuple(words), called))
        computed.update((one, _held(one, terms)) for one in known if one not in computed)
        held = [computed[one] for one in known]
        self._rows = [dict(one) for one in nearness]
        rarities = _by_rarity(held, self._rows, len(terms))
        near = aligned(
            readings,
            words,
            [one.text for one in known],
            np.array([one.same for one in held]).reshape(len(known), len(words)),
            np.array([one.like for one in held]).reshape(len(known), len(words)),
        )
        names = {name.lower() for name in question.names - question.places}
        names |= {part for one in question.relations if "-" in one for part in one.split("-")}
        things = [word not in names and not relations_in(f"my {word}") - ROLES for word in words]
        for row, found in zip(self._rows, alignment_features(near, rarities, things), strict=True):
            row.update(found)
        _compare(known, self._rows)

    def leaders(self) -> set[str]:
        """Ids of the entries that come first by words and meaning."""
        order = sorted(
            zip(self._known, self._rows, strict=True), key=lambda one: -self._promise(*one)
        )
        return {one.id for one, _ in order[:_LEADERS]}

    def of(self) -> dict[str, dict[str, float]]:
        """The features of all entries, by id."""
        return {one.id: row for one, row in zip(self._known, self._rows, strict=True)}

    def _promise(self, one: KnownEntry, row: Mapping[str, float]) -> float:
        tells = any(attribute.told.search(one.text) for attribute in self._attributes)
        shared = row["rare_same"] + 0.5 * row["rare_like"] + 0.3 * row["rare_around"]
        aligned_well = row.get("align_whole_away", 0.0)
        return shared + row.get("near_whole", 0.0) + aligned_well + 0.5 * tells


def _by_rarity(
    held: Sequence["_WordMatches"], rows: Sequence[dict[str, float]], terms: int
) -> list[float]:
    """Add how much of the question each entry holds, its words counted by how rare they are, which
    is the result.
    """
    same, like, around = (
        np.array([getattr(one, name) for one in held]).reshape(len(held), terms)
        for name in ("same", "like", "around")
    )
    rarity, rarity_like = _rarities(same), _rarities(like)
    whole = float(rarity.sum()) or 1.0
    values = {
        "rare_same": same @ rarity / whole,
        "rare_like": (like > same) @ rarity_like / whole,
        "rare_around": around @ rarity / whole,
        "rarest_met": (rarity * same).max(axis=1, initial=0.0),
        "rarest_unmet": (rarity * (like == 0.0)).max(axis=1, initial=0.0),
        "all_met": (like.all(axis=1) & (terms > 0)).astype(float),
    }
    for name, column in values.items():
        for row, value in zip(rows, column.tolist(), strict=True):
            row[name] = value
    nowhere = float(rarity @ ~like.any(axis=0)) / whole
    for row in rows:
        row["told_nowhere"] = nowhere
        row["single_word"] = float(terms == 1)
        row["no_word"] = float(not terms)
    return [float(one) for one in rarity]


class _Term:
    """A word of a question in the forms by which entries hold it."""

    def __init__(self, word: str, aliases: set[str]) -> None:
        self.stems = {stem(word), stem(CANONICAL.get(word, word))}
        self.aliases = aliases
        self.concepts = concepts_asked(stem(word))
        self.begins = word[:6] if len(word) >= 7 else ""

    def is_same(self, stems: frozenset[str]) -> bool:
        if self.stems & stems or self.aliases & stems:
            return True
        return bool(self.begins) and any(one.startswith(self.begins) for one in stems)


@lru_cache(2_048)
def _stems(text: str) -> frozenset[str]:
    words = content_words_of(text)
    return frozenset(
        (
            *map(stem, words),
            *(stem(CANONICAL[word]) for word in words if word in CANONICAL),
            *(word for word in words if not word.isdigit()),
        )
    )


@lru_cache(2_048)
def _concepts(text: str) -> frozenset[int]:
    return concepts_told(_stems(text))


def _held(one: KnownEntry, terms: Sequence[_Term]) -> _WordMatches:
    stems, concepts = _stems(one.text), _concepts(one.text)
    around = _stems(f"{one.before} {one.message}"[:2_000])
    same = tuple(float(term.is_same(stems)) for term in terms)
    like = tuple(
        max(is_same, float(bool(term.concepts & concepts)))
        for term, is_same in zip(terms, same, strict=True)
    )
    beside = tuple(
        float(not is_same and term.is_same(around))
        for term, is_same in zip(terms, same, strict=True)
    )
    return _WordMatches(same, like, beside)


def _rarities(held: NDArray[np.float64]) -> NDArray[np.float64]:
    """How few entries hold each word, from 0 (all) to 1 (at most one)."""
    count = len(held)
    whole = log(count + 1) - log(2)
    holding = np.maximum(1.0, held.sum(axis=0))
    return np.asarray((log(count + 1) - np.log(holding + 1)) / (whole or 1.0))


def _compare(known: Sequence[KnownEntry], rows: Sequence[dict[str, float]]) -> None:
    evidence = [row["rare_same"] + 0.5 * row["rare_like"] for row in rows]
    best = max(evidence, default=0.0)
    for name in ("near_whole", "near_part"):
        values = np.array([row.get(name, 0.0) for row in rows])
        spread = float(values.std()) or 1.0
        top, mean = float(values.max()), float(values.mean())
        for row, value in zip(rows, values.tolist(), strict=True):
            away = (value - mean) / spread
            row[f"{name}_away"] = max(-1.0, min(1.0, away / _STANDS_OUT))
            row[f"{name}_behind"] = top - value
    alike = [one >= _MUCH * best and best > 0.0 for one in evidence]
    newest = max(
        (one.at for one, is_alike in zip(known, alike, strict=True) if is_alike), default=None
    )
    many = sum(alike)
    for one, row, mine, is_alike in zip(known, rows, evidence, alike, strict=True):
        row["evidence_behind"] = best - mine
        row["evidence_first"] = float(is_alike)
        row["evidence_only"] = float(is_alike and many == 1)
        row["newest_alike"] = float(is_alike and many > 1 and one.at == newest)


def has_contact(row: Mapping[str, float]) -> bool:
    """Whether an entry has anything in common with the question but a distant likeness."""
    return any(row.get(name) for name in _CONTACTS) or row.get("near_whole", 0.0) >= _NEAR


@lru_cache(1)
def _weights() -> Mapping[str, float]:
    text = files("recollect.chat.answers").joinpath("crowded_score.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}


def crowded_score(features: Mapping[str, float]) -> float:
    """Score of an entry with these features; above 0, it is more likely an answer than not."""
    weights = _weights()
    return weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
