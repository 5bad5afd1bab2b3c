"""The crash campaigns, small: the same code as ``make crash``, so that it cannot rot."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("campaign_turn")
#: On a server every third round brings another blow; on a file all rounds are alike.
@pytest.mark.parametrize(("store", "rounds"), [("postgres", "3"), ("sqlite", "1")])
def test_nothing_is_lost_torn_or_locked(store: str, rounds: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.crash"),
            *("--store", store, "--rounds", rounds, "--writers", "3", "--memories", "30"),
        ],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout.splitlines()[-1:] == ["lost 0, torn 0, locked 0"], done.stdout + done.stderr
    assert done.returncode == 0
