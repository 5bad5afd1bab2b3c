"""Decides which memories of turns a person reviews, and which of them first.

Talk that nobody followed, and an order or a question of which nothing is known but which files
were changed, would only make the queue of a reviewer longer. The score of keeping decides the order
alone: in sessions of projects that it was not fitted on, what it put last held a lesson in 9 of 14
cases.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.signals.claims import Claim
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.keeping_score import keeping_score
from recollect.observer.signals.reader_score import reader_score
from recollect.observer.signals.review_lines import is_suggestion
from recollect.observer.signals.telling import is_others_words, states
from recollect.observer.signals.turn_text import (
    FOUND,
    REPORTED,
    is_asking,
    is_refusing,
    is_task,
)
from recollect.observer.signals.wishes import is_lasting
from recollect.observer.turn_words import has_yielded

#: Score of a claim up to which it is no outcome of talk.
IDLE: Final = -1.0
#: Confidence of what waits for review, from and by how much at most; and the weights of two scores
#: in its order: of what readers kept, and of what a colleague is glad to be told.
_LOWEST: Final = 0.5
_BAND: Final = 0.03
_LEAST_SHARE: Final = 0.02
#: Confidence of what is not worth a reviewer's time.
FORGOTTEN: Final = 0.1
READERS: Final = 2.0
COLLEAGUES: Final = 0.5
#: The beginnings of a user's words, and of lines that tell what became of them.
_SAID: Final = "The user "
_OUTCOMES: Final = (FOUND, REPORTED)


def is_idle(
    main: Mapping[str, Any], best: Sequence[Claim], *, changed: bool, settles: bool
) -> bool:
    """Whether a turn was talk that nobody followed: nothing was changed, the agent did not give
    way, nothing good was found, and the words lay nothing down. Of 8 that a reader judged none was
    worth keeping."""
    words = str(main["words"])
    if changed or settles or has_yielded(str(main["answer"])) or is_lasting(words):
        return False
    if is_refusal(main) and is_refusing(words):
        return False
    found = [claim for claim in best if not is_suggestion(claim.text)]
    return max((claim.score for claim in found), default=IDLE) <= IDLE


def review_sureness(main: Mapping[str, Any], claims: Sequence[Claim], *, settles: bool) -> float:
    """Confidence of a memory that waits for review: in a narrow band, so that nothing else depends
    on it, in the order in which readers are likely to find memories worth keeping."""
    rank = READERS * reader_score(main, claims, states=settles) + COLLEAGUES * float(
        main["telling"]
    )
    return sureness_of(rank)


def kept_for_review(
    candidates: Sequence[Candidate], turns: Sequence[Mapping[str, Any]]
) -> list[Candidate]:
    """Candidates, of which those of turns that wait are in the order of what readers keep, and
    those that tell nothing more than a task are forgotten."""
    places = {(int(turn["step"]), str(turn["words"])): turn for turn in turns}
    found: list[Candidate] = []
    for one in candidates:
        turn = places.get((one.step, str(one.quote)))
        if turn is None or not one.unsure or not _LOWEST <= one.confidence <= _LOWEST + _BAND:
            found.append(one)
            continue
        score = keeping_score(one.content, turn, rank_of(one.confidence))
        kept = _lays_down(turn) or _tells_more(one.content, turn)
        found.append(replace(one, confidence=sureness_of(score) if kept else FORGOTTEN))
    return found


def _tells_more(content: str, turn: Mapping[str, Any]) -> bool:
    """Whether the text says more than a user's own words, or these are a text of somebody else or
    state something themselves."""
    if is_others_words(str(turn["words"])) or states(turn):
        return True
    lines = content.splitlines()
    return not lines[0].startswith(_SAID) or any(one.startswith(_OUTCOMES) for one in lines)


def _lays_down(turn: Mapping[str, Any]) -> bool:
    """Whether a user says no or speaks of every time: short words are no worse for being so."""
    words = str(turn["words"])
    if is_lasting(words):
        return True
    return is_refusing(words) and (is_refusal(turn) or bool(turn["overturns"]))


def rank_of(sureness: float) -> float:
    """The rank from which a confidence of what waits for review was made."""
    share = min(max((sureness - _LOWEST) / _BAND, _LEAST_SHARE), 1 - _LEAST_SHARE)
    return math.log(share / (1 - share))


def sureness_of(rank: float) -> float:
    """The confidence of a memory that waits, from its rank."""
    return round(_LOWEST + _BAND / (1 + math.exp(-rank)), 5)


def tells_nothing(content: str, words: str) -> bool:
    """Whether the text of a memory is an order or a question alone, of which nothing is known but
    which files were changed."""
    if not (is_task(words) or is_asking(words)):
        return False
    lines = content.splitlines()
    return lines[0].startswith(_SAID) and not any(one.startswith(_OUTCOMES) for one in lines)
