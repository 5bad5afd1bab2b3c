"""Fits the weights of ``chat/statements/lasting_score.py``: is a clause something lasting?

``python -m benchmarks.lasting_fit SENTENCES... [--talk FILE...] [--write]`` reads lines of ``K`` or
``S``, a space and a sentence, and messages of conversations in the form of ``bench talk`` that are
one sentence. It prints how often held-out sentences are told right, by folds (a conversation
is never split), and writes the weights fitted to all.
"""

import argparse
import json
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.chat.language.sentences import sentences_of
from recollect.chat.language.speech_acts import opening_removed
from recollect.chat.statements import lasting_score
from recollect.chat.statements.statement_extraction import statements_by_rules

_DAY = date(2026, 6, 3)
_FOLDS = 5
_RIDGE = 3.0
_STEPS = 30


class LabelledSentence(NamedTuple):
    """A sentence, whether it tells something lasting, and what must not be split."""

    text: str
    lasts: bool
    group: str


def sentences(path: Path) -> list[LabelledSentence]:
    """The lines of a file; behind a line "# family" they are one family, that is never split."""
    found: list[LabelledSentence] = []
    family = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            family = line
        elif line.strip():
            found.append(LabelledSentence(line[2:], line[0] == "K", family or line))
    return found


def messages(path: Path) -> list[LabelledSentence]:
    """The messages of conversations that are one sentence."""
    found: list[LabelledSentence] = []
    for one in json.loads(path.read_text(encoding="utf-8"))["conversations"]:
        keep = {wish["message"] for wish in one["keep"]}
        for number, message in enumerate(one["messages"]):
            known = number in keep or number in one["skip"]
            if known and message["from"] == "user" and len(sentences_of(message["text"])) == 1:
                found.append(LabelledSentence(message["text"], number in keep, one["id"]))
    return found


def matrix(told: list[LabelledSentence], names: list[str]) -> NDArray[np.float64]:
    """A row a sentence, a column a feature."""
    columns = {name: number for number, name in enumerate(names)}
    rows = np.zeros((len(told), len(names) + 1))
    rows[:, -1] = 1.0
    for row, one in zip(rows, told, strict=True):
        for name in features(one.text):
            if name in columns:
                row[columns[name]] = 1.0
    return rows


def features(text: str) -> frozenset[str]:
    """The features of a sentence, with what the rules take it for."""
    found = statements_by_rules(text, _DAY)
    lasting = next((one for one in found if one.lasts), None)
    act = lasting.act if lasting else (found[0].act if found else "chatter")
    return lasting_score.features_of(opening_removed(text) or text, str(act))


def fitted(rows: NDArray[np.float64], lasts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of a logistic regression with a ridge."""
    weights = np.zeros(rows.shape[1])
    ridge = np.full(rows.shape[1], _RIDGE)
    ridge[-1] = 0.01
    for _ in range(_STEPS):
        likely = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - lasts) + ridge * weights
        curve = (rows * (likely * (1.0 - likely) + 1e-6)[:, None]).T @ rows + np.diag(ridge)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def held_out(
    told: list[LabelledSentence], rows: NDArray[np.float64], lasts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The score of each sentence by weights that were fitted without its fold."""
    groups = sorted({one.group for one in told})
    fold_of = {group: number % _FOLDS for number, group in enumerate(groups)}
    folds = np.array([fold_of[one.group] for one in told])
    scores = np.zeros(len(told))
    for fold in range(_FOLDS):
        out = folds == fold
        scores[out] = rows[out] @ fitted(rows[~out], lasts[~out])
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--talk", nargs="*", type=Path, default=[])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    told = [one for path in asked.files for one in sentences(path)]
    told += [one for path in asked.talk for one in messages(path)]
    counts: dict[str, int] = {}
    for one in told:
        for name in features(one.text):
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= 3)
    rows, lasts = matrix(told, names), np.array([float(one.lasts) for one in told])
    scores = held_out(told, rows, lasts)
    keep = lasts > 0
    for limit in (-1.0, -0.5, 0.0, 0.5, 1.0):
        right, wrong = (scores[keep] > limit).mean(), (scores[~keep] > limit).mean()
        print(f"score over {limit}: {right:.3f} of what lasts, {wrong:.3f} of what does not")
    if asked.write:
        weights = fitted(rows, lasts)
        lines = ["# Fitted by benchmarks/lasting_fit.py: feature, weight."]
        lines += [f"{name}\t{weight:.3f}" for name, weight in zip(names, weights, strict=False)]
        lines.append(f"bias\t{weights[-1]:.3f}")
        place = Path(lasting_score.__file__).with_suffix(".tsv")
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
