"""Search commands: recall, trend, show, history."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Argument, Option

from recollect.surfaces.cli.commands.remember import Identifier
from recollect.surfaces.cli.filters import (
    Archived,
    AsOf,
    Authors,
    Files,
    HasCode,
    Modules,
    Pinned,
    Review,
    Scopes,
    Since,
    Sources,
    StreamNames,
    Superseded,
    Sure,
    Tags,
    Types,
    Until,
    narrowing,
)
from recollect.surfaces.cli.inputs import time_of
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.memory import Memory, Relation


def recall(
    session: CommandContext,
    query: Annotated[list[str], Argument(metavar="QUERY", help="What you want to know.")],
    *,
    limit: Annotated[
        int, Option("--limit", "-n", metavar="COUNT", help="At most this many results.")
    ] = 10,
    kind: Annotated[
        list[str] | None,
        Option("--kind", metavar="KIND", help="Only these: memory, event, chunk; may be repeated."),
    ] = None,
    type: Types = None,
    tag: Tags = None,
    file: Files = None,
    module: Modules = None,
    source: Sources = None,
    scope: Scopes = None,
    author: Authors = None,
    stream: StreamNames = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    sure: Sure = None,
    pinned: Pinned = False,
    review: Review = False,
    archived: Archived = False,
    superseded: Superseded = False,
    code: HasCode = None,
    profile: Annotated[
        str | None,
        Option("--profile", metavar="NAME", help="How to rank: agent, chat, workspace, plain, ..."),
    ] = None,
    phase: Annotated[
        str | None, Option("--phase", metavar="PHASE", help="The phase of the work: define, ...")
    ] = None,
    budget: Annotated[
        int | None,
        Option(
            "--budget",
            metavar="TOKENS",
            help="Pack the answer into this many tokens; 0 means 2,000.",
        ),
    ] = None,
    sessions: Annotated[
        int | None,
        Option(
            "--sessions",
            metavar="COUNT",
            help="Only from the last N sessions, up to 100.",
        ),
    ] = None,
    around: Annotated[
        str | None,
        Option("--around", metavar="EVENT", help="Only the sessions before and after this event."),
    ] = None,
    chain: Annotated[
        bool, Option("--chain", help="Include memories of files that must change together.")
    ] = False,
    recent: Annotated[
        list[str] | None,
        Option("--recent", metavar="PATH", help="A recently edited file; may be repeated."),
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Explain why each result is there.")] = False,
) -> None:
    """Search memories, events and code."""
    from recollect.surfaces.cli.views import explanation, memories

    narrow = narrowing(
        types=type,
        tags=tag,
        files=file,
        modules=module,
        sources=source,
        scopes=scope,
        authors=author,
        streams=stream,
        since=since,
        until=until,
        as_of=as_of,
        sure=sure,
        pinned=pinned,
        needs_review=review,
        archived=archived,
        superseded=superseded,
        code=code,
    )
    if kind:
        narrow["kinds"] = kind
    with session.open(says_who_belongs=True) as memory:
        result = memory.recall(
            " ".join(query),
            limit=limit,
            profile=profile,
            phase=phase,
            budget=budget,
            explain=explain,
            last_sessions=sessions,
            around=around,
            chain=chain,
            recent_files=recent or (),
            **narrow,
        )

        def draw(screen: "Screen") -> None:
            if result.packed is not None:
                explanation.packed(screen, result.packed)
            else:
                memories.recalled(screen, result, lambda stream: memory.open_stream(stream).name)
            if explain:
                explanation.explained(screen, result)

        session.answer(_document(result) if session.options.json else None, draw)


def trend(
    session: CommandContext,
    query: Annotated[list[str], Argument(metavar="QUERY", help="What to count.")],
    *,
    days: Annotated[float, Option("--days", metavar="COUNT", help="How many days back.")] = 30.0,
    type: Types = None,
    tag: Tags = None,
    file: Files = None,
    module: Modules = None,
    source: Sources = None,
    scope: Scopes = None,
    author: Authors = None,
    stream: StreamNames = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    sure: Sure = None,
    pinned: Pinned = False,
    review: Review = False,
    archived: Archived = False,
    superseded: Superseded = False,
    code: HasCode = None,
) -> None:
    """Show how often something came up over time."""
    from recollect.surfaces.cli.views import answers
    from recollect.vocabulary.events import Event
    from recollect.vocabulary.memory import Memory

    narrow = narrowing(
        types=type,
        tags=tag,
        files=file,
        modules=module,
        sources=source,
        scopes=scope,
        authors=author,
        streams=stream,
        since=since,
        until=until,
        as_of=as_of,
        sure=sure,
        pinned=pinned,
        needs_review=review,
        archived=archived,
        superseded=superseded,
        code=code,
    )
    with session.open() as memory:
        found = memory.trend(" ".join(query), days=days, **narrow)
        is_dated = bool(since or until or as_of)
        again = not found.total and not is_dated
        earlier = memory.recall(" ".join(query), limit=20, **narrow) if again else ()
    session.answer(found, lambda screen: answers.trend(screen, found))
    items = [one.item for one in earlier]
    moments = [one.occurred_at for one in items if isinstance(one, Event) and not one.time_unknown]
    moments += [one.created_at for one in items if isinstance(one, Memory)]
    if moments and (newest := max(moments)) < found.stretches[0].start:
        back = (found.stretches[-1].end - newest).days + 1
        session.note(
            f"Nothing about it in the last {days:g} days; it last came up on {newest:%Y-%m-%d}: "
            f"add --days {back}."
        )


def show(
    session: CommandContext,
    identifier: Identifier,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="The state at this time.")
    ] = None,
) -> None:
    """Show everything about one memory or event."""
    from recollect.surfaces.cli.views import events
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.plain import plain

    moment = time_of(as_of)
    with session.open() as memory:
        found = memory.get(identifier, as_of=moment)
        if not isinstance(found, Memory):
            around = memory.window(found.id)
            stream = memory.open_stream(found.stream_id)
            session.answer(
                {**plain(found), "stream": stream, "before": around.before, "after": around.after},
                lambda screen: events.details(screen, around, stream.name),
            )
            return
        if found.levels.summary is None and moment is None and session.spare_work(memory):
            found = cast("Memory", memory.get(found.id))
        _show_memory(session, found, memory.relations(found.id))


def _show_memory(session: CommandContext, found: "Memory", relations: Sequence["Relation"]) -> None:
    from recollect.surfaces.cli.views import memories
    from recollect.vocabulary.plain import plain

    session.answer(
        {**plain(found), "relations": relations},
        lambda screen: memories.details(screen, found, relations),
    )


def history(session: CommandContext, identifier: Identifier) -> None:
    """Show every change of a memory."""
    from recollect.surfaces.cli.views import changes

    with session.open() as memory:
        entries = memory.history(identifier)
        synced = memory.sync.status()
    session.answer({"history": entries}, lambda screen: changes.history(screen, entries))
    if synced.address or synced.devices:
        session.note(
            "This space is synced: what came from another device is one change here, "
            "and its steps are in the history of the device that made them."
        )


def _result(found: Any) -> dict[str, Any]:
    from recollect.vocabulary.plain import plain

    short_form = {"id": found.id, "kind": found.kind, "text": found.text}
    return {**short_form, **({"path": found.path} if found.path else {}), **plain(found)}


def _document(result: Any) -> dict[str, Any]:
    from recollect.vocabulary.plain import plain

    document = {
        "id": result.id,
        "query": result.query,
        "found": [_result(found) for found in result.found],
        "missing": list(result.missing),
        "profile": result.profile,
        "notes": list(result.notes),
        "weak": result.weak,
    }
    if result.dropped:
        document["dropped"] = plain(result.dropped)
    if result.packed is not None:
        document["packed"] = plain(result.packed)
    return document
