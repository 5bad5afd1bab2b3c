"""Commands that fail as they are called here, and pass when they are called otherwise."""

import pytest

from recollect.observer.call_changes import still_fails
from recollect.observer.observer import Observer
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story
from tests.observer.test_signals import found


def recipes(story: Story) -> list[str]:
    return [one.content for one in found(story, Signal.CALL_RECIPE)]


def retried(failed: str, printed: str, worked: str, passed: str = "ok") -> Story:
    story = Story().prompt("Look after it").call("Bash", command=failed).fail(printed)
    return story.bash(worked, passed)


CASES = [
    (
        "go test ./...",
        "Exit code 1\ngo: go.mod file not found in current directory or any parent directory",
        "cd services/api && go test ./...",
        "Here `go test ./...` fails (“go: go.mod file not found in current directory or any parent "
        "directory”); `cd services/api && go test ./...` passes.",
    ),
    (
        "python tools/gen.py",
        "Exit code 127\n/bin/bash: line 1: python: command not found",
        "python3 tools/gen.py",
        "Here `python tools/gen.py` fails (“/bin/bash: line 1: python: command not found”); "
        "`python3 tools/gen.py` works.",
    ),
    (
        "pip install flask",
        "Exit code 1\nerror: externally-managed-environment\n\n× This environment is",
        "python3 -m venv .venv && .venv/bin/pip install flask",
        "Here `pip install flask` fails (“error: externally-managed-environment”); "
        "`python3 -m venv .venv && .venv/bin/pip install flask` works.",
    ),
    (
        "npx playwright install",
        "Exit code 1\nError: EPERM: operation not permitted, mkdir '/root/.cache/ms-playwright'",
        "PLAYWRIGHT_BROWSERS_PATH=.browsers npx playwright install",
        "Here `npx playwright install` fails (“Error: EPERM: operation not permitted, mkdir "
        "'/root/.cache/ms-playwright'”); `PLAYWRIGHT_BROWSERS_PATH=.browsers npx playwright "
        "install` works.",
    ),
    (
        "node build.js",
        "Exit code 1\nReferenceError: require is not defined in ES module scope",
        "node build.cjs",
        "Here `node build.js` fails (“ReferenceError: require is not defined in ES module scope”); "
        "`node build.cjs` passes.",
    ),
    (
        "git show --no-stat HEAD",
        "Exit code 128\nfatal: unrecognized argument: --no-stat",
        "git show -s HEAD",
        "Here `git show --no-stat HEAD` fails (“fatal: unrecognized argument: --no-stat”); "
        "`git show -s HEAD` works.",
    ),
    (
        "pytest -q 2>&1 | tail -5",
        "Exit code 127\nbash: pytest: command not found",
        "uv run pytest -q 2>&1 | tail -5",
        "Here `pytest -q` fails (“bash: pytest: command not found”); `uv run pytest -q` passes.",
    ),
]


@pytest.mark.parametrize(("failed", "printed", "worked", "told"), CASES)
def test_what_mended_the_call_is_told(failed: str, printed: str, worked: str, told: str) -> None:
    story = retried(failed, printed, worked)
    assert recipes(story) == [told]
    (one,) = found(story, Signal.CALL_RECIPE)
    assert not one.needs_review


def test_the_value_of_a_variable_that_may_be_secret_is_not_kept() -> None:
    story = retried("npm publish", "Exit code 1\nnpm ERR! code EPERM", "NPM_TOKEN=abc1 npm publish")
    assert recipes(story) == [
        "Here `npm publish` fails (“npm ERR! code EPERM”); `NPM_TOKEN=… npm publish` works."
    ]


@pytest.mark.parametrize(
    ("failed", "printed", "worked"),
    [
        ("go test ./...", "Exit code 1\ngo: go.mod file not found", "go test ./..."),  # of itself
        ("go test ./...", "Exit code 1\n--- FAIL: TestX", "cd api && go test ./..."),  # the code
        ("go test ./...", "Exit code 1\ngo: go.mod file not found", "cd api && go build ./..."),
        ("ls lib", "Exit code 1\nls: lib: No such file or directory", "cd src && ls lib"),
        (
            "go test ./...",
            "Exit code 1\ngo: go.mod file not found",
            "cd /home/ann/x && go test ./...",
        ),
        ("a && go test .", "Exit code 1\ngo: go.mod file not found", "cd api && go test ."),
        ("pytest a.py", "Exit code 127\npytest: command not found", "uv run pytest b.py"),
        ("make x", "Exit code 2\nEPERM", "cd api && make x"),  # a folder mends no rights
    ],
)
def test_other_retries_are_no_recipes(failed: str, printed: str, worked: str) -> None:
    assert recipes(retried(failed, printed, worked)) == []


def test_what_strangers_may_have_written_waits_for_review() -> None:
    story = retried("gh pr diff 88 --stat", "unknown flag: --stat", "gh pr diff 88 --name-only")
    (one,) = found(story, Signal.CALL_RECIPE)
    assert one.needs_review


def test_what_may_have_mended_it_in_between_makes_it_no_recipe() -> None:
    failed, printed, worked, _ = CASES[0]
    edited = Story().prompt("Go").call("Bash", command=failed).fail(printed)
    assert recipes(edited.edit("go.mod", "", "module a").bash(worked)) == []
    initialised = Story().prompt("Go").call("Bash", command=failed).fail(printed)
    assert recipes(initialised.bash("go mod init a").bash(worked)) == []
    looked = Story().prompt("Go").call("Bash", command=failed).fail(printed)
    assert len(recipes(looked.bash("ls").bash(worked))) == 1


def test_an_open_failure_survives_a_checkpoint() -> None:
    failed, printed, worked, told = CASES[0]
    story = retried(failed, printed, worked)
    observer = Observer("s1")
    for act in story.acts[:3]:
        observer.observe(act)
    restored = Observer.restore(observer.checkpoint())
    for act in story.acts[3:]:
        restored.observe(act)
    every = [one.content for one in restored.candidates() if one.signal is Signal.CALL_RECIPE]
    assert every == [told]


@pytest.mark.parametrize(
    ("failed", "worked", "line", "fails"),
    [
        ("go test ./...", "cd api && go test ./...", "go test ./pkg -run X", True),
        ("go test ./...", "cd api && go test ./...", "cd api && go test ./pkg", False),
        ("go test ./...", "cd api && go test ./...", "go build ./...", False),
        ("python a.py", "python3 a.py", "python -m pytest", True),
        ("python a.py", "python3 a.py", "python3 b.py", False),
        ("pytest -q", "uv run pytest -q", "pytest tests/a.py", True),
        ("pytest -q", "uv run pytest -q", "uv run pytest", False),
        ("npm ci", "CI=1 npm ci", "npm ci --quiet", True),
        ("npm ci", "CI=1 npm ci", "CI=1 npm ci", False),
        ("npm ci", "CI=1 npm ci", "export CI=1; npm ci", False),
        ("node b.js", "node b.cjs", "cd x && node b.js --all", True),
        ("node b.js", "node b.cjs", "node c.js", False),
        ("gh pr diff 88 --stat", "gh pr diff 88 --name-only", "gh pr diff 90 --stat", True),
        ("gh pr diff 88 --stat", "gh pr diff 88 --name-only", "gh pr diff 90", False),
        ("npm i", "npm i --legacy-peer-deps", "npm i", True),
        ("npm i", "npm i --legacy-peer-deps", "npm i --legacy-peer-deps x", False),
        ("", "", "npm i", False),
    ],
)
def test_it_matters_where_the_call_would_fail_again(
    failed: str, worked: str, line: str, fails: bool
) -> None:
    assert still_fails(failed, worked, line) is fails
