"""Which statements of an agent, and which changes, still stood when their session ended.

An agent's first answer is often not its last. Each turn is compared with the ones after it: what
the user put right, what the agent found to be otherwise, what was mended, deleted or moved away.
What was taken back is not told; what was mended is told as it was before, with the later account.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from recollect.observer.diagnoses import names_in, sentences_of
from recollect.observer.names import are_related, base, stem
from recollect.observer.signals.wishes import is_correcting
from recollect.observer.turn_words import (
    has_understood,
    has_yielded,
    is_go_ahead,
    is_objecting,
    is_undoing,
)

#: A turn or a statement within so many turns may take a statement back.
REACH: Final = 8
#: So much of a turn that puts an answer right is looked at.
OBJECTION: Final = 400
#: Two statements that name so many things alike speak of the same.
NAMED: Final = 2
#: A turn that undoes something speaks of what shares so many words with it.
ALIKE: Final = 2
#: So many later accounts are told with a turn that changed nothing itself.
ACCOUNTS: Final = 1
#: After so many turns, and changes, what nobody acted upon is hardly ever what stood in the end.
WENT_ON: Final = 5
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
    """The turns as they stood in the end.

    Each statement says whether something later took it back, with which words it was put right and
    which things were changed after it. A turn keeps the changes that were not undone, says whether
    all of them were, whether the user let the agent go on, and how a later turn ended its matter.
    """
    found: list[dict[str, Any]] = []
    for place, turn in enumerate(turns):
        after = turns[place + 1 :]
        later = after[:REACH]
        stated, changed = turn["stated"], _changed_names(after)
        marked = [
            {
                **one,
                "taken_back": _is_misled(later) or _is_otherwise(one, stated[at + 1 :], later),
                "against": _against(one, stated[at + 1 :], later),
                "changed": changed,
            }
            for at, one in enumerate(stated)
        ]
        kept = {path: _kept_symbols(path, turn, after) for path in turn["edited"]}
        edited = [path for path, names in kept.items() if names is not None]
        found.append(
            {
                **turn,
                "stated": marked,
                "edited": edited,
                "symbols": {path: kept[path] for path in edited},
                "accepted": bool(turn.get("let_go_on")),
                "reversed": _is_reversed(turn, later),
                "lost": bool(turn["edited"] and not edited and not turn["commit"]),
                "sequel": _sequel(turn, later),
                "went_on": len(after) >= WENT_ON and any(one["edited"] for one in after),
            }
        )
    return found


def _kept_symbols(
    path: str, turn: Mapping[str, Any], after: Sequence[Mapping[str, Any]]
) -> list[str] | None:
    """What a turn changed in a file and nothing later took away; None where nothing is left."""
    gone = [one for later in after for one in later.get("gone", ())]
    if any(not name and _is_same_file(path, other) for other, name in gone):
        return None
    names = list(turn.get("symbols", {}).get(path, ()))
    left = [name for name in names if [path, name] not in gone]
    return None if names and not left else left


def _is_same_file(path: str, other: str) -> bool:
    return path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")


def _changed_names(after: Sequence[Mapping[str, Any]]) -> list[str]:
    """What later turns changed: files by their own names, and what is declared in them."""
    found: dict[str, None] = {}
    for turn in after:
        for path in turn["edited"]:
            found.update(dict.fromkeys([base(path), stem(path)]))
            found.update(dict.fromkeys(turn.get("symbols", {}).get(path, ())))
    return [name.lower() for name in found]


def _sequel(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How a matter ended on which a turn itself changed nothing: the last statement of the next
    turn that changed something which this one speaks of."""
    if turn["edited"] or not turn["stated"]:
        return []
    named = {name for one in turn["stated"] for name in _named(str(one["text"]))}
    for other in later:
        last = [one for one in other["stated"] if one["event"] == other.get("last")]
        if not other["edited"] or not last or int(last[0]["step"]) < int(other.get("changed", 0)):
            continue
        if len(named & _named(str(last[0]["text"]))) >= NAMED:
            return [dict(one) for one in last[:ACCOUNTS]]
    return []


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


def _against(
    one: Mapping[str, Any],
    after: Sequence[Mapping[str, Any]],
    later: Sequence[Mapping[str, Any]],
) -> list[str]:
    """What was said later that may put a statement right: by the user, and by the agent itself."""
    spoken = [turn for turn in later if not is_go_ahead(str(turn["words"]))]
    found = [str(turn["words"])[:OBJECTION] for turn in spoken if _puts_right(turn)]
    if one.get("proposal") and spoken:
        found.append(str(spoken[0]["words"])[:OBJECTION])
    for other in _statements(after, later):
        found += _reversing(str(other["text"]))
    return found


@lru_cache(maxsize=2_000)
def _reversing(text: str) -> tuple[str, ...]:
    """The sentences of a statement that say that something is otherwise than it was said."""
    if not _REVERSING.search(text):
        return ()
    return tuple(one for one in sentences_of(text) if _REVERSING.search(one))


def _puts_right(turn: Mapping[str, Any]) -> bool:
    """Whether a turn of the user puts something right and the agent gives way."""
    words = str(turn["words"])[:OBJECTION]
    if not is_correcting(words) and not is_objecting(words):
        return False
    answer = str(turn["answer"])
    return has_yielded(answer) or has_understood(answer)


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
