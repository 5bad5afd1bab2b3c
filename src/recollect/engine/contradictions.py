"""Contradictions as verbs of one space: list them, decide them."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.contradictions import Contradiction
from recollect.vocabulary.pagination import Page


class Contradictions(View):
    """Memories that cannot both hold, with both texts and dates, and what was decided."""

    @repeatable
    def list(
        self,
        *,
        resolved: bool = False,
        memory: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Contradiction]:
        """Open contradictions, or decided ones, newest first; of one memory, if it is named."""
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

    def resolve(
        self,
        contradiction_id: str,
        resolution: str,
        *,
        note: str | None = None,
        text: str | None = None,
    ) -> Contradiction:
        """Decide one: a_wins, b_wins, both, or merged with the text that takes their place."""
        return self._services.contradictions().resolve(
            self.viewer, self.space, contradiction_id, resolution, note=note, text=text
        )
