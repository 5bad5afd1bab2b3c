"""Features of whether an entry is about the person that a question asks about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.chat.answers.mentioned_people import mentioned_people, names_stated
from recollect.chat.answers.question_reader import AskedQuestion
from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import (
    ANIMALS,
    RELATIONS,
    about_another,
    names_in,
    relations_in,
)
from recollect.memories.text_comparison import normalised, stem, words_of

#: People that a word for a group may mean.
_GROUPS_OF: Final = {
    **dict.fromkeys(("son", "daughter", "child", "stepson", "stepdaughter"), ("kids", "child")),
    **dict.fromkeys(("grandson", "granddaughter"), ("grandchildren", "kids", "child")),
    **dict.fromkeys(("godson", "goddaughter"), ("child",)),
    **dict.fromkeys(("stepfather", "stepmother"), ("parents",)),
    "kids": ("child",),
    **dict.fromkeys(("mum", "dad"), ("parents",)),
    **dict.fromkeys(("grandmother", "grandfather"), ("grandparents",)),
    **dict.fromkeys(("mother-in-law", "father-in-law"), ("in-laws",)),
    **dict.fromkeys(("wife", "husband", "boyfriend", "girlfriend", "fiancé"), ("partner",)),
}
#: An entry without a name that is about the person named just before: "He's mad about trains".
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
#: A name, what the person is, and what they do: "Florin, the new tenant upstairs, works nights".
_WITH_APPOSITION: Final = re.compile(
    r"[A-ZÀ-Þ][\w-]{1,30}, [^,.!?]{3,60}, (?:(?:only|always|never|just|still|also|usually) )?"
    r"(?:(?:is|was|has|had|can|can't|will|est|a|va|fait|vit)\b"
    r"|[a-z]{2,15}(?:s|ed)\b)"
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
#: What a person is to the speaker, before their name: "my friend Marta lives in Berlin".
_OF_THE_SPEAKER: Final = re.compile(r"^(?i:my|our|mon|ma|notre) (?:[\w-]{2,20} ){1,2}(?=[A-ZÀ-Þ])")
#: Feature of an entry about a named person other than the one that the question asks about.
OF_ANOTHER_NAME: Final = "of_another_name"
#: Statements of the speaker about themselves only, and features of entries about other people.
_OF_SPEAKER_ALONE: Final = re.compile(r"(?:i|i'm|im|i've|i'd|my own|je|j'\w{1,15}|moi)\b", re.I)
#: Statements about the speaker or about the speaker and others: "we moved to Braga".
_OF_US: Final = re.compile(
    r"(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|we'll|my|our|je|j'\w{1,15}|moi|on|nous|mon|ma|mes"
    r"|notre|nos)\b",
    re.IGNORECASE,
)
_OF_ALL_OF_US: Final = re.compile(r"(?:we|we're|we've|we'll|our|on|nous|notre|nos)\b", re.I)
#: People who share a home with the speaker, so that "we" may include them.
_HOUSEHOLD: Final = frozenset(
    "wife husband partner fiancé boyfriend girlfriend son daughter child kids family".split()
)
#: Feature of an entry about the speaker, where the question asks about somebody whom it leaves out.
OF_US_ALONE: Final = "of_us_alone"
_OF_THEM: Final = frozenset({"named", "named_around", "related", "related_around", "introduced"})
_OF_THEM_HERE: Final = frozenset({"named", "related", "introduced"})
_SOMEBODY: Final = re.compile(
    r"\b(?:he|she|him|her|his|hers|they|them|their|he's|she's|they're|we|us|our|il|elle|lui|leur"
    r"|eux|son|sa|ses"
    r"|on|nous)\b",
    re.IGNORECASE,
)
_OF_NOBODY: Final = frozenset({"named_nowhere", "related_nowhere"})
#: Words before a person that a question is about: "where does Maria live?"
_ASKED_OF: Final = (
    r"(?i:\b(?:does|did|is|was|has|had|will|can|could|should|would|que|qu'|est-ce qu[e']))\s?"
)
#: What a person is to the speaker, beside their name, without "my": "Grandpa Anselm has ...".
_KIN_NAMED: Final = re.compile(rf"(?i:{RELATIONS}) [A-ZÀ-Þ][\w-]{{1,30}} \w")
#: Who somebody is to the speaker: "Mr Pettigrew is my accountant".
_IS_THEIRS: Final = re.compile(
    r"(?:[A-ZÀ-Þ][\w-]{1,30}\.? ){1,3}(?:is|was|est|était) (?:my|our|mon|ma|notre) "
    rf"(?:[\w-]{{2,20}} ){{0,2}}?(?:(?:{RELATIONS})|[\w-]{{2,20}}(?:er|or|ist|ian|ant|eur"
    r"|trice|iste|ien|coach|vet))(?=[.,!;]|$| (?:and|so|at|in|et)\b)"
)
#: What a statement is for, before a colon: "for the rota: Imelda won't do Fridays".
_HEADING: Final = re.compile(r"[^:.!?]{3,40}: (?=[A-ZÀ-Þ])")
#: Where a clause about the speaker may follow: "Mateusz is deaf, so I sit to his right".
_FOLLOWS: Final = re.compile(
    r"[,;] ?(?:so|and|but|because|since|hence|donc|et|mais|alors|du coup|car)\b"
    r"|\b(?:so|donc) (?=i\b|we\b|je\b|on\b)",
    re.IGNORECASE,
)
#: Somebody together with the speaker: "when did Callum and I marry?" is met by "we married".
_WITH_SPEAKER: Final = re.compile(r"\b([A-ZÀ-Þ][\w-]{1,30}) (?:and|et) (?:I|me|moi)\b")
_ASKS_NAME: Final = re.compile(
    r"\b(?:names?|called|(?:s'|m')appell\w{1,3}|appelle|nom|prénoms?)\b", re.IGNORECASE
)
_SUBJECT_LENGTH: Final = 30
_SUBJECT_ENDS: Final = 8  # characters: "my" within this many from the start says whose mother it is
#: Animals, and other words for relations to the speaker.
ROLES: Final = ANIMALS | frozenset(
    """
    boss colleague flatmate neighbour landlord lodger intern teacher doctor dentist therapist agent
    friend family
    """.split()
)
#: Questions about what the speaker is or feels, not about what they have.
_IS_OR_FEELS: Final = re.compile(
    r"(?:am i|do i (?:like|love|hate|mind|fear)|suis-je|je suis|est-ce que je suis"
    r"|est-ce que j'(?:aime|ai peur)|j'(?:aime|ai peur))\b",
    re.IGNORECASE,
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
    """An entry in the form that is compared with a question."""

    id: str
    text: str
    at: datetime
    #: Other statements of the same message.
    beside: str = ""
    #: Text that the entry refers back to ("I take mine with milk": the coffee mentioned before),
    #: and the text of the entry that it replaced.
    before: str = ""
    #: Text of the message that the entry came from.
    message: str = ""
    #: Whether the entry no longer holds.
    over: bool = False
    #: Adjustment of the score; used for sentences of messages, which are no entries.
    worth: float = 0.0
    #: Whether it is a sentence of a message that made no entry.
    is_sentence: bool = False


class PersonFeatures:
    """Features of whether entries are about the people that a question asks about."""

    def __init__(self, question: AskedQuestion, aliases: dict[str, set[str]]) -> None:
        self._question = question
        self._aliases = aliases
        self._people = frozenset().union(*aliases.values())
        self._with_speaker = set(_WITH_SPEAKER.findall(question.text))
        self._asks_for_name = question.wants == "who" or _ASKS_NAME.search(question.text)

    def of(self, one: KnownEntry) -> dict[str, float]:
        """Features of an entry; a missing feature counts as 0."""
        question, text = self._question, one.text
        around = f"{one.beside} {one.before} {one.message}"
        if LEANS_ON_SUBJECT.match(text) and not relations_in(text):
            text, around = f"{one.beside} {one.before} {text}", f"{around} {text}"
        found: dict[str, float] = {}
        names = {name for name in question.names - question.places if not name.isupper()}
        if _OF_ALL_OF_US.search(text):
            names -= self._with_speaker
        if names and _ASKS_WHO.search(question.text) and _introduces(names, one.text):
            found["introduced"] = 1.0
        if names:
            found[self._where_named(names, text, around)] = 1.0
            if "named" not in found and _of_another_name(one.text, names):
                found[OF_ANOTHER_NAME] = 1.0
        found.update(self._kin(one.text, text, around))
        if found.keys() & _OF_NOBODY and not found.keys() & _OF_THEM:
            found.update({"of_speaker_alone": 1.0} if _OF_SPEAKER_ALONE.match(one.text) else {})
        if self._leaves_out(one.text, found, names):
            found[OF_US_ALONE] = 1.0
        roles = question.relations & ROLES
        if roles and roles & relations_in(text):
            found["role"] = 1.0
        if not (names or self._asks_of_theirs() or not question.own or question.wants == "who"):
            found.update(self._of_whom(_HEADING.sub("", one.text), text))
        return found

    def _asks_of_theirs(self) -> bool:
        """Whether a question is about somebody who belongs to the speaker: "my dog", but not "am I
        afraid of dogs?".
        """
        question = self._question
        generic = question.relations <= ROLES and question.wants == "yes"
        return bool(question.relations) and not (generic and _IS_OR_FEELS.match(question.text))

    def _of_whom(self, own: str, text: str) -> dict[str, float]:
        """Features of whether an entry is about the speaker, who asks about themselves."""
        if _WITH_APPOSITION.match(own) and not self._tells_of_speaker(own):
            return {"of_another": 1.0}
        if _IS_THEIRS.match(own):
            return {"of_another": 1.0}
        if self._of_another(own) or _KIN_NAMED.match(own):
            if not self._tells_of_speaker(own) and not _TO_SPEAKER.search(own, _SUBJECT_ENDS):
                return {"of_another": 1.0}
            inside = _SPEAKER_INSIDE.search(own) or _TO_SPEAKER.search(own, _SUBJECT_ENDS)
            return {"of_both" if inside else "of_another": 1.0}
        return {"of_speaker": 1.0} if _SPEAKER_INSIDE.search(text) else {}

    def _tells_of_speaker(self, own: str) -> bool:
        """Whether a text about somebody else also tells of the speaker what the question asks. A
        mention of the speaker in a later clause that shares no word with the question does not
        count.
        """
        behind = _FOLLOWS.search(own)
        if behind is None or _SPEAKER_INSIDE.search(own[: behind.start()]):
            return _SPEAKER_INSIDE.search(own) is not None
        rest = own[behind.end() :]
        if not _SPEAKER_INSIDE.search(rest):
            return False
        return any(stem(word) in self._question.stems for word in words_of(normalised(rest)))

    def _leaves_out(self, text: str, found: dict[str, float], names: set[str]) -> bool:
        """Whether a question asks about somebody else, and an entry tells the same of the speaker
        alone.
        """
        if not _OF_US.match(_LINKS.sub("", text)):
            return False
        own = _OF_SPEAKER_ALONE.match(text) and not _SOMEBODY.search(text)
        if found.keys() & (_OF_THEM_HERE if own else _OF_THEM):
            return False
        if relations_in(text[:_SUBJECT_LENGTH]) - ROLES:
            return False
        wanted = self._question.relations - ROLES
        if wanted:
            included = wanted & _HOUSEHOLD and _OF_ALL_OF_US.match(_LINKS.sub("", text))
            return not included
        return any(
            re.search(rf"{_ASKED_OF}{re.escape(name)}\b(?!'?s? \w+ing\b)|\b{re.escape(name)}'s\b",
                      self._question.text)
            for name in names
            if not self._stands_for(name, text)
        )  # fmt: skip

    def _stands_for(self, name: str, text: str) -> bool:
        """Whether a text speaks of a person by what they are to the speaker: "my wife"."""
        if _POSSESSOR.match(_LINKS.sub("", text)):
            return False  # "Henrik's baby" is not the speaker's
        known = {
            word
            for word, called in self._aliases.items()
            if name.lower() in called and len(called) == 1
        }
        return bool(known & {*relations_in(text), *text.lower().split()})

    def _kin(self, own: str, text: str, around: str) -> dict[str, float]:
        """Features of whether an entry is about the relatives that the question asks about."""
        wanted = self._question.relations - ROLES
        if not wanted:
            return {}
        found = {self._where_related(wanted, text, around): 1.0}
        if "related_nowhere" in found and self._of_other_kin(wanted, own):
            found["of_other_kin"] = 1.0
        if (
            self._asks_for_name
            and wanted
            & {
                relation
                for match in _ALIAS.finditer(text[:1_000])
                for relation in relations_in(f"my {match[1]}")
            }
        ) or (
            self._asks_for_name
            and names_stated(own)
            & {name for relation in wanted for name in self._aliases.get(relation, ())}
        ):
            found["introduced"] = 1.0
        return found

    def _of_other_kin(self, wanted: frozenset[str], text: str) -> bool:
        """Whether the subject of a text is a relative who cannot be the one in the question."""
        begins = relations_in(text[:_SUBJECT_LENGTH]) - ROLES
        words = set(re.findall(r"[\w-]{2,30}", text[:_SUBJECT_LENGTH].lower()))
        begins |= {
            relation
            for relation, names in self._aliases.items()
            if names & words and relations_in(f"my {relation}") == {relation}
        } - ROLES
        begins -= {
            group for one in begins for group in _GROUPS_OF.get(one, ())
        }  # a daughter, a child
        mine, theirs = _with_groups(wanted), _with_groups(begins)
        return bool(begins) and not (wanted & theirs or begins & mine)

    def _where_named(self, names: set[str], text: str, around: str) -> str:
        own, beside = text.lower(), f"{text} {around}".lower()
        if all(_names(name.lower(), own) or self._stands_for(name, text) for name in names):
            return "named"
        if all(_names(name.lower(), beside) for name in names):
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

    def _of_another(self, text: str) -> bool:
        text = _LINKS.sub("", text)
        begins = re.match(r"[\w-]{1,30}", text)
        if begins and begins[0].lower() in self._people:
            return True  # "Josiane vit à Rennes", after "my mother-in-law Josiane"
        if begins and begins[0].lower() not in _DETERMINERS and is_common_word(begins[0]):
            return False  # "Gym's on Tuesdays", "Flights booked: Lisbon"
        if _NAMED_FROM.match(text) and begins and begins[0] in names_in(f" {begins[0]}"):
            return True
        return about_another(text) or _HE_OR_SHE.match(text) is not None


#: What somebody else has: "Philippa's brother", "our neighbour's cat", "la fille de Cyprian".
_POSSESSOR: Final = re.compile(
    r"(?:(?:my|our|mon|ma|notre) ([\w-]{3,20})|(?-i:([A-ZÀ-Þ][\w-]{1,30})))['\u2019]s? "
    r"|(?:le|la|les|l['\u2019]) ?[\w-]{3,20} d(?:e |['\u2019])(?:(?:mon|ma|notre) ([\w-]{3,20})"
    r"|(?-i:([A-ZÀ-Þ][\w-]{1,30})))",
    re.IGNORECASE,
)


def of_a_third(question: AskedQuestion, text: str) -> bool:
    """Whether a text is about what a third person has, whom the question about the speaker does not
    name.
    """
    owner = _POSSESSOR.match(_LINKS.sub("", text))
    if owner is None or not question.own:
        return False
    called = next(name for name in owner.groups() if name)
    if called[0].isupper() and (called not in names_in(f" {called}") or is_common_word(called)):
        return False  # "Tuesday's concert"
    asked = question.text.lower()
    return called.lower() not in asked and not relations_in(f"my {called}") & question.relations


#: Words for several people, of whom an entry may name one.
_OF_SEVERAL: Final = frozenset({"kids", "child", "parents", "grandchildren", "family"})


def of_another_person(
    question: AskedQuestion, one: KnownEntry, aliases: Mapping[str, set[str]]
) -> bool:
    """Whether an entry begins with somebody who is none of those whom the question is about."""
    names = {name.lower() for name in question.names - question.places}
    wanted = question.relations - ROLES
    if not (names or wanted) or wanted & _OF_SEVERAL:
        return False
    known = {relation for relation, called in aliases.items() if names & called}
    plain, text = _LINKS.sub("", one.text), f"{one.text} {one.before}"[:1_000]
    relations = relations_in(plain[:_SUBJECT_LENGTH])
    words = {word.lower() for word in re.findall(r"[\w-]{2,30}", text)}
    theirs = names.union(*(aliases.get(relation, ()) for relation in wanted))
    if words & theirs or relations_in(text) & (_with_groups(wanted) | known):
        return False
    begins = re.match(r"[\w-]{1,30}", plain)
    if relations - ROLES and re.match(r"(?:my|our|mon|ma|mes|notre|nos)\b", plain, re.IGNORECASE):
        return True
    if begins is None or is_common_word(begins[0]) or not names_in(f" {begins[0]}"):
        return False
    people = {name for called in aliases.values() for name in called}
    return begins[0].lower() in people or _BEGINS_WITH_NAME.match(plain) is not None


def _of_another_name(text: str, names: set[str]) -> bool:
    """Whether a text is about a named person other than the one in the question: "Sam lives in
    Oslo".
    """
    begins = _BEGINS_WITH_NAME.match(_OF_THE_SPEAKER.sub("", text))
    if begins is None or any(_may_be_one_name(name, begins[1]) for name in names):
        return False
    return begins[1] in names_in(f" {begins[1]}") and not is_common_word(begins[1])


def _may_be_one_name(one: str, other: str) -> bool:
    """Whether two names begin alike, but for the last letter of the shorter: Sam and Samuel."""
    shared = max(2, min(len(one), len(other)) - 1)
    return one[:shared].lower() == other[:shared].lower()


def _with_groups(relations: set[str] | frozenset[str]) -> set[str]:
    return {*relations, *(group for one in relations for group in _GROUPS_OF.get(one, ()))}


def _kin_of_kin(text: str) -> set[str]:
    """Relations derived from other relations: a sister's son is a nephew, her daughter a niece."""
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


_ALIAS_BEHIND: Final = re.compile(
    r"\b([A-ZÀ-Þ][\w-]{1,30})(?:, | is | est | c'est |'s | = )(?:my|our|mon|ma|notre) "
    r"(?:\w{2,20} ){0,1}?([\w-]{3,20})\b"
)


def aliases_of(known: Sequence[KnownEntry]) -> dict[str, set[str]]:
    """Names and relations of the same person: after "my partner Amara", either stands for the other
    in all entries.
    """
    found: dict[str, set[str]] = {}
    for one in known:
        told = f"{one.text[:1_000]} {one.before[:1_000]}"
        pairs = [(match[1], match[2]) for match in _ALIAS.finditer(told)]
        pairs += [(match[2], match[1]) for match in _ALIAS_BEHIND.finditer(told)]
        for word, name in pairs:
            for relation in relations_in(f"my {word}"):
                found.setdefault(relation, set()).add(name.lower())
                found.setdefault(word.lower(), set()).add(name.lower())
    return found


def all_aliases_of(known: Sequence[KnownEntry]) -> dict[str, set[str]]:
    """The same with the relations that follow from others, and with what people do for the speaker
    (``mentioned_people``).
    """
    found = mentioned_people(text for one in known for text in (one.text, one.before) if text)
    for word, names in aliases_of(known).items():
        found.setdefault(word, set()).update(names)
    return found
