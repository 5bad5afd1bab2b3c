"""An import is done once whatever happens to it, and says what it did."""

import gc
import gzip
import json
import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.index.indexer import Indexer
from recollect.pages import import_batches
from recollect.pages.importer import Importer
from recollect.pages.spaces import Spaces
from recollect.pages.streams import StreamLookup
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import imports
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import (
    ImportFailed,
    InvalidInput,
    InvalidText,
    NotAllowed,
    StoreFull,
    StreamNotFound,
)
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.streams import Stream
from tests.child_processes import ForkedProcess, started
from tests.embedders import RemoteEmbedder, WordEmbedder
from tests.pages.conftest import House, Lines
from tests.stores import Keeper


def talk(count: int, **more: Any) -> list[dict[str, Any]]:
    """So many records that only their number tells apart."""
    return [
        {"text": f"record with the number {number}", "author": "ada", **more}
        for number in range(count)
    ]


def append_to(path: Path, *records: Any) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Batches of a hundred."""
    monkeypatch.setattr(import_batches, "BATCH", 100)
    return 100


def everything(count: int) -> dict[str, int]:
    return dict.fromkeys(("events", "places", "vectors", "events_keywords"), count)


# --- once -----------------------------------------------------------------------------------------


def test_everything_is_kept_indexed_and_told(house: House, lines: Lines) -> None:
    path = lines(*talk(2_500, stream="general"), {"text": "🙂", "stream": "signs"})
    report = house.run(path)
    assert report == ImportReport(read=2_501, added=2_501, already_there=0, skipped=0, streams=2)
    assert house.counts() == {**everything(2_500), "events": 2_501}
    assert house.texts("general")[:2] == ["record with the number 0", "record with the number 1"]
    assert house.problems() == []


def test_the_same_file_again_adds_nothing(house: House, lines: Lines, small: int) -> None:
    path = lines(*talk(250))
    assert house.run(path).added == 250
    before = house.rows("SELECT * FROM imports")
    report = house.run(path)
    assert report == ImportReport(read=250, added=0, already_there=250, skipped=0, streams=1)
    assert house.counts() == everything(250)
    assert house.rows("SELECT * FROM imports") == before


def test_the_same_file_in_another_place_adds_nothing(house: House, lines: Lines) -> None:
    path = lines(*talk(20), name="here.jsonl")
    house.run(path)
    moved = path.rename(path.with_name("there.jsonl"))
    append_to(moved, {"text": "one more"})
    report = house.run(moved)
    assert (report.added, report.already_there) == (1, 20)
    assert house.stream_names() == {"here"}


def test_a_packed_copy_adds_nothing(house: House, lines: Lines, tmp_path: Path) -> None:
    path = lines(*talk(20, id="same", stream="s"), *talk(20, stream="s"))
    house.run(path)
    packed = tmp_path / "copy.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert house.run(packed).added == 0


def test_equal_lines_are_two_events(house: House, lines: Lines) -> None:
    path = lines({"text": "ok"}, {"text": "ok"}, {"text": "ok"})
    assert house.run(path).added == 3
    assert house.run(path).added == 0
    assert house.texts("history") == ["ok", "ok", "ok"]


def test_equal_ids_are_one_event_and_the_first_stays(
    house: House, lines: Lines, small: int
) -> None:
    again = {"id": "m1", "text": "second"}
    path = lines({"id": "m1", "text": "first"}, again, *talk(100), again)
    report = house.run(path)
    assert (report.read, report.added, report.already_there) == (103, 101, 2)
    assert "second" not in house.texts("history")


def test_a_file_that_grew_adds_what_is_new(house: House, lines: Lines, small: int) -> None:
    path = lines(*talk(150))
    house.run(path)
    append_to(path, {"text": "the first of the new ones"}, {"text": "the second of the new ones"})
    report = house.run(path)
    assert (report.read, report.added, report.already_there) == (152, 2, 150)
    assert house.texts("history")[150:] == [
        "the first of the new ones",
        "the second of the new ones",
    ]
    assert house.counts() == everything(152)


def test_a_line_that_was_not_ended_yet_is_taken_when_it_is(house: House, tmp_path: Path) -> None:
    path = tmp_path / "live.jsonl"
    path.write_text('{"text": "whole"}\n{"text": "ha')
    report = house.run(path)
    assert (report.read, report.added, report.skipped) == (1, 1, 1)
    with path.open("a") as file:
        file.write('lf"}')
    report = house.run(path)
    assert (report.read, report.added, report.skipped) == (2, 1, 0)
    with path.open("a") as file:
        file.write('\n{"text": "third"}\n')
    report = house.run(path)
    assert (report.read, report.added, report.already_there) == (3, 1, 2)
    assert house.texts("live") == ["whole", "half", "third"]


def test_a_file_that_changed_is_read_from_the_start(house: House, lines: Lines) -> None:
    path = lines({"id": 0, "text": "zero"}, {"id": 1, "text": "one"}, {"id": 2, "text": "two"})
    house.run(path)
    path = lines({"id": 0, "text": "zero"}, {"id": 7, "text": "seven"}, {"id": 2, "text": "two"})
    report = house.run(path)
    assert (report.read, report.added, report.already_there) == (3, 1, 2)
    assert house.texts("history") == ["zero", "one", "two", "seven"]


def test_another_stream_is_another_import(house: House, lines: Lines) -> None:
    path = lines(*talk(3))
    assert house.run(path, stream="a").added == 3
    assert house.run(path, stream="b").added == 3
    assert house.run(path, stream="a").added == 0
    assert house.stream_names() == {"a", "b"}


def test_files_that_begin_alike_are_both_kept(house: House, lines: Lines) -> None:
    head = {"role": "system", "content": "You are helpful."}
    house.run(lines(head, {"text": "aa"}, name="one.jsonl"), stream="all")
    house.run(lines(head, {"text": "bb"}, name="two.jsonl"), stream="all")
    assert house.texts("all") == ["You are helpful.", "aa", "bb"]


def test_an_empty_file_is_told(house: House, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    with pytest.raises(InvalidInput, match=r"empty\.jsonl is empty"):
        house.run(path)


# --- what was said --------------------------------------------------------------------------------


def test_bad_lines_and_records_that_do_not_fit_are_told(house: House, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    records = [
        '{"text": "fine", "author": "ada"}',
        "no json",
        '{"author": "nobody said anything"}',
        '{"text": "x", "author": "%s"}' % ("long" * 100),
        '{"text": "x", "stream": "two\\nlines"}',
        '{"text": "x", "stream": "str_01jd3k5v8w9x0y1z2a3b4c5d6e"}',
        '{"text": "x", "score": NaN}',
        '{"text": "x", "time": "soon"}',
        '{"text": "bad signs \\ud800 \\u0000", "id": "\\ud800", "more": "\\udfff"}',
    ]
    path.write_text("\n".join(records))
    report = house.run(path)
    assert (report.read, report.added, report.skipped, report.without_time) == (3, 3, 6, 1)
    assert {problem.split(":")[0] for problem in report.problems} == {
        f"line {number}" for number in range(2, 9)
    }
    by_text = {event.text[:4]: event for event in house.events("bad")}
    untimed, fine, mended = by_text["x"], by_text["fine"], by_text["bad "]
    assert untimed.payload == {"time": "soon", "time_unknown": True}
    assert (fine.author, fine.text) == ("ada", "fine")
    assert (mended.text, mended.payload) == ("bad signs � ␀", {"more": "�"})


def test_problems_of_before_are_told_again(house: House, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("?\n" * 30 + '{"text": "fine"}\n')
    first = house.run(path)
    assert (first.skipped, len(first.problems), first.read) == (30, 20, 1)
    second = house.run(path)
    assert (second.skipped, second.problems, second.added) == (30, first.problems, 0)


def test_replies_find_what_they_answer(house: House, lines: Lines) -> None:
    house.run(
        lines(
            {"id": "m1", "text": "question", "time": "2024-05-01T10:00:00"},
            {"id": "m2", "text": "answer", "time": "2024-05-01T10:01:00", "reply_to": "m1"},
            {"id": "m3", "text": "before its parent", "parent_id": "m4", "time": 1714557700},
            {"id": "m4", "text": "parent", "time": "2024-05-01T10:03:00"},
            {"id": "m5", "text": "to nobody", "time": 1714559000, "reply_to": "m0"},
            {"id": "m6", "text": "to itself", "time": 1714559001, "reply_to": "m6"},
            {"id": "m7", "text": "elsewhere", "stream": "b", "reply_to": "m1"},
        )
    )
    by_text = {event.text: event for event in (*house.events("history"), *house.events("b"))}
    assert house.replies(by_text["question"]) == ["answer"]
    assert house.replies(by_text["parent"]) == ["before its parent"]
    for text, name in (("to nobody", "m0"), ("to itself", "m6"), ("elsewhere", "m1")):
        assert by_text[text].reply_to is None
        assert by_text[text].payload == {"reply_to": name}


def test_replies_reach_over_batches_and_interruptions(
    house: House, lines: Lines, small: int
) -> None:
    first = {"id": "m0", "text": "the first", "time": "2024-05-01T10:00:00"}
    last = {"id": "m999", "text": "the last", "time": "2024-06-01T10:00:00", "reply_to": "m0"}
    path = lines(first, *talk(250))
    house.run(path)
    append_to(path, last)
    assert house.run(path).added == 1
    (found,) = [event for event in house.events("history") if event.text == "the first"]
    assert house.replies(found) == ["the last"]


def test_a_remote_embedder_is_promised_its_share(house: House, lines: Lines) -> None:
    remote = RemoteEmbedder(down=True)
    importer = Importer(house.database, Indexer(remote), house.clock)
    assert importer.run(house.me, house.space, lines(*talk(600))).added == 600
    assert house.counts() == {**everything(600), "vectors": 0}
    assert remote.asked == []
    assert len(house.rows("SELECT * FROM jobs WHERE kind = 'index.embed'")) == 3


# --- progress and interruption --------------------------------------------------------------------


def test_progress_is_told_after_each_batch(house: House, lines: Lines, small: int) -> None:
    path = lines(*talk(250))
    told: list[tuple[int, int, int]] = []
    house.run(path, progress=lambda *numbers: told.append(numbers))
    assert [records for _, _, records in told] == [100, 200, 250]
    assert all(done <= total == path.stat().st_size for done, total, _ in told)
    assert told[-1][0] == path.stat().st_size


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreFull("The disk is full.")])
def test_an_import_that_stops_keeps_what_it_told_and_goes_on(
    house: House, lines: Lines, small: int, error: BaseException
) -> None:
    path = lines(*talk(1_000), {"text": "an answer to the first of them", "reply_to": "none"})

    def stop(_done: int, _total: int, records: int) -> None:
        if records == 300:
            raise error

    with pytest.raises(ImportFailed, match="300 events of the import are kept") as caught:
        house.run(path, progress=stop)
    assert caught.value.__cause__ is error
    assert "Start it again" in str(caught.value)
    assert house.counts() == everything(300)
    assert not any(thread.name.startswith("import") for thread in threading.enumerate())
    report = house.run(path)
    assert (report.read, report.added, report.already_there) == (1_001, 701, 300)
    assert house.counts() == everything(1_001)


class Faulty(WordEmbedder):
    """Fails in the thread that goes ahead, at one text."""

    def embed(self, texts: Any) -> Any:
        if any("number 250" in text for text in texts):
            raise RuntimeError("a fault of ours")
        return super().embed(texts)


def test_a_fault_in_the_thread_ahead_surfaces(house: House, lines: Lines, small: int) -> None:
    importer = Importer(house.database, Indexer(Faulty()), house.clock)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        importer.run(house.me, house.space, lines(*talk(1_000)))
    assert house.counts() == everything(200)
    assert not any(thread.name.startswith("import") for thread in threading.enumerate())
    assert house.run(lines(*talk(1_000))).added == 800


def test_a_batch_that_fails_leaves_nothing_of_itself(
    house: House, lines: Lines, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = imports.put_checkpoint
    calls = []

    def failing(*values: Any) -> None:
        calls.append(values)
        if len(calls) == 3:
            raise StoreFull("The disk is full.")
        put(*values)

    monkeypatch.setattr(imports, "put_checkpoint", failing)
    path = lines(*talk(400))
    with pytest.raises(ImportFailed, match="200 events"):
        house.run(path)
    assert house.counts() == everything(200)
    assert house.run(path).added == 200


def test_a_torn_archive_is_kept_up_to_the_tear(
    house: House, lines: Lines, tmp_path: Path, small: int
) -> None:
    whole = gzip.compress(lines(*talk(2_000)).read_bytes())
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ImportFailed, match="cannot be read beyond byte"):
        house.run(torn)
    kept = house.counts()["events"]
    assert kept > 500
    torn.write_bytes(whole)
    assert house.run(torn).added == 2_000 - kept
    assert house.counts() == everything(2_000)


def test_heavy_records_make_small_batches(
    house: House, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_batches, "HEAVY_BATCH", 10_000)
    told: list[int] = []
    path = lines(*({"text": f"{number} " + "x" * 4_000} for number in range(10)))
    house.run(path, progress=lambda _done, _total, records: told.append(records))
    assert told == [3, 6, 9, 10]


@pytest.mark.parametrize(("records", "threads"), [(90, set()), (250, {"import_0"})])
def test_only_a_source_of_several_batches_is_read_in_a_thread(
    house: House, lines: Lines, small: int, records: int, threads: set[str]
) -> None:
    """While a batch is written, the next one is made; without a next one nothing is started."""
    seen: set[str] = set()
    report = house.run(
        lines(*talk(records)),
        progress=lambda *_: seen.update(one.name for one in threading.enumerate()),
    )
    assert report.added == records
    assert {name for name in seen if name.startswith("import")} == threads


def test_every_stream_that_cannot_be_opened_is_reported_with_each_of_its_records(
    house: House, lines: Lines
) -> None:
    path = lines(*talk(2, stream="first"), *talk(3, stream="a\nb"), *talk(2, stream="last"))
    report = house.run(path)
    assert (report.added, report.skipped, report.streams) == (4, 3, 2)
    assert [problem.partition(":")[0] for problem in report.problems] == [
        "line 3",
        "line 4",
        "line 5",
    ]


def test_the_streams_of_a_batch_are_looked_up_in_one_transaction(
    house: House, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[None] = []
    reading = Database.reading

    def counted(self: Database, *, all_spaces: bool = False) -> Any:
        begun.append(None)
        return reading(self, all_spaces=all_spaces)

    monkeypatch.setattr(Database, "reading", counted)
    counts = []
    for streams in (2, 30):
        begun.clear()
        path = lines(*({"text": f"word {n}", "stream": f"{streams} {n}"} for n in range(streams)))
        assert house.run(path).streams == streams
        counts.append(len(begun))
    assert counts[0] == counts[1]


@pytest.fixture
def usual_collections() -> Iterator[tuple[int, int, int]]:
    """Python's own thresholds; those of the test run are others."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield (700, 10, 10)
    gc.set_threshold(*before)


def test_garbage_is_collected_as_before_once_an_import_has_ended_or_failed(
    house: House, lines: Lines, usual_collections: tuple[int, int, int]
) -> None:
    inside: list[tuple[int, int, int]] = []
    house.run(lines(*talk(3)), progress=lambda *_: inside.append(gc.get_threshold()))
    assert inside[0][2] > 10 * usual_collections[2]
    assert gc.get_threshold() == usual_collections
    with pytest.raises(ZeroDivisionError):
        house.run(lines(*talk(4)), progress=lambda *_: print(1 / 0))
    assert gc.get_threshold() == usual_collections


def test_a_stream_that_somebody_opens_meanwhile_is_used(
    house: House, lines: Lines, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = StreamLookup.planned
    others: list[Stream] = []

    def late(self: Any, name: str, **options: Any) -> Any:
        plan = planned(self, name, **options)
        if name == "general":
            monkeypatch.setattr(StreamLookup, "planned", planned)
            others.append(house.streams.ensure(house.me, house.space, name))
        return plan

    monkeypatch.setattr(StreamLookup, "planned", late)
    report = house.run(lines(*talk(150, stream="first"), *talk(5, stream="general")))
    assert (report.read, report.added, report.streams) == (155, 155, 2)
    assert {event.stream_id for event in house.events("general")} == {others[0].id}


# --- who may --------------------------------------------------------------------------------------


def test_only_members_import(house: House, lines: Lines) -> None:
    path = lines(*talk(3))
    spaces = Spaces(house.database, house.clock)
    spaces.set_member(house.me, house.space, "guest", "reader")
    for user in ("stranger", "guest"):
        with pytest.raises(NotAllowed):
            house.importer.run(Viewer(user), house.space, path)
    spaces.set_member(house.me, house.space, "guest", "member")
    with pytest.raises(NotAllowed, match="in the name of 'ada'"):
        house.importer.run(Viewer("guest"), house.space, path)
    assert house.counts() == everything(0)
    own = lines(*({**line, "author": "guest"} for line in talk(3)))
    assert house.importer.run(Viewer("guest"), house.space, own).added == 3
    spaces.set_member(house.me, house.space, "guest", "steward")
    path = lines(*talk(3))
    assert house.importer.run(Viewer("guest"), house.space, path).added == 3


def test_a_stream_that_is_not_open_to_me_is_not_written_to(house: House, lines: Lines) -> None:
    Spaces(house.database, house.clock).set_member(house.me, house.space, "ada", "member")
    house.streams.ensure(house.me, house.space, "secret", access="private")
    path = lines({"text": "x", "stream": "open"}, {"text": "y", "stream": "secret"})
    assert house.importer.run(Viewer("ada"), house.space, path).added == 2
    assert house.texts("secret") == [], "mine, which ada does not know of"
    assert [event.text for event in house.events("secret", Viewer("ada"))] == ["y"]


def test_a_stream_closed_to_me_meanwhile_is_refused(house: House, lines: Lines, small: int) -> None:
    Spaces(house.database, house.clock).set_member(house.me, house.space, "ada", "member")
    house.streams.ensure(house.me, house.space, "general")

    def close(_done: int, _total: int, _records: int) -> None:
        house.streams.set_access(house.me, house.space, "general", "private")

    with pytest.raises(NotAllowed, match=r"no longer open to ada\. 100 events"):
        house.importer.run(
            Viewer("ada"), house.space, lines(*talk(300)), stream="general", progress=close
        )


def test_sources_that_are_none(house: House, tmp_path: Path, lines: Lines) -> None:
    with pytest.raises(InvalidInput, match="There is no file"):
        house.run(tmp_path / "missing.jsonl")
    with pytest.raises(InvalidInput, match="There is no format"):
        house.run(lines(*talk(1)), format="csv")
    with pytest.raises(InvalidInput, match="not a file"):
        house.run(tmp_path, format="jsonl")
    with pytest.raises(InvalidInput, match="not a Slack export"):
        house.run(tmp_path)
    with pytest.raises(InvalidText):
        house.run(lines(*talk(1)), stream=" ")
    with pytest.raises(StreamNotFound):
        house.run(lines(*talk(1)), stream="str_01jd3k5v8w9x0y1z2a3b4c5d6e")


# --- kill -9 --------------------------------------------------------------------------------------


def child(store: str, file: Path, batch: int) -> ForkedProcess:
    return started("tests.pages.child", store, str(file), str(batch))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_killed_at_any_moment_it_ends_with_each_event_once(
    tmp_path: Path, house: House, lines: Lines
) -> None:
    count, chance = 2_000, random.Random(7)
    path = lines(*talk(count, stream="general"))
    store = house.database.address
    promised = 0
    for _ in range(6):
        process = child(store, path, 25)
        assert process.stdout is not None
        for _ in range(chance.randrange(12)):
            if not (told := process.stdout.readline()):
                assert process.wait() == 0  # it came to the end of the file before it was killed
                break
            promised = int(told)
        try:
            process.wait(chance.random() / 10)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        assert house.counts()["events"] >= promised
        assert len(set(house.counts().values())) == 1
    report = house.run(path)
    assert report.read == count
    assert report.already_there >= promised > 0
    assert house.counts() == everything(count)
    slots = {(slot,) for _, slot in house.rows("SELECT event_id, slot FROM events")}
    assert len(set(house.rows("SELECT text FROM events"))) == len(slots) == count
    assert set(house.rows("SELECT slot FROM places")) == slots
    assert set(house.rows("SELECT slot FROM vectors")) == slots
    assert {(slot,) for slot, _ in house.keywords()} == slots
    assert house.problems() == []


def test_two_processes_at_once_write_each_event_once(house: House, lines: Lines) -> None:
    path = lines(*talk(3_000, stream="general"))
    both = [child(house.database.address, path, 200) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    for process in both:
        process.communicate()
    assert house.counts() == everything(3_000)
    assert house.problems() == []


def test_the_store_can_be_opened_elsewhere_after_an_import(house: House, lines: Lines) -> None:
    house.run(lines(*talk(10)))
    other = Keeper(house.database.address)

    def count(transaction: Transaction) -> int:
        return int(transaction.exec_driver_sql("SELECT count(*) FROM events").scalar_one())

    assert other.write(count) == 10
    other.close()


def test_what_has_no_readable_time_keeps_its_place_and_is_counted(
    house: House, lines: Lines
) -> None:
    path = lines(
        {"id": 1, "text": "first", "time": "2024-05-01T12:00:00Z"},
        {"id": 2, "text": "second", "time": "soon"},
        {"foo": 1},
        {"id": 3, "text": "third", "time": "2024-05-01T13:00:00Z"},
        name="talk.jsonl",
    )

    report = house.run(path)

    assert (report.added, report.skipped, report.without_time) == (3, 1, 1)
    assert [problem.split(":")[0] for problem in report.problems] == ["line 2", "line 3"]
    assert house.texts("talk") == ["first", "second", "third"]
    first, second, _ = house.events("talk")
    assert second.occurred_at == first.occurred_at
    assert second.payload == {"time": "soon", "time_unknown": True}
    again = house.run(path)
    assert (again.added, again.skipped, again.without_time) == (0, 1, 1)
