"""Every room on one database; what few callers need is built when it is first asked for."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from recollect.composition.features import agent_rooms, chat_rooms, code_rooms
from recollect.composition.job_handlers import handlers
from recollect.engine import Services
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.inference.budgets import Spending
from recollect.inference.cached import CachedEmbedder, MemoryVectorCache
from recollect.inference.chat_model import ChatModel
from recollect.inference.embedder import Embedder
from recollect.inference.health import probe
from recollect.inference.reranker import Reranker
from recollect.inference.tasks import Tasks
from recollect.jobs.handler import Handlers
from recollect.jobs.metrics import list_dead, queue_metrics, retry_dead
from recollect.jobs.tidy import TIDY
from recollect.jobs.worker import Worker
from recollect.memories.keeper import MemoryKeeper
from recollect.memories.levels import Shortener
from recollect.memories.maintenance import INDEX_TIDY, Upkeep
from recollect.memories.reader import MemoryReader
from recollect.memories.statistics import Statistics
from recollect.memories.undo_expiry import Seals
from recollect.memories.write_path import WritePath
from recollect.memories.writer import MemoryWriter
from recollect.pages.authors import Aliases
from recollect.pages.events import Events
from recollect.pages.spaces import Spaces
from recollect.pages.streams import Streams
from recollect.recall.hyde import Imagine
from recollect.recall.search import Recall
from recollect.recall.usage_log import UsageLog
from recollect.storage.database import BUSY_SECONDS, Database
from recollect.trust.access_tokens import AccessTokens
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import InferenceError, RecollectError, StoreError
from recollect.vocabulary.jobs import CHAT_TIDY
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.memories.export_restorer import ExportRestorer
    from recollect.memories.exporter import Exporter
    from recollect.observer.learner import Learner
    from recollect.pages.importer import Importer


def build(
    address: str,
    embedder: Embedder | None,
    clock: Clock,
    asker: Embedder | None = None,
    *,
    logged: bool = True,
    reranker: Reranker | None = None,
    imagine: Callable[[str], str | None] | None = None,
    model: ChatModel | None = None,
    patience: float = 1.0,
    busy_seconds: float = BUSY_SECONDS,
) -> Services:
    """Every room on one database."""
    database = Database(address, busy_seconds=busy_seconds)
    clock = database.shared_clock(clock)
    indexer = Indexer(embedder, _remembering(asker or embedder))
    upkeep = Upkeep(database, indexer)
    spaces = Spaces(database, clock, daily=(TIDY, INDEX_TIDY, CHAT_TIDY))
    try:
        upkeep.keep_up(clock())
        spaces.keep_up()
    except RecollectError:
        database.close()
        raise
    seals = Seals(database, clock)
    seals.keep_up()
    database.erasure.resume(clock)
    database.after_write(lambda: _look_after(database, seals))
    streams = Streams(database, clock)
    spending = Spending(database, clock)
    events = Events(database, indexer, clock, spending)
    reader = MemoryReader(database, clock)
    index = SearchIndex(database.dialect)
    shortener = Shortener()
    writer = MemoryWriter(database, indexer, clock, shortener)
    path = WritePath(database, writer, indexer, index, clock)
    keeper = MemoryKeeper(database, writer, path, clock)
    tasks = Tasks(model, spending)
    recall = Recall(
        database,
        index,
        indexer,
        clock,
        reranker=reranker,
        imagine=imagined_by(tasks, imagine),
    )
    learner = cache(lambda: _learner(database, keeper, indexer, tasks, clock))
    worker = Worker(
        database,
        Handlers(
            lambda: handlers(
                database,
                indexer,
                (keeper, writer, shortener),
                tasks,
                spending=spending,
                clock=clock,
            )
        ),
        clock=clock,
        name=worker_name(),
        listen=database.dialect.listen,
    )
    database.when_promised(worker.wake)
    serving = UsageLog(database, clock, logged=logged)
    database.erasure.when_erasing(serving.flush)
    return Services(
        spaces=spaces,
        aliases=Aliases(database, clock),
        streams=streams,
        events=events,
        importer=cache(lambda: _importer(database, indexer, clock)),
        keeper=keeper,
        reader=reader,
        exporter=cache(lambda: _exporter(reader, streams, events, clock)),
        returner=cache(lambda: _returner(database, indexer)),
        recall=recall,
        serving=serving,
        chat=cache(
            lambda: chat_rooms(
                database,
                writer=writer,
                path=path,
                events=events,
                indexer=indexer,
                recall=recall,
                tasks=tasks,
                seals=seals,
                clock=clock,
            )
        ),
        learner=learner,
        upkeep=upkeep,
        access=AccessTokens(database, clock),
        worker=worker,
        agents=cache(
            lambda: agent_rooms(
                database,
                (streams, events),
                (keeper, recall),
                learner(),
                clock=clock,
                patience=patience,
            )
        ),
        clock=clock,
        close=database.close,
        waits=not (
            database.dialect.one_writer
            and (embedder is None or embedder.local)
            and reranker is None
            and imagine is None
            and not tasks.has_model
        ),
        hurried=database.hurried,
        read_only=database.read_only,
        statistics=Statistics(database, indexer, index).figures,
        embedder_state=lambda: embedder_state(embedder),
        spending=spending,
        metrics=lambda now: queue_metrics(database, now),
        dead_jobs=lambda ids: list_dead(database, ids),
        retry_jobs=lambda ids, job, now: retry_dead(database, ids, job, now),
        code=code_rooms(database, indexer, clock),
    )


def _look_after(database: Database, seals: Seals) -> None:
    """What is due after a write: what was erased leaves the files, and seals end."""
    database.erasure.go_on()
    with suppress(StoreError):
        seals.sweep()


def index_anew(address: str) -> int:
    """Bring a store to today's schema and make its search index from its rows; of how many."""
    database = Database(address)
    try:
        return Upkeep(database, Indexer(None, None)).rebuild(now=system_clock())
    finally:
        database.close()


def imagined_by(tasks: Tasks, own: Callable[[str], str | None] | None) -> Imagine | None:
    """Who imagines the answer to a question that finds little: the caller's own, or the model."""
    if own is not None:
        return lambda _space, question: own(question)
    if not tasks.has_model:
        return None

    def imagine(space: Space, question: str) -> str | None:
        from recollect.inference.text_tasks import HYDE, SearchedQuestion

        done = tasks.run(space.id, HYDE, SearchedQuestion(question))
        return None if done.why else done.value.passage

    return imagine


def _importer(database: Database, indexer: Indexer, clock: Clock) -> "Importer":
    from recollect.pages.importer import Importer

    return Importer(database, indexer, clock)


def _exporter(reader: MemoryReader, streams: Streams, events: Events, clock: Clock) -> "Exporter":
    from recollect.memories.exporter import Exporter

    return Exporter(reader, streams, events, clock)


def _returner(database: Database, indexer: Indexer) -> "ExportRestorer":
    from recollect.memories.export_restorer import ExportRestorer

    return ExportRestorer(database, indexer)


def _learner(
    database: Database, keeper: MemoryKeeper, indexer: Indexer, tasks: Tasks, clock: Clock
) -> "Learner":
    from recollect.observer.learner import Learner
    from recollect.observer.wording_task import local_wording, model_wording

    wording = model_wording(tasks) if tasks.has_model else local_wording
    return Learner(database, keeper, indexer, clock, wording)


def _remembering(embedder: Embedder | None) -> Embedder | None:
    """A remote embedder that does not ask the same question twice."""
    if embedder is None or embedder.local:
        return embedder
    return CachedEmbedder(embedder, MemoryVectorCache())


def embedder_state(embedder: Embedder | None) -> tuple[bool, str]:
    """Whether the embedder answers now, and what it says of itself."""
    if embedder is None:
        return True, "none: search goes by words alone"
    try:
        return True, probe(embedder)
    except InferenceError as error:
        return False, str(error)


def worker_name() -> str:
    """A name that no other worker has."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"
