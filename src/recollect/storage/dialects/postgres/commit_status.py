"""Outcome of a transaction whose commit got no answer: committed, not committed, or unknown.

The server knows by the transaction's id. But an id is not safe for ever: if the server crashes
before anything of a transaction has reached the disk, its id is given out again. Every recovery
ends with a checkpoint that records the next id. So after a restart an id counts as ours only if it
is below that record; any other checkpoint, begun later than the transaction, records a higher id
anyway and changes nothing.
"""

import time
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

STATUS_TIMEOUT_SECONDS: Final = 5.0
_PAUSE: Final = 0.05
_NOT_YET_GIVEN_OUT: Final = "22023"

_ASK: Final = """
    SELECT pg_xact_status(%(number)s::text::xid8), next_xid,
        greatest(pg_postmaster_start_time(), checkpoint_time) > %(at)s,
        checkpoint_time = date_trunc('second', %(at)s)
    FROM pg_control_checkpoint()
"""


class Mark(NamedTuple):
    """A transaction's id, and a time by the server's clock at which it had it."""

    number: int
    at: datetime


class TransactionStatus(NamedTuple):
    """State of a transaction id, as the server reports it."""

    state: str | None
    #: Whether the id was given out before the last checkpoint.
    noted: bool
    #: Whether the server was started, or made a checkpoint, since the transaction got its id.
    restarted: bool
    #: Whether the last checkpoint, whose time is in whole seconds, may have come since.
    perhaps: bool

    @property
    def running(self) -> bool:
        """Whether the transaction has not ended yet; none outlives a crash of its server."""
        return self.state == "in progress" and (self.noted or not self.restarted)

    @property
    def committed(self) -> bool | None:
        """Whether the transaction was committed; None if unknown."""
        if self.state is None or self.running:
            return None
        if self.state != "committed" or self.noted:
            return self.state == "committed"
        if self.restarted:
            return False
        return None if self.perhaps else True


def was_committed(engine: Engine, mark: Mark) -> bool | None:
    """Ask the server; retries for a while if the transaction has not ended yet."""
    end = time.monotonic() + STATUS_TIMEOUT_SECONDS
    while (status := _ask(engine, mark)).running and time.monotonic() < end:
        time.sleep(_PAUSE)
    return status.committed


def _ask(engine: Engine, mark: Mark) -> TransactionStatus:
    values = {"number": mark.number, "at": mark.at}
    try:
        with engine.begin() as connection:
            row = connection.exec_driver_sql(_ASK, values).one()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == _NOT_YET_GIVEN_OUT:
            return TransactionStatus("lost", noted=False, restarted=True, perhaps=False)
        raise
    state, next_number, restarted, perhaps = row
    epoch, number = map(int, next_number.split(":"))
    return TransactionStatus(state, mark.number < (epoch << 32) + number, restarted, perhaps)
