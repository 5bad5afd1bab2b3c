"""Random walks from the first files of a session through files used together before.

A walk passes from a file to those that shared sessions and commits with it, and on from there;
files that came right after or right before a file are counted separately.
"""

import math
from collections.abc import Sequence
from typing import Final

from recollect.observer.history import History

_WALK: Final = 4
_ON: Final = 0.6
_WALKED_COMMIT: Final = 30

Figures = dict[str, float]
Groups = list[tuple[float, Sequence[str]]]


def walked(history: History, seeds: Sequence[str]) -> Figures:
    """Expected number of visits of a walk from the seeds, through sessions and commits, to each
    file."""
    newest = len(history.sessions) - 1
    sessions: Groups = [
        (0.5 ** ((newest - place) / 60) / math.log2(1 + len(past.files)), tuple(past.files))
        for place, past in enumerate(history.sessions.values())
        if len(past.files) > 1
    ]
    commits: Groups = [
        (1 / len(changed), changed)
        for _, changed in history.commits
        if 1 < len(changed) <= _WALKED_COMMIT
    ]
    degrees = [(groups, _degrees(groups)) for groups in (sessions, commits)]
    standing: Figures = {seed: 1 / len(seeds) for seed in seeds}
    passed: Figures = {}
    for _ in range(_WALK):
        further: Figures = {}
        for groups, degree in degrees:
            _step(groups, degree, standing, further)
        standing = further
        for path, value in standing.items():
            passed[path] = passed.get(path, 0.0) + value
    return passed


def _step(groups: Groups, degree: Figures, standing: Figures, further: Figures) -> None:
    """One step of the walk from its current files, through each group to its other members."""
    leaving = {
        path: _ON * 0.5 * value / (degree[path] + 0.5)
        for path, value in standing.items()
        if path in degree
    }
    for weight, members in groups:
        inside = sum(leaving.get(path, 0.0) for path in members)
        if inside:
            for path in members:
                gain = weight * (inside - leaving.get(path, 0.0))
                further[path] = further.get(path, 0.0) + gain


def _degrees(groups: Groups) -> Figures:
    degree: Figures = {}
    for weight, members in groups:
        for path in members:
            degree[path] = degree.get(path, 0.0) + weight * (len(members) - 1)
    return degree


def following(history: History, seeds: Sequence[str]) -> Figures:
    """Closeness of a file after or before a seed in sessions; newer sessions weigh more."""
    newest = len(history.sessions) - 1
    found: Figures = {}
    for place, past in enumerate(history.sessions.values()):
        recent = 0.5 ** ((newest - place) / 40)
        for seed in seeds:
            start = past.files.get(seed)
            if start is None:
                continue
            for path, position in past.files.items():
                after = 1.0 if position > start else 0.3
                gain = after * recent / (abs(position - start) + 1)
                found[path] = found.get(path, 0.0) + gain
    for seed in seeds:
        found.pop(seed, None)
    return found
