"""Links between memories and code: memories about files, and the nodes of a memory."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from recollect.codegraph.graph_cache import Graphs
from recollect.codegraph.staleness import Repository, staleness_of, volatility_of
from recollect.codegraph.targets import places_of
from recollect.storage.code import staleness
from recollect.storage.code.staleness import StalenessRow
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.code import Node, Staleness
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

_MEMORIES: Final = 20
_STALE_LOOKED_AT: Final = 1_000


#: Mark of a memory that needs review.
AskReview = Callable[[Viewer, Space, str], object]


class CodeMemories:
    """Finds the memories of code, and the code of memories."""

    def __init__(
        self, database: Database, graphs: Graphs, clock: Clock, ask_review: AskReview
    ) -> None:
        self._database = database
        self._ask_review = ask_review
        self._graphs = graphs
        self._clock = clock

    def of(self, viewer: Viewer, space: Space, target: str) -> list[Mapping[str, object]]:
        """The memories about a node, by its file."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            graph, _ = self._graphs.of(transaction, access)
            paths = {graph.nodes[place].path for place in places_of(graph, target)}
            return self.memories_of_files(transaction, access, sorted(paths))

    def staleness(
        self, viewer: Viewer, space: Space, memory_id: str | None = None
    ) -> list[Staleness]:
        """Memories about code that may be out of date, with reasons; all with files, or one."""
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
        repository, now = Repository(Path(index.root)), self._clock()
        return [staleness_of(one, repository, now) for one in listed if one.files or memory_id]

    def follow(
        self, viewer: Viewer, space: Space, root: Path, only: Collection[str] | None = None
    ) -> None:
        """Update the memories about files after these change: record for recall how far the files
        moved on, and mark a memory for review when a file is newer by a month."""
        filters = Filters(files=frozenset(only or ()))
        now = self._clock()
        if only is not None and not only:
            return
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            listed = reads.list_memories(
                transaction,
                access,
                filters,
                now=to_microseconds(now),
                before=None,
                limit=_STALE_LOOKED_AT,
            )
            tied = [one for one in listed if one.files]
            commits = staleness.commit_counts(transaction, access) if tied else {}
        if not tied or not root.is_dir():
            return
        repository = Repository(root)
        rows, late = [], []
        for one in tied:
            state = staleness_of(one, repository, now)
            volatility = volatility_of(one.files, commits)
            if state.changed or state.newer_days or volatility > 1:
                rows.append(
                    StalenessRow(one.id, state.changed, round(volatility, 3), state.newer_days)
                )
            if state.newer_days and not (one.needs_review or one.pinned):
                late.append(one.id)

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            existing = reads.existing_ids(transaction, access.space_id, [one.id for one in tied])
            staleness.replace_staleness(
                transaction,
                access.space_id,
                [one.id for one in tied],
                [row for row in rows if row.memory_id in existing],
                now,
            )

        self._database.write(work)
        for memory_id in late:
            self._ask_review(viewer, space, memory_id)

    def nodes_of(self, viewer: Viewer, space: Space, memory_id: str) -> list[Node]:
        """The nodes that a memory is about: its files, and the symbols named in its text."""
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

    def memories_of_files(
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
                "tags": list(one.tags),
            }
            for one in found
            if one.files
        ]
