"""Features of an entry as the answer to a question, and the linear model that scores them.

The features are general: how many words of the question match the entry (by the same word, by a
word of the same concept, or by a word of similar meaning); how similar both are as a whole; whether
the entry holds the requested kind of answer and states the requested attribute; whether it is about
the same person; and whether it is about the past or the present. The weights are in
``answer_score.tsv``; ``python -m benchmarks.answer_fit`` fits them to questions about entries.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers.answer_details import DetailFeatures, with_rivals
from recollect.chat.answers.answer_kinds import holds, people_named
from recollect.chat.answers.answer_people import (
    ROLES,
    SIBLINGS_CHILD,
    KnownEntry,
    PersonFeatures,
    all_aliases_of,
)
from recollect.chat.answers.question_reader import AskedQuestion, content_words_of
from recollect.chat.answers.shared_readings import SharedReadings, WordVectors, unit
from recollect.chat.language.attributes import Attribute, attributes_asked
from recollect.chat.language.change_words import is_over, tells_successor
from recollect.chat.language.concepts import (
    TELLS_JOB,
    concept_of,
    concepts_asked,
    concepts_told,
    is_common_word,
    pairs_of,
)
from recollect.chat.language.sentence_subject import relations_in
from recollect.memories.synonyms import CANONICAL
from recollect.memories.text_comparison import normalised, stem, words_of

#: Kinds of answer that share one weight.
_FAMILY: Final = {"clock": "when", "money": "number"}
_SHORTEST_WINDOW: Final = 4  # words of an entry that are compared with a question at once
_LEAST_COSINE: Final = 0.35  # minimum cosine similarity of two related words
#: Verbs that say little about the topic of a question: "which units do I prefer?"
_WEAK: Final = frozenset(
    """
    prefer preferred want have has got take takes use used using make made end put give gave happen
    happening happened having préfère préfères veux prends prend utilise ended up tool kind do does
    go goes get gets say said tell told see come comes look find call called name was were had own
    belong whose supposed look looks keep type moi myself last
    maintenant actuellement désormais moment avoir faire mettre suis avait avais
    """.split()
)
#: Words that ask for something but state nothing in an answer: "I go by Max" is about no trip.
_TELL_NOTHING: Final = frozenset(
    "go goe going gone get got come came do doe make made put take took out".split()
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
    r"\b(?:now|swapped|switched|changed|replaced|traded|instead|ended up|gone over|went over"
    r"|moved|new|no longer|anymore|any more|these days|from now on|troquée?|remplacée?"
    r"|passée? (?:à|au)|changé|désormais|maintenant|nouveau|nouvelle|ne jure plus)\b",
    re.IGNORECASE,
)
_NATION: Final = re.compile(
    r"\b(?:[Ii]'m|[Ii]m|am|is|are|half|[Ww]e're|he's|she's|suis|est) "
    r"(?:an? |half |une? |à moitié )?"
    r"[A-ZÀ-Þ][a-zà-ÿ]{2,15}(?:ian|ish|ese|ean|can|gan|man|nch|wiss|aise?|ienn?e?|oise?|i)\b"
)
#: Circumstances that do not name the place: "at work we speak English".
_AT_WORK: Final = re.compile(r"\b(?:at|from|to) (?:work|home)\b|\bau (?:travail|boulot)\b", re.I)
_CONTACT: Final = 0.25  # minimum cosine similarity of a word to the topic of the question
_TOUCHES: Final = (
    "core_nearest", "category_nearest", "core_around", "category_around", "introduced", "role",
)  # fmt: skip
_GOES_BY: Final = re.compile(r"\bgo(?:es)? by\b|\b(?:everyone|people) (?:says?|calls?)\b", re.I)
_ANEW: Final = re.compile(r"\b(?:instead|now|maintenant|désormais|à la place|new)\b", re.I)
_SWAPPED: Final = re.compile(
    r"\b(?:swapped|switched|traded|replaced|changed|troquée?|remplacée?|échangée?"
    r"|passée? (?:à|au))\b",
    re.IGNORECASE,
)
_LEFT_HAND: Final = re.compile(r"\bleft[- ](?:hand|side|foot)\w{0,3}", re.IGNORECASE)
_STILL: Final = re.compile(
    r"\b(?:still|encore|toujours|(?:happened|happen) (?:to|with)|becomes? of|became of|devenue?s?"
    r"|did (?:i|we) do with|arrivé à)\b",
    re.IGNORECASE,
)
#: Phrases for the end of having a thing, as opposed to the end of a habit.
_PARTED: Final = re.compile(
    r"\b(?:closed|done with|done w|got rid of|cancelled|canceled|binned|ditched|scrapped|sold"
    r"|returned"
    r"|gave (?:\w{1,10} )?away|packed (?:it )?in|handed (?:\w{1,10} )?back|threw (?:\w{1,10} )?out"
    r"|fermé|clôturé|résilié|annulé|vendu|jeté|rendu|parti[es]?|fini avec)\b",
    re.IGNORECASE,
)
_PAST_TOLD: Final = re.compile(
    r"\b(?:was|were|used to|had|before|old|ex|former(?:ly)?|until|lived|worked|been in|sold|quit"
    r"|left|from|gave up|stopped|switched from|notice|last|avant|étais|était|avais|avait|vivait"
    r"|habitais|habitait|travaillais|ancienne?|vendue?|quittée?)\b",
    re.IGNORECASE,
)
_PARENTS: Final = frozenset("mum mom mother dad father parent parents".split())
_ASKS_NAME: Final = re.compile(
    r"\b(?:names?|called|(?:s'|m')appell\w{1,3}|appelle|nom|prénoms?)\b", re.IGNORECASE
)
#: A name introduced as a name, also without a capital: "a cat called biscuit".
_CALLED: Final = re.compile(
    r"\b(?:called|named|name(?:'s| is| was)|names are|nicknamed|baptisée?|appellent?|prénommée?)"
    r" (?!(?:it|off|in|out|me|back|him|her|us|to|and|for|the|a|an) )\w{2,}",
    re.IGNORECASE,
)
#: Features of entries that are about somebody else.
_OTHERS: Final = frozenset({"of_another", "of_both", "related_nowhere", "named_nowhere"})
_OWNED: Final = re.compile(
    r"\W{0,3}(?:my|our|mon|ma|mes|notre|nos) ([^\W\d_]{2,30}(?: [^\W\d_]{2,30})?)", re.IGNORECASE
)
#: Endings of French verb forms: "casser" matches "cassé".
_FRENCH_ENDING: Final = re.compile(r"(?<=\w{4})(?:ées?|és?|er)$")
_ELISION: Final = re.compile(r"\b(?:l|d|j|qu|n|s|m|t|c)'", re.IGNORECASE)


def _named_directly(term: str, text: str) -> bool:
    """Whether a name stands beside what has it: "our cat Pickle", "Oksana, my wife, ..."."""
    what = re.escape(term)
    behind = rf"(?i:\b{what}),? [A-ZÀ-Þ][a-zà-ÿ-]{{1,30}}"
    before = (
        rf"[A-ZÀ-Þ][\w-]{{1,30}}, (?i:(?:my|our|mon|ma|notre) (?:[\w-]{{2,20}} ){{0,2}}{what})\b"
    )
    return re.search(f"{behind}|{before}", text) is not None


class QuestionFeatures:
    """Computes the features of entries for one question."""

    def __init__(
        self,
        question: AskedQuestion,
        known: Sequence[KnownEntry],
        vectors: WordVectors | None,
        readings: SharedReadings | None = None,
    ) -> None:
        self._question = question
        self._readings = readings or SharedReadings(vectors)
        self._names = {
            name.lower()
            for name in question.names - question.places
            if not is_common_word(name) and not name.isupper()
        }
        people = {word for word in question.terms if relations_in(word) - ROLES}
        people |= {part for one in question.relations if "-" in one for part in one.split("-")}
        self._category = tuple(word for word in question.terms if word in question.category)
        self._core = (
            *(
                word
                for word in question.terms
                if word not in self._names
                and word not in question.category
                and word not in _WEAK
                and word not in people
            ),
            *(pair for pair in pairs_of(_all_words(question.text)) if concepts_asked(stem(pair))),
        )
        self._attributes = attributes_asked(question.text)
        self._aliases = self._readings.aliases(lambda: all_aliases_of(known))
        self._people = PersonFeatures(question, self._aliases)
        self._details = DetailFeatures(question)
        asked_rows = self._readings.raw(question.terms)
        self._rows = {word: row for word, row in zip(question.terms, unit(asked_rows), strict=True)}
        self._whole = unit(asked_rows.sum(axis=0, keepdims=True))[0]
        self._window = max(_SHORTEST_WINDOW, len(question.terms) + 2)

    @property
    def aliases(self) -> dict[str, set[str]]:
        """Names and relations of the same person, in all entries."""
        return self._aliases

    def nearness(self, known: Sequence[KnownEntry]) -> list[dict[str, float]]:
        """Similarity in meaning of the question to each entry as a whole and to its most similar
        part.
        """
        return self._nearness([one.text for one in known])

    def all(self, known: Sequence[KnownEntry]) -> list[dict[str, float]]:
        """Features of all entries, including how each compares with the others."""
        aliases = frozenset((word, frozenset(names)) for word, names in self._aliases.items())
        computed = self._readings.features((self._question, aliases))
        unseen = [one for one in known if one not in computed]
        self._nearness([one.text for one in unseen])
        computed.update((one, self._of(one)) for one in unseen)
        found = [dict(computed[one]) for one in known]
        with_rivals(found)
        return found

    def _nearness(self, texts: Sequence[str]) -> list[dict[str, float]]:
        return self._readings.nearness(self._whole, self._window, texts, self._question.terms)

    def _of(self, one: KnownEntry) -> dict[str, float]:
        """Features of one entry by itself; a missing feature counts as 0."""
        question = self._question
        words = self._readings.words(one.text)
        found = {f"asks_{_FAMILY.get(question.wants, question.wants)}": 1.0}
        found.update(self._words_met(one, words))
        found.update(self._people.of(one))
        if "of_another" in found and self._is_owned(one.text):
            del found["of_another"]
            found["of_speaker"] = 1.0
        found.update(self._attribute(one.text, words, same_person=not found.keys() & _OTHERS))
        instance = found.get("category_instance") or found.get("core_instance")
        if instance and found.pop("attribute_untold", 0.0):
            found["attribute_hint"] = 1.0
        found.update(self._details.of(one.text))
        touched = self._touches(found)
        if not touched:
            found["no_contact"] = 1.0
        found.update(self._kind(one.text, touched=touched))
        found.update(self._time(one))
        if question.wants == "yes":
            found["yes_unmet"] = 1.0 - found.get("core_met", 0.0)
        return found

    def _is_owned(self, text: str) -> bool:
        """Whether the question asks what the speaker has, and the entry states it: "my dog" for
        "what pets do I have?".
        """
        owned = _OWNED.match(text)
        if owned is None or relations_in(f"my {owned[1].partition(' ')[0]}") - ROLES:
            return False
        told = concepts_told(stem(word) for word in owned[1].lower().split())
        asked = (concepts_asked(stem(word)) for word in (*self._core, *self._category))
        return bool(told & frozenset().union(*asked))

    def _touches(self, found: dict[str, float]) -> bool:
        """Whether an entry has anything to do with the question."""
        if any(found.get(name) for name in ("attribute_told", "attribute_hint", "wish_told")):
            return True
        if not self._core and not self._category:
            return bool(found.get("named") or found.get("related") or found.get("named_around"))
        return any(found.get(name, 0.0) > _CONTACT for name in _TOUCHES)

    # --- words ------------------------------------------------------------------------------------

    def _words_met(self, one: KnownEntry, words: list[str]) -> dict[str, float]:
        stems, concepts = _stems_told(one.text)
        around = {
            stem(word) for word in content_words_of(f"{one.beside} {one.before} {one.message}")
        }
        theirs = self._readings.unit_rows(one.text)
        found = dict(self._nearness([one.text])[0])
        for group, terms in (("core", self._core), ("category", self._category)):
            if not terms:
                found[f"{group}_none"] = 1.0
                continue
            same = [float(self._is_same(term, stems, words)) for term in terms]
            like = [
                1.0 if is_same else float(self._by_concept(term, concepts, one.text))
                for term, is_same in zip(terms, same, strict=True)
            ]
            near = [
                1.0 if is_like else self._nearest(term, theirs)
                for term, is_like in zip(terms, like, strict=True)
            ]
            said = [
                float(not is_like and self._question.wants != "yes" and stem(term) in around)
                for term, is_like in zip(terms, like, strict=True)
            ]
            count = len(terms)
            found[f"{group}_instance"] = max(self._instance(term, words) for term in terms)
            found[f"{group}_same"] = sum(same) / count
            found[f"{group}_met"] = sum(like) / count
            found[f"{group}_near"] = sum(near) / count
            found[f"{group}_around"] = sum(said) / count
            found[f"{group}_any"] = max(like)
            found[f"{group}_nearest"] = max(near)
        return found

    def _is_same(self, term: str, stems: frozenset[str], words: list[str]) -> bool:
        return (
            stem(term) in stems
            or stem(CANONICAL.get(term, term)) in stems
            or _is_spelled(term, stems)
            or bool(self._aliases.get(term, set()) & set(words))
        )

    def _by_concept(self, term: str, concepts: frozenset[int], text: str) -> bool:
        mine = concepts_asked(stem(term))
        if mine & concepts:
            return True
        if concept_of("job") in mine and TELLS_JOB.search(text):
            return True
        if concept_of("nationality") in mine and _NATION.search(text):
            return True
        return term in _PARENTS and bool(SIBLINGS_CHILD.search(text))

    @staticmethod
    def _instance(term: str, words: list[str]) -> float:
        """Whether a word other than the term itself states what the term asks for."""
        mine = concepts_asked(stem(term))
        others = {stem(word) for word in words} - {stem(term)}
        return float(bool(mine & concepts_told(others)))

    def _nearest(self, term: str, theirs: NDArray[np.float32]) -> float:
        if not len(theirs) or term not in self._rows:
            return 0.0
        nearest = float((theirs @ self._rows[term]).max())
        return max(0.0, (nearest - _LEAST_COSINE) / (1.0 - _LEAST_COSINE))

    # --- kind, attribute, time --------------------------------------------------------------------

    def _kind(self, text: str, *, touched: bool) -> dict[str, float]:
        question = self._question
        found: dict[str, float] = {}
        if _LIKED.search(question.text) and _DISLIKED.search(text) and not _LIKED.search(text):
            found["other_taste"] = 1.0
        held = holds(question.wants, text, question.text)
        if held is False or (held and touched):
            kind = _FAMILY.get(question.wants, question.wants)
            found[f"{'holds' if held else 'lacks'}_{kind}"] = 1.0
            if held is False and question.wants == "money":
                found["lacks_money"] = 1.0
        if _ASKS_NAME.search(question.text):
            named = (
                bool(people_named(text) - self._question.names)
                or _CALLED.search(text)
                or any(_named_directly(term, text) for term in self._question.terms)
            )
            found["holds_name" if named else "lacks_name"] = 1.0
        return found

    def _attribute(self, text: str, words: list[str], *, same_person: bool) -> dict[str, float]:
        if not self._attributes:
            return {}
        strict = False
        for one in self._attributes:
            job = one.name == "job"
            if _tells(one, text) or (job and TELLS_JOB.search(text)):
                if not same_person:
                    return {"attribute_of_another": 1.0}
                told = {"attribute_told": 1.0}
                if one.strict:
                    told["attribute_strict_told"] = 1.0
                if not self._core:
                    told["attribute_alone"] = 1.0
                return told
            if job and same_person and _hints_at_job(words):
                return {"attribute_hint": 1.0}
            strict = strict or one.strict
        return {"attribute_strict" if strict else "attribute_untold": 1.0}

    def _time(self, one: KnownEntry) -> dict[str, float]:
        question, text = self._question, one.text
        found: dict[str, float] = {}
        past = question.past
        ended = is_over(_LEFT_HAND.sub(" ", text)) or _PARTED.search(text) is not None
        if ended and _STILL.search(question.text) and self._names_what_ended(text):
            found["ended_asked"] = 1.0
        anew = _ANEW.search(text) or _SWAPPED.search(text) or tells_successor(text)
        over = is_over(_LEFT_HAND.sub(" ", text)) and not anew
        if past:
            told = one.over or _PAST_TOLD.search(text)
            found["past_told" if told else "past_untold"] = 1.0
        elif over:
            asks_end = question.wants == "yes" or is_over(question.text)
            found["over_asked" if asks_end or _STILL.search(question.text) else "over"] = 1.0
        if not past and _CHANGED.search(text):
            found["changed"] = 1.0
        return found

    def _names_what_ended(self, text: str) -> bool:
        """Whether a text that says something is over names what the question asks about."""
        told = {stem(word) for word in _all_words(text)}
        return any(stem(word) in told for word in self._question.terms if word not in _WEAK)


@lru_cache(2_048)
def _stems_told(text: str) -> tuple[frozenset[str], frozenset[int]]:
    """Stems of the words and of the pairs of words of a text, and the concepts that they state."""
    plain = _AT_WORK.sub(" ", text)
    stems = {stem(word) for word in (*content_words_of(plain), *pairs_of(_all_words(plain)))}
    stems |= {stem(CANONICAL[word]) for word in content_words_of(text) if word in CANONICAL}
    return frozenset(stems), concepts_told(stems - _TELL_NOTHING)


def _all_words(text: str) -> list[str]:
    return words_of(normalised(_ELISION.sub(" ", text)))


def _tells(attribute: Attribute, text: str) -> bool:
    if attribute.told.search(text):
        return True
    if attribute.name == "age":
        return bool(holds("age", text, ""))
    return attribute.name == "name" and _GOES_BY.search(text) is not None


def _hints_at_job(words: list[str]) -> bool:
    named = {stem(word) for word in words if not word.endswith("ing")}
    return concept_of("job") in concepts_told(named)


def _is_spelled(term: str, stems: frozenset[str]) -> bool:
    """Whether the stems hold the term in another form, or with one letter misspelled."""
    if len(term) < 5:
        return False
    base = _FRENCH_ENDING.sub("", term)
    if base != term and any(base == _FRENCH_ENDING.sub("", one) for one in stems):
        return True
    return any(
        len(one) >= 4 and (term.startswith(one[:6]) and one[:5] == term[:5]) for one in stems
    )


@lru_cache(1)
def _weights() -> Mapping[str, float]:
    text = files("recollect.chat.answers").joinpath("answer_score.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}


def answer_score(features: Mapping[str, float]) -> float:
    """Score of an entry with these features; above 0, it is more likely an answer than not."""
    weights = _weights()
    return weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
