"""The log of questions and feedback, as typed."""

from tests.surfaces.cli.runner import InProcess


def test_what_was_asked_is_listed_and_judged(cli: InProcess) -> None:
    kept = cli.remember("The staging database is reset every night.")
    cli("recall", "when is staging reset?")
    cli("recall", "who bakes bread?")
    asked = cli.json("log")["items"]
    assert [one["query"] for one in asked] == ["who bakes bread?", "when is staging reset?"]
    first = asked[1]["id"]

    said = cli.json("feedback", first[:18], "cited", "1")
    assert [one["item"] for one in said["feedback"]] == [kept]
    said = cli.json("feedback", "last", "unhelpful", "--note", "nothing of bread")
    assert (said["query"], said["feedback"][0]["note"]) == ("who bakes bread?", "nothing of bread")
    drawn = cli("log").out
    assert "cited" in drawn
    assert "unhelpful" in drawn
    assert cli.json("show", kept)["counts"]["citation"] == 1


def test_feedback_on_nothing_says_what_to_do(cli: InProcess) -> None:
    ran = cli("feedback", "last", "helpful", "--json")
    assert (ran.code, ran.error["code"]) == (1, "retrieval_not_found")
    cli("recall", "anything")
    ran = cli("feedback", "last", "splendid", "--json")
    assert ran.code != 0
    assert "helpful" in str(ran.error)
