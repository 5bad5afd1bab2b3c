"""Whether an entry has to do with the very thing, or the very person, that a question names.

"When does my insurance expire?" is not answered by an entry about running, whatever words it
shares with the rest of the question, nor "who is my boss?" by somebody with a job. What the
question names behind "my" or "the" must be held by the entry or by its message, by the same word,
by one of its concept or by one that means nearly the same. Who somebody is to the speaker is told
by the word for it beside a person. A shopping list answers about what is bought.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from recollect.chat.answers.answer_kinds import people_named
from recollect.chat.answers.answer_people import ROLES, KnownEntry
from recollect.chat.answers.question_reader import AskedQuestion, content_words_of
from recollect.chat.answers.shared_readings import SharedReadings
from recollect.chat.language.concepts import (
    TELLS_JOB,
    concept_of,
    concepts_asked,
    concepts_told,
    members_by_concept,
    pairs_of,
    related_words,
)
from recollect.chat.language.sentence_subject import ANIMALS, SAME_RELATION, relations_in
from recollect.chat.language.value_patterns import DATE_WORD
from recollect.chat.statements.shopping_lists import is_about_list
from recollect.memories.synonyms import CANONICAL
from recollect.memories.text_comparison import normalised, stem, words_of

#: What a question names behind a word that says that it is known.
_THING: Final = re.compile(
    r"\b(?:(?:my|our|the|mon|ma|mes|notre|nos|le|la|les) |l')"
    r"(?=((?:[a-zà-ÿœ][\w-]{1,20}(?:'s)?(?: |\W*$|(?=\W))){1,4}))",
    re.IGNORECASE,
)
#: An auxiliary before the thing: its verb follows it ("when does my insurance expire?").
_INVERTED: Final = re.compile(r"\b(?:do|does|did|will|can|could|should|would|has|have|had) $", re.I)
_ENDS_THING: Final = frozenset(
    """
    is are was were am be been do does did will would can could should has have had to at in on for
    of from with by and or that which who when where how i we you he she it they again now still so
    as than but if since until before after about like please est sont était a ont de du des à au
    aux en pour avec et ou que qui quand où je tu il elle on nous sur dans par chez se
    """.split()
)
#: Words that say too little about a thing to say which one it is.
_TOO_GENERAL: Final = frozenset(
    """
    name names type kind sort number date day time place thing one first second last next new old
    best worst favourite favorite fav main current usual other same whole rest way plan end most
    nom type numéro date jour heure fois chose premier première dernier dernière prochain prochaine
    exact little petit petite petits petites guy man woman lady girl boy gentleman chap person
    people someone monsieur dame gars femme homme
    nouveau nouvelle ancien ancienne préféré préférée year month week season
    """.split()
)
_LEAST_COSINE: Final = 0.36
_MONTH_OR_YEAR: Final = re.compile(
    r"january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|(?:19|20)\d\d",
    re.IGNORECASE,
)
#: Words that ask what there is on a day: "what's happening on 21 April?".
_SAYS_LITTLE: Final = frozenset(
    "happen happening happens happened planned plan plans on up".split()
)
#: Roles that say nothing of what is asked: "who in the family ...".
_GROUPS: Final = frozenset({"family", "friend"})
_ROOT: Final = 5  # letters by which forms of one word are known
_IS_TO_DO: Final = re.compile(r"(?:to do|à faire) ?:", re.IGNORECASE)
#: What is done to anything: of a to-do and of a day it does not say which one is meant.
_TO_DO: Final = frozenset(
    """
    call phone ring text email pay buy book pick collect get take bring send see meet visit return
    make do appeler appelle téléphoner payer acheter prendre chercher envoyer voir rendre aller
    """.split()
)
#: Questions about who somebody is to the speaker.
_WHO_TO_ME: Final = re.compile(
    r"^\W*(?:so |and |ok )?(?:(?:who(?:'s| is| was)|qui (?:est|était)) (?:my|our|mon|ma|notre)"
    r" (?:new |current |old |own |nouveau |nouvelle )?([a-zà-ÿœ][\w-]{2,20})(?: now| again)?\W*$"
    r"|(?:what(?:'s| is| was)) (?:my|our) ([a-zà-ÿœ][\w-]{2,20})(?:'s name| called)\W*$"
    r"|(?:comment s'appelle|quel est le nom de) (?:mon|ma|notre) ([a-zà-ÿœ][\w-]{2,20})\W*$)",
    re.IGNORECASE,
)
#: What people say of whoever has a role, without its word.
_IN_THE_ROLE: Final = {
    "boss": re.compile(
        r"\b(?:report(?:s|ing)? to|answer to|manages me|(?:line )?managed by|work(?:s|ing)? (?:for"
        r"|under)|in charge of (?:me|us)|(?:my|our) (?:team )?lead)\b",
        re.IGNORECASE,
    ),
    "landlord": re.compile(
        r"\b(?:(?:i|we)(?:'m|'re| am| are)? (?:now |currently )?rent(?:ing)? (?:[\w']{1,15} ){0,3}"
        r"from|owns (?:my|our|the) (?:flat|house|place"
        r"|apartment|building)|loue (?:[\w']{1,15} ){0,3}à)\b",
        re.IGNORECASE,
    ),
}
#: Features of an entry that states what is asked for, in whatever words.
_TELLS_IT: Final = ("attribute_told", "attribute_hint", "wish_told")
_OF_THEM: Final = ("named", "related", "introduced")
_SPOUSES: Final = frozenset({"wife", "husband", "partner", "fiancé", "boyfriend", "girlfriend"})
_WIDER: Final = {
    **{spouse: frozenset({"partner"}) for spouse in _SPOUSES},
    "partner": _SPOUSES,
    "son": frozenset({"child", "kids"}),
    "daughter": frozenset({"child", "kids"}),
    "child": frozenset({"son", "daughter", "kids"}),
    "kids": frozenset({"son", "daughter", "child"}),
}
_MARRIED: Final = re.compile(
    r"\b(?:married|engaged|wed|dating|seeing|mariée?|fiancée?|pacsée?|sors avec)\b", re.IGNORECASE
)
_BY_SPEAKER: Final = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|we|we're|we've|me|my|our|us|je|j'\w{1,15}|on|nous|mon|ma|notre)\b",
    re.IGNORECASE,
)
_DESCRIBED: Final = re.compile(
    r"^(?:,| is\b| was\b|'s (?:name|called)| called\b| named\b| est\b| s'appelle\b|:| =)", re.I
)
_TITLE: Final = re.compile(r"\b(?:mr|mrs|ms|dr|miss|madame|monsieur|mme|professor)\b", re.I)
#: Whose somebody is, where it is nobody's of the speaker: "his wife", "Tom's wife".
_OF_A_THIRD: Final = (
    r"\b(?:his|her|their|son|sa|leur|(?:[\w-]{2,30})['\u2019]s) (?:[\w-]{2,20} ){0,1}?"
)
_BUYING: Final = re.compile(
    r"\b(?:buy\w*|bought|shop\w*|list\w*|groceries|grocery|need|get|pack\w*|add\w*|order\w*|store"
    r"|supermarket|market|liste|courses?|achet\w*|acheter|besoin|prendre|manque)\b",
    re.IGNORECASE,
)


class QuestionSubjects:
    """Checks entries against what one question names."""

    def __init__(
        self, question: AskedQuestion, aliases: Mapping[str, set[str]], readings: SharedReadings
    ) -> None:
        self._question = question
        self._aliases = aliases
        self._readings = readings
        self._things = _things_in(question)
        dated = [word for word in question.terms if _MONTH_OR_YEAR.fullmatch(word)]
        #: What else a question names that names a day or a month.
        self._besides_dates = [
            word
            for word in question.terms
            if dated and word not in dated and word not in _SAYS_LITTLE
        ]
        role = _WHO_TO_ME.match(question.text)
        self._role = next((one.lower() for one in role.groups() if one), "") if role else ""

    def met_by(self, one: KnownEntry, row: Mapping[str, float]) -> bool:
        """Whether an entry with these features may answer: it has to do with everything that the
        question names, and not only with its date.
        """
        if is_about_list(one.text) and not self._asks_to_buy(one.text):
            return False
        if self._role and not self._tells_who(one):
            return False
        if any(row.get(name) for name in _TELLS_IT):
            return True
        if self._besides_dates and not any(row.get(name) for name in _OF_THEM):
            itself = replace(one, before="", beside="")
            if not any(self._holds(word, itself) for word in self._besides_dates):
                return False
        unmet = {
            word
            for thing in self._things
            if not any(self._holds(word, one) for word in thing)
            for word in thing
        }
        if not unmet or any(row.get(name) for name in (*_OF_THEM, "category_instance")):
            return True
        idle = _TO_DO if self._question.wants == "when" or _IS_TO_DO.match(one.text) else ()
        stems = _stems(one.text)
        kinds = members_by_concept(self._readings.words(one.text), 1).keys()
        return any(
            self._is_same(word, stems) or concepts_asked(stem(word)) & kinds
            for word in self._question.terms
            if word not in unmet and word not in idle and not DATE_WORD.fullmatch(word)
        )

    def _asks_to_buy(self, text: str) -> bool:
        """Whether a question is about shopping, or names something that is on the list."""
        if _BUYING.search(self._question.text):
            return True
        return bool(self._question.stems & _stems(text))

    def _tells_who(self, one: KnownEntry) -> bool:
        """Whether an entry tells who has a role with the speaker."""
        text = one.text
        relation = SAME_RELATION.get(self._role, "")
        called = self._aliases.get(self._role, set()) | self._aliases.get(relation, set())
        words = {word.lower() for word in re.findall(r"[\w-]{2,30}", text)}
        if called & words:
            return True
        if relation in _SPOUSES and _MARRIED.search(text):
            return _BY_SPEAKER.search(text) is not None and not relations_in(text[:20]) - ROLES
        if not relation:
            meant = {self._role, *related_words([stem(self._role)])}
            return stem(self._role) in _stems(text) or bool(meant & words)
        if _IN_THE_ROLE.get(relation, _NEVER).search(text):
            return True
        groups = {relation} | _groups(relation)
        synonyms = [word for word, group in SAME_RELATION.items() if group in groups]
        mentions = re.compile(
            rf"({_OF_A_THIRD})?(?<![\w-])(?:{'|'.join(map(re.escape, synonyms))})s?(?![\w-])", re.I
        )
        found = list(mentions.finditer(text))
        if not found:
            return bool(relations_in(text) & groups)
        if relation not in ROLES:
            return any(mention[1] is None for mention in found)
        return any(
            _DESCRIBED.match(text[mention.end() :])
            or people_named(text)
            or _TITLE.search(text)
            or relations_in(text) - {relation}
            for mention in found
            if mention[1] is None
        )

    def _is_same(self, word: str, stems: frozenset[str]) -> bool:
        """Whether words hold a word of the question itself."""
        mine = {stem(word), stem(CANONICAL.get(word, word))}
        if mine & stems or self._aliases.get(word, set()) & stems:
            return True
        root = word[:-3] if word.endswith("ing") else word[:_ROOT]
        return (
            len(word) >= _ROOT
            and len(root) >= _ROOT - 1
            and any(other.startswith(root) for other in stems)
        )

    def _holds(self, word: str, one: KnownEntry) -> bool:
        """Whether an entry or its message holds what a word of the question means."""
        around = f"{one.text} {one.before} {one.message} {one.beside}"[:2_000]
        stems = _stems(around)
        if self._is_same(word, stems):
            return True
        relation = SAME_RELATION.get(word)
        if relation is not None and relation in relations_in(around):
            return True
        if relation in ROLES and relations_in(one.text) & ROLES - ANIMALS:
            return False  # a doctor is no dentist
        meant = concepts_asked(stem(word))
        if meant & concepts_told(stems):
            return True
        if concept_of("job") in meant and TELLS_JOB.search(one.text):
            return True
        if relation in ROLES:
            return False
        near = self._readings.nearest_words((word,), [one.text])
        return bool(near.size) and float(near[0, 0]) >= _LEAST_COSINE


_NEVER: Final = re.compile(r"(?!)")


def _groups(relation: str) -> frozenset[str]:
    """Words for the same person in a wider sense."""
    return _WIDER.get(relation, frozenset())


def _things_in(question: AskedQuestion) -> tuple[tuple[str, ...], ...]:
    """The telling words of each thing that a question names behind "my" or "the"."""
    found: list[tuple[str, ...]] = []
    text = question.text
    for match in _THING.finditer(text):
        raw = re.findall(r"[\w-]+(?:'s)?", match[1])
        words: list[str] = []
        for one in raw:
            if one.lower() in _ENDS_THING:
                break
            words.append(one.lower().removesuffix("'s"))
        if _INVERTED.search(text[: match.start()]) and len(words) > 1:
            words = words[: max(1, min(2, len(words) - 1))]
        kept = [
            word
            for word in content_words_of(" ".join(words))
            if word in question.terms and word not in _TOO_GENERAL and not DATE_WORD.fullmatch(word)
        ]
        if not kept or any(_is_kin(word) or word in question.category for word in kept):
            continue
        found.append((*kept, *pairs_of(words)))
    return tuple(found)


def _is_kin(word: str) -> bool:
    relation = SAME_RELATION.get(word) or SAME_RELATION.get(word.rstrip("s"))
    return relation is not None and (relation not in ROLES or relation in _GROUPS)


@lru_cache(2_048)
def _stems(text: str) -> frozenset[str]:
    words = content_words_of(text)
    return frozenset(
        (
            *map(stem, words),
            *(stem(CANONICAL[word]) for word in words if word in CANONICAL),
            *words,
            *map(stem, pairs_of(words_of(normalised(text)))),
        )
    )
