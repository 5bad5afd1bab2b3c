"""Facts of one session about its use of files, small enough to keep for every session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.trust.secrets import redacted_values


@dataclass(frozen=True, slots=True)
class FileFact:
    """Use of one file by a session: first time, order and counts."""

    path: str
    first_step: int
    first_at: float
    reads: int
    edits: int


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Figures of a session."""

    session: str
    started_at: datetime
    files: tuple[FileFact, ...] = ()
    steps: int = 0
    planned: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    chases: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    searches: tuple[tuple[str, str], ...] = ()
    fixes: tuple[tuple[str, str], ...] = ()
    calls: int = 0
    #: Whether the first check after an edit passed, or the first verdict of a reviewer.
    first_pass: bool | None = None
    #: Words of each approach that did not work in the session.
    dead_ends: tuple[str, ...] = ()
    phase: str = "implement"
    session_type: str = "build"
    #: Steps that the session's plan allowed, and steps that it took.
    plan: tuple[float, int] | None = None

    @property
    def edited(self) -> tuple[str, ...]:
        """Changed files, in the order of their first use."""
        return tuple(file.path for file in self.files if file.edits)

    @property
    def modules(self) -> tuple[str, ...]:
        """Folders of the session's work: of edited files, or of read files if nothing was
        edited."""
        worked = self.edited or tuple(file.path for file in self.files)
        folders = (path.rpartition("/")[0] for path in worked)
        return tuple(dict.fromkeys(folder for folder in folders if folder))


def kept(facts: SessionFacts) -> dict[str, Any]:
    """The facts as JSON values, without secrets."""
    told: dict[str, Any] = {
        "files": [
            [file.path, file.first_step, file.first_at, file.reads, file.edits]
            for file in facts.files
        ],
        "steps": facts.steps,
        "planned": facts.planned,
        "tokens": dict(facts.tokens),
        "chases": [list(pair) for pair in facts.chases],
        "words": list(facts.words),
        "branches": list(facts.branches),
        "fixes": [[key, words] for key, words in facts.fixes],
        "searches": [[pattern, path] for pattern, path in facts.searches],
        "calls": facts.calls,
        "first_pass": facts.first_pass,
        "dead_ends": list(facts.dead_ends),
        "phase": facts.phase,
        "session_type": facts.session_type,
        "plan": facts.plan and list(facts.plan),
    }
    return dict(redacted_values(told))


def plan_of(document: Mapping[str, Any]) -> tuple[float, int] | None:
    """The plan of a stored session; None if it had none, or was stored before plans were."""
    plan = document.get("plan")
    return (float(plan[0]), int(plan[1])) if plan else None


def facts_of(session: str, started_at: datetime, document: Mapping[str, Any]) -> SessionFacts:
    """Restore facts from their stored document."""
    return SessionFacts(
        session,
        started_at,
        files=tuple(FileFact(*row) for row in document["files"]),
        steps=int(document["steps"]),
        planned=int(document["planned"]),
        tokens=document["tokens"],
        chases=tuple((first, second) for first, second in document["chases"]),
        words=tuple(document.get("words", ())),
        branches=tuple(document.get("branches", ())),
        fixes=tuple((key, words) for key, words in document.get("fixes", ())),
        searches=tuple((pattern, path) for pattern, path in document.get("searches", ())),
        calls=int(document.get("calls") or document["steps"]),
        first_pass=document.get("first_pass"),
        dead_ends=tuple(document.get("dead_ends", ())),
        phase=str(document.get("phase", "implement")),
        session_type=str(document.get("session_type", "build")),
        plan=plan_of(document),
    )
