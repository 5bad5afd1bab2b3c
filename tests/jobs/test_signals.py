"""A worker that sleeps is woken by a write of another process, where the store can do that."""

import threading
from datetime import timedelta

import pytest

from recollect.storage.dialects.postgres import notifications
from tests.jobs.helpers import Counting, FakeClock, put_jobs, worker_of
from tests.stores import Keeper

pytestmark = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)

LONG = timedelta(hours=1)


def test_sleeping_worker_is_woken_by_another_process(
    path: str, database: Keeper, clock: FakeClock
) -> None:
    done = threading.Event()
    sleeper = Keeper(path)
    handler = Counting(lambda jobs: done.set())
    worker = worker_of(
        sleeper, handler, clock, pause=LONG, longest_pause=LONG, listen=sleeper.dialect.listen
    )
    worker.start()
    try:
        for _ in range(1_000):  # until the listener listens
            put_jobs(database, 1)
            if done.wait(0.2):
                break
        assert done.is_set()
    finally:
        assert worker.stop()
        sleeper.close()


def test_listener_comes_back_after_its_connection_was_cut(
    path: str, database: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "_PAUSE", 0.05)
    woken = threading.Event()
    stop = database.dialect.listen(woken.set)
    try:
        for cut in (False, True):
            if cut:
                database.write(
                    lambda t: t.exec_driver_sql(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE query LIKE 'LISTEN%%'"
                    ).all()
                )
            woken.clear()
            for _ in range(1_000):
                put_jobs(database, 1)
                if woken.wait(0.2):
                    break
            assert woken.is_set()
    finally:
        stop()


def test_writes_close_together_share_a_hint(
    database: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, told = [0.0], []
    speaker = notifications.Notifications(lambda: now[0])
    monkeypatch.setattr(speaker, "_send", lambda engine: told.append(now[0]))
    for step in (0.0, 0.01, 0.01, notifications.APART, 0.01):
        now[0] += step
        speaker.notify(database._engine)
    assert len(told) == 2
