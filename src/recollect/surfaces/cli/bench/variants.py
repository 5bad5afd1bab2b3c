"""Profile variants for benchmarks: ablation of signals, and sweeps of weights.

Both ask the same questions of the same store with each variant, so that only the variant differs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from recollect.engine.for_surfaces import MEASURED, Profile, Weights
from recollect.vocabulary.errors import InvalidInput

#: Tiny but non-zero weight: a profile without any weight on context would not compute it.
_HARDLY: Final = 1e-9

#: Signals in the order in which they are added, each line one step.
STEPS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("two legs: names as speakers, rare words weighed", ("words", "meaning")),
    ("+ around, coverage", ("around", "coverage")),
    ("+ meaning before and after, answers", ("meaning_before", "meaning_after", "answers")),
    ("+ the session's three", ("session_words", "session_coverage", "session_meaning")),
    ("+ alignment", ("alignment",)),
    ("+ speaker", ("speaker",)),
    ("+ time", ("time",)),
    ("+ answer", ("answer",)),
    ("+ outcome", ("outcome",)),
    ("+ wish", ("wish",)),
    ("+ length", ("length",)),
    ("+ novelty", ("novelty",)),
    ("+ asks, reacts", ("asks", "reacts")),
    ("+ past", ("past",)),
    ("+ first person", ("first_person",)),
)
#: Signals that are removed from the full profile, by name.
APART: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("own words", ("words",)),
    ("own meaning", ("meaning",)),
    ("around, coverage", ("around", "coverage")),
    ("neighbours' meaning, answers", ("meaning_before", "meaning_after", "answers")),
    (
        "every vector",
        (
            "meaning",
            "meaning_before",
            "meaning_after",
            "answers",
            "alignment",
            "session_meaning",
        ),
    ),
    ("the session's three", ("session_words", "session_coverage", "session_meaning")),
    ("alignment", ("alignment",)),
    ("speaker", ("speaker",)),
    ("time", ("time",)),
    ("answer", ("answer",)),
    ("outcome", ("outcome",)),
    ("wish", ("wish",)),
    ("length", ("length",)),
    ("novelty", ("novelty",)),
    ("asks, reacts", ("asks", "reacts")),
    ("past", ("past",)),
    ("first person", ("first_person",)),
)

_NUMBERS: Final[Mapping[str, tuple[float, ...]]] = {
    "leaders": (32, 128),
    "diversity": (0.9, 0.95),
    "depth": (15, 60),
}
_OTHERS: Final = ("leaders", "depth", "diversity", "rank_constant", "recency_days")
#: Names in the design: the three parts of a score, decay of recency, allowed similarity of results.
_PARTS: Final = ("alpha", "beta", "gamma")
_GREEK: Final[Mapping[str, str]] = {
    "tau": "recency_days",
    "lambda": "diversity",
    "k": "rank_constant",
}
#: Name of the parameter for the number of results per question.
RESULTS: Final = "N"
_PART_VALUES: Final = (0.0, 0.25, 0.5, 1.0)
_RESULTS_TRIED: Final = (4.0, 8.0, 12.0, 16.0)
_FACTORS: Final = (0.5, 2.0)


class Variant(NamedTuple):
    """A profile, named by its difference; ``part`` groups the lines of a table."""

    part: str
    name: str
    profile: Profile
    #: Number of results that count; None for all.
    results: int | None = None


def ablation(profile: Profile) -> Iterator[Variant]:
    """The full profile built up step by step, and the full profile without each signal, and without
    the breadth of questions.
    """
    whole = dict(profile.weights)
    yield Variant("steps", "words alone", replace(profile, weights={"words": 1.0}))
    taken: set[str] = set()
    for name, added in STEPS:
        taken |= set(added)
        yield Variant("steps", name, replace(profile, weights=_only(whole, taken)))
    for name, left_out in APART:
        kept = set(whole) - set(left_out)
        yield Variant("without", name, replace(profile, weights=_only(whole, kept)))
    yield Variant("without", "breadth of the question", replace(profile, broader={}))


def sweep(profile: Profile, wanted: Sequence[str]) -> Iterator[Variant]:
    """The profile unchanged, and with each value of each parameter: NAME, or NAME=VALUE,VALUE."""
    yield Variant("sweep", f"{profile.name} as it is", profile)
    for name, values in _grid(profile, wanted):
        for value in values:
            label = f"{name} = {value:g}"
            if name == RESULTS:
                yield Variant("sweep", label, profile, int(value))
            else:
                yield Variant("sweep", label, _with(profile, name, value))


def _grid(profile: Profile, wanted: Sequence[str]) -> Iterator[tuple[str, tuple[float, ...]]]:
    for text in wanted or (*profile.weights, *_NUMBERS):
        name, _, given = text.partition("=")
        name = name.strip()
        if name not in {*MEASURED, *_OTHERS, *_PARTS, *_GREEK, RESULTS}:
            known = (*MEASURED, *_OTHERS, *_PARTS, *_GREEK, RESULTS)
            raise InvalidInput(
                f"There is no parameter {name!r} to sweep.", hint=f"There are: {', '.join(known)}."
            )
        yield name, _values(given) if given else _usual(profile, name)


def _values(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in text.split(","))
    except ValueError:
        raise InvalidInput(f"{text!r} is not a list of numbers.", hint="Like 0.5,1,2.") from None


def _usual(profile: Profile, name: str) -> tuple[float, ...]:
    if name in _PARTS:
        return _PART_VALUES
    if name == RESULTS:
        return _RESULTS_TRIED
    name = _GREEK.get(name, name)
    if name in _NUMBERS:
        return _NUMBERS[name]
    now = profile.weights.get(name) or float(getattr(profile, name, 1.0))
    return tuple(factor * now for factor in _FACTORS)


def _with(profile: Profile, name: str, value: float) -> Profile:
    if name in _PARTS:
        parts = list(profile.parts)
        parts[_PARTS.index(name)] = value
        return replace(profile, parts=(parts[0], parts[1], parts[2]))
    name = _GREEK.get(name, name)
    if name in _OTHERS:
        kind = float if name in {"diversity", "recency_days"} else int
        changed: dict[str, Any] = {name: kind(value)}
        return replace(profile, **changed)
    weights = {**profile.weights, name: value}
    return replace(
        profile, weights=_only(weights, set(weights)) if profile.uses_context else weights
    )


def _only(weights: Weights, kept: set[str]) -> dict[str, float]:
    """Keep only these weights, with tiny ones that keep the context signals computed."""
    chosen = {name: weight for name, weight in weights.items() if name in kept}
    return {**chosen, "around": chosen.get("around") or _HARDLY}
