"""Event commands: record events, and read streams."""

from typing import Annotated, Any, Final

from typer import Argument, BadParameter, Option

from recollect.surfaces.cli.inputs import standard_input, time_of
from recollect.surfaces.cli.session import CommandContext

_REMOVED: Final = "[secret removed: "


def record(
    session: CommandContext,
    text: Annotated[
        list[str], Argument(metavar="TEXT", help="What was said or done; - reads standard input.")
    ],
    *,
    stream: Annotated[
        str,
        Option("--stream", "-s", metavar="NAME", help="The stream; created if it does not exist."),
    ] = "notes",
    kind: Annotated[
        str, Option("--kind", metavar="KIND", help="message, tool_call, tool_result, step, ...")
    ] = "message",
    author: Annotated[
        str | None, Option("--author", metavar="NAME", help="The author; you by default.")
    ] = None,
    at: Annotated[
        str | None, Option("--at", metavar="TIME", help="When it happened; now by default.")
    ] = None,
    reply_to: Annotated[
        str | None, Option("--reply-to", metavar="ID", help="The event that this answers.")
    ] = None,
    external_id: Annotated[
        str | None,
        Option(
            "--external-id",
            metavar="ID",
            help="Its id in its source; an event with a known one is ignored.",
        ),
    ] = None,
    payload: Annotated[
        str | None, Option("--payload", metavar="JSON", help="Additional fields, as a JSON object.")
    ] = None,
) -> None:
    """Append an event to a stream."""
    from recollect.surfaces.cli.views import events

    fields: dict[str, Any] = {
        "kind": kind,
        "author": author,
        "occurred_at": time_of(at),
        "reply_to": reply_to,
        "external_id": external_id,
        "payload": _payload(payload),
    }
    words = standard_input(repaired=True) if text == ["-"] else " ".join(text)
    with session.open(makes=True) as memory:
        event = memory.record(words, stream=stream, **fields)
        session.report_space(memory)
    session.answer(event, lambda screen: events.recorded(screen, event, stream))
    if (event.text or "").count(_REMOVED) > words.count(_REMOVED):
        session.note("What looked like a secret was removed from it before it was stored.")


def read(
    session: CommandContext,
    stream: Annotated[
        str | None,
        Argument(metavar="STREAM", help="The stream by name or id; without one, all are listed."),
    ] = None,
    limit: Annotated[
        int, Option("--limit", "-n", metavar="COUNT", help="How many events on a page.")
    ] = 100,
    cursor: Annotated[
        str | None,
        Option("--cursor", metavar="PLACE", help="The cursor that the previous page gave."),
    ] = None,
    join: Annotated[
        bool,
        Option("--join", help="As an owner, join a private stream of others; this is logged."),
    ] = False,
) -> None:
    """Read a stream in order, or list the streams."""
    from recollect.surfaces.cli.views import events

    with session.open() as memory:
        if join and stream is not None:
            stream = memory.join_stream(stream).id
        if stream is None:
            found = memory.streams(cursor=cursor)
            session.answer(found, lambda screen: events.streams(screen, found.items))
            more = found.next_cursor
            if not found.items:
                session.note_nothing("Nothing was recorded here yet.")
        else:
            page = memory.read(stream, cursor=cursor, limit=limit)
            session.answer(page, lambda screen: events.transcript(screen, page.items))
            more = page.next_cursor
    if more:
        session.note(f"There is more: add --cursor {more}")


def _payload(text: str | None) -> dict[str, Any]:
    import json

    if text is None:
        return {}
    try:
        found = json.loads(text)
    except RecursionError:
        raise BadParameter("It is nested too deep.", param_hint="--payload") from None
    except ValueError as error:
        raise BadParameter(f"It is not JSON: {error}.", param_hint="--payload") from None
    if not isinstance(found, dict):
        raise BadParameter("It is not a JSON object.", param_hint="--payload")
    return found
