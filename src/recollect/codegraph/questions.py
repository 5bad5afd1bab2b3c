"""The questions that the graph answers: impact, dependencies, flow, cycles, dead code, the map.

The graph of a space is kept in memory and read again when its version moved, so an answer never
stands on edges that are gone.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from recollect.codegraph import git
from recollect.codegraph.graph import Graph
from recollect.codegraph.parts import Numbers, parts_of
from recollect.codegraph.reaching import Reached, walk
from recollect.codegraph.shape import map_of, rings_of
from recollect.codegraph.staleness import Staleness, staleness_of
from recollect.codegraph.targets import places_in, places_of, with_members
from recollect.storage import code, memories
from recollect.storage.database import Database, Transaction
from recollect.trust.visibility import look
from recollect.vocabulary.audiences import Sight, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.code import (
    Impact,
    ModuleRow,
    Neighbourhood,
    Node,
    NodeKind,
    Step,
    Touched,
)
from recollect.vocabulary.errors import CodeNotIndexed, InvalidInput
from recollect.vocabulary.numbers import whole
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

DEEPEST: Final = 100
_KEPT: Final = 8
_FLOW: Final = 1_000
_MEMORIES: Final = 20
_STALE_LOOKED_AT: Final = 1_000
_NO_CODE: Final = "No code is indexed in this space."
_NO_CODE_HINT: Final = "Run 'recollect index' in its folder."
_UNFINISHED: Final = "The index is not finished; this may be incomplete."
_DIFF: Final = frozenset({"diff", "git diff", "--diff"})


class CodeQuestions:
    """Answers from the graphs of the spaces asked about lately."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._graphs: OrderedDict[str, tuple[int, Graph]] = OrderedDict()

    def graph(self, transaction: Transaction, sight: Sight) -> tuple[Graph, Any]:
        """The graph as it stands now, and the row of its index."""
        index = code.get_index(transaction, sight)
        if index is None:
            raise CodeNotIndexed(_NO_CODE, hint=_NO_CODE_HINT)
        with self._lock:
            known = self._graphs.get(sight.space_id)
            if known is not None and known[0] == index.version:
                self._graphs.move_to_end(sight.space_id)
                return known[1], index
        touched = code.touched_since(index, known[0]) if known is not None else None
        if known is None or touched is None:
            files = code.files(transaction, sight)
            nodes, edges = code.nodes(transaction, sight), code.edges(transaction, sight)
            graph = Graph.of(parts_of(files, nodes, edges))
        else:
            fresh = parts_of(*code.parts(transaction, sight, sorted(touched)))
            graph = known[1].followed(fresh, touched - fresh.keys())
        with self._lock:
            self._graphs[sight.space_id] = index.version, graph
            if len(self._graphs) > _KEPT:
                self._graphs.popitem(last=False)
        return graph, index

    def impact(
        self,
        viewer: Viewer,
        space: Space,
        target: str,
        *,
        depth: int = 3,
        limit: int = 200,
        since: str | None = None,
    ) -> Impact:
        """What may break when a target changes; with ``since``, when all that changed since did."""
        whole(depth, 1, DEEPEST, "Impact goes to a depth of")
        whole(limit, 1, 100_000, "Impact lists")
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            graph, index = self.graph(transaction, sight)
            named, seeds = self._seeds(graph, index, target, since)
            start = with_members(graph, _with_folders(graph, seeds))
            reached = walk(graph, start, graph.backward, depth=depth)
            places = _ordered(reached, start)
            tests, others = places[graph.test[places]], places[~graph.test[places]]
            paths = {graph.nodes[place].path for place in seeds}
            paths |= {graph.nodes[place].path for place in places[:50].tolist()}
            known = self._memories(transaction, sight, sorted(paths))
        score = float(1 - 1 / (1 + float(reached.scores[places].sum()) / 10))
        return Impact(
            target=named,
            seeds=tuple(graph.nodes[place] for place in seeds),
            touched=tuple(_touched(graph, reached, others[:limit])),
            tests=tuple(_touched(graph, reached, tests[:limit])),
            memories=tuple(known),
            score=round(score, 3),
            depth=depth,
            cut=max(0, len(others) - limit) + max(0, len(tests) - limit),
            notes=() if index.complete else (_UNFINISHED,),
        )

    def dependencies(
        self, viewer: Viewer, space: Space, target: str, *, depth: int = 1, limit: int = 200
    ) -> Neighbourhood:
        """What a target needs."""
        return self._reach(viewer, space, target, depth=depth, limit=limit, back=False)

    def dependants(
        self, viewer: Viewer, space: Space, target: str, *, depth: int = 1, limit: int = 200
    ) -> Neighbourhood:
        """What needs a target."""
        return self._reach(viewer, space, target, depth=depth, limit=limit, back=True)

    def _reach(
        self, viewer: Viewer, space: Space, target: str, *, depth: int, limit: int, back: bool
    ) -> Neighbourhood:
        whole(depth, 1, DEEPEST, "This goes to a depth of")
        with self._database.reading() as transaction:
            graph, index = self.graph(transaction, look(transaction, viewer, space))
            named, seeds = self._seeds(graph, index, target, None)
        start = with_members(graph, _with_folders(graph, seeds) if back else seeds)
        rows = graph.backward if back else graph.forward
        reached = walk(graph, start, rows, depth=depth)
        places = _ordered(reached, start)[:limit]
        found = _touched(graph, reached, places, forward=not back)
        notes = () if index.complete else (_UNFINISHED,)
        return Neighbourhood(
            named, tuple(graph.nodes[place] for place in seeds), tuple(found), notes
        )

    def flow(
        self, viewer: Viewer, space: Space, source: str, target: str | None, *, depth: int = 8
    ) -> Neighbourhood:
        """How what a symbol holds travels: the calls it makes, or the way from it to another."""
        whole(depth, 1, DEEPEST, "A flow goes to a depth of")
        with self._database.reading() as transaction:
            graph, index = self.graph(transaction, look(transaction, viewer, space))
            named, seeds = self._seeds(graph, index, source, None)
            wanted = places_of(graph, target) if target else None
        start = with_members(graph, seeds)
        reached = walk(graph, start, graph.forward, depth=depth)
        places = _ordered(reached, start)
        if wanted is not None:
            places = places[np.isin(places, with_members(graph, wanted))]
        found = _touched(graph, reached, places[:_FLOW], forward=True)
        if wanted is None:
            found = [one for one in found if one.path and one.path[-1].kind == "calls"]
        notes = () if index.complete else (_UNFINISHED,)
        told = f"{named} to {target}" if target else named
        return Neighbourhood(told, tuple(graph.nodes[p] for p in seeds), tuple(found), notes)

    def cycles(self, viewer: Viewer, space: Space) -> list[list[str]]:
        """Files that import one another in a ring, the largest rings first."""
        with self._database.reading() as transaction:
            graph, _ = self.graph(transaction, look(transaction, viewer, space))
        needs: dict[str, set[str]] = defaultdict(set)
        for edge in range(len(graph.sources)):
            if graph.kind_of(edge) == "imports":
                source = graph.nodes[int(graph.sources[edge])]
                target = graph.nodes[int(graph.targets[edge])]
                if source.path != target.path and target.kind is not NodeKind.DIRECTORY:
                    needs[source.path].add(target.path)
        rings = [ring for ring in rings_of(needs) if len(ring) > 1]
        return sorted((sorted(ring) for ring in rings), key=lambda ring: (-len(ring), ring))

    def unused(self, viewer: Viewer, space: Space) -> list[Node]:
        """Functions, methods and classes that nothing is known to use: candidates, no verdict."""
        with self._database.reading() as transaction:
            graph, _ = self.graph(transaction, look(transaction, viewer, space))
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
        """Where the code is entered: files that nothing imports, and functions called main."""
        with self._database.reading() as transaction:
            graph, _ = self.graph(transaction, look(transaction, viewer, space))
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
        """The folders of the code: how much is there, what hangs on what, what memory knows."""
        whole(depth, 1, 20, "A map goes to a depth of")
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            graph, _ = self.graph(transaction, sight)
            known = self._memories(transaction, sight, sorted(graph.by_path), most=10_000)
        return map_of(graph, known, depth)

    def changed_since(
        self, viewer: Viewer, space: Space, commit: str, *, depth: int = 3, limit: int = 200
    ) -> Impact:
        """What changed since a commit, and what that touches."""
        return self.impact(viewer, space, "diff", depth=depth, limit=limit, since=commit)

    def exported(self, viewer: Viewer, space: Space) -> tuple[Graph, Any]:
        """The graph itself, for writing it out."""
        with self._database.reading() as transaction:
            return self.graph(transaction, look(transaction, viewer, space))

    def status(self, viewer: Viewer, space: Space) -> dict[str, Any]:
        """What is indexed, and whether it is whole."""
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            index = code.get_index(transaction, sight)
            if index is None:
                return {"indexed": False}
            files, nodes, edges = code.counts(transaction, space.id)
        return {
            "indexed": True,
            "root": index.root,
            "complete": bool(index.complete),
            "commit": index.commit_sha,
            "updated_at": index.updated_at,
            "files": files,
            "nodes": nodes,
            "edges": edges,
        }

    def memories_of(self, viewer: Viewer, space: Space, target: str) -> list[Mapping[str, object]]:
        """The memories that belong to a node, by its file."""
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            graph, _ = self.graph(transaction, sight)
            paths = {graph.nodes[place].path for place in places_of(graph, target)}
            return self._memories(transaction, sight, sorted(paths))

    def staleness(
        self, viewer: Viewer, space: Space, memory_id: str | None = None
    ) -> list[Staleness]:
        """Which memories about code may be out of date, and why; all that name files, or one."""
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            index = code.get_index(transaction, sight)
            if index is None:
                raise InvalidInput(_NO_CODE, hint=_NO_CODE_HINT)
            if memory_id is not None:
                listed = list(memories.get_memories(transaction, sight, [memory_id]).values())
            else:
                listed = memories.list_memories(
                    transaction,
                    sight,
                    Filters(),
                    now=to_microseconds(self._clock()),
                    before=None,
                    limit=_STALE_LOOKED_AT,
                )
        root, now = Path(index.root), self._clock()
        return [staleness_of(one, root, now) for one in listed if one.files or memory_id]

    def nodes_of(self, viewer: Viewer, space: Space, memory_id: str) -> list[Node]:
        """The nodes that a memory is about: its files, and the symbols that its words name."""
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            graph, _ = self.graph(transaction, sight)
            found = memories.get_memories(transaction, sight, [memory_id])
        memory = found.get(memory_id)
        if memory is None:
            raise InvalidInput(f"No memory {memory_id!r} is visible here.")
        words = set(memory.content.replace("(", " ").replace("`", " ").replace(",", " ").split())
        chosen: dict[int, None] = {}
        for path in memory.files:
            place = graph.number(path, "")
            if place is not None:
                chosen[place] = None
        for place, node in enumerate(graph.nodes):
            last = node.name.rpartition(".")[2]
            if node.name and (node.name in words or (node.path in memory.files and last in words)):
                chosen[place] = None
        return [graph.nodes[place] for place in chosen]

    def _seeds(
        self, graph: Graph, index: Any, target: str, since: str | None
    ) -> tuple[str, list[int]]:
        if target.strip() not in _DIFF:
            return target, places_of(graph, target)
        words = [since] if since else ["HEAD"]
        spans = git.changed_lines(Path(index.root), words)
        if not spans and since and git.ask(Path(index.root), "rev-parse", f"{since}^0") is None:
            raise InvalidInput(f"git knows no commit {since!r} here.")
        seeds = places_in(graph, spans)
        return f"what changed since {since}" if since else "what is in git diff", seeds

    def _memories(
        self, transaction: Transaction, sight: Sight, paths: Sequence[str], most: int = _MEMORIES
    ) -> list[Mapping[str, object]]:
        """Memories tied to files."""
        if not paths:
            return []
        wanted = frozenset(paths) if len(paths) <= 500 else frozenset()
        found = memories.list_memories(
            transaction,
            sight,
            Filters(files=wanted),
            now=to_microseconds(self._clock()),
            before=None,
            limit=most,
        )
        return [
            {
                "id": one.id,
                "type": one.type.value,
                "content": one.content,
                "files": list(one.files),
                "modules": list(one.modules),
            }
            for one in found
            if one.files
        ]


def _with_folders(graph: Graph, places: Sequence[int]) -> list[int]:
    """With the folders that stand for Go packages: what imports a package imports its files."""
    from recollect.codegraph.resolving.resolver import folder_number

    found = dict.fromkeys(places)
    for place in places:
        node = graph.nodes[place]
        row = graph.by_path.get(node.path)
        if row is not None and row.language == "go" and node.kind is NodeKind.FILE:
            folder = graph.place.get(folder_number(node.path.rpartition("/")[0]))
            if folder is not None and graph.nodes[folder].kind is NodeKind.DIRECTORY:
                found[folder] = None
    return [p for p in found if graph.nodes[p].kind is not NodeKind.DIRECTORY or p in places] + [
        p for p in found if graph.nodes[p].kind is NodeKind.DIRECTORY and p not in places
    ]


def _ordered(reached: Reached, seeds: Sequence[int]) -> Numbers:
    """What was reached, the nearest and surest first; not where the walk began."""
    places = np.flatnonzero(reached.depths > 0)
    places = places[~np.isin(places, np.array(list(seeds), np.int64))]
    return places[np.lexsort((places, -reached.scores[places], reached.depths[places]))]


def _touched(
    graph: Graph, reached: Reached, places: Numbers, *, forward: bool = False
) -> list[Touched]:
    """Places with the way to each."""
    found = []
    for place in places.tolist():
        steps: list[Step] = []
        here = place
        while reached.came_by[here] >= 0 and len(steps) < DEEPEST:
            edge = int(reached.came_by[here])
            steps.append(
                Step(
                    graph.nodes[here],
                    graph.kind_of(edge),
                    graph.how_of(edge),
                    round(float(graph.confidences[edge]), 3),
                )
            )
            here = int(graph.sources[edge] if forward else graph.targets[edge])
        found.append(
            Touched(
                graph.nodes[place],
                int(reached.depths[place]),
                round(float(reached.scores[place]), 4),
                tuple(reversed(steps)),
                bool(graph.test[place]),
            )
        )
    return found
