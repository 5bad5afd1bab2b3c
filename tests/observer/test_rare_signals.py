"""Signals that several sessions must show, or that real ones show seldom: they are remembered."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import recollect
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import ActKind
from tests.observer.acts import START, Story


def slowly(story: Story, seconds: float) -> Story:
    """The last answer came so late."""
    last = story.acts[-1]
    story.acts[-1] = replace(last, at=last.at + timedelta(seconds=seconds))
    story.start += timedelta(seconds=seconds)
    return story


def self_correction(story: Story) -> Story:
    story.prompt("why does the cache miss?").read("cache.py", "class Cache: ...")
    story.answer("The cache is keyed by the path of the file, so a rename misses.")
    story.read("keys.py", "def key(commit): return commit.hash").edit("cache.py", "a", "b")
    return story.answer(
        "I initially thought the cache was keyed by path of the file, but it is keyed by the "
        "commit's hash, so every commit misses."
    )


def dead_end(story: Story) -> Story:
    story.prompt("make the worker's test fast").read("worker.py").edit("test_worker.py", "a", "b")
    story.call("Bash", command="pytest -q").fail("Exit code 1\nE  assert 3 == 0")
    return story.answer(
        "Mocking the clock won't work because the worker runs in a process of its own. I'll pass "
        "the clock's address instead."
    )


def external_reference(story: Story) -> Story:
    page = "https://docs.example.org/hooks/reference"
    story.prompt("add a hook").call("WebFetch", url=page, prompt="the shapes").result("## Hooks")
    return story.edit("hooks.py", "a", "b").bash("make test")


def glob_ignore(story: Story) -> Story:
    story.prompt("change the clean command").call("Glob", pattern="**/commands/clean*.go")
    story.result("No files found").call("Grep", pattern="newCleanCmd")
    return story.result("", paths=("cmd/cli/clean.go",)).read("cmd/cli/clean.go")


def parallel_conflict(story: Story) -> Story:
    story.prompt("refactor both handlers").call("Task", description="claude handler").result()
    for agent in ("claude", "gemini", "claude"):
        story.call("Edit", "registry.go", agent=agent, old_string=agent, new_string="x").result()
    return story.bash("make test")


def time_anomaly(story: Story) -> Story:
    story.prompt("release").edit("version.go", "1", "2")
    for _ in range(2):
        slowly(story.bash("mise run test:integration"), 400)
    return story


def rule_broken_again(story: Story) -> Story:
    story.prompt("add a rate").edit("rate.go", "a", "b").call("Bash", command="make lint")
    story.fail(
        f"Exit code 1\nrate.go:{story.start.day}:1: error of `{story.session}` is lost (wrap)"
    )
    return story.edit("rate.go", "b", "return wrap(error)").bash("make lint")


def project_check(story: Story) -> Story:
    return story.prompt("add a rate").edit("rate.ts", "a", "b").bash("pnpm run test 2>&1 | tail -3")


@pytest.mark.parametrize(
    ("signal", "tell", "sessions", "text"),
    [
        (Signal.SELF_CORRECTION, self_correction, 1, "keyed by the commit's hash"),
        (Signal.SELF_CORRECTION, dead_end, 1, "Mocking the clock does not work here"),
        (Signal.PARALLEL_CONFLICT, parallel_conflict, 1, "`registry.go` changes on disk"),
        (Signal.GLOB_IGNORE, glob_ignore, 2, "what was looked for is `cmd/cli/clean.go`"),
        (Signal.EXTERNAL_REFERENCE, external_reference, 3, "docs.example.org/hooks/reference"),
        (
            Signal.RULE_BROKEN_AGAIN,
            rule_broken_again,
            2,
            "the rule `wrap`: “error of … is lost”, mended for example by `return wrap(error)`",
        ),
        (Signal.PROJECT_CHECK, project_check, 5, "runs its tests with `pnpm run test`"),
        (Signal.TIME_ANOMALY, time_anomaly, 3, "`mise run test:integration` takes long"),
    ],
)
def test_a_rare_signal_is_remembered_when_it_comes(
    tmp_path: Path,
    signal: Signal,
    tell: Callable[[Story], Story],
    sessions: int,
    text: str,
) -> None:
    with recollect.open(tmp_path / "memory.db", worker=False) as memory:
        taught: list[list[str]] = []
        for number in range(sessions):
            story = tell(Story(f"s{number}", START + timedelta(days=number)))
            kept = memory.learning.learn(story.observed()).memories
            taught.append([one.content for one in kept if f"signal:{signal.value}" in one.tags])

        assert taught[:-1] == [[]] * (sessions - 1)
        (content,) = taught[-1]
        assert text in content


def test_a_rule_broken_again_after_outside_text_waits_for_the_next_session(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db", worker=False) as memory:
        told: list[list[bool]] = []
        for number in range(3):
            story = Story(f"s{number}", START + timedelta(days=number))
            if number == 1:
                story.call("WebFetch", url="https://example.org/x", prompt="x").result("words")
            kept = memory.learning.learn(rule_broken_again(story).observed()).memories
            told.append([o.needs_review for o in kept if "signal:rule_broken_again" in o.tags])

    assert told == [[], [True], [False]]


def test_looking_up_a_page_waits_for_review(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db", worker=False) as memory:
        for number in range(3):
            story = external_reference(Story(f"s{number}", START + timedelta(days=number)))
            assert any(act.kind is ActKind.CALL and act.tool == "WebFetch" for act in story.acts)
            memory.learning.learn(story.observed())
        (page,) = memory.list(tags=["signal:external_reference"]).items

    assert page.needs_review
    assert "contaminated" in page.tags
