"""Fits the figures by which research tells an answer from a near miss.

``python -m benchmarks.fit_research FILE [CHATS ...]`` takes a LoCoMo file. Questions of categories
1 to 4 have an answer, those of category 5 have none: most of them ask of one speaker what the other
said. For questions about nobody who speaks, the same questions are asked without their names: they
have an answer in their own conversation and none in the next one; further files in the form of
``bench chat`` add to these. Both are fitted with each conversation left out in turn, which says
what the figures are worth on one that they never saw, and then on all.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import recollect
from recollect.engine import Recollect
from recollect.recall.profiles import profile_of
from recollect.research.evidence import (
    EvidenceFeatures,
    EvidenceWeights,
    measured,
    people_asked_about,
    without_names,
)
from recollect.research.questions import read
from recollect.research.replies import evidence_in
from recollect.research.topic_speakers import FoundPassage
from recollect.surfaces.cli.bench.measure import import_turns
from recollect.surfaces.cli.bench.sets import Conversation, read_any, read_locomo
from recollect.vocabulary.events import Event
from recollect.vocabulary.results import Filters

Array = NDArray[np.float64]
NAMES = EvidenceWeights._fields[:-1]
EVERY = 3  # of the questions without names


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
    return measured(read(text), people, evidence_in(read(text), by_question, {}), nameless, lexicon)


class Rows(NamedTuple):
    """Features, whether there is an answer, and which conversation it was asked of."""

    given: Array
    known: Array
    home: Array


def rows(judged: list[Conversation], more: list[Conversation]) -> tuple[Rows, Rows]:
    """Questions about a speaker, and questions about nobody who speaks; ``more`` conversations add
    to the second only, as all of their questions have an answer.
    """
    conversations = [*judged, *more]
    told: dict[bool, list[tuple[list[float], float, int]]] = {True: [], False: []}

    def add(
        view: Recollect, text: str, answered: bool, number: int, *, of_nobody: bool = False
    ) -> None:
        one = features(view, text)
        line = [getattr(one, name) for name in NAMES]
        if not (of_nobody and one.named):  # a name that was not taken out
            told[bool(one.named)].append((line, float(answered), number))

    with (
        TemporaryDirectory() as folder,
        recollect.open(Path(folder) / "fit.db", space="fit", worker=False) as memory,
    ):
        for number, one in enumerate(conversations):
            view = memory.within(space=f"fit {number}")
            import_turns(view, one, Path(folder) / f"{number}.jsonl")
            for asked in one.questions if number < len(judged) else ():
                add(view, asked.text, asked.counted, number)
            for text in bare(one):
                add(view, text, True, number, of_nobody=True)
            for text in bare(conversations[(number + 1) % len(conversations)]):
                add(view, text, False, number, of_nobody=True)
    return gathered(told[True]), gathered(told[False])


def bare(one: Conversation) -> list[str]:
    """Questions of a conversation that have an answer, without the names of its speakers."""
    speakers = {part for turn in one.turns for part in (turn.speaker, turn.speaker.split()[0])}
    names = "|".join(rf"\b{re.escape(name)}(?:'s)?" for name in sorted(speakers, key=len)[::-1])
    return [re.sub(names, "", asked.text) for asked in one.questions if asked.counted][::EVERY]


def gathered(told: list[tuple[list[float], float, int]]) -> Rows:
    given, known, home = zip(*told, strict=True)
    return Rows(np.array(given), np.array(known), np.array(home))


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


def report(some: Rows) -> dict[str, Any]:
    """What the figures are worth on conversations left out, and the figures of all."""
    given, known, home = some
    share = np.where(known == 1, known.mean(), 1 - known.mean())
    weight = 0.5 / share
    said = np.zeros(len(known))
    told: dict[str, Any] = {"questions": len(known), "answered": int(known.sum())}
    for one in np.unique(home):
        inside = home != one
        theta = fitted(given[inside], known[inside], weight[inside])
        said[~inside] = (np.c_[given, np.ones(len(given))] @ theta)[~inside] > 0
        told[f"left out {one}"] = round(balanced(known[~inside], said[~inside]), 3)
    told["all left out"] = round(balanced(known, said), 3)
    theta = fitted(given, known, weight)
    told["weights"] = dict(zip(EvidenceWeights._fields, np.round(theta, 2).tolist(), strict=True))
    return told


def main(path: str, *chats: str) -> None:
    more = [one for chat in chats for one in read_any(Path(chat))]
    speaker, others = rows(read_locomo(Path(path)), more)
    print(json.dumps({"about a speaker": report(speaker), "others": report(others)}, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
