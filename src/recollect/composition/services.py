"""Every room on one database; what few callers need is built when it is first asked for."""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.engine.services import Once, PeopleServices, Services
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.memories.index_version import is_current
from recollect.memories.undo_expiry import Seals
from recollect.pages.spaces import Spaces
from recollect.recall.search import Recall
from recollect.recall.usage_log import UsageLog
from recollect.storage.database import BUSY_SECONDS, Database
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import InferenceError, RecollectError, StoreError
from recollect.vocabulary.jobs import CHAT_TIDY, INDEX_TIDY, NIGHTLY, TIDY
from recollect.vocabulary.metrics import PendingCounts
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.engine.agents import AgentServices
    from recollect.engine.chat import ChatServices
    from recollect.engine.code import CodeServices
    from recollect.engine.workspace import WorkspaceServices
    from recollect.evolution.evolution import EvolutionServices
    from recollect.inference.budgets import Spending
    from recollect.inference.chat_model import ChatModel
    from recollect.inference.embedder import Embedder
    from recollect.inference.reranker import Reranker
    from recollect.inference.tasks import Tasks
    from recollect.jobs.worker import Worker
    from recollect.memories.contradiction_register import ContradictionRegister
    from recollect.memories.export_restorer import ExportRestorer
    from recollect.memories.exporter import Exporter
    from recollect.memories.keeper import MemoryKeeper
    from recollect.memories.levels import Shortener
    from recollect.memories.maintenance import Upkeep
    from recollect.memories.overview import SpaceOverview
    from recollect.memories.reader import MemoryReader
    from recollect.memories.write_path import WritePath
    from recollect.memories.writer import MemoryWriter
    from recollect.metrics.weights import MetricsServices
    from recollect.observer.learner import Learner
    from recollect.pages.authors import Aliases
    from recollect.pages.events import Events
    from recollect.pages.importer import Importer
    from recollect.pages.streams import Streams
    from recollect.recall.hyde import Imagine
    from recollect.research.researcher import Researcher
    from recollect.sync.device import SyncServices
    from recollect.trust.access_tokens import AccessTokens
    from recollect.vocabulary.jobs import Job, QueueMetrics
    from recollect.vocabulary.overview import Overview
    from recollect.workspace.memos import Memos


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
) -> Services:
    """Every part on one database; what a question does not need is made when it is wanted."""
    database = Database(address, busy_seconds=busy_seconds)
    clock = database.shared_clock(clock)
    indexer = Indexer(embedder, _remembering(asker or embedder))
    upkeep = Once(lambda: _upkeep(database, indexer))
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
    database.after_write(
        lambda: _look_after(database, seals) if database.erasure.pending or seals.next_end else None
    )
    counts = PendingCounts()
    parts = _Parts(
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
    )
    serving = UsageLog(
        database,
        clock,
        logged=logged,
        useful=lambda viewer, space, ids, how: parts.events().retrieved(viewer, space, ids, how),
        counts=counts,
    )
    database.erasure.when_erasing(serving.flush)
    database.when_promised(lambda: parts.worker().wake() if parts.worker.made else None)

    def close() -> None:
        if parts.worker.made:
            parts.worker().stop()
        serving.close()
        if parts.access.made:
            with suppress(RecollectError):  # when a token was used last is nothing to fail over
                parts.access().flush()
        database.close()

    workspace = Once(lambda: parts.workspace(serving.flush))
    return Services(
        spaces=spaces,
        make_aliases=parts.aliases,
        make_streams=parts.streams,
        make_events=parts.events,
        importer=parts.importer,
        make_keeper=parts.keeper,
        make_reader=parts.reader,
        exporter=parts.exporter,
        restorer=parts.restorer,
        recall=recall,
        serving=serving,
        chat=Once(lambda: parts.chat(recall, seals)),
        learner=parts.learner,
        make_upkeep=upkeep,
        make_access=parts.access,
        make_worker=parts.worker,
        agents=Once(lambda: parts.agents(recall, serving)),
        workspace=workspace,
        research=Once(lambda: parts.research(recall, lambda: workspace().memos, logged=logged)),
        contradictions=parts.contradictions,
        evolution=parts.evolution,
        people=Once(parts.people),
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
        hurried=database.hurried,
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
        measured=Once(lambda: parts.measured(recall, serving)),
    )


class _Parts:
    """The parts that are loaded and made when they are first wanted."""

    def __init__(
        self,
        database: Database,
        indexer: Indexer,
        clock: Clock,
        *,
        upkeep: "Once[Upkeep]",
        model: "ChatModel | None",
        patience: float,
        switched_off: frozenset[str],
        counts: PendingCounts,
    ) -> None:
        self._switched_off = switched_off
        self._counts = counts
        self._database = database
        self._indexer = indexer
        self._clock = clock
        self._model = model
        self._patience = patience
        self.index = SearchIndex(database.dialect)
        self.upkeep = upkeep
        self.spending = Once(self._spending)
        self.tasks = Once(self._tasks)
        self.aliases = Once(self._aliases)
        self.streams = Once(self._streams)
        self.events = Once(self._events)
        self.shortener = Once(self._shortener)
        self.writer = Once(self._writer)
        self.write_path = Once(self._write_path)
        self.keeper = Once(self._keeper)
        self.reader = Once(self._reader)
        self.importer = Once(self._importer)
        self.exporter = Once(self._exporter)
        self.restorer = Once(self._returner)
        self.learner = Once(self._learner)
        self.access = Once(self._access)
        self.worker = Once(self._worker)
        self.contradictions = Once(self._contradictions)
        self.evolution = Once(self._evolution)
        self.sync = Once(self._sync)
        self.code = Once(self._code)
        self._overview = Once(self._make_overview)

    def imagine(self, own: Callable[[str], str | None] | None) -> "Imagine | None":
        """Who imagines the answer to a question that finds little, where anybody does."""
        if own is None and self._model is None:
            return None
        from recollect.composition.features import imagined_by

        return imagined_by(self.tasks, self._model, own)

    def _spending(self) -> "Spending":
        from recollect.inference.budgets import Spending

        return Spending(self._database, self._clock)

    def _tasks(self) -> "Tasks":
        from recollect.inference.tasks import Tasks

        return Tasks(self._model, self.spending())

    def _aliases(self) -> "Aliases":
        from recollect.pages.authors import Aliases

        return Aliases(self._database, self._clock)

    def _streams(self) -> "Streams":
        from recollect.pages.streams import Streams

        return Streams(self._database, self._clock)

    def _events(self) -> "Events":
        from recollect.pages.events import Events

        return Events(self._database, self._indexer, self._clock, self.spending())

    def _shortener(self) -> "Shortener":
        from recollect.memories.levels import Shortener

        return Shortener(leaves_long=self._model is not None)

    def _keeper(self) -> "MemoryKeeper":
        from recollect.memories.keeper import MemoryKeeper

        return MemoryKeeper(self._database, self.writer(), self.write_path(), self._clock)

    def _writer(self) -> "MemoryWriter":
        from recollect.memories.writer import MemoryWriter

        return MemoryWriter(self._database, self._indexer, self._clock, self.shortener())

    def _write_path(self) -> "WritePath":
        from recollect.memories.write_path import WritePath

        return WritePath(self._database, self.writer(), self._indexer, self.index, self._clock)

    def _reader(self) -> "MemoryReader":
        from recollect.memories.reader import MemoryReader

        return MemoryReader(self._database, self._clock)

    def _importer(self) -> "Importer":
        from recollect.pages.importer import Importer

        return Importer(self._database, self._indexer, self._clock)

    def _exporter(self) -> "Exporter":
        from recollect.memories.exporter import Exporter

        return Exporter(self.reader(), self.streams(), self.events(), self._clock)

    def _returner(self) -> "ExportRestorer":
        from recollect.memories.export_restorer import ExportRestorer

        return ExportRestorer(self._database, self._indexer)

    def _learner(self) -> "Learner":
        from recollect.observer.learner import Learner
        from recollect.observer.lesson_task import model_lessons
        from recollect.observer.wording_task import model_wording

        if self._model is None:
            return Learner(self._database, self.keeper(), self._indexer, self._clock)
        return Learner(
            self._database,
            self.keeper(),
            self._indexer,
            self._clock,
            wording=model_wording(self.tasks()),
            lessons=model_lessons(self.tasks()),
        )

    def _access(self) -> "AccessTokens":
        from recollect.trust.access_tokens import AccessTokens

        return AccessTokens(self._database, self._clock)

    def _worker(self) -> "Worker":
        from recollect.composition.job_handlers import handlers
        from recollect.jobs.handler import Handlers
        from recollect.jobs.worker import Worker

        return Worker(
            self._database,
            Handlers(
                lambda: handlers(
                    self._database,
                    self._indexer,
                    (self.keeper(), self.writer(), self.shortener()),
                    self.tasks(),
                    spending=self.spending(),
                    memos=lambda: self.workspace(lambda: None).memos,
                    switched_off=self._switched_off,
                    night=lambda: self.evolution().night,
                    clock=self._clock,
                )
            ),
            clock=self._clock,
            name=worker_name(),
            listen=self._database.dialect.listen,
        )

    def _contradictions(self) -> "ContradictionRegister":
        from recollect.memories.contradiction_register import ContradictionRegister

        return ContradictionRegister(self._database, self.writer(), self._clock)

    def _evolution(self) -> "EvolutionServices":
        from recollect.composition.features import evolution_services

        return evolution_services(
            self._database,
            (self.writer(), self.write_path()),
            self.tasks(),
            clock=self._clock,
        )

    def _sync(self) -> "SyncServices":
        from recollect.composition.features import sync_services

        parts = self.writer(), self.events(), self._indexer
        return sync_services(self._database, *parts, clock=self._clock)

    def _code(self) -> "CodeServices":
        from recollect.composition.features import code_services

        return code_services(self._database, self._indexer, self._clock, self.keeper, self.tasks)

    def workspace(self, written_down: Callable[[], object]) -> "WorkspaceServices":
        """What people know together; ``written_down`` has the log of questions complete."""
        from recollect.composition.features import workspace_services

        return workspace_services(
            self._database,
            memories=(self.keeper(), self.reader(), self.writer(), self.write_path()),
            index=(self.index, self._indexer),
            streams=self.streams(),
            tasks=self.tasks(),
            written_down=written_down,
            switched_off=self._switched_off,
            counts=self._counts,
            clock=self._clock,
        )

    def chat(self, recall: Recall, seals: Seals) -> "ChatServices":
        """Personal memory."""
        from recollect.composition.features import chat_services

        return chat_services(
            self._database,
            writer=self.writer(),
            path=self.write_path(),
            events=self.events(),
            indexer=self._indexer,
            recall=recall,
            tasks=self.tasks(),
            seals=seals,
            clock=self._clock,
        )

    def research(
        self, recall: Recall, memos: "Callable[[], Memos]", *, logged: bool
    ) -> "Researcher":
        """Answers with citations."""
        from recollect.composition.features import researcher

        return researcher(
            self._database,
            (self.streams(), self.events()),
            (recall, self._indexer),
            (self.tasks(), self.spending()),
            memos=None if "memos" in self._switched_off else memos(),
            clock=self._clock,
            logged=logged,
        )

    def agents(self, recall: Recall, serving: UsageLog) -> "AgentServices":
        """The sessions of agents."""
        from recollect.composition.features import agent_services

        return agent_services(
            self._database,
            (self.streams(), self.events()),
            (self.keeper(), recall),
            self.learner(),
            (serving, self.contradictions()),
            model=self._model,
            counts=self._counts,
            clock=self._clock,
            patience=self._patience,
        )

    def people(self) -> PeopleServices:
        """Teams, disputes, and a person's own data."""
        from recollect.composition.features import people_services

        return people_services(self._database, self.keeper(), self.writer(), self._clock)

    def statistics(self, viewer: Viewer, space: Space) -> dict[str, Any]:
        """Figures of the store."""
        from recollect.memories.statistics import Statistics

        return Statistics(self._database, self._indexer, self.index).figures(viewer, space)

    def measured(self, recall: Recall, serving: UsageLog) -> "MetricsServices":
        """Figures, experiments and weights."""
        from recollect.composition.features import metrics_services

        return metrics_services(self._database, recall, serving, self._clock)

    def _make_overview(self) -> "SpaceOverview":
        from recollect.memories.overview import SpaceOverview

        return SpaceOverview(self._database, self._clock)

    def overview(self, viewer: Viewer, space: Space) -> "Overview":
        """A space at a glance."""
        return self._overview().overview(viewer, space)

    def queue_metrics(self, now: datetime) -> "QueueMetrics":
        """How the queue is doing."""
        from recollect.jobs.metrics import queue_metrics

        return queue_metrics(self._database, now)

    def dead_jobs(self, space_ids: Sequence[str]) -> "Sequence[Job]":
        """The jobs that failed too often."""
        from recollect.jobs.metrics import list_dead

        return list_dead(self._database, space_ids)

    def retry_jobs(self, space_ids: Sequence[str], job: str | None, now: datetime) -> int:
        """Have failed jobs tried again; how many."""
        from recollect.jobs.metrics import retry_dead

        return retry_dead(self._database, space_ids, job, now)


def _look_after(database: Database, seals: Seals) -> None:
    """What is due after a write: what was erased leaves the files, and seals end."""
    database.erasure.go_on()
    with suppress(StoreError):
        seals.sweep()


def index_anew(address: str) -> int:
    """Bring a store to today's schema and make its search index from its rows; of how many."""
    database = Database(address)
    try:
        return _upkeep(database, Indexer(None, None)).rebuild(now=system_clock())
    finally:
        database.close()


def _upkeep(database: Database, indexer: Indexer) -> "Upkeep":
    from recollect.memories.maintenance import Upkeep

    return Upkeep(database, indexer)


def _remembering(embedder: "Embedder | None") -> "Embedder | None":
    """A remote embedder that does not ask the same question twice."""
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
    """Whether a provider answers now, and what it says of itself."""
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


def worker_name() -> str:
    """A name that no other worker has."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"
