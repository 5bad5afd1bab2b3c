"""Analyses folders for their meaning, stores the results, and answers queries from them.

The knowledge layer is built on top: patterns, decisions and invariants, each a node with the files
it is about. They come from the memories about the code and from the patterns that the semantic
layer found; nobody enters them by hand.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from recollect.codegraph.co_change import LEAST_COMMITS, co_changed_pairs
from recollect.codegraph.graph import Graph
from recollect.codegraph.graph_cache import Graphs
from recollect.codegraph.meaning_task import (
    MEANING,
    PATTERN,
    ModuleSubgraph,
    edge_line,
    read_edges,
)
from recollect.codegraph.memory_links import CodeMemories
from recollect.inference.tasks import Tasks
from recollect.storage.code import chunks, history
from recollect.storage.code.meanings import MeaningRow, meanings, replace_meanings
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import (
    KnowledgeNode,
    Meaning,
    MeaningKind,
    NodeKind,
    Step,
    Touched,
    node_number,
)
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.spaces import Role, Space

#: Share of a change that travels along each kind of meaning: figures of the design documents.
WEIGHTS: Final = {
    MeaningKind.DEPENDS_LOGICALLY: 0.5,
    MeaningKind.IS_ENTRYPOINT_FOR: 0.8,
    MeaningKind.HANDLES_ERRORS_FROM: 0.4,
    MeaningKind.APPLIES_PATTERN: 0.3,
    MeaningKind.FLOWS_TO: 0.6,
}
#: Kind of a memory in the knowledge layer, by its type; one with the tag is an invariant too.
_KNOWLEDGE: Final = {
    MemoryType.PATTERN.value: "pattern",
    MemoryType.DECISION.value: "decision",
    MemoryType.REQUIREMENT.value: "invariant",
}
_INVARIANT: Final = "invariant"
_KINDS: Final = frozenset({"calls", "imports"})
_MEMORIES: Final = 10_000


class SemanticLayer:
    """The semantic layer and the knowledge layer of spaces."""

    def __init__(
        self, database: Database, graphs: Graphs, memories: CodeMemories, tasks: Tasks, clock: Clock
    ) -> None:
        self._database = database
        self._graphs = graphs
        self._memories = memories
        self._tasks = tasks
        self._clock = clock

    def analyse(self, viewer: Viewer, space: Space, module: str | None = None) -> list[Meaning]:
        """Find and store the relations between the parts of one folder or of all."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "analyse code")
            graph, _ = self._graphs.of(transaction, access)
            subgraphs = _subgraphs(transaction, access, graph, module)
        for given in subgraphs:
            answer = self._tasks.run(space.id, MEANING, given)
            rows = [
                MeaningRow(
                    given.module, one.source, one.kind.value, one.target, one.confidence, answer.by
                )
                for one in read_edges(given, answer.value)
            ]
            self._keep(viewer, space, given.module, rows)
        return self.listed(viewer, space, module)

    def _keep(self, viewer: Viewer, space: Space, module: str, rows: Sequence[MeaningRow]) -> None:
        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "analyse code")
            replace_meanings(transaction, access.space_id, module, rows, self._clock())

        self._database.write(work)

    def listed(self, viewer: Viewer, space: Space, module: str | None = None) -> list[Meaning]:
        """The edges of meaning found, of one folder or of all."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            self._graphs.index_of(transaction, access)
            rows = meanings(transaction, access)
        return [Meaning(*row) for row in rows if module is None or row.module == module]

    def knowledge(self, viewer: Viewer, space: Space) -> list[KnowledgeNode]:
        """Patterns, decisions and invariants of the code, each with its files."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, _ = self._graphs.of(transaction, access)
            known = self._memories.memories_of_files(
                transaction, access, sorted(graph.by_path), _MEMORIES
            )
            rows = meanings(transaction, access)
        found = []
        for one in known:
            kind = _INVARIANT if is_invariant(one) else _KNOWLEDGE.get(str(one["type"]))
            if kind is not None:
                paths = one["files"] if isinstance(one["files"], list) else []
                label, memory_id = str(one["content"]), str(one["id"])
                found.append(KnowledgeNode(kind, label, tuple(paths), memory_id))
        applied: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            if row.kind == MeaningKind.APPLIES_PATTERN:
                applied[row.target.removeprefix(PATTERN)].append(row.source)
        found += [
            KnowledgeNode("pattern", name, tuple(sorted(some))) for name, some in applied.items()
        ]
        return sorted(found, key=lambda one: (one.kind, one.label))


def is_invariant(memory: Mapping[str, object]) -> bool:
    """Whether a memory about code states something that must hold."""
    tags = memory.get("tags", ())
    tagged = isinstance(tags, Sequence) and _INVARIANT in tags
    return tagged or _KNOWLEDGE.get(str(memory["type"])) == _INVARIANT


def affected_by_meaning(
    graph: Graph, rows: Iterable[MeaningRow], places: Iterable[int]
) -> list[Touched]:
    """Nodes that a change reaches by meaning, one step away, most certain first."""
    start = {graph.nodes[place].label for place in places}
    found: dict[str, Touched] = {}
    for row in rows:
        kind = MeaningKind(row.kind)
        back = row.target in start and kind is not MeaningKind.FLOWS_TO
        onward = row.source in start and kind in {
            MeaningKind.FLOWS_TO,
            MeaningKind.DEPENDS_LOGICALLY,
        }
        label = row.target if onward else row.source
        place = _place(graph, label) if back or onward else None
        if place is None or label in start:
            continue
        score = round(WEIGHTS[kind] * row.confidence, 4)
        if label not in found or found[label].score < score:
            node = graph.nodes[place]
            step = Step(node, row.kind, row.made_by, round(row.confidence, 3))
            found[label] = Touched(node, 1, score, (step,), bool(graph.test[place]))
    return sorted(found.values(), key=lambda one: (-one.score, one.node.label))


def flowing(graph: Graph, rows: Iterable[MeaningRow], places: Iterable[int]) -> list[Touched]:
    """Nodes that receive the results of some nodes, directly or through others."""
    onward: dict[str, list[MeaningRow]] = defaultdict(list)
    for row in rows:
        if row.kind == MeaningKind.FLOWS_TO:
            onward[row.source].append(row)
    seen = {graph.nodes[place].label for place in places}
    waiting: list[tuple[str, tuple[Step, ...], float]] = [(label, (), 1.0) for label in seen]
    found = []
    for label, path, score in waiting:  # grows as it goes
        for row in onward.get(label, ()):
            place = _place(graph, row.target)
            if place is None or row.target in seen:
                continue
            seen.add(row.target)
            node = graph.nodes[place]
            way = (*path, Step(node, row.kind, row.made_by, round(row.confidence, 3)))
            worth = score * WEIGHTS[MeaningKind.FLOWS_TO] * row.confidence
            test = bool(graph.test[place])
            found.append(Touched(node, len(way), round(worth, 4), way, test))
            waiting.append((row.target, way, worth))
    return found


def _place(graph: Graph, label: str) -> int | None:
    path, _, name = label.partition("::")
    return graph.place.get(node_number(path, name))


def _module_of(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _subgraphs(
    transaction: Transaction, access: Access, graph: Graph, only: str | None
) -> list[ModuleSubgraph]:
    """The folders of the code, each with its names, edges, pairs and pieces of code."""
    files = [row for row in graph.files if row.language and row.role == "code"]
    names: dict[str, list[str]] = defaultdict(list)
    kept = {row.path: _module_of(row.path) for row in files}
    if only is not None:
        kept = {path: module for path, module in kept.items() if module == only}
    for node in graph.nodes:
        if node.path in kept and node.kind is not NodeKind.DIRECTORY:
            names[kept[node.path]].append(node.label)
    edges: dict[str, list[str]] = defaultdict(list)
    for edge in range(len(graph.sources)):
        kind = graph.kind_of(edge)
        source = graph.nodes[int(graph.sources[edge])]
        target = graph.nodes[int(graph.targets[edge])]
        if kind in _KINDS and target.kind is not NodeKind.DIRECTORY:
            line = edge_line(source.label, kind, target.label, float(graph.confidences[edge]))
            for module in {kept.get(source.path), kept.get(target.path)} - {None}:
                edges[module or ""].append(line)
    changes: dict[str, list[str]] = defaultdict(list)
    for pair in co_changed_pairs(history.sums(transaction, access, LEAST_COMMITS)):
        if pair.first in kept and pair.second in graph.by_path:
            line = edge_line(pair.first, "changes with", pair.second, pair.weight)
            changes[kept[pair.first]].append(line)
            names[kept[pair.first]].append(pair.second)
    code: dict[str, list[str]] = defaultdict(list)
    numbers = [row.file_id for row in files if row.path in kept]
    for path, name, text in chunks.texts_of_files(transaction, access, numbers):
        code[kept[path]].append(f"{path}::{name}\n{text}")
    return [
        ModuleSubgraph(
            module,
            tuple(dict.fromkeys(listed)),
            tuple(dict.fromkeys(edges[module])),
            tuple(changes[module]),
            tuple(code[module]),
        )
        for module, listed in sorted(names.items())
    ]
