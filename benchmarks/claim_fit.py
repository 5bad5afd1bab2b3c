"""Fits the weights of ``observer/claim_score.py`` and ``observer/signals/reader_score.py``.

python -m benchmarks.claim_fit TRANSCRIPTS --labels FILE --verdicts FILE --lessons FILE [--write]

Each file has one JSON object per line. Labels: session, event, sentence, and a label from 0 to 1.
Verdicts of readers on promoted memories: session, content, events, signal, verdict, why, best (the
numbers of the sentences that carry the lesson), best_worth, ideal. Lessons: session, lesson. A
sentence also counts as a claim when it is among the nearest in words to a lesson, or to what a
reader would have written. What is printed is measured with sessions left out.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer import claim_score
from recollect.observer.names import words as words_of
from recollect.observer.observer import Observer
from recollect.observer.signals import reader_score
from recollect.observer.signals.claims import Claim, spoken_in
from recollect.observer.signals.telling import states
from recollect.observer.signals.turn_candidates import annotated

FOLDS = 10
CLAIM_RIDGE = 8.0
READER_RIDGE = 30.0
WEIGHTS = {"labelled": 2.0, "judged": 1.0, "nearest": 0.5}
#: Measures of likeness to a lesson (F1 of content words), ranks, and the labels that follow.
NEAR = ((0.40, 6, 1.0), (0.32, 10, 0.5), (0.30, 10_000, 0.25))
_QUOTED = re.compile(r"“[^”]*”|`[^`]*`")
_UNIT = re.compile(
    r"(?<=[.!?])\s+(?=\S)|(?<=\x01)\s+(?=Found:|Before the|Then:|Changed|Since|Committed)"
)
_LABEL = re.compile(r"^(?:Before the change:|Since then:|Found:)\s*")

Matrix = NDArray[np.float64]


class Row(NamedTuple):
    """Features with a label, the session that must not be split, and where the label is from."""

    features: frozenset[str]
    label: float
    session: str
    source: str


class Sentence(NamedTuple):
    """A sentence of an agent with its features."""

    text: str
    event: str
    features: frozenset[str]


def lines(path: Path) -> list[dict[str, Any]]:
    """Objects of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def content_words(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if len(word) > 3)


def likeness(one: Set[str], other: Set[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared > 2 else 0.0


def units(text: str) -> list[str]:
    """Sentences of a memory as a reader counts them: a quotation is never divided."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found.group(0))
        return f"\x00{len(held) - 1}\x01"

    parts = _UNIT.split(_QUOTED.sub(hold, text))
    back = [re.sub(r"\x00(\d+)\x01", lambda one: held[int(one.group(1))], part) for part in parts]
    return [_LABEL.sub("", part) for part in back]


def sentences(turns: Sequence[dict[str, Any]]) -> Iterator[Sentence]:
    """The agent's sentences of a session."""
    for turn in turns:
        about = content_words(f"{turn['words']} {turn['overturns']}")
        for one in turn["stated"]:
            if one.get("repeats") is None and not one.get("taken_back"):
                for _, spoken in spoken_in(turn, one, about):
                    features = claim_score.features_of(spoken)
                    yield Sentence(spoken.text, str(one["event"] or ""), features)


def claim_rows(
    spoken: dict[str, list[Sentence]],
    labels: Sequence[dict[str, Any]],
    verdicts: Sequence[dict[str, Any]],
    lessons: Sequence[tuple[str, str]],
) -> list[Row]:
    """Labelled sentences of the three sources."""
    rows: list[Row] = []
    for one in labels:
        for said in spoken.get(one["session"], ()):
            if said.text == one["sentence"] and said.event == one["event"]:
                rows.append(Row(said.features, one["label"], one["session"], "labelled"))
                break
    for one in verdicts:
        known = {_start(said.text): said for said in reversed(spoken.get(one["session"], []))}
        for number, unit in enumerate(units(one["content"]), 1):
            found = known.get(_start(unit))
            if found is not None:
                rest = 0.15 if one["verdict"] == "worth" else 0.0
                best = 1.0 if one["best_worth"] else 0.4
                label = best if number in one["best"] else rest
                rows.append(Row(found.features, label, one["session"], "judged"))
    by_session: dict[str, list[frozenset[str]]] = {}
    for session, text in lessons:
        by_session.setdefault(session, []).append(content_words(text))
    for session, wanted in by_session.items():
        rows += _nearest(session, spoken.get(session, []), wanted)
    return rows


def _start(text: str) -> str:
    return text.lower().rstrip(".…")[:70]


def _nearest(
    session: str, spoken: Sequence[Sentence], wanted: Sequence[frozenset[str]]
) -> list[Row]:
    if not spoken:
        return []
    words = [content_words(said.text) for said in spoken]
    alike = np.array([[likeness(lesson, own) for own in words] for lesson in wanted])
    ranks = np.argsort(np.argsort(-alike, axis=1), axis=1)
    labels = np.zeros(alike.shape)
    for least, rank, label in NEAR:
        labels = np.maximum(labels, np.where((alike >= least) & (ranks < rank), label, 0.0))
    best = labels.max(axis=0)
    return [
        Row(said.features, float(label), session, "nearest")
        for said, label in zip(spoken, best, strict=True)
    ]


def reader_rows(
    turns: dict[str, list[dict[str, Any]]],
    claims: dict[str, dict[str, list[Claim]]],
    verdicts: Sequence[dict[str, Any]],
) -> list[Row]:
    """Judged turns of users, with what readers said of them."""
    rows: list[Row] = []
    for one in verdicts:
        if one["signal"] not in {"correction", "refusal"} or not one["events"]:
            continue
        session, event = one["session"], one["events"][0]
        turn = next((turn for turn in turns.get(session, ()) if turn["event"] == event), None)
        if turn is not None:
            overtaken = one["why"] in {"overtaken", "option_as_fact"}
            kept = (0.4 if overtaken else 0.7) if one["best_worth"] else 0.0
            label = 1.0 if one["verdict"] == "worth" else kept
            found = reader_score.turn_features(turn, claims[session][event], states=states(turn))
            rows.append(Row(found, label, session, "judged"))
    return rows


def matrix(rows: Sequence[Row], names: Sequence[str]) -> Matrix:
    """A row for each example, a column for each feature, and one for the bias."""
    columns = {name: number for number, name in enumerate(names)}
    found = np.zeros((len(rows), len(names) + 1))
    found[:, -1] = 1.0
    for line, one in zip(found, rows, strict=True):
        for name in one.features & columns.keys():
            line[columns[name]] = 1.0
    return found


def fitted(rows: Matrix, labels: Matrix, ridge: float, weights: Matrix) -> Matrix:
    """Weights of a logistic regression with a ridge."""
    found = np.zeros(rows.shape[1])
    ridges = np.full(rows.shape[1], ridge)
    ridges[-1] = 0.01
    for _ in range(20):
        likely = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (likely - labels)) + ridges * found
        curve = weights * (likely * (1.0 - likely) + 1e-6)
        found = found - np.linalg.solve((rows * curve[:, None]).T @ rows + np.diag(ridges), slope)
    return found


def rank_quality(scores: Matrix, labels: Matrix) -> float:
    """Share of pairs of a good and a bad example that are in the right order."""
    good, bad = scores[labels >= 1.0], scores[labels < 0.2]
    wins = (good[:, None] > bad[None]) + 0.5 * (good[:, None] == bad[None])
    return float(np.mean(wins)) if wins.size else float("nan")


def fit(rows: Sequence[Row], ridge: float, least: int) -> dict[str, float]:
    """Print what sessions that were left out say, and return the weights fitted to all."""
    counts = Counter(name for one in rows for name in one.features)
    names = sorted(name for name, count in counts.items() if count >= least)
    table, labels = matrix(rows, names), np.array([one.label for one in rows])
    weights = np.array([WEIGHTS[one.source] for one in rows])
    order = {name: number % FOLDS for number, name in enumerate(sorted({r.session for r in rows}))}
    folds = np.array([order[one.session] for one in rows])
    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        out = folds == fold
        scores[out] = table[out] @ fitted(table[~out], labels[~out], ridge, weights[~out])
    for source in WEIGHTS:
        mine = np.array([one.source == source for one in rows])
        if mine.any():
            right = rank_quality(scores[mine], labels[mine])
            print(f"{source}: {int(mine.sum())} examples, {right:.3f} of the pairs in order")
    found = fitted(table, labels, ridge, weights)
    return dict(zip([*names, "bias"], map(float, found), strict=True))


def write(place: Path, weights: dict[str, float]) -> None:
    told = [f"{name}\t{weight:.3f}" for name, weight in weights.items()]
    head = "# Fitted by benchmarks/claim_fit.py: feature, weight."
    place.write_text("\n".join([head, *told]) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcripts", type=Path)
    for name in ("labels", "verdicts", "lessons"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    verdicts, lessons = lines(asked.verdicts), lines(asked.lessons)
    gold = [(one["session"], one["lesson"]) for one in lessons]
    gold += [(one["session"], one["ideal"]) for one in verdicts if one["ideal"]]
    labels = lines(asked.labels)
    named = {one["session"] for one in (*labels, *verdicts, *lessons)}
    turns: dict[str, list[dict[str, Any]]] = {}
    for played in sessions_of(acts_of(asked.transcripts)):
        if played.name in named:
            observer = Observer(played.name)
            for act in played.acts:
                observer.observe(act)
            turns[played.name] = annotated(observer.turns())
    spoken = {name: list(sentences(some)) for name, some in turns.items()}
    weights = fit(claim_rows(spoken, labels, verdicts, gold), CLAIM_RIDGE, 10)
    if asked.write:
        write(Path(claim_score.__file__).with_suffix(".tsv"), weights)
    readers = fit(reader_rows(turns, claims_with(turns, weights), verdicts), READER_RIDGE, 5)
    if asked.write:
        write(Path(reader_score.__file__).with_suffix(".tsv"), readers)


def claims_with(
    turns: dict[str, list[dict[str, Any]]], weights: dict[str, float]
) -> dict[str, dict[str, list[Claim]]]:
    """Claims of each turn, scored with the given weights."""
    found: dict[str, dict[str, list[Claim]]] = {}
    for name, some in turns.items():
        mine = found.setdefault(name, {})
        for turn in some:
            claims = mine.setdefault(str(turn["event"]), [])
            about = content_words(f"{turn['words']} {turn['overturns']}")
            for one in turn["stated"]:
                if one.get("repeats") is not None or one.get("taken_back"):
                    continue
                for place, said in spoken_in(turn, one, about):
                    score = sum(weights.get(part, 0.0) for part in claim_score.features_of(said))
                    after = "after_change" in said.situation
                    score += weights["bias"]
                    claims.append(Claim(said.text, score, "", int(one["step"]), place, after))
    return found


if __name__ == "__main__":
    main()
