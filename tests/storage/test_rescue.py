"""What can be read of a damaged file is written into a new store, and the rest is counted.

The damage is real: pages of nought, files cut short, bytes turned over where trees hang together.
"""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

import recollect
from recollect import composition
from recollect.storage import migrate
from recollect.storage.rescue import rescue
from recollect.storage.rescue.page_file import PageFile
from recollect.storage.rescue.records import KINDS
from recollect.storage.schema import metadata
from recollect.vocabulary.errors import Conflict, InvalidInput, StoreDamaged, StoreError
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.reports import RescueReport
from tests.recorded_schema import run_the_migrations
from tests.storage.full_store import fill

PAGE = 4_096
#: Changed by making the index, or by looking after the store.
ALTERED = {"places", "place_changes", "vectors", "spaces", "store_facts", "jobs"}

Rows = dict[str, set[tuple[object, ...]]]


@pytest.fixture(scope="module", autouse=True)
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Files are made by the migrations themselves: on which pages tables begin depends on it.

    The new file of a rescue is what they made for the first one.
    """

    @cache
    def made(number: str) -> bytes:
        path = tmp_path_factory.mktemp("made") / "new.db"
        migrate.create_schema(str(path), number)
        return path.read_bytes()

    with pytest.MonkeyPatch.context() as patched:
        run_the_migrations(patched)
        patched.setattr(
            rescue, "create_schema", lambda file, number: Path(file).write_bytes(made(number))
        )
        yield


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with rows in every table, and enough of them for trees of several levels."""
    folder = tmp_path_factory.mktemp("sound")
    path = folder / "memory.db"
    fill(str(path), folder)
    with recollect.open(path, user="ada", embedder=None, worker=False) as memory:
        memory.record_many(
            [NewEvent(f"event {n} " + "word " * (n % 90)) for n in range(120)], stream="long"
        )
        for number in range(24):
            memory.remember(
                f"memory {number} is about the harbour " + "x" * (number * 200),
                tags=[f"tag{number}", "common"],
                files=[f"src/file{number}.py"],
            )
    return path


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Path:
    """A copy, to be damaged."""
    return Path(shutil.copy(sound, tmp_path / "memory.db"))


def rows_of(path: Path) -> Rows:
    """Every row of every table, as SQLite gives it."""
    with closing(sqlite3.connect(path)) as connection:
        return {name: set(connection.execute(f"SELECT * FROM {name}")) for name in metadata.tables}


def pages_of(path: Path, table: str) -> list[int]:
    """The numbers of the pages that a table has, its root first."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
    data = path.read_bytes()
    found, waiting = [], [root]
    while waiting:
        number = waiting.pop()
        found.append(number)
        page = data[(number - 1) * PAGE : number * PAGE]
        if page[0] in {2, 5}:
            count = int.from_bytes(page[3:5], "big")
            for place in range(12, 12 + 2 * count, 2):
                where = int.from_bytes(page[place : place + 2], "big")
                waiting.append(int.from_bytes(page[where : where + 4], "big"))
            waiting.append(int.from_bytes(page[8:12], "big"))
    return found


def write_at(path: Path, place: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


def rescued(path: Path) -> tuple[RescueReport, Path]:
    """Rescue, and check what holds of every rescue: the damaged file is as it was, the new store
    is sound, and no row is in it that was not in the old one."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    report = composition.rescue(str(path), str(path.parent / "new.db"), user="ada")
    new = path.parent / "new.db"
    after = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    assert {name: after[name] for name in before} == before
    assert set(after) == {*before, "new.db"}
    assert new.stat().st_mode & 0o777 == 0o600
    with recollect.open(new, user="ada", embedder=None, worker=False) as memory:
        assert memory.health().sound
    return report, new


def check_rows(original: Rows, new: Path, report: RescueReport) -> None:
    """Rescued rows equal the originals, and the report counts what is missing."""
    kept = rows_of(new)
    told = {one.table: one for one in report.tables}
    replaced = {"streams", "audiences", "space_members"} if report.replaced else set()
    for name, rows in kept.items():
        if name in ALTERED | replaced:
            continue
        assert rows <= original[name], name
        missing = len(original[name]) - len(rows)
        lost = told[name].lost + report.orphans.get(name, 0)
        if told[name].exact:
            assert missing == lost, (name, missing, told[name], report.orphans)
        else:
            assert missing >= lost, (name, missing, told[name])


def test_sound_file_loses_nothing(sound: Path, damaged: Path) -> None:
    report, new = rescued(damaged)
    assert report.whole
    check_rows(rows_of(sound), new, report)
    assert report.indexed > 200
    with recollect.open(new, user="ada", embedder=None, worker=False) as memory:
        assert memory.recall("harbour", limit=5).found


def test_what_can_be_saved_is_said_before_anything_is_written(damaged: Path) -> None:
    gone = pages_of(damaged, "memories")[1]
    write_at(damaged, (gone - 1) * PAGE, bytes(PAGE))
    before = damaged.read_bytes()
    survey = composition.survey_damage(str(damaged))
    assert damaged.read_bytes() == before
    assert [file.name for file in damaged.parent.iterdir()] == ["memory.db"]
    table = next(one for one in survey.tables if one.table == "memories")
    assert table.lost > 0
    assert table.exact
    assert table.lost_ids[0].startswith("mem_")
    report, _ = rescued(damaged)
    assert report.tables == survey.tables


@pytest.mark.parametrize("table", ["memories", "events", "memory_tags", "vectors"])
def test_table_whose_root_is_lost(sound: Path, damaged: Path, table: str) -> None:
    """What hangs below a lost root is found among the pages that nothing points at."""
    root, *below = pages_of(damaged, table)
    write_at(damaged, (root - 1) * PAGE, bytes(PAGE))
    report, new = rescued(damaged)
    check_rows(rows_of(sound), new, report)
    if below:
        assert next(one for one in report.tables if one.table == table).rows > 0


def test_lost_space_is_put_together_from_its_indexes(sound: Path, damaged: Path) -> None:
    (root,) = pages_of(damaged, "spaces")
    write_at(damaged, (root - 1) * PAGE, bytes(PAGE))
    report, new = rescued(damaged)
    assert any("default" in words for words in report.replaced)
    with closing(sqlite3.connect(new)) as kept, closing(sqlite3.connect(sound)) as original:
        query = "SELECT space_id, number, name FROM spaces ORDER BY number"
        assert kept.execute(query).fetchall() == original.execute(query).fetchall()
        (memories,) = kept.execute("SELECT count(*) FROM memories").fetchone()
        assert memories == len(rows_of(sound)["memories"])


def test_lost_audiences_show_nothing_to_anybody_new(sound: Path, damaged: Path) -> None:
    for name in ("audiences", "sqlite_autoindex_audiences_1", "audiences_by_owner"):
        for number in pages_of(damaged, name):
            write_at(damaged, (number - 1) * PAGE, bytes(PAGE))
    report, new = rescued(damaged)
    assert report.replaced
    with closing(sqlite3.connect(new)) as kept:
        found = set(kept.execute("SELECT visibility FROM audiences"))
    assert found == {("personal",)}


@pytest.mark.parametrize("length", [3_000, 40_000, 400_000])
def test_file_that_was_cut(sound: Path, damaged: Path, length: int) -> None:
    os.truncate(damaged, length)
    try:
        report, new = rescued(damaged)
    except StoreDamaged:
        assert length <= PAGE
        return
    check_rows(rows_of(sound), new, report)
    assert not report.whole


@pytest.mark.parametrize("place", [0, 16, 20, 32])
def test_header_of_the_file(sound: Path, damaged: Path, place: int) -> None:
    write_at(damaged, place, b"\xff\xfe\xfd\xfc")
    report, new = rescued(damaged)
    check_rows(rows_of(sound), new, report)
    assert report.whole


def test_first_page_is_lost(sound: Path, damaged: Path) -> None:
    """Where the tables stand is known from our own schema."""
    write_at(damaged, 0, bytes(PAGE))
    report, new = rescued(damaged)
    check_rows(rows_of(sound), new, report)
    kept = rows_of(new)
    assert len(kept["memories"]) == len(rows_of(sound)["memories"])
    assert len(kept["events"]) == len(rows_of(sound)["events"])


@pytest.mark.parametrize("seed", range(8))
def test_random_damage(sound: Path, damaged: Path, seed: int) -> None:
    """Pages of nought, pages of noise, and heads of pages turned over; several at once."""
    chance = random.Random(seed)
    count = damaged.stat().st_size // PAGE
    data = sound.read_bytes()
    for _ in range(chance.choice([1, 3, 10, 40])):
        number = chance.randrange(1, count + 1)
        start = (number - 1) * PAGE
        kind = chance.choice(["nought", "noise", "head", "pointers"])
        tree = data[start + (100 if number == 1 else 0)] in KINDS
        if kind == "nought" or not tree:  # a long text has no head: a change in it goes unseen
            write_at(damaged, start, bytes(PAGE))
        elif kind == "noise":
            write_at(damaged, start, chance.randbytes(PAGE))
        elif kind == "head":
            place = start + (100 if number == 1 else 0) + chance.randrange(12)
            write_at(damaged, place, chance.randbytes(1))
        else:
            place = start + (100 if number == 1 else 0) + 12 + chance.randrange(40)
            write_at(damaged, place, chance.randbytes(2))
    report, new = rescued(damaged)
    check_rows(rows_of(sound), new, report)


@pytest.fixture(scope="module")
def journalled(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A store whose last memories stand in the journal only; how many there are in all."""
    folder = tmp_path_factory.mktemp("journalled")
    path = Path(shutil.copy(sound, folder / "live.db"))
    with recollect.open(path, user="ada", embedder=None, worker=False) as memory:
        for number in range(12):
            memory.remember(f"journal {number} " + "y" * 500)
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", folder / f"memory.db{end}")
    return folder / "memory.db", len(rows_of(sound)["memories"]) + 12


@pytest.fixture
def with_journal(journalled: tuple[Path, int], tmp_path: Path) -> tuple[Path, int]:
    """A copy of it, to be damaged."""
    path, count = journalled
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", tmp_path / f"memory.db{end}")
    return tmp_path / "memory.db", count


def test_what_stands_in_the_journal_only(with_journal: tuple[Path, int]) -> None:
    path, count = with_journal
    report, new = rescued(path)
    assert report.whole
    assert len(rows_of(new)["memories"]) == count


@pytest.mark.parametrize("damage", ["cut", "noise", "head", "first frame"])
def test_damaged_journal(with_journal: tuple[Path, int], tmp_path: Path, damage: str) -> None:
    """What was committed before the bad frame counts, as SQLite has it."""
    path, count = with_journal
    wal = Path(f"{path}-wal")
    middle = wal.stat().st_size // 2
    if damage == "cut":
        os.truncate(wal, middle)
    else:
        place = {"noise": middle, "head": 8, "first frame": 60}[damage]
        write_at(wal, place, bytes(range(200, 250)))
    shutil.copytree(tmp_path, tmp_path / "other")
    with closing(sqlite3.connect(tmp_path / "other" / "memory.db")) as connection:
        expected = {row[0] for row in connection.execute("SELECT memory_id FROM memories")}
    shutil.rmtree(tmp_path / "other")
    report, new = rescued(path)
    assert report.whole
    with closing(sqlite3.connect(new)) as connection:
        kept = {row[0] for row in connection.execute("SELECT memory_id FROM memories")}
    assert kept == expected
    assert len(expected) < count


def test_header_is_lost_but_the_journal_has_it(with_journal: tuple[Path, int]) -> None:
    path, count = with_journal
    write_at(path, 0, bytes(100))
    _, new = rescued(path)
    assert len(rows_of(new)["memories"]) == count


@pytest.mark.parametrize(
    "content", [b"", b"Dear diary, " * 2_000, bytes(50_000), b"{}", os.urandom(40_000)]
)
def test_file_that_is_no_store(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    for act in _both(path):
        with pytest.raises(StoreDamaged, match="Nothing in the file can be read"):
            act()
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def test_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    for act in _both(path):
        with pytest.raises(StoreDamaged, match="another program"):
            act()
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def _both(path: Path) -> list[Callable[[], object]]:
    return [
        lambda: composition.survey_damage(str(path)),
        lambda: composition.rescue(str(path), str(path.parent / "new.db")),
    ]


def test_nothing_is_written_over(damaged: Path) -> None:
    new = damaged.parent / "new.db"
    new.write_bytes(b"mine")
    with pytest.raises(Conflict, match="exists already"):
        composition.rescue(str(damaged), str(new))
    assert new.read_bytes() == b"mine"
    with pytest.raises(Conflict, match="exists already"):
        composition.rescue(str(damaged), str(damaged))


def test_addresses_that_are_no_files(damaged: Path) -> None:
    with pytest.raises(InvalidInput, match="Only a file"):
        composition.rescue("postgresql://nobody@127.0.0.1:1/x", "new.db")
    with pytest.raises(InvalidInput, match="into a file"):
        composition.rescue(str(damaged), "postgresql://nobody@127.0.0.1:1/x")
    with pytest.raises(StoreError, match="does not exist"):
        composition.rescue(str(damaged), str(damaged.parent / "none" / "new.db"))
    with pytest.raises(StoreError, match="no file"):
        composition.rescue(str(damaged.parent / "none.db"), "new.db")


def test_pages_are_read_as_sqlite_reads_them(with_journal: tuple[Path, int]) -> None:
    """The journal laid over the file is what SQLite makes of the two."""
    path, _ = with_journal
    with closing(PageFile(path)) as file:
        assert file.journal_pages > 0
        read = [file.page(number) for number in range(2, file.count + 1)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    assert read == [data[start : start + PAGE] for start in range(PAGE, len(data), PAGE)]
