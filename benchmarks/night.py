"""How long a night takes over many memories: ``python -m benchmarks.night --memories 1000000``.

What is due is real: memories that were stored through the ordinary writes, indexed and with their
history, on a clock of the past. Inferred ones that nobody used for 180 days, ones past three of
their half-lives, superseded ones, episodes that are to be shortened, used ones that gain
confidence, verdicts of people on answers, and ones that a night archived more than 30 days ago. The
rest only makes the store
large: rows are copied inside the database from real ones that were used lately, with ids and ages
of a year.
"""

import argparse
import json
import resource
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from recollect.evolution.rules import GRACE, GRACE_NIGHTS
from recollect.storage.database import Database

_SEEDS = 200
_DAY = timedelta(days=1)
_COPY = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies})
    INSERT INTO memories ({columns})
    SELECT {values} FROM memories m, n WHERE m.content LIKE 'Module number %'
"""


class StandingClock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


def archived(
    memory: recollect.Recollect, clock: StandingClock, tonight: datetime, due: int
) -> None:
    """Memories that a night archived more than a grace ago, and the nights since."""
    clock.now = tonight - _DAY * 430
    for number in range(due):
        memory.remember(f"Job number {number} failed.", type="gotcha", half_life_days=10.0)
    for night in range(GRACE_NIGHTS + 1):
        clock.now = tonight - GRACE - _DAY * (GRACE_NIGHTS + 2 - night)
        memory.evolution.run()


def stored(memory: recollect.Recollect, clock: StandingClock, tonight: datetime, due: int) -> None:
    """What else is due tonight, and the rows that are copied."""
    for number in range(due):
        what, name = number % 9, f"Task number {number}"
        clock.now = tonight - _DAY * 300
        if what < 4:
            memory.remember(
                f"{name} reads a settings file.", type="module_insight", source="observer_inferred"
            )
        elif what < 6:
            memory.remember(f"{name} broke its build.", type="gotcha", half_life_days=30.0)
        elif what == 6:
            old = memory.remember(f"{name} runs on port {number}.")
            memory.supersede(old.id, f"{name} runs on port {number + 1}.")
        elif what == 7:
            memory.remember(f"{name} was done. {'It took some steps. ' * 20}", type="episode")
        else:
            memory.remember(f"{name} belongs to team {number}.")
    for number in range(_SEEDS):
        clock.now = tonight - _DAY * (1 + number * 2)
        memory.remember(f"Module number {number} reads file {number}.", type="module_insight")
    memory.work(3_600)


def judged(memory: recollect.Recollect, clock: StandingClock, tonight: datetime, due: int) -> None:
    """Verdicts on what was recalled yesterday, two of three helpful."""
    clock.now = tonight - _DAY
    for number in range(due):
        asked = memory.recall(f"task number {9 * number + 8} team", kinds="memory", limit=1)
        if asked.id and asked.found:
            verdict = "unhelpful" if number % 3 == 2 else "helpful"
            memory.feedback(asked.id, verdict, items=[asked.found[0].id])


def copied(path: Path, tonight: datetime, count: int) -> None:
    """Copy the rows that make the store large, and use what is used."""
    database = Database(str(path))
    day, now = 86_400_000_000, int(tonight.timestamp() * 1_000_000)

    def copy(connection: Any) -> None:
        names = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(memories)")]
        values = {
            "memory_id": "m.memory_id || '_' || n.i",
            "content": "m.content || ' It is copy ' || n.i || '.'",
            "slot": "NULL",
            "last_accessed_at": f"{now} - (n.i % 80) * {day}",
        }
        columns = ", ".join(f'"{name}"' for name in names)
        told = ", ".join(values.get(name, f'm."{name}"') for name in names)
        connection.exec_driver_sql(
            _COPY.format(copies=max(1, count // _SEEDS), columns=columns, values=told)
        )
        connection.exec_driver_sql(
            f"UPDATE memories SET access_count = 6, last_accessed_at = {now - day}"
            " WHERE content LIKE '% belongs to team %'"
        )

    database.write(copy, all_spaces=True)
    database.close()


def measured(memory: recollect.Recollect) -> dict[str, Any]:
    """One night: seconds by the clock and of processor time, and what it did."""
    begun, worked = time.perf_counter(), time.process_time()
    report = memory.evolution.run()
    return {
        "seconds": round(time.perf_counter() - begun, 1),
        "processor_seconds": round(time.process_time() - worked, 1),
        "counts": dict(report.counts),
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--due", type=int, default=5_000, help="how many are due tonight")
    given = parser.parse_args()
    clock = StandingClock()
    tonight = clock.now
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "night.db"
        with recollect.open(path, worker=False, clock=clock) as memory:
            archived(memory, clock, tonight, given.due // 10)
            stored(memory, clock, tonight, given.due - given.due // 10)
            judged(memory, clock, tonight, given.due // 10)
        copied(path, tonight, given.memories)
        clock.now = tonight
        with recollect.open(path, worker=False, clock=clock) as memory:
            first = measured(memory)
            clock.now += _DAY
            second = measured(memory)
    print(
        json.dumps(
            {
                "memories": given.memories + given.due,
                "first_night": first,
                "second_night": second,
                "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
