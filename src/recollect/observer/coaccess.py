"""Pairs of files used together, with weight, order and time distance.

A pair is kept once, its names in order; ``forward`` counts how often the first name came first.
Sessions and commits are counted separately, so that a history without sessions is already useful.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from recollect.observer.facts import SessionFacts
from recollect.storage.agents import observations
from recollect.storage.agents.observations import Pair
from recollect.storage.database import Transaction

FILES: Final = 30
#: Weight above which two files are linked, and above which one of them needs the other.
LINKED: Final = 0.6
NEEDED: Final = 0.7
LARGEST_COMMIT: Final = 30
SESSION: Final = "session"
GIT: Final = "git"


def session_pairs(facts: SessionFacts) -> list[Pair]:
    """Pairs of one session; files touched close to each other weigh more."""
    return list(_pairs(facts))


def commit_pairs(at: datetime, files: Sequence[str]) -> list[Pair]:
    """Pairs of one commit; a large commit weighs little and a very large one nothing."""
    paths = sorted(set(files))
    if not 1 < len(paths) <= LARGEST_COMMIT:
        return []
    return [
        Pair(first, second, GIT, 1 / len(paths), 1, 0, 0.0, at)
        for place, first in enumerate(paths)
        for second in paths[place + 1 :]
    ]


@dataclass(frozen=True, slots=True)
class CoAccess:
    """Two files that are used together, with how strongly from 0 to 1.

    The weight is the share of sessions (or commits) with either file that have both, less where few
    were seen: two of two are 0.67, three of three 0.75, seven of seven 0.88. ``forward`` counts how
    often ``first`` came first.
    """

    first: str
    second: str
    source: str
    weight: float
    times: int
    forward: int
    seconds: float
    last_at: datetime
    #: Number of sessions by their type, as far as they are remembered.
    task_type_breakdown: Mapping[str, int] = field(default_factory=dict)

    @property
    def directional(self) -> bool:
        """Whether one of the two files nearly always comes first."""
        return is_directional(self)

    @property
    def order(self) -> tuple[str, str]:
        """The two files, the one that comes first more often ahead."""
        ahead = self.source != SESSION or self.forward * 2 >= self.times
        return (self.first, self.second) if ahead else (self.second, self.first)


def is_directional(pair: Pair | CoAccess) -> bool:
    """Whether one of the two files nearly always comes first."""
    return pair.source == SESSION and pair.times >= 3 and not 0.2 < pair.forward / pair.times < 0.8


def weight_of(pair: Pair, most: Mapping[str, int]) -> float:
    """Weight of a pair from 0 to 1, given how often each file was seen with any other."""
    seen = max(pair.times, most.get(pair.first, 0), most.get(pair.second, 0))
    return round(pair.times / seen * pair.times / (pair.times + 1), 4)


def weighed(transaction: Transaction, space_id: str, pairs: Sequence[Pair]) -> list[CoAccess]:
    """Pairs with their weights, strongest first."""
    found: list[CoAccess] = []
    for source in dict.fromkeys(pair.source for pair in pairs):
        mine = [pair for pair in pairs if pair.source == source]
        names = sorted({name for pair in mine for name in (pair.first, pair.second)})
        most = observations.max_pair_counts(transaction, space_id, names, source)
        found += [CoAccess(**(one._asdict() | {"weight": weight_of(one, most)})) for one in mine]
    return sorted(found, key=lambda one: (-one.weight, -one.times, one.first, one.second))


def merged(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs without duplicates, their figures added up."""
    found: dict[tuple[str, str, str], Pair] = {}
    for pair in pairs:
        key = (pair.first, pair.second, pair.source)
        known = found.get(key)
        if known is None:
            found[key] = pair
            continue
        times = known.times + pair.times
        found[key] = pair._replace(
            weight=known.weight + pair.weight,
            times=times,
            forward=known.forward + pair.forward,
            seconds=(known.seconds * known.times + pair.seconds * pair.times) / times,
            last_at=max(known.last_at, pair.last_at),
        )
    return list(found.values())


def _pairs(facts: SessionFacts) -> Iterator[Pair]:
    files = facts.files[:FILES]
    for place, earlier in enumerate(files):
        for distance, later in enumerate(files[place + 1 :], 1):
            first, second = sorted((earlier.path, later.path))
            yield Pair(
                first,
                second,
                SESSION,
                1 / (1 + distance),
                1,
                int(first == earlier.path),
                max(0.0, later.first_at - earlier.first_at),
                facts.started_at,
            )
