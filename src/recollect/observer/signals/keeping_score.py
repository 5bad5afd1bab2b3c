"""Score of how likely a reader keeps the memory of a turn that waits for review: a linear model.

A reader keeps what is complete and of use beyond its moment. The features are the form of the
user's words and how the text of the memory is made up: which sentence leads, how good the agent's
sentences are, how much they are about the words. None is a word of one project. The weights are in
``keeping_score.tsv``; ``python -m benchmarks.keeping_fit`` fits them to verdicts of readers and to
lessons, with whole sessions left out. A score of 0 means even odds.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from recollect.observer.claim_score import AgentSentence, score_of
from recollect.observer.diagnoses import identifiers
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.signals.claims import BEFORE_CHANGE
from recollect.observer.signals.context_need import context_needed
from recollect.observer.signals.telling_score import FORMS
from recollect.observer.signals.turn_text import (
    CHANGED,
    FOUND,
    OWN,
    REPLIED,
    REPORTED,
    is_asking,
    own_words,
)

_USER: Final = "The user "
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=\S)")
#: Forms of a user's words that count.
_FORMS: Final = ("removes", "mood", "tests", "reasons", "begins_no", "postponed")
#: Score of a sentence that is not there, and the lowest one that counts.
_LOWEST: Final = -3.0
_MOST_NAMES: Final = 12


def keeping_score(content: str, turn: Mapping[str, Any], rank: float) -> float:
    """Log odds that a reader keeps the memory of a turn; ``rank`` is where the scores of the turn
    alone put it."""
    weights = _weights()
    found = features_of(content, turn, rank)
    return weights.get("bias", 0.0) + sum(
        weights.get(name, 0.0) * value for name, value in found.items()
    )


def features_of(content: str, turn: Mapping[str, Any], rank: float) -> dict[str, float]:
    """Features of the text of a memory and of its turn."""
    own = own_words(str(turn["words"]), OWN).strip()
    found = {name: float(value) for name, value in _of_words(own, turn)}
    found |= {name: float(value) for name, value in _of_text(content.split("\n"), own)}
    return {**found, "rank": rank, "telling": float(turn["telling"])}


def _of_words(own: str, turn: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield from ((name, FORMS[name].search(own) is not None) for name in _FORMS)
    yield "asks", is_asking(str(turn["words"]))
    yield "need", context_needed(own)
    yield "first", bool(turn["first"])
    yield "own_words", math.log1p(len(_telling(own)))


def _of_text(lines: Sequence[str], own: str) -> Iterator[tuple[str, float]]:
    lead = lines[0]
    leads = [] if lead.startswith(_USER) else _sentences(lead)
    told = [*leads, *_sentences(_line(lines, FOUND)), *_sentences(_line(lines, REPORTED))]
    scores = [max(_LOWEST, score_of(AgentSentence(one))) for one in told]
    mine, theirs = _telling(own), _telling(" ".join(told))
    # In bytes, because a character of Chinese or Japanese says more than a Latin one.
    yield "length", math.log1p(sum(len(line.encode()) for line in lines))
    yield "shared", math.log1p(len(mine & theirs))
    yield "new_words", math.log1p(len(theirs - mine))
    yield "names", math.log1p(min(_MOST_NAMES, identifiers(" ".join(told))))
    yield "best", max(scores, default=_LOWEST)
    yield "mean", sum(scores) / len(scores) if scores else _LOWEST
    yield "nothing_found", not scores
    yield "leads_found", bool(leads)
    yield "leads_before", lead.startswith(BEFORE_CHANGE)
    yield "lead_score", scores[0] if leads else _LOWEST
    yield "replied", bool(_line(lines, REPLIED))
    yield "changed", bool(_line(lines, CHANGED))


def _line(lines: Sequence[str], label: str) -> str:
    return next((line.removeprefix(label) for line in lines if line.startswith(label)), "")


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.split(text) if one.strip()]


def _telling(text: str) -> set[str]:
    return {word for word in words_of(text) if len(word) >= LEAST_SHARED}


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    text = files("recollect.observer.signals").joinpath("keeping_score.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
