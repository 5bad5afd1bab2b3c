"""Jobs: work queued in the same transaction as the write that needs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

#: Daily jobs of every space; a new space is scheduled before the handlers are loaded.
TIDY: Final = "jobs.tidy"
INDEX_TIDY: Final = "index.tidy"
CHAT_TIDY: Final = "chat.tidy"
#: A message gained value, so its exchange may be worth a memo; the sources of memos changed.
MEMO_FROM_EXCHANGE: Final = "workspace.memo"
MEMO_REFRESH: Final = "workspace.refresh"
NIGHTLY: Final = "evolution.night"


class JobState(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Job:
    """One queued job."""

    id: str
    space_id: str
    kind: str
    payload: Mapping[str, Any]
    state: JobState
    attempts: int
    max_attempts: int
    run_at: datetime
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    leased_until: datetime | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """Metrics of the queue."""

    backlog: int
    oldest_seconds: float
    running: int
    dead: int
    done: int
    failures: int
    p95_seconds: float | None
    by_kind: Mapping[str, int]
