"""Methodologies: map the stages of a process to the six phases; the engine sees only phases.

Three are included: native, test-driven, BMAD. A third party adds one by an entry point in the group
``recollect.methodologies`` that loads to an object of the interface below. It may also bring hooks,
each of which is optional: see ``HOOKS``.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Protocol, runtime_checkable

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import OWN_TYPE, WorkUnit
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.phases import Phase

ENTRY_POINT_GROUP: Final = "recollect.methodologies"
#: Optional hooks, each with the names under which a methodology may bring it:
#: ``format_relay_context(memories, to_stage) -> str``,
#: ``extract_work_state(session_output) -> mapping``,
#: ``format_work_state_context(state) -> str``,
#: ``custom_memory_types``: names, or ``MemoryTypeDefinition`` objects,
#: ``on_work_unit_complete(context, result, memory)``.
HOOKS: Final = {
    "format_relay_context": ("format_relay_context", "format_relay"),
    "extract_work_state": ("extract_work_state",),
    "format_work_state_context": ("format_work_state_context", "format_work_state"),
    "custom_memory_types": ("custom_memory_types", "memory_types"),
    "on_work_unit_complete": ("on_work_unit_complete",),
}
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MemoryTypeDefinition:
    """A type of memory that a methodology brings.

    It is kept as ``base``, so that it is ranked, told and forgotten like one. ``check`` is given
    content and extras, and raises ``ValueError`` with a reason to refuse them.
    """

    name: str
    base: MemoryType = MemoryType.FACT
    check: Callable[[str, Mapping[str, Any]], object] | None = None


@dataclass(frozen=True, slots=True)
class OwnType:
    """A type of memory with the methodology that brought it."""

    methodology: str
    name: str
    base: MemoryType
    check: Callable[[str, Mapping[str, Any]], object] | None

    @property
    def tag(self) -> str:
        """Tag of the memories of this type."""
        return f"{OWN_TYPE}{self.methodology}/{self.name}"


@dataclass(frozen=True, slots=True)
class Relay:
    """What one stage hands over to the next; no types means everything."""

    giver: str
    receiver: str
    types: frozenset[MemoryType] = field(default_factory=frozenset)


@runtime_checkable
class Methodology(Protocol):
    """One way of working."""

    @property
    def id(self) -> str:
        """A short stable name, stored on memories."""
        ...

    @property
    def name(self) -> str:
        """The display name."""
        ...

    @property
    def relays(self) -> tuple[Relay, ...]:
        """What its stages hand over."""
        ...

    def phase_of(self, stage: str) -> Phase:
        """The phase of one of its stages; an unknown stage explores."""
        ...

    def work_unit(self, context: Mapping[str, str]) -> WorkUnit | None:
        """The piece of work that a context names, if any."""
        ...


@dataclass(frozen=True, slots=True)
class TableMethodology:
    """A methodology given by tables: stages to phases, and the parts of a work unit in order."""

    id: str
    name: str
    stages: Mapping[str, Phase]
    unit_parts: tuple[tuple[str, str], ...]
    relays: tuple[Relay, ...] = ()

    def phase_of(self, stage: str) -> Phase:
        """The phase of a stage, however it is spelled; an unknown stage explores."""
        return self.stages.get(
            stage.strip().lower().replace("-", "_").replace(" ", "_"), Phase.EXPLORE
        )

    def work_unit(self, context: Mapping[str, str]) -> WorkUnit | None:
        """The parts that the context names, outermost first."""
        named = [(title, str(context[key])) for key, title in self.unit_parts if context.get(key)]
        if not named:
            return None
        label = " / ".join(f"{title} {value}" for title, value in named)
        return WorkUnit(self.id, tuple(value for _, value in named), label)


NATIVE: Final = TableMethodology(
    id="native",
    name="Native (subtasks)",
    stages={
        "planning": Phase.DEFINE,
        "spec": Phase.DEFINE,
        "coding": Phase.IMPLEMENT,
        "qa_review": Phase.VALIDATE,
        "qa_fix": Phase.REFINE,
        "debugging": Phase.REFINE,
        "insights": Phase.EXPLORE,
        "reflection": Phase.REFLECT,
    },
    unit_parts=(("spec", "Spec"), ("subtask", "Subtask")),
    relays=(
        Relay("planner", "coder"),
        Relay("coder", "qa_reviewer"),
        Relay(
            "qa_reviewer",
            "qa_fixer",
            frozenset({MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT}),
        ),
    ),
)

TDD: Final = TableMethodology(
    id="tdd",
    name="Test-driven development",
    stages={
        "red": Phase.DEFINE,
        "write_test": Phase.DEFINE,
        "green": Phase.IMPLEMENT,
        "make_pass": Phase.IMPLEMENT,
        "verify": Phase.VALIDATE,
        "refactor": Phase.REFINE,
        "spike": Phase.EXPLORE,
        "retrospective": Phase.REFLECT,
    },
    unit_parts=(("feature", "Feature"), ("test", "Test")),
    relays=(
        Relay("red", "green", frozenset({MemoryType.REQUIREMENT, MemoryType.GOTCHA})),
        Relay("green", "refactor"),
    ),
)

BMAD: Final = TableMethodology(
    id="bmad",
    name="BMAD (agile agents)",
    stages={
        "analyst": Phase.EXPLORE,
        "brainstorming": Phase.EXPLORE,
        "brief": Phase.DEFINE,
        "prd": Phase.DEFINE,
        "architecture": Phase.DEFINE,
        "epic": Phase.DEFINE,
        "story": Phase.DEFINE,
        "dev": Phase.IMPLEMENT,
        "qa": Phase.VALIDATE,
        "review": Phase.VALIDATE,
        "course_correction": Phase.REFINE,
        "retrospective": Phase.REFLECT,
    },
    unit_parts=(("epic", "Epic"), ("story", "Story"), ("task", "Task")),
    relays=(
        Relay("analyst", "architect"),
        Relay("architect", "dev", frozenset({MemoryType.DECISION, MemoryType.REQUIREMENT})),
        Relay("dev", "qa"),
    ),
)

BUILT_IN: Final = (NATIVE, TDD, BMAD)


@cache
def declared() -> tuple[EntryPoint, ...]:
    """What installed packages bring, read once: to look means to open a file of each package."""
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def hook_of(methodology: Methodology, hook: str) -> Any:
    """What a methodology brings for a hook; None where it brings nothing."""
    names = (name for name in HOOKS[hook] if getattr(methodology, name, None) is not None)
    name = next(names, None)
    return None if name is None else getattr(methodology, name)


def own_types() -> dict[str, OwnType]:
    """The types that methodologies bring, by name and by ``methodology/name``; the first counts."""
    found: dict[str, OwnType] = {}
    for methodology in methodologies().values():
        for given in hook_of(methodology, "custom_memory_types") or ():
            one = MemoryTypeDefinition(given) if isinstance(given, str) else given
            if not isinstance(one, MemoryTypeDefinition):
                _log.warning("The methodology %s brings a type that is none.", methodology.id)
                continue
            own = OwnType(methodology.id, one.name, MemoryType(one.base), one.check)
            found.setdefault(one.name, own)
            found.setdefault(f"{methodology.id}/{one.name}", own)
    return found


def methodologies() -> dict[str, Methodology]:
    """Every methodology by id: ours, then those of installed packages. One that cannot be loaded
    is left out and logged."""
    found: dict[str, Methodology] = {methodology.id: methodology for methodology in BUILT_IN}
    for point in declared():
        try:
            loaded = point.load()
            brought = loaded() if isinstance(loaded, type) else loaded
        except Exception as error:  # noqa: BLE001 a plug-in's fault is not the session's
            _log.warning(
                "The methodology %s could not be loaded: %s", point.name, type(error).__name__
            )
            continue
        if not isinstance(brought, Methodology):
            raise InvalidInput(
                f"The methodology {point.name!r} of {point.value} is not a valid methodology.",
                hint="It needs id, name, relays, phase_of() and work_unit().",
            )
        found.setdefault(brought.id, brought)
    return found
