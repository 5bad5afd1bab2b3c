"""Updates that point at what changed without naming it: "they moved it to Friday", "down to 81 kg".

The new value says which entry is meant: the only one that has a value of its kind (a day, an hour,
an amount of the unit or of about the size), or the newest of several that share a word with the
update. The entry goes on with the new value.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.chat.language.value_patterns import VALUES
from recollect.chat.updates.carried_details import FULL_HOUR, with_other_value
from recollect.chat.updates.update_verdict import names_of, topic_of

_NUMBER_WORDS: Final = {
    word: number
    for number, words in (
        (1, "one un une"), (2, "two deux"), (3, "three trois"), (4, "four quatre"),
        (5, "five cinq"),
        (6, "six"), (7, "seven sept"), (8, "eight huit"), (9, "nine neuf"), (10, "ten dix"),
        (11, "eleven onze"), (12, "twelve douze"), (15, "fifteen quinze"), (20, "twenty vingt"),
        (30, "thirty trente"), (40, "forty quarante"), (50, "fifty cinquante"),
        (60, "sixty soixante"), (70, "seventy"), (80, "eighty"), (90, "ninety"),
        (100, "hundred cent"),
    )
    for word in words.split()
}  # fmt: skip
_NUMBER: Final = (
    r"(?:\d{1,3}(?:[ ,.]\d{3}){1,3}|\d{1,6}(?:[.,]\d{1,2})?"
    rf"|(?:{'|'.join(_NUMBER_WORDS)})\b)"
)
_UNIT: Final = r"(?: ?(?:€|£|%)| [a-zà-ÿ]{2,12})?"
#: A change of an amount, and the new amount.
_STEP: Final = re.compile(
    rf"(?:\b(?:down|up|back|cut|raised|increased|reduced|dropped|lowered|bumped|trimmed|grown"
    rf"|shrunk|put|went"
    rf"|gone|goes|passée?s?|montée?s?|descendue?s?|augmentée?s?|baissée?s?|réduite?s?)\b"
    rf"(?: (?:it|them|that|me|us|mine|up|down|again|now|already)){{0,4}} (?:to|at|from|à) "
    rf"(?:about |around |just |only |\d[\d.,]{{0,8}} to )?|\b(?:put|puts|putting|went|goes|going"
    rf"|gone) (?:it |them |mine )?"
    rf"(?:up|down)\b.{{0,30}}?(?:it's|its|it is|to|now|is) (?:now )?)"
    rf"[€£$]?({_NUMBER})({_UNIT})(?![\d:])",
    re.IGNORECASE,
)
#: A change of a day or an hour of "it".
_MOVED: Final = re.compile(
    r"\b(?:moved|pushed|shifted|changed|rescheduled|postponed|bumped) (?:it|that|this|mine|me)"
    r"(?: \w+){0,2} (?:to|till|until|for|back to|forward to)\b"
    r"|\b(?:brought|put) (?:it|that|this|mine|me) (?:back|forward|off|up|down) (?:to|till|until)\b"
    r"|\b(?:gave|got|have|given|granted) (?:me |us )?(?:an? )?(?:extension|postponement) (?:until"
    r"|till|to)\b"
    r"|\b(?:it's|it is|it has|it got|it was|that's) (?:been |now )?(?:moved|pushed|postponed"
    r"|rescheduled|shifted)\b"
    r"|\b(?:l'ont|l'a|l'ai|a été|est) (?:décalée?|déplacée?|reportée?|avancée?|repoussée?) (?:à"
    r"|au)\b",
    re.IGNORECASE,
)
_AMOUNTS: Final = re.compile(rf"(?<![\w:.,-])[€£$]?({_NUMBER})({_UNIT})(?![\d:])", re.IGNORECASE)
_NO_UNIT: Final = frozenset(
    """
    a an per each already hr now from and but for so in on at to of or by with this that the after
    since
    months month weeks week days day years year hours hour minutes january february march april may
    june july august september october november december par mois an ans jours jour semaines dès de
    """.split()
)
_BESIDE: Final = re.compile(r"\([^()]{0,30}\d{4}\)")
_LEAST, _MOST = 0.5, 2.0  # how far a new amount may lie from the old one that it replaces
_LONGEST: Final = 16  # words of an update that names nothing else


@dataclass(frozen=True, slots=True)
class PointedUpdate:
    """The entry that is meant, and its text with the new value."""

    old_id: str
    text: str


def pointed_update(new: str, known: Mapping[str, str]) -> PointedUpdate | None:
    """The entry that an update points at; ``known`` maps ids to texts, newest first."""
    plain = new[:300].replace("\u2019", "'")
    step = _STEP.search(plain)
    if step is not None:
        return _stepped(step, plain, known)
    if _MOVED.search(plain) and len(plain.split()) <= _LONGEST:
        return _moved(plain, known)
    return None


def points_at_value(new: str) -> bool:
    """Whether a text says that something which it does not name has another value now."""
    plain = new[:300].replace("\u2019", "'")
    return bool(_STEP.search(plain) or _MOVED.search(plain))


def _moved(new: str, known: Mapping[str, str]) -> PointedUpdate | None:
    """The entry whose day or hour was moved; None where several could be meant."""
    found: list[PointedUpdate] = []
    for old_id, old in known.items():
        whole = old
        for number, kind in enumerate(VALUES[:4]):
            now, was = kind.search(new), kind.search(whole)
            if number == 1:
                now, was = now or FULL_HOUR.search(new), was or FULL_HOUR.search(whole)
            if now and was and now[0].lower() != was[0].lower():
                whole = with_other_value(whole, was[0], now, new)
        if whole != old:
            found.append(PointedUpdate(old_id, whole))
    return _only(found, known, topic_of(new))


def _only(
    found: Sequence[PointedUpdate], known: Mapping[str, str], about: Collection[str]
) -> PointedUpdate | None:
    """The newest of those that share a word with the update, or the only one."""
    sharing = [one for one in found if topic_of(known[one.old_id]).intersection(about)]
    if sharing:
        return sharing[0]
    return found[0] if len(found) == 1 else None


def _stepped(step: re.Match[str], new: str, known: Mapping[str, str]) -> PointedUpdate | None:
    """The entry whose amount went up or down, by its unit or, without one, by its size."""
    value, unit = _value(step[1]), _unit(step[2])
    named = names_of(new)
    if value is None:
        return None
    about = topic_of(new[: step.start()]) - _PEOPLE
    candidates: list[PointedUpdate] = []
    for old_id, old in known.items():
        if named and not named & names_of(old):
            continue
        for found in _AMOUNTS.finditer(_masked(old)):
            was = _value(found[1])
            if was is None or was == value or not _LEAST <= value / max(was, 0.01) <= _MOST:
                continue
            same_unit = unit and unit == _unit(found[2])
            if not (same_unit or (not unit and (about & topic_of(old) or not about))):
                continue
            amount = found[0].replace(found[1], step[1], 1)
            candidates.append(PointedUpdate(old_id, old.replace(found[0], amount, 1)))
            break
    return _only(candidates, known, about)


def _masked(text: str) -> str:
    """A text with its dates and hours blanked out, of the same length."""
    for kind in (_BESIDE, *VALUES[:4], FULL_HOUR):
        text = kind.sub(lambda found: "_" * len(found[0]), text)
    return text


#: Who changes an amount is not what it is of: "the landlord put it up".
_PEOPLE: Final = frozenset(
    "landlord boss doctor they propri propriétair patron médecin bank".split()
)


def _value(text: str) -> float | None:
    plain = text.lower()
    if plain in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[plain])
    digits = re.sub(r"[ ,.](?=\d{3}\b)", "", plain).replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def _unit(text: str) -> str:
    unit = text.strip().lower()
    return "" if unit in _NO_UNIT else unit.rstrip("s")
