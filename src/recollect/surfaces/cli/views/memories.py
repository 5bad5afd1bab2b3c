"""Views of a memory: in a list, as a search result, and in full."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.views.screen import Line, MarkedLine, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, marked, one_line, shortened

if TYPE_CHECKING:
    from recollect.vocabulary.events import Event
    from recollect.vocabulary.memory import Memory, Relation
    from recollect.vocabulary.results import Found, Recalled

COLOURS: Final = {
    "gotcha": "yellow",
    "decision": "magenta",
    "preference": "cyan",
    "pattern": "blue",
    "requirement": "bright_blue",
    "error_pattern": "red",
    "dead_end": "bright_red",
    "work_state": "green",
    "workflow_recipe": "bright_green",
    "module_insight": "bright_cyan",
    "fact": "bright_white",
    "episode": "bright_magenta",
    "memo": "bright_yellow",
}
_LIST_WIDTH: Final = 160
_INTERNAL_TAGS: Final = ("bound:", "hook:", "relay:", "sign:", "signal:", "wish:")

StreamName = Callable[[str], str]


def kind(name: str) -> StyledText:
    """Type of a memory in its colour."""
    return StyledText(name, f"bold {COLOURS.get(name, 'white')}")


def changed_line(screen: Screen, memory: "Memory", verb: str) -> None:
    """Action on a memory, in one line; with its text for a person."""
    screen.line(
        StyledText(f"{verb} ", "green"),
        screen.name(memory.id),
        StyledText("  "),
        kind(memory.type_name),
    )
    if screen.terminal:
        screen.lines([[StyledText(shortened(memory.content, 300))], *tag_lines(memory)], indent=2)


def headline(screen: Screen, memory: "Memory") -> Line:
    """Id, type and confidence of a memory."""
    return [
        StyledText("  "),
        screen.name(memory.id),
        StyledText("  "),
        kind(memory.type_name),
        StyledText("  "),
        screen.share(memory.confidence),
    ]


def table(screen: Screen, memories: Sequence["Memory"]) -> None:
    """Memories, one per line."""
    screen.names(memory.id for memory in memories)
    rows = [_row(screen, memory) for memory in memories]
    screen.table(["id", "when", "type", "sure", "memory"], rows)


def _row(screen: Screen, memory: "Memory") -> list[Line]:
    words = shortened(memory.content, _LIST_WIDTH) if screen.terminal else one_line(memory.content)
    tags = [StyledText(f" #{tag}", "blue") for tag in _own_tags(memory)]
    said = marks(memory)
    if memory.audience.visibility == "personal":
        said = [f"{memory.audience.owner}, personal", *said]
    return [
        [screen.name(memory.id)],
        [screen.when(memory.created_at)],
        [kind(memory.type_name)],
        [screen.share(memory.confidence)],
        [StyledText(words), *tags, *(StyledText(f" ({mark})", "dim") for mark in said)],
    ]


def recalled(screen: Screen, result: "Recalled", stream_name: StreamName) -> None:
    """Results, best first, and what could not take part in the search."""
    screen.names(found.id for found in result.found)
    entries = [
        MarkedLine(StyledText(f"{rank}", "bold"), _found(screen, found, result.query, stream_name))
        for rank, found in enumerate(result.found, 1)
    ]
    if result.weak:
        screen.line(StyledText("Nothing fits well; the nearest share a word or two:", "yellow"))
    if entries:
        screen.entries(entries)
    else:
        nothing(screen, result.query)
    for missing in result.missing:
        screen.line(StyledText(missing, "yellow"))


def nothing(screen: Screen, query: str) -> None:
    """Message for an empty result, with advice."""
    screen.line(StyledText("Nothing found", "bold"), StyledText(f" for {one_line(query)!r}."))
    screen.line(
        StyledText(
            "Try other words, fewer filters, or 'recollect list' to see what there is.", "dim"
        )
    )


def _found(screen: Screen, found: "Found", query: str, stream_name: StreamName) -> list[Line]:
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.results import Chunk

    if isinstance(found.item, Chunk):
        from recollect.surfaces.cli.views.code import piece

        return piece(screen, found, found.item, query)
    shown = found.text if found.passage is None else f"... {found.passage} ..."
    words = [StyledText(piece, "bold yellow" if hit else "") for piece, hit in marked(shown, query)]
    score = screen.share(min(1.0, found.score))
    if isinstance(found.item, Memory):
        memory = found.item
        head = [
            score,
            StyledText("  "),
            kind(memory.type_name),
            StyledText("  "),
            screen.name(memory.id),
        ]
        along = [[StyledText(said, "cyan")] for said in (found.along, found.reason) if said]
        return [head, words, *along, *tag_lines(memory), provenance(screen, memory, stream_name)]
    event = found.item
    head = [
        score,
        StyledText("  "),
        StyledText(event.kind, "bold green"),
        StyledText("  "),
        screen.name(event.id),
    ]
    return [head, words, said_by(screen, event, stream_name)]


def said_by(screen: Screen, event: "Event", stream_name: StreamName) -> Line:
    """Author, time and stream; and the origin, when that is outside."""
    from recollect.engine.for_surfaces import origin_of

    outside = origin_of(event.payload)
    return [
        StyledText(f"{event.author}, ", "dim"),
        event_time(screen, event),
        StyledText(f", in {stream_name(event.stream_id)}", "dim"),
        *([StyledText(", edited", "dim")] if event.edited_at else ()),
        *([StyledText(f", outside text from {outside}", "yellow")] if outside else ()),
    ]


def event_time(screen: Screen, event: "Event") -> StyledText:
    """Time of an event, or that it is unknown."""
    return (
        StyledText("time unknown", "yellow")
        if event.time_unknown
        else screen.when(event.occurred_at)
    )


def _own_tags(memory: "Memory") -> list[str]:
    """Tags that people gave; those that the program sets for itself are left out."""
    return [tag for tag in memory.tags if not tag.startswith(_INTERNAL_TAGS)]


def tag_lines(memory: "Memory") -> list[Line]:
    """Tags and files, if any; the tags that the program sets for itself are in ``show`` alone."""
    spans = [StyledText(f"#{tag} ", "blue") for tag in _own_tags(memory)]
    spans += [StyledText(f"{file} ", "green") for file in (*memory.files, *memory.modules)]
    return [spans] if spans else []


def provenance(screen: Screen, memory: "Memory", stream_name: StreamName) -> Line:
    """Provenance of a memory, and its marks."""
    origin = memory.provenance
    source = origin.source.replace("_", " ") if screen.terminal else str(origin.source)
    events = f", from {counted(len(origin.events), 'event')}" if origin.events else ""
    stream = memory.audience.stream
    return [
        StyledText(f"{_maker(memory)}, ", "dim"),
        screen.when(memory.created_at),
        StyledText(f", {source}{events}", "dim"),
        *([StyledText(f", in {stream_name(stream)}", "dim")] if stream else ()),
        *(StyledText(f", {mark}", "dim") for mark in marks(memory)),
        *(
            [StyledText(f", outside text from {origin.outside[0]}", "yellow")]
            if origin.outside
            else ()
        ),
    ]


def _maker(memory: "Memory") -> str:
    """Who made a memory; of one that only its owner sees, that it is personal, and whose."""
    maker, owner = memory.provenance.created_by, memory.audience.owner
    if memory.audience.visibility != "personal":
        return maker
    return f"{maker} (personal)" if maker == owner else f"{maker} (personal, of {owner})"


def marks(memory: "Memory") -> list[str]:
    """Marks of a memory, in single words."""
    states = {
        "pinned": memory.pinned,
        "verified": memory.user_verified,
        "to review": memory.needs_review,
        "disputed": memory.disputed,
        "archived": memory.archived,
        "superseded": memory.superseded_by is not None,
    }
    return [name for name, holds in states.items() if holds]


def details(screen: Screen, memory: "Memory", relations: Sequence["Relation"]) -> None:
    """All details of a memory."""
    title = [kind(memory.type_name), StyledText("  "), StyledText(memory.id, "cyan")]
    screen.panel(title, [[StyledText(memory.content)]])
    if not screen.terminal:
        screen.line()
    screen.pairs([(name, line) for name, line in _facts(screen, memory) if line])
    for relation in relations:
        screen.line(*_relation_line(screen, memory, relation))


def _facts(screen: Screen, memory: "Memory") -> Iterator[tuple[str, Line]]:
    origin, levels = memory.provenance, memory.levels
    yield "confidence", [screen.share(memory.confidence)]
    yield "importance", [screen.share(memory.importance)]
    yield "state", _plainly(", ".join(marks(memory)))
    yield "tags", [StyledText(f"#{tag} ", "blue") for tag in memory.tags]
    yield "files", [StyledText(f"{file} ", "green") for file in memory.files]
    yield "modules", [StyledText(f"{module} ", "green") for module in memory.modules]
    yield "scope", _plainly(memory.scope)
    yield "seen by", _plainly(f"{memory.audience.visibility}, owner {memory.audience.owner}")
    yield "made", [screen.when(memory.created_at), StyledText(f" by {origin.created_by}")]
    yield "source", _plainly(origin.source)
    yield "changed", [screen.when(memory.updated_at), StyledText(f", revision {memory.revision}")]
    yield "valid", _validity(screen, memory)
    yield "supersedes", [screen.name(memory.supersedes)] if memory.supersedes else []
    yield "replaced by", [screen.name(memory.superseded_by)] if memory.superseded_by else []
    yield "half-life", _plainly(f"{memory.half_life_days:g} days" if memory.half_life_days else "")
    yield "events", _plainly(" ".join(origin.events))
    yield "sessions", _plainly(" ".join(origin.sessions))
    yield "commit", _plainly(origin.commit)
    yield "phase", _plainly(origin.phase)
    yield "citation", _plainly(memory.citation)
    yield "work", _plainly(memory.work_unit.label if memory.work_unit else "")
    for name, value in memory.extras.items():
        yield name, _plainly(value)
    yield "full", _plainly(counted(levels.full_tokens, "token") if levels.full_tokens else "")
    yield "summary", _level(levels.summary, levels.summary_tokens)
    yield "compressed", _level(levels.compressed, levels.compressed_tokens)
    yield "index", _level(levels.index, levels.index_tokens)


def _plainly(value: Any) -> Line:
    return [StyledText(one_line(str(value)))] if value else []


def _level(text: str | None, tokens: int | None) -> Line:
    if text is None:
        return []
    return [StyledText(one_line(text)), StyledText(f"  {counted(tokens or 0, 'token')}", "dim")]


def _validity(screen: Screen, memory: "Memory") -> Line:
    since = [StyledText("since "), screen.when(memory.valid_from)]
    return (
        since
        if memory.valid_to is None
        else [*since, StyledText(" to "), screen.when(memory.valid_to)]
    )


def _relation_line(screen: Screen, memory: "Memory", relation: "Relation") -> Line:
    words = relation.type.replace("_", " ")
    if relation.source_id == memory.id:
        other = (
            screen.name(relation.target_id)
            if relation.target_id
            else StyledText(str(relation.target_path))
        )
        return [
            StyledText(f"→ {words} ", "magenta"),
            other,
            StyledText(f"  {relation.confidence:.2f}", "dim"),
        ]
    return [StyledText(f"← {words} by ", "magenta"), screen.name(relation.source_id)]
