"""Wires the services of one store together, with the upkeep on opening and closing it."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.composition.parts import Parts
from recollect.engine.services import Lazy, Services
from recollect.index.indexer import Indexer
from recollect.memories.index_version import is_current
from recollect.memories.undo_expiry import Seals
from recollect.pages.spaces import Spaces
from recollect.recall.search import Recall
from recollect.recall.usage_log import UsageLog
from recollect.storage.database import BUSY_SECONDS, Database
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import InferenceError, RecollectError, StoreError
from recollect.vocabulary.jobs import CHAT_TIDY, INDEX_TIDY, NIGHTLY, TIDY
from recollect.vocabulary.pending_counts import PendingCounts

if TYPE_CHECKING:
    from recollect.inference.chat_model import ChatModel
    from recollect.inference.embedder import Embedder
    from recollect.inference.reranker import Reranker
    from recollect.memories.maintenance import Upkeep


def build(
    address: str,
    embedder: "Embedder | None",
    clock: Clock,
    asker: "Embedder | None" = None,
    *,
    logged: bool = True,
    reranker: "Reranker | None" = None,
    imagine: Callable[[str], str | None] | None = None,
    model: "ChatModel | None" = None,
    patience: float = 1.0,
    busy_seconds: float = BUSY_SECONDS,
    switched_off: frozenset[str] = frozenset(),
    chat_weights: tuple[float, float, float] | None = None,
) -> Services:
    """Every service on one database; what a question does not need is created on first use."""
    database = Database(address, busy_seconds=busy_seconds)
    clock = database.shared_clock(clock)
    indexer = Indexer(embedder, _with_cache(asker or embedder))
    upkeep = Lazy(lambda: _make_upkeep(database, indexer))
    spaces = Spaces(database, clock, daily=(TIDY, INDEX_TIDY, CHAT_TIDY, NIGHTLY))
    try:
        if not is_current(database, indexer):
            upkeep().keep_up(clock())
        spaces.keep_up()
    except RecollectError:
        database.close()
        raise
    seals = Seals(database, clock)
    seals.keep_up()
    database.erasure.resume(clock)
    database.after_write(lambda: _maintain(database, seals))
    counts = PendingCounts()
    parts = Parts(
        database,
        indexer,
        clock,
        upkeep=upkeep,
        model=model,
        patience=patience,
        switched_off=switched_off,
        counts=counts,
    )
    recall = Recall(
        database,
        parts.index,
        indexer,
        clock,
        reranker=reranker,
        imagine=parts.imagine(imagine),
        counts=counts,
        chat_weights=chat_weights,
    )
    serving = UsageLog(database, clock, logged=logged, counts=counts)
    usage = Lazy(lambda: parts.usage(serving))
    database.erasure.before_erasure(serving.flush)

    def close() -> None:
        if parts.worker.created:
            parts.worker().stop()
        serving.close()
        if parts.access.created:
            with suppress(RecollectError):  # the last use of a token is not worth an error
                parts.access().flush()
        database.close()

    workspace = Lazy(lambda: parts.workspace(serving.flush))
    return Services(
        spaces=spaces,
        make_aliases=parts.aliases,
        make_streams=parts.streams,
        make_events=parts.events,
        importer=parts.importer,
        make_write_path=parts.write_path,
        make_keeper=parts.keeper,
        make_reader=parts.reader,
        make_usage=usage,
        exporter=parts.exporter,
        restorer=parts.restorer,
        recall=recall,
        serving=serving,
        chat=Lazy(lambda: parts.chat(recall, usage(), seals)),
        learner=parts.learner,
        commit_lessons=parts.commit_lessons,
        make_upkeep=upkeep,
        make_access=parts.access,
        make_worker=parts.worker,
        agents=Lazy(lambda: parts.agents(recall, serving, usage())),
        workspace=workspace,
        research=Lazy(lambda: parts.research(recall, workspace, logged=logged)),
        contradictions=parts.contradictions,
        evolution=parts.evolution,
        people=Lazy(parts.people),
        sync=parts.sync,
        clock=clock,
        close=close,
        waits=not (
            database.dialect.one_writer
            and (embedder is None or embedder.local)
            and reranker is None
            and imagine is None
            and model is None
        ),
        without_waiting=database.without_waiting,
        read_only=database.read_only,
        statistics=parts.statistics,
        overview=parts.overview,
        provider_state=lambda one: provider_state(one, embedder, reranker, model),
        make_spending=parts.spending,
        metrics=parts.queue_metrics,
        dead_jobs=parts.dead_jobs,
        retry_jobs=parts.retry_jobs,
        make_code=parts.code,
        counts=counts,
        measured=Lazy(lambda: parts.measured(recall, usage())),
    )


def _maintain(database: Database, seals: Seals) -> None:
    """Erased text is scrubbed from the files, and expired seals are deleted."""
    database.erasure.do_step()
    with suppress(StoreError):
        seals.sweep()


def index_anew(address: str) -> int:
    """Migrate a store to the current schema and rebuild its search index; how many entries."""
    database = Database(address)
    try:
        return _make_upkeep(database, Indexer(None, None)).rebuild(now=system_clock())
    finally:
        database.close()


def _make_upkeep(database: Database, indexer: Indexer) -> "Upkeep":
    from recollect.memories.maintenance import Upkeep

    return Upkeep(database, indexer)


def _with_cache(embedder: "Embedder | None") -> "Embedder | None":
    """A remote embedder with a cache, so that the same question is not sent twice."""
    if embedder is None or embedder.local:
        return embedder
    from recollect.inference.cached import CachedEmbedder, MemoryVectorCache

    return CachedEmbedder(embedder, MemoryVectorCache())


def provider_state(
    provider: str,
    embedder: "Embedder | None",
    reranker: "Reranker | None",
    model: "ChatModel | None",
) -> tuple[bool, str]:
    """Whether a provider answers now, and its description."""
    from recollect.inference.health import probe, probe_model, probe_reranker

    try:
        if provider == "reranker":
            return True, "none: results keep their order" if reranker is None else probe_reranker(
                reranker
            )
        if provider == "model":
            return True, "none: rules do its work" if model is None else probe_model(model)
        return True, "none: search goes by words alone" if embedder is None else probe(embedder)
    except InferenceError as error:
        return False, str(error)
