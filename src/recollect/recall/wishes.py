"""Standing wishes: preferences that a person stated once, served when that person asks for help.

"I prefer plain SQL to an ORM", said in March, has no word of "how should I store the orders?". So a
question for help, from a person whose own turns are known, brings their turns that state a wish;
nearness to the question decides among them, as for all others. The keyword index finds the turns
that hold a word of wishing; the text of the leading ones is then checked.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from recollect.index.analyser import query_terms
from recollect.recall.candidates import RecallCandidate
from recollect.recall.signals import CollectionSignals
from recollect.vocabulary.lazy_patterns import lazy_pattern

_WORDS: Final = (
    *("prefer", "preference", "rather", "always", "never", "whenever", "usually", "comfortable"),
    *("tend", "favor", "favour", "dislike", "ask"),
    *("préfère", "toujours", "jamais"),
)
_STATED: Final = lazy_pattern(
    r"\b(?:always|never)\b[^.!?\n]{0,120}\bwhen(?:ever)? (?:i|we)\b"
    r"|\bwhen(?:ever)? (?:i|we) (?:ask|request|inquire)"
    r"|\bfrom now on\b"
    r"|\b(?:i|we)(?: would|['\u2019]d)? (?:really |much |strongly |generally |usually )?prefer\b"
    r"|\b(?:i|we)(?: would|['\u2019]d) rather\b|\bmy preference\b"
    r"|\b(?:i|we)(?: a|['\u2019])(?:m|re) (?:more |most )?(?:comfortable|interested in)\b"
    r"|\b(?:i|we) (?:always|never|usually|tend to|like to|don['\u2019]t like)\b"
    r"|\b(?:i|we) (?:dislike|favou?r|value)\b"
    r"|\bje pr\u00e9f\u00e8re\b|\b(?:toujours|jamais)\b[^.!?\n]{0,120}\bquand je\b",
    re.I,
)


@cache
def wish_terms() -> tuple[str, ...]:
    """Terms of which a turn that states a wish holds at least one."""
    return tuple(dict.fromkeys(term for word in _WORDS for term in query_terms(word)))


def wishes(field: CollectionSignals) -> None:
    """Add a signal for the asker's own turns that may state a wish."""
    if field.own is None:
        return
    values = np.zeros(len(field), np.float32)
    for term in wish_terms():
        values[field.survey.postings[term][0]] = 1
    values *= field.own & field.survey.seen
    if values.any():
        field.signals["wish"] = values


def confirm_wishes(candidates: Sequence[RecallCandidate]) -> None:
    """Keep the signal only for candidates whose text does state a wish."""
    for one in candidates:
        if one.signals.get("wish") and not states_wish(one.text):
            one.signals["wish"] = 0.0


def states_wish(text: str) -> bool:
    """Whether the author of a text says what they want, prefer or usually do."""
    return _STATED.search(text) is not None
