"""Garbage is looked for when nobody waits, and never in between."""

import gc
import time

import pytest

from recollect.surfaces.rest import server
from recollect.surfaces.rest.server import IdleCollector, tune_collector


def test_a_quiet_moment_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    looked: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(gc, "collect", lambda: looked.append(now))
    monkeypatch.setattr(gc, "freeze", lambda: None)
    moments = IdleCollector()
    answered = [0, 0, 3, 3, 3, 3, 9, 9, 9]
    for step, count in enumerate(answered):
        now = 100.0 + step * 1.5
        moments.used(count)
    assert looked == [106.0, 112.0]  # three seconds after the last of each


def test_looks_at_everything_are_rare_meanwhile_and_as_usual_afterwards() -> None:
    usual = gc.get_threshold()
    with tune_collector():
        assert gc.get_threshold() == (server._YOUNG, usual[1], server._RARELY)
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == usual
    assert gc.get_freeze_count() == 0
