"""``python -m recollect.surfaces.hooks FOLDER LOCK``: how a hook process starts the daemon."""

import sys
from pathlib import Path

from recollect.surfaces.hooks.daemon import serve

if __name__ == "__main__":
    serve(Path(sys.argv[1]).absolute(), int(sys.argv[2]))
