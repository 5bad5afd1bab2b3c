"""Detects code that changed on disk since it was indexed.

Shown pieces of such code are marked, and its edges do not count.
"""

from collections.abc import Collection, Sequence

from recollect.storage.code import chunks, graph
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.code import number_of


def files_changed(
    transaction: Transaction, access: Access, paths: Collection[str]
) -> frozenset[str]:
    """The files among ``paths`` that differ from their indexed version."""
    index = graph.get_index(transaction, access) if paths else None
    if index is None:
        return frozenset()
    from recollect.codegraph.freshness import changed_files

    rows = graph.files_of(transaction, access, [number_of(path) for path in sorted(paths)])
    return frozenset(changed_files(index.root, rows))


def changed_code(transaction: Transaction, access: Access, ids: Sequence[str]) -> list[str]:
    """A sentence about the shown pieces of code whose files have changed; empty if none has."""
    paths = {chunk.path for chunk in chunks.get_chunks(transaction, access, ids).values()}
    changed = sorted(files_changed(transaction, access, paths))
    if not changed:
        return []
    return [f"Changed since the code was indexed, and shown as it was: {', '.join(changed)}."]
