"""Code graph API: index, impact, dependencies, flow, module map, and related memories."""

import builtins
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.code import (
    Impact,
    IndexReport,
    KnowledgeNode,
    Meaning,
    ModuleRow,
    Neighbourhood,
    Node,
    Staleness,
)
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.codegraph.indexer import CodeIndexer
    from recollect.codegraph.questions import CodeQuestions
    from recollect.codegraph.watcher import Watcher

A = TypeVar("A", Impact, Neighbourhood)
Progress = Callable[[int, int, str], None]


class CodeServices:
    """Services of code, created on first use: parsers are not loaded at start."""

    def __init__(
        self,
        indexer: "Callable[[], CodeIndexer]",
        questions: "Callable[[], CodeQuestions]",
    ) -> None:
        self._make_indexer = indexer
        self._make_questions = questions
        self._indexer: CodeIndexer | None = None
        self._questions: CodeQuestions | None = None

    @property
    def indexer(self) -> "CodeIndexer":
        """The service that writes the index."""
        if self._indexer is None:
            self._indexer = self._make_indexer()
        return self._indexer

    @property
    def questions(self) -> "CodeQuestions":
        """The service that answers from the index."""
        if self._questions is None:
            self._questions = self._make_questions()
        return self._questions


class Code:
    """The code of one space, for one viewer."""

    def __init__(self, services: CodeServices, viewer: Viewer, space: Space) -> None:
        self._services = services
        self._viewer = viewer
        self._space = space

    def index(
        self,
        root: str | PathLike[str] = ".",
        *,
        progress: Progress | None = None,
        replace: bool = False,
        history: bool = True,
        only: "builtins.list[str] | None" = None,
    ) -> IndexReport:
        """Index a folder's code, or what changed in it since the last time."""
        return self._services.indexer.index(
            self._viewer,
            self._space,
            root,
            progress=progress,
            replace=replace,
            history=history,
            only=only,
        )

    def watch(self, root: str | PathLike[str] = ".") -> "Watcher":
        """Keep the index up to date with a folder; iterate over the reports of each change."""
        from recollect.codegraph.watcher import Watcher

        return Watcher(self._services.indexer, self._viewer, self._space, root)

    @repeatable
    def impact(
        self, target: str, *, depth: int = 3, limit: int = 200, since: str | None = None
    ) -> Impact:
        """What may break if a target changes: a path, a symbol, path:line, or ``diff``."""
        ask = partial(
            self._services.questions.impact,
            self._viewer,
            self._space,
            target,
            depth=depth,
            limit=limit,
            since=since,
        )
        return self._on_current_index(ask)

    @repeatable
    def dependencies(self, target: str, *, depth: int = 1, limit: int = 200) -> Neighbourhood:
        """Dependencies of a target."""
        ask = partial(
            self._services.questions.dependencies,
            self._viewer,
            self._space,
            target,
            depth=depth,
            limit=limit,
        )
        return self._on_current_index(ask)

    @repeatable
    def dependants(self, target: str, *, depth: int = 1, limit: int = 200) -> Neighbourhood:
        """Dependants of a target."""
        ask = partial(
            self._services.questions.dependants,
            self._viewer,
            self._space,
            target,
            depth=depth,
            limit=limit,
        )
        return self._on_current_index(ask)

    @repeatable
    def flow(self, source: str, target: str | None = None, *, depth: int = 8) -> Neighbourhood:
        """Where the data of a symbol flows, or the path from it to another."""
        ask = partial(
            self._services.questions.flow, self._viewer, self._space, source, target, depth=depth
        )
        return self._on_current_index(ask)

    def _on_current_index(self, ask: Callable[[], A]) -> A:
        """Run a query on up-to-date files: changed files are indexed first.

        If that is not allowed or not possible, their earlier edges are left out of the answer.
        """
        found = ask()
        if not found.stale:
            return found
        root = self._services.questions.graphs.status(self._viewer, self._space)["root"]
        try:
            self._services.indexer.index(self._viewer, self._space, root, only=list(found.stale))
        except RecollectError:
            return found
        return ask()

    @repeatable
    def cycles(self) -> list[list[str]]:
        """Import cycles."""
        return self._services.questions.whole.cycles(self._viewer, self._space)

    @repeatable
    def unused(self) -> list[Node]:
        """Definitions without a known use: candidates, not certain."""
        return self._services.questions.whole.unused(self._viewer, self._space)

    @repeatable
    def entry_points(self) -> list[Node]:
        """Entry points of the code."""
        return self._services.questions.whole.entry_points(self._viewer, self._space)

    @repeatable
    def map(self, *, depth: int = 2) -> list[ModuleRow]:
        """Module map: the folders of the code, with what memory knows of each."""
        return self._services.questions.whole.module_map(self._viewer, self._space, depth=depth)

    @repeatable
    def changed_since(self, commit: str, *, depth: int = 3, limit: int = 200) -> Impact:
        """Changes since a commit, and what they affect."""
        ask = partial(
            self._services.questions.changed_since,
            self._viewer,
            self._space,
            commit,
            depth=depth,
            limit=limit,
        )
        return self._on_current_index(ask)

    @repeatable
    def memories_of(self, target: str) -> list[Mapping[str, object]]:
        """The memories about a target."""
        return self._services.questions.memories.of(self._viewer, self._space, target)

    @repeatable
    def staleness(self, memory_id: str | None = None) -> builtins.list[Staleness]:
        """Which memories about code may be out of date, and why."""
        return self._services.questions.memories.staleness(self._viewer, self._space, memory_id)

    def analyse(self, module: str | None = None) -> builtins.list[Meaning]:
        """Analyse how the parts of one folder, or of all, relate to each other.

        By a model if one is configured, otherwise by rules.
        """
        return self._services.questions.meanings.analyse(self._viewer, self._space, module)

    @repeatable
    def meanings(self, module: str | None = None) -> builtins.list[Meaning]:
        """Semantic relations between parts of the code, as far as analysed."""
        return self._services.questions.meanings.listed(self._viewer, self._space, module)

    @repeatable
    def knowledge(self) -> builtins.list[KnowledgeNode]:
        """Patterns, decisions and invariants of the code."""
        return self._services.questions.meanings.knowledge(self._viewer, self._space)

    @repeatable
    def nodes_of(self, memory_id: str) -> list[Node]:
        """The nodes that a memory is about."""
        return self._services.questions.memories.nodes_of(self._viewer, self._space, memory_id)

    def export(self, form: str = "json", *, files_only: bool = False) -> Iterator[str]:
        """The graph as JSON, GraphML, Mermaid or DOT, line by line."""
        from recollect.codegraph.exporter import export

        graph, _ = self._services.questions.graphs.opened(self._viewer, self._space)
        return export(graph, form, files_only=files_only)

    @repeatable
    def status(self) -> dict[str, Any]:
        """State of the index: what is indexed, and whether it is complete."""
        return self._services.questions.graphs.status(self._viewer, self._space)
