"""Distributes connections over the processes of a server, round-robin.

The leader accepts every connection and passes its descriptor on, so that each process has about as
many as the others. Distributed by the kernel, ten connections often split eight to two, and those
eight wait for one another while the other process is almost idle.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

Take = Callable[[socket.socket], None]

BACKLOG: Final = 2_048
_READY: Final = b"r"
_HANDED: Final = b"c"
_PAUSE: Final = 0.1  # seconds to pause when the system has no descriptors left


class WorkerChannel:
    """Leader's channel to one follower, and whether the follower is ready."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._ready = False
        channel.setblocking(False)

    def takes(self, connection: socket.socket) -> bool:
        """Send a connection to the follower; return whether it was sent."""
        try:
            if not self._ready:
                self._ready = self.channel.recv(1) == _READY
            if self._ready:
                socket.send_fds(self.channel, [_HANDED], [connection.fileno()])
        except OSError:  # the follower is not ready yet, or has ended
            return False
        return self._ready


async def distribute(
    listening: socket.socket, channels: Callable[[], Sequence[WorkerChannel]], take: Take
) -> None:
    """Accept connections until cancelled, each for the next process in turn."""
    loop = asyncio.get_running_loop()
    listening.listen(BACKLOG)
    listening.setblocking(False)
    turn = 0
    while True:
        try:
            connection, _ = await loop.sock_accept(listening)
        except OSError:
            await asyncio.sleep(_PAUSE)
            continue
        open_channels = channels()
        turn = (turn + 1) % (len(open_channels) + 1)
        if turn and open_channels[turn - 1].takes(connection):
            connection.close()  # the leader's own descriptor of the connection
        else:
            take(connection)


def receive(channel: socket.socket, take: Take, end: Callable[[], None]) -> None:
    """Receive connections from the leader, starting now; end when the leader is gone."""
    loop = asyncio.get_running_loop()
    channel.setblocking(False)

    def check_closed() -> None:
        try:
            said, handed, _, _ = socket.recv_fds(channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            said, handed = b"", []
        for descriptor in handed:
            connection = socket.socket(fileno=descriptor)
            connection.setblocking(False)
            take(connection)
        if not said:
            loop.remove_reader(channel)
            end()

    loop.add_reader(channel, check_closed)
    with suppress(OSError):  # the reader notices when the leader is already gone
        channel.send(_READY)
