"""The handler of each kind of job."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.index.indexer import EMBED, Indexer
from recollect.inference.budgets import Spending
from recollect.inference.tasks import Tasks
from recollect.jobs.handler import Handler
from recollect.jobs.tidy import Tidy
from recollect.memories.inserter import LEVELS
from recollect.memories.maintenance import IndexTidy
from recollect.memories.short_form_writer import LevelsHandler
from recollect.memories.undo_expiry import CHAT_UNSEAL, UnsealHandler
from recollect.memories.write_path import WritePath
from recollect.memories.writer import MemoryWriter
from recollect.storage.database import Database
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import (
    CHAT_TIDY,
    INDEX_TIDY,
    MEMO_FROM_EXCHANGE,
    MEMO_REFRESH,
    NIGHTLY,
    TIDY,
)

if TYPE_CHECKING:
    from recollect.evolution.night import Night
    from recollect.workspace.memos import Memos


def handlers(
    database: Database,
    indexer: Indexer,
    writing: tuple[WritePath, MemoryWriter],
    tasks: Tasks,
    *,
    spending: Spending,
    memos: "Callable[[], Memos]",
    switched_off: frozenset[str],
    night: "Callable[[], Night]",
    clock: Clock,
) -> dict[str, Handler]:
    """One handler per kind; built when the first job is due."""
    from recollect.chat.entries.maintenance import ChatTidy
    from recollect.chat.entries.model_metadata import UNDERSTAND, Understand
    from recollect.evolution.evolution import NightHandler
    from recollect.memories.embedding_jobs import (
        EMBED_MISSING,
        EmbeddingBudget,
        EmbedHandler,
        EmbedMissingHandler,
    )
    from recollect.observer.learner import embedding
    from recollect.observer.promotion import Judge
    from recollect.observer.synthesis import CHAINS, SYNTHESISE, Synthesis
    from recollect.observer.wording_task import local_wording, model_wording
    from recollect.pages.events import Events
    from recollect.pages.signals import BACKFILL, ENRICH, Backfill, Enrich
    from recollect.workspace.memo_jobs import MemoJobs

    path, writer = writing
    wording = model_wording(tasks) if tasks.has_model else local_wording
    synthesis = Synthesis(database, path, Judge(embed=embedding(indexer)), wording)
    about_memos = MemoJobs(database, memos, makes="memos" not in switched_off)
    budget = EmbeddingBudget(spending, clock) if indexer.paid else None
    return {
        SYNTHESISE: synthesis,
        CHAINS: synthesis,
        EMBED: EmbedHandler(database, indexer, budget),
        EMBED_MISSING: EmbedMissingHandler(database, indexer, budget),
        LEVELS: LevelsHandler(database, writer.warm, indexer, tasks),
        TIDY: Tidy(clock),
        INDEX_TIDY: IndexTidy(database, indexer),
        ENRICH: Enrich(database, indexer, tasks, clock),
        BACKFILL: Backfill(clock),
        MEMO_FROM_EXCHANGE: about_memos,
        MEMO_REFRESH: about_memos,
        CHAT_TIDY: ChatTidy(database, writer, Events(database, indexer, clock), tasks, clock),
        CHAT_UNSEAL: UnsealHandler(database, clock),
        UNDERSTAND: Understand(database, writer, tasks, clock),
        NIGHTLY: NightHandler(night()),
    }
