"""The rooms that an engine speaks to, and a view on them: one viewer in one space."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.engine.code import CodeServices
from recollect.inference.budgets import Spending
from recollect.jobs.worker import Worker
from recollect.memories.keeper import MemoryKeeper
from recollect.memories.maintenance import Upkeep
from recollect.memories.reader import MemoryReader
from recollect.pages.authors import Aliases
from recollect.pages.events import Events
from recollect.pages.spaces import Spaces
from recollect.pages.streams import Streams
from recollect.recall.search import Recall
from recollect.recall.usage_log import UsageLog
from recollect.trust.access_tokens import AccessTokens
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import Job, QueueMetrics
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.engine.agents import AgentServices
    from recollect.engine.chat import ChatServices
    from recollect.memories.export_restorer import ExportRestorer
    from recollect.memories.exporter import Exporter
    from recollect.observer.learner import Learner
    from recollect.pages.importer import Importer


@dataclass(frozen=True, slots=True)
class Services:
    """The rooms an engine speaks to, put together by ``wiring``.

    A room that few commands enter is given as a function, which makes it when it is first wanted.
    """

    spaces: Spaces
    aliases: Aliases
    streams: Streams
    events: Events
    importer: "Callable[[], Importer]"
    learner: "Callable[[], Learner]"
    keeper: MemoryKeeper
    reader: MemoryReader
    exporter: "Callable[[], Exporter]"
    returner: "Callable[[], ExportRestorer]"
    recall: Recall
    serving: UsageLog
    chat: "Callable[[], ChatServices]"
    spending: Spending
    upkeep: Upkeep
    access: AccessTokens
    worker: Worker
    agents: "Callable[[], AgentServices]"
    clock: Clock
    close: Callable[[], None]
    #: Whether a verb may wait for a server or a model, and not for this machine's disk alone.
    waits: bool
    hurried: Callable[[], AbstractContextManager[None]]
    read_only: bool
    statistics: Callable[[Viewer, Space], dict[str, Any]]
    embedder_state: Callable[[], tuple[bool, str]]
    metrics: Callable[[datetime], QueueMetrics]
    dead_jobs: Callable[[Sequence[str]], Sequence[Job]]
    retry_jobs: Callable[[Sequence[str], str | None, datetime], int]
    code: CodeServices


class View:
    """One viewer in one space of a store; every family of verbs is one."""

    def __init__(self, rooms: Services, viewer: Viewer, space: Space) -> None:
        self._services = rooms
        self.viewer = viewer
        self.space = space
