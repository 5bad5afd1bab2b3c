"""Entry point of the daemon; also spools one event when no daemon is available.

python -m recollect.surfaces.hooks FOLDER LOCK
python -m recollect.surfaces.hooks FOLDER --write < frame
"""

import os
import sys
from pathlib import Path

from recollect.vocabulary.fast_processes import collecting_no_garbage, fast_exit


def main(folder: Path, task: str) -> int:
    """Do the task; what is loaded for it stays until the process ends."""
    # The matrix products are small: numpy's own threads would cost more than they gain.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if task == "--write":
        with collecting_no_garbage():
            from recollect.surfaces.hooks.privacy_check import write_one
        return write_one(folder, sys.stdin.buffer.read())
    with collecting_no_garbage():
        from recollect.surfaces.hooks.daemon import serve
    serve(folder, int(task))
    return 0


if __name__ == "__main__":
    with fast_exit():
        sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2]))
