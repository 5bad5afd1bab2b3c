"""MCP tools about the people of a space: messages, memos, conversations, experts."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from recollect.engine import Recollect
from recollect.engine.for_surfaces import FRAME
from recollect.surfaces.mcp.answers import citation_day, event_line, found_lines, shortened
from recollect.surfaces.mcp.source import MemorySource, OpenMemory
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import Event, EventKind
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.results import Filters
from recollect.vocabulary.workspace import Expert, MemoHit

LARGEST_PAGE: Final = 25
LARGEST_WINDOW: Final = 100
_SHORT: Final = 300
#: Results that are read for each message of an answer: many are steps of agents.
_READ: Final = 8
_MOST_READ: Final = 100
#: Origins of messages that no person wrote.
_PROGRAMS: Final = frozenset(
    {"agent", "assistant", "tool", "harness", "command", "repository", "memory"}
)
_FILTERS: Final = frozenset({"from", "in", "before", "after", "hasCode"})
NOTHING: Final = "Nothing about this was said that you may read."


class WorkspaceTools:
    """Tools that the server offers about the people of a space."""

    def __init__(self, memory: Recollect | MemorySource) -> None:
        self._source = OpenMemory(memory) if isinstance(memory, Recollect) else memory

    @property
    def _memory(self) -> Recollect:
        """Memory to read from."""
        return self._source.reading()

    def search_messages(
        self, query: str, filters: dict[str, Any] | None = None, limit: int = 10
    ) -> str:
        """Find past messages of people, in their own words.

        filters may hold from (an author; an agent's words are found only by its name), in (a
        stream's name), before and after (YYYY-MM-DD), and hasCode (true: only messages with code).
        """
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        given = _checked(filters or {})
        narrow = Filters(
            authors=frozenset(() if "from" not in given else (str(given["from"]).lstrip("@"),)),
            streams=frozenset(() if "in" not in given else (self._stream(given["in"]),)),
            created_after=_day(given.get("after")),
            created_before=_day(given.get("before")),
        )
        coded = bool(given.get("hasCode"))
        found = self._memory.recall(
            query, kinds="event", filters=narrow, limit=max(size, min(size * _READ, _MOST_READ))
        ).found
        found = tuple(
            one
            for one in found
            if ("from" in given or _is_of_person(one.item)) and not (coded and "`" not in one.text)
        )[:size]
        return "\n".join([FRAME, *found_lines(found, 1)]) if found else NOTHING

    def search_memos(self, query: str, topics: list[str] | None = None, limit: int = 5) -> str:
        """Find conversations that were kept as knowledge. Over 0.90, it is the same question."""
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        hits = self._memory.workspace.search_memos(query, limit=size, topics=topics or ())
        return "\n".join([FRAME, *map(_hit, hits)]) if hits else "No memo is about this."

    def get_conversation_context(
        self,
        eventId: str,  # noqa: N803 - the names on the wire
        beforeCount: int | None = None,  # noqa: N803
        afterCount: int | None = None,  # noqa: N803
    ) -> str:
        """Get the conversation around a message, separated from others in the same stream.

        With beforeCount or afterCount: so many messages of the stream around it instead.
        """
        memory = self._memory
        if beforeCount is None and afterCount is None:
            spoken = memory.workspace.conversation(eventId).events
        else:
            before = whole(10 if beforeCount is None else beforeCount, 0, LARGEST_WINDOW, "Before")
            after = whole(5 if afterCount is None else afterCount, 0, LARGEST_WINDOW, "After")
            window = memory.window(eventId, before=before, after=after)
            spoken = (*window.before, window.event, *window.after)
        return "\n".join([FRAME, *(_marked(one, eventId) for one in spoken[-LARGEST_WINDOW:])])

    def find_expert(self, topic: str, limit: int = 5) -> str:
        """Who is likely to answer a question or knows about a topic, with what they said."""
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        found = self._memory.workspace.experts(topic, limit=size)
        return "\n".join([FRAME, *map(_expert, found)]) if found else NOTHING

    def _stream(self, name: object) -> str:
        return self._memory.workspace.stream(str(name).removeprefix("#")).id


def _checked(filters: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(filters) - _FILTERS)
    if unknown:
        raise InvalidInput(
            f"There is no filter {unknown[0]!r}.", hint=f"There are {', '.join(sorted(_FILTERS))}."
        )
    return {name: value for name, value in filters.items() if value not in (None, "")}


def _day(given: object) -> datetime | None:
    if given is None:
        return None
    try:
        return datetime.fromisoformat(str(given)).replace(tzinfo=UTC)
    except ValueError:
        raise InvalidInput(f"{given!r} is not a day.", hint="Write it YYYY-MM-DD.") from None


def _is_of_person(item: object) -> bool:
    """Whether an event is a message that a person wrote, no step of an agent's session."""
    return (
        isinstance(item, Event)
        and item.kind is EventKind.MESSAGE
        and str(item.payload.get("origin", "")).lower() not in _PROGRAMS
    )


def _hit(hit: MemoHit) -> str:
    memo = hit.memo
    topics = f" ({', '.join(memo.topics)})" if memo.topics else ""
    lines = [
        f"[memo {short_id(memo.id)}] {hit.score:.2f} {shortened(memo.summary, _SHORT)}{topics}"
    ]
    lines += [
        f"  [event {quote.event_id}] {citation_day(quote)} {quote.author} in {quote.stream}: "
        f"{shortened(quote.text, _SHORT)}"
        for quote in memo.quotes[:3]
        if quote.text
    ]
    return "\n".join(lines)


def _marked(event: Event, asked: str) -> str:
    return f"{'> ' if event.id == asked else ''}{event_line(event)}"


def _expert(one: Expert) -> str:
    proof = f"{one.answered} answers, {one.cited} cited, {one.helpful} helpful"
    lines = [f"{one.user} ({one.score:.2f}): {proof}"]
    lines += [
        f"  [event {sample.event_id}] {sample.at:%Y-%m-%d}: {shortened(sample.preview, _SHORT)}"
        for sample in one.samples
    ]
    return "\n".join(lines)
