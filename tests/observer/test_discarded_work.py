"""What the rest of a session throws away is no lesson of it."""

import pytest

from recollect.observer.commands import Discarded, discarded
from recollect.observer.taxonomy import Signal
from recollect.observer.turn_words import undoes_all
from tests.observer.acts import Story

_WISH = "we should always show the commit's hash in the list of sessions"
_CURE = "The list shows `commit_hash` now, because it is read from git."


def _changed() -> Story:
    story = Story().prompt("Start the shop").answer("Done.")
    return story.prompt(_WISH).edit("list.py").answer(_CURE)


def _is_kept(story: Story) -> bool:
    found = story.observed().candidates()
    return any(
        one.signal is Signal.CORRECTION and "always show" in one.content and one.confidence >= 0.45
        for one in found
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git reset --hard", Discarded()),
        ("git reset --hard HEAD~2 && git log", Discarded(commits=2)),
        ("git reset --hard HEAD^", Discarded(commits=1)),
        ("git reset --hard 2b5aa54", Discarded(back_to="2b5aa54")),
        ("git checkout .", Discarded()),
        ("git checkout -- list.py rows.py", Discarded(files=("list.py", "rows.py"))),
        ("git restore list.py 2>&1", Discarded(files=("list.py",))),
        ("git reset --hard origin/main", None),
        ("git restore --staged list.py", None),
        ("git checkout main", None),
        ("cd /tmp/shop && git reset --hard", None),
        ('echo "git reset --hard"', None),
    ],
)
def test_what_a_command_throws_away(command: str, expected: Discarded | None) -> None:
    assert discarded(command) == expected


@pytest.mark.parametrize(
    "command",
    ["git reset --hard", "git checkout -- list.py", "git reset --hard 2b5aa54", "git restore ."],
)
def test_a_change_that_a_later_turn_throws_away_is_no_lesson(command: str) -> None:
    kept = _changed().prompt("look at the orders of the shop now").answer("There are three.")
    assert _is_kept(kept)

    gone = _changed().prompt("look at the orders of the shop now").bash(command)

    assert not _is_kept(gone)


def test_a_change_that_was_committed_before_stays() -> None:
    story = _changed().bash('git commit -m "Show the hash of a commit"')
    story.prompt("look at the orders of the shop now").bash("git reset --hard")

    assert _is_kept(story)


def test_going_back_to_the_commit_of_a_change_keeps_it() -> None:
    story = _changed().bash(
        'git commit -m "Show the hash of a commit"', "[main 2b5aa54] Show the hash of a commit"
    )
    story.prompt("look at the orders of the shop now").bash("git reset --hard 2b5aa54f")

    assert _is_kept(story)


def test_a_reset_that_mends_a_rebase_throws_nothing_away() -> None:
    story = _changed().prompt("bring the branch up to date please").bash("git rebase main")

    assert _is_kept(story.bash("git reset --hard 2b5aa54"))


def test_words_that_throw_all_of_it_away() -> None:
    assert undoes_all("ok rewind all the background changes")
    assert undoes_all("yeah let's abandon the current branch")
    assert not undoes_all("the shop should start over all orders of the day")
    assert not _is_kept(_changed().prompt("let's scrap this approach").edit("list.py"))
