"""Fits the figures by which research tells an answer from a near miss.

``python -m benchmarks.fit_research FILE`` takes a LoCoMo file. Questions of categories 1 to 4 have
an answer, those of category 5 have none. So that questions about nobody in particular are judged
too, questions of each conversation are also put to the next one, without their names: they have no
answer there. The figures are fitted with each conversation left out in turn, which says what they
are worth on one that they never saw, and then on all.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import recollect
from recollect.engine import Recollect
from recollect.recall.profiles import profile_of
from recollect.research.evidence import (
    EvidenceFeatures,
    FoundPassage,
    measured,
    people_asked_about,
    without_names,
)
from recollect.research.questions import read
from recollect.surfaces.cli.bench.measure import import_turns
from recollect.surfaces.cli.bench.sets import Conversation, read_locomo
from recollect.vocabulary.events import Event
from recollect.vocabulary.results import Filters

Array = NDArray[np.float64]
NAMES = tuple(EvidenceFeatures.__dataclass_fields__)
EVERY = 3


def found(view: Recollect, query: str) -> list[FoundPassage]:
    answer = view._services.recall.search(
        view.viewer,
        view.space,
        query,
        kinds=("event",),
        filters=Filters(),
        limit=10,
        profile=profile_of("workspace"),
    )
    return [FoundPassage(hit.item, hit.score) for hit in answer if isinstance(hit.item, Event)]


def features(view: Recollect, text: str) -> EvidenceFeatures:
    by_question = found(view, text)
    people = people_asked_about(text, {one.event.author for one in by_question})
    nameless = found(view, without_names(text, people)) if len(people) == 1 else []
    lexicon = view._services.recall._indexer.lexicon
    return measured(read(text), people, by_question, nameless, lexicon)


def rows(conversations: list[Conversation]) -> tuple[Array, Array, Array, Array]:
    """Features, whether there is an answer, which conversation, and whether it is another's."""
    told: list[list[float]] = []
    known: list[float] = []
    home: list[int] = []
    foreign: list[float] = []

    def add(view: Recollect, text: str, answered: bool, number: int, strange: bool) -> None:
        one = features(view, text)
        told.append([getattr(one, name) for name in NAMES])
        known.append(float(answered))
        home.append(number)
        foreign.append(float(strange))

    with TemporaryDirectory() as folder, recollect.open(
        Path(folder) / "fit.db", space="fit", worker=False
    ) as memory:
        for number, one in enumerate(conversations):
            view = memory.within(space=f"fit {number}")
            import_turns(view, one, Path(folder) / f"{number}.jsonl")
            for asked in one.questions:
                add(view, asked.text, asked.counted, number, False)
            other = conversations[(number + 1) % len(conversations)]
            names = {turn.speaker for turn in other.turns}
            for asked in other.questions[::EVERY]:
                bare = re.sub("|".join(rf"\b{re.escape(name)}(?:'s)?" for name in names), "", asked.text)
                add(view, bare, False, number, True)
    return np.array(told), np.array(known), np.array(home), np.array(foreign)


def fitted(given: Array, known: Array, weight: Array, penalty: float = 1.0) -> Array:
    """Weights of a logistic regression, the last one its bias."""
    full = np.c_[given, np.ones(len(given))]
    theta = np.zeros(full.shape[1])
    ridge = np.eye(full.shape[1]) * penalty
    ridge[-1, -1] = 1e-6
    for _ in range(60):
        chance = 1 / (1 + np.exp(-full @ theta))
        slope = full.T @ (weight * (chance - known)) + ridge @ theta
        bend = (full * (weight * chance * (1 - chance))[:, None]).T @ full + ridge
        theta = theta - np.linalg.solve(bend, slope)
    return np.asarray(theta)


def balanced(known: Array, said: Array) -> float:
    return float((said[known == 1].mean() + (1 - said[known == 0]).mean()) / 2)


def weights_for(known: Array, foreign: Array) -> Array:
    """Both answers count alike; of those without one, both kinds count alike."""
    weight = np.ones(len(known))
    for chosen in (known == 1, (known == 0) & (foreign == 0), (known == 0) & (foreign == 1)):
        share = 0.5 if known[chosen].any() else 0.25
        weight[chosen] = share * len(known) / max(1, chosen.sum())
    return weight


def main(path: str) -> None:
    given, known, home, foreign = rows(read_locomo(Path(path)))
    weight = weights_for(known, foreign)
    report: dict[str, Any] = {}
    said = np.zeros(len(known))
    for one in np.unique(home):
        inside = home != one
        theta = fitted(given[inside], known[inside], weight[inside])
        said[home == one] = (np.c_[given, np.ones(len(given))] @ theta)[home == one] > 0
        own = (home == one) & (foreign == 0)
        report[f"left out {one}"] = round(balanced(known[own], said[own]), 3)
    own = foreign == 0
    report["own questions"] = round(balanced(known[own], said[own]), 3)
    report["answers to another's questions"] = round(float(said[foreign == 1].mean()), 3)
    theta = fitted(given, known, weight)
    report["weights"] = dict(zip((*NAMES, "bias"), np.round(theta, 2).tolist(), strict=True))
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(sys.argv[1])
