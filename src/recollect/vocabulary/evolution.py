"""Nightly runs: counts by step, and each change with the data to undo it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NightStep(StrEnum):
    """The steps of a night, in their order."""

    FEEDBACK = "feedback"  # feedback on answers changes confidence
    USES = "uses"  # memories used often without a correction gain confidence
    PRUNE = "prune"  # inferred memories that nobody used are archived
    HALF_LIFE = "half_life"  # memories unused for three half-lives are archived
    FORGET = "forget"  # superseded memories that are not used are archived
    MERGE = "merge"  # facts that say the same are merged
    SUMMARISE = "summarise"  # episodes are summarised after a week
    COMPRESS = "compress"  # and compressed after a month
    LINK = "link"  # similar memories about the same files are linked
    CONTRADICTIONS = "contradictions"  # new memories are compared with existing ones
    DELETE = "delete"  # memories archived at night are deleted after their grace period
    RETENTION = "retention"  # data older than the space's retention is deleted
    LOGS = "logs"  # old logs are dropped


@dataclass(frozen=True, slots=True)
class NightChange:
    """One change of a night: the step, the memory, and whether it was undone."""

    memory_id: str
    step: NightStep
    at: datetime
    before: Mapping[str, object]
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NightReport:
    """Counts of what one night did in a space, also in plain words; no text is quoted."""

    id: str
    started_at: datetime
    finished_at: datetime | None
    counts: Mapping[str, int] = field(default_factory=dict)
    text: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self._in_words())

    def _in_words(self) -> str:
        lines = [f"Night of {self.started_at:%Y-%m-%d %H:%M} UTC"]
        if self.finished_at is None:
            lines.append("It is not finished; the next run goes on where it stopped.")
        sentences = [
            (_SENTENCES_OF_ONE.get(name, words) if self.counts[name] == 1 else words).format(
                self.counts[name]
            )
            for name, words in _SENTENCES.items()
            if self.counts.get(name)
        ]
        lines += [f"- {one}" for one in sentences] or ["- Nothing had to be changed."]
        return "\n".join(lines)


_SENTENCES: Mapping[str, str] = {
    "feedback_rows": "{} verdicts of people were applied.",
    "feedback": "{} memories gained or lost confidence by feedback.",
    "uses": "{} memories were used often without correction and are trusted more.",
    "prune": "{} inferred memories were not used for 180 days and were archived.",
    "half_life": "{} memories were past three half-lives and were archived.",
    "forget": "{} superseded memories were not used for 90 days and were archived.",
    "merge": "{} facts said the same as another and were merged into it.",
    "summarise": "{} episodes were summarised.",
    "compress": "{} episodes were compressed.",
    "link": "{} links between memories were found.",
    "contradictions": "{} contradictions were found; they are open.",
    "delete": "{} memories were deleted: archived at night, and their 30 days were over.",
    "retention": "{} memories and events were older than this space keeps them, and were deleted.",
    "logs": "{} old log rows were dropped.",
    "waiting": "{} memories wait to be compared in the next nights.",
    "clock_jumped_days": "The clock is {} days past the last night: nothing was deleted.",
    "clock_went_back": "The clock went back: nothing was archived or deleted.",
}
_SENTENCES_OF_ONE: Mapping[str, str] = {
    "feedback_rows": "1 verdict of people was applied.",
    "feedback": "1 memory gained or lost confidence by feedback.",
    "uses": "1 memory was used often without correction and is trusted more.",
    "prune": "1 inferred memory was not used for 180 days and was archived.",
    "half_life": "1 memory was past three half-lives and was archived.",
    "forget": "1 superseded memory was not used for 90 days and was archived.",
    "merge": "1 fact said the same as another and was merged into it.",
    "summarise": "1 episode was summarised.",
    "compress": "1 episode was compressed.",
    "link": "1 link between memories was found.",
    "contradictions": "1 contradiction was found; it is open.",
    "delete": "1 memory was deleted: archived at night, and its 30 days were over.",
    "retention": "1 memory or event was older than this space keeps it, and was deleted.",
    "logs": "1 old log row was dropped.",
    "waiting": "1 memory waits to be compared in the next night.",
    "clock_jumped_days": "The clock is a day past the last night: nothing was deleted.",
}


@dataclass(frozen=True, slots=True)
class Consolidation:
    """Result of a consolidation, real or simulated: counts by step, and the memories by id.

    ``memories`` are those that a step concerns. ``pairs`` are two memories each: the one that stays
    and the one that is merged into it, the two ends of a link, the older and the newer claim of a
    contradiction.
    """

    dry_run: bool
    counts: Mapping[str, int]
    memories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pairs: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    #: Number of memories that are left for the next consolidation, which compares a thousand.
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class NightUndone:
    """Result of undoing a night: what was restored, and what others had changed since."""

    restored: int
    changed_since: int
