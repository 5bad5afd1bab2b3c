"""Failing checks that an edit or another command mended, and the output that they are read from."""

import pytest

from recollect.observer import failures
from recollect.observer.candidates import Candidate
from recollect.observer.check_output import message_of
from recollect.observer.observer import Observer
from recollect.observer.signals.mends import program_of
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story
from tests.observer.test_signals import found


def mended(story: Story) -> list[Candidate]:
    return found(story, Signal.MENDED_CHECK)


_WHY = "`load_rates` needs the server when the module is imported, because it connects at once."


@pytest.mark.parametrize(
    ("printed", "message", "rule", "path"),
    [
        (
            "src/a.ts(3,10): error TS2305: Module '\"x\"' has no exported member 'tax'.",
            "Module '\"x\"' has no exported member 'tax'.",
            "TS2305",
            "src/a.ts",
        ),
        ("a.py:3: error: Item has no attribute  [union-attr]", "Item has no", "union-attr", "a.py"),
        ("src/a.c:4:2: error: expected ';' before '}'", "expected ';' before '}'", "", "src/a.c"),
        (
            "error[E0658]: use of unstable library feature 'lazy'\n --> src/main.rs:4:16",
            "use of unstable library feature 'lazy'",
            "E0658",
            "src/main.rs",
        ),
        (
            "t.py:40: in test_due\n    assert due == today\nE   AssertionError: assert 16 == 17",
            "AssertionError: assert 16 == 17",
            "",
            "",
        ),
        (
            "FAIL src/a.test.ts\n  ● Suite failed to run\n    SyntaxError: Unexpected token 'x'",
            "SyntaxError: Unexpected token 'x'",
            "",
            "",
        ),
        ("│ Error: no valid credential sources", "no valid credential sources", "", ""),
        ("[ERROR] /w/src/A.java:[12,5] cannot find symbol", "cannot find symbol", "", "A.java"),
        ("  Failure/Error: travel_to 8.days.from_now", "travel_to 8.days.from_now", "", ""),
        ('** (Ecto.Error) column "cents" does not exist', 'column "cents"', "Ecto.Error", ""),
        ("a.cpp:9: undefined reference to `raise()'", "undefined reference to", "", "a.cpp"),
        ("No test files found, exiting with code 1", "No test files found", "", ""),
    ],
)
def test_what_failed_is_read_from_the_output_of_many_programs(
    printed: str, message: str, rule: str, path: str
) -> None:
    told = message_of(f"some line before\n{printed}\n")

    assert told is not None
    assert told.message.startswith(message)
    assert told.rule == rule
    assert told.path.endswith(path)


def test_an_output_without_a_failure_tells_none() -> None:
    assert message_of("12 passed in 3.05s\nsrc/a.py:3: in test_due") is None


@pytest.mark.parametrize(
    ("line", "rule", "message"),
    [
        ("app/a.rb:19:7: C: Shop/NoRawSql: Use a scope.", "Shop/NoRawSql", "Use a scope."),
        ("L:  12 | P:   3 | CP01 | Keywords must be lower case.", "CP01", "Keywords must be"),
        ('m/main.tf:40:3: Warning: missing tag "cost" (missing_tags)', "missing_tags", "missing"),
        ("src/A.kt:1:1 Wildcard import (standard:no-wildcard)", "standard:no-wildcard", "Wildcard"),
        ("  3:1       error    too many blank lines  (empty-lines)", "empty-lines", "too many"),
        (
            "error: passed by value, but not consumed\n  --> src/cut.rs:21:26\n"
            "   = note: `-D clippy::needless-pass-by-value` implied by `-D clippy::pedantic`",
            "clippy::needless-pass-by-value",
            "passed by value",
        ),
    ],
)
def test_rules_of_linters_of_many_languages_are_read(line: str, rule: str, message: str) -> None:
    assert failures.rules(line) == [rule]
    assert failures.rule_line(line, rule).startswith(message)


def test_what_explains_a_failure_is_told_with_what_failed_and_what_mended_it() -> None:
    story = Story().prompt("add the rates").call("Bash", command="pytest -q tests/test_rates.py")
    story.fail("E   OSError: connection to the server failed").answer(_WHY)
    story.edit("rates.py", "DATA = connect()", "def load_rates(): return connect()")
    (one,) = mended(story.bash("pytest -q tests/test_rates.py", "3 passed"))

    assert one.content.splitlines() == [
        _WHY,
        "Failed: `pytest -q tests/test_rates.py` with “OSError: connection to the server failed”.",
        "Mended in `rates.py` by `def load_rates(): return connect()`.",
    ]
    assert one.needs_review
    assert one.files == ("rates.py",)


def test_a_failure_that_was_not_mended_or_not_explained_is_no_memory() -> None:
    story = Story().prompt("add the rates").call("Bash", command="pytest -q")
    story.fail("E   AssertionError: assert 3 == 4")
    assert mended(story) == []
    story.edit("rates.py", "a = 3 + 1", "a = 4 + 1").bash("pytest -q", "3 passed")
    assert mended(story) == [], "a test on the change itself"


def test_the_setup_of_a_program_is_told_without_an_explanation() -> None:
    story = Story().prompt("train").call("Bash", command="python -m rates.train --all")
    story.fail("ModuleNotFoundError: No module named 'torch'")
    (one,) = mended(story.bash("uv run python -m rates.train --all", "step 1"))

    assert one.content == (
        "`python -m rates.train --all` fails here with “ModuleNotFoundError: No module named "
        "'torch'”.\nWorks: `uv run python -m rates.train --all`."
    )
    given = Story().prompt("test it").call("Bash", command="./gradlew test")
    given.fail("java.lang.IllegalStateException: Could not find a valid Docker environment")
    (one,) = mended(given.bash("DOCKER_HOST=tcp://host ./gradlew test", "BUILD SUCCESSFUL"))
    assert one.content.endswith("Works with `DOCKER_HOST` set.")


def test_what_only_looks_or_what_the_shell_did_not_understand_is_no_failure() -> None:
    assert program_of("ls; tail -4 log.txt") == ""
    assert program_of("npx jest src/booking") == "jest"
    story = Story().prompt("test it").call("Bash", command="go test ./...")
    story.fail("(eval):cd:1: no such file or directory: cmd").bash("go test ./... -v")
    assert mended(story) == []


def test_open_and_mended_failures_survive_a_checkpoint() -> None:
    story = Story().prompt("train").call("Bash", command="python -m rates.train --all")
    story.fail("ModuleNotFoundError: No module named 'torch'")
    observer = Observer.restore(story.observed().checkpoint())
    for act in Story().bash("uv run python -m rates.train --all", "step 1").acts:
        observer.observe(act)

    assert [one.signal for one in observer.candidates()].count(Signal.MENDED_CHECK) == 1


def test_a_rule_of_a_linter_is_told_with_the_line_that_mended_it() -> None:
    story = Story().call("Bash", command="bundle exec rubocop app")
    story.fail("app/hold.rb:19:7: C: Shop/NoRawSql: Use Arel or a scope, not a SQL string.")
    story.edit("app/hold.rb", '.where("a < 1")', ".where(arel_table[:a].lt(1))")
    (one,) = found(story.bash("bundle exec rubocop app"), Signal.CHECK_RULE)

    assert "enforces the rule `Shop/NoRawSql` (“Use Arel or a scope" in one.content
    assert one.content.endswith("Mended in `app/hold.rb` by `.where(arel_table[:a].lt(1))`.")
    assert mended(story) == [], "the rule is told instead"
