"""The real loop of ``recollect watch``: files change, and the graph follows."""

import threading
from pathlib import Path

import recollect
from tests.codegraph.projects import SHOP, git, write


def test_changes_are_followed_until_it_is_stopped(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    git(root, "init", "--quiet")
    stop, first = threading.Event(), threading.Event()
    seen: list[tuple[int, int]] = []
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        watcher = memory.code.watch(root)
        watcher.catch_up()

        def follow() -> None:
            for report in watcher.changes(stop):
                seen.append((report.read, report.removed))
                first.set()

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            number = 0
            while not first.wait(0.2) and number < 1_000:  # until the watcher has its eyes open
                number += 1
                write(root, {"shop/duty.py": f"def duty_{number}(amount):\n    return {number}\n"})
            assert first.is_set(), "nothing was seen"
            assert memory.code.impact("shop/duty.py").seeds
            first.clear()
            (root / "shop/duty.py").unlink()
            while not any(removed for _, removed in seen):
                assert first.wait(120), "the file that went was not seen"
                first.clear()
        finally:
            stop.set()
            thread.join(120)
        assert not thread.is_alive()
        assert not [n for n in memory.code.map() if "duty" in str(n)]
        fresh = memory.within(space="fresh")
        fresh.code.index(root)
        assert fresh.code.impact("shop/tax.py").touched == memory.code.impact("shop/tax.py").touched
