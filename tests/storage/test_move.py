"""A move brings everything over, whatever cuts it off, and says so when anything differs."""

import signal
from collections.abc import Callable, Iterator
from itertools import count
from math import nextafter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select, update

from recollect.storage import schema
from recollect.storage.move import tables as parts
from recollect.storage.move.move import compare, move_store
from recollect.storage.prepared import dialect_of
from recollect.storage.store_facts import put_fact
from recollect.vocabulary.errors import (
    Conflict,
    InvalidInput,
    InvalidSetting,
    RecollectError,
    StoreUnavailable,
)
from tests.child_processes import started
from tests.contracts.state import State, changed
from tests.storage.full_store import answers, fill, opened, whole_state
from tests.stores import BACKENDS, Backend, Keeper, SharedStores

PAIRS = [(here, there) for here in sorted(BACKENDS) for there in sorted(BACKENDS)]


class CutOff(Exception):
    """Somebody pulled the plug."""


class Houses:
    """Each backend, and one full store of each that no test may change."""

    def __init__(self, folder: Path, shared: SharedStores) -> None:
        self._folder = folder
        self._shared = shared
        self._backends: dict[str, Backend] = {}
        self._full: dict[str, str] = {}
        self._states: dict[str, State] = {}

    def bare(self, name: str) -> str:
        """The address of a store where nothing is yet, not even tables."""
        return self._backend(name).empty()

    def new(self, name: str) -> str:
        """The address of a store with its tables and no row."""
        return self._backend(name).ready()

    def full(self, name: str) -> str:
        """The address of a full one."""
        if name not in self._full:
            self._full[name] = self.new(name)
            fill(self._full[name], self._folder)
        return self._full[name]

    def state(self, name: str) -> State:
        """Every row of the full one, read before any test moved it: whatever a test does to it
        differs from this."""
        if name not in self._states:
            self._states[name] = whole_state(self.full(name))
        return self._states[name]

    def _backend(self, name: str) -> Backend:
        if name not in self._backends:
            self._backends[name] = BACKENDS[name](self._shared)
        return self._backends[name]

    def close(self) -> None:
        for backend in self._backends.values():
            backend.close()


@pytest.fixture(scope="module")
def houses(
    tmp_path_factory: pytest.TempPathFactory, shared_stores: SharedStores
) -> Iterator[Houses]:
    made = Houses(tmp_path_factory.mktemp("houses"), shared_stores)
    yield made
    made.close()


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small store is many batches."""
    monkeypatch.setattr(parts, "PAGE", 40)
    monkeypatch.setattr(parts, "_FIRST_PAGE", 40)


def small(houses: Houses, name: str = "sqlite") -> str:
    """A small store that a test may change."""
    address = houses.new(name)
    with opened(address) as memory:
        for number in range(5):
            memory.remember(f"thing {number}", tags=["one", "two"])
        memory.record("said", stream="talk")
    return address


def written(address: str, work: Callable[[Connection], Any]) -> None:
    """Write to a store behind everybody's back."""
    database = Keeper(address)
    database.write(work)
    database.close()


def cut_off_after(batches: int) -> Callable[[int, int, str], None]:
    """Progress that ends a move after so many steps."""
    steps = count(1)

    def progress(done: int, total: int, words: str) -> None:
        if next(steps) >= batches:
            raise CutOff(words)

    return progress


def half_moved(source: str, target: str, batches: int = 6) -> str:
    with pytest.raises(CutOff):
        move_store(source, target, cut_off_after(batches))
    return target


@pytest.mark.parametrize("name", sorted(BACKENDS))
def test_the_full_store_leaves_no_table_empty(houses: Houses, name: str) -> None:
    """Otherwise the tests below would say nothing about that table."""
    state = houses.state(name)
    empty = {table for table, rows in state.items() if not rows and " of " not in table}
    assert empty == set()
    words = [rows for table, rows in state.items() if " of " in table]
    assert sum(map(bool, words)) == 8
    for job in ("done", "waiting", "dead", "running"):
        assert any(f"'{job}'" in row for row in state["jobs"]), job


@pytest.mark.parametrize(("here", "there"), PAIRS)
def test_everything_goes_over(houses: Houses, here: str, there: str) -> None:
    source, target = houses.full(here), houses.bare(there)
    before = houses.state(here)
    report = move_store(source, target)
    assert report.differing == ()
    assert changed(before, whole_state(target)) == {}
    assert changed(before, whole_state(source)) == {}
    told = {part.part: part.source_rows for part in report.parts}
    tables = [name for name in before if " of " not in name]
    assert {name: told[name] for name in tables} == {name: len(before[name]) for name in tables}
    assert report.copied == sum(told.values())
    assert (report.resumed, report.anew) == (False, False)


@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_there_and_back(houses: Houses, tmp_path: Path, there: str) -> None:
    source, far, home = houses.full("sqlite"), houses.bare(there), str(tmp_path / "home.db")
    there_report, back_report = move_store(source, far), move_store(far, home)
    assert [(part.part, part.source_digest) for part in there_report.parts] == [
        (part.part, part.target_digest) for part in back_report.parts
    ]
    assert changed(houses.state("sqlite"), whole_state(home)) == {}
    asked = answers(home)
    assert sum(map(bool, asked)) > 20
    copied = answers(far)
    assert copied == asked
    with opened(home) as memory:
        assert memory.health().sound
        for kept in memory.list(archived=True).items:
            assert memory.history(kept.id)


def test_words_are_answered_as_before(houses: Houses) -> None:
    """Asked of a copy, because whoever opens a store may write to it."""
    source = houses.full("sqlite")
    copies = [houses.new(name) for name in ("sqlite", "postgresql")]
    for copy in copies:
        move_store(source, copy)
    assert answers(copies[0]) == answers(copies[1])


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize(("here", "there"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_cut_off_after_every_batch(houses: Houses, here: str, there: str) -> None:
    source, target = houses.full(here), houses.new(there)

    def progress(done: int, total: int, words: str) -> None:
        if words.startswith("copying"):
            raise CutOff

    cuts = 0
    while True:
        try:
            report = move_store(source, target, progress)
            break
        except CutOff:
            cuts += 1
    assert cuts >= len(parts.PARTS)
    assert (report.copied, report.resumed, report.anew) == (0, True, False)
    assert report.differing == ()
    assert changed(houses.state(here), whole_state(target)) == {}


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_cut_off_inside_a_batch(
    houses: Houses, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are written and the transaction is not ended: nothing of them may stay."""
    source, target = houses.full("sqlite"), houses.new(there)
    put, turns = parts.TablePart.put, count(1)

    def fail_at_times(part: Any, connection: Connection, rows: Any) -> None:
        put(part, connection, rows)
        if next(turns) % 5 == 0:
            raise CutOff

    monkeypatch.setattr(parts.TablePart, "put", fail_at_times)
    cuts = 0
    while True:
        try:
            report = move_store(source, target)
            break
        except CutOff:
            cuts += 1
    assert cuts > 3
    assert report.differing == ()
    assert changed(houses.state("sqlite"), whole_state(target)) == {}


@pytest.mark.parametrize(("here", "there"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_killed_at_any_moment(houses: Houses, here: str, there: str) -> None:
    source, target = houses.full(here), houses.new(there)
    chance, kills, ended = Random(3), 0, False
    while not ended:
        process = started("tests.storage.move_child", source, target, "20")
        assert process.stdout is not None
        lives = chance.randint(1, 20) if kills < 5 else 10_000
        lines = [line for line, _ in zip(process.stdout, range(lives), strict=False)]
        ended = bool(lines) and lines[-1].startswith("ended")
        kills += not ended
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.wait()
    assert lines[-1] == "ended ()\n"
    assert kills == 5
    assert changed(houses.state(here), whole_state(target)) == {}


def test_a_second_time_only_compares(houses: Houses) -> None:
    source, target = houses.full("sqlite"), houses.new("sqlite")
    first, second = move_store(source, target), move_store(source, target)
    assert first.copied > 0
    assert (second.copied, second.resumed, second.differing) == (0, False, ())
    assert second.parts == first.parts


def test_progress_only_grows_and_ends_at_the_end(houses: Houses) -> None:
    seen: list[tuple[int, int]] = []
    verbs = set()

    def progress(done: int, total: int, words: str) -> None:
        seen.append((done, total))
        verbs.add(words.split(maxsplit=1)[0])

    move_store(houses.full("sqlite"), houses.new("sqlite"), progress)
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {seen[-1][0]}
    assert verbs == {"copying", "checking"}


# --- Refusals -------------------------------------------------------------------------------------


def refused(source: str, target: str, error: type[RecollectError], words: str) -> None:
    with pytest.raises(error, match=words):
        move_store(source, target)


def test_no_source(tmp_path: Path) -> None:
    source, target = tmp_path / "none.db", tmp_path / "new.db"
    refused(str(source), str(target), StoreUnavailable, "There is no store")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["mysql://here/there", "sqlite+x://a"])
def test_unknown_address(houses: Houses, address: str) -> None:
    refused(houses.full("sqlite"), address, InvalidSetting, "not supported")


def test_source_without_a_space(houses: Houses, tmp_path: Path) -> None:
    source, target = houses.new("sqlite"), tmp_path / "new.db"
    Keeper(source).close()
    refused(source, str(target), InvalidInput, "nothing to move")
    assert not target.exists()


def test_onto_itself(houses: Houses, tmp_path: Path) -> None:
    source = houses.full("sqlite")
    link = tmp_path / "link.db"
    link.symlink_to(source)
    for target in (source, str(link), f"sqlite:///{source}"):
        refused(source, target, InvalidInput, "the same store")


@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_target_that_holds_something(houses: Houses, there: str) -> None:
    target = small(houses, there)
    before = whole_state(target)
    refused(houses.full("sqlite"), target, Conflict, "holds something else")
    assert changed(before, whole_state(target)) == {}


@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_target_of_another_move(houses: Houses, there: str) -> None:
    target = half_moved(small(houses), houses.new(there))
    before = whole_state(target)
    refused(houses.full("sqlite"), target, Conflict, "from another store")
    assert changed(before, whole_state(target)) == {}


@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_unfinished_target_is_not_opened(houses: Houses, there: str) -> None:
    source = small(houses)
    target = half_moved(source, houses.new(there))
    before = whole_state(target)
    with pytest.raises(Conflict, match="has not ended"):
        opened(target)
    refused(target, houses.new("sqlite"), Conflict, "has not ended")
    assert changed(before, whole_state(target)) == {}
    assert move_store(source, target).differing == ()
    with opened(target) as memory:
        assert len(memory.list().items) == 5


def test_target_that_somebody_wrote_to(houses: Houses) -> None:
    source = small(houses)
    target = half_moved(source, houses.new("sqlite"))
    written(target, lambda there: there.execute(update(schema.spaces).values(clock=9_999)))
    before = whole_state(target)
    refused(source, target, Conflict, "Somebody wrote to the target")
    assert changed(before, whole_state(target)) == {}


def test_two_movers_do_not_mix(houses: Houses) -> None:
    source, target = small(houses), houses.new("sqlite")
    steps = count(1)

    def progress(done: int, total: int, words: str) -> None:
        if next(steps) == 3:
            assert move_store(source, target).differing == ()

    with pytest.raises(Conflict, match="Another process"):
        move_store(source, target, progress)
    assert changed(whole_state(source), whole_state(target)) == {}


# --- Changes between two runs ---------------------------------------------------------------------


@pytest.mark.parametrize("there", sorted(BACKENDS))
def test_source_that_was_written_to_is_copied_anew(houses: Houses, there: str) -> None:
    source = small(houses)
    target = half_moved(source, houses.new(there), 12)
    with opened(source) as memory:
        kept = memory.list().items[0]
        memory.update(kept.id, content="not the same")
        memory.forget(memory.list().items[1].id, for_good=True)
    report = move_store(source, target)
    assert (report.anew, report.resumed, report.differing) == (True, False, ())
    assert changed(whole_state(source), whole_state(target)) == {}


def test_a_change_that_moves_no_clock_is_found_at_the_end(houses: Houses) -> None:
    source = small(houses)
    target = half_moved(source, houses.new("sqlite"), 12)
    written(source, lambda here: here.execute(update(schema.jobs).values(attempts=3)))
    report = move_store(source, target)
    assert (report.resumed, report.differing) == (True, ("jobs",))
    with pytest.raises(Conflict, match="has not ended"):
        opened(target)
    report = move_store(source, target)
    assert (report.anew, report.differing) == (True, ())
    assert changed(whole_state(source), whole_state(target)) == {}


# --- Damage ---------------------------------------------------------------------------------------


def _other_text(there: Connection) -> None:
    first = select(schema.memories.c.memory_id).limit(1).scalar_subquery()
    there.execute(
        update(schema.memories)
        .where(schema.memories.c.memory_id == first)
        .values(content=schema.memories.c.content + " ")
    )


def _last_bit_of_a_number(there: Connection) -> None:
    days = schema.memories.c.half_life_days
    there.execute(update(schema.memories).where(days == 1 / 3).values({days: nextafter(1 / 3, 1)}))


def _one_bit_of_a_vector(there: Connection) -> None:
    table = schema.vectors
    row = there.execute(select(table).where(table.c.model_id == "words").limit(1)).one()
    data = bytes([row.data[0] ^ 1, *row.data[1:]])
    there.execute(
        update(table)
        .where(table.c.space_id == row.space_id, table.c.slot == row.slot)
        .where(table.c.model_id == row.model_id)
        .values(data=dialect_of(there).vector_value(data))
    )


def _a_truth(there: Connection) -> None:
    there.execute(
        update(schema.memories).where(schema.memories.c.pinned.is_(True)).values(pinned=False)
    )


def _words(change: Callable[[str], str | None]) -> Callable[[Connection], None]:
    def work(there: Connection) -> None:
        dialect = dialect_of(there)
        place = there.execute(
            select(schema.places, schema.spaces.c.number)
            .join(schema.spaces, schema.spaces.c.space_id == schema.places.c.space_id)
            .where(schema.places.c.collection == "memories")
            .limit(1)
        ).one()
        space = place.space_id, place.number
        ((slot, tokens), *_) = dialect.keyword_documents(
            there, "memories", space, place.slot - 1, 1
        )
        dialect.drop_keywords(there, "memories", space, [slot])
        if (said := change(tokens)) is not None:
            dialect.put_keywords(there, "memories", space, [(slot, said)])

    return work


def _without_a_row(table: Any) -> Callable[[Connection], None]:
    def work(there: Connection) -> None:
        keys = list(table.primary_key)
        row = there.execute(select(*keys).limit(1)).one()
        there.execute(
            delete(table).where(*(key == value for key, value in zip(keys, row, strict=True)))
        )

    return work


LEAVES = [
    *(schema.memory_tags, schema.memory_history, schema.jobs, schema.imports, schema.schedules),
    *(schema.event_revisions, schema.event_reactions, schema.place_changes, schema.vectors),
    *(schema.space_members, schema.stream_members, schema.memory_relations, schema.store_facts),
]
DAMAGE: dict[str, tuple[str, Callable[[Connection], Any]]] = {
    "text": ("memories", _other_text),
    "number": ("memories", _last_bit_of_a_number),
    "vector": ("vectors", _one_bit_of_a_vector),
    "truth": ("memories", _a_truth),
    "one word less": ("memories_keywords", _words(lambda tokens: " ".join(tokens.split()[1:]))),
    "a word twice": ("memories_keywords", _words(lambda tokens: f"{tokens} {tokens.split()[0]}")),
    "no words": ("memories_keywords", _words(lambda _: None)),
    "one fact more": ("store_facts", lambda there: put_fact(there, "extra", "x")),
    **{f"no {table.name}": (table.name, _without_a_row(table)) for table in LEAVES},
}


@pytest.fixture(scope="module", params=sorted(BACKENDS))
def copied(request: pytest.FixtureRequest, houses: Houses) -> tuple[str, str]:
    """A full store and a whole copy of it."""
    source, target = houses.full("sqlite"), houses.new(request.param)
    assert move_store(source, target).differing == ()
    return source, target


@pytest.mark.parametrize("kind", sorted(DAMAGE))
def test_damage_is_noticed(copied: tuple[str, str], kind: str) -> None:
    """The part that was damaged differs, and no other. The damage is rolled back afterwards."""
    source, target = map(Keeper, copied)
    part, work = DAMAGE[kind]
    found: list[str] = []

    def damaged(there: Connection) -> None:
        work(there)
        with source.reading() as here:
            compared = compare(here, there, lambda *_: None)
        found.extend(one.part for one in compared if not one.same)
        raise CutOff

    try:
        with pytest.raises(CutOff):
            target.write(damaged)
    finally:
        source.close()
        target.close()
    assert found == [part]


def test_a_copy_that_was_damaged_later_is_told(houses: Houses) -> None:
    source, target = small(houses), houses.new("sqlite")
    move_store(source, target)
    written(target, _without_a_row(schema.memory_tags))
    before = whole_state(target)
    report = move_store(source, target)
    assert (report.copied, report.differing) == (0, ("memory_tags",))
    (differing,) = (part for part in report.parts if not part.same)
    assert (differing.source_rows, differing.target_rows) == (10, 9)
    assert changed(before, whole_state(target)) == {}


def test_order_of_words_is_no_difference() -> None:
    part = parts.WordsPart("memories")
    told = [part.canonical(("s", 1, 2, tokens)) for tokens in ("a b a", "a a b", "a b", "b " * 300)]
    assert told[0] == told[1] != told[2]
    assert told[3] == part.canonical(("s", 1, 2, "b " * 255))
    assert told[3] != part.canonical(("s", 1, 2, "b " * 254))


def test_pages_of_long_texts_are_short(houses: Houses, monkeypatch: pytest.MonkeyPatch) -> None:
    source = houses.new("sqlite")
    with opened(source) as memory:
        for number in range(200):
            memory.record(f"{number} " + "x" * (20_000 if number < 150 else 5), stream="talk")
    monkeypatch.setattr(parts, "_MAX_PAGE_CHARACTERS", 200_000)
    events = next(part for part in parts.PARTS if part.name == "events")
    database = Keeper(source)
    with database.reading() as here:
        sizes = [len(rows) for rows in parts.pages(events, here)]
    database.close()
    assert sum(sizes) == 200
    assert max(sizes[1:9]) <= 10
    assert sizes[-1] > 10
