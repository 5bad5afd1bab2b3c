"""Decides between two steps whether an agent should be given a note now.

Three triggers, in this order: the agent just touched a file with warnings it has not seen; a new
memory was written in this session; the agent searches for something that memory already knows. Each
trigger gives at most one note, and no note is given twice.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.context.fact_lines import MARK, NO_MARKS, facts
from recollect.vocabulary.memory import Memory

#: First step at which triggers run; before it, the opening context suffices.
FIRST_STEP: Final = 5
RECENT: Final = 5
_SEARCHES: Final = 3


@dataclass(frozen=True, slots=True)
class Touch:
    """A tool call, reduced to what the triggers examine."""

    paths: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(slots=True)
class Recent:
    """The last few calls, the memories given already, and those written meanwhile."""

    calls: deque[Touch] = field(default_factory=lambda: deque(maxlen=RECENT))
    told: set[str] = field(default_factory=set)
    notes: list[Memory] = field(default_factory=list)
    searched: set[str] = field(default_factory=set)
    warned: set[str] = field(default_factory=set)

    def unwarned(self, memories: Sequence[Memory]) -> list[Memory]:
        """Memories not yet given beside a tool. A memory from the opening context may be far back
        by the time it matters, so it is given once more there."""
        return [memory for memory in memories if memory.id not in self.warned]

    def files(self) -> list[str]:
        """Files of the last few calls, oldest first."""
        return list(dict.fromkeys(path for call in self.calls for path in call.paths))

    def fresh(self, memories: Sequence[Memory]) -> list[Memory]:
        """Memories that were not given yet."""
        return [memory for memory in memories if memory.id not in self.told]


@dataclass(frozen=True, slots=True)
class Injection:
    """Note for the next step, and its trigger."""

    text: str
    trigger: str
    memories: tuple[Memory, ...]


#: Heading and memories of a note, and its trigger.
_Note = tuple[str, Sequence[Memory], str]


def decide(
    recent: Recent,
    of_files: Callable[[Sequence[str]], Sequence[Memory]],
    naming: Callable[[str], Sequence[Memory]],
    marks: Callable[[Sequence[Memory]], Mapping[str, str]] = lambda _: NO_MARKS,
) -> Injection | None:
    """The one note to give now, if there is any; ``marks`` are what is to be said of memories."""
    found = _warnings(recent, of_files) or _notes(recent) or _known(recent, naming)
    return None if found is None else _said(*found, marks)


def _warnings(
    recent: Recent, of_files: Callable[[Sequence[str]], Sequence[Memory]]
) -> _Note | None:
    touched = recent.files()
    if not touched:
        return None
    found = recent.fresh(of_files(touched))[:4]
    return _noted(f"{MARK} notes on files touched in the last steps:", found, "gotcha")


def _notes(recent: Recent) -> _Note | None:
    notes, recent.notes = recent.notes, []
    return _noted(f"{MARK} notes written down in this session:", recent.fresh(notes), "scratchpad")


def _known(recent: Recent, naming: Callable[[str], Sequence[Memory]]) -> _Note | None:
    patterns = [call.pattern for call in recent.calls if call.pattern][-_SEARCHES:]
    for pattern in patterns:
        if pattern in recent.searched:
            continue
        recent.searched.add(pattern)
        found = recent.fresh(naming(pattern))[:1]
        if found:
            return _noted(f"{MARK} already knows of what was searched for:", found, "search")
    return None


def _noted(heading: str, memories: Sequence[Memory], trigger: str) -> _Note | None:
    return (heading, memories, trigger) if memories else None


def _said(
    heading: str,
    memories: Sequence[Memory],
    trigger: str,
    marks: Callable[[Sequence[Memory]], Mapping[str, str]],
) -> Injection | None:
    text, kept = facts(heading, memories, marks=marks(memories))
    return Injection(text, trigger, tuple(kept)) if kept else None
