"""Whom a statement is about, with the names that a person has told before.

In "bree got a job in hobart" nothing but an earlier entry ("my sis bree is a nurse") says that bree
is somebody, and that she is the sister. So the names are read from the entries, however they are
spelled, and a statement that begins with one is about that person and nobody else.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import (
    RELATIONS,
    SAME_RELATION,
    about_another,
    relations_in,
)
from recollect.memories.text_comparison import IDLE, normalised, words_of

_READ: Final = 300
_NAMED_BESIDE: Final = re.compile(
    rf"(?P<whose>(?:my|our|mon|ma|notre|'s|s) (?:[\w-]{{2,20}} )??)?(?<![\w-])"
    rf"(?P<relation>{RELATIONS})(?:'?s)?,? (?P<called>(?:is |are )?(?:called |named )|c'est "
    r"|s'appelle |\()?(?P<name>(?:(?:mr|mrs|ms|dr|mme|m)\.? )?[^\W\d_][\w-]{1,20})"
    r"(?=$|[\s,.;:!)'])",
    re.IGNORECASE,
)
#: Family whom people call by the relation alone: "dad lives in Perth".
_FAMILY: Final = frozenset({"mum", "dad", "grandmother", "grandfather"})
_POSSESSIVE: Final = (
    r"(?:my|our|the|his|her|their|mon|ma|mes|notre|nos|le|la|les|son|sa|ses|leur|leurs)"
)
_BY_RELATION: Final = re.compile(
    rf"(?:{_POSSESSIVE} (?:[\w-]{{2,20}} ){{0,2}}?)?({RELATIONS})(?:'?s)?(?![\w-])"
    r"(?:,? (?:is |est )?([^\W\d_][\w-]{1,20}))?",
    re.IGNORECASE,
)
_POSSESSED: Final = re.compile(rf"{_POSSESSIVE} ", re.IGNORECASE)
_FIRST: Final = re.compile(
    r"([^\W\d_][\w-]{1,30}?)(?:['\u2019]s|s)?(?=$|[\s,:;.!])"
    r"(?: (?:and|&|n|et) ([^\W\d_][\w-]{1,30}))?"
)
_OPENING: Final = re.compile(
    r"(?:oh|ah|ok|so|well|wait|no|yes|btw|ugh|lol|haha|news|bon|bah|alors|donc|et|and|but|mais)\b\W+",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(
    r"(?:i|i'm|i've|i'd|i'll|im|ive|me|my|we|we're|we've|were|our|je|j'|jai|jsuis|moi|on|nous)(?![\w-])",
    re.IGNORECASE,
)
#: Somebody and the speaker: "my boyfriend Marcus and I are going to Lisbon".
_WITH_SPEAKER: Final = re.compile(
    r"(?:[\w'-]{1,30} ){1,4}(?:and|n|&|et) (?:i|me|moi)\b", re.IGNORECASE
)

People = Mapping[str, frozenset[str]]


def known_people(texts: Iterable[str]) -> dict[str, frozenset[str]]:
    """The names that texts introduce beside a relation, each with its relations."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        for name, relation in _introduced(text[:_READ]):
            found[name] = found.get(name, frozenset()) | {relation}
    return found


@lru_cache(2_048)  # the same entries are read for each statement
def _introduced(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, SAME_RELATION[found["relation"].lower()])
        for found in _NAMED_BESIDE.finditer(text)
        for name in [found["name"].split()[-1].lower()]
        if name not in IDLE
        and name not in SAME_RELATION
        and (found["name"][0].isupper() or _may_be_typed_small(found, name))
    )


def _may_be_typed_small(found: re.Match[str], name: str) -> bool:
    """Whether a word without a capital can be a name: behind "my", or where it says "called"."""
    return bool(found["whose"] or found["called"]) and not is_common_word(name)


def subject_of(text: str, people: People) -> frozenset[str]:
    """The person or animal whom a statement is about, by relation and name; empty for the speaker
    and for things.
    """
    relation, names, is_named = _beginning(text[:_READ])
    known = names & people.keys()
    if relation:
        return relation | known
    if known:
        return frozenset(known).union(*(people[one] for one in known))
    return names if is_named else frozenset()


@lru_cache(2_048)  # the same entries are read for each statement
def _beginning(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """The relation with which a statement begins, the words in the place of a name, and whether
    these can only be a name.
    """
    plain = text.strip().replace("\u2019", "'")
    opening = _OPENING.match(plain)
    plain = plain[opening.end() :] if opening else plain
    nobody: frozenset[str] = frozenset()
    if _WITH_SPEAKER.match(plain):
        return nobody, nobody, False
    related = _BY_RELATION.match(plain)
    if related is not None:
        relation = SAME_RELATION[related[1].lower()]
        if relation in _FAMILY or _POSSESSED.match(plain):
            return frozenset({relation}), frozenset({(related[2] or "").lower()}), False
    first = _FIRST.match(plain)
    if first is None or _SPEAKER.match(plain):
        return nobody, nobody, False
    named = first[1][0].isupper() and about_another(plain)
    others = {one.lower() for one in first.groups() if one}
    return nobody, frozenset({first[1].lower()} if named else others), named


def of_one_person(old: str, new: str, people: People) -> bool:
    """Whether both statements are about the same person, or both about the speaker or a thing."""
    one, other = subject_of(old, people), subject_of(new, people)
    return bool(one & other) if one or other else True


def names_the_other(old: str, new: str, people: People) -> bool:
    """Whether the one whom a statement is about occurs in the other: "Captain died" and "I have a
    cat named Captain".
    """
    one, other = subject_of(old, people), subject_of(new, people)
    return bool(one & _named_in(new) or other & _named_in(old))


def _named_in(text: str) -> set[str]:
    return set(words_of(normalised(text))) | relations_in(text)
