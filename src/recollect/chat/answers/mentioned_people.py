"""Names of people with what they are to the speaker, read from all that a person has told.

People ask "what is my niece called?" after "my brother Henrik" and "Henrik's baby is a girl,
Ronja". So the relations that entries state are put together: a husband's mother is a mother-in-law,
a sister's boy a nephew, and of two children the one that is "she" is the daughter. What somebody
does for the speaker counts too ("the tiler was Piotr"), since the entries that follow only name
them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import RELATIONS, SAME_RELATION, names_in
from recollect.memories.text_comparison import IDLE

_READ: Final = 1_000
_NAME: Final = r"[A-ZÀ-Þ][\w-]{1,30}"
_PARENTS: Final = frozenset({"mum", "dad"})
_MEMBERS: Final = {
    "kids": ("son", "daughter", "child"),
    "child": ("son", "daughter", "kids"),
    "son": ("child", "kids"),
    "daughter": ("child", "kids"),
    "parents": ("mum", "dad"),
    "in-laws": ("mother-in-law", "father-in-law"),
    "grandparents": ("grandmother", "grandfather"),
    **dict.fromkeys(("wife", "husband", "boyfriend", "girlfriend", "fiancé"), ("partner",)),
}
_PARTNERS: Final = frozenset("wife husband partner boyfriend girlfriend fiancé".split())
#: What somebody's relative is to the speaker: first what that somebody is, then the relative.
_BY_BOTH: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    **{(one, "mum"): ("mother-in-law",) for one in _PARTNERS},
    **{(one, "dad"): ("father-in-law",) for one in _PARTNERS},
    **{(one, "parents"): ("mother-in-law", "father-in-law", "in-laws") for one in _PARTNERS},
    **{(one, "brother"): ("brother-in-law",) for one in _PARTNERS},
    **{(one, "sister"): ("sister-in-law",) for one in _PARTNERS},
    **{(one, "son"): ("nephew",) for one in ("brother", "sister")},
    **{(one, "daughter"): ("niece",) for one in ("brother", "sister")},
    **{
        (one, child): ("nephew", "niece")
        for one in ("brother", "sister")
        for child in ("child", "kids")
    },
    **{
        (one, partner): ("sister-in-law",)
        for one in ("brother", "sister")
        for partner in ("wife", "girlfriend")
    },
    **{
        (one, partner): ("brother-in-law",)
        for one in ("brother", "sister")
        for partner in ("husband", "boyfriend")
    },
    **{
        (one, child): grand
        for one in ("son", "daughter", "child", "kids")
        for child, grand in (
            ("son", ("grandson",)),
            ("daughter", ("granddaughter",)),
            ("child", ("grandson", "granddaughter")),
            ("kids", ("grandson", "granddaughter")),
            ("wife", ("daughter-in-law",)),
            ("husband", ("son-in-law",)),
        )
    },
    **{(one, "mum"): ("grandmother",) for one in _PARENTS},
    **{(one, "dad"): ("grandfather",) for one in _PARENTS},
    **{(one, "brother"): ("uncle",) for one in _PARENTS},
    **{(one, "sister"): ("aunt",) for one in _PARENTS},
    **{("cousin", one): ("cousin",) for one in ("son", "daughter", "child")},
}
_CALLED: Final = (
    r"(?:,| is| was| are|'s|:|\(| is called| are called| called| named|,? s'appelle| est)?"
)
_TITLE: Final = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Mme|Madame|Monsieur|Prof)\.? )?"
_TWO: Final = rf"({_NAME})(?:(?:,| \d{{1,2}},?| is \d{{1,2}})?,? (?:and|et) ({_NAME}))?"
#: "my husband Callum", "our kids: Isla is 15 and Rory is 11", "my sons are Sam and Max".
_OWN: Final = re.compile(
    r"(?<![\w'])(?i:my|our|mon|ma|mes|notre|nos|(?:i|we)(?:'ve| have|'d| had)?(?: got| have)?"
    r" (?:an?|two|three|four)|(?:j'ai|on a|nous avons) (?:une?|deux|trois|quatre))"
    rf" (?:[\w-]{{2,20}} ){{0,2}}?(?i:({RELATIONS})(?:e?s)?){_CALLED},? ?{_TWO}"
)
#: "Callum's parents, Morag and Dougie", "Henrik's baby is here: a girl, Ronja".
_THEIRS: Final = re.compile(
    rf"(?<![\w'])(?:(?i:my|our) ([a-z-]{{3,20}})|({_NAME}))['\u2019]s (?:[\w-]{{2,20}} ){{0,2}}?"
    rf"(?i:({RELATIONS})(?:e?s)?)(?:{_CALLED},? ?{_TWO})?"
)
#: "Inês has two boys, Duarte and Simão", "Henrik and his wife Dagny".
_HAS: Final = re.compile(
    rf"(?<![\w'])(?:(?i:my|our) ([a-z-]{{3,20}})(?: {_NAME})?|({_NAME}))"
    rf",? (?i:has|had|have|got|and|with) "
    rf"(?:(?i:his|her|an?|two|three|four|one|[\d]) )(?:[a-z-]{{2,20}} ){{0,2}}?"
    rf"(?i:({RELATIONS})(?:e?s)?){_CALLED},? ?{_TWO}"
)
#: "The tiler was Piotr", "my therapist is called Bronwen", "our singer Bex": not only family.
_ROLE: Final = re.compile(
    rf"(?<!\w)(?i:my|our|the|mon|ma|notre|le|la) (?:[\w'-]{{2,20}} ){{0,3}}?([a-zà-ÿ-]{{3,20}})"
    rf"(?:,| is| was| is called| was called| called| named| s'appelle| est|) "
    rf"(?:an? [a-z]{{3,12}} (?:called|named) )?{_TITLE}({_NAME})(?: ({_NAME}))?"
    r"(?=[.,!;)]|$| (?:and|is|was|has|who|works|lives|at|from|owns|runs|plays|gave|said|came|est"
    r"|a)\b)"
)
#: "Gethin is my oldest friend", "Dr Vass, my dentist".
_BEHIND: Final = re.compile(
    rf"(?<![\w'])({_NAME})(?:,| is| was| est|'s| = ) ?(?i:my|our|the|mon|ma|notre) "
    r"(?:[\w-]{2,20} ){0,2}?([a-zà-ÿ-]{3,20})(?=[.,!;)]|$| (?:and|is|was|at|from|of|who|for)\b)"
)
_A_CHILD: Final = re.compile(r"\b(?:a|an|une?) (?i:(girl|boy|fille|garçon))\b")
_SHE: Final = re.compile(r"\b(?:she|her|hers|she's|elle)\b", re.IGNORECASE)
_HE: Final = re.compile(r"\b(?:he|his|him|he's|il)\b", re.IGNORECASE)
_SEXES: Final = {"son": _HE, "daughter": _SHE, "nephew": _HE, "niece": _SHE,
                 "mother-in-law": _SHE, "father-in-law": _HE}  # fmt: skip
_OPPOSITE: Final = {
    "son": "daughter", "daughter": "son", "nephew": "niece", "niece": "nephew",
    "mother-in-law": "father-in-law", "father-in-law": "mother-in-law",
}  # fmt: skip

Stated = tuple[str, str, str]  # whose relative (empty: the speaker's), relation, name


@lru_cache(2_048)  # each question reads the same entries
def _stated(text: str) -> tuple[Stated, ...]:
    """The relations that a text states."""
    read = text[:_READ].replace("\u2019", "'")
    found: list[Stated] = []
    for match in _OWN.finditer(read):
        found += [
            ("", SAME_RELATION[match[1].lower()], name) for name in _names(match.groups()[1:])
        ]
    for pattern in (_THEIRS, _HAS):
        for match in pattern.finditer(read):
            owner = (match[1] or match[2]).lower()
            relation = SAME_RELATION[match[3].lower()]
            found += [(owner, relation, name) for name in _names(match.groups()[3:])]
            if relation == "child" and (child := _A_CHILD.search(read, match.end(3))):
                sex = SAME_RELATION.get(child[1].lower(), "son")
                found += [(owner, sex, name) for name in _names(names_in(read[child.start() :]))]
    for match in _ROLE.finditer(read):
        found += [("", match[1].lower(), name) for name in _names(match.groups()[1:])]
    for match in _BEHIND.finditer(read):
        found += [("", match[2], name) for name in _names([match[1]])]
    return tuple(dict.fromkeys(found))


def names_stated(text: str) -> set[str]:
    """The names of which a text says what they are to somebody, in small letters."""
    return {name for _, _, name in _stated(text)}


def _names(found: Iterable[str | None]) -> Iterator[str]:
    for name in found:
        plain = (name or "").lower()
        known = plain in IDLE or plain in SAME_RELATION or is_common_word(name or "")
        if name and not known and names_in(f" {name}") and names_in(f" {name.removesuffix('s')}"):
            yield plain


def mentioned_people(texts: Iterable[str]) -> dict[str, set[str]]:
    """For each relation or role, in its own words and in those of the table, the names of those who
    have it; all in small letters.
    """
    told = list(dict.fromkeys(texts))
    stated = [one for text in told for one in _stated(text)]
    found: dict[str, set[str]] = {}
    for whose, relation, name in stated:
        if not whose:
            _add(found, relation, name)
    for _ in range(2):  # a brother's wife, then that couple's child
        for whose, relation, name in stated:
            owners = {SAME_RELATION.get(whose, "")} | {
                role for role, names in found.items() if whose in names
            }
            for owner in owners:
                for derived in _BY_BOTH.get((owner, relation), ()):
                    _add(found, derived, name)
    _tell_apart(found, told)
    return found


def _add(found: dict[str, set[str]], relation: str, name: str) -> None:
    plain = SAME_RELATION.get(relation, relation)
    if plain in IDLE and plain not in SAME_RELATION:
        return
    for one in (relation, plain, *_MEMBERS.get(plain, ())):
        if one != name:
            found.setdefault(one, set()).add(name)


def _tell_apart(found: dict[str, set[str]], told: list[str]) -> None:
    """Of those who may be a son or a daughter, keep what "he" or "she" says beside their names."""
    for relation, opposite in _OPPOSITE.items():
        for name in found.get(relation, set()) & found.get(opposite, set()):
            alone = [
                text
                for text in told
                if text.lower().startswith(name) and len(names_in(f" {text}")) <= 2
            ]
            mine = sum(_SEXES[relation].search(text) is not None for text in alone)
            other = sum(_SEXES[opposite].search(text) is not None for text in alone)
            if other > mine:
                found[relation] = found[relation] - {name}
