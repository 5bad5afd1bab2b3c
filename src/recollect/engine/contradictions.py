"""Contradictions API of one space: list and resolve."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.arguments import choice, flag
from recollect.vocabulary.contradictions import Contradiction
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.pagination import Page


class Contradictions(View):
    """Memories that cannot both be true, with both texts and dates, and their resolution."""

    @repeatable
    def list(
        self,
        *,
        resolved: bool = False,
        memory: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Contradiction]:
        """Open or resolved contradictions, newest first; of one memory, if named."""
        wanted = (
            None
            if memory is None
            else self._services.reader.complete_id(self.viewer, self.space, memory)
        )
        return self._services.contradictions().page(
            self.viewer,
            self.space,
            resolved=resolved,
            memory_id=wanted,
            cursor=cursor,
            limit=limit,
        )

    @repeatable
    def get(self, contradiction_id: str) -> Contradiction:
        """One contradiction, open or resolved."""
        return self._services.contradictions().get(self.viewer, self.space, contradiction_id)

    def resolve(
        self,
        contradiction_id: str,
        resolution: str,
        *,
        note: str | None = None,
        text: str | None = None,
        source: str = "user_taught",
        needs_review: bool = False,
    ) -> Contradiction:
        """Resolve one: a_wins, b_wins, both, or merged with the text that replaces them.

        ``source`` says who wrote that text, and ``needs_review`` that a person is to look at it.
        """
        return self._services.contradictions().resolve(
            self.viewer,
            self.space,
            contradiction_id,
            resolution,
            note=note,
            text=text,
            source=choice(Source, source, "source"),
            needs_review=flag(needs_review, "needs_review"),
        )

    def reopen(self, contradiction_id: str) -> Contradiction:
        """Take a resolution back: both memories are as before, and the question is open again.

        A memory that had merged both is archived.
        """
        return self._services.contradictions().reopen(self.viewer, self.space, contradiction_id)
