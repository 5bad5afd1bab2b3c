"""A job is work that was promised in the same transaction as the write that wants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

#: What is done in every space once a day; a space is promised it before the handlers are loaded.
TIDY: Final = "jobs.tidy"
INDEX_TIDY: Final = "index.tidy"
CHAT_TIDY: Final = "chat.tidy"
#: A message was raised, so its exchange may be worth a memo; the source of memos has changed.
MEMO_FROM_EXCHANGE: Final = "workspace.memo"
MEMO_REFRESH: Final = "workspace.refresh"
NIGHTLY: Final = "evolution.night"


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Job:
    """One promised piece of work."""

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
    """How the queue is doing."""

    backlog: int
    oldest_seconds: float
    running: int
    dead: int
    done: int
    failures: int
    p95_seconds: float | None
    by_kind: Mapping[str, int]
