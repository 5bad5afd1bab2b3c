"""Interface between research and memos: find memos about a question, keep an answer as one.

Memos live in another package; any implementation of these protocols will do.
"""

from collections.abc import Sequence
from typing import Protocol

from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Space


class MemoPointer(Protocol):
    """The fields of a memo that research reads: its events. Their text is always read anew."""

    @property
    def id(self) -> str:
        """Id of the memo."""
        ...

    @property
    def summary(self) -> str:
        """Summary of its topic."""
        ...

    @property
    def anchors(self) -> tuple[str, ...]:
        """Ids of the events that it points at."""
        ...


class MemoMatch(Protocol):
    """A memo found for a question; a score over 0.9 means that it is the same question."""

    @property
    def memo(self) -> MemoPointer:
        """The memo."""
        ...

    @property
    def score(self) -> float:
        """Similarity, from 0 to 1."""
        ...


class MemoLookup(Protocol):
    """Finds and keeps memos."""

    def search(
        self, viewer: Viewer, space: Space, question: str, limit: int
    ) -> Sequence[MemoMatch]:
        """The memos about a question that the viewer may see, the most similar first."""
        ...

    def from_answer(
        self,
        viewer: Viewer,
        space: Space,
        question: str,
        answer: str,
        events: Sequence[str],
        *,
        confidence: float,
    ) -> MemoPointer | None:
        """Keep a good answer as a memo, or raise the memo of the same question; None where neither
        is done.
        """
        ...
