"""A/B experiments on the sessions of a project: off until a steward starts one.

Each group's metrics are reported with intervals. A difference is claimed only if it is unlikely to
be chance, corrected for all metrics of the report, and never from fewer than twenty sessions.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from recollect.metrics.confidence_intervals import (
    adjusted,
    mean_difference,
    mean_interval,
    rank_chance,
    share_chance,
    share_difference,
    share_interval,
)
from recollect.metrics.figures import SessionOutcome, outcomes
from recollect.storage.database import Database, Transaction
from recollect.storage.metrics import experiments as rows
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.experiments import (
    ENOUGH_SESSIONS,
    ExperimentGroup,
    ExperimentReport,
    GroupComparison,
    GroupFigure,
    group_of,
)
from recollect.vocabulary.ids import EXPERIMENT, new_id
from recollect.vocabulary.spaces import Role, Space

_BY_CHANCE: Final = 0.05
NOT_ENOUGH: Final = "not enough sessions yet"
NO_DIFFERENCE: Final = "no difference seen"


class _Measure(NamedTuple):
    """A compared metric, how it is read from a session, and whether more of it is better."""

    value: Callable[[SessionOutcome], float | None]
    is_share: bool
    more_is_better: bool


MEASURES: Final[Mapping[str, _Measure]] = {
    "tool_calls_per_session": _Measure(lambda one: one.tool_calls, False, False),
    "rereads_per_session": _Measure(lambda one: one.rereads, False, False),
    "qa_first_pass_rate": _Measure(
        lambda one: None if one.first_pass is None else float(one.first_pass), True, True
    ),
    "dead_end_reentry_rate": _Measure(lambda one: float(one.dead_end_again), True, False),
}


class Experiments:
    """Starts, ends and reads experiments."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def start(self, viewer: Viewer, space: Space) -> ExperimentReport:
        """Assign the sessions that begin from now on to groups."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "start an experiment")
            if rows.running(transaction, space.id) is not None:
                raise InvalidInput("An experiment runs here already.")
            experiment = new_id(EXPERIMENT, now)
            rows.start(transaction, space.id, experiment, viewer.user, now)

        self._database.write(work)
        return self.report(viewer, space)

    def stop(self, viewer: Viewer, space: Space) -> ExperimentReport:
        """End the experiment: every session is served everything again."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "stop an experiment")
            if not rows.stop(transaction, space.id, now):
                raise InvalidInput("No experiment runs here.")

        self._database.write(work)
        return self.report(viewer, space)

    def report(self, viewer: Viewer, space: Space) -> ExperimentReport:
        """The running experiment, or the last one, with the results of its groups so far."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "see its experiments")
            row = rows.last(transaction, space.id)
        if row is None:
            return ExperimentReport(None, None, None, 0)
        with self._database.reading(all_spaces=True) as transaction:
            found = outcomes(transaction, space.id, row.started_at, row.ended_at)
        return compared(row.experiment_id, found, (row.started_at, row.ended_at))


def compared(
    experiment: str,
    found: Sequence[SessionOutcome],
    span: tuple[datetime, datetime | None] = (datetime(1970, 1, 1, tzinfo=UTC), None),
) -> ExperimentReport:
    """Results of the groups of an experiment."""
    groups: dict[ExperimentGroup, list[SessionOutcome]] = {group: [] for group in ExperimentGroup}
    for one in found:
        groups[group_of(experiment, one.session)].append(one)
    values = {
        (metric, group): _values(measure, listed)
        for metric, measure in MEASURES.items()
        for group, listed in groups.items()
    }
    figures = tuple(
        _figure(metric, group, each, share=MEASURES[metric].is_share)
        for (metric, group), each in values.items()
    )
    comparisons = tuple(
        one
        for group in (ExperimentGroup.FULL, ExperimentGroup.PASSIVE)
        for one in _compare_with_control(values, group)
    )
    return ExperimentReport(experiment, *span, len(found), figures, comparisons)


def _values(measure: _Measure, listed: Sequence[SessionOutcome]) -> list[float]:
    return [value for one in listed if (value := measure.value(one)) is not None]


def _figure(
    metric: str, group: ExperimentGroup, values: Sequence[float], *, share: bool
) -> GroupFigure:
    if not values:
        return GroupFigure(metric, group, 0, None)
    mean = sum(values) / len(values)
    if len(values) < ENOUGH_SESSIONS:
        return GroupFigure(metric, group, len(values), mean)
    low, high = share_interval(int(sum(values)), len(values)) if share else mean_interval(values)
    return GroupFigure(metric, group, len(values), mean, low, high)


def _compare_with_control(
    values: Mapping[tuple[str, ExperimentGroup], Sequence[float]], group: ExperimentGroup
) -> list[GroupComparison]:
    """Every metric of a group against the control group; claims are corrected for all of them."""
    ready: dict[str, tuple[float, tuple[float, float], float]] = {}
    for metric, measure in MEASURES.items():
        one, control = values[metric, group], values[metric, ExperimentGroup.CONTROL]
        if min(len(one), len(control)) >= ENOUGH_SESSIONS:
            ready[metric] = _difference(one, control, share=measure.is_share)
    raised = dict(zip(ready, adjusted([each[2] for each in ready.values()]), strict=True))
    found = []
    for metric, measure in MEASURES.items():
        if metric not in ready:
            given: tuple[Any, ...] = (None, None, None, None, NOT_ENOUGH)
        else:
            difference, (low, high), _ = ready[metric]
            chance = raised[metric]
            better = (difference > 0) == measure.more_is_better
            verdict = "better" if better else "worse"
            said = verdict if chance < _BY_CHANCE else NO_DIFFERENCE
            given = (difference, low, high, chance, said)
        found.append(GroupComparison(metric, group, *given))
    return found


def _difference(
    one: Sequence[float], control: Sequence[float], *, share: bool
) -> tuple[float, tuple[float, float], float]:
    if share:
        pairs = (int(sum(one)), len(one)), (int(sum(control)), len(control))
        return *share_difference(*pairs), share_chance(*pairs)
    return *mean_difference(one, control), rank_chance(one, control)
