"""Where tests keep what they throw away: in memory where there is room for it, else on the disk.

Most of a test's files live for a moment. In memory nothing waits for a disk, so a run takes as long
on a machine whose disk is busy as on one whose disk is not.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
#: What a run may need at its fullest, several times over.
_ROOM: Final = 4 * 1024**3


def temporary_root() -> Path:
    """The folder under which a run makes its own; ``RECOLLECT_TEST_FOLDER`` names another."""
    given = os.environ.get("RECOLLECT_TEST_FOLDER")
    if given:
        return Path(given)
    if os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
        return _MEMORY
    return Path(tempfile.gettempdir())
