"""What a long-lived process assembles is what one that was just started assembles.

Lists, lines, token counts and predictions are cached between calls. Whatever is written, archived,
resolved or taken away from a reader in between, both give every reader the same context.
"""

from random import Random
from typing import Any

import pytest

from recollect.engine import Recollect
from tests.stores import StoreMaker

KINDS = ("decision", "preference", "pattern", "gotcha", "error_pattern", "episode", "fact")
NOUNS = ("ledger", "parser", "banner", "socket", "invoice", "cursor", "worker", "digest")
READERS = ("ada", "bob", "lis", "eve")


class World:
    """Random changes to one space, and random questions about it."""

    def __init__(self, memory: Recollect, chance: Random) -> None:
        self._memory, self._chance, self._kept = memory, chance, list[str]()
        self._listed = False
        for user in READERS[1:3]:
            memory.add_member(user, "member")
        memory.open_stream("board", access="private")

    def change(self) -> None:
        """One change, of a kind drawn by chance."""
        chance = self._chance
        kind = chance.choice(
            ("remember", "remember", "remember", "told", "archive", "pin", "admit")
        )
        if kind == "remember" or not self._kept:
            self._remember()
        elif kind == "told":
            said = self._memory.record(f"The {chance.choice(NOUNS)} is secret.", stream="board")
            self._remember(events=[said.id])
        elif kind == "archive":
            self._memory.forget(self._kept.pop(chance.randrange(len(self._kept))))
        elif kind == "pin":
            self._memory.update(chance.choice(self._kept), pinned=True)
        elif self._listed:
            self._memory.dismiss("board", "lis")
            self._listed = False
        else:
            self._memory.admit("board", "lis")
            self._listed = True

    def signals(self) -> dict[str, Any]:
        """What a reader works on; some of it is asked again and again."""
        chance = self._chance
        one, other = chance.sample(NOUNS, 2)
        drawn = {
            "current_file": f"src/{one}/{other}.py",
            "task": f"mend the {one} of the {other}",
            "recent_errors": [f"KeyError: {one} of the {other} was closed"],
            "branch": f"feature/{one}-{other}",
            "activity": chance.choice(("coding", "debugging")),
        }
        return {name: drawn[name] for name in drawn if chance.random() < 0.6}

    def _remember(self, **more: Any) -> None:
        chance = self._chance
        one, other = chance.sample(NOUNS, 2)
        by = self._memory.within(user=chance.choice(READERS[:3]))
        kept = (self._memory if more else by).remember(
            f"The {one} keeps {chance.randrange(9)} of the {other} open.",
            type=chance.choice(KINDS),
            files=[f"src/{one}/{other}.py"],
            modules=[f"src/{one}"],
            visibility=chance.choice((None, None, "personal")),
            importance=chance.random(),
            repeats="keep",
            **more,
        )
        if kept.provenance.created_by == "ada":
            self._kept.append(kept.id)


@pytest.mark.parametrize("seed", range(3))
def test_a_process_that_lives_on_assembles_what_a_new_one_does(
    stores: StoreMaker, seed: int
) -> None:
    chance = Random(seed)
    address = stores.ready()
    lasting = stores.open(address)
    world = World(lasting, chance)
    asked: list[tuple[str, int, dict[str, Any]]] = []
    for _ in range(6):
        for _ in range(chance.randrange(1, 6)):
            world.change()
        lasting.work(30)
        asked.append(
            (chance.choice(READERS), chance.choice((0, 60, 400, 2_000, 8_000)), world.signals())
        )
        fresh = stores.open(address)
        for user, budget, signals in asked[-4:]:  # the last ones again, and a new one
            made = [
                memory.within(user=user).assemble(budget, signals) for memory in (lasting, fresh)
            ]
            assert made[0] == made[1]
            assert made[0].token_count <= budget
        fresh.close()
