"""Bad files, and runs that were stopped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from benchmarks.graph_edits import contents
from recollect.codegraph import file_finder, file_reader
from recollect.codegraph.indexer import CodeIndexer
from recollect.codegraph.reader_processes import scan_with
from tests.codegraph.projects import SHOP, write


def test_bad_files_are_passed_over_and_said(tmp_path: Path) -> None:
    root = write(tmp_path / "p", SHOP)
    (root / "binary.py").write_bytes(b"\0\1\2" * 100)
    (root / "broken.py").write_bytes(b"def f(:\n  class\n")
    (root / "latin.py").write_bytes("naïve = 'é'\n".encode("latin-1"))
    (root / "sign.py").write_text("replaced = '\ufffd'\n", "utf-8")
    (root / "large.js").write_bytes(b"x" * (file_reader.LARGEST + 1))
    (root / "small.min.js").write_text("var a=1;" * 3_000)
    (root / "loop").symlink_to(root)
    (root / "outside.py").symlink_to("/etc/hostname")
    (root / "Case.py").write_text("def upper(): pass\n")
    (root / "case.py").write_text("def lower(): pass\n")
    os.mkfifo(root / "pipe.py")
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        report = memory.code.index(root)
        paths = {row[0] for row in contents(memory)["files"]}
        assert {"binary", "too large", "broken encoding"} <= set(report.skipped)
        assert report.skipped["broken encoding"] == 1, "a file may say that sign itself"
        assert not {"outside.py", "pipe.py"} & paths
        assert not any(path.startswith("loop/") for path in paths)
        assert memory.code.impact("vat").touched
        again = memory.code.index(root)
        assert again.read == 0
        assert again.skipped == report.skipped, "unchanged files keep their gaps"
        assert sorted(again.problems) == sorted(report.problems)
        assert "broken.py: some of it does not parse" in again.problems
        assert memory.health().sound


def test_a_file_that_is_gone_by_the_time_it_is_read(tmp_path: Path) -> None:
    gone = file_reader.scan(str(tmp_path), file_finder.FileStat("gone.py", 10, 1))
    assert gone.problem == "unreadable"
    assert not gone.pieces


def test_children_read_what_this_process_would(tmp_path: Path) -> None:
    root = write(tmp_path / "p", SHOP)
    seen = list(file_finder.files_of(root))
    answers = list(scan_with(2, str(root), [seen[:3], seen[3:]]))
    assert [one for answer in answers for one in answer] == [
        file_reader.scan(str(root), one) for one in seen
    ]


def test_a_run_that_was_stopped_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"m{number}.py": f"import m{number - 1}\n" for number in range(30)}
    root = write(tmp_path / "p", files)
    monkeypatch.setattr("recollect.codegraph.indexer._AT_ONCE", 5)
    monkeypatch.setattr("recollect.codegraph.indexer._BATCH", 10)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:

        def stop(done: int, total: int, words: str) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            memory.code.index(root, progress=lambda d, t, w: stop(d, t, w) if d >= 20 else None)
        status = memory.code.status()
        assert (status["complete"], status["files"]) == (False, 10)
        report = memory.code.index(root)
        assert report.read == 20
        assert memory.code.status()["complete"]
        fresh = memory.within(space="fresh")
        fresh.code.index(root)
        assert contents(memory) == contents(fresh)


def test_a_killed_process_leaves_what_the_next_can_finish(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"import m{number - 1}\n" for number in range(30)}
    root = write(tmp_path / "p", files)
    child = (
        "import os, recollect\n"
        "from recollect.codegraph import indexer\n"
        "indexer._AT_ONCE, indexer._BATCH = 5, 10\n"
        f"memory = recollect.open({str(tmp_path / 'm.db')!r}, embedder='none', worker=False)\n"
        "die = lambda done, total, words: os._exit(9) if 'resolving' in words else None\n"
        f"memory.code.index({str(root)!r}, progress=die)\n"
    )
    done = subprocess.run([sys.executable, "-c", child], check=False, timeout=120)
    assert done.returncode == 9
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        assert not memory.code.status()["complete"]
        assert "not finished" in memory.code.impact("m0.py").notes[0]
        memory.code.index(root)
        fresh = memory.within(space="fresh")
        fresh.code.index(root)
        assert contents(memory) == contents(fresh)
        assert memory.code.impact("m0.py").notes == ()


def test_a_burst_of_changes_is_taken_in_as_the_folder_stands(tmp_path: Path) -> None:
    root = write(tmp_path / "p", SHOP)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        watcher = memory.code.watch(root)
        watcher.catch_up()
        (root / "shop/tax.py").rename(root / "shop/duty.py")
        (root / "shop/prices.py").write_text(SHOP["shop/prices.py"].replace(".tax", ".duty"))
        changed = {str(root / "shop" / name) for name in ("tax.py", "duty.py", "prices.py")}
        report = watcher.index_paths({*changed, str(tmp_path / "elsewhere.py")})
        assert report is not None
        assert (report.read, report.removed) == (2, 1)
        fresh = memory.within(space="fresh")
        fresh.code.index(root)
        assert contents(memory) == contents(fresh)
        assert watcher.index_paths({str(root / ".git/index"), str(root / "a.png")}) is None


def test_the_indexer_needs_a_folder(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        assert isinstance(memory._services.code.indexer, CodeIndexer)
        with pytest.raises(recollect.RecollectError, match="not a folder"):
            memory.code.index(tmp_path / "nothing")


def test_without_parsers_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        with pytest.raises(recollect.RecollectError, match="parsers") as caught:
            memory.code.index(write(tmp_path / "p", SHOP))
        assert "[code]" in str(caught.value.hint)
        assert memory.code.status() == {"indexed": False}
