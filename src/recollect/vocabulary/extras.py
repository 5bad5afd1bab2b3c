"""The typed extra fields of each kind of memory, validated when a memory is written.

A kind that is not listed takes no extras but free ones under its own names. Pydantic is imported
here only, so that nothing pays for it before the first typed extra.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory_types import MemoryType


class Extras(BaseModel):
    """Base of all extras: no unknown names, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RecipeStep(Extras):
    """One step of a recipe."""

    order: int = Field(ge=1)
    description: str = Field(min_length=1)
    file: str | None = None
    line: int | None = Field(default=None, ge=1)


class WorkflowRecipe(Extras):
    """How a kind of task is done here, step by step."""

    task_pattern: str = Field(min_length=1)
    steps: tuple[RecipeStep, ...] = Field(min_length=1)
    last_validated_at: str | None = None
    success_count: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> "WorkflowRecipe":
        orders = [step.order for step in self.steps]
        if orders != sorted(set(orders)):
            raise ValueError("steps must be in order, each number once")
        return self


class DeadEnd(Extras):
    """An approach that was tried and abandoned."""

    approach_tried: str = Field(min_length=1)
    why_it_failed: str = Field(min_length=1)
    alternative_used: str | None = None
    task_context: str | None = None


class PrefetchPattern(Extras):
    """Files that are read together when a module is worked on."""

    module_trigger: str = Field(min_length=1)
    always_read_files: tuple[str, ...] = ()
    frequently_read_files: tuple[str, ...] = ()
    session_count: int = Field(default=0, ge=0)


class TaskCalibration(Extras):
    """How planned and actual steps compare in a module."""

    module: str = Field(min_length=1)
    methodology: str = "native"
    average_actual_steps: float = Field(ge=0)
    average_planned_steps: float = Field(gt=0)
    ratio: float = Field(ge=0)
    sample_count: int = Field(ge=1)


class InProgress(Extras):
    """The unfinished work at the end of a session."""

    description: str = Field(min_length=1)
    next_step: str | None = None


class WorkState(Extras):
    """Where a session stopped, for the next one to continue."""

    completed: tuple[str, ...] = ()
    in_progress: InProgress | None = None
    key_decisions: tuple[str, ...] = ()
    branch: str | None = None
    methodology: str | None = None
    own: dict[str, JsonValue] | None = None  # what the methodology extracted


class CausalDependency(Extras):
    """A file that must be changed when another changes."""

    when_changed: str = Field(min_length=1)
    then_touch: tuple[str, ...] = Field(min_length=1)


class ContextCost(Extras):
    """The cost of a module in tokens."""

    module: str = Field(min_length=1)
    average_tokens: float = Field(ge=0)
    sample_count: int = Field(ge=1)


class ErrorPattern(Extras):
    """A recurring error and its fix."""

    error: str | None = None
    fix: str | None = None
    command: str | None = None
    severity: str | None = Field(default=None, pattern="^(critical|high|medium|low)$")
    spec: str | None = Field(default=None, min_length=1, max_length=200)


class WorkUnitOutcome(Extras):
    """How a piece of work ended."""

    outcome: str = Field(pattern="^(success|failure|partial)$")
    steps: int | None = Field(default=None, ge=0)
    sessions: int | None = Field(default=None, ge=1)
    said: bool | None = None


class OwnFields(Extras):
    """Fields of a type that a methodology brought; it checked them itself."""

    own: dict[str, JsonValue] = Field(default_factory=dict)


class Fact(Extras):
    """A fact as a key and a value."""

    own: dict[str, JsonValue] | None = None
    key: str | None = None
    value: str | None = None
    applies_to: str | None = None


class Artifact(Extras):
    """Something that an episode left behind."""

    type: str = Field(pattern="^(commit|pull_request|adr|file)$")
    ref: str = Field(min_length=1, max_length=200)


class Episode(Extras):
    """Something that happened, with its artifacts."""

    title: str | None = Field(default=None, min_length=1, max_length=200)
    artifacts: tuple[Artifact, ...] = ()


class CodePattern(Extras):
    """How something is built here: when it applies, its parts, and a line that recalls it."""

    trigger: str | None = Field(default=None, min_length=1, max_length=200)
    template: dict[str, str] = Field(default_factory=dict)
    hint: str | None = Field(default=None, min_length=1, max_length=500)


class E2eObservation(Extras):
    """An observation of the application, by its class."""

    observation: str | None = Field(default=None, min_length=1, max_length=100)


class MemoExtras(Extras):
    """The window of conversation that a memo cites, and its participants.

    ``summary_by`` names the author of the content: for ``source``, only topics are stored, and the
    text is read from the events each time.
    """

    window_start: str | None = None
    window_end: str | None = None
    window: tuple[str, ...] = ()
    stream: str | None = None
    participants: tuple[str, ...] = ()
    primary_answerer: str | None = None
    topics: tuple[str, ...] = ()
    summary_by: str | None = Field(default=None, pattern="^(user|model|question|source)$")
    topics_by: str | None = Field(default=None, pattern="^(user|source)$")
    helpfulness: float = 0.0
    imported_from: str | None = None


EXTRAS: dict[MemoryType, type[Extras]] = {
    MemoryType.WORKFLOW_RECIPE: WorkflowRecipe,
    MemoryType.DEAD_END: DeadEnd,
    MemoryType.PREFETCH_PATTERN: PrefetchPattern,
    MemoryType.TASK_CALIBRATION: TaskCalibration,
    MemoryType.WORK_STATE: WorkState,
    MemoryType.CAUSAL_DEPENDENCY: CausalDependency,
    MemoryType.CONTEXT_COST: ContextCost,
    MemoryType.ERROR_PATTERN: ErrorPattern,
    MemoryType.WORK_UNIT_OUTCOME: WorkUnitOutcome,
    MemoryType.FACT: Fact,
    MemoryType.EPISODE: Episode,
    MemoryType.PATTERN: CodePattern,
    MemoryType.E2E_OBSERVATION: E2eObservation,
    MemoryType.MEMO: MemoExtras,
}


def checked_extras(memory_type: MemoryType, extras: Mapping[str, Any]) -> dict[str, Any]:
    """The extras in stored form; an error names each invalid field."""
    model = EXTRAS.get(memory_type)
    if model is None and set(extras) == {"own"}:
        model = OwnFields
    if model is None:
        raise InvalidInput(
            f"A {memory_type.value} takes no extras, but got {', '.join(sorted(extras))}."
        )
    try:
        return model.model_validate(dict(extras)).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        found = error.errors()
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'extras'}: {_problem(problem)}"
            for problem in found
        )
        unknown = any(problem["type"] == "extra_forbidden" for problem in found)
        raise InvalidInput(
            f"The extras of this {memory_type.value} do not fit: {problems}.",
            hint=f"It takes: {', '.join(model.model_fields)}." if unknown else None,
        ) from None


def _problem(found: Mapping[str, Any]) -> str:
    return "it takes no such field" if found["type"] == "extra_forbidden" else str(found["msg"])
