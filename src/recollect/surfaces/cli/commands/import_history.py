"""Command ``import``: imports a history with a progress bar; an interrupted import resumes."""

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Exit, Option

from recollect.surfaces.cli.faults import FAILED, INCOMPLETE, Stopped
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import ImportFailed, InvalidInput, NotAllowed

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.reports import ImportReport

_MAX_SUGGESTED: Final = 8
_MAX_PROBLEMS: Final = 20


def import_(
    session: CommandContext,
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="A file or folder; or a format, before its path.",
        ),
    ],
    path: Annotated[
        str | None,
        Argument(metavar="PATH", help="The source, where the first word is its format."),
    ] = None,
    *,
    format: Annotated[
        str,
        Option(
            "--format",
            metavar="FORMAT",
            help="jsonl, slack, transcripts, recollect, markdown, mem0, rules, auto.",
        ),
    ] = "auto",
    stream: Annotated[
        str | None, Option("--stream", "-s", metavar="NAME", help="The stream to import into.")
    ] = None,
    origin: Annotated[
        str | None,
        Option(
            "--origin",
            metavar="ORIGIN",
            help="Mark all of it as outside text of this origin, like web:https://... or mail.",
        ),
    ] = None,
    private: Annotated[
        list[str] | None,
        Option(
            "--private",
            metavar="NAME",
            help="A private channel or direct message of a Slack export; or all, or none.",
        ),
    ] = None,
) -> None:
    """Import a history, rules, or what was exported.

    JSONL, a Slack export, agents' transcripts, rule files (CLAUDE.md and its like), Recollect's own
    exports (JSON, Markdown), or mem0's memories (what get_all gave as JSON, or its history.db).
    Without --origin, texts are their authors' own words. What cannot be read is skipped, counted
    and listed; the exit code is then 3, or 1 if nothing could be read. An event with an unreadable
    time is imported without it. You are asked which private conversations of a Slack export to
    import, unless --private names them. Importing other people's private conversations does not
    let you read them.
    """
    from recollect.surfaces.cli.progress import measuring

    suggested: Sequence[Any] = ()
    if source == "rules" or format == "rules":
        if origin is not None:
            raise InvalidInput(
                "Rules are the project's own text and have no outside origin.",
                hint="Leave --origin out.",
            )
        _import_rules(session, path if source == "rules" else source)
        return
    if path is not None:
        source, format = path, source
    chosen = _chosen_private(session, source, format, private or [])
    try:
        with session.open(makes=True) as memory, measuring(session, "Importing") as advance:

            def report_progress(done: int, total: int, read: int) -> None:
                advance(done, total, f"{read:,} read")

            if format == "mem0":
                report = _mem0(session, memory, source, report_progress, origin)
            else:
                report = memory.import_(
                    source,
                    format=format,
                    stream=stream,
                    origin=origin,
                    private=chosen,
                    progress=report_progress,
                )
                session.report_space(memory)
                suggested = _suggested(memory) if report.added else ()
    except ImportFailed as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise Stopped(str(error)) from None
        raise
    session.answer(report, lambda screen: _report(screen, report, _nouns(source, format)))
    if report.added and session.embeds_later:
        session.note("Found by keywords only until 'recollect worker' has made the vectors.")
    for one in suggested[:_MAX_SUGGESTED]:
        named = shlex.join([one.user, one.name])
        session.note(f"{one.name} is probably {one.user}: recollect alias confirm {named}")
    _end(session, report)


def _end(session: CommandContext, report: "ImportReport") -> None:
    """Name the supported formats if nothing was imported; exit with the matching code."""
    read = report.added or report.already_there
    if not read:
        from recollect.engine.for_surfaces import FORMS

        session.note(FORMS)
    if report.skipped:  # the answer already says what and why
        raise Exit(INCOMPLETE if read else FAILED)


def _chosen_private(
    session: CommandContext, source: str, format: str, given: list[str]
) -> list[str] | None:
    """Private conversations of a Slack export to import: as given by option, or as answered.

    Without a person to ask they are left out, and named.
    """
    if format not in ("auto", "slack"):
        return None
    from recollect.engine.for_surfaces import private_streams

    found = private_streams(source)
    names = [wish.name for wish in found]
    if not found or given == ["all"]:
        return None
    if given:
        unknown = sorted(set(given) - {*names, "none"})
        if unknown:
            raise InvalidInput(
                f"The export has no private conversation {', '.join(map(repr, unknown))}.",
                hint=f"It has: {', '.join(names)}.",
            )
        return [name for name in given if name != "none"]
    if session.options.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        from recollect.surfaces.cli.views.words import counted

        some = ", ".join(names[:_MAX_SUGGESTED])
        session.note(
            f"Left out {counted(len(names), 'private conversation')} ({some}"
            f"{', ...' if len(names) > _MAX_SUGGESTED else ''}): add --private NAME for "
            "each one to import, or --private all."
        )
        return []
    chosen = []
    for wish in found:
        people = ", ".join(wish.members[:_MAX_SUGGESTED]) or "nobody is listed"
        sys.stderr.write(f"Does {wish.name!r} ({people}) belong in? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            chosen.append(wish.name)
    return chosen


def _suggested(memory: "Recollect") -> "Sequence[Any]":
    """Suggested aliases for the authors, for those who may confirm them."""
    try:
        return memory.people.suggest_aliases()
    except NotAllowed:
        return ()


def _mem0(
    session: CommandContext,
    memory: "Recollect",
    source: str,
    report_progress: Any,
    origin: str | None,
) -> Any:
    """Import mem0's memories into the space of ``recollect.mem0``, unless another was named."""
    from recollect.surfaces.mem0.importer import import_mem0
    from recollect.surfaces.mem0.memory import SPACE

    into = memory if session.space_named else memory.within(space=SPACE)
    report = import_mem0(into, source, report_progress, origin=origin)
    session.report_space(into)
    return report


def _nouns(source: str, format: str) -> tuple[str, str]:
    """Nouns for what was imported, singular and plural."""
    from pathlib import Path

    from recollect.engine.for_surfaces import is_export

    if format == "mem0":
        return "memory", "memories"
    if format == "recollect" or (format == "auto" and is_export(Path(source))):
        return "event or memory", "events and memories"
    return "event", "events"


def _import_rules(session: CommandContext, path: str | None) -> None:
    """Import rules that people wrote for agents, as 'remember' does; repeating adds nothing."""
    from pathlib import Path

    from recollect.engine.for_surfaces import project_of
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted, listed

    place = Path(path).expanduser().absolute() if path else None
    folder = Path.cwd() if place is None else place if place.is_dir() else place.parent
    project = project_of(folder)
    named = []
    if place is not None and not place.is_dir():
        named = [place.relative_to(project.root).as_posix()]
    with session.open(makes=True, folder=folder) as memory:
        report = memory.agents.import_rules(project.root, named)
        session.report_space(memory)
    files = listed(list(report.files)) or "no rule file"
    gone = f", {report.put_away:,} archived because they left their file" if report.put_away else ""
    session.answer(
        report,
        lambda screen: screen.line(
            StyledText(
                f"Read {files}: {counted(report.added, 'rule')} added, "
                f"{report.already_there:,} there already{gone}."
            )
        ),
    )


def _report(screen: "Screen", report: Any, nouns: tuple[str, str]) -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted, listed

    known = f"{report.already_there:,} there already" if report.already_there else ""
    skipped = f"{report.skipped:,} skipped" if report.skipped else ""
    untimed = f"{report.without_time:,} kept without a time" if report.without_time else ""
    count = getattr(report, "repaired", 0)
    repaired = f"{count:,} with bytes that are not UTF-8" if count else ""
    again = getattr(report, "repeated_ids", 0)
    repeated = f"{again:,} with an id that came before" if again else ""
    lost = getattr(report, "unknown_replies", 0)
    replies = f"{lost:,} answering what is not known" if lost else ""
    parts = (known, skipped, untimed, repaired, repeated, replies)
    rest = listed([words for words in parts if words])
    history = nouns[0] == "event"
    streams = f" into {counted(report.streams, 'stream')}" if report.streams or history else ""
    screen.line(
        StyledText(f"Imported {counted(report.added, *nouns)}", "green"),
        StyledText(f"{streams}{f'; {rest}' if rest else ''}."),
    )
    private = getattr(report, "private", 0)
    if private:
        are, them = ("is", "it") if private == 1 else ("are", "them")
        screen.line(
            StyledText(
                f"{counted(private, 'stream')} {are} private: only the people in {them} find what "
                "was said there. An owner of the space can join one ('recollect read NAME "
                "--join'), which is noted down.",
                "dim",
            )
        )
    for problem in report.problems[:_MAX_PROBLEMS]:
        screen.line(StyledText(f"  {problem}", "yellow"))
    named = len(report.problems)
    if (total := max(named, report.skipped + report.without_time + again + lost)) > _MAX_PROBLEMS:
        screen.line(StyledText(f"  and {total - _MAX_PROBLEMS:,} more", "yellow"))
