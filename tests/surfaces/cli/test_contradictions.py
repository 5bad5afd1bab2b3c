"""Contradictions on the command line: told on write, listed with dates, decided with a note."""

import re

import pytest

import recollect
from tests.surfaces.cli.runner import InProcess

MERGED = "The stand-up is at 10:00, on Fridays at 9:15."


def found(cli: InProcess) -> str:
    """The id of a contradiction that a write told of."""
    cli.remember("The daily stand-up is at 9:15.")
    told = cli("remember", "The daily stand-up moved to 10:00.")
    said = told.out + told.err
    assert "It contradicts" in said
    return str(re.findall(r"con_\w+", said)[0])


@pytest.mark.parametrize(
    ("how", "left"),
    [
        ("a_wins", ["The daily stand-up is at 9:15."]),
        ("b_wins", ["The daily stand-up moved to 10:00."]),
        ("both", ["The daily stand-up moved to 10:00.", "The daily stand-up is at 9:15."]),
        ("merged", [MERGED]),
    ],
)
def test_each_way_of_deciding(cli: InProcess, how: str, left: list[str]) -> None:
    known = found(cli)
    listed = cli("contradictions").out
    assert known in listed
    assert re.search(r"  a  \d{4}-\d\d-\d\dT\S+  The daily stand-up is at 9:15\.", listed)
    assert re.search(r"  b  \d{4}-\d\d-\d\dT\S+  The daily stand-up moved to 10:00\.", listed)
    critical = cli("assemble").out.partition("Critical now:")[2]
    assert known in critical.partition("Ask about")[0]

    text = ["--text", MERGED] if how == "merged" else []
    done = cli("contradictions", "resolve", known, how, "--note", "Agreed with Madrid.", *text)

    assert done.code == 0
    assert cli("contradictions").out == ""
    assert "Agreed with Madrid." in cli("contradictions", "--resolved").out
    assert [one["content"] for one in cli.json("list")["items"]] == left
    assert known not in cli("assemble").out
    assert cli("contradictions", "resolve", known, "both").code == 1


@pytest.mark.parametrize("given", [("nonsense",), ("merged",), ("both", "--text", "x")])
def test_what_decides_nothing_is_refused(cli: InProcess, given: tuple[str, ...]) -> None:
    known = found(cli)
    assert cli("contradictions", "resolve", known, *given).code == 1
    assert known in cli("contradictions").out


def test_personal_against_team_says_whose_each_is(cli: InProcess) -> None:
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        memory.add_member("bob", "member")
        memory.remember("The indentation of Python files is 4 spaces.")
        memory.within(user="bob").remember(
            "The indentation of Python files is 2 spaces.", visibility="personal"
        )
    listed = cli("--user", "bob", "contradictions").out
    assert "4 spaces.  (project, by ada)" in listed
    assert "2 spaces.  (personal to bob, by bob)" in listed
    assert cli("--user", "ada", "contradictions").out == ""
    assert "2 spaces" not in cli("--user", "bob", "assemble").out
    context = cli("--user", "bob", "assemble", "--personal").out
    assert "personal to bob" in context
    assert "project, " in context


@pytest.mark.parametrize("how", ["a_wins", "b_wins", "both", "merged"])
def test_a_decision_is_taken_back(cli: InProcess, how: str) -> None:
    known = found(cli)
    before = cli.json("list")["items"]
    critical = cli("assemble").out
    text = ["--text", MERGED] if how == "merged" else []
    cli("contradictions", "resolve", known, how, *text)

    said = cli("undo")

    assert said.code == 0
    assert "“The daily stand-up is at 9:15.”, “The daily stand-up moved to 10:00.”" in said.out
    assert known in cli("contradictions").out
    assert cli("contradictions", "--resolved").out == ""
    after = cli.json("list")["items"]
    for field in ("id", "content", "valid_to", "superseded_by"):
        assert [one[field] for one in after] == [one[field] for one in before]
    assert known in critical
    assert known in cli("assemble").out
    assert "undone already" in cli("undo", "--json").error["message"]
    assert cli("contradictions", "resolve", known, how, *text).code == 0


def test_recall_puts_the_newer_of_two_first_and_both_say_that_it_is_open(cli: InProcess) -> None:
    old = cli.remember("The API rate limit is 600 requests per minute.")
    told = cli("remember", "Since May the API rate limit is 1200 requests per minute.")
    known = re.findall(r"con_\w+", told.out + told.err)[0]

    found = cli.json("recall", "what is the API rate limit")["found"]

    assert [one["id"] == old for one in found] == [False, True]
    assert [one["reason"].partition(";")[0] for one in found] == ["newer", "older"]
    assert "nobody has decided yet" in cli("recall", "what is the API rate limit").out
    cli("contradictions", "resolve", known, "both")
    assert not any(one["reason"] for one in cli.json("recall", "API rate limit")["found"])
