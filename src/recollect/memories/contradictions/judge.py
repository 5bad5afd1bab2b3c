"""Decides from weighted features whether two statements contradict each other.

The score is a weighted sum of features. The weights were fitted on pairs of statements (a logistic
regression), once for all kinds of memories and both languages. This is the local form of the task
``contradiction``; a model may judge instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp
from typing import Final, TypeVar

from recollect.memories.contradictions.features import features
from recollect.memories.contradictions.statements import (
    ComparedStatement,
    shared_words,
    statement,
)
from recollect.memories.text_comparison import WordVectors, read
from recollect.vocabulary.contradictions import ContradictionKind

D = TypeVar("D")

#: Lowest score at which two statements count as contradicting each other.
LIKELY: Final = 0.37
#: Least score of a claim with another name and a word of change: "lives in A", "lives in B now".
_MOVED: Final = 0.6
#: Highest score of a pair for which one sign says that both can hold.
_COMPATIBLE: Final = 0.3
#: Number of words up to which the weights were fitted; a longer text counts as several statements.
_LONGEST_STATEMENT: Final = 40
#: Two sentences are about the same when they share so much of what each of them is about.
_OF_THE_SHORTER: Final = 0.6
_OF_THE_LONGER: Final = 0.4
#: A sentence with fewer meaningful words is ignored as a fragment.
_FEWEST_TOKENS: Final = 3
#: Number of sentences of a text that are compared.
_SENTENCES: Final = 12
#: What a person is asked about shares this part of the shorter statement's words; of one that has
#: hardly any words, less; and of two that name other days, nearly all.
_SHORT: Final = 3
_SHARED: Final = 0.55
_SHARED_SHORT: Final = 0.5
_SAME_EVENT: Final = 0.75
_DAY_NAMED: Final = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre"
    r"|décembre) \d{1,2}"
    r"|\b\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre"
    r"|décembre)",
    re.IGNORECASE,
)
#: What is done again and again, and what was done once; a word of change says more than that.
_HABIT: Final = re.compile(
    r"\b(?:every|each|usually|weekly|regularly|normally|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|weekdays|weekends|mornings|evenings|chaque|tous les|toutes les|d'habitude"
    r"|le (?:lun|mar|mercre|jeu|vendre|same)di|le dimanche)\b",
    re.IGNORECASE,
)
_DONE_ONCE: Final = re.compile(
    r"^(?:(?:i|we|he|she|they|[A-ZÀ-Þ][\w-]{1,30}) )?(?:just |finally )?(?:[a-z]{3,15}ed|ran|won"
    r"|did|went|swam|rode|played|beat|lost|made|got|saw|drove|flew|came|sang)\b|\b(?:j'ai|on a|nous"
    r" avons) (?:\w{2,10} )?\w{2,20}(?:é|i|u|is|it|ert)\b",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(
    r"\b(?:now|moved?|changed?|switched|swapped|stopped|started|quit|gave up|given up|no longer"
    r"|instead|dropped|ended|cancelled|canceled|pushed|shifted|any ?more|not|never|maintenant"
    r"|désormais|arrêté|changé|déplacé|décalé|reporté|annulé|commencé|plus)\b|n't\b",
    re.IGNORECASE,
)
_BIAS: Final = -0.55
_WEIGHTS: Final[dict[str, float]] = {
    "displaced": 0.81,
    "all_only": 0.72,
    "reversed": 0.7,
    "liked_less": 0.66,
    "names_differ": 0.6,
    "changed_so": 0.56,
    "value_of_subject": 0.54,
    "over": 0.53,
    "changed": 0.52,
    "slot_one_way": 0.52,
    "cover_old": 0.51,
    "near": 0.48,
    "names_shared": 0.43,
    "replaced": 0.42,
    "ended_name": 0.41,
    "ended": 0.4,
    "value_near": 0.39,
    "cover_new": 0.38,
    "value": 0.35,
    "cover": 0.34,
    "opposed": 0.34,
    "bad": 0.33,
    "denied_near": 0.29,
    "over_near": 0.27,
    "opposed_near": 0.27,
    "bad_near": 0.22,
    "names_swapped": 0.21,
    "value_measured": 0.2,
    "names_swapped_near": 0.19,
    "ended_elsewhere": 0.17,
    "one_word": 0.17,
    "negated_any": 0.12,
    "only_new": 0.11,
    "value_loose_near": 0.11,
    "value_loose": 0.1,
    "reversed_near": 0.1,
    "negated_word": 0.08,
    "denied_of_subject": 0.08,
    "value_one": 0.07,
    "value_count": 0.05,
    "may_must": 0.05,
    "names_new": 0.03,
    "only_old": 0.0,
    "ended_old": -0.0,
    "subject_kept": -0.03,
    "denied": -0.04,
    "past_both": -0.09,
    "span_one": -0.12,
    "begins_and_more": -0.12,
    "nothing_left": -0.12,
    "negated": -0.17,
    "changed_old": -0.19,
    "only_added": -0.22,
    "value_of_another": -0.22,
    "another_subject": -0.25,
    "value_same": -0.27,
    "one_of_many": -0.38,
    "said_already": -0.48,
    "negated_both": -0.61,
    "other_modifier": -0.69,
    "lonely": -0.91,
    "added": -1.25,
    "subject_lost": -1.27,
    "nothing_differs": -1.4,
    "only_not": -1.45,
    "without_must": -2.16,
    "spans": -2.59,
    "excepted": -2.65,
    "past": -2.74,
    "owned_other": -2.86,
    "label_other": -3.16,
}
#: Features that only take part in combinations, or decide alone.
_NOT_WEIGHTED: Final = frozenset(
    {"many", "other_predicate", "code_other", "other_moment", "happened"}
)
_DIFFERS: Final = ("value_one", "value_measured", "value_count")
_DENIES: Final = ("negated", "reversed", "opposed", "all_only", "liked_less")


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """Whether two statements contradict each other, how surely, and in what way."""

    contradicts: bool
    score: float
    kind: ContradictionKind

    @property
    def reason(self) -> str:
        """The reason for the contradiction, in plain words."""
        return REASONS[self.kind]


REASONS: Final[Mapping[ContradictionKind, str]] = {
    ContradictionKind.VALUE: "both tell the same thing with another value",
    ContradictionKind.NEGATION: "one denies what the other says",
    ContradictionKind.ADVICE: "they advise the opposite",
    ContradictionKind.ENDED: "the later one says that what the earlier one tells is over",
    ContradictionKind.REPLACED: "the later one puts something else in its place",
}


def judge_pair(
    old: str, new: str, vectors: WordVectors | None = None, *, by_sentence: bool = False
) -> PairJudgement:
    """Judge whether an older and a newer text can both hold.

    Long texts are compared by sentence, and others too with ``by_sentence``: of the pairs of
    sentences about the same subject, the one with the strongest contradiction decides. A word of
    change in an unrelated sentence has no influence.
    """
    return _surest(
        (_judged(one, other, vectors) for one, other in _pairs(old, new, by_sentence=by_sentence)),
        default=PairJudgement(False, 0.0, ContradictionKind.VALUE),
    )


def contradiction(old: str, new: str, vectors: WordVectors | None = None) -> PairJudgement | None:
    """Contradiction between an older and a newer text; None when both can hold.

    Most pairs are decided at once: statements that share no word have no common subject and are
    always compatible.
    """
    judged = [
        _judged(one, other, vectors)
        for one, other in _pairs(old, new)
        if any(True for _ in shared_words(one, other))
    ]
    found = _surest(judged, default=None)
    return found if found is not None and found.contradicts else None


def _surest(judged: Iterable[PairJudgement], default: D) -> PairJudgement | D:
    return max(judged, key=lambda one: one.score, default=default)


def _pairs(
    old: str, new: str, *, by_sentence: bool = False
) -> Sequence[tuple[ComparedStatement, ComparedStatement]]:
    """Pairs of statements to compare: the texts themselves, or sentences of long texts; none where
    both say the same.
    """
    whole = statement(old), statement(new)
    if whole[0].text == whole[1].text:
        return []
    if by_sentence or any(len(one.words) > _LONGEST_STATEMENT for one in whole):
        return list(_about_the_same(*whole, by_sentence=by_sentence))
    return [whole]


def _judged(
    old: ComparedStatement, new: ComparedStatement, vectors: WordVectors | None
) -> PairJudgement:
    found = features(old, new, vectors)
    score = score_of(found)
    return PairJudgement(score >= LIKELY, round(score, 3), _kind(found))


def _about_the_same(
    old: ComparedStatement, new: ComparedStatement, *, by_sentence: bool
) -> Iterator[tuple[ComparedStatement, ComparedStatement]]:
    """Pairs of sentences that share most of their subject and yet differ."""
    sentences = [_statements_of(one, by_sentence=by_sentence) for one in (old, new)]
    for one, other in product(*sentences):
        first, second = ({word.stem: word.weight for word in each.tokens} for each in (one, other))
        shared = sum(first[stem] for stem in first.keys() & second.keys())
        less, more = sorted((sum(first.values()), sum(second.values())))
        if shared >= max(_OF_THE_SHORTER * less, _OF_THE_LONGER * more) and one.text != other.text:
            yield one, other


def _statements_of(text: ComparedStatement, *, by_sentence: bool) -> list[ComparedStatement]:
    """Sentences that state something; a short text is one statement, unless sentences are wanted.

    A question states nothing, nor does a bare introduction of speech: "She said:".
    """
    if len(text.words) <= _LONGEST_STATEMENT and not by_sentence:
        return [text]
    sentences_found = [
        statement(one)
        for one, end in zip(text.spoken, text.ends, strict=True)
        if end not in {"?", ":"}
    ]
    return [
        one
        for one in sentences_found
        if len(one.words) <= _LONGEST_STATEMENT and len(one.tokens) >= _FEWEST_TOKENS
    ][:_SENTENCES]


def score_of(found: Mapping[str, float]) -> float:
    """Probability, between 0 and 1, that the features make a contradiction."""
    total = _BIAS + sum(_WEIGHTS[name] * value for name, value in combined(found).items())
    score = 1 / (1 + exp(-total))
    moved = found["slot_one_way"] and found["names_swapped"] and found["changed"]
    if moved and not found["added"]:
        return max(score, _MOVED)
    return min(score, _COMPATIBLE) if _is_compatible(found) else score


def _is_compatible(found: Mapping[str, float]) -> bool:
    """Whether a single feature says that both can hold, whatever the others say.

    Such features: both give the same value and differ in none; they are about two subjects and
    share no name; they are about two different names of code; the later one is about somebody else
    who belongs to the first; one is called an exception and gives no other value; both say
    different things of one subject; one tells what once happened to it; one says when it begins
    and the other when it finishes; or a ban and an "only" say the same.
    """
    differs = any(found[name] for name in (*_DIFFERS, "value_loose"))
    ends = found["ended"] or found["replaced"]
    over = found["negated"] or ends
    return bool(
        (found["value_same"] and not differs and not over)
        or (found["subject_lost"] and not found["names_shared"])
        or found["code_other"]
        or (found["owned_other"] and found["names_new"] and not differs)
        or (found["excepted"] and not differs)
        or (found["other_predicate"] and not (differs or over or found["changed"]))
        or (found["happened"] and not (differs or ends or found["changed"]))
        or (found["other_moment"] and not found["changed"])
        or (found["only_not"] and (found["negated_both"] or found["all_only"]) and not differs)
    )


def combined(found: Mapping[str, float]) -> dict[str, float]:
    """The features and their combinations: a difference counts for more where much is shared."""
    cover, kept = found["cover"], found["subject_kept"]
    value = max(found[name] for name in _DIFFERS)
    denied = max(found[name] for name in _DENIES)
    over = max(found["ended"], found["replaced"], found["displaced"])
    differs = max(value, denied, over, found["value_loose"], found["bad"])
    same = 1 - differs
    near = {
        "value_near": value,
        "value_loose_near": found["value_loose"],
        "over_near": over,
        "denied_near": denied,
        "opposed_near": found["opposed"],
        "reversed_near": found["reversed"],
        "names_swapped_near": found["names_swapped"],
        "bad_near": found["bad"],
    }
    return {
        **{name: one for name, one in found.items() if name not in _NOT_WEIGHTED},
        **{name: one * cover for name, one in near.items()},
        "value": value,
        "denied": denied,
        "over": over,
        "nothing_differs": same,
        "said_already": found["nothing_left"] * same,
        "only_added": found["added"] * same,
        "one_of_many": found["many"] * same,
        "value_of_subject": value * kept,
        "value_of_another": value * found["other_modifier"],
        "denied_of_subject": denied * kept,
        "changed_so": found["changed"] * differs,
        "another_subject": found["subject_lost"] * found["begins_and_more"],
        "names_differ": found["names_shared"] * differs,
    }


def _kind(found: Mapping[str, float]) -> ContradictionKind:
    """Kind of contradiction that the features indicate."""
    if found["replaced"] or found["displaced"]:
        return ContradictionKind.REPLACED
    if found["ended"] or found["ended_elsewhere"]:
        return ContradictionKind.ENDED
    if found["value_loose"] or any(found[name] for name in _DIFFERS):
        return ContradictionKind.VALUE
    if found["bad"] or found["liked_less"] or found["opposed"] or found["reversed"]:
        return ContradictionKind.ADVICE
    return ContradictionKind.NEGATION if found["negated"] else ContradictionKind.VALUE


def question_of(old: str, new: str) -> str:
    """The question about two claims that the person is asked."""
    return f"I have noted: “{_short(old)}”. Shall “{_short(new)}” replace it?"


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


def may_be_asked_about(known: str, said: str) -> bool:
    """Whether a person may be asked about two statements: long ones must share their subject.

    For two sentences that each have a date, the rules claim too readily that one changes the other,
    and so they do for what is done every week and what was done once.
    """
    if _habit_and_event(known, said):
        return False
    one, other = read(known).stems, read(said).stems
    smaller = min(len(one), len(other))
    shared = len(one & other)
    if _other_days(known, said) and shared < _SAME_EVENT * smaller:
        return False
    return shared >= (_SHARED_SHORT if smaller <= _SHORT else _SHARED) * smaller


def _habit_and_event(known: str, said: str) -> bool:
    """Whether one tells what is done again and again, and the later one what was done once."""
    once = _DONE_ONCE.search(said[:2_000]) and not _CHANGES.search(said[:2_000])
    return bool(once and _HABIT.search(known[:2_000])) and not _HABIT.search(said[:2_000])


def _other_days(known: str, said: str) -> bool:
    """Whether both name a day and share none: two events, unless nearly all words are shared."""
    one, other = (
        {found.lower() for found in _DAY_NAMED.findall(text[:2_000])} for text in (known, said)
    )
    return bool(one and other) and not one & other
