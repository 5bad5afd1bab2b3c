"""Progress of long commands: a bar for a person, an occasional line for a log.

Both go to standard error, so that standard output holds only the answer.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from recollect.surfaces.cli.session import CommandContext

EVERY_SECONDS: Final = 3.0

#: Takes the amount done, the total (None if unknown), and a description.
Advance = Callable[[int, int | None, str], None]


@contextmanager
def measuring(session: CommandContext, verb: str) -> Iterator[Advance]:
    """Show progress in the way that suits the output."""
    if session.options.json:
        yield lambda *_: None
    elif sys.stderr.isatty():
        with _bar(verb) as advance:
            yield advance
    else:
        yield _now_and_then(verb)


@contextmanager
def _bar(verb: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[remark]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=None, remark="")

        def advance(done: int, total: int | None, words: str) -> None:
            remark = _progress_text(done, total, words)
            progress.update(task, completed=done, total=total, remark=remark)

        yield advance


def _now_and_then(verb: str) -> Advance:
    last = time.monotonic()

    def advance(done: int, total: int | None, words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY_SECONDS:
            last = time.monotonic()
            sys.stderr.write(f"{verb}: {_progress_text(done, total, words)}\n")
            sys.stderr.flush()

    return advance


def _progress_text(done: int, total: int | None, words: str) -> str:
    return f"{done * 100 // total} %, {words}" if total else words
