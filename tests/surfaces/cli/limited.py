"""Commands in a process that lacks a right, or the room, to write.

``limited LIMIT command`` runs one command, ``limited LIMIT several JSON`` several one after the
other, and writes down what each left behind. ``RIGHTS`` has root meet the rights of files as
everyone does, a number is the size over which no file may grow, as on a disk that is full, and
``NONE`` limits nothing. A process that cannot be limited so ends with ``IMPOSSIBLE``.
"""

import ctypes
import json
import os
import resource
import sys
from typing import Final

RIGHTS: Final = "rights"
NONE: Final = "none"
IMPOSSIBLE: Final = 99
SEVERAL: Final = "several"

#: Capabilities of Linux: to write, and to read, what the rights of a file forbid.
_OVERRIDE: Final = 1 << 1 | 1 << 2
#: The third version of the header, in which capabilities are two words.
_VERSION: Final = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Powers(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def limit(to: str) -> None:
    """Limit this process for good."""
    if to == RIGHTS:
        if os.geteuid() == 0:
            _drop_powers()
    elif to != NONE:
        size = int(to)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _drop_powers() -> None:
    system = ctypes.CDLL(None)
    header, powers = _Header(_VERSION, 0), (_Powers * 2)()
    if system.capget(ctypes.byref(header), powers):
        raise SystemExit(IMPOSSIBLE)
    for name in ("effective", "permitted", "inheritable"):
        setattr(powers[0], name, getattr(powers[0], name) & ~_OVERRIDE)
    if system.capset(ctypes.byref(header), powers):
        raise SystemExit(IMPOSSIBLE)


def main(to: str, *arguments: str) -> None:
    """Run what is asked for under a limit."""
    sys.dont_write_bytecode = True  # a module that is cut off would be kept for others
    limit(to)
    if arguments[0] == SEVERAL:
        from typer.testing import CliRunner

        from recollect.surfaces.cli.app import app

        ran = [CliRunner().invoke(app, typed) for typed in json.loads(arguments[1])]
        print(json.dumps([[one.exit_code, one.stdout, one.stderr] for one in ran]))
        return
    from recollect.surfaces.cli.main import main as command

    sys.argv = ["recollect", *arguments]
    command()


if __name__ == "__main__":
    main(*sys.argv[1:])
