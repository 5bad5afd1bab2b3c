"""Checks a model's answer against the passages it was given: unsupported sentences are removed.

A citation of a passage that does not exist is removed, and so is a sentence left without a
citation; a sentence must share a word with a passage that it cites; and words in quotation marks
must occur there exactly.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from recollect.research.questions import content_words_of, term_of

_LONGEST: Final = 8_000
_CITED: Final = re.compile(r" ?\[(\d{1,4}(?: ?[,;] ?\d{1,4}){0,9})\]")
_NUMBER: Final = re.compile(r"\d{1,4}")
_ENDS: Final = re.compile(r"(?<=[.!?\]\u201d\"])\s+(?!\[)")
_QUOTED: Final = re.compile(r"\"([^\"\n]{1,600})\"|\u201c([^\u201c\u201d\n]{1,600})\u201d")
_LEAST_QUOTED: Final = 3  # words


class CheckedAnswer(NamedTuple):
    """The supported sentences, the passages they cite, and the number of removals."""

    sentences: tuple[str, ...]
    cited: tuple[int, ...]
    struck: int


def checked(answer: str, passages: Sequence[str]) -> CheckedAnswer:
    """The sentences of an answer that passages support; passages are numbered from 1."""
    kept: list[str] = []
    cited: list[int] = []
    struck = 0
    for sentence in _ENDS.split(answer[:_LONGEST].strip()):
        good, bad = _citations(sentence, len(passages))
        struck += bad
        if not good or not _is_supported(sentence, [passages[one - 1] for one in good]):
            struck += bool(sentence.strip()) and not bad
            continue
        kept.append(_with_citations(sentence, good))
        cited += good
    return CheckedAnswer(tuple(kept), tuple(dict.fromkeys(cited)), struck)


def renumbered(sentences: Sequence[str], cited: Sequence[int]) -> tuple[str, ...]:
    """The sentences with their citations renumbered in order of appearance."""
    places = {number: place for place, number in enumerate(cited, 1)}

    def renamed(found: re.Match[str]) -> str:
        numbers = (int(one) for one in _NUMBER.findall(found[1]))
        return "".join(f" [{places[one]}]" for one in numbers if one in places)

    return tuple(_CITED.sub(renamed, one).strip() for one in sentences)


def _citations(sentence: str, count: int) -> tuple[list[int], int]:
    """The existing passages that a sentence cites, and the number of citations of missing ones."""
    numbers = [int(one) for found in _CITED.finditer(sentence) for one in _NUMBER.findall(found[1])]
    good = [one for one in dict.fromkeys(numbers) if 1 <= one <= count]
    return good, sum(1 for one in numbers if not 1 <= one <= count)


def _with_citations(sentence: str, good: Sequence[int]) -> str:
    """The sentence with only the valid citations, each in its place."""

    def kept(found: re.Match[str]) -> str:
        numbers = (int(one) for one in _NUMBER.findall(found[1]))
        return "".join(f" [{one}]" for one in numbers if one in good)

    return _CITED.sub(kept, sentence).strip()


def _is_supported(sentence: str, passages: Sequence[str]) -> bool:
    """Whether a passage supports a sentence, and every quote in it occurs in a passage."""
    words = {term_of(word) for word in content_words_of(_CITED.sub("", sentence))}
    held = {term_of(word) for one in passages for word in content_words_of(one)}
    return bool(words & held) and _quotes_occur(sentence, passages)


def _quotes_occur(sentence: str, passages: Sequence[str]) -> bool:
    """Whether everything in quotation marks occurs in one of the passages."""
    for found in _QUOTED.finditer(sentence):
        words = found[1] or found[2]
        if len(words.split()) >= _LEAST_QUOTED and not any(words in one for one in passages):
            return False
    return True
