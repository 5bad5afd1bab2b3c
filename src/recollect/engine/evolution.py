"""What runs at night, as verbs of one space."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport, NightUndone
from recollect.vocabulary.pagination import Page


class Evolution(View):
    """Run a night, consolidate, read what nights did, undo."""

    def run(self) -> NightReport:
        """Do a night now, or finish one that was begun; what it did."""
        self._services.serving.flush()  # what was served a moment ago counts as used
        return self._services.evolution().run(self.viewer, self.space)

    def consolidate(self, *, dry_run: bool = False) -> Consolidation:
        """Merge alike facts, shorten old episodes, forget what was superseded, find links."""
        self._services.serving.flush()
        return self._services.evolution().consolidate(self.viewer, self.space, dry_run=dry_run)

    @repeatable
    def reports(self, *, cursor: str | None = None, limit: int = 20) -> Page[NightReport]:
        """What the nights did, the last one first."""
        return self._services.evolution().reports(
            self.viewer, self.space, cursor=cursor, limit=limit
        )

    @repeatable
    def changes(self, night: str, *, limit: int = 100) -> tuple[NightChange, ...]:
        """What a night changed of what you may see, with the values before."""
        return self._services.evolution().changes(self.viewer, self.space, night, limit=limit)

    def undo(self, night: str, *, memory: str | None = None) -> NightUndone:
        """Undo a night, or what it did to one memory."""
        return self._services.evolution().undo(self.viewer, self.space, night, memory_id=memory)
