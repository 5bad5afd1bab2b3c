"""Table of commands: purpose and module of each.

Help is generated from this table alone, so that showing it loads none of the modules. The order is
the one in which a newcomer reads them.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from recollect.vocabulary.lazy_imports import load

COMMANDS: Final = "recollect.surfaces.cli.commands"


class CatalogueEntry(NamedTuple):
    """One command."""

    name: str
    summary: str
    module: str  # in the package ``commands``
    attribute: str

    def load(self) -> Any:
        """Load the function, or the group of functions, behind the name."""
        return getattr(load(f"{COMMANDS}.{self.module}"), self.attribute)


SECTIONS: Final[dict[str, tuple[CatalogueEntry, ...]]] = {
    "Start here": (
        CatalogueEntry(
            "tour", "See what it does, in ten seconds, on a temporary file.", "tour", "tour"
        ),
    ),
    "Store and search": (
        CatalogueEntry("remember", "Store a memory.", "remember", "remember"),
        CatalogueEntry("recall", "Search memories, events and code.", "find", "recall"),
        CatalogueEntry(
            "assemble", "Assemble context for a prompt, within a budget.", "context", "assemble"
        ),
        CatalogueEntry(
            "expand", "Show the full text of memories in a context.", "context", "expand"
        ),
        CatalogueEntry("predict", "Predict which memories will be needed.", "context", "predict"),
        CatalogueEntry("ask", "Answer a question, with citations.", "ask", "ask"),
        CatalogueEntry("trend", "Show how often something came up over time.", "find", "trend"),
        CatalogueEntry("list", "List memories, newest first.", "list_memories", "list_memories"),
        CatalogueEntry("show", "Show everything about one memory or event.", "find", "show"),
        CatalogueEntry("history", "Show every change of a memory.", "find", "history"),
        CatalogueEntry("log", "List your questions and what they found.", "question_log", "log"),
        CatalogueEntry("feedback", "Give feedback on an answer.", "question_log", "feedback"),
        CatalogueEntry("edit", "Change a memory.", "edit", "edit"),
        CatalogueEntry("pin", "Pin a memory, so that it does not fade.", "remember", "pin"),
        CatalogueEntry(
            "forget", "Archive a memory, or delete it permanently.", "remember", "forget"
        ),
        CatalogueEntry("restore", "Restore an archived memory.", "remember", "restore"),
        CatalogueEntry(
            "contradictions", "List contradictions; resolve them.", "evolution", "contradictions"
        ),
    ),
    "Personal memory": (
        CatalogueEntry("say", "Talk to your memory, in your own words.", "personal", "say"),
        CatalogueEntry("undo", "Undo your last change, or one by its code.", "personal", "undo"),
        CatalogueEntry(
            "memory", "Show what is remembered about you, and open questions.", "personal", "memory"
        ),
        CatalogueEntry(
            "incognito", "Keep and recall nothing in a session.", "personal", "incognito"
        ),
        CatalogueEntry("audit", "List what you did to your memory.", "personal", "audit"),
        CatalogueEntry(
            "quarantine", "List quarantined texts; keep or delete them.", "personal", "quarantine"
        ),
        CatalogueEntry("budget", "Show budgets and what was spent.", "personal", "budget"),
    ),
    "Events": (
        CatalogueEntry("record", "Append an event to a stream.", "events", "record"),
        CatalogueEntry("read", "Read a stream in order, or list the streams.", "events", "read"),
        CatalogueEntry(
            "import", "Import a history, rules, or what was exported.", "import_history", "import_"
        ),
        CatalogueEntry("learn", "Learn from sessions of agents, and from git.", "learn", "learn"),
        CatalogueEntry("export", "Export everything you may see.", "export", "export"),
    ),
    "Team knowledge": (
        CatalogueEntry("member", "List members; add people, set roles.", "people", "member"),
        CatalogueEntry("alias", "List aliases of members; confirm one.", "people", "alias"),
        CatalogueEntry("team", "List teams and organisations; create one.", "people", "team"),
        CatalogueEntry("onboarding", "Show a newcomer what matters most.", "people", "onboarding"),
        CatalogueEntry(
            "propose", "Propose one of your memories to the project.", "people", "propose"
        ),
        CatalogueEntry("adopt", "Adopt a proposed memory for the project.", "people", "adopt"),
        CatalogueEntry("dispute", "List disputes; open or settle one.", "disputes", "dispute"),
        CatalogueEntry("memo", "List memos; save, show, find or rate one.", "workspace", "memo"),
        CatalogueEntry("topics", "List topics with their memos.", "workspace", "topics"),
        CatalogueEntry("experts", "Find who knows about something.", "workspace", "experts"),
        CatalogueEntry("gaps", "List questions that find nothing.", "workspace", "gaps"),
        CatalogueEntry(
            "suggest", "Suggest what is already known about a text.", "workspace", "suggest"
        ),
        CatalogueEntry("related", "Show what else is about an event.", "workspace", "related"),
    ),
    "Code": (
        CatalogueEntry("index", "Index a project's code, or what changed in it.", "code", "index"),
        CatalogueEntry("watch", "Watch a folder and keep its index up to date.", "code", "watch"),
        CatalogueEntry(
            "impact", "Analyse what may break when something changes.", "code", "impact"
        ),
        CatalogueEntry("deps", "List dependencies, or dependents.", "code", "deps"),
        CatalogueEntry("flow", "Trace data flow from a symbol to others.", "code", "flow"),
        CatalogueEntry("map", "Show the module map and what memory knows.", "code", "map_"),
        CatalogueEntry("graph", "Export the graph, or list cycles and dead code.", "code", "graph"),
    ),
    "Agents": (
        CatalogueEntry("agent", "Install into the agent you use, or uninstall.", "agents", "agent"),
        CatalogueEntry("review", "Review what the last session learned.", "review", "review"),
        CatalogueEntry("trust", "Show or set how far agents are trusted here.", "review", "trust"),
        CatalogueEntry(
            "experiment", "Compare sessions with and without memory.", "experiment", "experiment"
        ),
        CatalogueEntry(
            "weights", "List proposed ranking weights; apply them.", "experiment", "weights"
        ),
        CatalogueEntry("mcp", "Serve the memory to agents, by MCP.", "mcp", "mcp"),
    ),
    "Servers and sync": (
        CatalogueEntry("serve", "Run the HTTP server and queued jobs.", "serve", "serve"),
        CatalogueEntry("token", "List, create and revoke access tokens.", "tokens", "token"),
        CatalogueEntry("sync", "Exchange this space with a server.", "sync", "sync"),
        CatalogueEntry(
            "conflicts", "List what two devices changed; keep one.", "sync", "conflicts"
        ),
    ),
    "Maintenance": (
        CatalogueEntry("stats", "Show how much is stored, and metrics.", "reports", "stats"),
        CatalogueEntry("spaces", "List your spaces; rename, archive, delete.", "rights", "spaces"),
        CatalogueEntry("person", "Show, export or delete a person's data.", "rights", "person"),
        CatalogueEntry("archive", "Archive the whole store; restore it.", "move", "archive"),
        CatalogueEntry("tenant", "Give each organisation its own store.", "tenants", "tenant"),
        CatalogueEntry("doctor", "Check the store and say what to do.", "doctor", "doctor"),
        CatalogueEntry("rebuild", "Rebuild the search index.", "doctor", "rebuild"),
        CatalogueEntry("move", "Move a whole store to another address.", "move", "move"),
        CatalogueEntry("worker", "Run queued jobs.", "worker", "worker"),
        CatalogueEntry(
            "evolve", "Run nightly maintenance now; list or undo runs.", "evolution", "evolve"
        ),
        CatalogueEntry(
            "consolidate",
            "Merge similar facts and shorten old episodes.",
            "evolution",
            "consolidate",
        ),
        CatalogueEntry("jobs", "List failed jobs; retry them.", "jobs", "jobs"),
        CatalogueEntry("settings", "List the settings, or change one.", "settings", "settings"),
        CatalogueEntry("bench", "Measure recall: what it finds, and how fast.", "bench", "bench"),
        CatalogueEntry("version", "Show the version.", "reports", "version"),
    ),
}
#: Commands that answer and end: they load no library before it is used.
SHORT: Final = SECTIONS["Store and search"]


def entries() -> Iterator[CatalogueEntry]:
    """All commands."""
    for section in SECTIONS.values():
        yield from section


def entry(name: str) -> CatalogueEntry | None:
    """Entry of the command of that name."""
    return next((found for found in entries() if found.name == name), None)
