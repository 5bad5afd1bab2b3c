"""What names have in common: of files with each other, and of files with what a person writes."""

import re
from functools import lru_cache
from typing import Final

_CAMEL: Final = re.compile(r"([a-z0-9])([A-Z])")
_WORD: Final = re.compile(r"[A-Za-z]{2,}|\d{2,}")
_TEST: Final = re.compile(r"(?:^test_|[_.-](?:test|spec|tests)$|(?<=[a-z])(?:Test|Spec|Tests)$)")
#: A word of so many letters carries meaning.
LEAST_SHARED: Final = 4
_COMMON: Final = frozenset(
    "a an and are as at be but by can could do does for from had has have how i if in into is it "
    "its me my not of on or our please should so that the their them then there these they this "
    "to too us was we what when where which who why will with would you your let just now also "
    "need want make sure like using use used see look new add help get".split()
)


def words(text: str) -> list[str]:
    """The words of a text or a name, split where names are written together, singular."""
    found = (word.lower() for word in _WORD.findall(_CAMEL.sub(r"\1 \2", text)))
    return [_singular(word) for word in found if word not in _COMMON]


@lru_cache(maxsize=20_000)
def name_words(path: str) -> frozenset[str]:
    """The words of a file's own name."""
    return frozenset(words(base(path)))


@lru_cache(maxsize=20_000)
def stem(path: str) -> str:
    """A file's name without its ending and without what says that it is a test."""
    name = base(path)
    first = name.split(".")[0] or name
    return _TEST.sub("", first) or first


@lru_cache(maxsize=20_000)
def stem_words(path: str) -> frozenset[str]:
    """The words of a file's name without its ending."""
    return frozenset(words(stem(path)))


@lru_cache(maxsize=20_000)
def path_words(path: str) -> frozenset[str]:
    """The words of a file's whole path."""
    return frozenset(words(path))


def base(path: str) -> str:
    """A file's own name."""
    return path.rsplit("/", 1)[-1]


def folder(path: str) -> str:
    """Where a file lies; empty at the root."""
    return path.rpartition("/")[0]


def twins(one: str, other: str) -> bool:
    """Whether two files are a thing and its test, or two sides of one thing."""
    return one != other and folder(one) == folder(other) and stem(one) == stem(other)


def is_test(path: str) -> bool:
    """Whether a file's name says that it is a test."""
    return _TEST.search(base(path).split(".")[0]) is not None or "/test" in f"/{path}"


def likeness(one: str, other: str) -> float:
    """The share of words that two files' names have in common."""
    mine, theirs = name_words(one), name_words(other)
    return len(mine & theirs) / max(1, len(mine | theirs))


def nearness(one: str, other: str) -> float:
    """How much of their way from the root two files share."""
    mine, theirs = one.split("/"), other.split("/")
    same = sum(a == b for a, b in zip(mine, theirs, strict=False))
    return same / max(len(mine), len(theirs))


def are_related(one: str, other: str, least: int = 1) -> bool:
    """Whether two texts speak of the same: they share words that carry meaning."""
    mine = {word for word in words(one) if len(word) >= LEAST_SHARED}
    return len(mine & {word for word in words(other) if len(word) >= LEAST_SHARED}) >= least


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
