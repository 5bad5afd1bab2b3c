"""Definitions of the tracked metrics: meaning, unit, target and alert threshold.

The design documents name the metrics and their thresholds. This one table generates the metrics
endpoint, ``recollect stats``, the doctor, the Prometheus rules and the dashboard.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Names of the daily counters. A maker of predictions counts both of the last.
SUGGESTIONS_SHOWN: Final = "suggestions_shown"
SUGGESTIONS_OPENED: Final = "suggestions_opened"
GRAPH_RECALLS: Final = "graph_recalls"
GRAPH_CHANGED: Final = "graph_changed"


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """One tracked metric of a space."""

    name: str
    help: str
    #: share (0 to 1), count, seconds or tokens.
    unit: str
    target: str = ""
    below: float | None = None
    above: float | None = None
    #: Samples needed before an alert.
    samples: int = 20
    label: str | None = None
    advice: str = ""
    #: The only label that the target is about; empty where it is about every one.
    target_label: str = ""

    def target_for(self, label: str | None) -> str:
        """The target of one labelled value; empty where it has none."""
        return self.target if self.target_label in ("", label) else ""

    @property
    def exported(self) -> str:
        """Its name for Prometheus."""
        suffix = {"share": "_ratio", "seconds": "_seconds"}.get(self.unit, "")
        return f"recollect_{self.name}{suffix}"

    def is_alarming(self, value: float, samples: int) -> bool:
        """Whether a value is past the threshold, with enough samples."""
        if samples < self.samples:
            return False
        low = self.below is not None and value < self.below
        return low or (self.above is not None and value > self.above)


METRICS: Final = (
    MetricDefinition(
        "memo_hit_rate",
        "Researched questions for which a memo was found.",
        "share",
        "over 60 %",
        below=0.4,
        advice="Save good conversations as memos; 'recollect gaps' lists what is asked in vain.",
    ),
    MetricDefinition(
        "rounds_per_question",
        "Rounds of search that a researched question took.",
        "count",
        "under 1.5",
        above=2.5,
        advice="Questions find too little at first: look at 'recollect gaps'.",
    ),
    MetricDefinition(
        "suggestion_click_rate",
        "Memos suggested while typing that were then opened.",
        "share",
        "over 20 %",
        below=0.1,
        advice="Suggestions do not help: archive memos that nobody needs.",
    ),
    MetricDefinition(
        "budget_use",
        "Share of this month's budget that is used.",
        "share",
        "70 to 90 %",
        above=0.95,
        samples=1,
        label="kind",
        advice="'recollect budget' shows and sets budgets; work waits when one is used up.",
    ),
    MetricDefinition(
        "night_duration",
        "How long the last night took.",
        "seconds",
        "under 5 minutes",
        above=900.0,
        samples=1,
        advice="'recollect evolve' shows what it did.",
    ),
    MetricDefinition(
        "verb_p95",
        "95 of 100 calls of a verb took no longer, today and yesterday.",
        "seconds",
        "recall under 50 ms",
        label="verb",
        target_label="recall",
    ),
    MetricDefinition("tool_calls_per_session", "Tool calls of an agent's session.", "count"),
    MetricDefinition(
        "rereads_per_session",
        "Reads of files that an earlier session had read.",
        "count",
    ),
    MetricDefinition(
        "qa_first_pass_rate",
        "Sessions whose first check after an edit passed, of those that ran one.",
        "share",
    ),
    MetricDefinition(
        "dead_end_reentry_rate",
        "Sessions that tried again what an earlier session had found not to work.",
        "share",
        "under 5 %",
        above=0.05,
        advice="'recollect review' shows whether agents see known dead ends.",
    ),
    MetricDefinition(
        "correction_rate",
        "Memories that people corrected, rejected or called wrong, of those that were served.",
        "share",
        "under 5 %",
        above=0.05,
        advice="'recollect review' and 'recollect trust': learn less, or trust less.",
    ),
    MetricDefinition(
        "graph_boost_rate",
        "Recalls in code whose first eight results the graph changed.",
        "share",
    ),
    MetricDefinition(
        "tokens_saved",
        "Tokens that sessions were spared at most: what was found out before, less reminders.",
        "tokens",
    ),
    MetricDefinition(
        "prediction_accuracy",
        "Files and memories that were predicted and then used.",
        "share",
        "over 70 %",
    ),
    MetricDefinition("contradictions_open", "Contradictions that nobody has resolved.", "count"),
    MetricDefinition(
        "recall_hit_rate",
        "Questions of the log whose answer was cited or called helpful, of those judged.",
        "share",
    ),
    MetricDefinition("repeats_saved", "Repeated memories merged instead of stored twice.", "count"),
    MetricDefinition(
        "enriched_events",
        "Events of the space: all, with a vector, with a header.",
        "count",
        label="stage",
    ),
)
BY_NAME: Final[Mapping[str, MetricDefinition]] = {one.name: one for one in METRICS}

#: Alerts on the whole server: the queue belongs to no space.
QUEUE_BACKLOG_ABOVE: Final = 1_000
QUEUE_OLDEST_ABOVE: Final = 3_600.0
#: From this day of the month on, a budget with a lower share of use is larger than needed.
BUDGET_USE_BELOW: Final = (28, 0.5)


@dataclass(frozen=True, slots=True)
class MetricValue:
    """The value of a metric, and its number of samples. None if nothing happened yet."""

    name: str
    value: float | None
    samples: int
    label: str | None = None

    @property
    def alarming(self) -> bool:
        """Whether it is past its threshold."""
        return self.value is not None and BY_NAME[self.name].is_alarming(self.value, self.samples)


@dataclass(frozen=True, slots=True)
class SpaceMetrics:
    """Every tracked metric of one space over the last days."""

    space: str
    days: int
    values: tuple[MetricValue, ...]

    @property
    def alarming(self) -> tuple[MetricValue, ...]:
        """The metrics past their thresholds."""
        return tuple(one for one in self.values if one.alarming)
