"""What is remembered about code: memories tied to files, and the nodes that a memory is about."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from recollect.codegraph.graphs import Graphs
from recollect.codegraph.staleness import Staleness, staleness_of
from recollect.codegraph.targets import places_of
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.trust.visibility import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.code import Node
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

_MEMORIES: Final = 20
_STALE_LOOKED_AT: Final = 1_000


class CodeMemories:
    """Leads from code to memories and back."""

    def __init__(self, database: Database, graphs: Graphs, clock: Clock) -> None:
        self._database = database
        self._graphs = graphs
        self._clock = clock

    def of(self, viewer: Viewer, space: Space, target: str) -> list[Mapping[str, object]]:
        """The memories that belong to a node, by its file."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, _ = self._graphs.of(transaction, access)
            paths = {graph.nodes[place].path for place in places_of(graph, target)}
            return self.tied(transaction, access, sorted(paths))

    def staleness(
        self, viewer: Viewer, space: Space, memory_id: str | None = None
    ) -> list[Staleness]:
        """Which memories about code may be out of date, and why; all that name files, or one."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            index = self._graphs.index_of(transaction, access)
            if memory_id is not None:
                listed = list(reads.get_memories(transaction, access, [memory_id]).values())
            else:
                listed = reads.list_memories(
                    transaction,
                    access,
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
            access = authorise(transaction, viewer, space)
            graph, _ = self._graphs.of(transaction, access)
            found = reads.get_memories(transaction, access, [memory_id])
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

    def tied(
        self, transaction: Transaction, access: Access, paths: Sequence[str], most: int = _MEMORIES
    ) -> list[Mapping[str, object]]:
        """Memories tied to files."""
        if not paths:
            return []
        wanted = frozenset(paths) if len(paths) <= 500 else frozenset()
        found = reads.list_memories(
            transaction,
            access,
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
