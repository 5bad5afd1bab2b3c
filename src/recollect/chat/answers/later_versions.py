"""Whether a later statement is a new version of an older one: the meeting that is now at ten.

Some changes are not clear enough to replace the older entry when they are said. When a question
matches the older entry, more is known: the kind of answer asked for. A later entry then answers
instead of it if it says that something changed, shares its topic and holds another value of the
requested kind.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from recollect.chat.answers.answer_kinds import holds
from recollect.chat.language.change_words import says_another, says_otherwise
from recollect.chat.language.concepts import concepts_asked, concepts_told, members_by_concept
from recollect.chat.language.sentence_subject import RELATIONS, about_another
from recollect.chat.updates.update_verdict import names_of, same_person, topic_of
from recollect.memories.text_comparison import normalised, stem, words_of

#: Kinds of answer that a text either holds or not; any text may answer the other kinds.
_KINDS: Final = frozenset({"when", "age", "number", "money", "clock", "where", "who", "colour"})
#: Concepts with fewer words than this do not name things of one kind.
_FEWEST_MEMBERS: Final = 8
_SHORT_MESSAGE: Final = 200
_FEW: Final = 3  # a word that more texts hold tells nothing about whether two of them are versions
_FIRST_NAME: Final = re.compile(r"[A-ZÀ-Þ][\w-]{1,30}")
#: A person with their name: the subject of an entry, not a value that changes.
_INTRODUCED: Final = re.compile(
    rf"(?i:\b(?:{RELATIONS})),? ([A-ZÀ-Þ][\w-]{{1,30}})|^([A-ZÀ-Þ][\w-]{{1,30}})(?='s| is\b| has\b)"
)
#: Words that follow a figure but are no unit.
_NO_UNIT: Final = frozenset(
    "a an and at by each every for from in of on or per the to un une par".split()
)
_RAISED: Final = re.compile(
    r"\b(?:upped|raised|increased|cut|lowered|reduced|extended|bumped|dropped|brought|went|gone|up"
    r"|down|augmenté|baissé|passée?s?|réduite?|prolongée?)\b.{0,40}?\b(?:to|à) \d{1,7}"
    r"(?:[.,]\d{1,3})?k? ?([a-zà-ÿ%€£$]{1,15})",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\b\d{1,7}(?:[.,]\d{1,3})?k? ?([a-zà-ÿ%€£$]{1,15})", re.IGNORECASE)
_LEVEL: Final = re.compile(r"\b([A-Z]{1,3})(\d{1,2})\b")


def common_words(texts: Sequence[str]) -> frozenset[str]:
    """Topic words of many texts: two that share only such a word are not about the same."""
    counted = Counter(word for text in texts for word in topic_of(text))
    return frozenset(word for word, many in counted.items() if many > _FEW)


def is_later_version(
    new: str,
    old: str,
    wants: str,
    question: str,
    said: str = "",
    *,
    common: frozenset[str] = frozenset(),
) -> bool:
    """Whether a later text replaces an older one as the answer; ``said`` is the message of the
    later text, which may itself say that something changed. Words in ``common`` are no topic.
    """
    said = said if new in said and len(said) <= _SHORT_MESSAGE else new
    if not says_otherwise(said) or not same_person(old, new):
        return False
    fitting = wants in _KINDS
    if fitting and not holds(wants, new, question):
        return False
    topic, other = topic_of(said), topic_of(old)
    shared = topic & other
    named = _stems(" ".join(names_of(f" {said}") | names_of(f" {old}")))
    if shared - named - common and (fitting or len(shared) * 2 >= min(len(topic), len(other))):
        return True
    if takes_the_place(said, old, question) or (fitting and _same_unit(said, old)):
        return True
    if _of_one_subject(new, old) and (fitting or _is_asked_of(new, question)):
        return True
    return _of_one_kind(said, old, question)


def takes_the_place(new: str, old: str, question: str = "") -> bool:
    """Whether a text names a thing that an older text named, says that it is over, and names
    another: "Siena was too dear, it'll be Bled". The subject of the question is not such a thing.
    """
    names, before = names_of(f" {new}"), names_of(f" {old}")
    introduced = {found[1] or found[2] for found in _INTRODUCED.finditer(old[:600])}
    values = {name for name in names & before - introduced if name not in question}
    return bool(values and names - before) and says_otherwise(new)


def _of_one_subject(new: str, old: str) -> bool:
    """Whether a text begins with a person's name that the older text contains too."""
    begins = _FIRST_NAME.match(new)
    return begins is not None and begins[0] in names_of(f" {old}") and about_another(new)


def _is_asked_of(new: str, question: str) -> bool:
    """Whether the question is about the person whose name begins a text, which says "now" and
    names something else: "Ana is at Hill Road now".
    """
    begins = _FIRST_NAME.match(new)
    others = names_of(new) - {begins[0]} if begins is not None else frozenset()
    return begins is not None and begins[0] in question and bool(others) and says_another(new)


def _same_unit(new: str, old: str) -> bool:
    """Whether a text says that a figure changed, and the older has a figure of the same unit."""
    changed = _RAISED.search(new)
    units = {found[1].lower() for found in _COUNTED.finditer(old)} - _NO_UNIT
    return changed is not None and changed[1].lower() in units and changed[0] not in old


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words_of(normalised(text))}


def _of_one_kind(new: str, old: str, question: str) -> bool:
    """Whether the texts name different things of the requested kind: the cello and the drums,
    levels B1 and B2.
    """
    levels, before = set(_LEVEL.findall(new)), set(_LEVEL.findall(old))
    if {letters for letters, _ in levels - before} & {letters for letters, _ in before - levels}:
        return True
    mine, theirs = _members(new), _members(old)
    asked = {kind for word in words_of(normalised(question)) for kind in concepts_asked(stem(word))}
    anew, meant, told = says_another(new), _members(question), concepts_told(_stems(new))
    return any(
        mine[one] - theirs[one]
        and (anew or mine[one] & theirs[one])
        and not any(
            word in theirs[one] - mine[one] and not concepts_asked(word) & told
            for word in meant.get(one, ())
        )
        for one in mine.keys() & theirs.keys() & asked
    )


@lru_cache(1_024)  # an entry is compared with the same others again and again
def _members(text: str) -> dict[int, frozenset[str]]:
    return members_by_concept(words_of(normalised(text)), _FEWEST_MEMBERS)
