"""Puts events that add nothing behind the other results: repeats of a text, and ends of sessions.

An agent is told "go on with the coupon" in many sessions. The best of these prompts keeps its
place, and the others follow everything else, so that they crowd no note out. Nothing is left out.
"""

from collections.abc import Sequence
from typing import Final

from recollect.recall.candidates import RecallCandidate

#: Whole texts of the events that end an agent's session.
_SESSION_ENDS: Final = frozenset({"success", "partial", "failure"})


def repeats_last(ordered: Sequence[RecallCandidate]) -> list[RecallCandidate]:
    """The candidates in their order, those that add nothing after all others."""
    first: list[RecallCandidate] = []
    last: list[RecallCandidate] = []
    seen = set(_SESSION_ENDS)
    for one in ordered:
        text = " ".join(one.text.split()).lower() if one.collection == "events" else ""
        (last if text and text in seen else first).append(one)
        seen.add(text)
    return first + last
