"""Answers a question from a person's entries: the best one in its own words, or "I don't know".

An entry can answer when it speaks of the same person, holds the kind of thing that is asked for (a
date for "when", a number for "how many"), and meets enough of the question's words: by the same
word, by one of its concept, or by one that means nearly the same. Newer entries come first.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.chat.attributes import attributes_asked
from recollect.chat.concepts import (
    TELLS_JOB,
    concept_of,
    concepts_asked,
    concepts_told,
    is_common_word,
)
from recollect.chat.people import about_another, names_in, relations_in
from recollect.chat.question_reader import AskedQuestion, telling_words
from recollect.chat.updates import is_over
from recollect.memories.normalise import stem

WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]

#: How much of a question must be met before an entry answers it.
ENOUGH: Final = 0.5
_NEAR: Final = 0.42  # how near two words lie that have to do with each other
_LIKE: Final = 0.45  # what such a word is worth at most
_CONCEPT: Final = 0.85
_NAMED: Final = 0.9
_RIGHT_KIND: Final = 0.12
_LIGHT: Final = 0.4
_ATTRIBUTE: Final = 0.8  # what an entry is worth that tells what is asked for
_BESIDE_THE_POINT: Final = 0.75  # what one is worth that meets the words and does not tell it
_MEANING: Final = 0.2  # how near an entry as a whole must lie where it meets no word
_BESIDE: Final = 0.4  # what a word is worth that was said in the same breath
_EQUAL: Final = 0.1  # entries this near to each other answer alike, and the newer comes first
_ABOUT_EQUAL: Final = 0.2  # the same where both tell what is asked for
_JOB_BY_THE_WAY: Final = 0.2  # "shop's closed on Mondays" has to do with a job and names none
_CHANGE: Final = 0.15  # what says that something changed holds now
_STILL_OVER: Final = 0.3  # and what is asked of with "still" the better
_OVER: Final = 0.2  # what tells of an end answers what is asked of now less well
#: Verbs that say little of what is asked: "which units do I prefer?"
_WEAK: Final = frozenset(
    """
    prefer preferred want have has got take takes use used using make made end put give gave happen
    happening happened having préfère préfères veux prends prend utilise ended up tool kind
    """.split()
)
_MONTHS: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janvier"
    r"|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
_DATE: Final = re.compile(
    rf"\b(?:{_MONTHS}|\d{{4}}|monday|tuesday|wednesday|thursday|friday|saturday|sunday|lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche|morning|evening|night|noon|midnight|summer|winter"
    r"|spring|autumn|easter|christmas|midi|matin|soir|été|hiver|noël|past|o'clock"
    r"|(?:year|grade|form) (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven))"
    r"(?:s|\b)|\b(?:at|till|until|by|around|before|after|jusqu'à|à|vers) (?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})\b|\b\d{1,2}(?:[:h]\d{0,2}|(?:st|nd|rd|th)"
    r"| ?(?:am|pm))\b|\bhalf past\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen"
    r"|twenty"
    r"|thirty|forty|fifty|hundred|once|twice|un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze"
    r"|douze|quinze|vingt|trente|half|couple|every|weekly|daily|monthly)\b",
    re.IGNORECASE,
)
_AGE: Final = re.compile(
    r"\b(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,8}teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b[ -]?"
    r"(?:year|month|ans|mois|[.,;)]|$|and)|\b(?:am|is|are|turn(?:s|ed|ing)?|aged?|ai) \d{1,3}\b"
    r"|\b(?:is|are|turn(?:s|ed|ing)?|aged?) (?:one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve)\b|\bborn\b|\bnée?\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:past|outside|off|around|beyond|behind|opposite|beside|under|over|in|at|to|from|near|on"
    r"|by|à|en|au|aux|chez|dans|près|de|into|above) (?:the |a |an |la "
    r"|le |les"
    r" |un |une |my |our )?\w",
    re.IGNORECASE,
)
#: Whom a word for several people may mean.
_GROUPS_OF: Final = {
    **dict.fromkeys(("son", "daughter", "child"), ("kids", "child")),
    "kids": ("child",),
    **dict.fromkeys(("mum", "dad"), ("parents",)),
    **dict.fromkeys(("grandmother", "grandfather"), ("grandparents",)),
    **dict.fromkeys(("mother-in-law", "father-in-law"), ("in-laws",)),
}
#: An entry that names nobody and speaks of whom was named just before: "He's mad about trains".
LEANS_ON_SUBJECT: Final = re.compile(
    r"(?:he|she|they|his|her|their|he's|she's|they're|on|been|has|had|with|for|il|elle|ils|elles|sa"
    r"|ses|leur)\b",
    re.IGNORECASE,
)
_LIKED: Final = re.compile(
    r"\b(?:favou?rite|like best|love|enjoy|préférée?s?|adore)\b", re.IGNORECASE
)
_DISLIKED: Final = re.compile(
    r"\b(?:can't stand|cannot stand|hates?|loathes?|detests?|dislikes?|not a fan|don't like"
    r"|doesn't like|déteste|n'aime pas|horreur)\b",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile(
    r"\b(?:swapped|switched|changed|replaced|traded|instead|ended up|gone over|went over|no longer"
    r"|anymore|these days|from now on|troquée?|remplacée?|passée? (?:à|au)|changé|désormais|ne jure"
    r" plus)\b",
    re.IGNORECASE,
)
_NAMED_FROM: Final = re.compile(
    r"[A-ZÀ-Þ][\w-]{1,30} (?:from|at|in|next|de|du|chez) (?:[\w-]{2,20} ){1,3}(?:is"
    r"|has|can't|was|est"
    r"|a|[a-z]{3,15}s)\b"
)
_SIBLINGS_CHILD: Final = re.compile(
    r"\b(?:brother|sister|bro|sis)(?: [A-Z][\w-]{1,30})?'s (?:little |older |younger |new )?"
    r"(boy|lad|son|girl|lass|daughter|kid|child|baby|youngest|eldest|oldest)\b",
    re.IGNORECASE,
)
_PARENTS: Final = frozenset("mum mom mother dad father parent parents".split())
_BOYS: Final = frozenset({"boy", "lad", "son"})
_GIRLS: Final = frozenset({"girl", "lass", "daughter"})
_EITHER: Final = frozenset({"nephew", "niece"})
_SPEAKER_INSIDE: Final = re.compile(r"\b(?:I|I'm|I've|je|j'\w{1,15})\b")
_ANIMALS: Final = frozenset({"dog", "cat", "horse", "rabbit"})  # often told by their breed
_ANEW: Final = re.compile(r"\b(?:instead|now|maintenant|désormais|à la place|new)\b", re.I)
_STILL: Final = re.compile(r"\b(?:still|encore|toujours)\b", re.IGNORECASE)
_COLOUR: Final = re.compile(
    r"\b(?:beige|black|blue|brown|burgundy|colou?r\w{0,3}|cream|crimson|gold\w{0,2}|gr[ae]y|green"
    r"|ivory|khaki|lilac|mauve|maroon|navy|ochre|olive|orange|pink|purple|red|scarlet|silver|teal"
    r"|turquoise|violet|white|yellow|blanc|blanche|bleue?s?|bordeaux|brune?|couleur|dorée?|grise?"
    r"|jaune|marron|mauve|noire?s?|orange|rose|rouge|verte?s?|violette?)\b",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(r"\d[\d.,:]{0,12}")
_HOLDS: Final = {"colour": _COLOUR, "when": _DATE, "age": _AGE, "number": _NUMBER, "where": _PLACE}


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


@dataclass(frozen=True, slots=True)
class ScoredEntry:
    """An entry, and how well it answers."""

    id: str
    score: float
    at: datetime


class Matcher:
    """Holds one question against entries."""

    def __init__(self, question: AskedQuestion, vectors: WordVectors | None) -> None:
        self._question = question
        self._vectors = vectors
        self._rows = self._embedded(question.terms)
        self._names = {name.lower() for name in question.names - question.places}
        self._concepts = {term: concepts_asked(stem(term)) for term in question.terms}
        self._attributes = attributes_asked(question.text)
        self.scores: dict[str, float] = {}  # of every entry, also of those that do not answer

    def ranked(self, known: Sequence[KnownEntry]) -> list[ScoredEntry]:
        """The entries that can answer, the best first; of equals the newer."""
        aliases = _aliases(known)
        counts = self._document_counts(known)
        scored = [
            ScoredEntry(one.id, self._score(one, aliases, counts, len(known)), one.at)
            for one in known
        ]
        self.scores = {one.id: one.score for one in scored}
        good = [one for one in scored if one.score >= ENOUGH] or self._nearest(known, aliases)
        near = _ABOUT_EQUAL if self._attributes else _EQUAL
        return sorted(
            good, key=lambda one: (round(one.score / near), one.at, one.score), reverse=True
        )

    def _nearest(
        self, known: Sequence[KnownEntry], aliases: dict[str, set[str]]
    ) -> list[ScoredEntry]:
        """Where no entry meets the words: the one whose meaning as a whole lies near."""
        question = self._question
        terms = [word for word in question.terms if word not in self._names]
        if question.wants == "yes" or self._vectors is None or not terms:
            return []
        mine = self._meaning(terms)
        found: list[ScoredEntry] = []
        for one in known:
            words = telling_words(one.text)
            told = self._told(one.text, {stem(word) for word in words})
            if told is False or not self._same_person(one, aliases):
                continue
            if words and self._right_kind(one.text):
                near = float(self._meaning(words) @ mine)
                found.append(ScoredEntry(one.id, near, one.at))
        best = max((one.score for one in found), default=0.0)
        return [one for one in found if one.score == best] if best >= _MEANING else []

    def _meaning(self, words: Sequence[str]) -> NDArray[np.float32]:
        whole = self._vectors(list(words)).sum(axis=0) if self._vectors else np.zeros(1)
        return np.asarray(whole / max(float(np.linalg.norm(whole)), 1e-9), np.float32)

    # --- one entry --------------------------------------------------------------------------------

    def _score(
        self, one: KnownEntry, aliases: dict[str, set[str]], counts: dict[str, int], total: int
    ) -> float:
        if not self._same_person(one, aliases):
            return 0.0
        words = telling_words(one.text)
        stems = {stem(word) for word in words}
        told = self._told(one.text, stems)
        if told is False or (told is None and not self._right_kind(one.text)):
            return 0.0
        met = self._met(one, words, stems, aliases)
        score = self._words_met(one.text, met, counts, total)
        if told:
            score = _ATTRIBUTE + (1.0 - _ATTRIBUTE) * min(1.0, score)
            if self._job_by_the_way(one.text):
                score -= _JOB_BY_THE_WAY
        elif self._attributes:
            score = max(score * _BESIDE_THE_POINT, min(score, ENOUGH))
        if score and _CHANGED.search(one.text):
            score += _CHANGE
        return score + self._ending(one.text) if score else 0.0

    def _told(self, text: str, stems: set[str]) -> bool | None:
        """Whether an entry tells what is asked for; None where neither can be said."""
        strict = False
        for one in self._attributes:
            if one.told.search(text) or (one.name == "job" and self._tells_job(text, stems)):
                return True
            strict = strict or one.strict
        return False if strict else None

    def _words_met(
        self, text: str, met: dict[str, float], counts: dict[str, int], total: int
    ) -> float:
        """How much of a question an entry meets, from 0 to a little over 1."""
        question = self._question
        weights = {
            term: self._weight(term, counts.get(term, 0), total, met=met[term]) for term in met
        }
        score = (
            sum(met[term] * weights[term] for term in met) / sum(weights.values())
            if weights
            else 0.0
        )
        if not score:
            return 0.0
        if question.wants in _HOLDS or (
            question.wants == "who" and (names_in(" " + text) or relations_in(text))
        ):
            score += _RIGHT_KIND
        if question.category and all(met.get(term, 0.0) >= _CONCEPT for term in question.category):
            score += _RIGHT_KIND
        return score

    def _ending(self, text: str) -> float:
        """What it is worth that an entry tells of an end."""
        question = self._question
        if not is_over(text) or _ANEW.search(text):
            return 0.0
        if _STILL.search(question.text):
            return _STILL_OVER
        return 0.0 if question.wants == "yes" or is_over(question.text) else -_OVER

    def _weight(self, term: str, count: int, total: int, *, met: float) -> float:
        """Names are looked at apart; what many entries hold says less of which one is meant."""
        if term in self._names or (term in self._question.category and met < _CONCEPT):
            return _LIGHT
        if term in _WEAK:
            return _LIGHT
        return 1.0 if count <= 1 else 1.0 - 0.5 * count / total

    def _met(
        self, one: KnownEntry, words: list[str], stems: set[str], aliases: dict[str, set[str]]
    ) -> dict[str, float]:
        around = f"{one.beside} {one.before} {one.message}"
        beside = {stem(word) for word in telling_words(around)} - stems
        theirs = self._embedded(tuple(words))
        concepts = concepts_told(stems)
        met: dict[str, float] = {}
        for index, term in enumerate(self._question.terms):
            if stem(term) in stems or _is_spelled(term, stems):
                met[term] = 1.0
            elif aliases.get(term, set()) & set(words):
                met[term] = _NAMED
            elif self._by_concept(term, concepts, one.text) or (
                term in _PARENTS and _SIBLINGS_CHILD.search(one.text)
            ):
                met[term] = _CONCEPT
            else:
                near = self._nearly(index, theirs)
                met[term] = max(near, _BESIDE) if stem(term) in beside else near
        return met

    def _by_concept(self, term: str, concepts: frozenset[int], text: str) -> bool:
        mine = self._concepts.get(term, frozenset())
        if mine & concepts:
            return True
        if concept_of("name") in mine:
            return bool(names_in(" " + text))
        if concept_of("job") in mine:
            return bool(TELLS_JOB.search(text))
        return concept_of("tall") in mine and bool(re.search(r"\d ?(?:m|cm|ft)\b|\dm\d", text))

    def _nearly(self, index: int, theirs: NDArray[np.float32] | None) -> float:
        if self._rows is None or theirs is None or not len(theirs):
            return 0.0
        nearest = float((theirs @ self._rows[index]).max())
        if nearest < _NEAR:
            return 0.0
        return min(1.0, _LIKE + (nearest - _NEAR))

    def _job_by_the_way(self, text: str) -> bool:
        asked = [one for one in self._attributes if one.name == "job"]
        if len(asked) != len(self._attributes):
            return False
        return not any(one.told.search(text) for one in asked) and not TELLS_JOB.search(text)

    def _tells_job(self, text: str, stems: set[str]) -> bool:
        if TELLS_JOB.search(text):
            return True
        named = {stem(word) for word in telling_words(text) if not word.endswith("ing")}
        return concept_of("job") in concepts_told(named & stems)

    def _same_person(self, one: KnownEntry, aliases: dict[str, set[str]]) -> bool:
        """Whether an entry speaks of whom the question asks about."""
        question, text = self._question, one.text
        if LEANS_ON_SUBJECT.match(text) and not relations_in(text):
            text = f"{one.beside} {one.before} {text}"
        lower = f"{text} {one.beside}".lower()
        for name in question.names - question.places:
            if not name.isupper() and not _names(name.lower(), lower):  # "API" is nobody
                return False
        wanted = question.relations - _ANIMALS - {"family"}
        if wanted:
            held = relations_in(text) | _kin_of_kin(text)
            held |= {group for one in held for group in _GROUPS_OF.get(one, ())}
            known = {word for relation in wanted for word in aliases.get(relation, ())}
            return bool(wanted & held) or any(word in lower for word in known)
        if question.names or not question.own or question.wants == "who" or question.relations:
            return True
        begins = re.match(r"[\w-]{1,30}", text)
        if begins and is_common_word(begins[0]):  # "Gym's on Tuesdays", "Flights booked: Lisbon"
            return True
        if _NAMED_FROM.match(text) and begins and begins[0] in names_in(f" {begins[0]}"):
            return False
        return not about_another(text) or _SPEAKER_INSIDE.search(text) is not None

    def _right_kind(self, text: str) -> bool:
        if _LIKED.search(self._question.text) and _DISLIKED.search(text):
            return bool(_LIKED.search(text))
        holds = _HOLDS.get(self._question.wants)
        if holds is None:
            return True
        for figure in _FIGURE.findall(self._question.text):  # what the question says is no answer
            text = text.replace(figure, " ")
        return bool(holds.search(text))

    def _embedded(self, words: Sequence[str]) -> NDArray[np.float32] | None:
        if self._vectors is None or not words:
            return None
        rows = self._vectors(list(words))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), np.float32)

    def _document_counts(self, known: Sequence[KnownEntry]) -> dict[str, int]:
        texts = [{stem(word) for word in telling_words(one.text)} for one in known]
        return {
            term: sum(1 for stems in texts if stem(term) in stems) for term in self._question.terms
        }


def _kin_of_kin(text: str) -> set[str]:
    """A sister's son is a nephew, and her daughter a niece."""
    found: set[str] = set()
    for match in _SIBLINGS_CHILD.finditer(text[:1_000]):
        child = match[1].lower()
        found |= {"nephew"} if child in _BOYS else {"niece"} if child in _GIRLS else _EITHER
    return found


def _is_spelled(term: str, stems: set[str]) -> bool:
    """The same word in another form, or misspelled by a letter."""
    if len(term) < 5:
        return False
    return any(
        len(one) >= 4 and (term.startswith(one[:6]) and one[:5] == term[:5]) for one in stems
    )


def _names(name: str, text: str) -> bool:
    return name in text or (len(name) > 4 and name[:-1] in text)


def _aliases(known: Sequence[KnownEntry]) -> dict[str, set[str]]:
    """Who is who: "my partner Amara" lets the one stand for the other in what is told elsewhere."""
    found: dict[str, set[str]] = {}
    pattern = re.compile(
        r"\b(?:[Mm]y|[Oo]ur|[Mm]on|[Mm]a|[Nn]otre) (?:\w{2,20} ){0,1}([\w-]{3,20}),? "
        r"(?:is called |is |called |named )?([A-ZÀ-Þ][\w-]{1,30})",
        re.UNICODE,
    )
    for one in known:
        for match in pattern.finditer(one.text[:1_000]):
            for relation in relations_in(match[1]):
                found.setdefault(relation, set()).add(match[2].lower())
                found.setdefault(match[1].lower(), set()).add(match[2].lower())
    return found
