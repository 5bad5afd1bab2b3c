"""A move in a process of its own, to be killed.

python -m tests.storage.move_child FROM TO PAGE     tells how far it is, a line a batch
"""

import sys

from recollect.storage.move import tables
from recollect.storage.move.move import move_store


def main(source: str, target: str, page: str) -> None:
    tables.PAGE = tables._FIRST_PAGE = int(page)  # type: ignore[misc]
    report = move_store(source, target, lambda *told: print(*told, flush=True))
    print("ended", report.differing, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
