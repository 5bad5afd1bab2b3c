"""Code commands: index, watch, impact, dependencies, data flow and graph."""

from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Option

from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen

#: Share of the files after which the remaining time is estimated; before, the guess is wild.
_ESTIMATED_FROM: Final = 0.05

Target = Annotated[
    str, Argument(metavar="TARGET", help="A path, a symbol, path:line or path::symbol.")
]
Depth = Annotated[int, Option("--depth", "-d", metavar="COUNT", help="How many steps to follow.")]
Limit = Annotated[int, Option("--limit", "-n", metavar="COUNT", help="At most this many results.")]


def index(
    session: CommandContext,
    folder: Annotated[str, Argument(metavar="FOLDER", help="The project's folder.")] = ".",
    replace: Annotated[
        bool, Option("--replace", help="Replace the code that this space has indexed before.")
    ] = False,
    history: Annotated[
        bool,
        Option(
            "--history/--no-history", help="Use git history to find files that change together."
        ),
    ] = True,
) -> None:
    """Index a project's code, or what changed in it."""
    import time

    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import code

    began = time.monotonic()

    def said(done: int, total: int, words: str) -> str:
        if done >= total:
            return words
        rate = done / max(time.monotonic() - began, 0.001)
        known = rate and done >= total * _ESTIMATED_FROM
        left = f", {rate:,.0f}/s, {round((total - done) / rate)} s left" if known else ""
        return f"{done:,} of {total:,} files{left}"

    try:
        with session.open(makes=True) as memory, measuring(session, "Indexing") as advance:
            report = memory.code.index(
                folder,
                replace=replace,
                history=history,
                progress=lambda done, total, words: advance(done, total, said(done, total, words)),
            )
    except KeyboardInterrupt:
        raise Stopped(
            "Stopped. What was read is kept; run it again and it continues from there."
        ) from None
    took = time.monotonic() - began
    session.answer(report, lambda screen: code.indexed(screen, report, took))


def watch(
    session: CommandContext,
    folder: Annotated[str, Argument(metavar="FOLDER", help="The project's folder.")] = ".",
) -> None:
    """Watch a folder and keep its index up to date."""
    from recollect.surfaces.cli.views import code

    with session.open(makes=True) as memory:
        watcher = memory.code.watch(folder)
        first = watcher.catch_up()
        session.answer(first, lambda screen: code.watched(screen, first, str(watcher.root)))
        for report in watcher.changes():
            session.answer(report, lambda screen, report=report: code.rebuilt(screen, report))  # type: ignore[misc]


def impact(
    session: CommandContext,
    target: Annotated[
        str | None,
        Argument(metavar="TARGET", help="A path, a symbol, path:line or path::symbol."),
    ] = None,
    *,
    depth: Depth = 3,
    limit: Limit = 200,
    diff: Annotated[bool, Option("--diff", help="Uncommitted changes in git.")] = False,
    since: Annotated[
        str | None, Option("--since", metavar="COMMIT", help="What changed since this commit.")
    ] = None,
) -> None:
    """Analyse what may break when something changes.

    The number beside each result says how certain the dependency is, and falls with distance: 1.00
    is a direct dependency that is certain.
    """
    from recollect.surfaces.cli.views import code

    if (target is None) == (not diff and since is None):
        raise InvalidInput("Name one thing: a target, --diff, or --since COMMIT.")
    with session.open() as memory:
        found = memory.code.impact(target or "diff", depth=depth, limit=limit, since=since)
    session.answer(found, lambda screen: code.impact(screen, found))


def deps(
    session: CommandContext,
    target: Target,
    depth: Depth = 1,
    limit: Limit = 200,
    reverse: Annotated[bool, Option("--reverse", "-r", help="List dependents instead.")] = False,
) -> None:
    """List dependencies, or dependents.

    The number beside each result says how certain the dependency is, and falls with distance: 1.00
    is a direct dependency that is certain.
    """
    from recollect.surfaces.cli.views import code

    with session.open() as memory:
        ask = memory.code.dependants if reverse else memory.code.dependencies
        found = ask(target, depth=depth, limit=limit)
    nothing = "Nothing is known to need it." if reverse else "It needs nothing of this code."
    session.answer(
        found, lambda screen: code.neighbourhood(screen, found, nothing, reverse=reverse)
    )


def flow(
    session: CommandContext,
    source: Annotated[str, Argument(metavar="SOURCE", help="The symbol to start from.")],
    target: Annotated[str | None, Argument(metavar="[TARGET]", help="The symbol to reach.")] = None,
    depth: Depth = 8,
) -> None:
    """Trace data flow from a symbol to others."""
    from recollect.surfaces.cli.views import code

    with session.open() as memory:
        found = memory.code.flow(source, target, depth=depth)
    session.answer(found, lambda screen: code.neighbourhood(screen, found, "No way was found."))


def map_(session: CommandContext, depth: Depth = 2) -> None:
    """Show the module map and what memory knows."""
    from recollect.surfaces.cli.views import code

    with session.open() as memory:
        rows = memory.code.map(depth=depth)
    session.answer({"modules": rows}, lambda screen: code.modules(screen, rows))


def graph(
    session: CommandContext,
    what: Annotated[
        str,
        Argument(
            metavar="WHAT",
            help="status, export, cycles, unused, entries, stale, analyse, meanings, knowledge.",
        ),
    ] = "status",
    format: Annotated[
        str, Option("--format", "-f", metavar="FORMAT", help="json, graphml, mermaid or dot.")
    ] = "json",
    files: Annotated[
        bool, Option("--files", help="Only files, without the definitions in them.")
    ] = False,
) -> None:
    """Export the graph, or list cycles and dead code."""

    with session.open() as memory:
        if what == "export":
            for line in memory.code.export(format, files_only=files):
                session.write(line)
            return
        if what not in _ASKED:
            raise InvalidInput(
                f"graph does not know {what!r}.",
                hint=f"Say export, {', '.join(_ASKED)}.",
            )
        found: Any = getattr(memory.code, _ASKED[what])()
        if what == "stale":
            found = [one for one in found if one.stale]
    session.answer({what: found}, lambda screen: _report(screen, what, found))


_ASKED = {
    "cycles": "cycles",
    "unused": "unused",
    "entries": "entry_points",
    "stale": "staleness",
    "analyse": "analyse",
    "meanings": "meanings",
    "knowledge": "knowledge",
    "status": "status",
}


def _report(screen: "Screen", what: str, found: Any) -> None:
    from recollect.surfaces.cli.views import code

    if what == "cycles":
        code.cycles(screen, found)
    elif what == "status":
        code.status(screen, found)
    elif what == "stale":
        code.stale(screen, found)
    elif what == "knowledge":
        code.knowledge(screen, found)
    elif what in {"analyse", "meanings"}:
        code.meanings(screen, found)
    else:
        code.nodes(screen, found)
