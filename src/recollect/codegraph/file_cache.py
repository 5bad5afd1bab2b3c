"""Cache of the files of recently indexed spaces, so that the next run reads only new rows.

The cache is used as far as the index says which files were touched since; where that is unknown,
everything is read again.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from recollect.codegraph.resolving.layout import Layout, laid_out
from recollect.storage.code import graph
from recollect.storage.code.graph import FileRow, GraphCounts
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access

_SPACES: Final = 8


class IndexedFiles(NamedTuple):
    """The files of an index at one version, their layout, and their counts."""

    version: int
    known: dict[str, FileRow]
    layout: Layout
    counts: GraphCounts | None


class IndexedFilesCache:
    """Cached files of the spaces indexed last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, IndexedFiles] = OrderedDict()

    def now(self, transaction: Transaction, access: Access, index: Any) -> IndexedFiles:
        """The current files."""
        with self._lock:
            held = self._spaces.get(access.space_id)
        touched = graph.touched_since(index, held.version) if held is not None else None
        if held is None or touched is None:
            known = {row.path: row for row in graph.files(transaction, access)}
            return IndexedFiles(index.version, known, _laid_out(known, held), None)
        if index.version == held.version:
            return held
        known = {path: row for path, row in held.known.items() if row.file_id not in touched}
        known |= {row.path: row for row in graph.files_of(transaction, access, sorted(touched))}
        known = dict(sorted(known.items()))
        return IndexedFiles(index.version, known, _laid_out(known, held), None)

    def keep(
        self, space_id: str, version: int, known: dict[str, FileRow], counts: GraphCounts | None
    ) -> None:
        """Store the result of a run."""
        with self._lock:
            before = self._spaces.get(space_id)
            layout = _laid_out(known, before)
            self._spaces[space_id] = IndexedFiles(version, known, layout, counts)
            self._spaces.move_to_end(space_id)
            if len(self._spaces) > _SPACES:
                self._spaces.popitem(last=False)


def _laid_out(known: Mapping[str, FileRow], before: IndexedFiles | None) -> Layout:
    languages = {path: row.language for path, row in known.items()}
    return laid_out(languages, before.layout if before else None)
