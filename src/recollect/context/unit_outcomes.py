"""How a unit of work ended: one memory for each unit, which its newest session words.

A reviewer's verdict outweighs what the agent says of itself. A session that changed nothing,
finished nothing and was not judged says nothing of its unit.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from recollect.context.memory_lookup import MemoryLookup
from recollect.context.session_origins import SessionOrigins
from recollect.context.work_place import WorkPlace
from recollect.context.work_state import Progress
from recollect.memories.drafts import draft_of
from recollect.memories.operations import MemoryKeeper
from recollect.memories.write_policy import AS_IT_IS
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream, StreamAccess

Who = tuple[Viewer, Space]

_KNOWN: Final = 20
_FILES: Final = 8
_DONE: Final = 5
_log: Final = logging.getLogger(__name__)


class UnitEnd(StrEnum):
    """How a unit of work can end."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What a session made of its unit of work."""

    unit: WorkUnit
    outcome: str
    steps: int
    sessions: int = 1
    #: Whether the agent or a reviewer said that the unit is done; the mere end of a session need
    #: not be the end of its unit.
    said: bool = False

    def content(self, progress: Progress, note: str = "") -> str:
        """The result in sentences."""
        parts = [
            f"{self.unit.label}: {self.outcome} after {self.steps} step{'s' * (self.steps != 1)}"
            + (f" in {self.sessions} sessions." if self.sessions > 1 else "."),
            _sentence("Asked for", progress.task),
            _sentence("Done", "; ".join(progress.completed[-_DONE:])),
            _sentence("Changed", ", ".join(f"`{one}`" for one in list(progress.edited)[-_FILES:])),
            _sentence("Still failing", ", ".join(f"`{one}`" for one in progress.failing)),
            note.strip(),
        ]
        return " ".join(part for part in parts if part)

    @property
    def extras(self) -> dict[str, Any]:
        """Extras of a memory of type ``work_unit_outcome``."""
        figures = {"outcome": self.outcome, "steps": self.steps, "sessions": self.sessions}
        return {**figures, "said": True} if self.said else figures


def ended(outcome: str, verdict: bool | None) -> str:
    """The outcome of a unit: a reviewer's last verdict, or what the session says of its own end."""
    if verdict is False:
        return "failure"
    return outcome if outcome in set(UnitEnd) else UnitEnd.PARTIAL.value


def outcome_tag(unit: WorkUnit) -> str:
    """Tag of the outcomes of everything in the same whole: the same spec, feature or epic."""
    return WorkPlace(unit).wanted_relays(_base(unit))[0]


@dataclass(frozen=True, slots=True)
class UnitOutcomes:
    """Writes how units of work ended."""

    keeper: MemoryKeeper
    lookup: MemoryLookup
    origins: SessionOrigins

    def keep(
        self,
        who: Who,
        session: str,
        stream: Stream,
        result: UnitResult,
        *,
        progress: Progress,
        note: str = "",
    ) -> Memory | None:
        """Write the newest word on a unit; the steps of its sessions add up."""
        known = self._known(who, result.unit)
        if known is not None and session not in known.provenance.sessions:
            before = known.extras
            result = replace(
                result,
                steps=result.steps + int(before.get("steps") or 0),
                sessions=result.sessions + int(before.get("sessions") or 1),
            )
        fields = {
            "content": result.content(progress, note),
            "extras": result.extras,
            "files": list(progress.edited)[-50:],
            "modules": _folders(progress),
            "needs_review": progress.outside,
        }
        mine = known is not None and known.provenance.created_by == who[0].user
        try:
            if known is not None and mine and not known.user_verified:
                return self.keeper.change(*who, known.id, fields)
            return self._create(who, session, stream, result.unit, fields)
        except RecollectError as error:
            _log.warning("How a unit of work ended could not be kept: %s", error.message)
            return None

    def judge(self, who: Who, unit: WorkUnit, outcome: UnitEnd, note: str = "") -> Memory | None:
        """Write what a person or a reviewer says of a unit, which outweighs its sessions. Where the
        known outcome is somebody else's, one of one's own stands beside it."""
        known = self._known(who, unit)
        figures = {} if known is None else dict(known.extras)
        rest = "" if known is None else known.content.partition(" after ")[2]
        said = " ".join(part for part in (_head(unit, outcome, rest), note.strip()) if part)
        extras = {**figures, "outcome": outcome.value, "said": True}
        if known is not None and known.provenance.created_by == who[0].user:
            return self.keeper.change(*who, known.id, {"content": said, "extras": extras})
        named = {
            "type": MemoryType.WORK_UNIT_OUTCOME,
            "confidence": 0.95,
            "source": Source.USER_TAUGHT,
            "work_unit": unit,
            "tags": WorkPlace(unit).relay_tags(_base(unit)),
            "extras": extras,
        }
        return self.keeper.path.create(*who, draft_of(said, named), AS_IT_IS)

    def known(self, who: Who, unit: WorkUnit) -> Memory | None:
        """How a unit ended, by the newest word on it."""
        return self._known(who, unit)

    def _create(
        self,
        who: Who,
        session: str,
        stream: Stream,
        unit: WorkUnit,
        fields: Mapping[str, Any],
    ) -> Memory:
        content = str(fields["content"])
        named = {
            **self.origins.of(session),
            **{name: value for name, value in fields.items() if name != "content"},
            "type": MemoryType.WORK_UNIT_OUTCOME,
            "confidence": 0.85,
            "source": Source.OBSERVER_INFERRED,
            "session": session,
            "work_unit": unit,
            "tags": WorkPlace(unit).relay_tags(_base(unit)),
            "stream": stream.id if stream.access is StreamAccess.PRIVATE else None,
        }
        return self.keeper.path.create(*who, draft_of(content, named), AS_IT_IS)

    def _known(self, who: Who, unit: WorkUnit) -> Memory | None:
        tags = frozenset({outcome_tag(unit)})
        filters = Filters(types=frozenset({MemoryType.WORK_UNIT_OUTCOME}), tags=tags)
        try:
            found = self.lookup.listed(who, filters, _KNOWN)
        except RecollectError:
            return None
        own = [one for one in found if one.work_unit == unit]
        return max(own, key=lambda one: one.updated_at, default=None)


def _head(unit: WorkUnit, outcome: UnitEnd, rest: str) -> str:
    """The first sentences of an outcome, with the figures and files that were known before."""
    return f"{unit.label}: {outcome.value}{f' after {rest}' if rest else '.'}"


def _base(unit: WorkUnit) -> str:
    return f"outcome:{unit.methodology}"


def _folders(progress: Progress) -> list[str]:
    folders = (path.rpartition("/")[0] for path in progress.edited)
    return list(dict.fromkeys(folder for folder in folders if folder))[:20]


def _sentence(heading: str, words: str) -> str:
    return f"{heading}: {words.rstrip('.')}." if words else ""
