"""Taxonomy of signals: score, required sessions and memory type of each.

Scores, sessions and types of the first eighteen come from the design; the others were added after
studying what people learn from sessions. Whether a signal is on by default was decided by reading
what it would promote on real sessions: the figures are in docs/observer.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.vocabulary.memory_types import MemoryType

#: Minimum score of a signal that is evaluated at all.
LEAST_SCORE: Final = 0.4


class Signal(StrEnum):
    """Kind of observation."""

    FILE_ACCESS = "file_access"
    CO_ACCESS = "co_access"
    ERROR_RETRY = "error_retry"
    BACKTRACK = "backtrack"
    READ_ABANDON = "read_abandon"
    REPEATED_GREP = "repeated_grep"
    TOOL_SEQUENCE = "tool_sequence"
    TIME_ANOMALY = "time_anomaly"
    SELF_CORRECTION = "self_correction"
    EXTERNAL_REFERENCE = "external_reference"
    GLOB_IGNORE = "glob_ignore"
    IMPORT_CHASE = "import_chase"
    TEST_ORDER = "test_order"
    CONFIG_TOUCH = "config_touch"
    STEP_OVERRUN = "step_overrun"
    PARALLEL_CONFLICT = "parallel_conflict"
    TOKEN_SPIKE = "token_spike"
    REFUSAL = "refusal"
    CORRECTION = "correction"
    DIAGNOSIS = "diagnosis"
    CHECK_RULE = "check_rule"
    WRITTEN_RULE = "written_rule"
    RULE_BROKEN_AGAIN = "rule_broken_again"
    PROJECT_CHECK = "project_check"
    CHOICE = "choice"
    MENDED_CHECK = "mended_check"
    CALL_RECIPE = "call_recipe"
    COMMIT_STATEMENT = "commit_statement"


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a signal."""

    number: int
    score: float
    sessions: int
    types: tuple[MemoryType, ...]
    on: bool = True


_T = MemoryType

TRAITS: Final[Mapping[Signal, Traits]] = {
    Signal.CO_ACCESS: Traits(2, 0.91, 3, (_T.CAUSAL_DEPENDENCY, _T.PREFETCH_PATTERN), on=False),
    Signal.REFUSAL: Traits(18, 0.90, 1, (_T.PREFERENCE, _T.GOTCHA, _T.DECISION)),
    Signal.SELF_CORRECTION: Traits(9, 0.88, 1, (_T.GOTCHA, _T.MODULE_INSIGHT, _T.DEAD_END)),
    Signal.ERROR_RETRY: Traits(3, 0.85, 2, (_T.ERROR_PATTERN, _T.GOTCHA), on=False),
    Signal.PARALLEL_CONFLICT: Traits(16, 0.82, 1, (_T.GOTCHA,)),
    Signal.READ_ABANDON: Traits(5, 0.79, 3, (_T.GOTCHA,), on=False),
    Signal.REPEATED_GREP: Traits(6, 0.76, 2, (_T.MODULE_INSIGHT, _T.GOTCHA), on=False),
    Signal.TEST_ORDER: Traits(13, 0.74, 3, (_T.TASK_CALIBRATION,), on=False),
    Signal.TOOL_SEQUENCE: Traits(7, 0.73, 3, (_T.WORKFLOW_RECIPE,)),
    Signal.FILE_ACCESS: Traits(1, 0.72, 3, (_T.PREFETCH_PATTERN,), on=False),
    Signal.STEP_OVERRUN: Traits(15, 0.71, 3, (_T.TASK_CALIBRATION,), on=False),
    Signal.BACKTRACK: Traits(4, 0.68, 2, (_T.GOTCHA,), on=False),
    Signal.CONFIG_TOUCH: Traits(14, 0.66, 2, (_T.CAUSAL_DEPENDENCY,), on=False),
    Signal.GLOB_IGNORE: Traits(11, 0.64, 2, (_T.GOTCHA,)),
    Signal.TOKEN_SPIKE: Traits(17, 0.63, 3, (_T.CONTEXT_COST,), on=False),
    Signal.EXTERNAL_REFERENCE: Traits(10, 0.61, 3, (_T.MODULE_INSIGHT,)),
    Signal.IMPORT_CHASE: Traits(12, 0.52, 4, (_T.CAUSAL_DEPENDENCY,), on=False),
    Signal.TIME_ANOMALY: Traits(8, 0.48, 3, (_T.GOTCHA,)),
    Signal.CORRECTION: Traits(19, 0.90, 1, (_T.PREFERENCE, _T.GOTCHA, _T.DECISION)),
    Signal.DIAGNOSIS: Traits(20, 0.86, 1, (_T.GOTCHA, _T.MODULE_INSIGHT)),
    Signal.CHECK_RULE: Traits(21, 0.84, 1, (_T.ERROR_PATTERN,)),
    Signal.WRITTEN_RULE: Traits(22, 0.92, 1, (_T.REQUIREMENT,)),
    Signal.RULE_BROKEN_AGAIN: Traits(23, 0.84, 2, (_T.ERROR_PATTERN,)),
    Signal.PROJECT_CHECK: Traits(24, 0.80, 5, (_T.WORKFLOW_RECIPE,)),
    Signal.CHOICE: Traits(25, 0.90, 1, (_T.DECISION,)),
    Signal.MENDED_CHECK: Traits(26, 0.84, 1, (_T.ERROR_PATTERN,)),
    Signal.CALL_RECIPE: Traits(27, 0.88, 1, (_T.ERROR_PATTERN,)),
    Signal.COMMIT_STATEMENT: Traits(
        28, 0.90, 1, (_T.DECISION, _T.REQUIREMENT, _T.DEAD_END, _T.GOTCHA)
    ),
}
