"""Outcome questions ("what did we decide about the queue?") and the turns that state an outcome.

The reply that answers often has no word of the question: it says "Decision: ...", and the turns
before it say what the decision is about. So a turn that is marked with the wanted kind of outcome
takes the best topic match among itself, the turns before it and the turn that it replies to.
"""

import re
from typing import Final

import numpy as np

from recollect.index import outcome_marks
from recollect.index.analyser import query_terms
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.recall.signals import Array, CollectionSignals, Rows, with_final_zero
from recollect.vocabulary.lazy_patterns import lazy_pattern

#: Number of turns before a marked turn that may state its topic; each earlier one counts less.
_BEFORE: Final = 12
_FADING: Final = 0.94
#: Topic match of the turn nearest by meaning.
_BY_MEANING: Final = 0.9
#: Least topic match; below it, a marked turn has nothing to do with the question.
LEAST_RELEVANCE: Final = 0.25

_ASKED: Final[tuple[tuple[int, re.Pattern[str]], ...]] = tuple(
    (kind, lazy_pattern(rf"\b(?:{words})", re.IGNORECASE))
    for kind, words in (
        (
            outcome_marks.DECISION,
            r"decid|decision|agree[ds]?\b|settled?\b|conclu|verdict|cho(?:se|osen|sen|ice)\b"
            r"|(?:go|going|went) with\b|décid|décision|choi[sx]|retenu|conven|tranch",
        ),
        (outcome_marks.FIX, r"fix(?:ed|es)?\b|sol(?:ve|ution)|resolved?\b|workaround|corrig|résol"),
        (outcome_marks.CAUSE, r"why\b|caused?\b|reason|culprit|pourquoi|raison"),
        (outcome_marks.DEADLINE, r"deadline|due\b|by when\b|eta\b|échéance|date limite|pour quand"),
        (
            outcome_marks.OWNER,
            r"owner|who owns|responsib|in charge|assigned|responsable|qui s['\u2019]occupe",
        ),
    )
)


def asked_for(text: str) -> int:
    """The kinds of outcomes that a question asks for, as bits; 0 when it asks for none."""
    found = sum(kind for kind, words in _ASKED if words.search(text))
    return found | outcome_marks.SUMMARY if found else 0


def outcome(field: CollectionSignals, text: str) -> None:
    """Add the signal ``outcome``: the topic match of each turn that is marked with a wanted kind of
    outcome.
    """
    survey, beside = field.survey, field.survey.beside
    wanted = asked_for(text)
    if not wanted or beside is None or not len(field):
        return
    rows = np.flatnonzero((beside.outcomes & wanted > 0) & survey.seen)
    if not len(rows):
        return
    topic = with_final_zero(_topic(field, text))
    best = topic[rows]
    previous = np.append(beside.previous, NOBODY)  # the row before NOBODY is NOBODY
    before, faded = rows, np.float32(1)
    for _ in range(_BEFORE):
        before, faded = previous[before], faded * np.float32(_FADING)
        best = np.maximum(best, faded * topic[before])
    best = np.maximum(best, topic[_replied_to(survey.slots, beside, rows)])
    values = np.zeros(len(field), np.float32)
    values[rows] = np.where(best >= LEAST_RELEVANCE, best, 0)
    if values.any():
        field.signals["outcome"] = values


def _topic(field: CollectionSignals, text: str) -> Array:
    """Topic match of each turn by itself: the share of the question's words that it holds, without
    the words that ask for the outcome, or its nearness by meaning.
    """
    survey = field.survey
    asking = {
        term
        for _, words in _ASKED
        for found in words.finditer(text)
        for term in query_terms(_word_at(text, found.start()))
    }
    terms = [term for term in field.terms if term not in asking] or list(field.terms)
    tells = {term: survey.bm25.rarity(len(survey.postings[term][0])) for term in terms}
    topic = np.zeros(len(field), np.float32)
    for term, worth in tells.items():
        topic[survey.postings[term][0]] += np.float32(worth / (sum(tells.values()) or 1.0))
    near = field.raw.get("meaning")
    if near is not None and (nearest := float((near * survey.seen).max(initial=0))) > 0:
        topic = np.maximum(topic, near / np.float32(nearest) * np.float32(_BY_MEANING))
    return np.asarray(topic * survey.seen, np.float32)


def _word_at(text: str, place: int) -> str:
    found = re.compile(r"[\w'\u2019]+").match(text, place)
    return found[0] if found else ""


def _replied_to(slots: Rows, beside: RowNeighbours, rows: Rows) -> Rows:
    """The row that each of the rows replies to."""
    wanted = beside.replies[rows]
    places = np.minimum(np.searchsorted(slots, wanted), len(slots) - 1)
    return np.where((wanted > 0) & (slots[places] == wanted), places, NOBODY)
