"""Run every attack on fresh stores and say how many broke the product.

python -m benchmarks.attack                      every attack on both stores
python -m benchmarks.attack --store sqlite       on one of them
python -m benchmarks.attack --number 7           one group; may be given several times
python -m benchmarks.attack --named route        those whose sentence holds these words

The last line is ``broke N of M``; the program ends with 1 when N is not 0.
"""

import argparse
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.attack import (  # noqa: F401  (each adds its attacks to the list)
    access_cases,
    first_contact_cases,
    forgetting_cases,
    input_cases,
    postgres_cases,
    rescue_cases,
    route_cases,
    secret_cases,
    trust_cases,
)
from benchmarks.attack.attacks import ATTACKS, BOTH, Attack, Broke
from benchmarks.attack.target import Target
from tests.postgres_server import PostgresServer

_NUMBERS = count()


def main() -> int:
    """Attack, print a line for each, and the sum."""
    options = _options()
    # A shell lets what it runs in the background ignore Ctrl-C, and so would whatever is attacked.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = [
        (one, store)
        for one in sorted(ATTACKS, key=lambda one: one.number)
        for store in one.stores
        if store in options.store and (not options.number or one.number in options.number)
        if options.named.lower() in one.name.lower()
    ]
    broke = 0
    with _server(any(store == "postgres" for _, store in chosen)) as server:
        for one, store in chosen:
            began = time.monotonic()
            seen = _try(one, store, server)
            broke += seen is not None
            took = f"{time.monotonic() - began:5.0f} s"
            print(f"{one.number:>3}  {store:<8} {took}  {one.name}: {seen or 'held'}", flush=True)
    print(f"broke {broke} of {len(chosen)}")
    return 1 if broke or not chosen else 0


def _try(one: Attack, store: str, server: PostgresServer | None) -> str | None:
    """What the attack got, or None when the product held; a fault of the attack counts as got."""
    with tempfile.TemporaryDirectory(prefix="recollect-attack-") as name:
        folder = Path(name)
        address = str(folder / "memory.db") if server is None or store == "sqlite" else _new(server)
        try:
            one.run(Target(store, address, folder))
        except Broke as got:
            return f"BROKE: {got}"
        except Exception:  # noqa: BLE001  (whatever went wrong, this attack proved nothing)
            return f"BROKE: the attack itself failed: {traceback.format_exc(limit=-3)}"
    return None


def _new(server: PostgresServer) -> str:
    name = f"attacked_{next(_NUMBERS)}"
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return server.address(name)


@contextmanager
def _server(wanted: bool) -> Iterator[PostgresServer | None]:
    if not wanted:
        yield None
        return
    server = PostgresServer()
    try:
        yield server
    finally:
        server.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("--store", action="append", choices=BOTH, help="which store (both)")
    parser.add_argument("--number", action="append", type=int, help="which group (all)")
    parser.add_argument("--named", default="", help="words of the attacks that are wanted")
    options = parser.parse_args()
    options.store = options.store or list(BOTH)
    return options


if __name__ == "__main__":
    sys.exit(main())
