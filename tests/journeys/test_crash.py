"""The crash campaigns, small: the same code as ``make crash``, so that it cannot rot."""

import subprocess

import pytest

from tests.child_processes import started


@pytest.mark.usefixtures("campaign_turn")
#: On a server every third round brings another blow; on a file all rounds are alike.
@pytest.mark.parametrize(("store", "rounds"), [("postgres", "3"), ("sqlite", "1")])
def test_nothing_is_lost_torn_or_locked(store: str, rounds: str) -> None:
    campaign = started(
        *("benchmarks.crash", "--store", store, "--rounds", rounds),
        *("--writers", "3", "--memories", "10"),
        stderr=subprocess.PIPE,
    )
    told, troubles = campaign.communicate(timeout=600)
    assert told.splitlines()[-1:] == ["lost 0, torn 0, locked 0"], told + troubles
    assert campaign.returncode == 0
