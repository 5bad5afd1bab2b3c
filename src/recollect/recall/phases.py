"""Weights and budgets of each memory type by phase of work, as data."""

from collections.abc import Mapping
from typing import Final

from recollect.vocabulary.phases import Phase

PHASE_WEIGHTS: Final[Mapping[Phase, Mapping[str, float]]] = {
    Phase.DEFINE: {
        "workflow_recipe": 1.4,
        "dead_end": 1.2,
        "requirement": 1.2,
        "decision": 1.1,
        "task_calibration": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.8,
    },
    Phase.IMPLEMENT: {
        "gotcha": 1.4,
        "error_pattern": 1.3,
        "causal_dependency": 1.2,
        "pattern": 1.1,
        "dead_end": 1.2,
        "prefetch_pattern": 1.1,
    },
    Phase.VALIDATE: {
        "error_pattern": 1.4,
        "e2e_observation": 1.4,
        "requirement": 1.2,
        "work_unit_outcome": 1.1,
    },
    Phase.REFINE: {"error_pattern": 1.3, "gotcha": 1.2, "dead_end": 1.2, "pattern": 1.0},
    Phase.EXPLORE: {
        "module_insight": 1.4,
        "decision": 1.2,
        "pattern": 1.1,
        "causal_dependency": 1.0,
    },
    Phase.REFLECT: {"work_unit_outcome": 1.4, "task_calibration": 1.3, "dead_end": 1.1},
}

#: Weights that grade more types, for comparison: from a design whose planning, coding, QA review,
#: debugging and insights are the first five phases here, and which has none for reflecting.
GRADED_PHASE_WEIGHTS: Final[Mapping[Phase, Mapping[str, float]]] = {
    Phase.DEFINE: {
        "requirement": 1.5,
        "task_calibration": 1.4,
        "decision": 1.3,
        "pattern": 1.2,
        "work_state": 1.1,
        "workflow_recipe": 1.1,
        "causal_dependency": 0.9,
        "gotcha": 0.8,
        "error_pattern": 0.7,
        "prefetch_pattern": 0.6,
    },
    Phase.IMPLEMENT: {
        "gotcha": 1.5,
        "error_pattern": 1.3,
        "causal_dependency": 1.3,
        "pattern": 1.2,
        "module_insight": 1.2,
        "prefetch_pattern": 1.1,
        "preference": 0.9,
        "requirement": 0.8,
        "workflow_recipe": 0.8,
        "decision": 0.7,
        "task_calibration": 0.6,
    },
    Phase.VALIDATE: {
        "error_pattern": 1.5,
        "requirement": 1.4,
        "gotcha": 1.2,
        "decision": 1.1,
        "module_insight": 0.9,
        "workflow_recipe": 0.9,
        "pattern": 0.8,
        "task_calibration": 0.8,
        "preference": 0.7,
        "work_state": 0.5,
        "prefetch_pattern": 0.3,
    },
    Phase.REFINE: {
        "error_pattern": 1.5,
        "gotcha": 1.4,
        "causal_dependency": 1.3,
        "module_insight": 1.2,
        "work_state": 0.9,
        "decision": 0.8,
        "workflow_recipe": 0.8,
        "preference": 0.7,
        "requirement": 0.6,
        "prefetch_pattern": 0.5,
        "task_calibration": 0.5,
    },
    Phase.EXPLORE: {
        "decision": 1.4,
        "module_insight": 1.3,
        "pattern": 1.2,
        "workflow_recipe": 1.1,
        "causal_dependency": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.7,
        "task_calibration": 0.6,
        "work_state": 0.4,
        "prefetch_pattern": 0.3,
    },
}

SOURCE_TRUST: Final[Mapping[str, float]] = {
    "user_taught": 1.4,
    "agent_explicit": 1.2,
    "qa_auto": 1.1,
    "mcp_auto": 1.0,
    "commit_auto": 1.0,
    "observer_inferred": 0.85,
}

BUDGETS: Final[Mapping[Phase, int]] = {
    Phase.DEFINE: 2_500,
    Phase.IMPLEMENT: 3_000,
    Phase.VALIDATE: 2_500,
    Phase.REFINE: 2_000,
    Phase.EXPLORE: 2_000,
    Phase.REFLECT: 1_500,
}

#: Shares of a phase's budget by memory type; types without a share of their own use ``other``.
ALLOCATIONS: Final[Mapping[Phase, Mapping[str, float]]] = {
    Phase.DEFINE: {
        "workflow_recipe": 0.30,
        "requirement": 0.20,
        "decision": 0.20,
        "dead_end": 0.15,
        "task_calibration": 0.10,
        "other": 0.05,
    },
    Phase.IMPLEMENT: {
        "gotcha": 0.30,
        "error_pattern": 0.25,
        "causal_dependency": 0.15,
        "pattern": 0.15,
        "dead_end": 0.10,
        "other": 0.05,
    },
    Phase.VALIDATE: {
        "error_pattern": 0.30,
        "requirement": 0.25,
        "e2e_observation": 0.25,
        "work_unit_outcome": 0.15,
        "other": 0.05,
    },
    Phase.REFINE: {
        "error_pattern": 0.35,
        "gotcha": 0.25,
        "dead_end": 0.20,
        "pattern": 0.15,
        "other": 0.05,
    },
    Phase.EXPLORE: {
        "module_insight": 0.40,
        "decision": 0.25,
        "pattern": 0.20,
        "causal_dependency": 0.15,
    },
    Phase.REFLECT: {
        "work_unit_outcome": 0.40,
        "task_calibration": 0.35,
        "dead_end": 0.15,
        "other": 0.10,
    },
}
