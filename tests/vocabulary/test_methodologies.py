"""Ways of working: each stage has a phase, and others may bring theirs."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint

import pytest

from recollect.vocabulary import methodologies as module
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import WorkUnit
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.methodologies import BMAD, BUILT_IN, NATIVE, TDD, Methodology, Relay
from recollect.vocabulary.phases import Phase


class Kanban:
    """A methodology as a third party would write it."""

    id = "kanban"
    name = "Kanban"
    relays: tuple[Relay, ...] = ()

    def phase_of(self, stage: str) -> Phase:
        return Phase.IMPLEMENT if stage == "doing" else Phase.EXPLORE

    def work_unit(self, context: Mapping[str, str]) -> WorkUnit | None:
        return WorkUnit(self.id, (context["card"],), context["card"]) if "card" in context else None


class Shapeless:
    """Not one."""

    id = "shapeless"


class Impostor(Kanban):
    id = "native"


kanban = Kanban()


def bring(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    """As if installed packages declared these entry points."""
    points = tuple(
        EntryPoint(value.rpartition(":")[2], f"{__name__}:{value}", module.ENTRY_POINT_GROUP)
        for value in values
    )
    monkeypatch.setattr(module, "declared", lambda: points)


def test_phases_are_the_six() -> None:
    assert [phase.value for phase in Phase] == [
        *("define", "implement", "validate", "refine", "explore", "reflect")
    ]


def test_three_are_built_in() -> None:
    assert list(module.methodologies()) == ["native", "tdd", "bmad"]
    for methodology in BUILT_IN:
        assert isinstance(methodology, Methodology)


@pytest.mark.parametrize("methodology", BUILT_IN, ids=lambda one: one.id)
def test_built_in_one_covers_its_work(methodology: Methodology) -> None:
    assert isinstance(methodology, module.TableMethodology)
    phases = {methodology.phase_of(stage) for stage in methodology.stages}
    assert {Phase.DEFINE, Phase.IMPLEMENT, Phase.VALIDATE, Phase.REFINE, Phase.REFLECT} <= phases
    for relay in methodology.relays:
        assert relay.giver != relay.receiver
        assert all(isinstance(kind, MemoryType) for kind in relay.types)


@pytest.mark.parametrize(
    ("methodology", "stage", "phase"),
    [
        (NATIVE, "coding", Phase.IMPLEMENT),
        (NATIVE, " QA-Review ", Phase.VALIDATE),
        (NATIVE, "qa fix", Phase.REFINE),
        (TDD, "RED", Phase.DEFINE),
        (TDD, "green", Phase.IMPLEMENT),
        (TDD, "refactor", Phase.REFINE),
        (BMAD, "prd", Phase.DEFINE),
        (BMAD, "Course Correction", Phase.REFINE),
        (BMAD, "no such stage", Phase.EXPLORE),
    ],
)
def test_stage_has_a_phase(methodology: Methodology, stage: str, phase: Phase) -> None:
    assert methodology.phase_of(stage) is phase


def test_work_unit_is_named_outermost_first() -> None:
    unit = BMAD.work_unit({"story": "12", "epic": "3", "noise": "x", "task": ""})
    assert unit == WorkUnit("bmad", ("3", "12"), "Epic 3 / Story 12")
    assert BMAD.work_unit({}) is None


def test_third_party_brings_one_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "Kanban")
    found = module.methodologies()
    assert list(found) == ["native", "tdd", "bmad", "kanban"]
    assert found["kanban"].phase_of("doing") is Phase.IMPLEMENT


def test_installed_packages_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        asked.append(group)
        return [EntryPoint("Kanban", f"{__name__}:Kanban", group)]

    monkeypatch.setattr(module, "entry_points", entry_points)
    module.declared.cache_clear()
    try:
        assert "kanban" in module.methodologies()
        assert "kanban" in module.methodologies()
    finally:
        module.declared.cache_clear()
    assert asked == ["recollect.methodologies"]


def test_entry_point_may_be_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "kanban")
    assert module.methodologies()["kanban"] is kanban


def test_entry_point_without_the_shape_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "Shapeless")
    with pytest.raises(InvalidInput, match="Shapeless"):
        module.methodologies()


def test_nobody_takes_the_place_of_a_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "Impostor")
    assert module.methodologies()["native"] is NATIVE
