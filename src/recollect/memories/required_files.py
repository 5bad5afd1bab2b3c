"""Automatic relations: a memory that files change together requires them with each other.

The memory names the file that changes and those to touch then; each of the latter is related to it
as ``required_with``, so that the graph and questions along a chain can follow it.
"""

from collections.abc import Iterable

from recollect.storage.database import Transaction
from recollect.storage.memories import relations
from recollect.vocabulary.memory import Memory, Relation
from recollect.vocabulary.memory_types import INFERRED, MemoryType, RelationType


def relate_required_files(transaction: Transaction, found: Iterable[Memory]) -> None:
    """Relate what sessions showed of files that change together to the files it names."""
    for memory in found:
        if memory.type is not MemoryType.CAUSAL_DEPENDENCY:
            continue
        if memory.provenance.source not in INFERRED:
            continue
        named = [path for path in memory.extras.get("then_touch", ()) if path in memory.files]
        for path in named:
            relation = Relation(
                RelationType.REQUIRED_WITH,
                memory.id,
                target_path=path,
                confidence=memory.confidence,
                automatic=True,
            )
            relations.put_relation(transaction, memory.space_id, relation)
