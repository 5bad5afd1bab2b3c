"""Which statements of an agent still stood when its session ended.

An agent's first answer is often not its last. What a later turn of the user put right, what the
agent found to be otherwise, and ways that it laid out without an answer are not told as findings.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.observer.diagnoses import names_in
from recollect.observer.names import are_related
from recollect.observer.signals.wishes import is_correcting
from recollect.observer.turn_words import has_understood, has_yielded, is_go_ahead, is_undoing

#: A turn or a statement within so many turns may take a statement back.
REACH: Final = 8
#: So much of a turn that puts an answer right is looked at.
OBJECTION: Final = 400
#: Two statements that name so many things alike speak of the same.
NAMED: Final = 2
#: A turn that undoes something speaks of what shares so many words with it.
ALIKE: Final = 2
#: How an agent says that something is otherwise than it had said.
_REVERSING: Final = re.compile(
    r"^(?:actually|wait|hmm|oh|ah|no)\b[,.! ]|"
    r"\b(?:turns? out|I was wrong|I misread|I misunderstood|my mistake|on second thought|"
    r"the (?:real|actual|true|underlying) (?:issue|problem|cause|reason|bug|root cause)|"
    r"(?:isn't|is not|wasn't|was not) (?:actually |really )?the (?:issue|problem|cause|bug|reason)|"
    r"not (?:actually )?(?:a|the) (?:bug|problem|issue)|after all|contrary to)\b",
    re.I,
)


def standing(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns, each with its statements marked that something later took back, with the words
    that put its answer right, and with whether the user let the agent go on after it."""
    found: list[dict[str, Any]] = []
    for place, turn in enumerate(turns):
        later = turns[place + 1 : place + 1 + REACH]
        accepted = bool(turn.get("let_go_on"))
        stated = turn["stated"]
        against = _put_right([one for one in later if not is_go_ahead(str(one["words"]))])
        marked = [
            {
                **one,
                "taken_back": _is_misled(later) or _is_otherwise(one, stated[at + 1 :], later),
                "against": against if one["event"] == turn.get("last") else "",
            }
            for at, one in enumerate(stated)
        ]
        undone = _is_reversed(turn, later)
        found.append({**turn, "stated": marked, "accepted": accepted, "reversed": undone})
    return found


def _is_reversed(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the user had undone later what was changed upon a turn."""
    if not turn["edited"]:
        return False
    for place, one in enumerate(later):
        words = str(one["words"])[:OBJECTION]
        if one["overturns"] or not is_undoing(words):
            continue
        shared = bool(set(turn["edited"]) & set(one["edited"]))
        if (not place and shared) or are_related(words, str(turn["words"]), ALIKE):
            return True
    return False


def _is_misled(later: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the agent says at the next turn that it had not understood what was meant."""
    return bool(later) and has_understood(str(later[0]["answer"]))


def _put_right(later: Sequence[Mapping[str, Any]]) -> str:
    """The user's next words where they put an answer right and the agent gave way."""
    if not later or not has_yielded(str(later[0]["answer"])):
        return ""
    words = str(later[0]["words"])[:OBJECTION]
    return words if is_correcting(words) else ""


def _is_otherwise(
    one: Mapping[str, Any],
    after: Sequence[Mapping[str, Any]],
    later: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether the agent itself said later that the same thing is otherwise."""
    named = _named(str(one["text"]))
    if len(named) < NAMED:
        return False
    for other in _statements(after, later):
        text = str(other["text"])
        if _REVERSING.search(text) and len(named & _named(text)) >= NAMED:
            return True
    return False


def _statements(
    after: Sequence[Mapping[str, Any]], later: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    yield from after
    for turn in later:
        yield from turn["stated"]


def _named(text: str) -> set[str]:
    return {name.lower() for name in names_in(text)}
