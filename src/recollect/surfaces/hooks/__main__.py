"""Entry point of the daemon; also spools one event when no daemon is available.

python -m recollect.surfaces.hooks FOLDER LOCK
python -m recollect.surfaces.hooks FOLDER --write < frame
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    if sys.argv[2] == "--write":
        from recollect.surfaces.hooks.privacy_check import write_one

        sys.exit(write_one(Path(sys.argv[1]).absolute(), sys.stdin.buffer.read()))
    from recollect.surfaces.hooks.daemon import serve

    serve(Path(sys.argv[1]).absolute(), int(sys.argv[2]))
