"""``python -m benchmarks.crash``: the campaigns; the last line says what was lost.

It ends with 1 unless nothing was lost, nothing torn and nobody locked out.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.crash.concurrent_writers import ConcurrentWriters
from benchmarks.crash.kills import Kills
from benchmarks.crash.losses import Losses
from benchmarks.crash.nights import campaign
from benchmarks.crash.stores import store_of


def main() -> int:
    """Run both in a folder of their own, which is gone afterwards."""
    options = _options()
    if options.store == "night":
        with tempfile.TemporaryDirectory(prefix="recollect-crash-") as folder:
            return campaign(Path(folder), options.rounds)
    if options.store == "sync":
        return _exchange(options.rounds)
    losses = Losses()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-crash-") as folder,
        store_of(options.store, Path(folder)) as store,
    ):
        if options.writers:
            address = store.address("crowd")
            losses.add(
                ConcurrentWriters(Path(folder), address, options.writers, options.memories).run()
            )
        if options.rounds:
            losses.add(Kills(Path(folder), store, options.rounds).run())
    print("\n".join([*losses.lines(), str(losses)]))
    return 0 if losses.clean else 1


def _exchange(rounds: int) -> int:
    """Devices that sync with a server, in a folder of their own."""
    from benchmarks.crash.exchange import Exchange

    with tempfile.TemporaryDirectory(prefix="recollect-crash-") as folder:
        losses = Exchange(Path(folder), rounds).run()
    print("\n".join([*losses.lines(), str(losses)]))
    return 0 if losses.clean else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.crash", description=__doc__)
    parser.add_argument(
        "--store",
        choices=("sqlite", "postgres", "night", "sync"),
        default="sqlite",
        help="what is killed",
    )
    parser.add_argument("--rounds", type=int, default=100, help="how often writers are killed")
    parser.add_argument("--writers", type=int, default=8, help="how many processes write at once")
    parser.add_argument("--memories", type=int, default=2_000, help="how much each of them writes")
    parser.add_argument("--quick", action="store_true", help="a small crowd and few rounds")
    options = parser.parse_args()
    if options.quick:
        options.rounds = min(options.rounds, 10)
        options.writers, options.memories = 3, 60
    return options


if __name__ == "__main__":
    sys.exit(main())
