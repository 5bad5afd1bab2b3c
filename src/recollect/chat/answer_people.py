"""Of whom an entry speaks, held against whom a question asks about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.chat.concepts import is_common_word
from recollect.chat.people import about_another, names_in, relations_in
from recollect.chat.question_reader import AskedQuestion

#: Whom a word for several people may mean.
_GROUPS_OF: Final = {
    **dict.fromkeys(("son", "daughter", "child"), ("kids", "child")),
    "kids": ("child",),
    **dict.fromkeys(("mum", "dad"), ("parents",)),
    **dict.fromkeys(("grandmother", "grandfather"), ("grandparents",)),
    **dict.fromkeys(("mother-in-law", "father-in-law"), ("in-laws",)),
    **dict.fromkeys(("wife", "husband", "boyfriend", "girlfriend", "fiancé"), ("partner",)),
}
#: An entry that names nobody and speaks of whom was named just before: "He's mad about trains".
LEANS_ON_SUBJECT: Final = re.compile(
    r"(?:he|she|they|his|her|their|he's|she's|they're|on|been|has|had|with|for|il|elle|ils|elles|sa"
    r"|ses|leur)\b",
    re.IGNORECASE,
)
_NAMED_FROM: Final = re.compile(
    r"[A-ZÀ-Þ][\w-]{1,30} (?:from|at|in|next|de|du|chez) (?:[\w-]{2,20} ){1,3}(?:is"
    r"|has|can't|was|est"
    r"|a|[a-z]{3,15}s)\b"
)
SIBLINGS_CHILD: Final = re.compile(
    r"\b(?:brother|sister|bro|sis)(?: [A-Z][\w-]{1,30})?'s (?:little |older |younger |new )?"
    r"(boy|lad|son|girl|lass|daughter|kid|child|baby|youngest|eldest|oldest)\b",
    re.IGNORECASE,
)
_MARRIED_TO: Final = re.compile(
    r"\b(?:married|engaged|mariée?|fiancée?) (?:to|with|à|avec) (?-i:[A-ZÀ-Þ])", re.IGNORECASE
)
_SPOUSES: Final = frozenset({"wife", "husband", "partner", "fiancé"})
_BOYS: Final = frozenset({"boy", "lad", "son"})
_GIRLS: Final = frozenset({"girl", "lass", "daughter"})
_EITHER: Final = frozenset({"nephew", "niece"})
_SPEAKER_INSIDE: Final = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|[Ww]e|[Ww]e're|[Ww]e've|[Jj]e|[Jj]'\w{1,15}|moi|nous)\b"
)
_TO_SPEAKER: Final = re.compile(r"\b(?:me|my|mine|us|ours|mon|ma|mes|moi)\b", re.IGNORECASE)
_BEGINS_WITH_NAME: Final = re.compile(
    r"([A-ZÀ-Þ][\w-]{2,30})(?:'s|(?: (?:is|was|has|had|can|can't|est|a|(?!this |his |its |as )"
    r"[a-z]{2,15}(?:s|ed)))) "
)
#: The feature of an entry that tells of somebody by another name than the one that is asked for.
OF_ANOTHER_NAME: Final = "of_another_name"
#: What the speaker tells of themselves alone, and features of an entry that speaks of others.
_OF_SPEAKER_ALONE: Final = re.compile(r"(?:i|i'm|im|i've|i'd|my own|je|j'\w{1,15}|moi)\b", re.I)
_OF_THEM: Final = frozenset({"named", "named_around", "related", "related_around", "introduced"})
_OF_NOBODY: Final = frozenset({"named_nowhere", "related_nowhere"})
_SUBJECT_LENGTH: Final = 30
_SUBJECT_ENDS: Final = 8  # characters: "my" at the beginning says whose mother it is
#: Animals are often told by their breed; and what somebody is to the speaker in other words.
_ANIMALS: Final = frozenset({"dog", "cat", "horse", "rabbit"})
ROLES: Final = _ANIMALS | frozenset(
    """
    boss colleague flatmate neighbour landlord teacher doctor dentist therapist agent friend family
    """.split()
)
_ASKS_WHO: Final = re.compile(
    r"\b(?:who(?:'s| is| was)|qui (?:est|était)|what(?:'s| is) [\w-]{2,30}'s (?:role|position|job)"
    r"|how do i know|quel est le rôle d[eu'])",
    re.IGNORECASE,
)
_INTRODUCES: Final = (
    r"\b(?:my|our|the|his|her|their|an?|mon|ma|notre|le|la|un|une) (?:[\w-]{2,20} ){0,2}"
    r"[\w-]{3,20},? "
    r"(?:is |called |named |s'appelle )?"
)
_LINKS: Final = re.compile(
    r"(?:(?:and|so|but|also|oh|because|cos|as|et|mais|donc|alors|oui|well|car),? )+", re.I
)
_DETERMINERS: Final = frozenset("the my our his her their le la les mon ma mes notre".split())
_HE_OR_SHE: Final = re.compile(
    r"(?:he|she|his|her|he's|she's|they|they're|their|il|elle|son|sa|ses|ils|elles)\b", re.I
)
_ALIAS: Final = re.compile(
    r"\b(?:[Mm]y|[Oo]ur|[Mm]on|[Mm]a|[Nn]otre) (?:\w{2,20} ){0,1}([\w-]{3,20}),? "
    r"(?:is called |is |called |named |s'appelle )?([A-ZÀ-Þ][\w-]{1,30})",
    re.UNICODE,
)


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry as a question is held against it."""

    id: str
    text: str
    at: datetime
    #: What else was told in the same message.
    beside: str = ""
    #: What it points back to: "I take mine with milk" speaks of the coffee that was told before;
    #: and what it took the place of.
    before: str = ""
    #: The message that it is from.
    message: str = ""
    #: Whether it no longer holds.
    over: bool = False
    #: What it is worth beside what it says: a sentence of a message is no entry.
    worth: float = 0.0


class PersonFeatures:
    """Whether entries speak of whom a question asks about."""

    def __init__(self, question: AskedQuestion, aliases: dict[str, set[str]]) -> None:
        self._question = question
        self._aliases = aliases

    def of(self, one: KnownEntry) -> dict[str, float]:
        """The features of an entry; what is not named is 0."""
        question, text = self._question, one.text
        around = f"{one.beside} {one.before} {one.message}"
        if LEANS_ON_SUBJECT.match(text) and not relations_in(text):
            text, around = f"{one.beside} {one.before} {text}", f"{around} {text}"
        found: dict[str, float] = {}
        names = {name for name in question.names - question.places if not name.isupper()}
        if names and _ASKS_WHO.search(question.text) and _introduces(names, one.text):
            found["introduced"] = 1.0
        if names:
            found[self._where_named(names, text.lower(), around.lower())] = 1.0
            if "named" not in found and _of_another_name(one.text, names):
                found[OF_ANOTHER_NAME] = 1.0
        found.update(self._kin(one.text, text, around))
        if found.keys() & _OF_NOBODY and not found.keys() & _OF_THEM:
            found.update({"of_speaker_alone": 1.0} if _OF_SPEAKER_ALONE.match(one.text) else {})
        roles = question.relations & ROLES
        if roles and roles & relations_in(text):
            found["role"] = 1.0
        if names or question.relations or not question.own or question.wants == "who":
            return found
        if self._of_another(one.text):
            inside = _SPEAKER_INSIDE.search(one.text) or _TO_SPEAKER.search(one.text, _SUBJECT_ENDS)
            found["of_both" if inside else "of_another"] = 1.0
        elif _SPEAKER_INSIDE.search(text):
            found["of_speaker"] = 1.0
        return found

    def _kin(self, own: str, text: str, around: str) -> dict[str, float]:
        """Whether an entry speaks of the relatives that are asked about."""
        wanted = self._question.relations - ROLES
        if not wanted:
            return {}
        found = {self._where_related(wanted, text, around): 1.0}
        if "related_nowhere" in found and self._of_other_kin(wanted, own):
            found["of_other_kin"] = 1.0
        if wanted & {
            relation
            for match in _ALIAS.finditer(text[:1_000])
            for relation in relations_in(f"my {match[1]}")
        }:
            found["introduced"] = 1.0
        return found

    def _of_other_kin(self, wanted: frozenset[str], text: str) -> bool:
        """Whether the subject of a text is a relative, and cannot be the one asked about."""
        begins = relations_in(text[:_SUBJECT_LENGTH]) - ROLES
        words = set(re.findall(r"[\w-]{2,30}", text[:_SUBJECT_LENGTH].lower()))
        begins |= {
            relation
            for relation, names in self._aliases.items()
            if names & words and relations_in(f"my {relation}") == {relation}
        } - ROLES
        mine, theirs = _with_groups(wanted), _with_groups(begins)
        return bool(begins) and not (wanted & theirs or begins & mine)

    @staticmethod
    def _where_named(names: set[str], text: str, around: str) -> str:
        if all(_names(name.lower(), text) for name in names):
            return "named"
        if all(_names(name.lower(), f"{text} {around}") for name in names):
            return "named_around"
        return "named_nowhere"

    def _where_related(self, wanted: set[str] | frozenset[str], text: str, around: str) -> str:
        known = {word for relation in wanted for word in self._aliases.get(relation, ())}
        for place, words in (("related", text), ("related_around", around)):
            held = relations_in(words) | _kin_of_kin(words)
            if _MARRIED_TO.search(words):
                held |= _SPOUSES
            held |= {group for one in held for group in _GROUPS_OF.get(one, ())}
            if wanted & held or any(word in words.lower() for word in known):
                return place
        return "related_nowhere"

    @staticmethod
    def _of_another(text: str) -> bool:
        text = _LINKS.sub("", text)
        begins = re.match(r"[\w-]{1,30}", text)
        if begins and begins[0].lower() not in _DETERMINERS and is_common_word(begins[0]):
            return False  # "Gym's on Tuesdays", "Flights booked: Lisbon"
        if _NAMED_FROM.match(text) and begins and begins[0] in names_in(f" {begins[0]}"):
            return True
        return about_another(text) or _HE_OR_SHE.match(text) is not None


def _of_another_name(text: str, names: set[str]) -> bool:
    """Whether a text tells of somebody by name, and not of whom is asked: "Sam lives in Oslo"."""
    begins = _BEGINS_WITH_NAME.match(text)
    if begins is None or any(name[:3].lower() == begins[1][:3].lower() for name in names):
        return False  # Sam may be Samuel
    return begins[1] in names_in(f" {begins[1]}") and not is_common_word(begins[1])


def _with_groups(relations: set[str] | frozenset[str]) -> set[str]:
    return {*relations, *(group for one in relations for group in _GROUPS_OF.get(one, ()))}


def _kin_of_kin(text: str) -> set[str]:
    """A sister's son is a nephew, and her daughter a niece."""
    found: set[str] = set()
    for match in SIBLINGS_CHILD.finditer(text[:1_000]):
        child = match[1].lower()
        found |= {"nephew"} if child in _BOYS else {"niece"} if child in _GIRLS else _EITHER
    return found


def _introduces(names: set[str], text: str) -> bool:
    """Whether a text says who somebody is: "my sous-chef Bertrand", "Bertrand is our cook"."""
    for name in names:
        known = re.escape(name)
        before = rf"{_INTRODUCES}(?-i:{known})\b"
        behind = (
            rf"\b{known}(?:,| is| was|'s| est| c'est) (?:an?|the|my|our|un|une|le|la|mon|ma) \w"
        )
        if re.search(f"{before}|{behind}", text[:1_000], re.IGNORECASE):
            return True
    return False


def _names(name: str, text: str) -> bool:
    return name in text or (len(name) > 4 and name[:-1] in text)


def aliases_of(known: Sequence[KnownEntry]) -> dict[str, set[str]]:
    """Who is who: "my partner Amara" lets the one stand for the other in what is told elsewhere."""
    found: dict[str, set[str]] = {}
    for one in known:
        for match in _ALIAS.finditer(f"{one.text[:1_000]} {one.before[:1_000]}"):
            for relation in relations_in(f"my {match[1]}"):
                found.setdefault(relation, set()).add(match[2].lower())
                found.setdefault(match[1].lower(), set()).add(match[2].lower())
    return found
