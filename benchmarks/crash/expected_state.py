"""Expected state: what the store must hold, by the word of those who wrote.

Every thing has a word of its own, its *key*, which begins each text it ever has. A writer notes in
its ledger what it is about to make of some things, and again when the call has returned. So after a
kill each thing must stand as it was noted last, or, if its writer was in the middle of a call, all
things of that call as they were before or all as they would be after. The same is true of a call
that failed because the store was away.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.crash.losses import Losses


class Thing(NamedTuple):
    """A memory or an event as it should stand."""

    key: str
    kind: str
    text: str
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    archived: bool = False
    superseded: bool = False
    gone: bool = False
    id: str | None = None

    @property
    def searched(self) -> bool:
        """Whether a search should find it."""
        return not (self.archived or self.superseded or self.gone)

    def same(self, other: "Thing | None") -> bool:
        """Whether the other stands like this one; what is gone may be missing altogether."""
        if other is None or self.gone or other.gone:
            return (other is None or other.gone) and self.gone
        return self._replace(id=None) == other._replace(id=None)


Things = dict[str, Thing]


class Ledger:
    """A writer's notes, each written before the next step; what is done is on the disk as well."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def begin(self, things: Iterable[Thing]) -> None:
        """What a call is about to make of these."""
        self._write("begin", [thing._asdict() for thing in things])

    def done(self, things: Iterable[Thing]) -> None:
        """What a call that returned has made of these."""
        self._write("done", [thing._asdict() for thing in things])

    def left_open(self, things: Iterable[Thing]) -> None:
        """What a call that failed with its store may have made of these, or not."""
        self._write("open", [thing._asdict() for thing in things])

    def trouble(self, losses: Losses) -> None:
        """What went wrong in a call."""
        self._write("trouble", losses.as_json())

    def _write(self, stage: str, said: Any) -> None:
        os.write(self._file, json.dumps([stage, said]).encode() + b"\n")
        if stage == "done":
            os.fsync(self._file)


class Notes(NamedTuple):
    """What a ledger tells."""

    done: list[Thing]
    #: Each is a call of which nobody heard whether it was done.
    open: list[list[Thing]]
    losses: Losses


def read_ledger(path: Path) -> Notes:
    """What was acknowledged, in order, and what was not, up to what the writer was about to do."""
    notes = Notes([], [], Losses())
    begun: list[Thing] = []
    for stage, said in _entries(path):
        if stage == "trouble":
            notes.losses.add(Losses(**said))
            continue
        things = [_thing(one) for one in said]
        begun = things if stage == "begin" else []
        if stage == "done":
            notes.done.extend(things)
        elif stage == "open":
            notes.open.append(things)
    if begun:
        notes.open.append(begun)
    return notes


def compare(book: Things, calls: list[list[Thing]], there: Things) -> Losses:
    """Hold the store against the book; each of the calls did not return, or failed."""
    losses = Losses()
    open_keys = {thing.key for call in calls for thing in call}
    for key, thing in book.items():
        if key not in open_keys and not thing.same(there.get(key)):
            losses.lost.append(f"{thing} was acknowledged, but it stands as {there.get(key)}")
    for call in calls:
        after = all(thing.same(there.get(thing.key)) for thing in call)
        before = all(_as_before(book.get(thing.key), there.get(thing.key)) for thing in call)
        if not (after or before):
            losses.torn.append(f"a call was done by half: {call}")
    strangers = set(there) - set(book) - open_keys
    losses.torn += [f"nobody wrote {there[key]}" for key in sorted(strangers)]
    return losses


def _as_before(was: Thing | None, stands: Thing | None) -> bool:
    return stands is None if was is None else was.same(stands)


def _thing(said: dict[str, Any]) -> Thing:
    return Thing(**{**said, "tags": tuple(said["tags"]), "files": tuple(said["files"])})


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Every whole line; the last may have been cut off with its writer."""
    for line in path.read_bytes().split(b"\n")[:-1]:
        stage, said = json.loads(line)
        yield stage, said
