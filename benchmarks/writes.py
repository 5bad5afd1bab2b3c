"""Durable writes beside bare SQLite: one memory at a time, and a history of 100,000 events.

The bare writer keeps a row and its words, committed in the same way (write lock at once, journal,
every commit on the disk). Ours keeps history, vector, audience and promised work as well.
"""

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from statistics import median

import recollect
from benchmarks.measures import Measure, at_least, at_most, in_turns, time_text
from benchmarks.stage import Stage
from recollect.pages.import_batches import BATCH

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def measure(stage: Stage) -> list[Measure]:
    """One at a time, then many."""
    return [_single(stage), _bulk(stage)]


def _single(stage: Stage) -> Measure:
    """Memories one by one, each on the disk before the next."""
    rounds = 500 if stage.quick else 2_000
    bare = _Bare(stage.folder / "bare.db")
    with recollect.open(
        stage.folder / "ours.db", user="owner", embedder="static"
    ) as memory:  # with its worker, as anyone has it
        for text in stage.texts[-200:]:
            memory.remember(text)
            bare.keep_one(text)
        ours_seconds, bare_seconds = in_turns(
            rounds,
            lambda number: memory.remember(stage.texts[number]),
            lambda number: bare.keep_one(stage.texts[number]),
        )
    ours, plain = median(ours_seconds), median(bare_seconds)
    return Measure(
        "remember, one durable write, to a bare row and its words",
        time_text(ours),
        time_text(plain),
        ours / plain,
        at_most(3),
    )


def _bulk(stage: Stage) -> Measure:
    """A whole history, each time into a new store."""
    history = stage.folder / "history.jsonl"
    write_history(history, stage.texts)
    numbers = count()

    def ours(_round: int) -> None:
        path = stage.folder / f"import{next(numbers)}.db"
        with recollect.open(path, user="owner", embedder="static", worker=False) as memory:
            report = memory.import_(history)
        assert report.added == len(stage.texts), report

    def bare(_round: int) -> None:
        _Bare(stage.folder / f"import{next(numbers)}.db").keep_history(history)

    ours_seconds, bare_seconds = in_turns(1 if stage.quick else 2, ours, bare)
    ours_rate = len(stage.texts) / median(ours_seconds)
    bare_rate = len(stage.texts) / median(bare_seconds)
    return Measure(
        f"import of {len(stage.texts):,} events, share of the bare rate",
        f"{ours_rate:,.0f} /s",
        f"{bare_rate:,.0f} /s",
        ours_rate / bare_rate,
        at_least(0.6),
    )


def write_history(path: Path, texts: list[str]) -> None:
    """A history in lines of JSON: twenty streams, fifty authors, one event a second."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            record = {
                "id": f"m{number}",
                "stream": f"channel-{number % 20}",
                "author": f"user-{number % 50}",
                "time": (_BEGIN + timedelta(seconds=number)).isoformat(),
                "text": text,
            }
            file.write(json.dumps(record) + "\n")


class _Bare:
    """What one would write by hand: a table of texts and a full-text table beside it."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE kept"
            " (id TEXT PRIMARY KEY, stream TEXT, author TEXT, time TEXT, text TEXT)",
            "CREATE VIRTUAL TABLE words USING fts5(text)",
        ):
            self._connection.execute(statement)
        self._number = 0

    def keep_one(self, text: str) -> None:
        """One text, on the disk when this returns."""
        self._number += 1
        self._keep(
            [(f"mem_{self._number:026}", "notes", "owner", "2026-01-01T00:00:00+00:00", text)]
        )

    def keep_history(self, path: Path) -> None:
        """Every record of a file, so many in a transaction as ours."""
        with path.open(encoding="utf-8") as file:
            while records := [json.loads(line) for line in islice(file, BATCH)]:
                self._keep(
                    [
                        (
                            found["id"],
                            found["stream"],
                            found["author"],
                            found["time"],
                            found["text"],
                        )
                        for found in records
                    ]
                )
        self._connection.close()

    def _keep(self, rows: list[tuple[str, str, str, str, str]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO kept VALUES (?, ?, ?, ?, ?)", rows)
        self._connection.executemany(
            "INSERT INTO words(text) VALUES (?)", [(row[-1],) for row in rows]
        )
        self._connection.execute("COMMIT")
