"""Fits the weights by which an entry is taken for the answer among many (``crowded_score.tsv``).

``python -m benchmarks.crowded_fit SET... [--write]`` hears the conversations of each file (the form
of ``recollect bench talk``) and ranks what was kept as an answer to each question, together with
the entries of ``sets/crowd.txt``, which were told before, between and after. A conversation with
more than forty messages needs no crowd. A file of entries (``sets/asked_entries.txt``, the form of
``answer_fit``) is ranked among the crowd as it stands. Each question is a choice between the
entries, the sentences that made none, and "I don't know", whose score is 0. It prints for every set
how many of its questions weights fitted without it answer, by limits on the score, and writes the
weights fitted to all.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import recollect
from benchmarks.answer_fit import cases, known_entries
from recollect.chat.answers import answer_finder, crowded_evidence
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.answerer import Matcher, ScoredEntry
from recollect.chat.answers.question_reader import asked, without_asking
from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from recollect.surfaces.cli.bench.talk import read_beside, read_talk

CROWD = Path(__file__).parent / "sets" / "crowd.txt"
_MANY = 40  # messages
_MINE = "mine-"  # begins the ids of entries that are not of the crowd
_RIDGE = 2.0
_STEPS = 200
_RATE = 0.08
_SEEN = 8  # how many pairs a feature must be seen in
_LIMITS = (-1.0, -0.5, -0.25, 0.0, 0.5)
#: A crowd of single sentences changes nothing and stands beside nothing, so these would tell the
#: crowd from the conversation and not the answer from the rest.
_LEFT_OUT = frozenset({"changed"})
_AT_MOST = {"rare_around": 1.0, "of_a_third": -1.0, "of_another_person": -2.5}
#: What can only speak for an entry, and what only against it.
_FOR = re.compile(
    r"(?!.*(?:nowhere|_none|behind))(?:core_(?!around)|category_(?!around)|near_|holds_|named$"
    r"|related$|introduced|role|attribute_told|attribute_hint|past_told|name_beside|number_beside"
    r"|wish_told|rare_|rarest_met|all_met|evidence_first|evidence_only|newest_alike|ended_asked"
    r"|of_speaker$|worth|align_\w+_(?:away|ahead)|sibling_away)"
)
_AGAINST = re.compile(
    r"lacks_|named_nowhere|related_nowhere|attribute_(?:untold|strict$|of_another)|of_another"
    r"|no_contact|behind_|elsewhere_|name_apart|number_(?:apart|alone)|undecided|liking_untold"
    r"|wish_untold|told_nowhere|rarest_unmet|near_\w+_behind|evidence_behind|detail_untold"
    r"|not_of_whom|over$|past_untold|other_taste|yes_unmet|of_us_alone|of_other_kin"
    r"|of_speaker_alone|no_word|category_none|core_none|of_a_third|align_\w+_behind"
)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrowdedCase:
    """A question: the features of each entry that leads, and which of them are right."""

    rows: tuple[Mapping[str, float], ...]
    right: tuple[bool, ...]
    unknown: bool

    @property
    def is_fair(self) -> bool:
        """Whether nothing was told, or what was told is among the entries."""
        return self.unknown or any(self.right)


class _Recorded(Matcher):
    """Ranks nothing, so that an answer is looked for everywhere, and keeps what it was given."""

    given: ClassVar[list[KnownEntry]] = []

    def ranked(self, known: Sequence[KnownEntry]) -> list[ScoredEntry]:
        held = {one.id for one in _Recorded.given}
        _Recorded.given.extend(one for one in known if one.id not in held)
        return []


def told_by(memory: Recollect, question: str, at: datetime | None) -> list[KnownEntry]:
    """Everything that ``ask`` may answer a question with."""
    _Recorded.given = []
    with patch.object(answer_finder, "Matcher", _Recorded):
        memory.chat.ask(question, at=at)
    return [one for one in _Recorded.given if not one.over]


def crowd_of(memory: Recollect) -> list[KnownEntry]:
    """The entries of the crowd."""
    start = datetime.fromisoformat("2026-01-01T09:00:00+00:00")
    for number, text in enumerate(read_beside(CROWD)):
        memory.chat.hear(text, at=start + timedelta(days=number))
    return told_by(memory, "what is my zebra called?", None)


def _spread(crowd: Sequence[KnownEntry], told: Sequence[KnownEntry]) -> list[KnownEntry]:
    """The crowd at times before, between and after what was told, one after another."""
    times = [one.at for one in told]
    first = min(times) - timedelta(days=60)
    step = (max(times) - first + timedelta(days=60)) / len(crowd)
    mixed = [crowd[number * 37 % len(crowd)] for number in range(len(crowd))]
    return [replace(one, at=first + number * step) for number, one in enumerate(mixed)]


def of_conversations(path: Path, vectors: Any) -> Iterator[CrowdedCase]:
    """The choices of a file of conversations."""
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(db=str(Path(folder) / "talk.db"), worker=False) as memory,
    ):
        crowd = crowd_of(memory.within(space="crowd"))
        for number, one in enumerate(read_talk(path)):
            person = memory.within(space=f"talk-{number}")
            for message in one["messages"]:
                at = datetime.fromisoformat(message["at"])
                person.chat.hear(message["text"], at=at, speaker=message["from"])
            beside = crowd if len(one["messages"]) <= _MANY else []
            for question in one["ask"]:
                told = told_by(person, question["text"], datetime.fromisoformat(question["at"]))
                if told:
                    yield _choice(
                        question, [*told, *(_spread(beside, told) if beside else ())], vectors
                    )


def of_entries(path: Path, vectors: Any) -> Iterator[CrowdedCase]:
    """The choices of a file of entries with questions."""
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(db=str(Path(folder) / "talk.db"), worker=False) as memory,
    ):
        crowd = crowd_of(memory)
    for case in cases(path):
        told = [replace(one, id=f"{_MINE}{one.id}") for one in known_entries(case.entries)]
        right = {f"{_MINE}{number}" for number in case.right}
        matcher = Matcher(asked(without_asking(case.question)), vectors)
        matcher.ranked([*told, *_spread(crowd, told)])
        found = list(matcher.rated.values())
        yield CrowdedCase(
            tuple(one.row for one in found),
            tuple(one.entry.id in right for one in found),
            case.right == {0},
        )


def choices_of(path: Path, vectors: Any) -> list[CrowdedCase]:
    """The choices of a file of either form."""
    return list((of_entries if path.suffix == ".txt" else of_conversations)(path, vectors))


def _choice(question: dict[str, Any], told: list[KnownEntry], vectors: Any) -> CrowdedCase:
    matcher = Matcher(asked(without_asking(question["text"])), vectors)
    matcher.ranked(told)
    found = list(matcher.rated.values())
    unknown = bool(question.get("unknown"))
    return CrowdedCase(
        tuple(one.row for one in found),
        tuple(not unknown and _is_right(question, one.entry.text) for one in found),
        unknown,
    )


def _is_right(question: dict[str, Any], text: str) -> bool:
    lower = text.lower()
    return all(str(one).lower() in lower for one in question["expect"]) and not any(
        str(one).lower() in lower for one in question["forbid"]
    )


class Choices:
    """Choices as one array: of each question a row of zeros ("I don't know"), then its entries."""

    def __init__(self, told: Sequence[CrowdedCase], names: Sequence[str]) -> None:
        columns = {name: number for number, name in enumerate(names)}
        sizes = np.array([len(one.rows) + 1 for one in told])
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.question = np.repeat(np.arange(len(told)), sizes)
        self.rows = np.zeros((int(sizes.sum()), len(names)))
        self.right = np.zeros(len(self.rows))
        for start, one in zip(self.starts, told, strict=True):
            self.right[start] = not any(one.right)
            self.right[start + 1 : start + 1 + len(one.rows)] = one.right
            self.rows[start + 1 : start + 1 + len(one.rows), -1] = 1.0
            for place, row in enumerate(one.rows, start + 1):
                for name, value in row.items():
                    if name in columns:
                        self.rows[place, columns[name]] = value


def names_of(told: Sequence[CrowdedCase]) -> list[str]:
    """The features that were seen often enough, and the bias."""
    counts: dict[str, int] = {}
    for row in (row for one in told for row in one.rows):
        for name, value in row.items():
            counts[name] = counts.get(name, 0) + bool(value)
    seen = (name for name, count in counts.items() if count >= _SEEN and name not in _LEFT_OUT)
    return [*sorted(seen), "bias"]


def fitted(choices: Choices, names: Sequence[str]) -> Array:
    """The weights of a conditional logit with a ridge, by Adam's steps within their bounds."""
    low = np.array([0.0 if _FOR.match(name) else -9.0 for name in names])
    high = np.array([0.0 if _AGAINST.match(name) else 9.0 for name in names])
    high = np.minimum(high, [_AT_MOST.get(name, 9.0) for name in names])
    weights = np.clip(np.zeros(len(names)), low, high)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    ridge = np.full_like(weights, _RIDGE)
    ridge[-1] = 0.05
    for step in range(1, _STEPS + 1):
        scores = choices.rows @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, choices.starts)[choices.question])
        likely /= np.add.reduceat(likely, choices.starts)[choices.question]
        meant = likely * choices.right
        meant /= np.maximum(np.add.reduceat(meant, choices.starts), 1e-12)[choices.question]
        slope = ridge * weights - choices.rows.T @ (meant - likely)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        pace = np.sqrt(square / (1 - 0.99**step)) + 1e-9
        rate = _RATE * (0.3 if step > 0.7 * _STEPS else 1.0)
        weights = np.clip(weights - rate * mean / (1 - 0.9**step) / pace, low, high)
    return weights


def counted(told: Sequence[CrowdedCase], names: Sequence[str], weights: Array) -> str:
    """How many questions are answered right, known and unknown ones, by limits on the score."""
    choices = Choices(told, names)
    scores = choices.rows @ weights
    figures: list[str] = []
    for limit in _LIMITS:
        right = [0, 0]
        for start, one in zip(choices.starts, told, strict=True):
            mine = scores[start + 1 : start + 1 + len(one.rows)]
            best = int(mine.argmax())
            is_said = mine[best] > limit
            right[one.unknown] += not is_said if one.unknown else is_said and one.right[best]
        figures.append(f"{limit}: {right[0]} + {right[1]}")
    unknown = sum(one.unknown for one in told)
    return f"of {len(told) - unknown} known and {unknown} unknown {', '.join(figures)}"


def main() -> None:
    """Fit, print what is answered in sets that were left out, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    vectors = StaticEmbedder().word_vectors
    told = {path.stem: choices_of(path, vectors) for path in options.sets}
    for left_out in (*told, None):
        rest = [
            one for name, found in told.items() if name != left_out for one in found if one.is_fair
        ]
        names = names_of(rest)
        weights = fitted(Choices(rest, names), names)
        if left_out is not None:
            print(f"{left_out}: {counted(told[left_out], names, weights)}", flush=True)
    if options.write:
        target = Path(crowded_evidence.__file__).with_name("crowded_score.tsv")
        lines = [f"{name}\t{weight:.3f}" for name, weight in zip(names, weights, strict=True)]
        head = "# Fitted by benchmarks/crowded_fit.py: feature, weight."
        target.write_text("\n".join([head, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
