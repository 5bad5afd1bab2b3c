"""Types of memory, their sources, scopes and relations.

Each type's half-life says how fast unused confidence fades; a type without one never fades.
"""

from enum import StrEnum
from typing import Final


class MemoryType(StrEnum):
    """The subject of a memory."""

    GOTCHA = "gotcha"
    DECISION = "decision"
    PREFERENCE = "preference"
    PATTERN = "pattern"
    REQUIREMENT = "requirement"
    ERROR_PATTERN = "error_pattern"
    MODULE_INSIGHT = "module_insight"
    PREFETCH_PATTERN = "prefetch_pattern"
    WORK_STATE = "work_state"
    CAUSAL_DEPENDENCY = "causal_dependency"
    TASK_CALIBRATION = "task_calibration"
    E2E_OBSERVATION = "e2e_observation"
    DEAD_END = "dead_end"
    WORK_UNIT_OUTCOME = "work_unit_outcome"
    WORKFLOW_RECIPE = "workflow_recipe"
    CONTEXT_COST = "context_cost"
    FACT = "fact"
    EPISODE = "episode"
    MEMO = "memo"


HALF_LIFE_DAYS: Final[dict[MemoryType, float]] = {
    MemoryType.WORK_STATE: 7,
    MemoryType.E2E_OBSERVATION: 30,
    MemoryType.ERROR_PATTERN: 60,
    MemoryType.GOTCHA: 60,
    MemoryType.MODULE_INSIGHT: 90,
    MemoryType.DEAD_END: 90,
    MemoryType.CAUSAL_DEPENDENCY: 120,
    MemoryType.WORKFLOW_RECIPE: 120,
    MemoryType.TASK_CALIBRATION: 180,
}


class Source(StrEnum):
    """How a memory was created."""

    AGENT_EXPLICIT = "agent_explicit"
    OBSERVER_INFERRED = "observer_inferred"
    QA_AUTO = "qa_auto"
    MCP_AUTO = "mcp_auto"
    COMMIT_AUTO = "commit_auto"
    USER_TAUGHT = "user_taught"
    SYSTEM = "system"
    RESEARCHER = "researcher"


#: Sources that are conclusions of programs, not taught or written down by people.
INFERRED: Final = frozenset(
    {
        Source.OBSERVER_INFERRED,
        Source.QA_AUTO,
        Source.MCP_AUTO,
        Source.COMMIT_AUTO,
        Source.SYSTEM,
        Source.RESEARCHER,
    }
)


class Scope(StrEnum):
    """How widely a memory applies. For who may see it, see ``audiences``."""

    GLOBAL = "global"
    MODULE = "module"
    WORK_UNIT = "work_unit"
    SESSION = "session"


class RelationType(StrEnum):
    """How one memory relates to another, or to a file."""

    REQUIRED_WITH = "required_with"
    CONFLICTS_WITH = "conflicts_with"
    VALIDATES = "validates"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"


class ListOrder(StrEnum):
    """Sort order of a list of memories."""

    NEWEST = "newest"
    UNSURE = "unsure"
    USED = "used"


class OnRepeat(StrEnum):
    """How to handle a text that says the same as an existing memory."""

    MERGE = "merge"  # the memory counts it, and takes over its tags, files and sources
    KEEP = "keep"  # it becomes a memory of its own
    SKIP = "skip"  # nothing is written and nothing counted
