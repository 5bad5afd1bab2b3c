"""The services on one database, each imported and created on first use.

What few callers need is imported in the method that creates it: a command that only asks a question
loads nothing of chat, code or sync.
"""

import os
import socket
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.engine.services import Lazy, PeopleServices
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.memories.undo_expiry import Seals
from recollect.recall.search import Recall
from recollect.recall.usage_log import UsageLog
from recollect.storage.database import Database
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.engine.agents import AgentServices
    from recollect.engine.chat import ChatServices
    from recollect.engine.code import CodeServices
    from recollect.engine.workspace import WorkspaceServices
    from recollect.evolution.evolution import EvolutionServices
    from recollect.inference.budgets import Spending
    from recollect.inference.chat_model import ChatModel
    from recollect.inference.tasks import Tasks
    from recollect.jobs.worker import Worker
    from recollect.memories.contradiction_register import ContradictionRegister
    from recollect.memories.export_restorer import ExportRestorer
    from recollect.memories.exporter import Exporter
    from recollect.memories.maintenance import Upkeep
    from recollect.memories.operations import MemoryKeeper
    from recollect.memories.overview import SpaceOverview
    from recollect.memories.reader import MemoryReader
    from recollect.memories.write_path import WritePath
    from recollect.memories.writer import MemoryWriter
    from recollect.metrics.weights import MetricsServices
    from recollect.observer.commit_lessons import CommitLessons
    from recollect.observer.learner import Learner
    from recollect.pages.authors import Aliases
    from recollect.pages.events import Events
    from recollect.pages.importer import Importer
    from recollect.pages.streams import Streams
    from recollect.recall.hyde import Imagine
    from recollect.recall.usage_reader import UsageReader
    from recollect.research.researcher import Researcher
    from recollect.sync.device import SyncServices
    from recollect.trust.access_tokens import AccessTokens
    from recollect.vocabulary.jobs import Job, QueueMetrics
    from recollect.vocabulary.overview import Overview


class Parts:
    """Services that are loaded and created on first use."""

    def __init__(
        self,
        database: Database,
        indexer: Indexer,
        clock: Clock,
        *,
        upkeep: "Lazy[Upkeep]",
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
        self.spending = Lazy(self._spending)
        self.tasks = Lazy(self._tasks)
        self.aliases = Lazy(self._aliases)
        self.streams = Lazy(self._streams)
        self.events = Lazy(self._events)
        self.writer = Lazy(self._writer)
        self.write_path = Lazy(self._write_path)
        self.keeper = Lazy(self._keeper)
        self.reader = Lazy(self._reader)
        self.importer = Lazy(self._importer)
        self.exporter = Lazy(self._exporter)
        self.restorer = Lazy(self._restorer)
        self.learner = Lazy(self._learner)
        self.commit_lessons = Lazy(self._commit_lessons)
        self.access = Lazy(self._access)
        self.worker = Lazy(self._worker)
        self.contradictions = Lazy(self._contradictions)
        self.evolution = Lazy(self._evolution)
        self.sync = Lazy(self._sync)
        self.code = Lazy(self._code)
        self._overview = Lazy(self._make_overview)

    def imagine(self, own: Callable[[str], str | None] | None) -> "Imagine | None":
        """Generates hypothetical answers to questions that find little, if configured."""
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

    def _keeper(self) -> "MemoryKeeper":
        from recollect.memories.operations import MemoryKeeper

        return MemoryKeeper(self._database, self.writer(), self.write_path(), self._clock)

    def _writer(self) -> "MemoryWriter":
        from recollect.memories.writer import MemoryWriter

        return MemoryWriter(
            self._database, self._indexer, self._clock, leaves_long=self._model is not None
        )

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

    def _restorer(self) -> "ExportRestorer":
        from recollect.memories.export_restorer import ExportRestorer

        return ExportRestorer(self._database, self._indexer)

    def _commit_lessons(self) -> "CommitLessons":
        from recollect.observer.commit_lessons import CommitLessons

        return CommitLessons(
            self._database,
            self.write_path(),
            self.events(),
            self.streams(),
            self._clock,
            change=self.keeper().change,
        )

    def _learner(self) -> "Learner":
        from recollect.memories.lesson_changes import LessonChanges
        from recollect.observer.learner import Learner
        from recollect.observer.lesson_task import model_lessons
        from recollect.observer.wording_task import model_wording

        changes, change = LessonChanges(self.writer()), self.keeper().change
        if self._model is None:
            return Learner(
                self._database,
                self.write_path(),
                self._indexer,
                self._clock,
                lesson_changes=changes,
                change_memory=change,
            )
        return Learner(
            self._database,
            self.write_path(),
            self._indexer,
            self._clock,
            lesson_changes=changes,
            change_memory=change,
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

        worker = Worker(
            self._database,
            Handlers(
                lambda: handlers(
                    self._database,
                    self._indexer,
                    (self.write_path(), self.writer()),
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
        self._database.on_jobs_enqueued(worker.wake)
        return worker

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
        """Shared knowledge of a workspace; ``written_down`` flushes the retrieval log."""
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

    def usage(self, serving: UsageLog) -> "UsageReader":
        """Reads the usage log; messages that were useful are reported to the pages."""
        from recollect.recall.usage_reader import UsageReader

        return UsageReader(
            self._database,
            serving,
            self._clock,
            useful=lambda viewer, space, ids, how: self.events().retrieved(viewer, space, ids, how),
        )

    def chat(self, recall: Recall, usage: "UsageReader", seals: Seals) -> "ChatServices":
        """Personal memory."""
        from recollect.composition.features import chat_services

        return chat_services(
            self._database,
            writer=self.writer(),
            path=self.write_path(),
            events=self.events(),
            indexer=self._indexer,
            recall=recall,
            usage=usage,
            tasks=self.tasks(),
            seals=seals,
            clock=self._clock,
        )

    def research(
        self, recall: Recall, workspace: "Callable[[], WorkspaceServices]", *, logged: bool
    ) -> "Researcher":
        """Answers with citations."""
        from recollect.composition.features import researcher

        return researcher(
            self._database,
            (self.streams(), self.events()),
            (recall, self._indexer),
            (self.tasks(), self.spending()),
            memos=None if "memos" in self._switched_off else workspace().memos,
            experts=None if "experts" in self._switched_off else workspace().experts,
            clock=self._clock,
            logged=logged,
        )

    def agents(self, recall: Recall, serving: UsageLog, usage: "UsageReader") -> "AgentServices":
        """Agents' sessions."""
        from recollect.composition.features import agent_services

        return agent_services(
            self._database,
            (self.streams(), self.events()),
            (self.keeper(), recall),
            self.learner(),
            (serving, usage, self.contradictions()),
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
        """Statistics of the store."""
        from recollect.memories.statistics import Statistics

        return Statistics(self._database, self._indexer, self.index).figures(viewer, space)

    def measured(self, recall: Recall, usage: "UsageReader") -> "MetricsServices":
        """Metrics, experiments and weights."""
        from recollect.composition.features import metrics_services

        return metrics_services(self._database, recall, usage, self._clock)

    def _make_overview(self) -> "SpaceOverview":
        from recollect.memories.overview import SpaceOverview

        return SpaceOverview(self._database, self._clock)

    def overview(self, viewer: Viewer, space: Space) -> "Overview":
        """Overview of a space."""
        return self._overview().overview(viewer, space)

    def queue_metrics(self, now: datetime) -> "QueueMetrics":
        """Metrics of the job queue."""
        from recollect.jobs.metrics import queue_metrics

        return queue_metrics(self._database, now)

    def dead_jobs(self, space_ids: Sequence[str]) -> "Sequence[Job]":
        """Jobs that failed too often."""
        from recollect.jobs.metrics import list_dead

        return list_dead(self._database, space_ids)

    def retry_jobs(self, space_ids: Sequence[str], job: str | None, now: datetime) -> int:
        """Retry failed jobs; how many."""
        from recollect.jobs.metrics import retry_dead

        return retry_dead(self._database, space_ids, job, now)


def worker_name() -> str:
    """A unique name for a worker."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"
