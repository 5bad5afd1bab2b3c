"""A writer that is to be killed: it does whatever comes to its mind and notes it in its ledger."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NoReturn

from benchmarks.crash.expected_state import Ledger, Thing, Things
from benchmarks.crash.losses import Losses
from benchmarks.texts import sentences
from recollect.engine import Recollect
from recollect.vocabulary.errors import ImportFailed, RecollectError, StoreUnavailable
from recollect.vocabulary.events import NewEvent

#: Without the word "password": a key of letters and digits beside it is withheld as a secret, as
#: it should be, and would be counted as lost.
_TEXTS = [one for one in sentences(2_000) if "password" not in one]
_IMPORTED = 25
#: Asked is whether a thing is found, not how it ranks: what is little trusted stands further down.
_LOOKED_AT = 50


class Actor:
    """One process's share of the mixed writes; it touches only things of its own."""

    def __init__(
        self,
        memory: Recollect,
        folder: Path,
        name: str,
        things: Things,
        ledger: Ledger,
        *,
        store_may_be_away: bool = False,
    ) -> None:
        self._memory = memory
        self._folder = folder
        self._name = name
        self._things = things
        self._ledger = ledger
        self._store_may_be_away = store_may_be_away
        self._chance = Random(name)
        self._count = 0
        self._ideas = [act for act, often in self._acts().items() for _ in range(often)]

    def act_until_killed(self) -> NoReturn:
        """One thing after another, for ever."""
        while True:
            self.act()

    def act(self) -> None:
        """Whatever comes to mind."""
        act = self._chance.choice(self._ideas)
        try:
            act()
        except RecollectError as error:
            if not self._excused(error):
                losses = Losses()
                losses.note(error, f"{self._name}, {act.__name__}")
                self._ledger.trouble(losses)

    def _excused(self, error: RecollectError) -> bool:
        """Whether it is a clear word that the store is away, at a time when it may be."""
        reason = error.__cause__ if isinstance(error, ImportFailed) else error
        return self._store_may_be_away and isinstance(reason, StoreUnavailable)

    def _acts(self) -> dict[Callable[[], None], int]:
        return {
            self.remember: 5,
            self.reword: 2,
            self.retag: 2,
            self.archive: 2,
            self.restore: 2,
            self.erase: 1,
            self.supersede: 2,
            self.relate: 1,
            self.record: 3,
            self.edit: 2,
            self.delete: 1,
            self.import_: 1,
            self.work: 2,
            self.ask: 2,
        }

    # --- memories ---------------------------------------------------------------------------------

    def remember(self) -> None:
        """A new memory with tags and files."""
        new = self._new("memory")
        self._call(
            [new],
            lambda: [self._memory.remember(new.text, tags=new.tags, files=new.files).id],
        )

    def reword(self) -> None:
        """Give a memory other words."""
        if old := self._pick("memory"):
            new = old._replace(text=self._text(old.key))
            self._call([new], lambda: [self._memory.update(_id(old), content=new.text).id])

    def retag(self) -> None:
        """Give a memory other tags."""
        if old := self._pick("memory"):
            new = old._replace(tags=(f"tag{self._chance.randrange(9)}", "changed"))
            self._call([new], lambda: [self._memory.update(_id(old), tags=new.tags).id])

    def archive(self) -> None:
        """Put one away."""
        if old := self._pick("memory", lambda thing: not thing.archived):
            self._change(old._replace(archived=True), self._memory.forget)

    def restore(self) -> None:
        """Bring one back."""
        if old := self._pick("memory", lambda thing: thing.archived):
            self._change(old._replace(archived=False), self._memory.restore)

    def erase(self) -> None:
        """Take one away for good."""
        if old := self._pick("memory"):
            self._change(old._replace(gone=True), partial(self._memory.forget, for_good=True))

    def supersede(self) -> None:
        """A new one in place of an old one; either both stand so, or neither."""
        if old := self._pick("memory", lambda thing: thing.searched):
            new = self._new("memory")
            supersede = partial(self._memory.supersede, tags=new.tags, files=new.files)
            self._call(
                [old._replace(superseded=True), new],
                lambda: [old.id, supersede(_id(old), new.text).id],
            )

    def relate(self) -> None:
        """An arrow between two; the book does not follow it, the store must bear it."""
        one, other = self._pick("memory"), self._pick("memory")
        if one and other and one != other:
            self._memory.relate(_id(one), "validates", memory=_id(other), confidence=0.5)

    # --- events -----------------------------------------------------------------------------------

    def record(self) -> None:
        """Three events at once, all or none."""
        new = [self._new("event") for _ in range(3)]
        events = [NewEvent(thing.text) for thing in new]
        self._call(
            new, lambda: [event.id for event in self._memory.record_many(events, stream=self._name)]
        )

    def edit(self) -> None:
        """Give an event other words."""
        if old := self._pick("event"):
            new = old._replace(text=self._text(old.key))
            self._call([new], lambda: [self._memory.edit_event(_id(old), new.text).id])

    def delete(self) -> None:
        """Take an event's words back."""
        if old := self._pick("event"):
            self._change(old._replace(gone=True), self._memory.delete_event)

    def import_(self) -> None:
        """A small file, in one transaction: all of it or nothing. Nobody tells the events' ids."""
        new = [self._new("event") for _ in range(_IMPORTED)]
        path = self._folder / f"{new[0].key}.jsonl"
        lines = [json.dumps({"id": thing.key, "text": thing.text}) for thing in new]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

        def run() -> list[str | None]:
            self._memory.import_(path)
            return [None] * len(new)

        self._call(new, run)
        path.unlink()

    # --- the house --------------------------------------------------------------------------------

    def work(self) -> None:
        """Do promised work for a moment."""
        self._memory.work(0.05)

    def ask(self) -> None:
        """What was acknowledged is found at once."""
        thing = self._pick(self._chance.choice(("memory", "event")), lambda thing: thing.searched)
        if thing:
            found = self._memory.recall(thing.key, kinds=thing.kind, limit=_LOOKED_AT)
            if thing.id not in [one.id for one in found]:
                self._ledger.trouble(Losses(lost=[f"{thing} is not found by {thing.key}"]))

    def _change(self, after: Thing, verb: Callable[[str], object]) -> None:
        """A call that takes an id and tells none."""

        def run() -> list[str | None]:
            verb(_id(after))
            return [after.id]

        self._call([after], run)

    def _call(self, after: Sequence[Thing], call: Callable[[], Sequence[str | None]]) -> None:
        """Note what is about to be, do it, note that it is.

        What a failed call has left open is not touched again before somebody has looked.
        """
        self._ledger.begin(after)
        try:
            ids = call()
        except RecollectError:
            self._ledger.left_open(after)
            for thing in after:
                self._things.pop(thing.key, None)
            raise
        done = [
            thing._replace(id=identifier or thing.id)
            for thing, identifier in zip(after, ids, strict=True)
        ]
        self._ledger.done(done)
        self._things.update({thing.key: thing for thing in done})

    def _pick(self, kind: str, fits: Callable[[Thing], bool] | None = None) -> Thing | None:
        """One thing that fits, if there is any."""
        fitting = [
            thing
            for thing in self._things.values()
            if thing.kind == kind and thing.id and not thing.gone and (fits is None or fits(thing))
        ]
        return self._chance.choice(fitting) if fitting else None

    def _new(self, kind: str) -> Thing:
        self._count += 1
        key = f"{self._name}n{self._count}"
        if kind == "event":
            return Thing(key, kind, self._text(key))
        tags = tuple(f"tag{number}" for number in range(self._chance.randrange(3)))
        files = tuple(f"src/{key}/{number}.py" for number in range(self._chance.randrange(3)))
        return Thing(key, kind, self._text(key), tags, files)

    def _text(self, key: str) -> str:
        return f"{key} {self._chance.choice(_TEXTS)}"


def _id(thing: Thing) -> str:
    assert thing.id is not None
    return thing.id
