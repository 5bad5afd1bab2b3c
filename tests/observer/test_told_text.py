"""What stands beside a user's words: the refused line, the means, and only what was spoken of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.observer.candidates import Candidate
from recollect.observer.names import common_words
from recollect.observer.phrases import action_of, as_sentence, calls_changed, symbols_in
from recollect.observer.promotion import Judge
from recollect.observer.signals.dangling import leaves_the_choice
from recollect.observer.signals.numbered_answers import answers_to, is_lettered, questions_in
from recollect.observer.signals.review_remarks import cure_of
from tests.observer.acts import Story

_EDIT = {
    "old_string": "func Refund(order Order) error {\n",
    "new_string": (
        "func Refund(order Order) error {\n"
        "\tif err := ledger.Close(order); err != nil {\n"
        "\t// wait until the bank has answered\n"
        "\ttime.Sleep(2 * time.Second)\n"
    ),
}


def begun() -> Story:
    return Story().prompt("Add a cart").edit("a.py").answer("Done.")


def told(story: Story) -> list[Candidate]:
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    return [one for one in found if not one.needs_review]


def about(story: Story, words: str) -> Candidate:
    found = story.observed().candidates()
    (one,) = [one for one in found if words in one.content]
    return one


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("read the answer instead of sleeping", "time.Sleep(2 * time.Second)"),
        ("the ledger must stay open", "if err := ledger.Close(order); err != nil {"),
        ("let the bank call us", "// wait until the bank has answered"),
    ],
)
def test_the_line_is_told_that_the_objection_speaks_of(words: str, line: str) -> None:
    story = begun().call("Edit", "shop/refund.go", **_EDIT).refuse(words)

    assert f"Refused: `{line}` in `shop/refund.go`." in about(story, words).content


@pytest.mark.parametrize(
    "words",
    [
        "don't touch shipping here, another team owns it",
        "that is no string, there is an error in your types",  # words of every code
        "we should add shop/.ignore",  # a folder of the same name says nothing
    ],
)
def test_a_line_that_nobody_objected_to_is_not_told(words: str) -> None:
    story = begun().call("Edit", "shop/refund.go", **_EDIT).refuse(words)
    content = about(story, words).content

    assert "Refused: editing `shop/refund.go`." in content
    assert "ledger" not in content


def test_the_answer_that_gives_way_may_name_what_was_refused() -> None:
    story = begun().call("Edit", "shop/refund.go", **_EDIT).refuse("that blocks everything")
    story.answer("You're right, the ledger is shared.")

    assert "`if err := ledger.Close(order); err != nil {`" in about(story, "blocks").content


@given(st.text(max_size=60), st.text(max_size=60))
def test_words_in_common_are_as_many_as_a_text_has(one: str, other: str) -> None:
    assert 0 <= common_words(one, other) <= len(one.split()) + len(one)
    assert common_words(one, "") == 0


def test_without_words_the_first_line_of_code_stands_for_a_proposal() -> None:
    assert "ledger.Close" in action_of("Edit", _EDIT, ("shop/refund.go",))


def test_what_is_the_same_before_and_after_an_edit_was_not_changed_by_it() -> None:
    kept = "func Kept() {\n\treturn\n}\n"
    old = f"{kept}func Gone() {{\n\treturn\n}}\n"
    new = f"{kept}func Fresh() {{\n\treturn\n}}\n"

    assert symbols_in({"old_string": old, "new_string": new}) == ["Gone", "Fresh"]
    assert symbols_in({"old_string": "func Pay() {}", "new_string": "func Pay() { b() }"}) == [
        "Pay"
    ]
    assert symbols_in({"content": kept}) == ["Kept"]


def test_an_edit_brings_in_what_it_newly_calls() -> None:
    edit = {"old_string": "x := parse(row)", "new_string": "d := csv.Strict(row)\nx := parse(d)"}

    assert calls_changed(edit) == (["csv.Strict"], [])
    assert calls_changed({"old_string": "a.Load(x)", "new_string": "b"}) == ([], ["a.Load"])
    assert calls_changed({"new_string": "func helper(x int) {\n\tother(x)\n}"}) == (["other"], [])
    assert calls_changed({"content": "other(x)"}) == ([], [])


def strict_story() -> Story:
    story = begun().call("Edit", "rows.go", old_string="a := 1", new_string="known := keysOf(row)")
    story.refuse("can't we have the reader reject unknown keys instead of keeping a list?")
    story.answer("Good point. `csv.Reader` has `RejectUnknown()` for that.")
    return story.edit("rows.go", "r := read(f)", "r := read(f)\nr.RejectUnknown(true)\ncount(r)")


def test_the_means_that_the_agent_answered_with_is_told() -> None:
    content = about(strict_story().answer("Done."), "reject unknown").content

    assert "Done with: `r.RejectUnknown`." in content
    assert "count" not in content


def test_a_means_that_was_taken_away_again_is_not_told() -> None:
    story = strict_story().edit("rows.go", "r.RejectUnknown(true)\n", "")

    assert "Done with" not in about(story.answer("Done."), "reject unknown").content


SCHEMA = "no, the schema is generated, change the template instead"


def refused_schema(*edited: str, answer: str = "Let me look.") -> str:
    story = begun().call("Edit", "src/schema.py", old_string="a = 1", new_string="a = 2")
    story.refuse(SCHEMA).answer(answer)
    for path in edited:
        story.edit(path, "x = 1", "x = 2")
    return about(story.answer("Done."), "schema is generated").content


def test_a_refused_edit_is_answered_by_its_own_file_or_by_one_that_was_named() -> None:
    assert "Changed: `src/schema.py`." in refused_schema("src/schema.py")
    assert "Changed: `templates/template.tpl`." in refused_schema("templates/template.tpl")
    agreed = "You're right, `columns.toml` holds the columns."
    assert "Changed: `src/columns.toml`." in refused_schema("src/columns.toml", answer=agreed)


def test_what_was_edited_for_other_work_is_no_answer_to_a_refused_edit() -> None:
    alone = refused_schema("src/cart.py")
    both = refused_schema("src/cart.py", "templates/template.tpl")

    assert "Refused: editing `src/schema.py`" in alone
    assert "cart.py" not in alone
    assert "Changed: `templates/template.tpl`." in both
    assert "cart.py" not in both


def test_a_refused_edit_is_no_memory_of_files_that_other_work_edited() -> None:
    story = begun().call("Edit", "src/schema.py", old_string="a = 1", new_string="a = 2")
    story.refuse(SCHEMA).answer("Let me look.").edit("src/cart.py", "x", "y").answer("Done.")

    assert about(story, "schema is generated").files == ("src/schema.py",)


def test_of_many_symbols_those_are_told_that_were_spoken_of() -> None:
    def edited(*names: str) -> str:
        story = begun().prompt("the refund should always keep its reason")
        for name in names:
            story.edit("shop/cart.go", "", f"func {name}() {{\n\tkeep()\n}}\n")
        return about(story.answer("Got it."), "keep its reason").content

    assert "Changed: `writeRefund` in `shop/cart.go`." in edited("total", "writeRefund", "sum")
    assert "Changed: `shop/cart.go`." in edited("total", "other", "sums")
    assert "Changed: `total`, `other` in" in edited("total", "other"), "two are no list"


ASKED = "Two questions:\nA) When does a session end?\nB) Should the last visit be stored now?"


def test_lettered_answers_stand_with_their_questions() -> None:
    words = "I looked it up. A) when the window closes. B) no, in a task of its own"
    pairs = answers_to(words, questions_in(ASKED))

    assert pairs == (
        "When does a session end? when the window closes.; "
        "Should the last visit be stored now? no, in a task of its own"
    )
    assert is_lettered(words)
    assert not is_lettered("see appendix B) for the rates, or A) of the other book")


def test_lettered_answers_without_their_questions_wait() -> None:
    words = "A) it should always be when the window closes. B) I want this as a separate feature"
    story = begun().prompt(words).edit("cart.py").answer("Got it. The session ends there.")

    assert not told(story)


@pytest.mark.parametrize(
    "words",
    [
        "I would have thought we should add to the archive in this case instead of copying",
        "for such cases it should not be copied but moved into the archive",
    ],
)
def test_a_case_that_nobody_names_waits(words: str) -> None:
    story = begun().call("Edit", "shop/refund.go", **_EDIT).refuse(words)

    assert not told(story)


def test_a_case_that_is_named_is_told() -> None:
    words = "if the archive is full, we should never copy in that case"
    story = begun().call("Edit", "shop/refund.go", **_EDIT).refuse(words)

    assert told(story)


@pytest.mark.parametrize(
    ("words", "question", "open_still"),
    [
        (
            "I want the log of the other device",
            "Should it replace the log, or keep the file?",
            True,
        ),
        ("keep the file please", "Should it replace the log, or keep the file?", False),
        ("yes, it should", "Should it replace the log, or keep the file?", False),
        ("the second", "Should it replace the log, or keep the file?", False),
        ("commas, the bank wants them", "Should the export have tabs, or commas?", False),
        ("whatever the bank wants", "Should the export have tabs, or commas?", True),
        (
            "I go on with it elsewhere and then want the log",
            "Should `pull` replace the log with the other one, or should it preserve it?",
            True,
        ),
        (
            "it must be preserved",
            "Should `pull` replace the log with the other one, or should it preserve it?",
            False,
        ),
        ("as the bank wants it", "Where should the export go?", False),
    ],
)
def test_an_answer_to_two_sides_says_which(words: str, question: str, open_still: bool) -> None:
    assert leaves_the_choice(words, question) is open_still


_REVIEW = (
    "The report should use the existing `round_money` helper instead of rounding again. "
    "It handles half cents properly, which is more robust."
)


def reviewed(words: str, answer: str) -> Story:
    return begun().prompt(words).edit("report.py", "round(x, 2)", "round_money(x)").answer(answer)


def test_a_remark_with_its_cure_and_its_reason_is_told_once_it_was_followed() -> None:
    (one,) = told(reviewed(_REVIEW, "Done. The report uses `round_money` now."))

    assert "should use the existing `round_money` helper instead of rounding again" in one.content
    assert one.content.startswith("The user said: “")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (_REVIEW, "That helper is private, I rounded here."),
        (_REVIEW.replace("should use", "does not use"), "Done with `round_money`."),
        ("The report should use the existing `round_money` helper.", "Done: `round_money`."),
        (f"1. {_REVIEW}\n2. The title is misleading.", "Done with `round_money`."),
        (
            "The function always returns the first rate, because the table of `find_rate` is "
            "empty. It should return None in that case, since callers never expect a rate.",
            "Done, `find_rate` returns None.",
        ),
    ],
)
def test_other_remarks_wait(words: str, answer: str) -> None:
    assert not told(reviewed(words, answer))


def test_a_remark_that_was_not_followed_has_no_cure() -> None:
    asked = {"words": _REVIEW, "answer": "Done with round_money.", "first": False}

    assert cure_of({**asked, "edited": ["report.py"]})
    assert not cure_of({**asked, "edited": []})
    assert not cure_of({**asked, "edited": ["README.md"]})
    assert not cure_of({**asked, "edited": ["report.py"], "reversed": True})
    assert not cure_of({**asked, "edited": ["report.py"], "answered": [None, 3, "web"]})


_SOURCE = '"Each line of a bank statement has its own currency" -> https://bank.example.org/format'


@pytest.mark.parametrize(
    ("words", "answer", "holds"),
    [
        (f"you are wrong: {_SOURCE}", "You're right. Each line has its own currency.", True),
        (f"that's not true, {_SOURCE}", "You're right. Each line has its own currency.", True),
        (f"you are wrong: {_SOURCE}", "The format has one currency only.", False),
        (f"found this: {_SOURCE}", "You're right. Each line has its own currency.", False),
        ("you are wrong", "You're right. Each line has its own currency.", False),
    ],
)
def test_a_correction_with_its_source_is_told_once_the_agent_gives_way(
    words: str, answer: str, holds: bool
) -> None:
    assert bool(told(begun().prompt(words).answer(answer))) is holds


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("keep in mind that `orders` can be there without a cart", True),
        ("Also have in mind that the `rates` table has no index", True),
        ("please remember that we ship on windows and macos", True),
        ("keep in mind that the second button is now green", False),
        ("do you keep in mind that `orders` can be empty?", False),
        ("I had in mind that the list is sorted", False),
    ],
)
def test_a_fact_to_be_kept_in_mind_is_told_whatever_was_changed(words: str, holds: bool) -> None:
    story = begun().prompt(f"The import clears nothing. {words}").edit("cart.py", "a", "b")
    story.answer("Done.").prompt("that is still wrong").edit("cart.py", "b", "c").answer("Done.")

    assert any(words.split(" that ")[1] in one.content for one in told(story)) is holds


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("the total is rounded", "The total is rounded."),
        ("schema.py is generated", "schema.py is generated."),
        ("`total` is rounded", "`total` is rounded."),
        ("parse_rows keeps the header", "parse_rows keeps the header."),
        ("useCart is a hook:", "useCart is a hook."),
        ("src/cart comes first", "src/cart comes first."),
        ("--no-verify skips it", "--no-verify skips it."),
        ("it is, of course, so!", "It is, of course, so!"),
    ],
)
def test_names_of_the_code_keep_their_case_at_the_beginning_of_a_sentence(
    words: str, told: str
) -> None:
    assert as_sentence(words) == told


def test_what_is_skipped_for_a_branch_holds_for_it_alone() -> None:
    story = Story(branch="ann/x").prompt("Add a cart").edit("a.py").answer("Done.")
    story.prompt("for this branch, skip the slow end to end tests").answer("OK, I skip them.")

    one = about(story, "skip the slow")

    assert not one.unsure
    assert one.unit is not None
    assert one.unit.hierarchy == ("ann/x",)
