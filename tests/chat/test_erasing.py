"""Nothing of what was erased is left: in the bytes of every file of a store, and in its rows."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

import recollect
from recollect.chat.entries.undo_keys import UNDO_FOR
from recollect.engine import Recollect
from recollect.storage import store_facts
from recollect.storage.dialects import sqlite_traces
from recollect.storage.memories import tombstones
from recollect.storage.schema import COLLECTIONS, metadata
from recollect.vocabulary.errors import NotAllowed, NotFound
from tests.clocks import TickingClock
from tests.stores import Keeper, StoreMaker

SECRET = "zanzibarian lighthouse keeper Ferdinand gathers vermilion umbrellas"
STEMS = ("zanzibar", "lighthous", "ferdinand", "vermilion", "umbrella")


def opened(folder: Path, **more: object) -> Recollect:
    options = {"worker": False, "user": "ada", "embedder": "static", **more}
    return recollect.open(folder / "memory.db", **options)  # type: ignore[arg-type]


def held(folder: Path) -> list[str]:
    """Which files hold a stem of the secret."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            kept = path.read_bytes().lower()
            found += [f"{path.name}: {stem}" for stem in STEMS if stem.encode() in kept]
    return found


def rows_holding(stores: StoreMaker, address: str) -> list[str]:
    """Which tables hold a stem of the secret, whoever may see the row."""
    keeper = Keeper(address)
    try:
        with keeper.reading() as connection:
            return sorted({table for table, text in _texts(connection) if _tells(text)})
    finally:
        keeper.close()


def _texts(connection: Connection) -> Iterator[tuple[str, str]]:
    words = [f"{collection}_keywords" for collection in COLLECTIONS]
    for table in [*(table.name for table in metadata.sorted_tables), *words]:
        for row in connection.exec_driver_sql(f"SELECT * FROM {table}"):
            yield table, " ".join(str(value) for value in row)


def _tells(text: str) -> bool:
    return any(stem in text.lower() for stem in STEMS)


def fill(memory: Recollect, count: int = 40) -> None:
    for number in range(count):
        memory.remember(f"Note {number}: parcel {number} of street {number} came on day {number}.")


@pytest.mark.parametrize("again", [False, True], ids=["open", "closed"])
def test_forgetting_for_good_leaves_no_word_in_any_file(tmp_path: Path, again: bool) -> None:
    with opened(tmp_path) as memory:
        fill(memory)
        kept = memory.remember(SECRET, tags=["umbrellas"], summary=f"In short: {SECRET}")
        memory.update(kept.id, content=f"{SECRET}, he says")
        fill(memory)
        memory.forget(kept.id, for_good=True)
        if not again:
            memory.work(600)
            assert held(tmp_path) == []
    assert held(tmp_path) == []
    with opened(tmp_path) as memory:
        assert held(tmp_path) == []
        assert not memory.recall("Ferdinand", explicit=False).found


def test_a_deleted_event_leaves_no_word_in_any_file(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fill(memory)
        said = memory.record(SECRET, stream="talk", payload={"more": "of the Umbrellas"})
        memory.edit_event(said.id, f"{SECRET} (edited)")
        fill(memory)
        memory.delete_event(said.id)
        memory.work(600)
        assert held(tmp_path) == []
    assert held(tmp_path) == []


def test_many_deletions_in_a_row_are_erased_when_the_store_is_closed(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        ids = [memory.record(f"{SECRET} {number}", stream="talk").id for number in range(30)]
        fill(memory, 100)
        for event_id in ids:
            memory.delete_event(event_id)
    assert held(tmp_path) == []


def test_what_a_killed_process_erased_is_finished_by_the_next(tmp_path: Path) -> None:
    code = (
        "import os, sys, recollect\n"
        "from recollect.storage.erasure import Erasure\n"
        "Erasure.finish = lambda *a, **k: os._exit(9)\n"
        f"memory = recollect.open({str(tmp_path / 'memory.db')!r}, worker=False, user='ada')\n"
        "[memory.remember(f'Note {n} of street {n}.') for n in range(50)]\n"
        f"memory.forget(memory.remember({SECRET!r}).id, for_good=True)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert held(tmp_path)

    clock = TickingClock()
    clock.move(timedelta(days=36_500))  # the mark is old, whenever it was left
    opened(tmp_path, clock=clock).close()

    assert held(tmp_path) == []
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        assert (
            connection.execute("SELECT * FROM store_facts WHERE name = 'erasing'").fetchall() == []
        )


def test_old_copies_in_unused_bytes_are_found_and_written_away(tmp_path: Path) -> None:
    """SQLite leaves copies of rows in a page when it moves them to another."""
    path = tmp_path / "memory.db"
    with opened(tmp_path) as memory:
        memory.remember("Anything.")
        kept = memory.remember(SECRET)
    copy = SECRET.encode()
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole), 4096):
        unused = sqlite_traces._middle(bytes(whole[start : start + 4096]), 0)
        if len(unused) > 3_000 and not unused.strip(b"\0"):
            at = whole.index(unused, start, start + 4096)
            whole[at + 100 : at + 100 + len(copy)] = copy
            break
    path.write_bytes(whole)
    assert sqlite_traces.unused_bytes_contain(str(path), 4096, ["ferdinand"])
    sqlite_traces.FILES.opened(str(path))
    sqlite_traces.FILES.closed(str(path))

    with opened(tmp_path) as memory:
        assert memory.chat.forget(kept.id).traces == ""

    assert held(tmp_path) == []


def test_reading_the_file_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    """Closing any descriptor of a file ends a process's locks on it; then another process that
    closes the store would think that it is the last, and take the journal away."""
    with opened(tmp_path) as memory:
        kept = memory.remember(SECRET)
        memory.chat.forget(kept.id)
        memory.remember("Written after.")
        code = f"import sqlite3; c = sqlite3.connect({str(tmp_path / 'memory.db')!r});"
        code += "c.execute('SELECT count(*) FROM memories').fetchall(); c.close()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert (tmp_path / "memory.db-wal").exists()
        memory.remember("And once more.")
        assert len(memory.list().items) == 2


def test_a_full_text_too_large_to_wait_for_is_said_to_be_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_traces, "AT_ONCE", 1)
    monkeypatch.setattr(sqlite_traces, "STEP", 1)
    with opened(tmp_path) as memory:
        fill(memory, 300)
        kept = memory.chat.add(SECRET).entry
        assert kept is not None
        gone = memory.chat.forget(kept.id)
        assert "being written anew" in gone.traces
    assert held(tmp_path) == []


def test_no_row_of_any_table_holds_what_was_forgotten(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory, 3)
    said = memory.record(SECRET, stream="talk")
    entry = memory.chat.add(SECRET, events=[said.id], tags=["umbrellas"]).entry
    assert entry is not None
    asked = memory.recall("who gathers umbrellas?")
    assert asked.id is not None
    memory.feedback(asked.id, "helpful", note="Yes, Ferdinand does.")
    memory.recall("Is Ferdinand well?")
    memory.recall("what about the parcel of street 2?")
    memory.retrievals()
    memory.recall("is it about VERMILION?")  # not in the store yet
    session = memory.session(id="s1", agent="bot", root="/work/app", task="meet Ferdinand")
    session.on_tool_call("Edit", {"file_path": "/work/app/a.py"}, call="c")
    session.on_tool_result("Edit", {"file_path": "/work/app/a.py"}, "edited", call="c")
    memory.work(600)
    assert "retrievals" in rows_holding(stores, address)

    memory.chat.forget(entry.id)

    assert rows_holding(stores, address) == []
    log = [one.query for one in memory.retrievals(limit=50).items]
    assert log.count("[forgotten]") >= 3
    assert "what about the parcel of street 2?" in log


def test_a_forgotten_event_takes_its_questions_and_its_place_along(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    place = "web:https://example.org/ferdinand"
    said = memory.record(SECRET, stream="talk", payload={"origin": place})
    memory.recall("where is Ferdinand?")
    memory.retrievals()

    memory.delete_event(said.id)

    assert rows_holding(stores, address) == []


def test_a_question_that_another_process_still_held_is_masked_too(stores: StoreMaker) -> None:
    address = stores.ready()
    here, elsewhere = stores.open(address), stores.open(address)
    kept = here.remember(SECRET)
    elsewhere.recall("where is Ferdinand?")  # noted, and not yet in the store

    here.forget(kept.id, for_good=True)

    assert [one.query for one in elsewhere.retrievals().items] == ["[forgotten]"]
    assert rows_holding(stores, address) == []


def test_taking_back_brings_the_same_thing_back(stores: StoreMaker) -> None:
    memory = stores.open(stores.ready())
    said = memory.record("Emma plays the cello on Mondays.", stream="talk", payload={"n": 1})
    entry = memory.chat.add("Emma plays the cello.", tags=["music"], events=[said.id]).entry
    other = memory.chat.add("Emma has a concert in June.").entry
    assert entry is not None
    assert other is not None
    memory.chat.pin(entry.id)
    memory.relate(other.id, "validates", memory=entry.id)
    before = memory.get(entry.id)
    history, arrows = memory.history(entry.id), memory.relations(entry.id)

    gone = memory.chat.forget(entry.id)
    with pytest.raises(NotFound):
        memory.get(entry.id)
    assert memory.get(said.id).text == ""  # type: ignore[union-attr]
    assert memory.chat.undo(gone.undo or "") == "I remember it again."

    again = memory.get(entry.id)
    assert (again.id, again.content, again.tags) == (before.id, before.content, before.tags)  # type: ignore[union-attr]
    assert again.provenance == before.provenance  # type: ignore[union-attr]
    assert (memory.history(entry.id), memory.relations(entry.id)) == (history, arrows)
    assert memory.chat.entry(entry.id).memory.pinned
    assert memory.get(said.id).text == "Emma plays the cello on Mondays."  # type: ignore[union-attr]
    assert next(one.id for one in memory.recall("cello", kinds=["memory"])) == entry.id
    assert said.id in [one.id for one in memory.recall("cello", kinds=["event"])]


def seals_in(address: str) -> int:
    keeper = Keeper(address)
    try:
        with keeper.reading() as connection:
            return int(tombstones.first_seal_expiry(connection) is not None)
    finally:
        keeper.close()


def test_a_seal_ends_with_the_time_to_take_it_back(stores: StoreMaker, clock: TickingClock) -> None:
    address = stores.ready()
    memory = stores.open(address)
    entry = memory.chat.add(SECRET).entry
    assert entry is not None
    code = memory.chat.forget(entry.id).undo or ""
    assert seals_in(address) == 1
    clock.move(UNDO_FOR)

    with pytest.raises(NotAllowed, match="is erased"):
        memory.chat.undo(code)
    memory.remember("Any next write takes the seal away.")
    assert seals_in(address) == 0
    digests = [stone.digest for stone in _standing(memory)]
    assert digests
    assert not any("sealed" in digest for digest in digests)


def test_a_worker_or_an_opening_ends_a_seal(stores: StoreMaker, clock: TickingClock) -> None:
    for way in ("work", "open"):
        address = stores.ready()
        memory = stores.open(address)
        entry = memory.chat.add(SECRET).entry
        assert entry is not None
        memory.chat.forget(entry.id)
        clock.move(UNDO_FOR)
        elsewhere = stores.open(address)
        if way == "work":
            memory.work(600)
        assert seals_in(address) == 0
        elsewhere.chat.entries()


def test_the_bytes_of_a_seal_are_gone_from_the_file(tmp_path: Path) -> None:
    clock = TickingClock()
    with opened(tmp_path, clock=clock) as memory:
        fill(memory)
        entry = memory.chat.add(SECRET).entry
        assert entry is not None
        memory.chat.forget(entry.id)
        with sqlite3.connect(f"file:{tmp_path / 'memory.db'}?mode=ro", uri=True) as connection:
            (sealed,) = connection.execute(
                "SELECT digest FROM tombstones WHERE digest LIKE 'sealed:%'"
            ).fetchone()
        connection.close()
        piece = sealed[7:60].encode()
        assert any(piece in path.read_bytes() for path in tmp_path.iterdir())
        clock.move(UNDO_FOR)
        memory.remember("Next.")
        memory.work(600)
        assert not any(piece in path.read_bytes() for path in tmp_path.iterdir())


def test_seals_of_earlier_versions_end_when_the_store_is_opened(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    entry = memory.chat.add(SECRET).entry
    assert entry is not None
    memory.chat.forget(entry.id)
    keeper = Keeper(address)

    def older(connection: Connection) -> None:
        table = metadata.tables["tombstones"]
        row = connection.execute(select(table).where(~table.c.digest.startswith("sealed:"))).one()
        digest = json.dumps({**json.loads(row.digest), "sealed": "b2xk"})
        connection.execute(
            table.update().where(table.c.tombstone_id == row.tombstone_id).values(digest=digest)
        )

    keeper.write(older)
    keeper.close()
    again = stores.open(address)

    assert not any("sealed" in stone.digest for stone in _standing(again))


def _standing(memory: Recollect) -> list[tombstones.Tombstone]:
    from recollect.trust.authorisation import authorise

    database = memory._services.keeper._database
    with database.reading() as transaction:
        access = authorise(transaction, memory.viewer, memory.space)
        return tombstones.unexpired_tombstones(transaction, access, memory._services.clock())


def test_the_code_that_takes_back_is_never_kept(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    entry = memory.chat.add(SECRET).entry
    assert entry is not None
    code = memory.chat.forget(entry.id).undo or ""
    key = code.partition(".")[2]

    memory.record(f"To take it back within 15 minutes: recollect undo {code}", stream="agent")
    memory.record("ran it", stream="agent", payload={"output": f"recollect undo {code}"})
    memory.recall(f"undo {code}")
    memory.retrievals()

    keeper = Keeper(address)
    with keeper.reading() as connection:
        texts = [text for _, text in _texts(connection)]
    keeper.close()
    assert not any(key in text for text in texts)
    assert any("[secret removed: undo key]" in text for text in texts)
    assert memory.chat.undo(code)


def test_an_export_after_forgetting_holds_nothing(stores: StoreMaker) -> None:
    memory = stores.open(stores.ready())
    said = memory.record(SECRET, stream="talk")
    entry = memory.chat.add(SECRET, events=[said.id]).entry
    assert entry is not None
    memory.chat.forget(entry.id)
    told = "".join(memory.export()) + "".join(memory.chat.export_audit())
    assert not _tells(told)


def test_the_mark_goes_when_the_work_is_done(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.forget(memory.remember(SECRET).id, for_good=True)
        with sqlite3.connect(tmp_path / "memory.db") as connection:
            rows = connection.execute(
                "SELECT * FROM store_facts WHERE name = ?", (store_facts.ERASING,)
            ).fetchall()
        connection.close()
        assert rows == []


def test_what_was_forgotten_of_oneself_may_be_told_of_others(stores: StoreMaker) -> None:
    memory = stores.open(embedder="static")
    kept = memory.chat.hear("I am allergic to peanuts.").kept[0]
    memory.chat.forget(kept.id)
    assert memory.chat.hear("My brother is allergic to peanuts.").kept
    assert not memory.chat.hear("I am allergic to peanuts!").kept


def test_what_was_kept_and_taken_back_may_be_told_again(memory: Recollect) -> None:
    memory.chat.say("remember that I like tea")
    memory.chat.say("undo")
    assert memory.chat.entries().items == ()
    assert memory.chat.hear("I like tea.").kept
