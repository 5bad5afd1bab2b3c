"""Writers of one file take turns, whichever process they are in."""

import os
import threading
from pathlib import Path

import pytest

from recollect.storage import writer_lock
from recollect.storage.writer_lock import WriterLock


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(writer_lock, "gettempdir", lambda: str(tmp_path))
    path = tmp_path / "memory.db"
    path.touch()
    return str(path)


def test_whoever_waits_goes_before_whoever_just_came_out(file: str) -> None:
    one, other = WriterLock(file, 60), WriterLock(file, 60)
    order: list[str] = []
    waiting = threading.Event()

    def write() -> None:
        waiting.set()
        with other:
            order.append("other")

    thread = threading.Thread(target=write)
    with one:
        thread.start()
        waiting.wait()
        assert _stands_at_the_gate(file)
        order.append("one")
    with one:
        order.append("one again")
    thread.join()
    assert order == ["one", "other", "one again"]
    one.close()
    other.close()


def _stands_at_the_gate(file: str) -> bool:
    """Until somebody holds the gate: then nobody gets past them."""
    turns = writer_lock._open_lock_file()
    assert turns is not None
    gate = writer_lock.place_of(file)
    try:
        while True:
            writer_lock.acquire(turns, gate)
            writer_lock.release(turns, gate)
    except BlockingIOError:
        return True
    finally:
        os.close(turns)


def test_every_store_has_turns_of_its_own(file: str, tmp_path: Path) -> None:
    other_file = tmp_path / "other.db"
    other_file.touch()
    (tmp_path / "link.db").symlink_to(file)
    same, other = WriterLock(str(tmp_path / "link.db"), 0.01), WriterLock(str(other_file), 0.01)
    with WriterLock(file, 1), other, same:
        assert other._has_turn
        assert not same._has_turn
    assert [path.name for path in tmp_path.glob("*.turns")] == [f"recollect-{os.getuid()}.turns"]


def test_a_writer_goes_on_without_a_turn_when_somebody_holds_it_too_long(file: str) -> None:
    stuck, patient = WriterLock(file, 60), WriterLock(file, 0.01)
    entered = False
    with stuck, patient:
        entered = True
    assert entered
    with patient:  # and nothing of the past stays locked
        pass
    with stuck:
        pass


def test_it_is_no_hindrance_where_no_lock_can_be_made(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_lock, "gettempdir", lambda: f"{file}/not/a/folder")
    with WriterLock(file, 1):
        pass
    monkeypatch.setattr(writer_lock, "_SET_LOCK", 0)
    with WriterLock(file, 1):
        pass


def test_an_error_inside_gives_the_turn_back(file: str) -> None:
    one, other = WriterLock(file, 0.01), WriterLock(file, 60)
    with pytest.raises(ZeroDivisionError), one:
        raise ZeroDivisionError
    with other:
        assert other._has_turn
