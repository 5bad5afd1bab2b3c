"""``python -m benchmarks.simulated_year SESSIONS``: a year of sessions, a night each week.

SESSIONS is a file of transcripts, one record a line. Its sessions are spread over a year in their
order: each is learned at its time, its first prompt is asked as an agent asks it, and every seven
days a night runs. Printed are the counts by week, how much of what the nights archived was asked
for again (a prompt would have been answered with it among its first three; it is then restored, as
somebody who misses it does), and the report of the night that archived most.
"""

import argparse
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory

_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_YEAR = timedelta(days=365)
_WEEK = timedelta(days=7)
_ASKED = 3
_ARCHIVING = ("prune", "half_life", "forget")
Record = dict[str, Any]


@dataclass
class TestTime:
    """A clock that stands where it is put."""

    now: datetime = _BEGIN

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Year:
    """One simulated year."""

    memory: Recollect
    folder: Path
    time: TestTime
    archived: Counter[str] = field(default_factory=Counter)
    again: set[str] = field(default_factory=set)
    served: int = 0
    restored: int = 0
    #: How much the night archived that archived most, and its report.
    busiest: tuple[int, str] = (0, "")

    def live(self, sessions: list[list[Record]]) -> None:
        """Every session at its time, with the nights between them."""
        night = _BEGIN + _WEEK
        for number, records in enumerate(sessions):
            at = _BEGIN + _YEAR * number / len(sessions)
            while night <= at:
                self._night(night)
                night += _WEEK
            self.time.now = at
            self._ask(records)
            self._learn(number, records, at)
        while night <= _BEGIN + _YEAR:
            self._night(night)
            night += _WEEK

    def _learn(self, number: int, records: list[Record], at: datetime) -> None:
        place = self.folder / f"{number}.jsonl"
        place.write_text("".join(json.dumps(one) + "\n" for one in _moved(records, at)))
        self.memory.learning.replay(place)
        self.time.now = at + timedelta(hours=1)

    def _ask(self, records: list[Record]) -> None:
        """Ask as the session's first prompt does, and note what a night took away from it."""
        prompt = next((text for text in map(_prompt, records) if text), "")[:2_000]
        if not prompt:
            return
        found = self.memory.recall(prompt, limit=_ASKED, kinds=("memory",), profile="agent")
        self.served += len(found)
        least = min((one.score for one in found), default=0.0) if len(found) >= _ASKED else 0.0
        gone = self.memory.recall(
            prompt, limit=_ASKED, kinds=("memory",), profile="agent", archived=True, explicit=False
        )
        missed = {
            one.item.id
            for one in gone
            if isinstance(one.item, Memory) and one.item.archived and one.score > least > 0
        }
        for memory_id in missed:
            self.memory.restore(memory_id)
        self.restored += len(missed)
        self.again |= missed

    def _night(self, at: datetime) -> None:
        self.time.now = at
        report = self.memory.evolution.run()
        away = sum(report.counts.get(step, 0) for step in _ARCHIVING)
        self.busiest = max(self.busiest, (away, report.text))
        for step in _ARCHIVING:
            self.archived[step] += report.counts.get(step, 0)
        kept = sum(self.memory.stats()["memories"].values())
        told = ", ".join(
            f"{name} {count}"
            for name, count in sorted(report.counts.items())
            if count and name not in ("looked_at", "feedback_rows")
        )
        back = f"; restored {self.restored}" if self.restored else ""
        self.restored = 0
        print(f"{at:%Y-%m-%d}: {kept} memories; {told or 'nothing to do'}{back}", flush=True)


def main() -> None:
    """Live a year, and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--most", type=int, default=1_000, help="So many sessions at most.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        time = TestTime()
        with recollect.open(Path(folder) / "year.db", worker=False, clock=time) as memory:
            year = Year(memory, Path(folder), time)
            year.live(_sessions(options.sessions)[: options.most])
    away = sum(year.archived.values())
    share = len(year.again) / away if away else 0.0
    print(year.busiest[1])
    print(f"served {year.served}; archived {away} ({dict(year.archived)})")
    print(f"asked for again {len(year.again)} of {away}: {share:.1%} (asked: under 1 %)")


def _sessions(path: Path) -> list[list[Record]]:
    sessions: dict[str, list[Record]] = {}
    for record in _records(path):
        if record.get("sessionId") and record.get("timestamp"):
            sessions.setdefault(record["sessionId"], []).append(record)
    return [records for records in sessions.values() if any(map(_prompt, records))]


def _records(path: Path) -> Iterator[Record]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            yield json.loads(line)


def _moved(records: list[Record], at: datetime) -> Iterator[Record]:
    """The records with times that begin at another."""
    first = datetime.fromisoformat(records[0]["timestamp"])
    for record in records:
        past = datetime.fromisoformat(record["timestamp"]) - first
        past = min(max(past, timedelta()), timedelta(hours=1))
        yield {**record, "timestamp": (at + past).isoformat()}


def _prompt(record: Record) -> str:
    """What a person asked in a record; nothing where none did."""
    content = record.get("message", {}).get("content") if record.get("type") == "user" else None
    return content if isinstance(content, str) and not content.startswith("<") else ""


if __name__ == "__main__":
    main()
