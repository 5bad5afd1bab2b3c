"""Questions about the code as a whole: cycles, dead code, entry points, the map of its folders."""

from collections import defaultdict

from recollect.codegraph.cycles_and_map import map_of, strongly_connected_components
from recollect.codegraph.graph_cache import Graphs
from recollect.codegraph.memory_links import CodeMemories
from recollect.storage.database import Database
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.code import ModuleRow, Node, NodeKind
from recollect.vocabulary.spaces import Space


class WholeCode:
    """Answers questions about all of a space's code."""

    def __init__(self, database: Database, graphs: Graphs, memories: CodeMemories) -> None:
        self._database = database
        self._graphs = graphs
        self._memories = memories

    def cycles(self, viewer: Viewer, space: Space) -> list[list[str]]:
        """Files that import one another in a cycle, largest cycles first."""
        graph, _ = self._graphs.opened(viewer, space)
        needs: dict[str, set[str]] = defaultdict(set)
        for edge in range(len(graph.sources)):
            if graph.kind_of(edge) == "imports":
                source = graph.nodes[int(graph.sources[edge])]
                target = graph.nodes[int(graph.targets[edge])]
                if source.path != target.path and target.kind is not NodeKind.DIRECTORY:
                    needs[source.path].add(target.path)
        rings = [ring for ring in strongly_connected_components(needs) if len(ring) > 1]
        return sorted((sorted(ring) for ring in rings), key=lambda ring: (-len(ring), ring))

    def unused(self, viewer: Viewer, space: Space) -> list[Node]:
        """Functions, methods and classes without a known use: candidates, no verdict."""
        graph, _ = self._graphs.opened(viewer, space)
        used = {int(place) for place in graph.targets}
        found = []
        for place, node in enumerate(graph.nodes):
            last = node.name.rpartition(".")[2]
            if (
                node.name
                and node.kind is not NodeKind.MODULE
                and place not in used
                and not graph.test[place]
                and not (last.startswith("__") and last.endswith("__"))
                and last not in {"main", "init", "setup", "default"}
            ):
                found.append(node)
        return sorted(found, key=lambda node: (node.path, node.start_line))

    def entry_points(self, viewer: Viewer, space: Space) -> list[Node]:
        """Entry points: files that nothing imports, and functions called main."""
        graph, _ = self._graphs.opened(viewer, space)
        used = {int(place) for place in graph.targets}
        calling = {int(place) for place in graph.sources}
        found = []
        for place, node in enumerate(graph.nodes):
            if graph.test[place] or node.kind is NodeKind.DIRECTORY:
                continue
            row = graph.by_path.get(node.path)
            lonely = node.kind is NodeKind.FILE and place not in used and place in calling
            named = node.name in {"main", "Main", "Main.main", "cli", "app"}
            if row is not None and row.role == "code" and (lonely or named):
                found.append(node)
        return sorted(found, key=lambda node: (node.path, node.start_line))

    def module_map(self, viewer: Viewer, space: Space, *, depth: int = 2) -> list[ModuleRow]:
        """The folders of the code: their size, their dependencies, and the memories about them."""
        whole(depth, 1, 20, "A map goes to a depth of")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, _ = self._graphs.of(transaction, access)
            known = self._memories.memories_of_files(
                transaction, access, sorted(graph.by_path), most=10_000
            )
        return map_of(graph, known, depth)
