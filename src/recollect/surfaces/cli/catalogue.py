"""The table of commands: what each is for, and the module it is in.

Help is written from this table alone, so asking for it loads none of the modules. The order here
is the order in which a newcomer reads them.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple


class Entry(NamedTuple):
    """One command."""

    name: str
    summary: str
    module: Callable[[], Any]
    attribute: str

    def load(self) -> Any:
        """The function, or the group of functions, behind the name."""
        return getattr(self.module(), self.attribute)


def _keeping() -> Any:
    from recollect.surfaces.cli.commands import keeping

    return keeping


def _editing() -> Any:
    from recollect.surfaces.cli.commands import editing

    return editing


def _finding() -> Any:
    from recollect.surfaces.cli.commands import finding

    return finding


def _answering() -> Any:
    from recollect.surfaces.cli.commands import answering

    return answering


def _listing() -> Any:
    from recollect.surfaces.cli.commands import listing

    return listing


def _streaming() -> Any:
    from recollect.surfaces.cli.commands import streaming

    return streaming


def _importing() -> Any:
    from recollect.surfaces.cli.commands import importing

    return importing


def _coding() -> Any:
    from recollect.surfaces.cli.commands import coding

    return coding


def _learning() -> Any:
    from recollect.surfaces.cli.commands import learning

    return learning


def _exporting() -> Any:
    from recollect.surfaces.cli.commands import exporting

    return exporting


def _reporting() -> Any:
    from recollect.surfaces.cli.commands import reporting

    return reporting


def _doctoring() -> Any:
    from recollect.surfaces.cli.commands import doctoring

    return doctoring


def _moving() -> Any:
    from recollect.surfaces.cli.commands import moving

    return moving


def _working() -> Any:
    from recollect.surfaces.cli.commands import working

    return working


def _queueing() -> Any:
    from recollect.surfaces.cli.commands import queueing

    return queueing


def _configuring() -> Any:
    from recollect.surfaces.cli.commands import configuring

    return configuring


def _admitting() -> Any:
    from recollect.surfaces.cli.commands import admitting

    return admitting


def _serving() -> Any:
    from recollect.surfaces.cli.commands import serving

    return serving


def _benching() -> Any:
    from recollect.surfaces.cli.commands import benching

    return benching


def _personal() -> Any:
    from recollect.surfaces.cli.commands import personal

    return personal


def _touring() -> Any:
    from recollect.surfaces.cli.commands import touring

    return touring


def _mcp_serving() -> Any:
    from recollect.surfaces.cli.commands import mcp_serving

    return mcp_serving


def _agents() -> Any:
    from recollect.surfaces.cli.commands import agents

    return agents


def _reviewing() -> Any:
    from recollect.surfaces.cli.commands import reviewing

    return reviewing


SECTIONS: Final[dict[str, tuple[Entry, ...]]] = {
    "Start here": (
        Entry("tour", "See what it does, in ten seconds, on a temporary file.", _touring, "tour"),
    ),
    "Keep and find": (
        Entry("remember", "Keep something worth finding again.", _keeping, "remember"),
        Entry("recall", "Find what a question is about, best first.", _finding, "recall"),
        Entry("trend", "Show how often something came up over time.", _finding, "trend"),
        Entry("list", "List memories, newest first.", _listing, "list_memories"),
        Entry("show", "Show everything about one memory or event.", _finding, "show"),
        Entry("history", "Show every change of a memory.", _finding, "history"),
        Entry("log", "List what you asked, and what it brought.", _answering, "log"),
        Entry("feedback", "Say what an answer was worth.", _answering, "feedback"),
        Entry("edit", "Change a memory.", _editing, "edit"),
        Entry("pin", "Keep a memory from fading.", _keeping, "pin"),
        Entry("forget", "Put a memory away, or erase it for good.", _keeping, "forget"),
        Entry("restore", "Bring back a memory that was put away.", _keeping, "restore"),
    ),
    "Your own memory": (
        Entry("say", "Speak to your memory, in your own words.", _personal, "say"),
        Entry("undo", "Take back what was done to your memory.", _personal, "undo"),
        Entry("memory", "Show what is remembered of you; on, off.", _personal, "memory"),
        Entry("incognito", "Keep and recall nothing in a session.", _personal, "incognito"),
        Entry("audit", "List what you did to your memory.", _personal, "audit"),
        Entry("quarantine", "Look at texts that were set aside.", _personal, "quarantine"),
        Entry("budget", "Show what may be spent, and what was.", _personal, "budget"),
    ),
    "What happened": (
        Entry("record", "Append an event to a stream.", _streaming, "record"),
        Entry("read", "Read a stream in order, or list the streams.", _streaming, "read"),
        Entry("import", "Import a history, rules, or what was exported.", _importing, "import_"),
        Entry("learn", "Learn from sessions of agents, and from git.", _learning, "learn"),
        Entry("export", "Write out all you may see: JSON or Markdown.", _exporting, "export"),
    ),
    "Code": (
        Entry("index", "Read a project's code, or what changed of it.", _coding, "index"),
        Entry("watch", "Keep the index up to a folder while it changes.", _coding, "watch"),
        Entry("impact", "Say what may break when something changes.", _coding, "impact"),
        Entry("deps", "Say what something needs, or what needs it.", _coding, "deps"),
        Entry("flow", "Follow what a symbol calls, or the way to another.", _coding, "flow"),
        Entry("map", "Show the folders of the code and what memory knows.", _coding, "map_"),
        Entry("graph", "Write the graph out, or list cycles and unused code.", _coding, "graph"),
    ),
    "With agents": (
        Entry("agent", "Put memory into the agent you use, or out of it.", _agents, "agent"),
        Entry("review", "Go through what the last session learned.", _reviewing, "review"),
        Entry("trust", "Say how far agents are trusted here.", _reviewing, "trust"),
        Entry("mcp", "Serve the memory to agents, by MCP.", _mcp_serving, "mcp"),
    ),
    "For other programs": (
        Entry("serve", "Answer over HTTP, and do the waiting work.", _serving, "serve"),
        Entry("token", "List the access tokens; make one, take one back.", _admitting, "token"),
    ),
    "Look after it": (
        Entry("stats", "Say how much is kept, and where.", _reporting, "stats"),
        Entry("spaces", "List the spaces you belong to.", _reporting, "spaces"),
        Entry("doctor", "Check the store and say what to do.", _doctoring, "doctor"),
        Entry("rebuild", "Make the search index anew.", _doctoring, "rebuild"),
        Entry("move", "Move a whole store to another address.", _moving, "move"),
        Entry("worker", "Do the work that is waiting.", _working, "worker"),
        Entry("jobs", "List the jobs that failed; try them again.", _queueing, "jobs"),
        Entry("settings", "List the settings, or change one.", _configuring, "settings"),
        Entry("bench", "Measure recall: what it finds, and how fast.", _benching, "bench"),
        Entry("version", "Say which version this is.", _reporting, "version"),
    ),
}


def entries() -> Iterator[Entry]:
    """Every command."""
    for section in SECTIONS.values():
        yield from section


def entry(name: str) -> Entry | None:
    """The command of that name."""
    return next((found for found in entries() if found.name == name), None)
