"""Entry points: ``program`` is what the command ``recollect`` runs, ``main`` is all of it but the
end of the process.
"""

import os
import sys
from typing import NoReturn

from recollect.surfaces.cli.deferred_modules import defer
from recollect.surfaces.cli.interrupts import INTERRUPTED, take_over
from recollect.surfaces.cli.start_up import loading
from recollect.vocabulary.fast_processes import fast_exit


def program() -> NoReturn:
    """Run the command line in a process that does nothing else."""
    with fast_exit():
        defer()
        main()


def main() -> NoReturn:
    """Run the command line, and exit with its code."""
    try:
        take_over()
        with loading():
            _make_output_safe()
            # The matrix products are small: numpy's own threads would cost more than they gain.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            from recollect.surfaces.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        code = INTERRUPTED
    sys.exit(code)


def _make_output_safe() -> None:
    """Escape characters that the output cannot encode, and ignore output without a reader."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or sys.stdout
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
