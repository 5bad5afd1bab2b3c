"""Deals connections out to the processes of a server, one after the other.

The leader takes every connection and hands it on by its descriptor, so that each process has about
as many as the others. Dealt out by the system, ten connections often stand eight to two, and those
eight wait for one another while the other process has little to do.
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
_PAUSE: Final = 0.1  # seconds, when the system has no room for one more


class WorkerChannel:
    """One follower, as the leader knows it: the way to it, and whether it answers yet."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._ready = False
        channel.setblocking(False)

    def takes(self, connection: socket.socket) -> bool:
        """Whether the follower has the connection now."""
        try:
            if not self._ready:
                self._ready = self.channel.recv(1) == _READY
            if self._ready:
                socket.send_fds(self.channel, [_HANDED], [connection.fileno()])
        except OSError:  # not yet, or no longer
            return False
        return self._ready


async def deal(
    listening: socket.socket, seats: Callable[[], Sequence[WorkerChannel]], take: Take
) -> None:
    """Take connections for as long as this runs, each for the next process in turn."""
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
        there = seats()
        turn = (turn + 1) % (len(there) + 1)
        if turn and there[turn - 1].takes(connection):
            connection.close()  # our own descriptor of it
        else:
            take(connection)


def receive(channel: socket.socket, take: Take, end: Callable[[], None]) -> None:
    """Take what the leader hands on, beginning now; end when it is gone."""
    loop = asyncio.get_running_loop()
    channel.setblocking(False)

    def look() -> None:
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

    loop.add_reader(channel, look)
    with suppress(OSError):  # a leader that is gone already is noticed by the reader
        channel.send(_READY)
