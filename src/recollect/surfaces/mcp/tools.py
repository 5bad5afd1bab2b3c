"""The tools: each turns a request into one engine verb and answers in a few lines."""

from pathlib import Path
from typing import Any, Final

from recollect.engine import Recollect
from recollect.surfaces.mcp.answers import chip, explained, found_lines
from recollect.surfaces.mcp.code import asked, flow_text, impact_text, needs_text
from recollect.surfaces.mcp.source import MemorySource, OpenMemory
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.numbers import whole

LARGEST_PAGE: Final = 25
DEEPEST: Final = 200
NOTHING: Final = "Nothing about this is kept here."


class Tools:
    """What the server offers, on one memory."""

    def __init__(self, memory: Recollect | MemorySource, root: Path | None = None) -> None:
        self._source = OpenMemory(memory) if isinstance(memory, Recollect) else memory
        self._root = root

    @property
    def _memory(self) -> Recollect:
        """The memory, to read from."""
        return self._source.reading()

    def search_memory(
        self,
        query: str,
        *,
        limit: int = 5,
        cursor: str | None = None,
        type: str | None = None,
        file: str | None = None,
        events: bool = False,
    ) -> str:
        """Find what earlier sessions and people kept about something. Ask in words.

        type narrows to one kind (gotcha, decision, error_pattern, ...), file to one path from the
        repository's root. events=true also searches what was said and done, not only notes.
        """
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        start = _start(cursor)
        narrow: dict[str, Any] = {"type": type, "file": file}
        kinds = ("memory", "event") if events and not (type or file) else ("memory",)
        found = self._memory.recall(query, limit=start + size + 1, kinds=kinds, **narrow).found
        page = found[start : start + size]
        if not page:
            return NOTHING if start == 0 else "That was all."
        lines = found_lines(page, start + 1)
        if len(found) > start + size and start + size < DEEPEST:
            lines.append(f'More with cursor="{start + size}".')
        return "\n".join(lines)

    def record_memory(
        self,
        content: str,
        type: str = "fact",
        files: list[str] | None = None,
        tags: list[str] | None = None,
        session: str | None = None,
    ) -> str:
        """Keep one thing that the next session would have to find out again.

        type is one of gotcha, decision, preference, pattern, requirement, error_pattern,
        module_insight, dead_end, fact. files are paths from the repository's root.
        """
        memory = self._source.writing()
        known = self._known(content)
        if known is not None:
            return f"Known already as {chip(known)}."
        kept = memory.remember(
            content,
            type=type,
            files=files or (),
            tags=tags or (),
            session=session,
            source="agent_explicit",
            needs_review=memory.agents.trust().level < TrustLevel.CONFIDENT,
        )
        return f"Kept as {chip(kept)}."

    def get_session_context(self, task: str = "", files: list[str] | None = None) -> str:
        """What is known that bears on a task, and where earlier work stood. Call it once."""
        session = self._memory.session(task=task, root=self._root, agent="mcp")
        parts = [session.system_prompt(), session.first_message(files=False)]
        parts += [session.tool_context("Read", {"file_path": file}) for file in files or ()]
        return "\n\n".join(part for part in parts if part) or NOTHING

    def analyze_impact(self, target: str, depth: int = 3) -> str:
        """What may break when something changes: users, tests, linked notes.

        target is a path, a symbol, path:line, or the word diff for what is not committed yet.
        """
        steps = whole(depth, 1, 10, "A depth is")
        return asked(lambda: self._memory.code.impact(target, depth=steps), impact_text)

    def get_dependencies(self, target: str) -> str:
        """What a file or a symbol uses, and what uses it."""
        code = self._memory.code
        return asked(
            lambda: (code.dependencies(target), code.dependants(target)),
            lambda both: needs_text(*both),
        )

    def trace_data_flow(self, source: str, target: str | None = None) -> str:
        """How values get from one symbol to others, along calls."""
        return asked(lambda: self._memory.code.flow(source, target), flow_text)

    def forget_memory(self, id: str) -> str:
        """Put a note away because the user asked for it. 'recollect restore ID' brings it back."""
        put_away = self._memory.forget(id)
        if put_away is None:
            raise InvalidInput("Nothing was put away.")
        return f"Put away {chip(put_away)}. 'recollect restore {put_away.id}' brings it back."

    def explain_memory(self, id: str) -> str:
        """A note's whole text, where it came from, its evidence, relations and history."""
        memory = self._memory
        found = memory.get(id)
        if not isinstance(found, Memory):
            raise InvalidInput(f"{id} is an event, not a note.")
        return explained(
            found, memory.history(found.id), memory.relations(found.id), self._evidence(found)
        )

    def _known(self, content: str) -> Memory | None:
        """A memory that says just this already."""
        said = content.lower().split()
        for one in self._memory.recall(content[:2_000], limit=3, kinds=("memory",)):
            if isinstance(one.item, Memory) and one.item.content.lower().split() == said:
                return one.item
        return None

    def _evidence(self, found: Memory) -> list[Event]:
        """The events behind a memory that the viewer may read."""
        seen: list[Event] = []
        for event in found.provenance.events[:5]:
            try:
                item = self._memory.get(event)
            except EventNotFound:
                continue
            if isinstance(item, Event):
                seen.append(item)
        return seen


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdigit() or int(cursor) > DEEPEST:
        raise InvalidInput("That cursor is not one that a search gave.")
    return int(cursor)
