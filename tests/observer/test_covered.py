"""Recipes that a written rule or a fuller sequence covers, and rules of linters with their cure."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.covered import is_covered
from recollect.observer.promotion import KNOWN_ALREADY, Judge, Known
from recollect.observer.signals.errors import cure_in
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType
from tests.observer.acts import Story

_RULE = "“Always run `make fmt && make lint` before committing changes”\nWritten into `AGENTS.md`."


def recipe(*commands: str, signal: Signal = Signal.TOOL_SEQUENCE) -> Candidate:
    listed = ", then ".join(f"`{one}`" for one in commands)
    told = f"Before a commit, a change here is checked with {listed}."
    if signal is Signal.PROJECT_CHECK:
        told = f"This project checks its style with {listed}."
    steps = [{"order": 1, "description": f"run {one}"} for one in commands]
    kind = MemoryType.WORKFLOW_RECIPE
    extras = {"steps": steps}
    return Candidate(
        signal, " ".join(commands), kind, told, "s1", extras=extras, sessions=9, confidence=0.9
    )


@pytest.mark.parametrize(
    ("one", "known", "covered"),
    [
        (recipe("make lint", "make test"), _RULE, True),
        (recipe("make test", "make docs"), _RULE, False),
        (recipe("make lint", signal=Signal.PROJECT_CHECK), _RULE, True),
        (recipe("make lin", signal=Signal.PROJECT_CHECK), _RULE, False),
        (recipe("make lint:ci", signal=Signal.PROJECT_CHECK), _RULE, False),
        (recipe("make lint", "make test"), _RULE.replace("committing", "a release of"), False),
        (recipe("make lint", "make test"), "The user said: “make lint before a commit”", False),
        (recipe("make a", "make b"), recipe("make a", "make b", "make c").content, True),
        (recipe("make a", "make b", "make c"), recipe("make a", "make b").content, False),
        (recipe("make a", signal=Signal.PROJECT_CHECK), recipe("make a", "make b").content, False),
    ],
)
def test_a_recipe_is_covered_by_what_says_more(one: Candidate, known: str, covered: bool) -> None:
    assert is_covered(one, [one], [known]) is covered

    judged = Judge().judge([one], {}, [Known(known, frozenset())])
    assert bool(judged.promoted) is not covered
    assert [dropped.reason for dropped in judged.dropped] == [KNOWN_ALREADY] * covered


def test_a_rule_that_the_same_session_wrote_covers_too() -> None:
    rule = replace(recipe("x"), signal=Signal.WRITTEN_RULE, content=_RULE)
    one = recipe("make lint", "make test")

    assert is_covered(one, [one, rule], [])


def test_what_follows_outside_text_covers_nothing_that_does_not() -> None:
    one, fuller = recipe("make a", "make b"), recipe("make a", "make b", "make c")
    outside = replace(fuller, tainted_by="web")
    waiting = Known(fuller.content, frozenset(), doubtful=True)

    def kept(found: list[Candidate], known: Sequence[Known] = ()) -> set[str]:
        return {each.key for each in Judge().judge(found, {}, known).promoted}

    assert kept([one, fuller]) == {fuller.key}
    assert kept([one, outside]) == {one.key, outside.key}
    assert kept([one], [waiting]) == {one.key}
    assert kept([replace(one, tainted_by="web")], [waiting]) == set()


def test_a_single_test_is_no_check_of_a_commit() -> None:
    def chains(*commands: str) -> list[str]:
        story = Story().prompt("Add a cart").edit("a.go")
        for command in (*commands, 'git commit -m "feat: cart"'):
            story.bash(command)
        found = story.observed().candidates()
        return [one.key for one in found if one.signal is Signal.TOOL_SEQUENCE]

    assert chains("go test ./...", "make lint") == ["go test make lint"]
    assert chains("go test ./cart -run TestTotal", "make lint") == []
    assert chains("pytest tests/test_cart.py::test_total", "make lint") == []


def choice(answer: str, step: int) -> Candidate:
    content = f"The user decided: “{answer}”\nThe agent had asked: “Which method do you want?”"
    return Candidate(
        Signal.CHOICE, answer, MemoryType.DECISION, content, "s1", step, confidence=0.9
    )


@pytest.mark.parametrize(
    ("answer", "step", "covered"),
    [("GitHub App", 9, True), ("GitHub App", 40, False), ("Deploy key", 9, False)],
)
def test_an_offered_answer_repeats_the_words_that_led_to_it(
    answer: str, step: int, covered: bool
) -> None:
    words = "no keys of mine, rather something like a github app"
    said = Candidate(
        Signal.REFUSAL, "k", MemoryType.PREFERENCE, words, "s1", 8, quote=words, confidence=0.9
    )
    one = choice(answer, step)

    assert is_covered(one, [said, one], []) is covered
    assert not is_covered(one, [replace(said, unsure=True), one], [])


@pytest.mark.parametrize(
    ("message", "cure"),
    [
        ("os.Chdir() could be replaced by t.Chdir() in TestRates (usetesting)", "t.Chdir()"),
        (
            "os/exec.Command must not be called. use os/exec.CommandContext",
            "os/exec.CommandContext",
        ),
        ("Use `Array.from()` instead of `new.Array`", "Array.from()"),
        ("fmt.Sprintf can be replaced with faster strconv.Itoa", "strconv.Itoa"),
        ("`np.bool` is deprecated, use `np.bool_`", "np.bool_"),
        ("Error return value of `os.Chdir` is not checked", ""),
        ("rewrite if-else to switch statement", ""),
        ("Use a list instead of a tuple", ""),
        ("this value can be replaced by a constant", ""),
        ("`total` is defined but never used", ""),
    ],
)
def test_a_message_names_its_cure(message: str, cure: str) -> None:
    assert cure_in(message) == cure


def test_a_rule_with_its_cure_is_told_and_the_others_of_the_check_wait() -> None:
    output = (
        "cart_test.go:9:2: os.Chdir() could be replaced by t.Chdir() in TestTotal (usetesting)\n"
        "cart.go:7:3: Error return value of `os.Remove` is not checked (errcheck)\n2 issues"
    )
    story = Story().prompt("Add a cart").call("Bash", command="golangci-lint run").fail(output)
    story.edit("cart_test.go", "os.Chdir(dir)", "x := dir\nt.Chdir(dir)\n")
    story.edit("cart.go", "os.Remove(f)", "_ = os.Remove(f)").bash("golangci-lint run", "0 issues.")
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    told = [one.content for one in found if not one.needs_review]
    waits = [one.content for one in found if one.needs_review]

    assert told == [
        "The check `golangci-lint run` enforces the rule `usetesting` (“os.Chdir() could be "
        "replaced by t.Chdir()”). Write to it from the start.\n"
        "Mended in `cart_test.go` by `t.Chdir(dir)`."
    ]
    assert [one for one in waits if "errcheck" in one]
    assert not [one for one in waits if "usetesting" in one]
