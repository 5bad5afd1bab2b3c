"""Libraries that few commands need are loaded by those that need them."""

import json
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


DEFERRED = """
import json, sys
from recollect.surfaces.cli.deferred_modules import DEFERRED, DeferredModule, defer
from recollect.surfaces.cli.main import main
defer()
try:
    main()
except SystemExit:
    pass
waiting = {name for name in DEFERRED if isinstance(sys.modules.get(name), DeferredModule)}
print(json.dumps([sorted(waiting), "ssl" in sys.modules]), file=sys.stderr)
"""


def _run(code: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_recall_executes_nothing_that_only_other_libraries_import(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "store.db", embedder="static", worker=False) as memory:
        memory.remember("The cache is cleared at night.")
    done = _run(DEFERRED, "--db", "store.db", "recall", "cache", folder=tmp_path)
    waiting, ssl = json.loads(done.stderr.splitlines()[-1])
    assert "cleared at night" in done.stdout
    assert {"asyncio", "importlib.metadata", "numpy._core._add_newdocs"} <= set(waiting)
    assert not ssl


def test_other_commands_find_every_module_loaded(tmp_path: Path) -> None:
    done = _run(DEFERRED, "--db", "store.db", "version", folder=tmp_path)
    assert recollect.__version__ in done.stdout
    assert json.loads(done.stderr.splitlines()[-1]) == [[], False]


USED = """
from recollect.surfaces.cli.deferred_modules import DeferredModule, defer, load_all
defer()
import asyncio, importlib.metadata, random, sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

assert type(asyncio) is type(importlib.metadata) is DeferredModule
assert asyncio.iscoroutine.__module__ == "asyncio.coroutines"
assert type(asyncio) is DeferredModule
assert not hasattr(random, "no_such_name")
assert type(random) is ModuleType

async def answer():
    await asyncio.sleep(0)
    return 42

with ThreadPoolExecutor(8) as threads:
    runs = [threads.submit(lambda: asyncio.run(answer())) for _ in range(32)]
    assert [run.result() for run in runs] == [42] * 32
assert type(asyncio) is ModuleType
assert asyncio.get_event_loop_policy.__module__ == "asyncio.events"
load_all()
assert type(importlib.metadata) is ModuleType
import shutil
assert type(shutil) is ModuleType
assert importlib.metadata.version("numpy")
print("all well")
"""


def test_a_deferred_module_is_whole_for_every_thread_that_uses_it(tmp_path: Path) -> None:
    done = _run(USED, folder=tmp_path)
    assert done.stdout == "all well\n", done.stderr
