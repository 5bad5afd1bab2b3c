"""How long a night takes over many memories: ``python -m benchmarks.night --memories 100000``.

Rows are copied inside the database from a few hundred real ones, spread over a year of last uses,
so that making a million takes seconds; a twentieth of a percent is due tonight.
"""

import argparse
import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import recollect
from recollect.storage.database import Database

_SEED = 200
_COPY = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies})
    INSERT INTO memories ({columns})
    SELECT {values} FROM memories m, n WHERE m.memory_id LIKE 'mem_%'
"""


def filled(path: Path, count: int) -> None:
    """A store with about so many memories of one space."""
    with recollect.open(path, worker=False) as memory:
        for number in range(_SEED):
            memory.remember(
                f"Module number {number} reads its settings from file {number}.",
                type="module_insight",
                source="observer_inferred",
            )
    database = Database(str(path))
    now = int(datetime.now(UTC).timestamp() * 1_000_000)
    day = 86_400_000_000

    def copy(connection: Any) -> None:
        names = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(memories)")]
        values = {
            "memory_id": "m.memory_id || '_' || n.i",
            "content": "m.content || ' It is copy ' || n.i || '.'",
            "slot": "NULL",
            "last_accessed_at": f"{now} - (CASE WHEN n.i % 2000 = 0 THEN 400 ELSE n.i % 150 END)"
            f" * {day}",
        }
        columns = ", ".join(f'"{name}"' for name in names)
        told = ", ".join(values.get(name, f'm."{name}"') for name in names)
        connection.exec_driver_sql(
            _COPY.format(copies=max(1, count // _SEED), columns=columns, values=told)
        )

    database.write(copy, all_spaces=True)
    database.close()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "night.db"
        filled(path, given.memories)
        with recollect.open(path, worker=False) as memory:
            begun = time.perf_counter()
            first = memory.evolution.run()
            middle = time.perf_counter()
            memory.evolution.run()
            ended = time.perf_counter()
    print(
        json.dumps(
            {
                "memories": given.memories,
                "first_night_seconds": round(middle - begun, 2),
                "second_night_seconds": round(ended - middle, 2),
                "counts": dict(first.counts),
            }
        )
    )


if __name__ == "__main__":
    main()
