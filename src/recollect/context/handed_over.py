"""What one thread's answer is about to tell an agent, until it is known whether it arrived.

Hook processes of one session are answered at the same time, each by a thread of its own.
"""

from collections.abc import Sequence
from threading import local

from recollect.vocabulary.agents import Served


class HandedOver(local):
    """Tokens and memories of an answer on its way, for each thread apart."""

    def __init__(self) -> None:
        self._tokens = 0
        self._given: list[Served] | None = None  # none while nobody can say whether it arrives

    def begin(self) -> None:
        """A new answer: what was handed over before has arrived."""
        self._tokens, self._given = 0, []

    def add(self, tokens: int, given: Sequence[Served]) -> None:
        """Something that the answer tells."""
        if self._given is not None:
            self._tokens += tokens
            self._given += given

    def end(self) -> tuple[int, list[Served]]:
        """What the answer told, once."""
        told = self._tokens, self._given or []
        self._tokens, self._given = 0, None
        return told
