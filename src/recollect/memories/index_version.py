"""Whether the search index is the one that this version and this embedder make.

Every opening of a store asks this, so it loads nothing that only a rebuild needs.
"""

from typing import Final

from recollect.index.analyser import ANALYSER_VERSION
from recollect.index.indexer import Indexer
from recollect.storage.database import Database, Transaction
from recollect.storage.move.progress import refuse_unfinished
from recollect.storage.store_facts import fact

#: Facts of the store: the analyser and the model that its index was made with, and whether texts
#: that an earlier version withheld from search by mistake are still to be brought back.
ANALYSER: Final = "analyser_version"
MODEL: Final = "embedding_model"
MISREAD: Final = "misread_origins"
PENDING: Final = "pending"


def is_current(database: Database, indexer: Indexer) -> bool:
    """Whether there is nothing to bring up to date; a store that cannot be written stays as it is.

    A store that is still being moved is refused.
    """
    with database.reading(all_spaces=True) as transaction:
        refuse_unfinished(transaction)
        return database.read_only or (
            fact(transaction, ANALYSER) == str(ANALYSER_VERSION)
            and fact(transaction, MODEL) == model_name(indexer)
            and not is_pending(transaction)
        )


def is_pending(transaction: Transaction) -> bool:
    """Whether a migration asks that misread texts are brought back."""
    return fact(transaction, MISREAD) == PENDING


def model_name(indexer: Indexer) -> str:
    """What the store notes of the embedder, and that summaries have vectors: a store of a version
    that made none for them makes them when it is opened by this one."""
    return f"{indexer.model_id}, with summaries" if indexer.model_id else "none"
