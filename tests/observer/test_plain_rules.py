"""A wish that is put as a question is told as its rule, where its grammar leaves one meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.observer.candidates import Candidate
from recollect.observer.promotion import Judge
from recollect.observer.signals.plain_rules import plain_rule
from tests.observer.acts import Story

_WORDS = st.sampled_from(
    "can you we use the rates table instead of rather than it this linked maps `rows` why don't "
    "not shouldn't be let's a parser.py for every or maybe ? . , don't check in commit".split()
)


def turn(words: str, answer: str = "Good point.", **more: object) -> dict[str, object]:
    asked = {"words": words, "answer": answer, "edited": ["rates.py"], "action": "", "first": False}
    return {**asked, **more}


def told(story: Story) -> list[Candidate]:
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    return [one for one in found if not one.needs_review]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (
            "can you use a table instead of linked conditions?",
            "Use a table instead of linked conditions.",
        ),
        (
            "ok, could we please keep the rates in `Money` rather than floats?",
            "Keep the rates in `Money` rather than floats.",
        ),
        (
            "can we use `amount` instead of `amt` in cart.py",
            "Use `amount` instead of `amt` in cart.py.",
        ),
        ("why don't we reuse the parser of money.py?", "Reuse the parser of money.py."),
        ("why not use the existing queue?", "Use the existing queue."),
        ("why not adding shop/.ignore?", "Add shop/.ignore."),
        ("why are we not using the clock of the test?", "Use the clock of the test."),
        (
            "shouldn't we log the reason instead of dropping it?",
            "Log the reason instead of dropping it.",
        ),
        (
            "shouldn't we log the reason of the refund?",
            "Log the reason of the refund.",
        ),
        ("shouldn't the flag be optional?", "The flag should be optional."),
        (
            "hm, shouldn't `find_rate` only be called once?",
            "`find_rate` should only be called once.",
        ),
        (
            "the import is slow. can we read the rows in blocks instead of all at once? thanks",
            "Read the rows in blocks instead of all at once.",
        ),
    ],
)
def test_a_question_that_settles_something_is_a_rule(words: str, rule: str) -> None:
    assert plain_rule(turn(words)) == rule


@pytest.mark.parametrize(
    "words",
    [
        "can we use a table?",
        "could you explain this instead of changing it?",
        "can we use a queue, or is a list enough instead of a table?",
        "can't the parser be strict?",
        "couldn't we set the currency in the header?",
        "should we use a table?",
        "why is the import so slow?",
        "why don't you think it works?",
        "can you maybe use a table instead of conditions?",
        "can you use that instead of conditions?",
        "can you use a table instead of these conditions?",
        "can you use the table there instead of the conditions here?",
        "what if we use a table instead of conditions?",
        "can you tell me what you would use instead of a table?",
        "use a table instead of conditions",
        "can you use a table instead of maps? and can we use a set instead of a list?",
    ],
)
def test_what_has_another_meaning_is_left_as_it_is(words: str) -> None:
    assert plain_rule(turn(words)) == ""


@pytest.mark.parametrize(
    "more",
    [
        {"answer": "No, the table has no order.", "edited": ["rates.py"]},
        {"answer": "Unfortunately maps cannot do that."},
        {"answer": "Looking at it now.", "edited": []},
        {"reversed": True},
        {"refuted": True},
        {"situation": frozenset({"next_undoes"})},
    ],
)
def test_what_the_agent_did_not_follow_is_no_rule(more: dict[str, object]) -> None:
    words = "can you use a table instead of linked conditions?"

    assert plain_rule(turn(words)) != ""
    assert plain_rule({**turn(words), **more}) == ""


@given(st.lists(_WORDS, max_size=14).map(" ".join))
def test_a_rule_says_only_what_the_user_said(words: str) -> None:
    rule = plain_rule(turn(words)).rstrip(".").lower()
    first, _, rest = rule.partition(" ")

    assert (
        rest in words.lower()
        or f"{first} {rest.removeprefix('should ')}" in words.lower()
        or (first in words.lower() and rest.replace("should ", "", 1) in words.lower())
    )


def test_of_our_own_things_a_refusal_asks_for_good() -> None:
    words = "can we use our own logger? should be a warning"

    assert plain_rule(turn(words, refused=True)) == "Use our own logger."
    assert plain_rule(turn(words)) == "", "without a refusal it may be a question"


@pytest.mark.parametrize(
    ("words", "command", "rule"),
    [
        (
            "don't check this in",
            'git add docs/plans/rates.md && git commit -m "docs: rates"',
            "Do not commit `docs/plans/rates.md`.",
        ),
        (
            "please do not commit these files",
            'git add a/one.md two.md && git commit -m "notes"',
            "Do not commit `a/one.md` and `two.md`.",
        ),
        (
            "no, I did not say commit anything",
            'git add -A && git commit -m "fix"',
            "Do not commit unasked.",
        ),
        ("I didn't ask you to push", "git push origin main", "Do not push unasked."),
        (
            "let's not do the magic thing",
            'deploy --all --skip-checks "now"',
            "Do not run `deploy --all --skip-checks`.",
        ),
        ("please never do that", "rm -rf cache && make", "Do not run `rm -rf cache`."),
        ("don't do this yet", "deploy --all", ""),
        ("don't use the old table for it", "deploy --all", ""),
        ("don't check this in yet, the tests fail", "git add -A && git commit -m x", ""),
        ("don't check this in", "git commit -am 'docs: rates'", ""),
        ("I didn't ask you to push", "make test", ""),
        ("don't run it again", "git add a.md && git commit -m x", ""),
    ],
)
def test_at_a_refused_commit_the_rule_names_what_it_is_about(
    words: str, command: str, rule: str
) -> None:
    asked = turn(words, "", action=f"running `{command}`", refused=True, edited=[])

    assert plain_rule(asked) == rule


def test_the_rule_leads_and_the_question_stands_behind_it() -> None:
    story = Story().prompt("Add a cart").edit("a.py").answer("Done.")
    story.call("ExitPlanMode", plan="# Rates by country")
    story.refuse("can you use a table instead of linked conditions?")
    story.answer("Good point.").edit("rates.py", "if a: b", "RATES[a]").answer("Done.")

    (one,) = told(story)
    assert one.content.splitlines()[:2] == [
        "Use a table instead of linked conditions.",
        "The user said: “can you use a table instead of linked conditions?”",
    ]
    assert one.quote == "can you use a table instead of linked conditions?"
