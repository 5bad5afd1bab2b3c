"""Nightly maintenance API of one space."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport, NightUndone
from recollect.vocabulary.pagination import Page


class Evolution(View):
    """Run a night, consolidate, read reports, undo."""

    def run(self) -> NightReport:
        """Run a night now, or finish an unfinished one; its report."""
        self._services.serving.flush()  # recently served memories count as used
        return self._services.evolution().run(self.viewer, self.space)

    def consolidate(self, *, dry_run: bool = False) -> Consolidation:
        """Merge similar facts, shorten old episodes, forget what was superseded, find links."""
        self._services.serving.flush()
        return self._services.evolution().consolidate(self.viewer, self.space, dry_run=dry_run)

    @repeatable
    def reports(self, *, cursor: str | None = None, limit: int = 20) -> Page[NightReport]:
        """Reports of the nights, the last one first."""
        return self._services.evolution().reports(
            self.viewer, self.space, cursor=cursor, limit=limit
        )

    @repeatable
    def changes(self, night: str, *, limit: int = 100) -> tuple[NightChange, ...]:
        """The changes of a night that you may see, with the values before."""
        return self._services.evolution().changes(self.viewer, self.space, night, limit=limit)

    def undo(self, night: str, *, memory: str | None = None) -> NightUndone:
        """Undo a night, or its changes of one memory."""
        return self._services.evolution().undo(self.viewer, self.space, night, memory_id=memory)
