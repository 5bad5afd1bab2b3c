"""The table of commands: what each is for, and the module it is in.

Help is written from this table alone, so asking for it loads none of the modules. The order here
is the order in which a newcomer reads them.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple


class CatalogueEntry(NamedTuple):
    """One command."""

    name: str
    summary: str
    module: Callable[[], Any]
    attribute: str

    def load(self) -> Any:
        """The function, or the group of functions, behind the name."""
        return getattr(self.module(), self.attribute)


def _keeping() -> Any:
    from recollect.surfaces.cli.commands import remember

    return remember


def _editing() -> Any:
    from recollect.surfaces.cli.commands import edit

    return edit


def _finding() -> Any:
    from recollect.surfaces.cli.commands import find

    return find


def _answering() -> Any:
    from recollect.surfaces.cli.commands import question_log

    return question_log


def _listing() -> Any:
    from recollect.surfaces.cli.commands import list_memories

    return list_memories


def _streaming() -> Any:
    from recollect.surfaces.cli.commands import events

    return events


def _importing() -> Any:
    from recollect.surfaces.cli.commands import import_history

    return import_history


def _coding() -> Any:
    from recollect.surfaces.cli.commands import code

    return code


def _learning() -> Any:
    from recollect.surfaces.cli.commands import learn

    return learn


def _exporting() -> Any:
    from recollect.surfaces.cli.commands import export

    return export


def _reporting() -> Any:
    from recollect.surfaces.cli.commands import reports

    return reports


def _doctoring() -> Any:
    from recollect.surfaces.cli.commands import doctor

    return doctor


def _moving() -> Any:
    from recollect.surfaces.cli.commands import move

    return move


def _working() -> Any:
    from recollect.surfaces.cli.commands import worker

    return worker


def _queueing() -> Any:
    from recollect.surfaces.cli.commands import jobs

    return jobs


def _configuring() -> Any:
    from recollect.surfaces.cli.commands import settings

    return settings


def _admitting() -> Any:
    from recollect.surfaces.cli.commands import tokens

    return tokens


def _serving() -> Any:
    from recollect.surfaces.cli.commands import serve

    return serve


def _benching() -> Any:
    from recollect.surfaces.cli.commands import bench

    return bench


def _personal() -> Any:
    from recollect.surfaces.cli.commands import personal

    return personal


def _touring() -> Any:
    from recollect.surfaces.cli.commands import tour

    return tour


def _mcp_serving() -> Any:
    from recollect.surfaces.cli.commands import mcp

    return mcp


def _agents() -> Any:
    from recollect.surfaces.cli.commands import agents

    return agents


def _reviewing() -> Any:
    from recollect.surfaces.cli.commands import review

    return review


SECTIONS: Final[dict[str, tuple[CatalogueEntry, ...]]] = {
    "Start here": (
        CatalogueEntry(
            "tour", "See what it does, in ten seconds, on a temporary file.", _touring, "tour"
        ),
    ),
    "Keep and find": (
        CatalogueEntry("remember", "Store a memory.", _keeping, "remember"),
        CatalogueEntry("recall", "Search memories, events and code.", _finding, "recall"),
        CatalogueEntry("trend", "Show how often something came up over time.", _finding, "trend"),
        CatalogueEntry("list", "List memories, newest first.", _listing, "list_memories"),
        CatalogueEntry("show", "Show everything about one memory or event.", _finding, "show"),
        CatalogueEntry("history", "Show every change of a memory.", _finding, "history"),
        CatalogueEntry("log", "List your questions and what they found.", _answering, "log"),
        CatalogueEntry("feedback", "Give feedback on an answer.", _answering, "feedback"),
        CatalogueEntry("edit", "Change a memory.", _editing, "edit"),
        CatalogueEntry("pin", "Pin a memory, so that it does not fade.", _keeping, "pin"),
        CatalogueEntry("forget", "Archive a memory, or delete it permanently.", _keeping, "forget"),
        CatalogueEntry("restore", "Restore an archived memory.", _keeping, "restore"),
    ),
    "Your own memory": (
        CatalogueEntry("say", "Talk to your memory, in your own words.", _personal, "say"),
        CatalogueEntry("undo", "Undo what was done to your memory.", _personal, "undo"),
        CatalogueEntry("memory", "Show what is remembered of you; on, off.", _personal, "memory"),
        CatalogueEntry(
            "incognito", "Keep and recall nothing in a session.", _personal, "incognito"
        ),
        CatalogueEntry("audit", "List what you did to your memory.", _personal, "audit"),
        CatalogueEntry(
            "quarantine", "List quarantined texts; keep or delete them.", _personal, "quarantine"
        ),
        CatalogueEntry("budget", "Show what may be spent, and what was.", _personal, "budget"),
    ),
    "What happened": (
        CatalogueEntry("record", "Append an event to a stream.", _streaming, "record"),
        CatalogueEntry("read", "Read a stream in order, or list the streams.", _streaming, "read"),
        CatalogueEntry(
            "import", "Import a history, rules, or what was exported.", _importing, "import_"
        ),
        CatalogueEntry("learn", "Learn from sessions of agents, and from git.", _learning, "learn"),
        CatalogueEntry("export", "Export all you may see: JSON or Markdown.", _exporting, "export"),
    ),
    "Code": (
        CatalogueEntry("index", "Index a project's code, or what changed in it.", _coding, "index"),
        CatalogueEntry("watch", "Watch a folder and keep its index up to date.", _coding, "watch"),
        CatalogueEntry(
            "impact", "Analyse what may break when something changes.", _coding, "impact"
        ),
        CatalogueEntry("deps", "List dependencies, or dependents.", _coding, "deps"),
        CatalogueEntry("flow", "Trace data flow from a symbol, or to another.", _coding, "flow"),
        CatalogueEntry("map", "Show the module map and what memory knows.", _coding, "map_"),
        CatalogueEntry(
            "graph", "Export the graph, or list cycles and dead code.", _coding, "graph"
        ),
    ),
    "With agents": (
        CatalogueEntry("agent", "Install into the agent you use, or uninstall.", _agents, "agent"),
        CatalogueEntry("review", "Review what the last session learned.", _reviewing, "review"),
        CatalogueEntry(
            "trust", "Show or set how far agents are trusted here.", _reviewing, "trust"
        ),
        CatalogueEntry("mcp", "Serve the memory to agents, by MCP.", _mcp_serving, "mcp"),
    ),
    "For other programs": (
        CatalogueEntry("serve", "Run the HTTP server and do queued jobs.", _serving, "serve"),
        CatalogueEntry("token", "List, create and revoke access tokens.", _admitting, "token"),
    ),
    "Look after it": (
        CatalogueEntry("stats", "Show how much is stored, and where.", _reporting, "stats"),
        CatalogueEntry("spaces", "List the spaces you belong to.", _reporting, "spaces"),
        CatalogueEntry("doctor", "Check the store and say what to do.", _doctoring, "doctor"),
        CatalogueEntry("rebuild", "Rebuild the search index.", _doctoring, "rebuild"),
        CatalogueEntry("move", "Move a whole store to another address.", _moving, "move"),
        CatalogueEntry("worker", "Run queued jobs.", _working, "worker"),
        CatalogueEntry("jobs", "List failed jobs; retry them.", _queueing, "jobs"),
        CatalogueEntry("settings", "List the settings, or change one.", _configuring, "settings"),
        CatalogueEntry("bench", "Measure recall: what it finds, and how fast.", _benching, "bench"),
        CatalogueEntry("version", "Say which version this is.", _reporting, "version"),
    ),
}


def entries() -> Iterator[CatalogueEntry]:
    """Every command."""
    for section in SECTIONS.values():
        yield from section


def entry(name: str) -> CatalogueEntry | None:
    """The command of that name."""
    return next((found for found in entries() if found.name == name), None)
