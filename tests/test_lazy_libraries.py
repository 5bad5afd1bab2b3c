"""Libraries that few commands need are loaded by those that need them."""

import subprocess
import sys
from pathlib import Path

import pytest

import recollect

LIBRARIES = ("pathspec", "tenacity", "json_repair", "pydantic", "httpx2")
LOADED = f"""
import sys
from recollect.surfaces.cli.main import main
try:
    main()
except SystemExit:
    pass
print("loaded:", *(name for name in {LIBRARIES} if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--db", "store.db", "recall", "cache"]])
def test_neither_help_nor_recall_loads_them(tmp_path: Path, arguments: list[str]) -> None:
    with recollect.open(tmp_path / "store.db", embedder="static", worker=False) as memory:
        memory.remember("The cache is cleared at night.")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cache" in done.stdout or "Usage" in done.stdout
    assert done.stderr.splitlines()[-1:] == ["loaded:"], done.stderr
