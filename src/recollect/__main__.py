"""``python -m recollect`` is the command ``recollect``."""

import os
import signal


def _stop(*_: object) -> None:
    """Handle Ctrl-C while the program is still loading: say so and exit."""
    os.write(2, b"Stopped.\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop)

from recollect.surfaces.cli.main import program  # noqa: E402 - Ctrl-C is seen to before it loads

program()
