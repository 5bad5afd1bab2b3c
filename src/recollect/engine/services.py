"""The services behind the engine, and a view on them: one viewer in one space."""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

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
    from recollect.jobs.worker import Worker
    from recollect.memories.contradiction_register import ContradictionRegister
    from recollect.memories.disputes import DisputeRegister
    from recollect.memories.export_restorer import ExportRestorer
    from recollect.memories.exporter import Exporter
    from recollect.memories.maintenance import Upkeep
    from recollect.memories.operations import MemoryKeeper
    from recollect.memories.person_data import PersonData
    from recollect.memories.reader import MemoryReader
    from recollect.memories.team_memories import TeamMemories
    from recollect.memories.write_path import WritePath
    from recollect.metrics.weights import MetricsServices
    from recollect.observer.commit_lessons import CommitLessons
    from recollect.observer.learner import Learner
    from recollect.pages.authors import Aliases
    from recollect.pages.events import Events
    from recollect.pages.groups import Groups
    from recollect.pages.importer import Importer
    from recollect.pages.spaces import Spaces
    from recollect.pages.streams import Streams
    from recollect.recall.search import Recall
    from recollect.recall.usage_log import UsageLog
    from recollect.recall.usage_reader import UsageReader
    from recollect.research.researcher import Researcher
    from recollect.sync.device import SyncServices
    from recollect.trust.access_tokens import AccessTokens
    from recollect.vocabulary.jobs import Job, QueueMetrics
    from recollect.vocabulary.overview import Overview

T = TypeVar("T")


class Lazy(Generic[T]):
    """A lazily created value: created once, on first use, thread-safe."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._lock = threading.RLock()
        self._value: T | None = None

    def __call__(self) -> T:
        """The value, created now if this is the first call."""
        if self._make is not None:
            with self._lock:
                if self._make is not None:
                    self._value = self._make()
                    self._make = None
        return cast("T", self._value)

    @property
    def created(self) -> bool:
        """Whether the value was created."""
        return self._make is None


@dataclass(frozen=True, slots=True)
class PeopleServices:
    """Services for people, their disputes and their rights."""

    groups: "Groups"
    shared: "TeamMemories"
    disputes: "DisputeRegister"
    person_data: "PersonData"


@dataclass(frozen=True)
class Services:
    """The services behind the engine, wired by ``composition``.

    Most services are given as functions, which import and create them on first use: a command that
    asks one question pays for no worker and no writer. What is used often is kept here from then
    on, without asking its function again.
    """

    spaces: "Spaces"
    recall: "Recall"
    serving: "UsageLog"
    importer: "Callable[[], Importer]"
    learner: "Callable[[], Learner]"
    commit_lessons: "Callable[[], CommitLessons]"
    exporter: "Callable[[], Exporter]"
    restorer: "Callable[[], ExportRestorer]"
    chat: "Callable[[], ChatServices]"
    agents: "Callable[[], AgentServices]"
    workspace: "Callable[[], WorkspaceServices]"
    research: "Callable[[], Researcher]"
    contradictions: "Callable[[], ContradictionRegister]"
    evolution: "Callable[[], EvolutionServices]"
    people: "Callable[[], PeopleServices]"
    sync: "Callable[[], SyncServices]"
    measured: "Callable[[], MetricsServices]"
    #: Counts of this process that are not written yet.
    counts: PendingCounts
    clock: Clock
    #: Stops the worker, if there is one, and closes the store.
    close: Callable[[], None]
    #: Whether a call may wait for a server or a model, and not only for this machine's disk.
    waits: bool
    without_waiting: Callable[[], AbstractContextManager[None]]
    read_only: bool
    statistics: Callable[[Viewer, Space], dict[str, Any]]
    overview: "Callable[[Viewer, Space], Overview]"
    provider_state: Callable[[str], tuple[bool, str]]
    metrics: "Callable[[datetime], QueueMetrics]"
    dead_jobs: "Callable[[Sequence[str]], Sequence[Job]]"
    retry_jobs: Callable[[Sequence[str], str | None, datetime], int]
    make_aliases: "Lazy[Aliases]"
    make_streams: "Lazy[Streams]"
    make_events: "Lazy[Events]"
    make_write_path: "Lazy[WritePath]"
    make_keeper: "Lazy[MemoryKeeper]"
    make_reader: "Lazy[MemoryReader]"
    make_usage: "Lazy[UsageReader]"
    make_spending: "Lazy[Spending]"
    make_upkeep: "Lazy[Upkeep]"
    make_access: "Lazy[AccessTokens]"
    make_worker: "Lazy[Worker]"
    make_code: "Lazy[CodeServices]"

    @cached_property
    def aliases(self) -> "Aliases":
        """Aliases of people."""
        return self.make_aliases()

    @cached_property
    def streams(self) -> "Streams":
        """Streams of events."""
        return self.make_streams()

    @cached_property
    def events(self) -> "Events":
        """Events on streams."""
        return self.make_events()

    @cached_property
    def write_path(self) -> "WritePath":
        """Stores new memories."""
        return self.make_write_path()

    @cached_property
    def keeper(self) -> "MemoryKeeper":
        """Changes stored memories."""
        return self.make_keeper()

    @cached_property
    def reader(self) -> "MemoryReader":
        """Reads memories."""
        return self.make_reader()

    @cached_property
    def usage(self) -> "UsageReader":
        """Reads what was served, and takes feedback on it."""
        return self.make_usage()

    @cached_property
    def spending(self) -> "Spending":
        """Budgets and costs of model calls."""
        return self.make_spending()

    @cached_property
    def upkeep(self) -> "Upkeep":
        """Checks and rebuilds the index."""
        return self.make_upkeep()

    @cached_property
    def access(self) -> "AccessTokens":
        """Access tokens."""
        return self.make_access()

    @cached_property
    def worker(self) -> "Worker":
        """Runs the queued jobs."""
        return self.make_worker()

    @cached_property
    def code(self) -> "CodeServices":
        """The code graph."""
        return self.make_code()


class View:
    """One viewer in one space of a store; base of every group of verbs."""

    def __init__(self, services: Services, viewer: Viewer, space: Space) -> None:
        self._services = services
        self.viewer = viewer
        self.space = space
