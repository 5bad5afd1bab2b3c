"""Questions and entries that were typed in haste, in the spelling that the features read.

Many people type without capitals and apostrophes: "whats imogens cat called", "shes a nurse down in
geelong". Names and possessives are read by them, so such texts are compared as they would be
spelled with care ("what's Imogen's cat called"). A word is taken for a name where an entry
introduces it ("my sis bree", "a kelpie called ziggy", "someone, imogen,"), where entries that
nobody typed capitals in begin with it more than once, and behind a preposition of place. Nothing
here is kept or answered: an answer has the words of its entry.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.question_reader import AskedQuestion, asked
from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import RELATIONS, SAME_RELATION
from recollect.chat.updates.known_people import known_people
from recollect.memories.text_comparison import IDLE

_READ: Final = 2_000
_SHORTEST: Final = 3
_CAPITAL: Final = re.compile(r"(?<!^)(?<![.!?] )[A-ZÀ-Þ][a-zà-ÿ]")
_SHORT_FORMS: Final = {
    **{
        f"{word}s": f"{word}'s"
        for word in "he she that there what who where when how here mum mom dad nan gran".split()
    },
    "im": "I'm", "ive": "I've", "youre": "you're", "youve": "you've", "theyre": "they're",
    "theyve": "they've", "weve": "we've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't",
    "cant": "can't", "wont": "won't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't",
    "werent": "weren't", "havent": "haven't", "hasnt": "hasn't", "couldnt": "couldn't",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "i": "I",
    "jai": "j'ai", "jsuis": "je suis", "chuis": "je suis", "jen": "j'en", "ya": "il y a",
    "bosse": "travaille", "boulot": "travail", "taf": "travail", "frangin": "frère",
    "frangine": "sœur", "gosses": "enfants", "gamins": "enfants", "anniv": "anniversaire",
    "rdv": "rendez-vous", "appart": "appartement", "resto": "restaurant", "bagnole": "voiture",
    "bday": "birthday", "yr": "year", "yrs": "years", "hr": "hour", "hrs": "hours", "n": "and",
    "w": "with", "cos": "because", "tmrw": "tomorrow", "vego": "vegetarian", "veggie": "vegetarian",
    "ds": "dans", "pr": "pour", "qd": "quand", "tjs": "toujours", "bcp": "beaucoup", "ac": "avec",
}  # fmt: skip
_WORD: Final = re.compile(r"(?<![\w'\u2019-])[^\W\d_][\w-]{0,30}(?![\w-]|['\u2019][a-z])")
#: "c" for "c'est": "c prévu pour le 2", "moi c yann".
_IT_IS: Final = re.compile(r"(?<![\w'\u2019.-])c(?= [^\W\d_]{2})")
#: "were" for "we're" at the beginning of a clause.
_WE_ARE: Final = re.compile(r"(?:(?<=^)|(?<=[,;.!] )|(?<=\bso )|(?<=\bcos ))were(?= )", re.I)
#: A relative's possession without an apostrophe: "my sisters dog".
_OF_RELATIVE: Final = re.compile(
    rf"\b((?:my|our|his|her|their) (?:{RELATIONS}))s (?=(?!are\b|were\b|and\b|or\b|have\b|live\b"
    r"|called\b|do\b|did\b|in\b|at\b|who\b|that\b|to\b|as\b|we\b|i\b|with\b|names?\b)[^\W\d_])",
    re.IGNORECASE,
)
_INTRODUCED: Final = re.compile(
    rf"\b(?:called|named|name is|s'appelle|prénommée?|marié avec|mariée avec|married to"
    rf"|someone,|somebody,|quelqu'un,|frangin|frangine|gosses:|gamins:) ([^\W\d_][\w-]{{2,20}})"
    r"|\(([^\W\d_]{2,20})(?=[,)])|(?:^|\b(?:moi|im|i'm|i am|mums|dads|nans) )(?:c )?"
    r"([^\W\d_]{3,20})(?=, \d)"
    rf"|\b(?:{RELATIONS}),? \(?(?:c'est )?([^\W\d_][\w-]{{2,20}})(?=[,.)]|$)",
    re.IGNORECASE,
)
#: A name behind a comma, which counts where other entries begin with it: "a greyhound, noodle."
_APPOSED: Final = re.compile(r"[^\W\d_]{3}, ([^\W\d_][\w-]{2,20})(?=[,.)!]|$)")
_BESIDE: Final = re.compile(r"\b(?:with|w|and|n|avec|et) ([^\W\d_][\w-]{2,20})(?=$|[\s,.;:!?)])")
_BEGINS: Final = re.compile(r"([^\W\d_][\w-]{2,20}?)(?:['\u2019]?s)?(?: |,|:)")
_PLACE: Final = re.compile(
    r"\b(?:in|at|to|from|near|à|vers|près de) (?!a |an |the )([^\W\d_][\w-]{3,20})"
    r"(?=$|[\s,.;:!?)])",
    re.IGNORECASE,
)
_NO_NAMES: Final = (
    IDLE
    | frozenset(SAME_RELATION)
    | frozenset(
        """
    thanks thank jsuis chuis jai aussi ici chez traitant reprendre pas plus tres très elle
    the a an it its that this there then now one two three each both some any all work bed home
    least last first once about another become least half been got had has have was were will
    just still also only never always today tomorrow tonight yesterday another january february
    march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday me him her them us you it's everyone people other well
    """.split()
    )
)


class InformalSpelling:
    """The names that a person has told, however they were typed."""

    def __init__(self, known: Sequence[KnownEntry]) -> None:
        self._names = _names_told(tuple(dict.fromkeys(one.text for one in known)))

    def question(self, question: AskedQuestion) -> AskedQuestion:
        """A question as it would be spelled with care."""
        plain = self._spelled(question.text)
        return (
            question
            if plain == question.text
            else replace(asked(plain), language=question.language)
        )

    def entry(self, one: KnownEntry) -> KnownEntry:
        """An entry as it would be spelled with care."""
        if _CAPITAL.search(one.text):
            return one
        return replace(
            one,
            text=self._spelled(one.text),
            beside=self._spelled(one.beside),
            before=self._spelled(one.before),
            message=self._spelled(one.message),
        )

    def _spelled(self, text: str) -> str:
        return _spelled(text, self._names) if text and not _CAPITAL.search(text) else text


@lru_cache(4_096)
def _spelled(text: str, names: frozenset[str]) -> str:
    plain = _IT_IS.sub("c'est", _WE_ARE.sub("we're", text))
    plain = _OF_RELATIVE.sub(r"\1's ", plain)
    return _PLACE.sub(_with_place, _WORD.sub(lambda found: _word(found[0], names), plain))


def _word(word: str, names: frozenset[str]) -> str:
    lower = word.lower()
    if lower in _SHORT_FORMS:
        return _SHORT_FORMS[lower]
    if lower in names:
        return word[0].upper() + word[1:]
    if lower.endswith("s") and lower[:-1] in names:
        return f"{word[0].upper()}{word[1:-1]}'s"
    return word


def _with_place(found: re.Match[str]) -> str:
    place = found[1]
    if not _may_be_name(place) or place.endswith(("ing", "ed", "ly")):
        return found[0]
    return f"{found[0][: -len(place)]}{place[0].upper()}{place[1:]}"


@lru_cache(64)
def _names_told(texts: tuple[str, ...]) -> frozenset[str]:
    """The names in texts without capitals."""
    hasty = [text[:_READ] for text in texts if not _CAPITAL.search(text)]
    found = set(known_people(hasty))
    begins = Counter(_first_words(hasty))
    for text in hasty:
        for match in _INTRODUCED.finditer(text):
            found |= {name.lower() for name in match.groups() if name and _may_be_name(name)}
        found |= {match[1].lower() for match in _APPOSED.finditer(text) if begins[match[1].lower()]}
        found |= {
            name
            for name in (match[1].lower() for match in _BESIDE.finditer(text))
            if begins[name] and _may_be_name(name)
        }
    repeated = {word for word, count in begins.items() if count > 1 and _may_be_name(word)}
    return frozenset(found | repeated) - _NO_NAMES


def _first_words(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        for part in text.split(", "):
            found = _BEGINS.match(part)
            if found and found[0].lower().rstrip(" ,:") not in _SHORT_FORMS:
                yield found[1].lower()


def _may_be_name(word: str) -> bool:
    lower = word.lower()
    return len(lower) >= _SHORTEST and lower not in _NO_NAMES and not is_common_word(lower)
