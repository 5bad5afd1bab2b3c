"""Cache of the code graphs of recently queried spaces.

A graph is requested by the version of its index and updated with the files touched since, so an
answer never uses edges that are gone.
"""

import threading
from collections import OrderedDict
from typing import Any, Final

from recollect.codegraph.file_subgraph import parts_of
from recollect.codegraph.graph import Graph
from recollect.storage.code import graph as code
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.errors import CodeNotIndexed
from recollect.vocabulary.spaces import Space

_KEPT: Final = 8
_NO_CODE: Final = "No code is indexed in this space."
_NO_CODE_HINT: Final = "Run 'recollect index' in its folder."


class Graphs:
    """Provides current graphs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._graphs: OrderedDict[str, tuple[int, Graph]] = OrderedDict()

    def index_of(self, transaction: Transaction, access: Access) -> Any:
        """Index row of a space; an error where there is none."""
        index = code.get_index(transaction, access)
        if index is None:
            raise CodeNotIndexed(_NO_CODE, hint=_NO_CODE_HINT)
        return index

    def of(self, transaction: Transaction, access: Access) -> tuple[Graph, Any]:
        """The current graph, and the row of its index."""
        index = self.index_of(transaction, access)
        with self._lock:
            known = self._graphs.get(access.space_id)
            if known is not None and known[0] == index.version:
                self._graphs.move_to_end(access.space_id)
                return known[1], index
        touched = code.touched_since(index, known[0]) if known is not None else None
        if known is None or touched is None:
            files = code.files(transaction, access)
            nodes, edges = code.nodes(transaction, access), code.edges(transaction, access)
            graph = Graph.of(parts_of(files, nodes, edges))
        else:
            fresh = parts_of(*code.parts(transaction, access, sorted(touched)))
            graph = known[1].followed(fresh, touched - fresh.keys())
        with self._lock:
            self._graphs[access.space_id] = index.version, graph
            if len(self._graphs) > _KEPT:
                self._graphs.popitem(last=False)
        return graph, index

    def opened(self, viewer: Viewer, space: Space) -> tuple[Graph, Any]:
        """The graph of a space for a viewer who only reads."""
        with self._database.reading() as transaction:
            return self.of(transaction, authorise(transaction, viewer, space))

    def status(self, viewer: Viewer, space: Space) -> dict[str, Any]:
        """The indexed content, and whether the index is complete."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            index = code.get_index(transaction, access)
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
