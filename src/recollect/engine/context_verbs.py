"""Context API: assemble one within a token budget, open what its index names, predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.arguments import checked_name, flag, shown, whole
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.results import DEFAULT_BUDGET, LARGEST_BUDGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.vocabulary.assembly import Assembled, ContextPrediction, ContextSignals
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.uses import UseCounts


class ContextVerbs(View):
    """Context for prompts, and how it was used."""

    @repeatable
    def assemble(
        self,
        budget: int = DEFAULT_BUDGET,
        signals: ContextSignals | Mapping[str, Any] | None = None,
        *,
        model: str | None = None,
        session: str | None = None,
        personal: bool = False,
    ) -> Assembled:
        """Assemble what matters now, in four tiers and within a token budget.

        ``signals`` describe the current work: task, current_file, files, modules, branch,
        recent_errors, activity, collaborators. ``model`` names whose tokenizer counts; default is
        the configured one. What did not fit is listed with the reason. ``personal`` asks for your
        personal memories too; without it only your wishes about answers and programs are given.
        """
        from recollect.vocabulary.assembly import signals_of

        return self._services.agents().assembler.assemble(
            (self.viewer, self.space),
            whole(budget, 0, LARGEST_BUDGET, "A budget has"),
            signals_of(signals),
            model=None if model is None else checked_name(model, "model"),
            session=None if session is None else checked_name(session, "session"),
            personal=flag(personal, "personal"),
        )

    @repeatable
    def predict(
        self, signals: ContextSignals | Mapping[str, Any] | None = None
    ) -> ContextPrediction:
        """Which memories will probably be needed: by file, branch, error, time of day, people.

        ``confidence`` is how often such predictions came true here.
        """
        from recollect.vocabulary.assembly import signals_of

        return self._services.agents().assembler.predict(
            (self.viewer, self.space), signals_of(signals)
        )

    @repeatable
    def expand(self, *memory_ids: str) -> tuple[Memory, ...]:
        """Open memories that an index names: each in full, by its id or the end of it."""
        reader = self._services.reader
        if not memory_ids or not all(isinstance(one, str) for one in memory_ids):
            raise InvalidInput(f"Give the ids of memories, not {shown(memory_ids)}.")
        ids = [reader.complete_id(self.viewer, self.space, one) for one in memory_ids]
        found = tuple(reader.get(self.viewer, self.space, one, None) for one in dict.fromkeys(ids))
        for one in found:
            self._services.serving.opened(self.space, one.id)
        return found

    @repeatable
    def uses(self, memory_id: str) -> Mapping[str, UseCounts]:
        """Uses of a memory by channel: recall, agents, assemble, research, chat."""
        complete = self._services.reader.complete_id(self.viewer, self.space, memory_id)
        kept = self._services.reader.get(self.viewer, self.space, complete, None)
        return self._services.usage.uses(self.viewer, self.space, kept.id)
