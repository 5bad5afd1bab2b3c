"""Tracked metrics of a space, computed from its usage records.

They cover all members, so they are for stewards of the space. No figure contains anybody's text or
name.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from recollect.inference.budgets import DEFAULTS, month_of
from recollect.observer.facts import SessionFacts, facts_of
from recollect.storage.database import Database, Transaction
from recollect.storage.metrics import daily_counts
from recollect.storage.metrics import figures as rows
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.metrics import (
    GRAPH_CHANGED,
    GRAPH_RECALLS,
    SUGGESTIONS_OPENED,
    SUGGESTIONS_SHOWN,
    MetricValue,
    SpaceMetrics,
)
from recollect.vocabulary.pending_counts import percentiles
from recollect.vocabulary.spaces import Role, Space

#: Maximum number of sessions of a space that are examined, the newest ones.
SESSIONS: Final = 600
#: Two approaches with at least this share of common words are the same.
_SAME_APPROACH: Final = 0.6
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """Cost and outcome of one session, compared with the sessions before it."""

    session: str
    started_at: datetime
    tool_calls: int
    rereads: int
    first_pass: bool | None
    dead_end_again: bool


class SpaceFigures:
    """Computes the metrics of a space for its stewards."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, viewer: Viewer, space: Space, days: int) -> SpaceMetrics:
        """Every tracked metric over the last days."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.STEWARD, "see its figures")
        now = self._clock()
        with self._database.reading(all_spaces=True) as transaction:
            values = tuple(_values(transaction, space.id, now, days))
        return SpaceMetrics(space.name, days, values)


def day_of(moment: datetime) -> int:
    """The day of a time, counted from 1970."""
    return int(moment.timestamp()) // _DAY


def outcomes(
    transaction: Transaction, space_id: str, since: datetime, until: datetime | None = None
) -> list[SessionOutcome]:
    """The sessions of a period, each judged against all that came before it."""
    listed = rows.sessions(transaction, space_id, SESSIONS)
    found = compare_with_earlier(facts_of(*row) for row in listed)
    return [
        one
        for one in found
        if one.started_at >= since and (until is None or one.started_at < until)
    ]


def compare_with_earlier(sessions: Iterable[SessionFacts]) -> list[SessionOutcome]:
    """Outcomes of sessions in chronological order: repeated reads, and repeated dead ends."""
    read: set[str] = set()
    dead: list[frozenset[str]] = []
    found: list[SessionOutcome] = []
    for facts in sessions:
        own = [frozenset(words.split()) for words in facts.dead_ends]
        found.append(
            SessionOutcome(
                facts.session,
                facts.started_at,
                facts.calls,
                sum(file.reads for file in facts.files if file.path in read),
                facts.first_pass,
                any(_same(one, other) for one in own for other in dead),
            )
        )
        read.update(file.path for file in facts.files if file.reads)
        dead += own
    return found


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= 2 and shared / len(one | other) >= _SAME_APPROACH


def _values(
    transaction: Transaction, space_id: str, now: datetime, days: int
) -> Iterator[MetricValue]:
    since = now - timedelta(days=days)
    counts = daily_counts.counts_since(transaction, space_id, day_of(since))
    asked = rows.research(transaction, space_id, since)
    yield _share("memo_hit_rate", asked.with_memo, asked.questions)
    yield _mean("rounds_per_question", asked.rounds, asked.questions)
    yield _counted(counts, "suggestion_click_rate", SUGGESTIONS_OPENED, SUGGESTIONS_SHOWN)
    for one in rows.spent(transaction, space_id, month_of(now)):
        if one.allowed and one.kind in DEFAULTS:
            yield MetricValue("budget_use", one.used / one.allowed, 1, one.kind)
    night = rows.night_seconds(transaction, space_id)
    yield MetricValue("night_duration", night, int(night is not None))
    lately = daily_counts.counts_since(transaction, space_id, day_of(now) - 1)
    for verb, (bound, calls) in percentiles(lately).items():
        yield MetricValue("verb_p95", bound, calls, verb)
    yield from _of_sessions(outcomes(transaction, space_id, since))
    served = rows.served(transaction, space_id, since)
    yield _share("correction_rate", served.flagged, served.memories)
    yield _counted(counts, "graph_boost_rate", GRAPH_CHANGED, GRAPH_RECALLS)
    yield MetricValue(
        "tokens_saved", float(served.source_tokens - served.served_tokens), served.memories
    )
    made = rows.settled_predictions(transaction, space_id, now)
    yield _share("prediction_accuracy", made.used, made.predicted)
    still = rows.open_contradictions(transaction, space_id)
    yield MetricValue("contradictions_open", float(still), still)
    judged, useful = rows.judged(transaction, space_id, since)
    yield _share("recall_hit_rate", useful, judged)
    again = rows.repeats(transaction, space_id)
    yield MetricValue("repeats_saved", float(again), again)
    every, *stages = rows.funnel(transaction, space_id, since)
    for label, count in zip(("all", "embedded", "with header"), (every, *stages), strict=True):
        yield MetricValue("enriched_events", float(count), every, label)


def _of_sessions(found: Sequence[SessionOutcome]) -> Iterator[MetricValue]:
    total = len(found)
    checked = [one.first_pass for one in found if one.first_pass is not None]
    yield _mean("tool_calls_per_session", sum(one.tool_calls for one in found), total)
    yield _mean("rereads_per_session", sum(one.rereads for one in found), total)
    yield _share("qa_first_pass_rate", sum(checked), len(checked))
    yield _share("dead_end_reentry_rate", sum(one.dead_end_again for one in found), total)


def _share(name: str, part: int, whole: int) -> MetricValue:
    return MetricValue(name, min(1.0, part / whole) if whole else None, whole)


def _mean(name: str, total: float, count: int) -> MetricValue:
    return MetricValue(name, total / count if count else None, count)


def _counted(counts: dict[str, int], name: str, part: str, whole: str) -> MetricValue:
    return _share(name, counts.get(part, 0), counts.get(whole, 0))
