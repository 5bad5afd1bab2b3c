"""A network that loses things: it carries bytes between devices and a server, and cuts some off.

A connection may be cut after any number of bytes in either direction. So a request is lost, or cut
in two, or taken by the server whose answer never arrives; a device then sends the same again.
"""

import contextlib
import socket
import threading
from random import Random
from typing import Final

_CUT: Final = 0.35
#: The answer is cut at its first bytes half of the time: the server has taken what was sent.
_LONGEST: Final = 3_000
_PIECE: Final = 65_536


class LossyNetwork:
    """Accepts on one socket, and carries what comes to an address."""

    def __init__(self, door: socket.socket, port: int, seed: int) -> None:
        self._door = door
        self._port = port
        self._chance = Random(seed)

    def run(self) -> None:
        """Carry connections until the process is killed."""
        while True:
            near, _ = self._door.accept()
            far = socket.create_connection(("127.0.0.1", self._port))
            there, back = self._limits()
            for source, target, limit in ((near, far, there), (far, near, back)):
                threading.Thread(target=_carry, args=(source, target, limit), daemon=True).start()

    def _limits(self) -> tuple[int | None, int | None]:
        """After how many bytes each direction is cut; None for never."""
        if self._chance.random() > _CUT:
            return None, None
        after = self._chance.choice((0, 1, self._chance.randint(0, _LONGEST)))
        return (after, None) if self._chance.random() < 0.4 else (None, after)


def _carry(source: socket.socket, target: socket.socket, limit: int | None) -> None:
    left = limit
    with contextlib.suppress(OSError):
        while piece := source.recv(_PIECE):
            if left is not None and len(piece) >= left:
                target.sendall(piece[:left])
                break
            target.sendall(piece)
            left = None if left is None else left - len(piece)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
