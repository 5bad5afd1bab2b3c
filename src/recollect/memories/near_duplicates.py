"""Near-duplicates: whether two texts make the same claim, and what a repeat adds to a memory.

This is the second check, for repeats that SimHash cannot find. Two texts are one claim when every
meaningful word of the shorter occurs in the longer, as itself or as a synonym, and no difference
separates them: no other number, no other name, no negation on one side only, no pair that changed
places around "than" or "over". The check is deliberately strict: a duplicate entry costs a line, a
wrong merge costs a memory.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.memories.importance import repeated
from recollect.memories.normalise import IDLE, NEGATIONS, normalised, stem, words_of
from recollect.memories.synonyms import (
    CANONICAL,
    CONTRASTS,
    DECISIVE,
    LIGHT,
    NUMBERS,
    OPPOSITES,
)
from recollect.storage.access.visibility_filter import sources_of
from recollect.storage.database import Transaction
from recollect.storage.pages.streams import open_sessions
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import INFERRED, MemoryType
from recollect.vocabulary.question_texts import makes_claim

_CLAIMS: Final = frozenset(
    {MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.FACT}
)
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


def comparable(known: Memory, new: Memory, tags: Collection[str] = ()) -> bool:
    """Whether a memory is current, has the same audience as another, and has the tags; and either
    both state something or neither does."""
    same_people = _same_people(known.audience, new.audience)
    same_standing = makes_claim(known) == makes_claim(new)
    return is_active(known) and same_people and same_standing and set(tags) <= set(known.tags)


def states_something(memory: Memory) -> bool:
    """Whether a memory makes a statement that another may contradict; an event is none.

    People's words do, and so do wishes and decisions that programs stored. A program's note about a
    session (a rule that a check enforces, files that change together, the number of calls for a
    module) stays true of that session whatever came after. A question states nothing.
    """
    stated_by_people = memory.provenance.source not in INFERRED or memory.user_verified
    return makes_claim(memory) and (stated_by_people or memory.type in _CLAIMS)


def may_contradict(known: Memory, new: Memory) -> bool:
    """Whether exactly one of two current memories is personal: they may contradict each other and
    both be shown, and neither ever replaces the other automatically."""
    personal = Visibility.PERSONAL
    one_is_own = (known.audience.visibility is personal) != (new.audience.visibility is personal)
    return is_active(known) and one_is_own and makes_claim(known) and makes_claim(new)


def counts_repeat(
    known: Memory, new: Memory, tags: Collection[str] = (), *, dated: bool = False
) -> bool:
    """Whether a memory may count another text as its repeat, if both say the same.

    They must have the same audience and be of one kind, and the new one must not hold anything that
    the known one could not: other files, other extras, another time of validity. Text from outside
    never counts as a repeat of a person's words, nor the other way round. With ``dated`` the time
    of validity only says when the text was said.
    """
    return (
        comparable(known, new, tags)
        and _same_kind(known, new)
        and set(known.provenance.outside) == set(new.provenance.outside)
        and _fit(known.files, new.files)
        and _fit(known.modules, new.modules)
        and new.extras in ({}, known.extras)
        and new.work_unit in (None, known.work_unit)
        and (dated or new.valid_from == new.created_at)
        and new.valid_to == known.valid_to
    )


def with_repeat(known: Memory, new: Memory, now: datetime) -> Memory:
    """The memory after a repeat: more important, and with the additions of the repeat."""
    events = _joined(known.provenance.events, new.provenance.events)
    sessions = _joined(known.provenance.sessions, new.provenance.sessions)
    named = known if new.type is MemoryType.FACT else new
    return replace(
        known,
        type=named.type,
        half_life_days=named.half_life_days,
        importance=repeated(known.importance, known.times_told),
        confidence=max(known.confidence, new.confidence),
        tags=_joined(known.tags, new.tags),
        files=_joined(known.files, new.files),
        modules=_joined(known.modules, new.modules),
        pinned=known.pinned or new.pinned,
        manually_saved=known.manually_saved or new.manually_saved,
        needs_review=known.needs_review and new.needs_review,
        provenance=replace(known.provenance, events=events, sessions=sessions),
        times_told=known.times_told + 1,
        updated_at=now,
        revision=known.revision + 1,
    )


def is_active(memory: Memory) -> bool:
    """Whether a memory is neither archived nor superseded."""
    return not memory.archived and memory.superseded_by is None


def _same_people(known: Audience, new: Audience) -> bool:
    """Whether two audiences are the same; the owner counts only for personal ones."""
    personal = known.visibility is Visibility.PERSONAL
    return known == (new if personal else replace(new, owner=known.owner))


def _same_kind(known: Memory, new: Memory) -> bool:
    """Whether two are of the same kind; a plain fact may turn out to be of another."""
    plain = known.type is MemoryType.FACT and not known.extras
    return known.type is new.type or new.type is MemoryType.FACT or plain


def _fit(known: Sequence[str], new: Sequence[str]) -> bool:
    """Whether two memories can be about the same files: one names none, or they share one."""
    return not known or not new or not set(known).isdisjoint(new)


def _joined(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def same_sources(
    transaction: Transaction, known: Memory, new: Memory, *, any_open_page: bool = False
) -> bool:
    """Whether two memories come from the same streams, so that the same people may read them.

    Personal memories of one person may always be merged. With ``any_open_page`` the pages of
    sessions that all members may read make no difference.
    """
    if known.audience.visibility is Visibility.PERSONAL:
        return True
    space_id, stream = known.space_id, known.audience.stream
    one = sources_of(transaction, space_id, known.provenance.events)
    other = sources_of(transaction, space_id, new.provenance.events)
    differing = (set(one) ^ set(other)) - {stream}
    if not differing or not any_open_page:
        return not differing
    return open_sessions(transaction, space_id, differing) == differing
