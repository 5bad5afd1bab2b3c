"""What a session is given around a tool: before a command, beside a result, after a failure."""

from collections.abc import Mapping
from typing import Any, Final

from recollect.context import planner
from recollect.context.fact_lines import MARK, QUOTED, facts
from recollect.context.injection_points import Points
from recollect.context.memory_lookup import WARNINGS
from recollect.context.recorder import EDITS, READS, SEARCHES, main_argument
from recollect.observer.phrases import shortened
from recollect.trust.quoted_text import marks_on
from recollect.vocabulary.agents import Point
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.phases import Phase

_PATTERN: Final = 4


class ToolPoints(Points):
    """The points around tools."""

    def augment_tool_result(
        self, tool: str, arguments: Mapping[str, Any], result: str, *, failed: bool = False
    ) -> str:
        """The result with what memory knows of its file, or of the failure."""
        if tool in SEARCHES and not failed:
            added = self.search_context(arguments, result)
        else:
            added = self.tool_context(tool, arguments, result, failed=failed)
        return f"{result}\n\n{added}" if added else result

    def tool_context(
        self, tool: str, arguments: Mapping[str, Any], result: str = "", *, failed: bool = False
    ) -> str:
        """Only what memory would add to a tool's result."""

        def work() -> tuple[str, list[Memory]]:
            found = self._known_failures(arguments, result) if failed else []
            paths = self.recorder.paths(tool, arguments)
            if paths and (tool in READS or tool in EDITS):
                found += self._services.teller.of_files(self._who, self._level, paths, limit=4)
            fresh = list({one.id: one for one in self._recent.fresh(found)}.values())
            text, told = facts(f"{MARK} notes on this:", fresh[:4])
            return (text, told) if text or not failed else (self._once_fixed(result), [])

        return self._serve(Point.TOOL_RESULT, work) or ""

    def search_context(self, arguments: Mapping[str, Any], result: str) -> str:
        """Where an earlier session went on after the same search, if that is not plain to see."""
        pattern = str(arguments.get("pattern") or "")

        def work() -> tuple[str, list[Memory]]:
            path = self._services.landing(self._who, pattern) if len(pattern) >= _PATTERN else None
            if path is None or pattern in self._recent.searched or len(result.split()) <= 1:
                return "", []
            self._recent.searched.add(pattern)
            words = shortened(pattern, 80)
            said = f"an earlier session that searched for `{words}` went on in `{path}`"
            return f"{MARK}: {said}.", []

        return self._serve(Point.TOOL_RESULT, work) or ""

    def command_context(self, arguments: Mapping[str, Any]) -> str:
        """What is known of a command that is about to run."""
        command = main_argument(arguments)

        def work() -> tuple[str, list[Memory]]:
            types = (*WARNINGS, MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT)
            found = self._services.teller.asked(
                self._who, self._level, command, types=types, phase=self.phase, limit=8
            )
            named = [one for one in found if planner.names_command(one, command)]
            return facts(f"{MARK} notes on this command:", self._recent.fresh(named)[:3])

        return self._serve(Point.TOOL_RESULT, work) or ""

    def _once_fixed(self, error: str) -> str:
        """What helped an earlier session against the same failure; said once."""
        words = self._services.fix(self._who, error)
        if words is None or words in self._recent.searched:
            return ""
        self._recent.searched.add(words)
        marks = "; ".join((QUOTED, *marks_on(words, foreign=True)))
        return f"{MARK}, from an earlier session ({marks}): {shortened(words, 500)}"

    def _known_failures(self, arguments: Mapping[str, Any], error: str) -> list[Memory]:
        command = main_argument(arguments)
        question = f"{command} {error[:600]}"
        found = self._services.teller.asked(
            self._who, self._level, question, types=WARNINGS, phase=Phase.REFINE, limit=6
        )
        return [one for one in found if planner.bears_on(one, command, error)]
