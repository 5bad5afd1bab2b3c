"""What befalls writers in the middle of their work, besides being killed themselves.

Of a blow they may hear: a call fails with an error of ours, and whether it was done is left open.
But they go on afterwards.
"""

import time
from collections.abc import Callable, Sequence
from random import Random

from benchmarks.crash.stores import PostgresStore, Store

_LONGEST_AWAY = 2.5
_MAX_CUTS = 5

#: A blow against the store at an address; at random, as the chance has it.
Fault = Callable[[PostgresStore, str, Random], None]


def server_dies(store: PostgresStore, _address: str, chance: Random) -> None:
    """Every process of the server is killed; after a while it is started again."""
    store.server.kill()
    time.sleep(chance.choice((0.0, chance.uniform(0, _LONGEST_AWAY))))
    store.server.start()


def connections_are_cut(store: PostgresStore, address: str, chance: Random) -> None:
    """Some or all connections are ended by the server, a few times in a row."""
    for _ in range(chance.randint(1, _MAX_CUTS)):
        store.rows(
            store.server.address(),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{address.partition('@/')[2].partition('?')[0]}' "
            f"AND random() < {chance.choice((0.5, 1.0))}",
        )
        time.sleep(chance.uniform(0, 0.2))


FAULTS: Sequence[tuple[str, Fault]] = (
    ("the server killed", server_dies),
    ("connections cut", connections_are_cut),
)


def fault_of(store: Store, number: int) -> tuple[str, Callable[[str, Random], None] | None]:
    """What befalls the writers of a round: each in its turn, and every third time nothing more."""
    turn = number % (len(FAULTS) + 1)
    if not isinstance(store, PostgresStore) or turn == 0:
        return "nothing", None
    name, blow = FAULTS[turn - 1]
    return name, lambda address, chance: blow(store, address, chance)
