"""The newest of several counts of the same thing: 45 sources in the library, later 52.

Asked how many or what percentage, the entries and sentences that count what the question counts are
the same fact at several times, whether or not words say that something changed. A later count takes
the place of the best answer's where it holds another figure of the same unit and, with its message,
most of what the best answer shares with the question, words counting by how few texts hold them.
What is still wanted, what was added, and what is counted with another word before it ("red cards"
beside "cards") is not the same fact.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from recollect.chat.answers.answer_kinds import FULL_DATE, holds
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.question_reader import AskedQuestion, content_words_of
from recollect.chat.language.concepts import concepts_asked, concepts_told
from recollect.chat.language.sentence_subject import relations_in
from recollect.chat.language.value_patterns import NUMBER_WORD
from recollect.chat.updates.update_verdict import other_scope, same_person
from recollect.memories.text_comparison import stem

_HOW_MANY: Final = re.compile(
    r"\b(?:how many|(?:what|which) number of|combien d(?:e |'))((?: ?[\w'-]{2,20}){1,5})",
    re.IGNORECASE,
)
#: Where the words for what is counted end.
_ENDS: Final = frozenset(
    "are is was were am do does did have has had can could will would should am must in on at of to"
    " for from with by and or i we you he she they my our his her their the a an there per each"
    " nous on j'ai est sont dans sur mon ma mes".split()
)
_INVERTED: Final = re.compile(r"-(?:je|tu|ils?|elles?|on|nous|vous)$")  # "avons-nous"
_PERCENTAGE: Final = re.compile(r"\b(?:percentage|percent|pourcentage)\b|%", re.IGNORECASE)
_FIGURE: Final = rf"(\d{{1,7}}(?:[.,]\d{{1,3}}){{0,4}}|\b{NUMBER_WORD})"
_PERCENT: Final = re.compile(rf"{_FIGURE} ?(?:%|percent\b|pour cent\b)", re.IGNORECASE)
#: A figure with the words behind it, of which one may be what it counts.
_COUNTED: Final = re.compile(
    rf"(?<![\w.,:/$€£-]){_FIGURE}(?![\w%/:])((?:[ -][a-zà-ÿ']{{2,20}}){{1,4}})", re.IGNORECASE
)
#: "the number of mentees has increased to 7"
_NUMBER_OF: Final = re.compile(
    r"\b(?:number|count|total|nombre) (?:of|de|d') ?((?:[a-zà-ÿ'-]{2,20} ){1,8}?)"
    rf"(?:to|is|now|reached|à|est) (?:now )?{_FIGURE}(?![\w%/:])",
    re.IGNORECASE,
)
#: Before a figure: it is wanted or imagined, was so before, or was added.
_NOT_SO: Final = re.compile(
    r"\b(?:goal|aim(?:ing|ed)?|target(?:ing|ed)?|want(?:ed|s)?|wish"
    r"|plan(?:s|ning|ned)? (?:to|on|for)|hop(?:e|ing)|would|should|could|need(?:s|ed)?"
    r"|going to|due|if|until|unless|at least|at most|up to|limit"
    r"|another|used to|instead of|not|never|objectif|veux|voudrais|espère|devrais|encore"
    r"|about to|try(?:ing)? to (?:reach|get|have|complete|finish))\b[^.;!?]{0,60}$"
    r"|\bfrom $",
    re.IGNORECASE,
)
#: Words between a figure and what it counts that do not say which of them.
_PLAIN: Final = frozenset("total different whole full of de d'".split())
_ADDED: Final = frozenset(
    "more new other another extra additional fewer less further last first next".split()
)
#: Figures that count nothing: shares, prices, dates.
_OTHER_KIND: Final = re.compile(
    rf"{_FIGURE} ?(?:%|percent\b|pour cent\b)"
    r"|[$€£] ?\d[\d.,]{0,15}k?|\d[\d.,]{0,15}k? ?(?:[€£$]|euros?\b)"
    r"|\b\d{1,2}(?:[:h]\d{2})? ?[ap]m\b|\b\d{1,2}[:h]\d{2}\b"
    rf"|{FULL_DATE.pattern}(?:,? (?:19|20)\d{{2}})?",
    re.IGNORECASE,
)
_FIGURES_NAMED: Final = re.compile(r"(?<![\w.])v?\d{1,7}(?:[.,]\d{1,3}){0,4}(?![\w%])")
_READ: Final = 600
_SAID: Final = 1_200
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class _CountOfThings:
    figure: str
    which: frozenset[str]  # stems of the words between the figure and what it counts


@dataclass(frozen=True, slots=True)
class AskedCount:
    """What a question wants counted: the stem of the unit, and which of them."""

    unit: str
    which: frozenset[str]


def asked_count(question: AskedQuestion) -> AskedCount | None:
    """What a question wants counted; None where it asks for something else."""
    found = _HOW_MANY.search(question.text)
    if found is not None:
        phrase: list[str] = []
        for word in found[1].lower().split():
            if word in _ENDS or _INVERTED.search(word):
                break
            phrase.append(word)
        if not phrase:
            return None
        which = frozenset(stem(word) for word in phrase[:-1] if word not in _PLAIN)
        return AskedCount(stem(phrase[-1]), which)
    return AskedCount("%", frozenset()) if _PERCENTAGE.search(question.text) else None


@lru_cache(2_048)
def _counts(text: str, *, wanted: bool = False) -> Mapping[str, tuple[_CountOfThings, ...]]:
    """What a text counts, by the stem of what is counted; only with ``wanted`` also what is still
    wanted, imagined or over.
    """
    found: dict[str, list[_CountOfThings]] = {}
    read = text[:_READ]
    for one in _PERCENT.finditer(read):
        if wanted or not _NOT_SO.search(read[: one.start()]):
            found.setdefault("%", []).append(_CountOfThings(one[1].lower(), frozenset()))
    for one in _COUNTED.finditer(read):
        if not wanted and _NOT_SO.search(read[: one.start()]):
            continue
        before: list[str] = []
        for word in one[2].lower().replace("-", " ").split():
            if word in _ADDED or (word in _ENDS and word not in _PLAIN):
                break
            which = frozenset(stem(other) for other in before if other not in _PLAIN)
            found.setdefault(stem(word), []).append(_CountOfThings(one[1].lower(), which))
            before.append(word)
    for one in _NUMBER_OF.finditer(read):
        counted = one[1].lower().split()
        found.setdefault(stem(counted[0]), []).append(_CountOfThings(one[2].lower(), frozenset()))
    return {unit: tuple(counts) for unit, counts in found.items()}


def newest_count(
    question: AskedQuestion, best: KnownEntry, told: Sequence[KnownEntry]
) -> KnownEntry:
    """The newest of the texts that tell the same count as the best answer; the best one if no later
    one does.
    """
    meant = asked_count(question)
    if meant is None or question.past or question.several:
        return best
    old = _of(meant, question, _counts(best.text, wanted=True))
    if not old:
        return (
            best if _tells_number(question, best.text) else _counting(meant, question, best, told)
        )
    later = [
        one
        for one in told
        if one.at > best.at
        and not one.over
        and _is_same_fact(question, best, one)
        and _another(old, _of(meant, question, _counts(one.text)), meant, question)
    ]
    if not later:
        return best
    rarity = _rarities(question, told)
    whole = sum(rarity[word] for word in question.stems & _stems(best.text))
    least = _MOST * whole
    alike = [
        one
        for one in later
        if sum(rarity[word] for word in question.stems & _stems(_said(one))) >= least
        and question.stems & _stems(one.text)
    ]
    return max(alike, key=lambda one: one.at, default=best)


def _counting(
    meant: AskedCount, question: AskedQuestion, best: KnownEntry, told: Sequence[KnownEntry]
) -> KnownEntry:
    """The newest text that counts what is asked for and has to do with the question as much as the
    best answer has, which holds no number.
    """
    if meant.unit == "%":
        return best
    rarity = _rarities(question, told)
    least = sum(rarity[word] for word in question.stems & _stems(_said(best)))
    found = [
        one
        for one in told
        if not one.over
        and _is_same_fact(question, best, one)
        and any(meant.which <= count.which for count in _counts(one.text).get(meant.unit, ()))
        and len(question.stems & _stems(one.text)) > 1
        and sum(rarity[word] for word in question.stems & _stems(_said(one))) >= least
    ]
    return max(found, key=lambda one: one.at, default=best)


def counts_others(question: AskedQuestion, old: str, new: str, said: str = "") -> bool:
    """Whether the older text counts what the question names and the later one does not: it leaves
    out which of them ("conditional probability problems"), or all its figures are of another kind.
    ``said`` is the message of the later one.
    """
    meant = asked_count(question)
    if meant is None or meant.unit not in _counts(old):
        return False
    if (meant.which & _stems(old)) - _stems(f"{new} {said[:_SAID]}"):
        return True
    if meant.unit == "%":
        return False
    units = _counts(new).keys()
    kinds = concepts_asked(meant.unit) | concepts_told(frozenset({meant.unit}))
    if units and not units & (question.stems | {meant.unit}) and not kinds & concepts_told(units):
        return True
    return not _tells_number(question, new)


def _tells_number(question: AskedQuestion, text: str) -> bool:
    """Whether a text holds a number that may be a count."""
    return bool(holds("number", _OTHER_KIND.sub(" ", text), question.text))


def _of(
    meant: AskedCount, question: AskedQuestion, counts: Mapping[str, tuple[_CountOfThings, ...]]
) -> tuple[_CountOfThings, ...]:
    """The counts of the thing that is asked about; without any, those of other things that the
    question names.
    """
    if meant.unit in counts:
        return counts[meant.unit]
    if meant.unit == "%":
        return ()
    return tuple(one for unit in sorted(question.stems & counts.keys()) for one in counts[unit])


def _another(
    old: Sequence[_CountOfThings],
    new: Sequence[_CountOfThings],
    meant: AskedCount,
    question: AskedQuestion,
) -> bool:
    """Whether a later count has another figure, and says nothing new about what it counts."""
    known = question.stems.union(meant.which, *(one.which for one in old))
    needed = {word for word in meant.which if any(word in one.which for one in old)}
    figures = {one.figure for one in old}
    return any(
        one.figure not in figures and one.which <= known and needed <= (one.which | {meant.unit})
        for one in new
    ) or (any(one.figure not in figures and not one.which for one in new) and not needed)


def _is_same_fact(question: AskedQuestion, best: KnownEntry, one: KnownEntry) -> bool:
    """Whether a text can tell the same about the same person, at the times that are asked for."""
    if other_scope(best.text, one.text) or not same_person(best.text, one.text):
        return False
    if any(name in best.text and name not in _said(one) for name in question.names):
        return False
    if question.relations - relations_in(_said(one)):
        return False
    return not any(
        figure in best.text and figure not in _said(one)
        for figure in _FIGURES_NAMED.findall(question.text)
        if figure.count(".") < 2 and not figure.startswith("v")
    )


def _rarities(question: AskedQuestion, told: Sequence[KnownEntry]) -> dict[str, float]:
    """How few texts hold each word of the question."""
    held = [_stems(one.text) for one in told]
    return {
        word: log((len(held) + 2) / (1 + sum(word in one for one in held)))
        for word in question.stems
    }


def _said(one: KnownEntry) -> str:
    return f"{one.text} {one.message[:_SAID]}"


@lru_cache(2_048)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words_of(text))
