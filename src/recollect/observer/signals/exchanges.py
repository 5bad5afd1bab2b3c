"""Which turns of a user belong together, and what became of each.

Short turns that follow each other soon and go on with each other are one exchange: neither stands
alone, together they say what was wished, and of what. A turn may take the one before back.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.observer.names import are_related
from recollect.observer.signals.wishes import is_empty
from recollect.observer.turn_words import is_go_ahead, overturns

#: A commit within so many turns may tell what became of a turn.
SOON_COMMITTED: Final = 3
#: So many turns may be one exchange, when they are so near and so short.
TOGETHER: Final = 4
NEAR_STEPS: Final = 25
ALONE: Final = 320
CURT: Final = 40
#: What stops the work and does not let it go on.
_HALTING: Final = re.compile(r"^(?:no|stop|wait|sorry)\b", re.I)
#: How a turn begins that goes on with the one before it.
GOING_ON: Final = re.compile(
    r"^(?:and|but|or|so|also|then|that|this|these|those|it|they|what about|same|yes|yeah|hm+|wait|"
    r"because|ah|oh|right|isn't|wouldn't|why)\b",
    re.I,
)


def folded(turns: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns without those that only let the agent go on: what it stated and did on them came
    of the turn before."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        words = str(turn["words"])
        goes_on = is_go_ahead(words) and not _HALTING.match(words)
        if found and goes_on and not is_refusal(turn):
            found[-1] = _with(found[-1], turn)
        else:
            found.append(turn)
    return found


def _with(before: Mapping[str, Any], turn: Mapping[str, Any]) -> dict[str, Any]:
    symbols = {**before.get("symbols", {})}
    for path, names in turn.get("symbols", {}).items():
        symbols[path] = list(dict.fromkeys([*symbols.get(path, ()), *names]))
    ended = any(one["event"] == turn.get("last") for one in turn["stated"])
    return {
        **before,
        "edited": list(dict.fromkeys([*before["edited"], *turn["edited"]])),
        "symbols": symbols,
        "changed": turn.get("changed", before.get("changed", 0)),
        "stated": [*before["stated"], *turn["stated"]],
        "commits": [*before.get("commits", ()), *turn.get("commits", ())],
        "last": turn.get("last") if ended else before.get("last"),
        "let_go_on": True,
    }


def settled(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns, each with the commit that its changes went into and what it took back.

    What an agent stated on a turn that the next one took back is not stated any more.
    """
    found: list[dict[str, Any]] = []
    for place, turn in enumerate(turns):
        words = str(turn["words"])
        spoken = [one for one in found if not is_empty(str(one["words"]))]
        taken = spoken[-1] if spoken and overturns(words) else None
        if taken is not None and not taken["first"]:
            taken["stated"], taken["answer"], taken["edited"] = [], "", []
        before = "" if taken is None else str(taken["words"])
        commit = _commit(turn, turns[place : place + SOON_COMMITTED])
        found.append({**turn, "overturns": before, "commit": commit})
        if taken is not None:
            found[-1]["overturned"] = taken["event"]
    return found


def _commit(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """The commit that tells what became of a turn's changes: soon after it, in words alike."""
    if not turn["edited"]:
        return None
    about = " ".join([str(turn["words"]), *turn["edited"]])
    for one in later:
        for subject, rest in one.get("commits", ()):
            if are_related(about, subject):
                return str(subject), str(rest)
    return None


def _goes_on(words: str, before: Mapping[str, Any]) -> bool:
    """Whether a turn goes on with the one before, by how it begins or by what both name."""
    if len(words) < CURT or GOING_ON.match(words):
        return True
    return are_related(words, str(before["words"]))


def exchanges(turns: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Turns that belong together: one that follows soon and says little goes with the one before.

    Neither stands alone; together they say what was wished, and of what.
    """
    exchange: list[dict[str, Any]] = []
    for turn in turns:
        if exchange and not (len(exchange) < TOGETHER and _follows(turn, exchange[-1])):
            yield exchange
            exchange = []
        exchange.append(turn)
    if exchange:
        yield exchange


def _follows(turn: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    if before["first"] or is_refusal(turn):
        return False
    words = str(turn["words"])
    if turn["overturns"]:
        return True
    near = int(turn["step"]) - int(before["step"]) <= NEAR_STEPS and _goes_on(words, before)
    long = len(str(before["words"])) > ALONE or len(str(turn["words"])) > ALONE
    return near and not long


def is_refusal(turn: Mapping[str, Any]) -> bool:
    return bool(turn.get("refused") or turn.get("late"))
