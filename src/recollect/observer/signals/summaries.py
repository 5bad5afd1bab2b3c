"""The agent's last message of a turn, in the sentences that report how the turn ended.

A person who reviews a memory needs the outcome beside the words that led to it. Questions,
announcements and what may repeat outside text are no outcome.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from recollect.observer.diagnoses import is_aside, sentences_of
from recollect.observer.signals.claims import bare
from recollect.observer.signals.rejections import is_rejected

#: Characters told of a summary, and the fewest of a sentence in it.
ROOM: Final = 400
_SHORTEST: Final = 25


class TurnSummary(NamedTuple):
    """What the agent reported at the end of a turn, and the events in which it did."""

    events: tuple[str, ...]
    text: str


def summary_of(turn: Mapping[str, Any], told: str) -> TurnSummary | None:
    """Sentences of the last messages of a turn that are not told already; None if there are
    none."""
    events: list[str] = []
    kept: list[str] = []
    for event, text, repeats in () if turn.get("refuted") else turn.get("summaries", ()):
        found = [] if repeats is not None else _reported(str(text), f"{told} {' '.join(kept)}")
        found = [one for one in found if not is_rejected(one, turn)]
        kept += found
        events += [str(event)] if event and found else []
    return TurnSummary(tuple(events), " ".join(kept)) if kept else None


def _reported(text: str, told: str) -> list[str]:
    """Sentences of a message that report something, from its beginning, up to the limit."""
    kept: list[str] = []
    room = ROOM
    for line in sentences_of(text):
        sentence = bare(line).rstrip(".")
        if len(sentence) < _SHORTEST or is_aside(sentence) or sentence.endswith(("?", ":")):
            continue
        if sentence not in told and len(sentence) < room:
            kept.append(f"{sentence}.")
            room -= len(sentence) + 2
    return kept
