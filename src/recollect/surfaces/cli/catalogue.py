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


def _listing() -> Any:
    from recollect.surfaces.cli.commands import listing

    return listing


def _streaming() -> Any:
    from recollect.surfaces.cli.commands import streaming

    return streaming


def _importing() -> Any:
    from recollect.surfaces.cli.commands import importing

    return importing


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


def _benching() -> Any:
    from recollect.surfaces.cli.commands import benching

    return benching


def _touring() -> Any:
    from recollect.surfaces.cli.commands import touring

    return touring


def _serving() -> Any:
    from recollect.surfaces.cli.commands import serving

    return serving


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
        Entry("list", "List memories, newest first.", _listing, "list_memories"),
        Entry("show", "Show everything about one memory or event.", _finding, "show"),
        Entry("history", "Show every change of a memory.", _finding, "history"),
        Entry("edit", "Change a memory.", _editing, "edit"),
        Entry("pin", "Keep a memory from fading.", _keeping, "pin"),
        Entry("forget", "Put a memory away, or erase it for good.", _keeping, "forget"),
        Entry("restore", "Bring back a memory that was put away.", _keeping, "restore"),
    ),
    "What happened": (
        Entry("record", "Append an event to a stream.", _streaming, "record"),
        Entry("read", "Read a stream in order, or list the streams.", _streaming, "read"),
        Entry(
            "import",
            "Import a history: JSONL, Slack, agents' transcripts, rules.",
            _importing,
            "import_",
        ),
        Entry("learn", "Learn from sessions of agents, and from git.", _learning, "learn"),
        Entry("export", "Write out all you may see: JSON or Markdown.", _exporting, "export"),
    ),
    "With agents": (
        Entry("agent", "Put memory into the agent you use, or out of it.", _agents, "agent"),
        Entry("review", "Go through what the last session learned.", _reviewing, "review"),
        Entry("trust", "Say how far agents are trusted here.", _reviewing, "trust"),
        Entry("mcp", "Serve the memory to agents, by MCP.", _serving, "mcp"),
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
