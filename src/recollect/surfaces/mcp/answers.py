"""Text answers of the MCP tools: short lines, cut where long, with the call that shows the rest."""

from collections.abc import Sequence
from typing import Any, Final

from recollect.engine.for_surfaces import FRAME, attribution
from recollect.vocabulary.contradictions import Contradiction, reach
from recollect.vocabulary.disputes import Dispute
from recollect.vocabulary.events import Event, Window, day_and_hour, day_of
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory import HistoryEntry, Memory, Relation
from recollect.vocabulary.research import Citation, ResearchAnswer
from recollect.vocabulary.results import Chunk, Found
from recollect.vocabulary.workspace import SourceQuote

SHORT: Final = 300
_EVIDENCE: Final = 500
_WORDS: Final = 2_000


def found_lines(found: Sequence[Found], first: int) -> list[str]:
    """Search results, numbered, one per line."""
    return [f"{number}. {_found(one)}" for number, one in enumerate(found, first)]


def _found(one: Found) -> str:
    item = one.item
    if isinstance(item, Memory):
        return f"{note_line(item)}{f'; {one.reason}' if one.reason else ''}"
    if isinstance(item, Chunk):
        said = shortened(item.text, SHORT)
        return f"[code {item.path}:{item.start_line}] {attribution(item)}: {said}"
    said = shortened(item.text if one.passage is None else f"... {one.passage} ...", SHORT)
    return f"[event {item.id}] {day_of(item)} {attribution(item)}: {said}"


def note_line(memory: Memory) -> str:
    """One note on one line: its id, whose it is, what to mind, its date and its files."""
    said = f"{attribution(memory)}: {shortened(memory.content, SHORT)}{_marks(memory)}"
    return f"{citation(memory)} {said}"


def citation(memory: Memory) -> str:
    """Type of a memory and the end of its id."""
    return f"[{memory.type_name} {short_id(memory.id)}]"


def _marks(memory: Memory) -> str:
    marks = [f"{memory.created_at:%Y-%m-%d}", *memory.files[:3]]
    if memory.disputed:
        marks.append("disputed")
    return f" ({', '.join(marks)})"


def event_line(event: Event) -> str:
    """One event with its text, on one line."""
    said = shortened(event.text, _WORDS)
    return f"[event {event.id}] {day_and_hour(event)} {event.author}: {said}"


def contradiction_text(found: Contradiction) -> str:
    """Two contradicting notes, with their dates and the reason why they contradict."""
    sides = [
        f"  {name}: {reach(one)}, {one.valid_from:%Y-%m-%d} {attribution(one)}: "
        f"{shortened(one.content, _WORDS)}"
        for name, one in (("a", found.a), ("b", found.b))
    ]
    stands = f"; {found.suggested} was said later" if found.suggested else ""
    return "\n".join([f"{found.id}: {found.reason}{stands}", *sides])


def window_text(window: Window) -> str:
    """An event with the events before and after it; the requested one is marked."""
    return "\n".join(
        [
            *(event_line(event) for event in window.before),
            f"> {event_line(window.event)}",
            *(event_line(event) for event in window.after),
        ]
    )


def research_text(answer: ResearchAnswer) -> str:
    """A research answer, its confidence, and its citations with the ids of their messages."""
    figures = f"confidence {answer.confidence:.2f}, rounds: {len(answer.rounds)}"
    cited = [
        f"[{one.number}] [event {one.event_id}] {citation_day(one)} {shortened(one.author, 40)} "
        f"in {shortened(one.stream, 60)}"
        for one in answer.citations
    ]
    lines = [FRAME, answer.text, "", f"({figures})", *cited]
    return "\n".join([*lines, *(f"note: {one}" for one in answer.notes)])


def citation_day(cited: Citation | SourceQuote) -> str:
    """Day of a cited event, or that its time is unknown."""
    return "time unknown" if cited.time_unknown else f"{cited.at:%Y-%m-%d}"


def explained(
    memory: Memory,
    history: Sequence[HistoryEntry],
    relations: Sequence[Relation],
    evidence: Sequence[Event],
) -> str:
    """All details of one memory."""
    origin = memory.provenance
    lines = [
        FRAME,
        f"{citation(memory)} {attribution(memory)}: {memory.content}",
        "",
        f"id: {memory.id}",
        f"confidence: {memory.confidence:.2f}, importance: {memory.importance:.2f}",
        f"from: {origin.source.value} by {origin.created_by}, "
        f"{memory.created_at:%Y-%m-%d %H:%M} UTC",
    ]
    for name, values in (
        ("phase", (origin.phase,) if origin.phase else ()),
        ("sessions", origin.sessions),
        ("files", memory.files),
        ("modules", memory.modules),
        ("tags", memory.tags),
    ):
        if values:
            lines.append(f"{name}: {', '.join(values)}")
    state = [
        word
        for word, true in (
            ("pinned", memory.pinned),
            ("confirmed by a person", memory.user_verified),
            ("not confirmed yet", memory.needs_review and not memory.user_verified),
            ("disputed", memory.disputed),
            ("archived", memory.archived),
            (f"superseded by {memory.superseded_by}", memory.superseded_by is not None),
        )
        if true
    ]
    if state:
        lines.append(f"state: {', '.join(state)}")
    lines += [f"{name}: {_plain(value)}" for name, value in memory.extras.items()]
    lines += [_relation_line(memory, one) for one in relations]
    lines += [
        f"evidence: {day_and_hour(event)} {attribution(event)}: {shortened(event.text, _EVIDENCE)}"
        for event in evidence
    ]
    lines += [
        f"history: {entry.at:%Y-%m-%d %H:%M} {entry.action.value} by {entry.actor}{_changed(entry)}"
        for entry in history
    ]
    return "\n".join(lines)


def shortened(text: str, length: int) -> str:
    """The text on one line, cut where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= length else f"{plain[:length]} [...]"


def _relation_line(memory: Memory, relation: Relation) -> str:
    if relation.source_id == memory.id:
        return f"relation: {relation.type.value} {relation.target_id or relation.target_path}"
    return f"relation: {relation.source_id} {relation.type.value} this"


def _plain(value: Any) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _changed(entry: HistoryEntry) -> str:
    return f" ({', '.join(entry.changes)})" if entry.changes else ""


def dispute_text(dispute: Dispute) -> str:
    """A dispute in a few lines: the memory, and who said what."""
    head = f"{dispute.id} over [{short_id(dispute.memory_id)}], opened by {dispute.opened_by}:"
    said = [f"  {one.author}: {' '.join(one.text.split())[:400]}" for one in dispute.comments]
    return "\n".join([head, *said])
