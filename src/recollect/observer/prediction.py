"""Predicts the files a session will touch, by weighting the features of ``file_figures.py``.

There are three sets of weights, depending on what is known at the time: the first files, the
prompt, or both. They were fitted in chronological order on real sessions
(``benchmarks/file_weights.py``) and are stored as data beside this file.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files as package_files
from typing import Final

from recollect.observer.file_figures import Beginning, figures
from recollect.observer.history import History

#: Features of each set of weights. With both files and prompt known, the frequency of a file adds
#: nothing.
ALWAYS: Final = ("hours", "commits", "branch", "branch_name")
SEEDED: Final = ("walk", "follows", "twin", "namesake", "name", "near", "uses", "used_by")
PROMPTED: Final = ("named", "spoken", "stem", "asked")
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "files": (*SEEDED, *ALWAYS, "often"),
    "prompt": (*ALWAYS, "often", *PROMPTED),
    "both": (*SEEDED, *ALWAYS, *PROMPTED),
}
#: Features that hold for any work: how often and how lately a file was touched.
OF_ANY_WORK: Final = frozenset({"hours", "commits", "often"})
#: Least bearing of a file that is told.
BEARING: Final = 2.5


@dataclass(frozen=True, slots=True)
class Predicted:
    """A file likely to be touched, its score, and its strongest feature."""

    path: str
    score: float
    reason: str
    #: How much of the score speaks of this work: not that the file is touched often or lately.
    bearing: float = 0.0
    #: Whether the prompt names it.
    named: bool = False

    @property
    def is_told(self) -> bool:
        """Whether it is near enough to the work at hand to be told unasked: at this bar 44 % of the
        files were needed, below it 23 %, and by their names 76 %."""
        return self.named or self.bearing >= BEARING


@lru_cache(maxsize=4)
def weights(name: str) -> Mapping[str, float]:
    """Fitted weights of a set."""
    text = package_files("recollect.observer").joinpath("file_weights.json").read_text("utf-8")
    return {str(name): float(value) for name, value in json.loads(text)[name].items()}


def predict(
    history: History,
    seeds: Sequence[str],
    now: datetime,
    prompt: str = "",
    *,
    branch: str = "",
    limit: int = 10,
) -> list[Predicted]:
    """Files most likely to be touched next, best first, without those already touched."""
    table = figures(history, Beginning(now, tuple(seeds), prompt, branch))
    chosen = weights(("both" if prompt else "files") if seeds else "prompt")
    score = {
        path: sum(weight * row.get(name, 0.0) for name, weight in chosen.items())
        for path, row in table.items()
    }
    best = sorted(score, key=lambda path: (-score[path], path))[:limit]
    return [
        Predicted(
            path,
            round(score[path], 4),
            max(chosen, key=lambda name, row=table[path]: chosen[name] * row.get(name, 0)),  # type: ignore[misc]
            _bearing(chosen, table[path]),
            table[path].get("named", 0.0) > 0,
        )
        for path in best
    ]


def _bearing(chosen: Mapping[str, float], row: Mapping[str, float]) -> float:
    return sum(
        weight * row.get(name, 0.0) for name, weight in chosen.items() if name not in OF_ANY_WORK
    )
