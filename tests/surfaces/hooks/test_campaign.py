"""A few rounds of the campaign that kills the daemon; a hundred are run by hand."""

import pytest

from benchmarks.hooks_crash import campaign


@pytest.mark.usefixtures("campaign_turn")
def test_kills_lose_nothing_double_nothing_and_leave_nobody() -> None:
    figures = campaign(rounds=2, seed=5)

    assert figures["acknowledged"] == 10
    assert [figures[name] for name in ("lost", "twice", "spool_bytes", "left_running")] == [0] * 4
