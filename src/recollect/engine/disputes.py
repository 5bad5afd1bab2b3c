"""Disputes API of one space: open, comment, escalate, resolve."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.disputes import Dispute
from recollect.vocabulary.pagination import Page


class Disputes(View):
    """``memory.disputes``: disputed memories, with comments and resolutions."""

    @repeatable
    def list(
        self,
        *,
        resolved: bool | None = False,
        memory: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Dispute]:
        """Open disputes, newest first; resolved ones, or all with None; of one memory, if named."""
        wanted = None if memory is None else self._id(memory)
        return self._services.people().disputes.page(
            self.viewer,
            self.space,
            resolved=resolved,
            memory_id=wanted,
            cursor=cursor,
            limit=limit,
        )

    @repeatable
    def get(self, dispute_id: str) -> Dispute:
        """One dispute with its thread."""
        return self._services.people().disputes.get(self.viewer, self.space, dispute_id)

    def open(self, memory_id: str, text: str) -> Dispute:
        """Dispute a memory and say why; its confidence counts four fifths until it is settled."""
        return self._services.people().disputes.open(
            self.viewer, self.space, self._id(memory_id), text
        )

    def comment(self, dispute_id: str, text: str) -> Dispute:
        """Comment on an open dispute."""
        return self._services.people().disputes.comment(self.viewer, self.space, dispute_id, text)

    def escalate(self, dispute_id: str, text: str | None = None) -> Dispute:
        """Let an owner of the space decide; for stewards, and for the person who opened it."""
        return self._services.people().disputes.escalate(self.viewer, self.space, dispute_id, text)

    def resolve(
        self,
        dispute_id: str,
        resolution: str,
        *,
        content: str | None = None,
        text: str | None = None,
    ) -> Dispute:
        """Settle a dispute: ``updated`` with new content, ``confirmed``, or ``withdrawn``."""
        return self._services.people().disputes.resolve(
            self.viewer, self.space, dispute_id, resolution, content=content, text=text
        )

    def _id(self, memory_id: str) -> str:
        return self._services.reader.complete_id(self.viewer, self.space, memory_id)
