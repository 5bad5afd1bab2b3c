"""A memory as it stood: undoing what history tells gives every earlier state again, exactly."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.memories.changes import CHANGEABLE, differences, is_searched, updated
from recollect.memories.drafts import draft_of, memory_of
from recollect.memories.reader import as_it_stood
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Counts, Levels, Memory
from recollect.vocabulary.spaces import Space, SpaceKind
from tests.clocks import TickingClock
from tests.contracts.drafts import drafts, updates

HOUR = timedelta(hours=1)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPACE = Space("spc_1", "atlas", SpaceKind.PROJECT, None, None, NOW)


def remembered(memory: Memory) -> Memory:
    """What history is there to tell: all but when it was touched, how often, and what jobs fill."""
    levels = Levels(memory.levels.summary, memory.levels.compressed, memory.levels.index)
    return replace(
        memory,
        levels=levels,
        updated_at=memory.created_at,
        last_accessed_at=None,
        counts=Counts(),
    )


actions = st.one_of(
    updates(), st.sampled_from(["archive", "restore", "supersede", "push", "end", "reopen"])
)


@given(draft=drafts(), steps=st.lists(actions, max_size=8), data=st.data())
def test_every_earlier_state_can_be_read_again(
    memory: Recollect,
    clock: TickingClock,
    draft: dict[str, Any],
    steps: list[Any],
    data: st.DataObject,
) -> None:
    kept = memory.remember(**{**draft, "type": "fact", "extras": {}, "valid_to": None})
    pusher = memory.remember("pusher", confidence=1.0)
    snapshots = [(clock.move(HOUR), kept)]
    for step in steps:
        clock.move(HOUR)
        take(step, memory, kept, pusher, data)
        snapshots.append((clock.move(HOUR), current(memory, kept)))

    for moment, snapshot in snapshots:
        then = memory.get(kept.id, as_of=moment)
        assert isinstance(then, Memory)
        assert remembered(then) == remembered(snapshot)


def take(step: Any, memory: Recollect, kept: Memory, pusher: Memory, data: st.DataObject) -> None:
    """One step in the life of a memory."""
    now = current(memory, kept)
    if isinstance(step, dict):
        change(memory, kept, step)
    elif step == "archive":
        memory.forget(kept.id)
    elif step == "restore":
        memory.restore(kept.id)
    elif step == "end":
        days = data.draw(st.integers(0, 5))
        memory.update(kept.id, valid_to=now.valid_from + days * 24 * HOUR)
    elif step == "reopen":
        memory.update(kept.id, valid_to=None)
    elif step == "push":
        kind = data.draw(st.sampled_from(["validates", "conflicts_with"]))
        memory.relate(pusher.id, kind, memory=kept.id)
    elif step == "supersede" and not now.superseded_by:
        memory.supersede(kept.id, "successor")


def change(memory: Recollect, kept: Memory, fields: dict[str, Any]) -> None:
    """Change it; a beginning after the end that it has by now is refused."""
    end = current(memory, kept).valid_to
    if end is not None and fields.get("valid_from", end) > end:
        with pytest.raises(InvalidInput, match="valid_to lies before"):
            memory.update(kept.id, **fields)
    else:
        memory.update(kept.id, **fields)


def current(memory: Recollect, kept: Memory) -> Memory:
    item = memory.get(kept.id)
    assert isinstance(item, Memory)
    return item


def plain_memory(**fields: Any) -> Memory:
    return memory_of(draft_of("x", fields), SPACE, Viewer("ada"), NOW)


def test_no_history_is_no_change() -> None:
    memory = plain_memory()
    assert as_it_stood(memory, [], NOW - HOUR) == memory


@given(change=updates())
def test_differences_are_what_changed_and_nothing_else(change: dict[str, Any]) -> None:
    old = plain_memory()
    new = updated(old, change)
    told = differences(old, new)
    assert set(told) <= set(change)
    assert differences(old, old) == {}
    for before, after in told.values():
        assert before != after


def test_fields_that_may_not_be_changed_are_named() -> None:
    memory = plain_memory()
    with pytest.raises(InvalidInput, match=r"audience, owner cannot be changed"):
        updated(memory, {"owner": "bob", "audience": "x", "content": "y"})
    with pytest.raises(InvalidInput, match="No change was given"):
        updated(memory, {})
    assert not {"audience", "space_id", "provenance", "owner", "visibility"} & set(CHANGEABLE)


@pytest.mark.parametrize(
    ("change", "searched"),
    [
        ({"content": "y"}, True),
        ({"tags": ["t"]}, True),
        ({"files": ["f"]}, True),
        ({"modules": ["m"]}, True),
        ({"valid_to": NOW + HOUR}, True),
        ({"valid_from": NOW - HOUR}, True),
        ({"confidence": 0.1, "pinned": True, "summary": "s", "scope": "module"}, False),
    ],
)
def test_search_is_touched_only_by_what_it_sees(change: dict[str, Any], searched: bool) -> None:
    old = plain_memory()
    assert is_searched(old, updated(old, change)) is searched
