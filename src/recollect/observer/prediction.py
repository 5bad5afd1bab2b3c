"""Which files a session will touch, from the first it touched and what its user asked for.

Each known file gets nine figures from earlier sessions, commits and names, and four more when the
prompt is known; their weighted sum ranks. The weights were fitted in time order on real sessions
(``benchmarks/file_weights.py``) and are data beside this file.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files as package_files
from typing import Final

from recollect.observer.history import History
from recollect.observer.names import base, likeness, nearness, stem, stem_words, twins, words

FEATURES: Final = ("walk", "follows", "twin", "name", "near", "hours", "commits", "uses", "used_by")
PROMPT_FEATURES: Final = ("named", "spoken", "stem", "asked")

_WALK: Final = 4
_ON: Final = 0.6
_RARE: Final = 3
_WALKED_COMMIT: Final = 30

Figures = dict[str, float]
Groups = list[tuple[float, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Predicted:
    """A file that is likely to be touched, its score, and what spoke for it most."""

    path: str
    score: float
    reason: str


@lru_cache(maxsize=2)
def weights(prompted: bool) -> Mapping[str, float]:
    """The fitted weights."""
    text = package_files("recollect.observer").joinpath("file_weights.json").read_text("utf-8")
    return {
        str(name): float(value)
        for name, value in json.loads(text)["prompt" if prompted else "files"].items()
    }


def predict(
    history: History,
    seeds: Sequence[str],
    now: datetime,
    prompt: str = "",
    *,
    limit: int = 10,
) -> list[Predicted]:
    """The files most likely to be touched next, best first; those already touched are left out."""
    table = figures(history, seeds, now, prompt)
    chosen = weights(bool(prompt))
    score = {
        path: sum(chosen[name] * value for name, value in row.items())
        for path, row in table.items()
    }
    best = sorted(score, key=lambda path: (-score[path], path))[:limit]
    return [
        Predicted(
            path,
            round(score[path], 4),
            max(table[path], key=lambda name, row=table[path]: chosen[name] * row[name]),  # type: ignore[misc]
        )
        for path in best
    ]


def figures(
    history: History, seeds: Sequence[str], now: datetime, prompt: str = ""
) -> dict[str, Figures]:
    """Every candidate with its figures, each from 0 to 1."""
    candidates = history.files().difference(seeds)
    columns: dict[str, Callable[[str], float]] = {
        "walk": _scaled(_walk(history, seeds), root=True),
        "follows": _scaled(_follows(history, seeds)),
        "twin": lambda path: float(any(twins(path, seed) for seed in seeds)),
        "name": lambda path: max((likeness(path, seed) for seed in seeds), default=0.0),
        "near": lambda path: max((nearness(path, seed) for seed in seeds), default=0.0),
        "hours": _recent(history.touched_at, now, 6.0),
        "commits": _recent(history.committed_at, now, 48.0),
        "uses": _scaled(_uses(history, seeds)),
        "used_by": _scaled(_used_by(history, seeds)),
    }
    if prompt:
        columns |= _prompted(history, prompt)
    return {
        path: {name: figure(path) for name, figure in columns.items()}
        for path in sorted(candidates)
    }


def _walk(history: History, seeds: Sequence[str]) -> Figures:
    """How often a walk from the seeds, through sessions and commits, comes by each file."""
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
    """One step from where the walk stands, through each group to its other members."""
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


def _follows(history: History, seeds: Sequence[str]) -> Figures:
    """How soon after a seed, or before it, a file came in sessions; newer sessions count more."""
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


def _uses(history: History, seeds: Sequence[str]) -> Figures:
    """Files that define what the seeds mention; a name that few define says more."""
    spoken = [sketch.mentions for seed in seeds if (sketch := history.sketches.get(seed))]
    known = len(history.sketches) + 1
    return {
        path: math.log1p(
            sum(
                math.log(1 + known / history.definers[name])
                for mentions in spoken
                for name in sketch.defines & mentions
                if history.definers[name] <= _RARE
            )
        )
        for path, sketch in history.sketches.items()
        if path not in seeds
    }


def _used_by(history: History, seeds: Sequence[str]) -> Figures:
    """Files that mention what the seeds define."""
    known = len(history.sketches) + 1
    defined = {
        name: math.log(1 + known / history.definers[name])
        for seed in seeds
        if seed in history.sketches
        for name in history.sketches[seed].defines
        if history.definers[name] <= _RARE
    }
    return {
        path: math.log1p(sum(defined[name] for name in sketch.mentions & defined.keys()))
        for path, sketch in history.sketches.items()
        if path not in seeds
    }


def _prompted(history: History, prompt: str) -> dict[str, Callable[[str], float]]:
    lowered = prompt.lower()
    asked = frozenset(words(prompt))

    def named(path: str) -> float:
        name = base(path).lower()
        return float(len(name) > 4 and name in lowered)

    def spoken(path: str) -> float:
        if named(path):
            return 1.0
        plain = stem(path).lower()
        if len(plain) <= 5 or plain not in lowered:
            return 0.0
        return 0.5 if re.search(rf"\b{re.escape(plain)}\b", lowered) else 0.0

    def stemmed(path: str) -> float:
        own = stem_words(path)
        return len(own & asked) / len(own) if own else 0.0

    return {
        "named": named,
        "spoken": spoken,
        "stem": stemmed,
        "asked": _scaled(_asked(history, asked)),
    }


def _asked(history: History, asked: frozenset[str]) -> Figures:
    """Files of earlier sessions whose users wrote with the same words."""
    touched: dict[str, dict[str, int]] = {}
    for past in history.sessions.values():
        for path in past.files:
            counts = touched.setdefault(path, {})
            for word in past.words:
                counts[word] = counts.get(word, 0) + 1
    spread: dict[str, int] = {}
    for counts in touched.values():
        for word in counts:
            spread[word] = spread.get(word, 0) + 1
    rarity = {
        word: math.log(1 + len(touched) / (1 + spread[word])) for word in asked if word in spread
    }
    return {
        path: sum(rarity[word] * min(3, counts[word]) for word in rarity.keys() & counts.keys())
        / (5 + math.sqrt(len(counts)))
        for path, counts in touched.items()
    }


def _recent(
    times: Mapping[str, datetime], now: datetime, half_life: float
) -> Callable[[str], float]:
    def figure(path: str) -> float:
        at = times.get(path)
        if at is None:
            return 0.0
        hours = max(0.0, (now - at).total_seconds() / 3600)
        return float(0.5 ** (hours / half_life))

    return figure


def _scaled(found: Figures, *, root: bool = False) -> Callable[[str], float]:
    """Figures from 0 to 1, by the largest of them."""
    values = {path: math.sqrt(value) for path, value in found.items()} if root else found
    most = max(values.values(), default=0.0)
    if not most:
        return lambda _: 0.0
    return lambda path: values.get(path, 0.0) / most
