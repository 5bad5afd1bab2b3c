"""What holds for its moment only waits for a person; what is laid down beside it is told."""

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.promotion import Judge
from recollect.observer.signals.choices import is_decision
from recollect.observer.signals.moment_bound import is_proposal
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story


def begun() -> Story:
    return Story().prompt("Add a cart").edit("a.py").answer("Done.")


def told(story: Story) -> list[Candidate]:
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    return [one for one in found if not one.needs_review]


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("do not stash anything, read the files", True),
        ("use the tracker for plans", True),
        ("use the tracker for the plan", False),
        ("no, I did not ask you to push anything", True),
        ("reply to https://example.org/shop/pull/4#r12", False),
        ("actually don't, let's test the import first", False),
        ("why don't you just do a fresh clone", False),
        ("not there, you've attached it to the wrong ticket", False),
    ],
)
def test_at_a_refused_command_what_forbids_is_told_and_an_order_is_not(
    words: str, holds: bool
) -> None:
    story = begun().call("Bash", command="git stash").refuse(words)

    assert bool(told(story)) is holds


@pytest.mark.parametrize(
    "words",
    [
        "could we offer to resume anyway? (then we also need a flag for it)",
        "why does the export not write the rates.csv? it should never be empty",
        "how about a flag? and what happens without one?",
    ],
)
def test_what_is_only_asked_is_a_proposal(words: str) -> None:
    assert is_proposal(words)


@pytest.mark.parametrize(
    "words",
    [
        "can we use a table instead of linked conditions?",
        "the interface is better, no? we don't want conditions at each call",
        "we should never write to the shop's own table, right?",
    ],
)
def test_a_wish_in_the_form_of_a_question_is_none(words: str) -> None:
    assert not is_proposal(words)


def _wished(words: str, *, changed: bool = True, answer: str = "Done.") -> Story:
    story = begun().prompt(words)
    return (story.edit("export.py") if changed else story).answer(answer)


def test_what_was_only_talked_over_waits() -> None:
    words = "the export should not touch the cart of another owner in `export_cart`"

    assert told(_wished(words))
    assert told(_wished(words, changed=False)) == []


def test_a_removal_without_a_reason_waits() -> None:
    words = "we don't want `rates.csv` in the export"

    assert told(_wished(f"remove `rates.csv`, {words}, otherwise somebody reads it as current"))
    assert (
        told(_wished("remove the whole `rates.csv` logic of export.py, it should not be there"))
        == []
    )


@pytest.mark.parametrize("opening", ["In theory ", "For 312: ", "so I'm looking at export.py - "])
def test_thoughts_items_of_a_list_and_remarks_on_one_place_wait(opening: str) -> None:
    words = "the export should not touch the cart of another owner in export.py"

    assert told(_wished(words))
    assert told(_wished(f"{opening}{words}")) == []


def test_words_that_answer_a_question_are_told_with_it() -> None:
    story = begun().answer("Both work. Should `resume` overwrite the session logs that are there?")
    story.prompt("the idea is that people continue on another device, so they want the session log")
    story.edit("resume.py").answer("Got it.")

    (one,) = told(story)

    first, second, *_ = one.content.splitlines()
    assert first.startswith("The user said: “the idea is that people continue on another device")
    assert second == (
        "The agent had asked: “Should `resume` overwrite the session logs that are there?”"
    )


def test_a_refused_edit_is_told_with_the_line_that_it_would_have_removed() -> None:
    story = begun().call(
        "Edit", "agent.py", old_string="class TranscriptReader(Protocol):\n", new_string=""
    )
    story.refuse("no, we don't want conditions at each call, always use the protocol")

    (one,) = told(story)

    assert "Refused: removing `class TranscriptReader(Protocol):` from `agent.py`." in one.content


def test_what_is_changed_after_a_refused_command_is_not_told_as_its_outcome() -> None:
    story = (
        begun().call("Bash", command="git stash").refuse("do not stash anything, read the files")
    )
    story.edit("export.py").answer("Done.")

    (one,) = told(story)

    assert "Changed: " not in one.content


@pytest.mark.parametrize(
    ("answer", "decides"),
    [
        ("the warning is only turned off by the flag, never by a prompt", True),
        ("the only way to turn this off is by the flag, never by a prompt", False),
    ],
)
def test_an_own_answer_to_a_question_about_the_next_step_names_its_subject(
    answer: str, decides: bool
) -> None:
    assert is_decision("The plan is ready. What would you like to do next?", answer) is decides


@pytest.mark.parametrize(
    ("command", "printed", "runs"),
    [
        ("mise run test", "[test] $ pytest -q\n3 passed", " It runs `pytest -q`."),
        (
            "mise run lint",
            "[lint:py] $ ruff check .\nAll checks passed!",
            " It runs `ruff check .`.",
        ),
        ("task test", "task: [test] pytest -q\n3 passed", " It runs `pytest -q`."),
        ("npm run test", "> shop@1.0.0 test\n> vitest run\n", " It runs `vitest run`."),
        ("mise run test", "[test] $ pytest -q --of-many-folde…", " It runs `pytest -q …`."),
        ("mise run test", "3 passed", ""),
    ],
)
def test_a_check_of_the_project_is_told_with_what_it_runs(
    command: str, printed: str, runs: str
) -> None:
    story = begun().bash(command, printed)
    found = story.observed().candidates()

    (one,) = [one for one in found if one.signal is Signal.PROJECT_CHECK]

    assert one.content.partition("`.")[2] == runs


def test_a_rule_that_nobody_can_act_on_is_counted_and_not_remembered() -> None:
    story = begun().call("Bash", command="make lint")
    story.fail("a.go:4:2: error is not nil but it returns nil (nilerr)").edit("a.go", "a", "b")
    story.bash("make lint")

    (one,) = [o for o in story.observed().candidates() if o.signal is Signal.RULE_BROKEN_AGAIN]
    counted = {(one.signal.value, one.key): 3}

    promoted = Judge().judge([one], counted, []).promoted

    assert promoted == ()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (
            "really? can't we use the decoder of `load_rates` instead of a list of keys?",
            "Yes, the decoder can do that.",
        ),
        (
            "but the importer knows its owner, so why don't we take the owner from the importer?",
            "You're right. The importer names the owner of each row.",
        ),
        ("why not add rates.csv to `export_cart`?", "Good point, it belongs there."),
    ],
)
def test_a_question_with_a_reason_or_another_way_is_told_if_it_was_heeded(
    words: str, answer: str
) -> None:
    refused = begun().call("Edit", "rates.py", old_string="", new_string="KNOWN = {1: 2}\n")
    heeded = refused.refuse(words).answer(answer).edit("rates.py")

    (one,) = told(heeded)

    assert words.rstrip("?")[:40] in one.content


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("why does the export lose the currency of `rates.csv`?", "You're right, it is lost."),
        ("could we offer a flag for the export of rates?", "Good idea! I'll add a flag."),
        ("can't the decoder of `load_rates` refuse unknown keys?", "No, it has no such option."),
    ],
)
def test_a_question_for_a_cause_an_offer_and_one_that_was_not_heeded_wait(
    words: str, answer: str
) -> None:
    asked = begun().prompt(words).answer(answer).edit("rates.py").answer("Done.")

    assert told(asked) == []


@pytest.mark.parametrize(
    "words",
    [
        "let's only write `rates.csv` for now, we should not touch the cart of another owner",
        "this branch only adds owners to the export, we should not touch the cart in export.py",
        "let's do the one here as well, we always want a valid `cart_id`",
    ],
)
def test_what_says_that_it_holds_for_the_moment_waits(words: str) -> None:
    assert told(_wished(words)) == []


def test_a_rule_with_a_remark_for_now_beside_it_is_told() -> None:
    rule = "the export should never touch the cart of another owner in `export_cart`"

    assert told(_wished(f"{rule}. We can leave the old one for now."))


@pytest.mark.parametrize(
    "words",
    [
        "no revert those changes, they should not be there if they are part of it",
        "I think we should sort by tree in the list, it should not be by date",
    ],
)
def test_words_for_what_only_the_screen_named_wait(words: str) -> None:
    assert told(_wished(words)) == []


def test_words_that_point_are_told_with_what_they_reply_to() -> None:
    story = begun().answer("The function `is_own` leaves out carts that another owner opened.")
    story.prompt("no, those changes are wrong, we should never leave out what an owner paid for")
    story.edit("cart.py").answer("You're right. What an owner paid for is never left out.")

    (one,) = told(story)

    reply = one.content.splitlines()[1]
    assert reply.startswith("The agent had said: “The function `is_own` leaves out carts")


def test_of_a_task_with_a_rule_beside_it_only_the_rule_is_told() -> None:
    story = Story().prompt("Fix the failing CI job by tonight. Always answer in English.")
    story.edit("ci.yml").answer("Done.")

    (one,) = told(story)

    assert (one.content, one.files) == ("The user said: “Always answer in English.”", ())


def test_a_rule_that_leans_on_its_task_is_told_with_it() -> None:
    words = "Can we also check that when creating a branch? it should never be made without a base"

    (one,) = told(_wished(words))

    assert one.content.startswith("The user said: “Can we also check that when creating a branch?")
