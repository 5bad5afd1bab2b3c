"""Typed extras: what fits comes back the same, what does not is named in the error."""

from typing import Any

import pytest

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.extras import EXTRAS, checked_extras
from recollect.vocabulary.memory_types import MemoryType
from tests.contracts.drafts import EXTRAS as EXAMPLES


def test_every_typed_kind_has_an_example_here() -> None:
    assert EXAMPLES.keys() == EXTRAS.keys()


@pytest.mark.parametrize("kind", list(EXTRAS))
def test_example_fits_and_is_a_fixed_point(kind: MemoryType) -> None:
    kept = checked_extras(kind, EXAMPLES[kind])
    assert checked_extras(kind, kept) == kept
    assert kept == EXAMPLES[kind], "an example names every field that has a default"


@pytest.mark.parametrize("kind", list(EXTRAS))
def test_unknown_name_is_refused(kind: MemoryType) -> None:
    with pytest.raises(InvalidInput, match="colour"):
        checked_extras(kind, {**EXAMPLES[kind], "colour": "red"})


@pytest.mark.parametrize("kind", [kind for kind in MemoryType if kind not in EXTRAS])
def test_kind_without_extras_takes_none(kind: MemoryType) -> None:
    with pytest.raises(InvalidInput, match="takes no extras"):
        checked_extras(kind, {"anything": 1})


RECIPE, CALIBRATION = MemoryType.WORKFLOW_RECIPE, MemoryType.TASK_CALIBRATION


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        (RECIPE, {"steps": []}, "steps"),
        (RECIPE, {"steps": [{"order": 2, "description": "b"}, {"order": 1, "description": "a"}]},
         "in order"),
        (RECIPE, {"steps": [{"order": 1, "description": "a"}, {"order": 1, "description": "b"}]},
         "in order"),
        (RECIPE, {"steps": [{"order": 0, "description": "a"}]}, "order"),
        (RECIPE, {"steps": [{"order": 1, "description": ""}]}, "description"),
        (RECIPE, {"steps": [{"order": 1, "description": "a", "line": 0}]}, "line"),
        (RECIPE, {"success_count": -1}, "success_count"),
        (RECIPE, {"task_pattern": ""}, "task_pattern"),
        (CALIBRATION, {"average_planned_steps": 0}, "average_planned_steps"),
        (CALIBRATION, {"ratio": float("nan")}, "ratio"),
        (CALIBRATION, {"ratio": float("inf")}, "ratio"),
        (CALIBRATION, {"sample_count": 0}, "sample_count"),
        (MemoryType.DEAD_END, {"approach_tried": ""}, "approach_tried"),
        (MemoryType.CAUSAL_DEPENDENCY, {"then_touch": []}, "then_touch"),
        (MemoryType.WORK_UNIT_OUTCOME, {"outcome": "maybe"}, "outcome"),
        (MemoryType.WORK_STATE, {"in_progress": {"next_step": "x"}}, "in_progress.description"),
        (MemoryType.FACT, {"key": 5}, "key"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(kind: MemoryType, change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        checked_extras(kind, {**EXAMPLES[kind], **change})


def test_missing_names_are_all_told_at_once() -> None:
    with pytest.raises(InvalidInput, match=r"approach_tried.*why_it_failed"):
        checked_extras(MemoryType.DEAD_END, {"task_context": "x"})
