"""The spool gives every whole frame once and in order, whatever was torn, turned or read before."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.surfaces.hooks import spool as module
from recollect.surfaces.hooks.spool import Spool, SpoolPosition

PAYLOAD = st.binary(max_size=40)


def frame(number: int, payload: bytes) -> bytes:
    return b"\x1e%d-1 %d claude-code Stop\n%s\n" % (number, len(payload), payload)


def append(folder: Path, data: bytes) -> None:
    with (folder / "spool").open("ab") as file:
        file.write(data)


@given(st.lists(st.tuples(PAYLOAD, st.booleans(), st.integers(1, 30)), max_size=12))
def test_torn_frames_are_passed_over_and_whole_ones_given_once(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[bytes, bool, int]]
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    reader, got, wanted = Spool(folder), [], []
    for number, (payload, torn, length) in enumerate(written):
        plain = payload.replace(b"\x1e", b"")  # JSON cannot hold it
        whole = frame(number, plain)
        append(folder, whole[:length] if torn else whole)
        if not torn or length >= len(whole):
            wanted.append((f"{number}-1", plain))
        got += [(one.name, one.payload) for one in reader.new()]
    append(folder, frame(99, b"end"))
    got += [(one.name, one.payload) for one in reader.new()]

    assert got == [*wanted, ("99-1", b"end")]
    assert [(one.name, one.payload) for one in Spool(folder).new()] == got


def test_segments_are_turned_read_on_and_given_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGE", 10)
    reader = Spool(tmp_path)
    places: list[SpoolPosition] = []
    for number in range(4):
        append(tmp_path, frame(number, b"x"))
        places += [one.end for one in reader.new()]
        reader.turn()
    assert places == sorted(places)
    assert len(list(tmp_path.glob("spool.0*"))) == 4
    assert [one.name for one in Spool(tmp_path).new()] == ["0-1", "1-1", "2-1", "3-1"]

    reader.delete_before(places[2])

    assert [one.name for one in Spool(tmp_path).new()] == ["2-1", "3-1"]
    assert Spool(tmp_path).size() == 2 * len(frame(0, b"x"))


def test_an_emptied_spool_goes_on_with_later_places(tmp_path: Path) -> None:
    reader = Spool(tmp_path)
    append(tmp_path, frame(1, b"x"))
    (first,) = reader.new()
    assert reader.clear()
    append(tmp_path, frame(2, b"y"))
    (second,) = reader.new()
    (again,) = Spool(tmp_path).new()

    assert second.end > first.end
    assert again.end == second.end
    append(tmp_path, frame(3, b"z"))
    assert not reader.clear()  # something came that nobody has read
    assert os.path.exists(tmp_path / "spool")
