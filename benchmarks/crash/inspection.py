"""What is looked at after a kill: every row against the book, and the rows against each other.

Whoever inspects opens the store like anybody else, in a process of its own. Its clock runs two
minutes ahead, so that the leases of the dead have run out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from random import Random

import recollect
from benchmarks.crash.consistency import SETTLED, WHOLE, problems
from benchmarks.crash.expected_state import Thing, Things, compare
from benchmarks.crash.losses import Losses
from benchmarks.crash.stores import Store
from recollect.engine import Recollect
from recollect.index.analyser import analyse
from recollect.index.vector_index import pack
from recollect.inference.embedder import Embedder
from recollect.memories.inserter import embedded_text, searched_words
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory import Memory

_AHEAD = timedelta(minutes=2)
_SAMPLE = 12


def opened(
    address: str, embedder: Embedder, *, ahead: bool = False, worker: bool = False
) -> Recollect:
    """The store of the campaign."""
    return recollect.open(
        address,
        user="actor",
        embedder=embedder,
        worker=worker,
        clock=(lambda: system_clock() + _AHEAD) if ahead else system_clock,
    )


def inspect(
    store: Store,
    address: str,
    embedder: Embedder,
    *,
    book: Things,
    calls: list[list[Thing]],
    chance: Random,
) -> tuple[Losses, Things]:
    """Everything that can be told from outside; and how each thing stands."""
    losses = Losses()
    there: Things = {}
    try:
        with opened(address, embedder, ahead=True) as memory:
            there = _things(store, address, book, losses)
            losses.add(compare(book, calls, there))
            losses.torn += problems(store, address, WHOLE)
            health = memory.health()
            if not health.sound:
                losses.torn.append(f"the store is not sound: {health}")
            for thing in chance.sample(sorted(there.values()), min(_SAMPLE, len(there))):
                losses.torn += _disagreements(store, address, memory, embedder, thing)
            memory.work(30)
            losses.torn += problems(store, address, SETTLED)
    except RecollectError as error:
        losses.note(error, "the inspection")
    return losses, there


def _things(store: Store, address: str, book: Things, losses: Losses) -> Things:
    """Every memory and event as its rows tell."""
    keys = {thing.id: key for key, thing in book.items()}
    found = [*_memories(store, address), *_events(store, address, keys)]
    times = Counter(thing.key for thing in found)
    losses.torn += [f"{key} is there {count} times" for key, count in times.items() if count > 1]
    return {thing.key: thing for thing in found}


def _memories(store: Store, address: str) -> Iterator[Thing]:
    tags = _lists(store.rows(address, "SELECT memory_id, tag FROM memory_tags ORDER BY position"))
    files = _lists(
        store.rows(address, "SELECT memory_id, path FROM memory_files ORDER BY position")
    )
    for memory_id, content, archived_at, superseded_by in store.rows(
        address, "SELECT memory_id, content, archived_at, superseded_by FROM memories"
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


def _events(store: Store, address: str, keys: dict[str | None, str]) -> Iterator[Thing]:
    """A deleted event has no words left: the book knows its key."""
    for event_id, text, deleted in store.rows(
        address, "SELECT event_id, text, deleted_at IS NOT NULL FROM events"
    ):
        key = keys[event_id] if deleted else text.split()[0]
        yield Thing(key, "event", text, gone=bool(deleted), id=event_id)


def _lists(pairs: Iterable[tuple[str, ...]]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = defaultdict(list)
    for key, value in pairs:
        lists[key].append(value)
    return lists


def _disagreements(
    store: Store, address: str, memory: Recollect, embedder: Embedder, thing: Thing
) -> list[str]:
    """Whether both legs of the index say of a thing what its row says."""
    found = memory.recall(thing.key, kinds=thing.kind, limit=50).found
    ids = [one.id for one in found if one.keyword_score]
    if not thing.searched:
        return [f"{thing} is found, though it should not be"] if thing.id in ids else []
    if thing.id not in ids:
        return [f"{thing} is not found by its word"]
    item = memory.get(thing.id or "")
    words, meant = thing.text, thing.text
    if isinstance(item, Memory):
        words, meant = searched_words(item), embedded_text(item)
    kept = store.indexed(address, thing)
    wrong = []
    if list(kept.tokens) != list(store.as_kept(analyse(words))):
        wrong.append(f"the words in the index are not those of {thing}: {kept.tokens}")
    if kept.vector != pack(embedder.embed([meant])[0]):
        wrong.append(f"the vector in the index is not that of {thing}")
    return wrong
