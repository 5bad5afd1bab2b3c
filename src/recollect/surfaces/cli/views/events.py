"""Views of events and streams."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.memories import event_time, said_by
from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import one_line

if TYPE_CHECKING:
    from recollect.vocabulary.events import Event, Window
    from recollect.vocabulary.streams import Stream


def recorded(screen: Screen, event: "Event", stream: str) -> None:
    """Summary of appended events, in one line."""
    screen.line(
        StyledText("Recorded ", "green"), screen.name(event.id), StyledText(f"  in {stream}")
    )


def transcript(screen: Screen, events: Sequence["Event"]) -> None:
    """Part of a stream: in a terminal as a conversation, in a pipe one event per line."""
    if screen.terminal:
        for event in events:
            screen.lines([_head(screen, event), _words(event)])
    else:
        screen.table(
            ["id", "when", "kind", "who", "text"],
            [
                [
                    [screen.name(event.id)],
                    [event_time(screen, event)],
                    [StyledText(event.kind)],
                    [StyledText(event.author)],
                    _words(event),
                ]
                for event in events
            ],
        )


def details(screen: Screen, window: "Window", stream: str) -> None:
    """An event with the events before and after it."""
    transcript(screen, window.before)
    event = window.event
    title = [StyledText(event.kind, "bold green"), StyledText("  "), StyledText(event.id, "cyan")]
    screen.panel(title, [_words(event), said_by(screen, event, lambda _: stream)])
    if event.payload:
        screen.line(StyledText("payload  ", "dim"), StyledText(one_line(str(dict(event.payload)))))
    transcript(screen, window.after)


def streams(screen: Screen, found: Sequence["Stream"]) -> None:
    """Streams, one per line."""
    rows = [
        [
            [StyledText(stream.name, "bold")],
            [StyledText(stream.kind)],
            [StyledText(stream.access)],
            [screen.when(stream.created_at)],
            [StyledText(stream.id, "cyan dim")],
        ]
        for stream in found
    ]
    screen.table(["stream", "kind", "access", "since", "id"], rows)


def _head(screen: Screen, event: "Event") -> Line:
    kind = [] if event.kind == "message" else [StyledText(f" {event.kind}", "green")]
    return [
        StyledText(event.author, "bold"),
        *kind,
        StyledText("  "),
        event_time(screen, event),
    ]


def _words(event: "Event") -> Line:
    if event.deleted_at is not None:
        return [StyledText("(deleted)", "dim")]
    return [StyledText(event.text)]
