"""What research wants of memos: find those about a question, and keep a good answer as one.

Memos live in another package; whatever fits these protocols can stand in.
"""

from collections.abc import Sequence
from typing import Protocol

from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Space


class MemoPointer(Protocol):
    """A memo, as far as research reads it: the events it points at. Their words are read anew."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def summary(self) -> str:
        """What it is about."""
        ...

    @property
    def anchors(self) -> tuple[str, ...]:
        """The events it points at."""
        ...


class MemoMatch(Protocol):
    """A memo that a question found; a score over 0.9 says that it is the same question."""

    @property
    def memo(self) -> MemoPointer:
        """The memo."""
        ...

    @property
    def score(self) -> float:
        """How alike, from 0 to 1."""
        ...


class MemoLookup(Protocol):
    """Finds and keeps memos."""

    def search(
        self, viewer: Viewer, space: Space, question: str, limit: int
    ) -> Sequence[MemoMatch]:
        """The memos about a question that the viewer may see, the most alike first."""
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
        """Keep a good answer, or lift the memo of the same question; None where neither is done."""
        ...
