"""Splits a sentence that joins statements: "I'm vegetarian and live in Lyon" states two things.

Each becomes its own entry, so that a change of one leaves the other alone. A sentence is only split
where one of its parts can change by itself (a home, a job, a diet), and where each part makes sense
without the other.
"""

import re
from collections.abc import Iterator
from typing import Final

from recollect.chat.language.sentence_subject import RELATIONS, SAME_RELATION
from recollect.chat.language.sentences import clauses_of
from recollect.chat.updates.single_attributes import attributes_of
from recollect.chat.updates.update_verdict import shares_words

_SUBJECT: Final = re.compile(
    r"((?:i|we|he|she|they|je|on|nous|il|elle)(?=[ '])|j'(?=\w)|(?:my|our|mon|ma|notre) "
    rf"(?:[\w-]{{2,20}} ){{0,2}}?(?:{RELATIONS})(?:,? (?-i:[A-ZÀ-Þ])[\w-]{{1,30}})?"
    r"|(?-i:[A-ZÀ-Þ])[\w-]{1,30}(?=(?:'s| is| lives| works| has) ))"
    r"( ?(?:'m|'re|'s| am| are| is| suis| est| sommes)\b)?",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(r", (?:and |but |et |mais )?| and | but | et | mais ", re.IGNORECASE)
#: Verbs of a state; after "and" they begin another predicate of the same subject.
_PREDICATE: Final = re.compile(
    r"(?:also |now |currently |usually |mostly |aussi )?(?:(?:live|work|love|like|hate|dislike"
    r"|prefer|enjoy|own|drive|ride|play|speak|run|eat|drink|smoke|need|collect|grow|keep|learn"
    r"|train|volunteer|commute|rent|wear|support)s?|have|has|study|studies|teach|teaches|am|is|are"
    r"|don't|doesn't|can't|never|always|habit(?:e|ons)|travaill(?:e|ons)|aim(?:e|ons)|adore"
    r"|déteste|préfère|ai|joue|parle|étudie|mange|bois|fume|conduis)\b ",
    re.IGNORECASE,
)
_HAPPENED: Final = re.compile(
    r"(?:just |recently |also )?(?:moved|started|joined|quit|left|bought|sold|got|gave up|stopped"
    r"|switched|became)\b ",
    re.IGNORECASE,
)
_COMPLEMENT: Final = re.compile(
    r"(?:also |now |aussi )?(?:allergic|allergique|intolerant|intolérante?|vegetarian|vegan"
    r"|pescatarian|végétarienn?e|végane?|diabetic|diabétique|co?eliac|asthmatic|pregnant|enceinte"
    r"|left-handed|gauch[eè]re?|colou?r-?blind|deaf|blind|dyslexic|married|mariée?|single|divorced"
    r"|engaged|retired|self-employed|learning|working|living|studying|training|an? |une? )",
    re.IGNORECASE,
)
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|there|that|them|him|her|so|ça|cela|y|en)\b(?! \w{1,20}day)", re.IGNORECASE
)
_NAMED_BESIDE: Final = re.compile(
    rf"(?<=[a-zà-ÿ] )(my|our|mon|ma|notre) ({RELATIONS}),? ((?-i:[A-ZÀ-Þ])[\w-]{{1,30}})\b",
    re.IGNORECASE,
)
#: People who belong to a job or a home, and are left with it.
_OF_A_PLACE: Final = frozenset(
    {"boss", "colleague", "flatmate", "neighbour", "landlord", "teacher"}
)
_FEWEST_LETTERS: Final = 4


def split_predicates(sentence: str) -> list[str]:
    """Statements of a sentence with one subject and several predicates, each with the subject; the
    sentence itself if it makes one statement.
    """
    subject = _SUBJECT.match(sentence)
    if subject is None or not attributes_of(sentence):
        return [sentence]
    parts = [""]
    begin = 0
    for cut in _JOINED.finditer(sentence, subject.end()):
        prefix = _prefix(subject, sentence[cut.end() :])
        if prefix is None or len(sentence) - cut.end() < _FEWEST_LETTERS:
            continue
        parts[-1] += sentence[begin : cut.start()]
        parts.append(prefix)
        begin = cut.end()
    parts[-1] += sentence[begin:]
    told = [part.strip(" ,;") for part in parts]
    first, *others = told
    whole = any(_POINTS_BACK.search(part) for part in others) or _one_attribute(first, others)
    return [sentence] if whole else told


def parts_of(text: str) -> list[str]:
    """All statements of an entry, split by clause and by predicate."""
    return [part for clause in clauses_of(text) for part in split_predicates(clause)]


def unchanged_parts(old: str, new: str) -> list[str]:
    """Parts of an entry that the statement which replaces it does not mention."""
    parts = parts_of(old)
    changed = attributes_of(new)
    left = [
        part for part in parts if not attributes_of(part) & changed and not shares_words(part, new)
    ]
    if not 0 < len(left) < len(parts):
        left = []
    return left + list(_people_named("" if left else old, new))


def _people_named(old: str, new: str) -> Iterator[str]:
    """People named next to what changed: "I live in Ghent with my husband Joris" says who Joris is,
    wherever they live.
    """
    for found in _NAMED_BESIDE.finditer(old):
        whose, relation, name = found.groups()
        if name not in new and SAME_RELATION[relation.lower()] not in _OF_A_PLACE:
            called = "is called" if whose.lower() in ("my", "our") else "s'appelle"
            yield f"{whose.capitalize()} {relation} {called} {name}."


def _prefix(subject: re.Match[str], rest: str) -> str | None:
    """The words to put before another predicate of a subject; None if no predicate begins here."""
    if _PREDICATE.match(rest):
        return _elided(rest) if subject[1].lower() in ("je", "j'") else f"{subject[1]} "
    if _HAPPENED.match(rest):
        return f"{subject[1]} " if attributes_of(f"{subject[1]} {rest}") else None
    if subject[2] and _COMPLEMENT.match(rest):
        return f"{subject[0]} "
    return None


def _elided(rest: str) -> str:
    return "j'" if rest[0].lower() in "aeiouyhéèêâîô" else "je "


def _one_attribute(first: str, others: list[str]) -> bool:
    """Whether all parts of a sentence are about the same attribute: "I live in Lyon and rent a
    flat".
    """
    attributes = [attributes_of(part) for part in (first, *others)]
    return len(attributes) < 2 or all(one == attributes[0] for one in attributes)
