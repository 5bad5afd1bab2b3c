"""Concept table: words that ask for a thing and words that state it ("for a living", "a nurse").

Each line of ``concepts.txt`` is one concept: the words that ask for it, and the words that state
it. The words are general language, in English and French.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from recollect.memories.text_comparison import stem

_SHORT_NAME: Final = 5  # letters
_TELLING_PART: Final = 5
_ALSO_NAMES: Final = frozenset(
    """
    amber basil baker capucine clio clémentine daisy dean drew faith frank ginger grace grant hazel
    heather holly hope iris ivy jack jade jasmine joy lily mark mason max may mercedes olive pepper
    pierre poppy prune ray robin rose rosemary ruby sage sandy smith violet violette will zoe zoé
    """.split()
)


@dataclass(frozen=True, slots=True)
class ConceptTable:
    """Maps words to the concepts that they ask for and to those that they state."""

    asked: dict[str, frozenset[int]]
    told: dict[str, frozenset[int]]


@lru_cache(1)
def _table() -> ConceptTable:
    asked: dict[str, set[int]] = {}
    told: dict[str, set[int]] = {}
    plain: dict[str, set[int]] = {}  # as they are written
    gerunds: dict[str, set[int]] = {}
    for number, line in enumerate(_lines()):
        heads, _, members = line.partition("|")
        for word in heads.split():
            for part in _parts(word):
                asked.setdefault(stem(part), set()).add(number)
                (gerunds if part.endswith("ing") else plain).setdefault(
                    stem(part) if part.endswith("ing") else part, set()
                ).add(number)
        for word in (heads + " " + members).split():
            for part in _parts(word):
                told.setdefault(stem(part), set()).add(number)
    # "Living" asks for a job, and "live", its stem, for a home.
    for word, numbers in gerunds.items():
        if word in plain:
            asked[word] -= numbers - plain[word]
    return ConceptTable(
        {word: frozenset(numbers) for word, numbers in asked.items()},
        {word: frozenset(numbers) for word, numbers in told.items()},
    )


@lru_cache(1)
def _lines() -> tuple[str, ...]:
    text = files("recollect.chat.language").joinpath("concepts.txt").read_text(encoding="utf-8")
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" "):
            lines[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    return tuple(lines)


def _parts(word: str) -> list[str]:
    """A hyphenated word split as texts are; parts too short to carry meaning are left out."""
    if "-" not in word or "_" in word:
        return [word]
    return [part for part in word.split("-") if len(part) >= _TELLING_PART] or [word]


def pairs_of(words: Sequence[str]) -> list[str]:
    """Pairs of adjacent words, joined, because two words state some concepts."""
    return [f"{one}_{other}" for one, other in pairwise(words)]


def concepts_asked(word_stem: str) -> frozenset[int]:
    """The concepts that a word of a question asks for."""
    return _table().asked.get(word_stem, frozenset())


def concepts_told(stems: Iterable[str]) -> frozenset[int]:
    """The concepts that the words of a statement state."""
    known = _table().told
    return frozenset(number for one in stems for number in known.get(one, ()))


def members_by_concept(words: Iterable[str], fewest: int) -> dict[int, frozenset[str]]:
    """Words that name things of a kind, by kind; kinds with fewer words than ``fewest`` are left
    out.
    """
    found: dict[int, set[str]] = {}
    kinds = _kinds()
    for one in map(stem, words):
        for number in kinds.get(one, ()):
            if _sizes()[number] >= fewest:
                found.setdefault(number, set()).add(one)
    return {number: frozenset(members) for number, members in found.items()}


@lru_cache(1)
def _kinds() -> dict[str, frozenset[int]]:
    """Concepts of each word after a "|" that does not also ask for them."""
    table = _table()
    return {
        word: frozenset(numbers - table.asked.get(word, frozenset()))
        for word, numbers in table.told.items()
    }


@lru_cache(1)
def _sizes() -> tuple[int, ...]:
    return tuple(len(line.partition("|")[2].split()) for line in _lines())


def concept_heads(words: Iterable[str]) -> frozenset[str]:
    """The first word of each concept that these words state."""
    lines = _lines()
    return frozenset(lines[number].split(None, 1)[0] for number in concepts_told(map(stem, words)))


def related_words(stems: Iterable[str]) -> list[str]:
    """Words that state what these words ask for; words that also ask for it come first."""
    lines = _lines()
    wanted = sorted({number for one in stems for number in concepts_asked(one)})
    heads = [word for number in wanted for word in lines[number].partition("|")[0].split()]
    members = [word for number in wanted for word in lines[number].partition("|")[2].split()]
    return heads + members


def is_common_word(word: str) -> bool:
    """Whether a capitalised word is in the table, and so is no name."""
    plain = word.lower()
    if plain in _ALSO_NAMES:
        return False
    if len(plain) < _SHORT_NAME:  # the stem of a short name may be that of another word
        return plain in _raw_words()
    return stem(plain) in _table().told


@lru_cache(1)
def _raw_words() -> frozenset[str]:
    return frozenset(
        part
        for line in _lines()
        for word in line.replace("|", " ").split()
        for part in _parts(word)
    )


def concept_of(name: str) -> int:
    """The concept that a word asks for."""
    return min(_table().asked[stem(name)])


#: Statements of a job without a word for it: "I'm a nurse", "she's a lawyer", "je suis kiné".
TELLS_JOB: Final = re.compile(
    r"\b(?:i'm|im|i am|he's|she's|he is|she is|as|been|is|who's) an? (?!bit|lot|fan|big|huge"
    r"|little|vegan"
    r"|vegetarian|member|man|woman|mother|father|morning|night)(?:[\w-]{2,20} ){0,3}?[\w-]{0,30}"
    r"(?:er|or|ist|ian|ant|ent|man|woman|nurse|chef|vet|midwife|cook|clerk|barista|analyst|pilot"
    r"|judge|coach|guide|guard|smith|mason|wright|host|apprentice|intern)\b"
    r"|\bi design\b|\bfreelance\b|\b[\w-]{4,20} by (?:trade|profession|training)\b"
    r"|\b[\w-]{4,20} de (?:métier|profession|formation)\b"
    r"|\b(?:moi,? c'est|je m'appelle|je suis|i'm|i am|my name is|my name's) "
    r"(?-i:[A-ZÀ-Þ])[\w-]{1,20}, (?:an? |une? )?(?!born|living|based|married|originally|single"
    r"|vegan|vegetarian|from|né|née|marié|végé|retired)[\w-]{4,20}(?: [\w-]{2,20}){0,2}"
    r" (?:à|in|at|from|en|dans|chez|for|pour) \w"
    r"|\b(?:je suis|il est|elle est) [\w-]{4,20}(?: de [\w-]{3,20})? (?:dans une?|chez|au sein|pour"
    r" une?)\b"
    r"|(?:\b(?:je suis|il est|elle est)|, (?:il |elle )?est|\b(?-i:[A-ZÀ-Þ])[\w-]{2,20} est)"
    r" (?:une? |un )?[\w-]{2,20}(?:teur|seur|leur|trice|seuse|ier"
    r"|ière"
    r"|iste|cien|cienne|logue|peute|kiné|vendeuse|comptable)\b",
    re.IGNORECASE,
)
