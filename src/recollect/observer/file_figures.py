"""Features from 0 to 1 for each known file at the start of a session, for predicting its files.

The features come from earlier sessions, commits and names; there are more of them if the first
files, the prompt or the branch are known. ``prediction.py`` weights them.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.observer.history import History
from recollect.observer.names import (
    base,
    likeness,
    nearness,
    path_words,
    stem,
    stem_words,
    twins,
    words,
)
from recollect.observer.walks import Figures, following, walked

_RARE: Final = 3
#: Common base branches, which say nothing about the work.
_COMMON_BRANCHES: Final = frozenset(
    {"", "head", "main", "master", "trunk", "develop", "development", "dev"}
)

Column = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Beginning:
    """Known facts at the start of a session: first files, prompt, branch and time."""

    at: datetime
    seeds: tuple[str, ...] = ()
    prompt: str = ""
    branch: str = ""


def figures(history: History, beginning: Beginning) -> dict[str, Figures]:
    """Features of every candidate file; files that were touched already are excluded."""
    columns = _always(history, beginning)
    if beginning.seeds:
        columns |= _seeded(history, beginning.seeds)
    if beginning.prompt:
        columns |= _prompted(history, beginning.prompt)
    return {
        path: {name: figure(path) for name, figure in columns.items()}
        for path in sorted(history.files().difference(beginning.seeds))
    }


def _always(history: History, beginning: Beginning) -> dict[str, Column]:
    branch = "" if beginning.branch.lower() in _COMMON_BRANCHES else beginning.branch
    return {
        "hours": _recent(history.touched_at, beginning.at, 6.0),
        "commits": _recent(history.committed_at, beginning.at, 48.0),
        "often": _scaled(_often(history), root=True),
        "branch": _scaled(_on_branch(history, branch, beginning.at)),
        "branch_name": _scaled(_named_like(history, branch)),
    }


def _seeded(history: History, seeds: Sequence[str]) -> dict[str, Column]:
    stems = {stem(seed) for seed in seeds}
    return {
        "walk": _scaled(walked(history, seeds), root=True),
        "follows": _scaled(following(history, seeds)),
        "twin": lambda path: float(any(twins(path, seed) for seed in seeds)),
        "namesake": lambda path: float(stem(path) in stems),
        "name": lambda path: max(likeness(path, seed) for seed in seeds),
        "near": lambda path: max(nearness(path, seed) for seed in seeds),
        "uses": _scaled(_uses(history, seeds)),
        "used_by": _scaled(_used_by(history, seeds)),
    }


def _often(history: History) -> Figures:
    """Number of sessions that touched a file; newer sessions weigh more."""
    newest = len(history.sessions) - 1
    found: Figures = {}
    for place, past in enumerate(history.sessions.values()):
        for path in past.files:
            found[path] = found.get(path, 0.0) + 0.5 ** ((newest - place) / 40)
    return found


def _on_branch(history: History, branch: str, now: datetime) -> Figures:
    """Files of earlier sessions on the same branch; edited files count double."""
    found: Figures = {}
    for past in history.sessions.values() if branch else ():
        if branch in past.branches:
            recent = 0.5 ** (_hours(past.last_at, now) / 72)
            for path in past.files:
                gain = recent * (1.0 if path in past.edited else 0.5)
                found[path] = found.get(path, 0.0) + gain
    return found


def _named_like(history: History, branch: str) -> Figures:
    """Files whose path contains words of the branch name; rare words weigh more."""
    asked = frozenset(words(branch.rpartition("/")[2]))
    paths = history.files() if asked else set()
    spread: dict[str, int] = {}
    for path in paths:
        for word in path_words(path) & asked:
            spread[word] = spread.get(word, 0) + 1
    return {
        path: sum(math.log(1 + len(paths) / spread[word]) for word in path_words(path) & asked)
        for path in paths
    }


def _uses(history: History, seeds: Sequence[str]) -> Figures:
    """Files that define names which the seeds mention; names with few definitions weigh more."""
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
    """Files that mention names which the seeds define."""
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


def _prompted(history: History, prompt: str) -> dict[str, Column]:
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
    """Files of earlier sessions whose prompts share words with this one."""
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


def _recent(times: Mapping[str, datetime], now: datetime, half_life: float) -> Column:
    def figure(path: str) -> float:
        at = times.get(path)
        if at is None:
            return 0.0
        return float(0.5 ** (_hours(at, now) / half_life))

    return figure


def _scaled(found: Figures, *, root: bool = False) -> Column:
    """Values scaled to 0 to 1 by the largest."""
    values = {path: math.sqrt(value) for path, value in found.items()} if root else found
    most = max(values.values(), default=0.0)
    if not most:
        return lambda _: 0.0
    return lambda path: values.get(path, 0.0) / most


def _hours(at: datetime, now: datetime) -> float:
    return max(0.0, (now - at).total_seconds() / 3600)
