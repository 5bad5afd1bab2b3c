"""Updates that name a thing and its new value: "dentist rang, they pushed me to the 19th".

The words say that something was moved, raised or cut; a word that few other entries hold says what;
and the entry has one value of the same kind, a day, an hour or an amount of the unit. Then the
entry goes on with the new value, so that the rest of it is not lost. Where two entries fit equally
well, neither is touched.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from recollect.chat.updates.known_people import known_people, names_the_other, of_one_person
from recollect.chat.updates.pointed_updates import PointedUpdate, pointed_update, points_at_value
from recollect.chat.updates.update_verdict import other_scope, topic_of
from recollect.chat.updates.value_exchange import moved_to

_MOVED: Final = re.compile(
    r"\b(?:moved|moving|shifted|pushed|pushing|postponed|rescheduled|delayed|brought forward"
    r"|put (?:[\w']{1,15} ){0,3}?(?:off|back|forward|up|down)|bumped|changed|altered|swapped"
    r"|switched|gone over|instead|(?:is|are|it's|'s) now|now (?:on|at|in|is|are)|these days"
    r"|new (?:date|day|time|slot|deadline|price|rate|dose)|raised|upped|increased|lowered|reduced"
    r"|dropped|cut|doubled|halved|(?:went|gone|goes|going|up|down) (?:up |down |back )?to"
    r"|décal\w{1,4}|déplac\w{1,4}|avanc\w{1,4}|repouss\w{1,4}|report[ée]\w{0,3}"
    r"|passe(?:nt)? (?:au|à|en|le)|passée?s? (?:au|à|en|le)|ce sera|c'est maintenant|désormais"
    r"|augment\w{1,4}"
    r"|baiss\w{1,4}|réduit\w{0,2}|monte|montée?s?)(?!\w)",
    re.IGNORECASE,
)
_FEW: Final = 3  # entries that hold a word which still says which of them is meant
_LONGEST: Final = 40  # words of an entry that is still one fact


def says_moved(new: str) -> bool:
    """Whether a text says that a value of something changed, named or pointed at."""
    return _MOVED.search(new) is not None or points_at_value(new)


def value_update(new: str, known: Mapping[str, str]) -> PointedUpdate | None:
    """The entry whose value a text changes: the one with the thing that it names, or else the one
    that it points at.
    """
    return moved_value(new, known) or pointed_update(new, known)


def moved_value(new: str, known: Mapping[str, str]) -> PointedUpdate | None:
    """The entry whose value was changed, with the new one; ``known`` maps ids to texts."""
    plain = new[:300].replace("\u2019", "'")
    moved = _MOVED.search(plain)
    if moved is None:
        return None
    people = known_people((*known.values(), plain))
    held = Counter(word for text in known.values() for word in topic_of(text))
    topic = {word for word in topic_of(plain) if 0 < held[word] <= _FEW}
    found: list[tuple[float, PointedUpdate]] = []
    for old_id, old in known.items():
        telling = topic & topic_of(old)
        if not telling or len(old.split()) > _LONGEST or other_scope(old, plain):
            continue
        if not (of_one_person(old, plain, people) or names_the_other(old, plain, people)):
            continue
        whole = moved_to(old, plain, moved)
        if whole is not None:
            found.append((sum(1 / held[word] for word in telling), PointedUpdate(old_id, whole)))
    found.sort(key=lambda one: -one[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]
