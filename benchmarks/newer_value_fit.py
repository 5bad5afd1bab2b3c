"""Fits the weights by which a later entry answers in the place of the best one.

``python -m benchmarks.newer_value_fit SET... [--write]`` hears the conversations of each file and
asks their questions (the form of ``recollect bench talk``); with ``sets/asked_entries.txt`` beside
them, in which the entries of a person hardly ever change. A question is a choice between the best
entry and each later one. It prints, for every set, what weights fitted without that set win and
lose, and writes the weights fitted to all (``chat/answers/newer_value_score.tsv``).
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import recollect
from benchmarks.answer_fit import cases, known_entries
from recollect.chat.answers import newer_values
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.answerer import Matcher
from recollect.chat.answers.later_versions import common_words
from recollect.chat.answers.newer_values import NewerValues
from recollect.chat.answers.question_reader import asked, without_asking
from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from recollect.surfaces.cli.bench.talk import read_talk

_RIDGE = 3.0
_CHANGED = 2.0  # how much a question counts whose value changed
_UNCHANGED = 0.5  # how much one of ``asked_entries`` counts
_STEPS = 350
_RATE = 0.08
_SEEN = 4  # how many pairs a feature must be seen in
_ASKED, _MANY = "asked_entries", "many people"
_LIMITS = (-0.5, 0.0, 0.3, 0.6, 1.0)

Array = NDArray[np.float64]


@lru_cache(1)
def _embedder() -> StaticEmbedder:
    return StaticEmbedder()


@dataclass(frozen=True, slots=True)
class ChoiceCase:
    """A question: the features of each later entry, which of them are right, and whether the best
    one is.
    """

    later: tuple[dict[str, float], ...]
    right: tuple[bool, ...]
    stays: bool
    weight: float


def choice(
    question_text: str,
    known: Sequence[KnownEntry],
    is_right: Callable[[str], bool],
    weight: float = 1.0,
) -> ChoiceCase | None:
    """The choice that a question is; None where nothing answers or nothing was told later."""
    question, vectors = asked(without_asking(question_text)), _embedder().word_vectors
    matcher = Matcher(question, vectors)
    ranked = matcher.ranked(known)
    if not ranked or question.past or question.several:
        return None
    best = matcher.rated[ranked[0].id]
    values = NewerValues(question, vectors, common_words([one.text for one in known]))
    later = [
        one
        for one in matcher.rated.values()
        if one.entry.at > best.entry.at and values.may_replace(best, one)
    ]
    right = tuple(is_right(one.entry.text) for one in later)
    stays = is_right(best.entry.text)
    if not later or not (stays or any(right)):
        return None
    rows = tuple(values.features(best, one) for one in later)
    return ChoiceCase(rows, right, stays, weight if stays else _CHANGED * weight)


def of_conversations(path: Path) -> Iterator[ChoiceCase]:
    """The choices of a file of conversations."""
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(db=str(Path(folder) / "talk.db"), worker=False) as memory,
    ):
        for number, one in enumerate(read_talk(path)):
            yield from _of_one(memory.within(space=f"talk-{number}"), one)


def _of_one(memory: Recollect, conversation: dict[str, Any]) -> Iterator[ChoiceCase]:
    said: dict[str, str] = {}
    for message in conversation["messages"]:
        at = datetime.fromisoformat(message["at"])
        heard = memory.chat.hear(message["text"], at=at, speaker=message["from"])
        said[heard.event_id or ""] = message["text"]
    known = [
        KnownEntry(
            one.id,
            one.memory.content,
            one.memory.valid_from,
            message=" ".join(said.get(event, "") for event in one.memory.provenance.events),
        )
        for one in memory.chat.entries(limit=1_000).items
    ]
    for question in conversation["ask"]:
        if question.get("unknown"):
            continue
        until = datetime.fromisoformat(question["at"])
        told = [one for one in known if one.at <= until]
        found = choice(question["text"], told, lambda text: _is_right(question, text))  # noqa: B023
        if found is not None:
            yield found


def _is_right(question: dict[str, Any], text: str) -> bool:
    lower = text.lower()
    return all(str(one).lower() in lower for one in question["expect"]) and not any(
        str(one).lower() in lower for one in question["forbid"]
    )


def of_asked_entries() -> Iterator[ChoiceCase]:
    """The choices of the entries that were written for ``answer_fit``."""
    for case in cases():
        if 0 in case.right:
            continue
        known = known_entries(case.entries)
        texts = {known[number - 1].text for number in case.right}
        found = choice(case.question, known, texts.__contains__, _UNCHANGED)
        if found is not None:
            yield found


def of_many_people(count: int = 90, seed: int = 11) -> Iterator[ChoiceCase]:
    """Some of the same questions in a memory that also holds what seven others told later, so that
    most of what was told later has nothing to do with them.
    """
    told = [case for case in cases() if 0 not in case.right]
    people = {case.group: case.entries for case in told}
    draw = random.Random(seed)
    for case in draw.sample(told, count):
        others = [one for one in draw.sample(list(people), 7) if one != case.group]
        texts = (*case.entries, *(text for one in others for text in people[one]))
        known = known_entries(texts)
        right = {known[number - 1].text for number in case.right}
        found = choice(case.question, known, right.__contains__)
        if found is not None and found.stays:
            yield found


class Choices:
    """Choices as arrays: the rows of the later entries, and which option is right."""

    def __init__(self, told: Sequence[ChoiceCase], names: Sequence[str]) -> None:
        columns = {name: number for number, name in enumerate(names)}
        most = max(len(one.later) for one in told)
        self.rows = np.zeros((len(told), most, len(names)))
        self.right = np.zeros((len(told), most + 1))
        self.there = np.full((len(told), most + 1), -1e9)
        self.there[:, 0] = 0.0
        self.weights = np.array([one.weight for one in told])
        for number, one in enumerate(told):
            self.right[number, 0] = one.stays
            for place, (row, is_right) in enumerate(zip(one.later, one.right, strict=True)):
                self.there[number, place + 1] = 0.0
                self.right[number, place + 1] = is_right
                self.rows[number, place, -1] = 1.0
                for name, value in row.items():
                    if name in columns:
                        self.rows[number, place, columns[name]] = value

    def scores(self, weights: Array) -> Array:
        """The score of every option; of staying it is 0."""
        flat = self.rows.reshape(-1, len(weights)) @ weights
        found = flat.reshape(self.rows.shape[:2])
        scores: Array = np.concatenate([np.zeros((len(found), 1)), found], axis=1) + self.there
        return scores


def names_of(told: Iterable[ChoiceCase]) -> list[str]:
    """The features that were seen often enough, and the bias."""
    counts: dict[str, int] = {}
    for row in (row for one in told for row in one.later):
        for name, value in row.items():
            counts[name] = counts.get(name, 0) + bool(value)
    return [*sorted(name for name, count in counts.items() if count >= _SEEN), "bias"]


def fitted(choices: Choices) -> Array:
    """The weights of a conditional logit with a ridge, by Adam's steps."""
    weights = np.zeros(choices.rows.shape[2])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    ridge = np.full_like(weights, _RIDGE)
    ridge[-1] = 0.01
    for step in range(1, _STEPS + 1):
        scores = choices.scores(weights)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        meant = likely * choices.right
        meant /= np.maximum(meant.sum(axis=1, keepdims=True), 1e-12)
        steps = choices.weights[:, None] * (meant - likely)[:, 1:]
        slope = ridge * weights - steps.ravel() @ choices.rows.reshape(-1, len(weights))
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        pace = np.sqrt(square / (1 - 0.99**step)) + 1e-9
        rate = _RATE * (0.5 if step > 0.6 * _STEPS else 1.0)
        weights -= rate * mean / (1 - 0.9**step) / pace
    return weights


def won_and_lost(told: Sequence[ChoiceCase], scores: Array, limit: float) -> tuple[int, int]:
    """Questions that become right, and that become wrong, where a later entry may answer."""
    won = lost = 0
    for one, row in zip(told, scores, strict=True):
        place = int(row[1:].argmax())
        if row[place + 1] > limit and place < len(one.right):
            won += one.right[place] and not one.stays
            lost += one.stays and not one.right[place]
    return won, lost


def main() -> None:
    """Fit, print what left-out sets win and lose, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--count", type=Path, nargs="*", default=[], help="Sets to count only.")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    told = {path.stem: list(of_conversations(path)) for path in options.sets}
    told[_ASKED] = list(of_asked_entries())
    told[_MANY] = list(of_many_people())
    for left_out in (*told, None):
        rest = [one for name, found in told.items() if name != left_out for one in found]
        names = names_of(rest)
        weights = fitted(Choices(rest, names))
        if left_out is not None:
            _print(left_out, told[left_out], names, weights)
    for path in options.count:
        _print(path.stem, list(of_conversations(path)), names, weights)
    if options.write:
        target = Path(newer_values.__file__).with_name("newer_value_score.tsv")
        lines = [f"{name}\t{weight:.3f}" for name, weight in zip(names, weights, strict=True)]
        head = "# Written by python -m benchmarks.newer_value_fit."
        target.write_text("\n".join([head, *lines, ""]), encoding="utf-8")


def _print(name: str, told: Sequence[ChoiceCase], names: list[str], weights: Array) -> None:
    if not told:
        return
    scores = Choices(told, names).scores(weights)
    needed = sum(not one.stays for one in told)
    counts = [(limit, *won_and_lost(told, scores, limit)) for limit in _LIMITS]
    figures = (f"{limit}: +{won} -{lost}" for limit, won, lost in counts)
    print(f"{name}: {needed} of {len(told)} need a later entry; {', '.join(figures)}", flush=True)


if __name__ == "__main__":
    main()
