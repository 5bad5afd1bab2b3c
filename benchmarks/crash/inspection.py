"""What is looked at after a kill: every row against the book, and the rows against each other.

Whoever inspects opens the store like anybody else, in a process of its own. Its clock runs two
minutes ahead, so that the leases of the dead have run out.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import recollect
from benchmarks.crash.book import Thing, Things, compare
from benchmarks.crash.toll import Toll
from benchmarks.crash.wholeness import SETTLED, WHOLE, problems
from recollect.engine import Recollect
from recollect.inference.embedder import Embedder
from recollect.memories.texts import searched_words
from recollect.storage.analyser import analyse
from recollect.storage.vector_index import pack
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory import Memory

_AHEAD = timedelta(minutes=2)
_SAMPLE = 12


def opened(
    path: Path, embedder: Embedder, *, ahead: bool = False, worker: bool = False
) -> Recollect:
    """The store of the campaign."""
    return recollect.open(
        path,
        user="actor",
        embedder=embedder,
        worker=worker,
        clock=(lambda: system_clock() + _AHEAD) if ahead else system_clock,
    )


def inspect(
    path: Path, embedder: Embedder, book: Things, begun: list[list[Thing]], chance: Random
) -> tuple[Toll, Things]:
    """Everything that can be told from outside; and how each thing stands."""
    toll = Toll()
    there: Things = {}
    try:
        with opened(path, embedder, ahead=True) as memory:
            there = _things(path, book, toll)
            toll.add(compare(book, begun, there))
            toll.torn += problems(path, WHOLE)
            health = memory.health()
            if not health.sound:
                toll.torn.append(f"the store is not sound: {health}")
            for thing in chance.sample(sorted(there.values()), min(_SAMPLE, len(there))):
                toll.torn += _disagreements(path, memory, embedder, thing)
            memory.work(30)
            toll.torn += problems(path, SETTLED)
    except RecollectError as error:
        toll.note(error, "the inspection")
    return toll, there


def _things(path: Path, book: Things, toll: Toll) -> Things:
    """Every memory and event as its rows tell."""
    keys = {thing.id: key for key, thing in book.items()}
    with closing(sqlite3.connect(path)) as connection:
        found = [*_memories(connection), *_events(connection, keys)]
    times = Counter(thing.key for thing in found)
    toll.torn += [f"{key} is there {count} times" for key, count in times.items() if count > 1]
    return {thing.key: thing for thing in found}


def _memories(connection: sqlite3.Connection) -> Iterator[Thing]:
    tags = _lists(connection.execute("SELECT memory_id, tag FROM memory_tags ORDER BY position"))
    files = _lists(connection.execute("SELECT memory_id, path FROM memory_files ORDER BY position"))
    for memory_id, content, archived_at, superseded_by in connection.execute(
        "SELECT memory_id, content, archived_at, superseded_by FROM memories"
    ):
        yield Thing(
            key=content.split()[0],
            kind="memory",
            text=content,
            tags=tuple(tags[memory_id]),
            files=tuple(files[memory_id]),
            archived=archived_at is not None,
            superseded=superseded_by is not None,
            id=memory_id,
        )


def _events(connection: sqlite3.Connection, keys: dict[str | None, str]) -> Iterator[Thing]:
    """A deleted event has no words left: the book knows its key."""
    for event_id, text, deleted in connection.execute(
        "SELECT event_id, text, deleted_at IS NOT NULL FROM events"
    ):
        key = keys[event_id] if deleted else text.split()[0]
        yield Thing(key, "event", text, gone=bool(deleted), id=event_id)


def _lists(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = defaultdict(list)
    for key, value in pairs:
        lists[key].append(value)
    return lists


def _disagreements(path: Path, memory: Recollect, embedder: Embedder, thing: Thing) -> list[str]:
    """Whether both legs of the index say of a thing what its row says."""
    found = memory.recall(thing.key, kinds=thing.kind, limit=5).found
    ids = [one.id for one in found if one.keyword_score]
    if not thing.searched:
        return [f"{thing} is found, though it should not be"] if thing.id in ids else []
    if thing.id not in ids:
        return [f"{thing} is not found by its word"]
    item = memory.get(thing.id or "")
    words = searched_words(item) if isinstance(item, Memory) else thing.text
    tokens, data = _indexed(path, thing)
    wrong = []
    if tokens != " ".join(analyse(words)):
        wrong.append(f"the words in the index are not those of {thing}: {tokens}")
    if data != pack(embedder.embed([thing.text])[0]):
        wrong.append(f"the vector in the index is not that of {thing}")
    return wrong


def _indexed(path: Path, thing: Thing) -> tuple[Any, Any]:
    """The tokens and the vector that the index keeps of a thing."""
    table, key = ("memories", "memory_id") if thing.kind == "memory" else ("events", "event_id")
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            f"SELECT k.tokens, v.data FROM {table} AS t JOIN spaces AS s USING (space_id) "
            f"LEFT JOIN {table}_keywords AS k ON k.rowid = (s.number << 40) | t.slot "
            "LEFT JOIN vectors AS v ON v.space_id = t.space_id AND v.slot = t.slot "
            f"WHERE t.{key} = ?",
            (thing.id,),
        ).fetchone()
    return found or (None, None)
