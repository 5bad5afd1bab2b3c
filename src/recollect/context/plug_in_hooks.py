"""The hooks of a session's methodology, each optional, guarded and called where its work is done.

A methodology may word the notes that a stage is handed and the state that work goes on from,
extract that state from the agent's last words, and act when a unit of work is complete.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.context.fact_lines import MARK, QUOTED, plain
from recollect.memories.plug_in_guard import PlugInGuard
from recollect.trust.secrets import redacted, redacted_values
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.methodologies import Methodology, TableMethodology, hook_of
from recollect.vocabulary.phases import Phase

#: Longest text that a methodology may word, and longest state that it may extract.
_LONGEST: Final = 4_000


@dataclass(slots=True)
class PlugInHooks:
    """The hooks of one methodology for one session."""

    method: Methodology
    guard: PlugInGuard = field(default_factory=PlugInGuard)

    def phase(self, stage: str) -> Phase:
        """The phase of a stage; a stage that the methodology fails at explores."""
        if isinstance(self.method, TableMethodology):
            return self.method.phase_of(stage)
        found = self.guard.call(
            self.method.id, "phase_of", lambda: self.method.phase_of(stage), Phase
        )
        return found or Phase.EXPLORE

    def unit(self, context: Mapping[str, str]) -> WorkUnit | None:
        """The unit of work that a context names, if any."""
        if isinstance(self.method, TableMethodology):
            return self.method.work_unit(context)
        unit = self.guard.call(
            self.method.id, "work_unit", lambda: self.method.work_unit(context), WorkUnit
        )
        return unit if unit is not None and unit.hierarchy else None

    def relay(self, memories: Sequence[Memory], to_stage: str) -> str:
        """Handed over notes in the words of the methodology; empty where it has none."""
        words = self._words("format_relay_context", lambda hook: hook(list(memories), to_stage))
        return self._framed("handed on by an earlier stage", words) if memories and words else ""

    def work_state(self, memory: Memory) -> str:
        """A work state in the words of the methodology; empty where it has none, or where the state
        is of another methodology."""
        unit, extras = memory.work_unit, memory.extras
        of = unit.methodology if unit is not None else extras.get("methodology")
        if of != self.method.id:
            return ""
        own = extras.get("own") or {}
        state = {name: value for name, value in extras.items() if name != "own"} | dict(own)
        return self._words("format_work_state_context", lambda hook: hook(state))

    def extracted(self, session_output: str) -> dict[str, Any]:
        """The state that the methodology reads out of the agent's last words."""
        hook = hook_of(self.method, "extract_work_state")
        if hook is None or not session_output:
            return {}
        found: Mapping[str, Any] | None = self.guard.call(
            self.method.id,
            "extract_work_state",
            lambda: hook(session_output),
            Mapping,  # type: ignore[type-abstract]
        )
        if not found:
            return {}
        try:
            text = json.dumps({str(name): value for name, value in found.items()})
        except (TypeError, ValueError):
            self.guard.report(self.method.id, "extract_work_state", "answered with no JSON")
            return {}
        if len(text) > _LONGEST:
            self.guard.report(self.method.id, "extract_work_state", "answered with too much")
            return {}
        return dict(redacted_values(json.loads(text)))

    def complete(self, context: Mapping[str, Any], result: object, memory: object) -> None:
        """Tell the methodology that a unit of work is complete; ``memory`` has ``remember``."""
        hook = hook_of(self.method, "on_work_unit_complete")
        if hook is not None:
            name = "on_work_unit_complete"
            self.guard.call(self.method.id, name, lambda: hook(context, result, memory), object)

    def _words(self, name: str, ask: Callable[[Any], Any]) -> str:
        hook = hook_of(self.method, name)
        if hook is None:
            return ""
        words = self.guard.call(self.method.id, name, lambda: ask(hook), str)
        lines = (plain(line) for line in redacted(words or "")[:_LONGEST].splitlines())
        return "\n".join(line for line in lines if line)

    def _framed(self, what: str, words: str) -> str:
        return f"{MARK}: {what} ({QUOTED}; worded by {plain(self.method.name)}):\n{words}"
