"""Compares names: of files with each other, and of files with what a person writes."""

import re
from functools import lru_cache
from typing import Final

_CAMEL: Final = re.compile(r"([a-z0-9])([A-Z])")
_WORD: Final = re.compile(r"[A-Za-z]{2,}|\d{2,}")
_TEST: Final = re.compile(r"(?:^test_|[_.-](?:test|spec|tests)$|(?<=[a-z])(?:Test|Spec|Tests)$)")
#: Minimum number of letters of a word that carries meaning.
LEAST_SHARED: Final = 4
#: Characters of a text up to which its words are kept for the next question about it.
_SHORT: Final = 1_500
_COMMON: Final = frozenset(
    "a an and are as at be but by can could do does for from had has have how i if in into is it "
    "its me my not of on or our please should so that the their them then there these they this "
    "to too us was we what when where which who why will with would you your let just now also "
    "need want make sure like using use used see look new add help get".split()
)

_FOLDERS: Final = re.compile(r"(?:[\w.~@-]{0,80}/){1,20}")
#: Words that say nothing of what a piece of code is about.
_OF_EVERY_CODE: Final = frozenset(
    "error errorf return func function type types string true false null none self test import "
    "const value name data file code line class case else print printf sprintf nil void "
    "context".split()
)


def words(text: str) -> list[str]:
    """Words of a text or an identifier, split at case and punctuation, in the singular."""
    return list(_short_words(text) if len(text) <= _SHORT else _words(text))


def _words(text: str) -> tuple[str, ...]:
    found = (word.lower() for word in _WORD.findall(_CAMEL.sub(r"\1 \2", text)))
    return tuple(_singular(word) for word in found if word not in _COMMON)


#: The same turn is compared with others again and again when a session is judged.
_short_words = lru_cache(maxsize=1_024)(_words)


@lru_cache(maxsize=20_000)
def name_words(path: str) -> frozenset[str]:
    """Words of a file's base name."""
    return frozenset(words(base(path)))


@lru_cache(maxsize=20_000)
def stem(path: str) -> str:
    """File name without its extension and without the part that marks a test."""
    name = base(path)
    first = name.split(".")[0] or name
    return _TEST.sub("", first) or first


@lru_cache(maxsize=20_000)
def stem_words(path: str) -> frozenset[str]:
    """Words of a file's name without its extension."""
    return frozenset(words(stem(path)))


@lru_cache(maxsize=20_000)
def path_words(path: str) -> frozenset[str]:
    """Words of a file's whole path."""
    return frozenset(words(path))


def base(path: str) -> str:
    """Base name of a file."""
    return path.rsplit("/", 1)[-1]


def folder(path: str) -> str:
    """Folder of a file; empty at the root."""
    return path.rpartition("/")[0]


def twins(one: str, other: str) -> bool:
    """Whether two files are a unit and its test, or two sides of one unit."""
    return one != other and folder(one) == folder(other) and stem(one) == stem(other)


def is_test(path: str) -> bool:
    """Whether a file's name says that it is a test."""
    return _TEST.search(base(path).split(".")[0]) is not None or "/test" in f"/{path}"


def likeness(one: str, other: str) -> float:
    """Share of words that two file names have in common."""
    mine, theirs = name_words(one), name_words(other)
    return len(mine & theirs) / max(1, len(mine | theirs))


def nearness(one: str, other: str) -> float:
    """Share of the path from the root that two files have in common."""
    mine, theirs = one.split("/"), other.split("/")
    same = sum(a == b for a, b in zip(mine, theirs, strict=False))
    return same / max(len(mine), len(theirs))


def are_related(one: str, other: str, least: int = 1) -> bool:
    """Whether two texts are about the same thing: they share words that carry meaning."""
    mine = {word for word in words(one) if len(word) >= LEAST_SHARED}
    return len(mine & {word for word in words(other) if len(word) >= LEAST_SHARED}) >= least


def common_words(one: str, other: str) -> int:
    """Number of telling words of a text that another one speaks of, also in another form
    ("sleeping" of "Sleep"). Folders of paths and words of every code do not count."""
    theirs = _telling_words(other)
    return sum(
        any(word.startswith(also) or also.startswith(word) for also in theirs)
        for word in _telling_words(one)
    )


def _telling_words(text: str) -> set[str]:
    said = words(_FOLDERS.sub(" ", text))
    return {word for word in said if len(word) >= LEAST_SHARED} - _OF_EVERY_CODE


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
