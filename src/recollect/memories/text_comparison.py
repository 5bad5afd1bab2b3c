"""Comparison of texts: normal form, stems and SimHash, and whether two texts make the same claim.

The normal form ignores case, links, punctuation and white space: two texts that differ only in
those are one text. Negations and numbers are never dropped, because they tell two claims apart. The
SimHash is a 64-bit number in which nearly equal texts differ by few bits: each stem and each pair
of neighbouring stems votes on every bit, and the majority sets it.

What SimHash cannot find is compared word by word. Two texts are one claim when every meaningful
word of the shorter occurs in the longer, as itself or as a synonym, and no difference separates
them: no other number, no other name, no negation on one side only, no pair that changed places
around "than" or "over". The check is deliberately strict: a duplicate entry costs a line, a wrong
merge costs a memory.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import analyse
from recollect.memories.synonyms import (
    CANONICAL,
    CONTRASTS,
    DECISIVE,
    LIGHT,
    NUMBERS,
    OPPOSITES,
)
from recollect.vocabulary.stopwords import STOP_WORDS

_LINK: Final = re.compile(r"(?:https?://|www\.)\S+|\]\([^()]*+\)", re.IGNORECASE)
_CITATION: Final = re.compile(r"\[\d+(?:\s*[,;-]\s*\d+)*\]|【[^【】]*+】|\[\^[^\[\]]*+\]")
_FENCE: Final = re.compile(r"[*_`~#>|]+")
_APOSTROPHE: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'"})
_SPACE: Final = re.compile(r"\s+")
_SHORTENED: Final = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"'s\b"), ""),
)
_WORD: Final = re.compile(r"\d+(?:[.:,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)

NEGATIONS: Final = frozenset(
    "not no never none nothing neither nor without pas jamais aucun aucune rien sans ni".split()
)
_FRENCH: Final = frozenset(
    """
    le la les l un une des du de d et ou mais que qui quoi je j tu il elle on nous vous ils elles
    me m te t se s mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces
    c est suis es sommes êtes sont ai as a avons avez ont être avoir en y à au aux dans par pour sur
    avec ne n très plus
    """.split()
)
#: Stop words. Negations are not among them.
IDLE: Final = (STOP_WORDS | _FRENCH | {"please", "really", "actually", "also", "just"}) - NEGATIONS

BITS: Final = 64
NEAR_BITS: Final = 3
_STEM_WEIGHT: Final = 2


@lru_cache(64)  # one write asks for the same text three times
def normalised(text: str) -> str:
    """Normal form of a text."""
    plain = text
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", plain).translate(_APOSTROPHE)
    if "/" in plain or "." in plain or "(" in plain:
        plain = _LINK.sub(" ", plain)
    if "[" in plain or "\u3010" in plain:
        plain = _CITATION.sub(" ", plain)
    plain = _FENCE.sub(" ", plain).casefold()
    if "'" in plain or "cannot" in plain:
        for pattern, words in _SHORTENED:
            plain = pattern.sub(words, plain)
    return _SPACE.sub(" ", plain).strip()


def words_of(plain: str) -> list[str]:
    """The words and numbers of a normalised text, in order."""
    return _WORD.findall(plain)


def content_words(words: list[str]) -> list[str]:
    """The meaningful words; all words where none is meaningful."""
    return [word for word in words if word not in IDLE] or words


def simhash(text: str) -> int:
    """SimHash of a text's normal form."""
    stems = [stem(word) for word in content_words(words_of(normalised(text)))]
    if not stems:
        return 0
    features = [*stems, *(f"{first} {second}" for first, second in pairwise(stems))]
    digests = b"".join(blake2b(one.encode(), digest_size=BITS // 8).digest() for one in features)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(len(features), BITS)
    votes = np.add.reduce(bits, 0, np.int64)
    votes += (_STEM_WEIGHT - 1) * np.add.reduce(bits[: len(stems)], 0, np.int64)
    most = _STEM_WEIGHT * len(stems) + len(stems) - 1
    return int.from_bytes(np.packbits(votes * 2 > most).tobytes(), "big")


@lru_cache(16_384)
def stem(word: str) -> str:
    """Stem of a word, as search uses it."""
    return " ".join(analyse(word)) or word


def distance(one: int, other: int) -> int:
    """Number of bits in which two hashes differ."""
    return (one ^ other).bit_count()


# --- whether two texts make one claim -------------------------------------------------------------

#: Similarity from which a word's nearest word may stand for it, when no table says so.
NEAR_WORD: Final = 0.80
#: Share of the meaningful words that must match, on the side that matches fewer.
COVERED: Final = 0.6
_READ: Final = 4_000

WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]

_PHRASES: Final = (
    (re.compile(r"\bcan not stand\b"), "hate"),
    (re.compile(r"\b(?:get|gets|got|getting|wake|wakes|woke) up\b"), "wake"),
    (re.compile(r"\b(?:go|goes|went|going) to bed\b"), "sleep"),
    (re.compile(r"\b(?:run|runs|ran) out\b"), "expire"),
    (re.compile(r"\b(?:put|puts|putting) (\w+ )?aside\b"), r"save \1"),
    (re.compile(r"\bby train\b|\btake the train\b"), "train"),
    (re.compile(r"\bwould rather\b"), "prefer"),
    (re.compile(r"\bnot something\b"), "not"),
    (re.compile(r"\bnot any\b"), "not"),
    (re.compile(r"\bnever\b"), "not"),
    (re.compile(r"\bwithout\b"), "no"),
    (re.compile(r"\bare frozen\b"), "not deploy"),
    (re.compile(r"\b(?:give|gives|gave|given|giving) up\b"), "quit"),
    (re.compile(r"\bnot (?:\w+ )?(?:like|enjoy|love)\b"), "hate"),
)
_ROUTE: Final = re.compile(r"\bfrom (\w+) (?:over )?to (\w+)\b")
_ACTS: Final = re.compile(r"\b(?:i|we)\b")
_MEETS: Final = re.compile(
    r"\b(?:to|from|before|after|than|for|with|by|of|behind|above|below|at|on|over) (?:me|us)\b"
)
_DOER: Final = re.compile(r"(?:er|or)$")
_COMPARED: Final = re.compile(r"\b(?:over|than|instead of|rather than|not|au|à la|plutôt que)\b")
_PREFERRED: Final = re.compile(r"\b(?:prefer|préfère)\w*+")
_TO: Final = re.compile(r"\bto\b")
#: Words without which none of those patterns can match.
_OF_PHRASES: Final = frozenset(
    "stand up bed out aside train rather something any never without frozen like enjoy love".split()
)
_OF_COMPARISONS: Final = frozenset("over than instead not au à plutôt to".split())
_OF_ROUTES: Final = frozenset({"from"})
_OF_SPEAKER: Final = frozenset({"i", "we"})
_TO_SPEAKER: Final = frozenset({"me", "us"})
#: Characters of names of code, of paths and of compounds; and the words of texts without them.
_COMPOUND: Final = re.compile(r"[`/_@#]|\((?:['\u2019]s)?\)|\w[.:-]\w")
_SIMPLE_WORD: Final = re.compile(r"\w{1,40}")
#: Number of letters that two forms of a word share at least.
_ALIKE: Final = 4
_BRIEF: Final = 2_000
_WITHOUT_MEANING: Final = IDLE | NEGATIONS
_CAPITAL: Final = re.compile(r"(?<![.!?:\n] )(?<!^)\b[A-ZÀ-Þ][\w'-]+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class TextClaim:
    """A text parsed into the words of its claim."""

    stems: frozenset[str]
    light: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    decisive: frozenset[str]
    negated: bool
    less: str | None
    little: frozenset[str] = frozenset()
    route: tuple[str, str] | None = None
    #: Whether the speaker acts in the text, and whether something is done to the speaker.
    speaker: tuple[bool, bool] = (False, False)


@lru_cache(8_192)
def read(text: str) -> TextClaim:
    """Parse a text."""
    text = text[:_READ]
    plain = normalised(text)
    words = words_of(plain)
    if _may_contain(plain, words, _OF_PHRASES):
        for pattern, meant in _PHRASES:
            plain = pattern.sub(meant, plain)
        words = words_of(plain)
    kinds: dict[str, set[str]] = {"": set(), "stem": set(), "light": set(), "number": set()}
    decisive = set()
    negations = 0
    for word in words:
        kind, stands_for, decides, negates = _word_class(word)
        kinds[kind].add(stands_for)
        if decides:
            decisive.add(decides)
        negations += negates
    compared = _may_contain(plain, words, _OF_COMPARISONS)
    acts = _may_contain(plain, words, _OF_SPEAKER) and _ACTS.search(plain) is not None
    meets = _may_contain(plain, words, _TO_SPEAKER) and _MEETS.search(plain) is not None
    return TextClaim(
        stems=frozenset(kinds["stem"]),
        light=frozenset(kinds["light"] - kinds["stem"]),
        numbers=frozenset(kinds["number"]),
        names=frozenset(name.casefold() for name in _CAPITAL.findall(text) if name != "I"),
        decisive=frozenset(decisive),
        negated=negations % 2 == 1,
        less=_less(plain) if compared else None,
        little=_LITTLE.intersection(words),
        route=_route(plain) if _may_contain(plain, words, _OF_ROUTES) else None,
        speaker=(acts, meets),
    )


def _may_contain(plain: str, words: list[str], markers: frozenset[str]) -> bool:
    """Whether a pattern with one of these words is worth trying; most texts have none of them."""
    return not markers.isdisjoint(words) or "'" in plain


@lru_cache(32_768)
def _word_class(word: str) -> tuple[str, str, str, bool]:
    """Class of a word: its stem or synonym, whether it is decisive, whether it negates."""
    canonical = CANONICAL.get(word, word)
    decides = canonical if canonical in DECISIVE else ""
    negates = word in NEGATIONS or word == "instead"
    if _is_number(word):
        return "number", NUMBERS.get(word, word).replace(",", ""), decides, negates
    if word in IDLE or word in NEGATIONS:
        return "", "", decides, negates
    return "light" if canonical in LIGHT else "stem", meaning(word), decides, negates


@lru_cache(32_768)
def meaning(word: str) -> str:
    """The stem of a word, or of the word that represents all its synonyms."""
    known = CANONICAL.get(word)
    if known is None:
        short = stem(word)
        known = CANONICAL.get(short, word)
    return stem(known)


def may_share_word(first: str, second: str) -> bool:
    """Whether two texts may have a meaningful word in common; False if they certainly have none.

    Two words count as one when they or their meanings are equal, or begin alike for four letters
    and more. A text with names of code is not looked at closely, nor is a long one.
    """
    one, other = _word_beginnings(first), _word_beginnings(second)
    return one is None or other is None or not one.isdisjoint(other)


@lru_cache(8_192)
def _word_beginnings(text: str) -> frozenset[str] | None:
    """How the meaningful words of a text begin, and their meanings; None where that says too
    little."""
    if len(text) > _BRIEF or _COMPOUND.search(text):
        return None
    words = {word.lower() for word in _SIMPLE_WORD.findall(text) if not word.isdigit()}
    words -= _WITHOUT_MEANING
    meanings = set(map(meaning, words))
    if _COMPOUND.search(" ".join(meanings)):
        return None
    return frozenset(word[:_ALIKE] for word in words | meanings)


def alike(first: str, second: str, vectors: WordVectors | None) -> bool:
    """Whether two texts make one claim."""
    one, other = read(first), read(second)
    if are_distinct(one, other):
        return False
    left, right = one.stems - other.stems, other.stems - one.stems
    if not left and not right:
        return bool(one.stems or one.numbers or one.light == other.light)
    smaller = min(len(one.stems), len(other.stems))
    larger = max(len(one.stems), len(other.stems))
    if smaller == 0 or smaller / larger < COVERED:
        return False
    fewer, more = sorted((sorted(left), sorted(right)), key=len)
    return _all_met(fewer, more, vectors)


def are_distinct(one: TextClaim, other: TextClaim) -> bool:
    """Whether a difference makes two texts two claims, however similar their words."""
    if one.numbers != other.numbers or one.negated != other.negated:
        return True
    if one.decisive != other.decisive:
        return True
    left, right = one.stems - other.stems, other.stems - one.stems
    if any(frozenset((a, b)) in _OPPOSED for a in left for b in right):
        return True
    if one.little != other.little and _contrast(one.little, other.little):
        return True
    if one.route and other.route and one.route == other.route[::-1]:
        return True
    if {one.speaker, other.speaker} == {(True, False), (False, True)}:
        return True
    if one.less and other.less and one.less != other.less:
        return True
    loose = {stem(name) for name in one.names ^ other.names}
    return bool(loose & (left | right))


_OPPOSED: Final = frozenset(frozenset(map(meaning, pair)) for pair in OPPOSITES)
_LITTLE: Final = frozenset(word for pair in CONTRASTS for side in pair for word in side)


def _contrast(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one text has a function word and the other its opposite, and that is all."""
    return any(
        bool(one & first) != bool(one & second)
        and bool(other & first) != bool(other & second)
        and bool(one & first) != bool(other & first)
        for first, second in CONTRASTS
    )


def _route(plain: str) -> tuple[str, str] | None:
    """Start and destination, if a text names them."""
    found = _ROUTE.search(plain)
    return (meaning(found.group(1)), meaning(found.group(2))) if found else None


def _all_met(fewer: list[str], more: list[str], vectors: WordVectors | None) -> bool:
    """Whether each unmatched word on one side has a synonym of its own on the other side; the
    nearest pairs are matched first."""
    doers = {_DOER.sub("", word): word for word in more}
    derived = {word: doers[_DOER.sub("", word)] for word in fewer if _DOER.sub("", word) in doers}
    fewer = [word for word in fewer if word not in derived]
    more = [word for word in more if word not in derived.values()]
    if not fewer:
        return True
    if vectors is None or not more:
        return False
    first = _unit_of(vectors, fewer[0])
    if max(float(first @ _unit_of(vectors, word)) for word in more) < NEAR_WORD:
        return False
    near = _units(vectors, fewer) @ _units(vectors, more).T
    met = 0
    while near.max() >= NEAR_WORD:
        row, column = np.unravel_index(int(near.argmax()), near.shape)
        near[row, :] = near[:, column] = -1
        met += 1
    return met == len(fewer)


def _less(plain: str) -> str | None:
    """The less preferred thing: the first meaningful word after "over", "than" or "to"."""
    found = _COMPARED.search(plain)
    if found is None and (preferred := _PREFERRED.search(plain)):
        found = _TO.search(plain, preferred.end())
    if found is None:
        return None
    after = [
        word for word in words_of(plain[found.end() :]) if word not in IDLE and word not in LIGHT
    ]
    return meaning(after[0]) if after else None


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBERS


def _units(vectors: WordVectors, words: list[str]) -> NDArray[np.float32]:
    return np.stack([_unit_of(vectors, word) for word in words])


@lru_cache(8_192)
def _unit_of(vectors: WordVectors, word: str) -> NDArray[np.float32]:
    """A word's vector at length one; a cache of a few thousand words covers most texts."""
    (vector,) = vectors([word])
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)
