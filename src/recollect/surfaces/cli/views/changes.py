"""View of a memory's history: who changed what, and when."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.views.screen import Line, MarkedLine, Screen, StyledText
from recollect.surfaces.cli.views.words import one_line

if TYPE_CHECKING:
    from recollect.vocabulary.memory import HistoryEntry

_TEXTS: Final = ("content", "summary", "compressed", "index")
_WORDS: Final = {"confidence": "had its confidence changed", "related": "was related"}


def history(screen: Screen, entries: Sequence["HistoryEntry"]) -> None:
    """Every change, oldest first."""
    screen.entries(
        [
            MarkedLine(StyledText(f"{entry.revision}", "bold"), list(_change(screen, entry)))
            for entry in entries
        ]
    )


def _change(screen: Screen, entry: "HistoryEntry") -> Iterator[Line]:
    action = _WORDS.get(entry.action, entry.action)
    yield [StyledText(action, "bold"), StyledText(f" by {entry.actor}, "), screen.when(entry.at)]
    for name, (old, new) in entry.edited_fields.items():
        if name in _TEXTS and old and new:
            yield from _rewording(name, str(old), str(new))
        elif isinstance(old, list) and isinstance(new, list):
            yield [StyledText(f"{name} ", "dim"), *_members(old, new)]
        else:
            yield [StyledText(f"{name} ", "dim"), *_replacement(old, new)]


def _rewording(name: str, old: str, new: str) -> Iterator[Line]:
    """Two lines, old and new, with the differing words highlighted."""
    before, after = old.split(), new.split()
    gone: list[StyledText] = [StyledText(f"{name} ", "dim"), StyledText("- ", "red")]
    come: list[StyledText] = [StyledText(f"{name} ", "dim"), StyledText("+ ", "green")]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        same = tag == "equal"
        if end > start:
            gone.append(StyledText(" ".join(before[start:end]) + " ", "" if same else "bold red"))
        if new_end > new_start:
            come.append(
                StyledText(" ".join(after[new_start:new_end]) + " ", "" if same else "bold green")
            )
    yield gone
    yield come


def _members(old: Sequence[Any], new: Sequence[Any]) -> Line:
    gone = [StyledText(f"-{item} ", "red") for item in old if item not in new]
    come = [StyledText(f"+{item} ", "green") for item in new if item not in old]
    return [*gone, *come] or [StyledText("in another order", "dim")]


def _replacement(old: Any, new: Any) -> Line:
    return [
        StyledText(_value_text(old), "red"),
        StyledText(" → ", "dim"),
        StyledText(_value_text(new), "green"),
    ]


def _value_text(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else one_line(str(value))
