"""Fits the weights by which an entry is taken for the answer (``chat/answers/answer_features.py``).

``python -m benchmarks.answer_fit [--write] [--failures]`` reads ``sets/asked_entries.txt``: entries
of a person, questions, and which entry answers. Each question is a choice between the entries and
"I don't know", whose score is 0. It prints how often held-out questions are answered right, by
folds (a person is never split), and writes the weights fitted to all.
"""

import argparse
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers import answer_features
from recollect.chat.answers.answer_features import QuestionFeatures
from recollect.chat.answers.answer_people import LEANS_ON_SUBJECT, KnownEntry
from recollect.chat.answers.question_reader import asked, without_asking
from recollect.inference.static_embedder import StaticEmbedder

SET = Path(__file__).parent / "sets" / "asked_entries.txt"
_FOLDS = 6
_RIDGE = 0.6
_STEPS = 600
_RATE = 0.3
_SEEN = 4  # how many pairs a feature must be seen in
#: What can only speak for an entry, and what only against it.
_FOR = re.compile(
    r"(?!named_nowhere|related_nowhere)(?:core_(?!none|around)|category_(?!none|around)|near_|holds_"
    r"|named|related|introduced|role|attribute_told|past_told|name_beside|number_beside"
    r"|wish_told)"
)
_AGAINST = re.compile(
    r"lacks_|named_nowhere|related_nowhere|attribute_(?:untold|strict)|of_another$|no_contact"
    r"|behind_|elsewhere_|name_apart|number_(?:apart|alone)|undecided"
    r"|liking_untold|wish_untold"
)
#: What is known without examples: an entry about somebody else is no answer.
_AT_MOST = {
    "named_nowhere": -1.0,
    "related_nowhere": -1.0,
    "of_another": -5.0,
    "other_taste": -4.0,
    "no_contact": -3.5,
    "of_speaker_alone": -3.0,
    "of_other_kin": -3.0,
    "attribute_strict": -3.0,
    "lacks_name": -3.5,
    "lacks_money": -3.0,
    "name_apart": -2.0,
    "undecided": -0.5,
    "liking_untold": -2.0,
    "elsewhere_named": -0.5,
    "behind_core_met": -0.3,
}
_AT_LEAST = {"attribute_told": 1.0, "ended_asked": 2.0, "changed": 0.1, "of_speaker": 0.0}
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A question, the entries, and the numbers of those that answer; 0 for none."""

    group: int
    question: str
    entries: tuple[str, ...]
    right: frozenset[int]


def cases(path: Path = SET) -> list[AskedCase]:
    """The questions of a file."""
    found: list[AskedCase] = []
    for number, block in enumerate(path.read_text(encoding="utf-8").split("\n\n")):
        lines = block.splitlines()
        entries = tuple(line[2:] for line in lines if line.startswith("- "))
        for line in lines:
            question, told, right = line.rpartition(" = ")
            if told and line.startswith("? "):
                wanted = frozenset(map(int, right.split(",")))
                found.append(AskedCase(number, question[2:], entries, wanted))
    return found


def known_entries(texts: tuple[str, ...]) -> list[KnownEntry]:
    """Entries that were told one after another, each in a message of its own."""
    return [
        KnownEntry(
            str(number + 1),
            text.partition(" | ")[0],
            _FIRST + timedelta(days=20 * number),
            before=" ".join(texts[max(0, number - 2) : number])
            if LEANS_ON_SUBJECT.match(text)
            else "",
            message=text.partition(" | ")[2],
        )
        for number, text in enumerate(texts)
    ]


def rows_of(told: list[AskedCase]) -> list[list[dict[str, float]]]:
    """The features of each entry for each question."""
    vectors = StaticEmbedder().word_vectors
    found: list[list[dict[str, float]]] = []
    for case in told:
        known = known_entries(case.entries)
        features = QuestionFeatures(asked(without_asking(case.question)), known, vectors)
        found.append(features.all(known))
    return found


class Choices:
    """Questions as arrays: for each the rows of its entries and which of them are right."""

    def __init__(self, told: list[AskedCase], rows: list[list[dict[str, float]]]) -> None:
        counts: dict[str, int] = {}
        for row in (row for case in rows for row in case):
            for name, value in row.items():
                counts[name] = counts.get(name, 0) + bool(value)
        seen = {name for name, count in counts.items() if count >= _SEEN}
        self.names = [*sorted(seen | _AT_MOST.keys() | _AT_LEAST.keys()), "bias"]
        columns = {name: number for number, name in enumerate(self.names)}
        most = max(len(case.entries) for case in told)
        self.rows = np.zeros((len(told), most, len(self.names)))
        self.there = np.zeros((len(told), most), bool)
        self.right = np.zeros((len(told), most + 1))
        for number, (case, features) in enumerate(zip(told, rows, strict=True)):
            for place, row in enumerate(features):
                self.there[number, place] = True
                self.rows[number, place, -1] = 1.0
                for name, value in row.items():
                    if name in columns:
                        self.rows[number, place, columns[name]] = value
            for place in case.right:
                self.right[number, place] = 1.0  # 0 is "none"

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of every entry; of none it is 0."""
        found = np.where(self.there, self.rows @ weights, -1e9)
        return np.concatenate([np.zeros((len(found), 1)), found], axis=1)


def fitted(choices: Choices, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights of a conditional logit with a ridge, by gradient steps with momentum."""
    weights = np.zeros(len(choices.names))
    pace = np.zeros_like(weights)
    rows, right = choices.rows[chosen], choices.right[chosen]
    low = np.array([0.0 if _FOR.match(name) else -np.inf for name in choices.names])
    high = np.array([0.0 if _AGAINST.match(name) else np.inf for name in choices.names])
    low = np.maximum(low, [_AT_LEAST.get(name, -np.inf) for name in choices.names])
    high = np.minimum(high, [_AT_MOST.get(name, np.inf) for name in choices.names])
    for _ in range(_STEPS):
        scores = choices.scores(weights)[chosen]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        meant = likely * right
        meant /= np.maximum(meant.sum(axis=1, keepdims=True), 1e-12)
        slope = np.einsum("qe,qef->f", (meant - likely)[:, 1:], rows) - _RIDGE * weights
        pace = 0.9 * pace + _RATE * slope / len(rows)
        weights = np.clip(weights + pace, low, high)
    return weights


def held_out(choices: Choices, told: list[AskedCase]) -> NDArray[np.float64]:
    """The scores by weights that were fitted without the question's fold."""
    folds = np.array([case.group % _FOLDS for case in told])
    scores = np.zeros((len(told), choices.rows.shape[1] + 1))
    for fold in range(_FOLDS):
        weights = fitted(choices, folds != fold)
        scores[folds == fold] = choices.scores(weights)[folds == fold]
    return scores


def report(told: list[AskedCase], scores: NDArray[np.float64], limit: float) -> list[str]:
    """Prints the figures for one limit; gives what is answered wrongly."""
    wrong: list[str] = []
    counts = {"right": 0, "none": 0, "other": 0, "made up": 0}
    for case, row in zip(told, scores, strict=True):
        best = int(row[1:].argmax()) + 1
        said = best if row[best] > limit else 0
        kind = "right"
        if said not in case.right:
            kind = "none" if not said else "made up" if case.right == {0} else "other"
            what = case.entries[said - 1] if said else "none"
            wrong.append(f"{kind} ({row[best]:.1f}): {case.question} -> {what} {case.entries}")
        counts[kind] += 1
    known = sum(1 for case in told if case.right != {0})
    print(
        f"limit {limit}: {counts['right'] / len(told):.3f} right;"
        f" of {known} that are known {counts['none']} unanswered, {counts['other']} by another;"
        f" of {len(told) - known} that are not {counts['made up']} answered"
    )
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--failures", action="store_true")
    wanted = parser.parse_args()
    told = cases()
    choices = Choices(told, rows_of(told))
    scores = held_out(choices, told)
    for limit in (-1.0, -0.5, 0.0, 0.5):
        wrong = report(told, scores, limit)
        if wanted.failures and limit == -0.5:
            print("\n".join(wrong))
    if wanted.write:
        weights = fitted(choices, np.ones(len(told), bool))
        lines = ["# Fitted by benchmarks/answer_fit.py: feature, weight."]
        lines += [
            f"{name}\t{weight:.3f}" for name, weight in zip(choices.names, weights, strict=True)
        ]
        place = Path(answer_features.__file__).with_name("answer_score.tsv")
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
