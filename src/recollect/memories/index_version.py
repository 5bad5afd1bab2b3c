"""Checks whether the search index matches this version and its embedder.

Every opening of a store runs this check, so it loads nothing that only a rebuild needs.
"""

from typing import Final

from recollect.index.analyser import ANALYSER_VERSION
from recollect.index.indexer import Indexer
from recollect.storage.database import Database, Transaction
from recollect.storage.move.progress import refuse_unfinished
from recollect.storage.store_facts import fact

#: Facts of the store: the analyser and the model of its index, and whether texts that an earlier
#: version hid from search by mistake are still to be restored.
ANALYSER: Final = "analyser_version"
MODEL: Final = "embedding_model"
MISREAD: Final = "misread_origins"
PENDING: Final = "pending"


def is_current(database: Database, indexer: Indexer) -> bool:
    """Whether the index is up to date; a store that is read-only is left as it is.

    A store whose migration is unfinished is refused.
    """
    with database.reading(all_spaces=True) as transaction:
        refuse_unfinished(transaction)
        return database.read_only or (
            fact(transaction, ANALYSER) == str(ANALYSER_VERSION)
            and fact(transaction, MODEL) == model_name(indexer)
            and not is_pending(transaction)
        )


def is_pending(transaction: Transaction) -> bool:
    """Whether a migration asks to restore texts with a misread origin."""
    return fact(transaction, MISREAD) == PENDING


def model_name(indexer: Indexer) -> str:
    """Name of the embedder as the store records it, including that summaries have vectors: a store
    of a version without vectors for summaries gets them when this version opens it."""
    return f"{indexer.model_id}, with summaries" if indexer.model_id else "none"
