"""The hook daemon in a copy of a process that has loaded the libraries.

python -m tests.surfaces.hooks.forked_daemon FOLDER     tells whether it is the folder's daemon

It takes the daemon's lock and leaves its streams as the hook process does that starts a daemon, and
then runs the daemon's own entry point. A hook process finds it as it finds any daemon.
"""

import fcntl
import os
import sys
from pathlib import Path

from recollect.surfaces.hooks.__main__ import main

SERVING = "serving\n"


def serve(folder: str) -> None:
    """Become the daemon of this folder, unless it has one."""
    os.makedirs(folder, 0o700, exist_ok=True)
    os.chdir(folder)
    lock = os.open("daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another one is", flush=True)
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open("daemon.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    print(SERVING, end="", flush=True)
    os.dup2(nothing, 1)
    main(Path.cwd(), str(lock))


if __name__ == "__main__":
    serve(sys.argv[1])
