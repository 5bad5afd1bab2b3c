"""From the command line: a wish becomes the project's, and what a session decided goes back."""

from datetime import timedelta
from pathlib import Path

import recollect
from recollect.engine import Recollect
from tests.observer.acts import START, Story
from tests.surfaces.cli.runner import InProcess

PNPM = "please always use pnpm here"


def told(memory: Recollect, number: int, words: str) -> str:
    story = Story(f"s{number}", START - timedelta(days=9 - number)).prompt("Add a voucher")
    story.bash("ls").answer("Done.").prompt(words).edit("src/cart.py", "a", "b").answer("Right.")
    (kept,) = memory.learning.learn(story.observed()).memories
    return kept.id


def test_a_steward_makes_a_wish_the_project_s(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with recollect.open(db, worker=False) as memory:
        memory.add_member("ann")
        wish = told(memory.within(user="ann"), 1, PNPM)
    cli = InProcess(db)

    shown = cli("review", "--wishes")
    assert PNPM in shown.out
    assert "ann's wish: only ann's agents are told" in shown.out
    done = cli("review", "--wishes", "--confirm", wish)
    assert f"Confirmed preference {wish}" in done.out
    assert "No wish here is one person's alone." in done.out


def test_what_a_later_session_replaced_can_be_taken_back(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with recollect.open(db, worker=False) as memory:
        old = told(memory, 1, PNPM)
        told(memory, 2, "we moved: please always use yarn here from now on, not pnpm")
    cli = InProcess(db)

    (decided,) = cli.json("contradictions", "--resolved")["items"]
    again = cli("contradictions", "reopen", decided["id"])
    assert again.code == 0
    assert cli.json("show", old)["superseded_by"] is None
