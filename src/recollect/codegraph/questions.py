"""Queries about a place in the code: impact, dependencies, dependants, and data flow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from recollect.codegraph import git
from recollect.codegraph.file_subgraph import Numbers
from recollect.codegraph.freshness import changed_files, left_out
from recollect.codegraph.graph import Graph, Rows
from recollect.codegraph.graph_cache import Graphs
from recollect.codegraph.memory_links import AskReview, CodeMemories
from recollect.codegraph.overview import WholeCode
from recollect.codegraph.semantic_layer import (
    SemanticLayer,
    affected_by_meaning,
    flowing,
    is_invariant,
)
from recollect.codegraph.targets import places_in, places_of, with_folders, with_members
from recollect.codegraph.traversal import Reached, walk
from recollect.inference.tasks import Tasks
from recollect.storage.code.meanings import meanings
from recollect.storage.database import Database
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import Impact, MeaningKind, Neighbourhood, Step, Touched
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.spaces import Space

#: Maximum depth of a walk, and maximum length of a reported path.
DEEPEST: Final = 100
_FLOW: Final = 1_000
_UNFINISHED: Final = "The index is not finished; this may be incomplete."
_DIFF: Final = frozenset({"diff", "git diff", "--diff"})


class CodeQuestions:
    """Answers queries from the cached graphs."""

    def __init__(
        self, database: Database, clock: Clock, ask_review: AskReview, tasks: Tasks
    ) -> None:
        self._database = database
        self.graphs = Graphs(database)
        self.memories = CodeMemories(database, self.graphs, clock, ask_review)
        self.whole = WholeCode(database, self.graphs, self.memories)
        self.meanings = SemanticLayer(database, self.graphs, self.memories, tasks, clock)

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
        """Code that may break by a change of a target, or by all changes ``since`` a commit."""
        whole(depth, 1, DEEPEST, "Impact goes to a depth of")
        whole(limit, 1, 100_000, "Impact lists")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, index = self.graphs.of(transaction, access)
            named, seeds = self._seeds(graph, index, target, since)
            start = with_members(graph, with_folders(graph, seeds))
            reached, changed = _walked(graph, index, start, graph.backward, depth)
            places = _ordered(reached, start)
            tests, others = places[graph.test[places]], places[~graph.test[places]]
            paths = {graph.nodes[place].path for place in seeds}
            paths |= {graph.nodes[place].path for place in places[:50].tolist()}
            known = self.memories.memories_of_files(transaction, access, sorted(paths))
            labels = {graph.nodes[place].label for place in seeds}
            meant = affected_by_meaning(graph, meanings(transaction, access, ends=labels), seeds)
        reached_ids = {graph.nodes[place].id for place in places.tolist()}
        meant = [one for one in meant if one.node.id not in reached_ids]
        score = float(1 - 1 / (1 + float(reached.scores[places].sum()) / 10))
        return Impact(
            target=named,
            seeds=tuple(graph.nodes[place] for place in seeds),
            touched=(
                *_touched(graph, reached, others[:limit]),
                *[one for one in meant if not one.test],
            ),
            tests=(
                *_touched(graph, reached, tests[:limit]),
                *[one for one in meant if one.test],
            ),
            memories=tuple(known),
            score=round(score, 3),
            depth=depth,
            cut=max(0, len(others) - limit) + max(0, len(tests) - limit),
            invariants=tuple(one for one in known if is_invariant(one)),
            notes=_notes(index, changed),
            stale=tuple(changed),
        )

    def dependencies(
        self, viewer: Viewer, space: Space, target: str, *, depth: int = 1, limit: int = 200
    ) -> Neighbourhood:
        """The dependencies of a target."""
        return self._reach(viewer, space, target, depth=depth, limit=limit, back=False)

    def dependants(
        self, viewer: Viewer, space: Space, target: str, *, depth: int = 1, limit: int = 200
    ) -> Neighbourhood:
        """The dependants of a target."""
        return self._reach(viewer, space, target, depth=depth, limit=limit, back=True)

    def _reach(
        self, viewer: Viewer, space: Space, target: str, *, depth: int, limit: int, back: bool
    ) -> Neighbourhood:
        whole(depth, 1, DEEPEST, "This goes to a depth of")
        with self._database.reading() as transaction:
            graph, index = self.graphs.of(transaction, authorise(transaction, viewer, space))
            named, seeds = self._seeds(graph, index, target, None)
        start = with_members(graph, with_folders(graph, seeds) if back else seeds)
        rows = graph.backward if back else graph.forward
        reached, changed = _walked(graph, index, start, rows, depth)
        places = _ordered(reached, start)[:limit]
        found = _touched(graph, reached, places, forward=not back)
        return Neighbourhood(
            named,
            tuple(graph.nodes[place] for place in seeds),
            tuple(found),
            _notes(index, changed),
            tuple(changed),
        )

    def flow(
        self, viewer: Viewer, space: Space, source: str, target: str | None, *, depth: int = 8
    ) -> Neighbourhood:
        """Flow of a symbol's data: the calls it makes and the receivers of its results, or the path
        from it to another symbol."""
        whole(depth, 1, DEEPEST, "A flow goes to a depth of")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, index = self.graphs.of(transaction, access)
            named, seeds = self._seeds(graph, index, source, None)
            wanted = places_of(graph, target) if target else None
            rows = meanings(transaction, access, kind=MeaningKind.FLOWS_TO)
        start = with_members(graph, seeds)
        reached, changed = _walked(graph, index, start, graph.forward, depth)
        places = _ordered(reached, start)
        if wanted is not None:
            places = places[np.isin(places, with_members(graph, wanted))]
        found = _touched(graph, reached, places[:_FLOW], forward=True)
        if wanted is None:
            found = [one for one in found if one.path and one.path[-1].kind == "calls"]
            known = {one.node.id for one in found}
            handed = flowing(graph, rows, start)
            found += [one for one in handed if one.node.id not in known and one.depth <= depth]
        description = f"{named} to {target}" if target else named
        return Neighbourhood(
            description,
            tuple(graph.nodes[place] for place in seeds),
            tuple(found),
            _notes(index, changed),
            tuple(changed),
        )

    def changed_since(
        self, viewer: Viewer, space: Space, commit: str, *, depth: int = 3, limit: int = 200
    ) -> Impact:
        """Changes since a commit, and the code that they affect."""
        return self.impact(viewer, space, "diff", depth=depth, limit=limit, since=commit)

    def _seeds(
        self, graph: Graph, index: Any, target: str, since: str | None
    ) -> tuple[str, list[int]]:
        if target.strip() not in _DIFF:
            return target, places_of(graph, target)
        spans = git.changed_lines(Path(index.root), since or "HEAD")
        if not spans and since and not git.knows(Path(index.root), since):
            raise InvalidInput(f"git knows no commit {since!r} here.")
        seeds = places_in(graph, spans)
        return f"what changed since {since}" if since else "what is in git diff", seeds


def _walked(
    graph: Graph, index: Any, start: Sequence[int], rows: Rows, depth: int
) -> tuple[Reached, list[str]]:
    """A walk without edges of files that changed since they were indexed, and those files."""
    reached = walk(graph, start, rows, depth=depth)
    places = {*np.flatnonzero(reached.depths >= 0).tolist(), *start}
    paths = {graph.nodes[place].path for place in places}
    known = [row for row in map(graph.by_path.get, paths) if row is not None]
    changed = changed_files(index.root, known)
    if changed:
        reached = walk(graph, start, rows, depth=depth, without=changed)
    return reached, changed


def _notes(index: Any, changed: Sequence[str]) -> tuple[str, ...]:
    unfinished = () if index.complete else (_UNFINISHED,)
    return (*unfinished, left_out(changed)) if changed else unfinished


def _ordered(reached: Reached, seeds: Sequence[int]) -> Numbers:
    """The nodes reached, nearest and most certain first, without the start."""
    places = np.flatnonzero(reached.depths > 0)
    places = places[~np.isin(places, np.array(list(seeds), np.int64))]
    return places[np.lexsort((places, -reached.scores[places], reached.depths[places]))]


def _touched(
    graph: Graph, reached: Reached, places: Numbers, *, forward: bool = False
) -> list[Touched]:
    """Affected places, each with the path to it."""
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
