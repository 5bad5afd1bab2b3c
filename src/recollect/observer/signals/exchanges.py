"""Groups a user's turns into exchanges, and determines the outcome of each turn.

Short turns that follow each other closely and continue each other are one exchange: alone they are
incomplete, together they state a wish and its subject. A turn may retract the previous one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.observer.names import are_related
from recollect.observer.names import words as words_of
from recollect.observer.signals.wishes import is_empty
from recollect.observer.turn_words import is_go_ahead, overturns

#: Number of later turns in which a commit may show the outcome of a turn.
SOON_COMMITTED: Final = 3
#: Limits of an exchange: number of turns, steps between them, and characters of a turn.
TOGETHER: Final = 4
NEAR_STEPS: Final = 25
ALONE: Final = 320
CURT: Final = 40
#: Number of last messages kept of a turn and the go-aheads that followed it.
SUMMARIES: Final = 2
#: Share of the words of the shorter of two turns from which one is a draft of the other, and the
#: number of them.
ALIKE: Final = 0.8
_DRAFT_WORDS: Final = 4
#: Words that stop the work rather than let it continue.
_HALTING: Final = re.compile(r"^(?:no|stop|wait|sorry)\b", re.I)
#: Beginning of a turn that continues the previous one.
GOING_ON: Final = re.compile(
    r"^(?:and|but|or|so|also|then|that|this|these|those|it|they|what about|same|yes|yeah|hm+|wait|"
    r"because|ah|oh|right|isn't|wouldn't|why)\b",
    re.I,
)


def folded(turns: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns without mere go-aheads and without drafts; what the agent stated and did after a
    go-ahead belongs to the turn before it."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        words = str(turn["words"])
        goes_on = is_go_ahead(words) and not _HALTING.match(words)
        if found and goes_on and not is_refusal(turn):
            found[-1] = _with(found[-1], turn)
        elif found and _is_draft(found[-1], words):
            drafts = [*found[-1].get("drafts", ()), found[-1]["event"]]
            found[-1] = {**turn, "first": found[-1]["first"], "drafts": drafts}
        else:
            found.append(turn)
    return found


def _is_draft(before: Mapping[str, Any], words: str) -> bool:
    """Whether a user stopped an agent that had not begun and typed the same words again."""
    if before["edited"] or before["stated"] or before["answer"] or is_refusal(before):
        return False
    mine, theirs = set(words_of(str(before["words"]))), set(words_of(words))
    return len(mine & theirs) >= max(_DRAFT_WORDS, ALIKE * min(len(mine), len(theirs)))


def _with(before: Mapping[str, Any], turn: Mapping[str, Any]) -> dict[str, Any]:
    symbols = {**before.get("symbols", {})}
    for path, names in turn.get("symbols", {}).items():
        symbols[path] = list(dict.fromkeys([*symbols.get(path, ()), *names]))
    ended = any(one["event"] == turn.get("last") for one in turn["stated"])
    return {
        **before,
        "edited": list(dict.fromkeys([*before["edited"], *turn["edited"]])),
        "symbols": symbols,
        "brought": [*before.get("brought", ()), *turn.get("brought", ())],
        "changed": turn.get("changed", before.get("changed", 0)),
        "stated": [*before["stated"], *turn["stated"]],
        "commits": [*before.get("commits", ()), *turn.get("commits", ())],
        "last": turn.get("last") if ended else before.get("last"),
        "summaries": [*before.get("summaries", ()), *turn.get("summaries", ())][-SUMMARIES:],
        "let_go_on": True,
    }


def settled(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns, each with the commit that contains its changes and with the words that it retracted.

    A retracted turn loses its statements, answer, summaries and edits, unless it was the first of
    the session.
    """
    found: list[dict[str, Any]] = []
    for place, turn in enumerate(turns):
        words = str(turn["words"])
        spoken = [one for one in found if not is_empty(str(one["words"]))]
        taken = spoken[-1] if spoken and overturns(words) else None
        if taken is not None and not taken["first"]:
            taken["stated"], taken["answer"], taken["edited"] = [], "", []
            taken["summaries"], taken["brought"] = [], []
        before = "" if taken is None else str(taken["words"])
        commit = _commit(turn, turns[place : place + SOON_COMMITTED])
        found.append({**turn, "overturns": before, "commit": commit})
        if taken is not None:
            found[-1]["overturned"] = taken["event"]
    return found


def _commit(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """Commit that shows the outcome of a turn's changes: soon after it and in similar words."""
    if not turn["edited"]:
        return None
    about = " ".join([str(turn["words"]), *turn["edited"]])
    for one in later:
        for subject, rest in one.get("commits", ()):
            if are_related(about, subject):
                return str(subject), str(rest)
    return None


def _goes_on(words: str, before: Mapping[str, Any]) -> bool:
    """Whether a turn continues the previous one, by its beginning or by shared names."""
    if len(words) < CURT or GOING_ON.match(words):
        return True
    return are_related(words, str(before["words"]))


def exchanges(turns: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Group turns into exchanges: a short turn that follows soon joins the previous one.

    Alone they are incomplete; together they state a wish and its subject.
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
