"""What an attack is: a number, a sentence, the stores it is tried on, and a function.

The function does what an attacker or an unlucky user would do, and raises ``Broke`` with what it
got if it got anything. Returning means that the product held.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchmarks.attack.target import Target

SQLITE: Final = ("sqlite",)
POSTGRES: Final = ("postgres",)
BOTH: Final = ("sqlite", "postgres")


class Broke(Exception):
    """The attack succeeded: the message says what was seen."""


@dataclass(frozen=True)
class Attack:
    """One attack. ``number`` groups those that belong together in a report."""

    number: int
    name: str
    stores: tuple[str, ...]
    run: Callable[[Target], None]


ATTACKS: Final[list[Attack]] = []


def attack(
    number: int, name: str, *, stores: tuple[str, ...] = BOTH
) -> Callable[[Callable[[Target], None]], Callable[[Target], None]]:
    """Add a function to the list of attacks."""

    def add(function: Callable[[Target], None]) -> Callable[[Target], None]:
        ATTACKS.append(Attack(number, name, stores, function))
        return function

    return add


def expect(held: bool, seen: object) -> None:
    """The product held, or the attack broke it and this is what was seen."""
    if not held:
        raise Broke(str(seen)[:300])
