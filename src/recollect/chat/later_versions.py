"""Whether what was told later is the same thing anew: the meeting that is at ten by now.

Not every change is told so clearly that the older entry can be replaced when it is heard. When a
question meets the older entry, more is known: what kind of answer is asked for. An entry that was
told later, that says that something changed, that has its topic in common with the older one and
that holds another value of the kind asked for is told in its place.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.chat.answer_kinds import holds
from recollect.chat.concepts import concepts_asked, members_by_concept
from recollect.chat.people import about_another, names_in, relations_in
from recollect.chat.updates import says_otherwise, topic_of
from recollect.memories.normalise import normalised, stem, words_of

#: Kinds of answer that a text either holds or not; of others every text may be one.
_KINDS: Final = frozenset({"when", "age", "number", "where", "who", "colour"})
#: Concepts with fewer words than these name no things of one kind.
_FEWEST_MEMBERS: Final = 8
_LEVEL: Final = re.compile(r"\b([A-Z]{1,3})(\d{1,2})\b")


def is_later_version(new: str, old: str, wants: str, question: str) -> bool:
    """Whether a text that was told later takes the place of an older one as the answer."""
    if not says_otherwise(new) or _of_others(new, old):
        return False
    fitting = wants in _KINDS
    if fitting and not holds(wants, new, question):
        return False
    topic, other = topic_of(new), topic_of(old)
    shared = topic & other
    names = " ".join(names_in(f" {new}") | names_in(f" {old}"))
    named = {stem(name) for name in words_of(normalised(names))}
    if shared - named and (fitting or len(shared) * 2 >= min(len(topic), len(other))):
        return True
    return bool(shared and fitting) or _of_one_kind(new, old, question)


def _of_one_kind(new: str, old: str, question: str) -> bool:
    """Whether both name a thing of the kind that is asked for, and another one: the cello and the
    drums, K1 and K2."""
    levels, before = set(_LEVEL.findall(new)), set(_LEVEL.findall(old))
    if {letters for letters, _ in levels - before} & {letters for letters, _ in before - levels}:
        return True
    mine, theirs = _members(new), _members(old)
    asked = {kind for word in words_of(normalised(question)) for kind in concepts_asked(stem(word))}
    return any(mine[one] - theirs[one] for one in mine.keys() & theirs.keys() & asked)


@lru_cache(1_024)  # an entry is held against the same others again and again
def _members(text: str) -> dict[int, frozenset[str]]:
    return members_by_concept(words_of(normalised(text)), _FEWEST_MEMBERS)


def _of_others(new: str, old: str) -> bool:
    """Whether the two speak of different people."""
    people = relations_in(new) - relations_in(old), relations_in(old) - relations_in(new)
    if about_another(new) and about_another(old):
        names = names_in(f" {new}") & names_in(f" {old}")
        return not names and not relations_in(new) & relations_in(old)
    return (
        about_another(new) is not about_another(old)
        and bool(people[0])
        and not (relations_in(new) & relations_in(old) or names_in(f" {new}") & names_in(f" {old}"))
    )
