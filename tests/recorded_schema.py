"""A new SQLite store begins as a copy of a file that migrations made once in this process.

To run every migration takes many times as long as to copy what they left: hundreds of tests make a
file of their own. ``contracts/test_migrations.py`` runs the migrations themselves each time, and
checks that both ways leave the same schema.
"""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp

import pytest

from recollect.storage import migrate
from recollect.storage.database import Database
from recollect.storage.dialects import sqlite_engine
from recollect.vocabulary.files import create_private

_HEAD = migrate.HEAD


def copy_the_schema(patched: pytest.MonkeyPatch) -> None:
    """From now on a file that is not there yet is made so."""
    patched.setattr(sqlite_engine, "create_private", _create)


def run_the_migrations(patched: pytest.MonkeyPatch) -> None:
    """From now on a new file is made as outside of tests."""
    patched.setattr(sqlite_engine, "create_private", create_private)


def _create(path: Path) -> None:
    """The copy is there as a whole or not at all, whoever else makes it at the same time."""
    if migrate.HEAD == _HEAD and not os.path.lexists(path):
        opened, part = mkstemp(dir=path.parent)
        try:
            with open(opened, "wb") as file:
                file.write(_migrated())
            with suppress(FileExistsError):
                os.link(part, path)
        finally:
            os.unlink(part)
    create_private(path)


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        run_the_migrations(patched)
        path = Path(folder) / "migrated.db"
        Database(str(path)).close()
        return path.read_bytes()
