"""Random memories as callers word them, for properties that hold of any."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from recollect.vocabulary.memory import WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.phases import Phase

#: What any store can hold: no NUL, no half of a surrogate pair.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
PRINTED = st.characters(exclude_categories=["C", "Z"])
EARLY = datetime(1990, 1, 1)  # noqa: DTZ001
LATE = datetime(2090, 1, 1)  # noqa: DTZ001

contents = st.text(CHARACTERS, min_size=1, max_size=80).filter(str.strip)
names = st.text(PRINTED, min_size=1, max_size=12)
paths = st.lists(
    st.text("abcxyz_-.ü", min_size=1, max_size=6).filter(lambda part: part not in {".", ".."}),
    min_size=1,
    max_size=3,
).map("/".join)
fractions = st.floats(0, 1)
moments = st.datetimes(EARLY, LATE, timezones=st.sampled_from([UTC]))
name_lists = st.lists(names, unique=True, max_size=4)
path_lists = st.lists(paths, unique=True, max_size=4)
half_lives = st.none() | st.floats(0.01, 10_000)
work_units = st.builds(
    WorkUnit,
    methodology=st.sampled_from(["native", "tdd", "house"]),
    hierarchy=st.lists(names, min_size=1, max_size=3).map(tuple),
    label=names,
)

EXTRAS: dict[MemoryType, dict[str, Any]] = {
    MemoryType.WORKFLOW_RECIPE: {
        "task_pattern": "add an endpoint",
        "steps": [{"order": 1, "description": "route"}, {"order": 3, "description": "test"}],
        "success_count": 2,
    },
    MemoryType.DEAD_END: {"approach_tried": "threads", "why_it_failed": "the lock"},
    MemoryType.PREFETCH_PATTERN: {
        "module_trigger": "auth",
        "always_read_files": ["a.py"],
        "frequently_read_files": [],
        "session_count": 4,
    },
    MemoryType.TASK_CALIBRATION: {
        "module": "auth",
        "methodology": "native",
        "average_actual_steps": 12.5,
        "average_planned_steps": 10.0,
        "ratio": 1.25,
        "sample_count": 8,
    },
    MemoryType.WORK_STATE: {
        "completed": ["one"],
        "in_progress": {"description": "two", "next_step": "three"},
        "key_decisions": [],
    },
    MemoryType.CAUSAL_DEPENDENCY: {"when_changed": "a.py", "then_touch": ["b.py"]},
    MemoryType.CONTEXT_COST: {"module": "auth", "average_tokens": 900.0, "sample_count": 1},
    MemoryType.ERROR_PATTERN: {"error": "ENOENT", "fix": "mkdir"},
    MemoryType.WORK_UNIT_OUTCOME: {"outcome": "success", "steps": 3},
    MemoryType.FACT: {"key": "port", "value": "8080"},
    MemoryType.EPISODE: {
        "title": "Auth refactor",
        "artifacts": [{"type": "adr", "ref": "ADR-12"}],
    },
    MemoryType.PATTERN: {
        "trigger": "new endpoint",
        "template": {"route": "{method} /api"},
        "hint": "route -> check -> answer",
    },
    MemoryType.E2E_OBSERVATION: {"observation": "flaky"},
    MemoryType.MEMO: {
        "window": ["evt_1"],
        "participants": ["ada"],
        "topics": [],
        "helpfulness": 1.0,
    },
}


def _without_extras(kind: MemoryType) -> list[dict[str, Any]]:
    """A recipe has its steps; whatever else may do without extras."""
    return [] if kind is MemoryType.WORKFLOW_RECIPE else [{}]


@st.composite
def drafts(draw: st.DrawFn) -> dict[str, Any]:
    """The arguments of ``remember``, every field of a draft among them at some time."""
    kind = draw(st.sampled_from(list(MemoryType)))
    begins = draw(st.none() | moments)
    ends = draw(st.none() | st.timedeltas(timedelta(), timedelta(days=3_000)))
    fields: dict[str, Any] = {
        "content": draw(contents),
        "type": kind.value,
        "confidence": draw(fractions),
        "importance": draw(fractions),
        "scope": draw(st.sampled_from(list(Scope))).value,
        "source": draw(st.sampled_from(list(Source))).value,
        "tags": draw(name_lists),
        "files": draw(path_lists),
        "modules": draw(name_lists),
        "sessions": draw(name_lists),
        "session": draw(st.none() | names),
        "commit": draw(st.none() | st.from_regex(r"[0-9a-f]{4,64}", fullmatch=True)),
        "phase": draw(st.none() | st.sampled_from(list(Phase))),
        "work_unit": draw(st.none() | work_units),
        "extras": draw(st.sampled_from([EXTRAS.get(kind, {}), *_without_extras(kind)])),
        "citation": draw(st.none() | names),
        "summary": draw(st.none() | contents),
        "compressed": draw(st.none() | contents),
        "index": draw(st.none() | contents),
        "half_life_days": draw(half_lives),
        "valid_from": begins,
        "valid_to": None if ends is None or begins is None else begins + ends,
        "pinned": draw(st.booleans()),
        "manually_saved": draw(st.booleans()),
        "needs_review": draw(st.booleans()),
    }
    visibility = draw(st.sampled_from(["personal", "project", "team", "organisation"]))
    fields["visibility"] = visibility
    if visibility in {"team", "organisation"}:
        fields[visibility] = draw(names)
    return fields


@st.composite
def updates(draw: st.DrawFn) -> dict[str, Any]:
    """Some arguments of ``update``: those that keep a fact a fact, so that any memory takes it."""
    values: dict[str, st.SearchStrategy[Any]] = {
        "content": contents,
        "scope": st.sampled_from(list(Scope)).map(lambda scope: scope.value),
        "confidence": fractions,
        "importance": fractions,
        "tags": name_lists,
        "files": path_lists,
        "modules": name_lists,
        "citation": st.none() | names,
        "half_life_days": half_lives,
        "pinned": st.booleans(),
        "manually_saved": st.booleans(),
        "needs_review": st.booleans(),
        "user_verified": st.booleans(),
        "disputed": st.booleans(),
        "stale_at": st.none() | moments,
        "valid_from": moments,
        "extras": st.sampled_from([{}, {"key": "port", "value": "1"}, {"applies_to": "x"}]),
        "summary": st.none() | contents,
        "compressed": st.none() | contents,
        "index": st.none() | contents,
    }
    chosen = draw(st.sets(st.sampled_from(sorted(values)), min_size=1, max_size=4))
    return {name: draw(values[name]) for name in sorted(chosen)}
