"""How events and streams look."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.memories import said_by
from recollect.surfaces.cli.views.screen import Line, Screen, Span
from recollect.surfaces.cli.views.words import one_line

if TYPE_CHECKING:
    from recollect.vocabulary.events import Event, Window
    from recollect.vocabulary.streams import Stream


def recorded(screen: Screen, event: "Event", stream: str) -> None:
    """What was appended, in a line."""
    screen.line(Span("Recorded ", "green"), screen.name(event.id), Span(f"  in {stream}"))


def told(screen: Screen, events: Sequence["Event"]) -> None:
    """A stretch of a stream: in a terminal as a conversation, in a pipe one event a line."""
    if screen.terminal:
        for event in events:
            screen.lines([_head(screen, event), _words(event)])
    else:
        screen.table(
            ["id", "when", "kind", "who", "text"],
            [
                [
                    [screen.name(event.id)],
                    [screen.when(event.occurred_at)],
                    [Span(event.kind)],
                    [Span(event.author)],
                    _words(event),
                ]
                for event in events
            ],
        )


def whole(screen: Screen, window: "Window", stream: str) -> None:
    """An event with what came before and after it."""
    told(screen, window.before)
    event = window.event
    title = [Span(event.kind, "bold green"), Span("  "), Span(event.id, "cyan")]
    screen.panel(title, [_words(event), said_by(screen, event, lambda _: stream)])
    if event.payload:
        screen.line(Span("payload  ", "dim"), Span(one_line(str(dict(event.payload)))))
    told(screen, window.after)


def streams(screen: Screen, found: Sequence["Stream"]) -> None:
    """Streams one a line."""
    rows = [
        [
            [Span(stream.name, "bold")],
            [Span(stream.kind)],
            [Span(stream.access)],
            [screen.when(stream.created_at)],
            [Span(stream.id, "cyan dim")],
        ]
        for stream in found
    ]
    screen.table(["stream", "kind", "access", "since", "id"], rows)


def _head(screen: Screen, event: "Event") -> Line:
    kind = [] if event.kind == "message" else [Span(f" {event.kind}", "green")]
    return [Span(event.author, "bold"), *kind, Span("  "), screen.when(event.occurred_at)]


def _words(event: "Event") -> Line:
    if event.deleted_at is not None:
        return [Span("(taken back)", "dim")]
    return [Span(event.text)]
