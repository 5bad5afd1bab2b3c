"""People whom a question names: by a name of theirs, a short or other spelling, or what they are
called by those who talk with them; and the turns of whoever asks.

An author may be ``emi`` in the store and Kate to everybody who writes to her, and whoever asks
spells a name from memory. A word of the question stands for an author when it is a part of the
author's name, begins it ("Mel" for Melanie), or sounds like it and stands nowhere in the store
("Muhammad" for Muhhamed); and when most turns that hold it address that author with it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import terms_of_word
from recollect.index.search_index import CollectionView
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.vocabulary.stopwords import STOP_WORDS

Texts = Callable[[Sequence[int]], Sequence[str]]

#: Names that programs use for the person who asks, and for the one who answers.
_SELF: Final = frozenset({"user", "human", "me"})
_ANSWERS: Final = frozenset({"assistant", "ai", "bot", "model", "chatbot", "agent"})
_LEAST_SHORT_NAME: Final = 3  # letters
_LEAST_SPELLED_NAME: Final = 5  # letters: shorter names differ by one letter and are two people
_REPEATED: Final = re.compile(r"(.)\1+")
_UNHEARD: Final = re.compile(r"[aeiouyh]")
_JOINS: Final = frozenset({"and", "or", "et", "ou", "und", "oder", "y", "o"})
_MOST_BETWEEN: Final = 2  # words between two names that are joined: "Ann, and also Bert"
#: Weight of the turns of whoever is named beside the subject: "what did Ann tell Bert".
_BESIDE_SUBJECT: Final = 0.2
#: Fewest turns by which a form of address is known, how many of them are read, and the shares of
#: them that must be said to one person, by that person at most, and in a form of address.
_LEAST_TURNS: Final = 5
_READ: Final = 12
_TO_ONE: Final = 0.8
_BY_ONESELF: Final = 0.1
_ADDRESSING: Final = 0.5
_CHARACTERS: Final = 2_000


def weights_of_named(
    survey: CollectionView, beside: RowNeighbours, words: Sequence[str], texts: Texts | None
) -> tuple[NDArray[np.float32] | None, frozenset[str]]:
    """The weight of each row by whom the question names, and the words that name them."""
    present = beside.once("present", survey.seen, lambda: _present(beside, survey.seen))
    named, names = _named_authors(survey, beside, present, words, texts)
    if not named or (len(named) == len(present) and min(named.values()) == 1):
        return None, names
    weights = np.zeros(len(beside.names), np.float32)
    weights[list(named)] = list(named.values())
    return weights[beside.authors], names


def rows_of_asker(
    beside: RowNeighbours, seen: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_] | None, bool]:
    """The rows of the asker, where these are only some of the rows; and whether a program answers
    there.
    """

    def work() -> tuple[NDArray[np.bool_] | None, bool]:
        present = beside.once("present", seen, lambda: _present(beside, seen))
        own = {code for code in present if beside.names[code].lower() in _SELF}
        if not own or len(own) == len(present):
            return None, False
        answered = any(beside.names[code].lower() in _ANSWERS for code in present)
        return _said_by(beside, own), answered

    return beside.once("roles", seen, work)


def _named_authors(
    survey: CollectionView,
    beside: RowNeighbours,
    present: Sequence[int],
    words: Sequence[str],
    texts: Texts | None = None,
) -> tuple[dict[int, float], frozenset[str]]:
    """The weight of each author whom the question names, and the words that name them.

    Of several people the subject, who is named first, counts most, unless they are joined ("Ann
    and Bert"): then all count alike.
    """
    parts = beside.once("name parts", survey.seen, lambda: _by_part(beside, present))
    places: dict[int, int] = {}
    names: set[str] = set()
    for place, word in enumerate(words):
        name = word.lower().removesuffix("'s")
        codes = parts.get(name, frozenset())
        if not codes and word[:1].isupper() and name not in STOP_WORDS:
            codes = _by_spelling(survey, parts, name) or _by_address(
                survey, beside, present, name, texts
            )
        for code in codes:
            places.setdefault(code, place)
            names.add(name)
    return _weighted(places, [word.lower() for word in words]), frozenset(names)


def _by_part(beside: RowNeighbours, present: Sequence[int]) -> dict[str, frozenset[int]]:
    """The authors who bear each name, in lower case."""
    found: dict[str, frozenset[int]] = {}
    for code in present:
        for part in beside.names[code].lower().replace("_", " ").replace(".", " ").split():
            found[part] = found.get(part, frozenset()) | {code}
    return found


def _weighted(places: dict[int, int], words: Sequence[str]) -> dict[int, float]:
    ordered = sorted(set(places.values()))
    if len(ordered) < 2 or _joined(words[ordered[0] + 1 : ordered[1]]):
        return dict.fromkeys(places, 1.0)
    return {code: 1.0 if at == ordered[0] else _BESIDE_SUBJECT for code, at in places.items()}


def _joined(between: Sequence[str]) -> bool:
    return len(between) <= _MOST_BETWEEN and not _JOINS.isdisjoint(between)


def _by_spelling(
    survey: CollectionView, parts: Mapping[str, frozenset[int]], name: str
) -> frozenset[int]:
    """The one author whose name this begins, or is spelled otherwise; a word that people use in the
    store is no other spelling.
    """
    short = [part for part in parts if part.startswith(name)]
    if short and len(name) >= _LEAST_SHORT_NAME:
        return _only_one(parts, short)
    if len(name) < _LEAST_SPELLED_NAME or _rows_with(survey, name).size:
        return frozenset()
    return _only_one(parts, [part for part in parts if sound_alike(part, name)])


def _only_one(parts: Mapping[str, frozenset[int]], meant: Sequence[str]) -> frozenset[int]:
    codes = frozenset[int]().union(*(parts[part] for part in meant))
    return codes if len(codes) == 1 else frozenset()


def sound_alike(one: str, other: str) -> bool:
    """Whether two names, both in lower case, are likely spellings of the same one."""
    long_enough = min(len(one), len(other)) >= _LEAST_SPELLED_NAME
    return long_enough and _sound(one) == _sound(other)


def _sound(name: str) -> str:
    """The first letter and the consonants after it, none of them twice in a row."""
    plain = _REPEATED.sub(r"\1", name)
    return plain[:1] + _UNHEARD.sub("", plain[1:])


def _by_address(
    survey: CollectionView,
    beside: RowNeighbours,
    present: Sequence[int],
    name: str,
    texts: Texts | None,
) -> frozenset[int]:
    """The author whom others call by this name: they say it to this person, who hardly says it, and
    as one addresses somebody.
    """
    rows = _rows_with(survey, name)
    if texts is None or len(rows) < _LEAST_TURNS or len(present) < 2:
        return frozenset()
    authors = np.append(beside.authors, NOBODY)
    own = beside.authors[rows]
    before, after = authors[beside.previous[rows]], authors[beside.following[rows]]
    spoken_to = np.where((before >= 0) & (before != own), before, after)
    spoken_to = spoken_to[(spoken_to >= 0) & (spoken_to != own)]
    if not len(spoken_to):
        return frozenset()
    counts = np.bincount(spoken_to)
    person = int(counts.argmax())
    said_by_others = own != person
    if counts[person] < _TO_ONE * len(rows) or np.mean(~said_by_others) > _BY_ONESELF:
        return frozenset()
    some = rows[said_by_others]
    some = some[:: max(1, len(some) // _READ)][:_READ]
    told = texts([int(slot) for slot in survey.slots[some]])
    calls = _address(name)
    addressing = sum(bool(calls.search(text[:_CHARACTERS])) for text in told)
    known = bool(told) and addressing >= _ADDRESSING * len(told)
    return frozenset({person}) if known else frozenset()


def _address(name: str) -> re.Pattern[str]:
    """A name as a form of address: alone between marks, at the end, or after a greeting."""
    called = re.escape(name)
    return re.compile(
        rf"\b{called}\b\s{{0,2}}(?:[,!?.;:)\n]|$)"
        rf"|\b(?:hi|hey|hello|dear|morning|thanks|bonjour|salut|merci|hallo) {called}\b",
        re.IGNORECASE,
    )


def _rows_with(survey: CollectionView, name: str) -> NDArray[np.int64]:
    """The visible rows that hold a name."""
    found = [survey.postings[term][0] for term in terms_of_word(name) if term in survey.postings]
    if not found:
        return np.zeros(0, np.int64)
    rows = np.unique(np.concatenate(found))
    return rows[survey.seen[rows]]


def _said_by(beside: RowNeighbours, codes: Collection[int]) -> NDArray[np.bool_]:
    chosen = np.zeros(len(beside.names), np.bool_)
    chosen[list(codes)] = True
    return chosen[beside.authors]


def _present(beside: RowNeighbours, seen: NDArray[np.bool_]) -> list[int]:
    """The authors with at least one visible row."""
    count = np.bincount(beside.authors, seen, minlength=len(beside.names))
    return [int(code) for code in np.flatnonzero(count)]
