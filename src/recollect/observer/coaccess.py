"""Pairs of files used together, with weight, order and time distance.

A pair is kept once, its names in order; ``forward`` counts how often the first name came first.
Sessions and commits are counted separately, so that a history without sessions is already useful.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from recollect.observer.facts import SessionFacts
from recollect.storage.agents.observations import Pair

FILES: Final = 30
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


def is_directional(pair: Pair) -> bool:
    """Whether one of the two files nearly always comes first."""
    return pair.times >= 3 and not 0.2 < pair.forward / pair.times < 0.8


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
