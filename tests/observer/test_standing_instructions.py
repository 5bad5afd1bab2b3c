"""Instructions on how to work here are told, in whatever words; wishes for the product wait."""

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.promotion import Judge
from recollect.observer.signals.standing_instructions import (
    is_specification,
    standing_instruction,
)
from recollect.observer.signals.wishes import is_rule
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story


def begun() -> Story:
    return Story().prompt("Add a cart").edit("cart.ts").answer("Done.")


def told(story: Story) -> list[Candidate]:
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    return [one for one in found if not one.needs_review]


@pytest.mark.parametrize(
    "words",
    [
        "use pnpm not npm",
        "we are using postgres, not sqlite",
        "please do not create new markdown files for every change",
        "stop adding comments",
        "don't use any, we have strict types",
        "don't push without asking me",
        "no emojis please",
        "before committing, run the linter",
        "whenever you add a component, add a story for it",
        "run the tests after every change",
        "as usual, take the settings from config/local",
        "the official name of the shop is shop-two, not shop",
        "our backend runs on port 8080",
        "I start the dev server myself",
        "you keep adding comments",
        "commit messages in English",
        "keep your answers short",
        "I don't want the export to be one file because it will be too large for the mail",
        "bitte immer auf Deutsch antworten",
        "il faut toujours utiliser les composants du catalogue",
        "siempre usa los componentes del catálogo",
        "пожалуйста, всегда пиши тесты",
        "以后都用 pnpm",
    ],
)
def test_how_to_work_here_is_told_in_whatever_words(words: str) -> None:
    (one,) = told(begun().prompt(words).answer("Noted."))

    assert words in one.content


@pytest.mark.parametrize(
    "words",
    [
        "the sidebar should collapse on a small screen",
        "don't show a spinner on the first page",
        "do not allow users to select past dates",
        "use tabs instead of dropdown",
        "when you click the button, show a dialog",
        "whenever the user logs in, show a greeting",
        "I want the button to be bigger because nobody sees it",
        "don't do any changes yet, just explain",
        "don't touch the tests",
        "keep the message short",
        "can you not use mocks?",
        "it always redirects me to the login page",
        "every time I click on save it crashes",
        "ça ne marche toujours pas",
        "es geht immer noch nicht",
        "no tests were run",
    ],
)
def test_a_wish_for_the_product_a_report_and_an_order_for_now_are_none(words: str) -> None:
    assert standing_instruction(words) == ""
    assert told(begun().prompt(words).edit("page.tsx", "a", "b").answer("Done.")) == []


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("it never updates the list", False),
        ("and it always returned the first row", False),
        ("every time I open the page it is empty", False),
        ("every time we add a command, the docs must name it", True),
        ("never update the list by hand", True),
        ("the dates should be in UTC everywhere", True),
        ("there are errors everywhere", False),
        ("make sure the export works", False),
        ("make sure that every export has a header", True),
    ],
)
def test_how_often_something_fails_is_no_rule(words: str, rule: bool) -> None:
    assert is_rule(words) is rule


def test_an_instruction_beside_an_order_is_told_alone() -> None:
    words = "Fix the header of the export. Use pnpm, not npm. Then show me the result."
    (one,) = told(begun().prompt(words).edit("export.ts", "a", "b").answer("Done."))

    assert one.content == "The user said: “Use pnpm, not npm.”"


SPECIFICATION = """Build an app to track expenses.
1. Users should always be able to see their balance.
2. The app must never lose data when it is offline.
3. Every transaction needs a category."""
ROLE = """You are an expert in TypeScript and React.
- Always use descriptive names.
- Never use enums; use maps instead.
Now build the page of my bakery."""


@pytest.mark.parametrize("words", [SPECIFICATION, ROLE])
@pytest.mark.parametrize("first", [True, False])
def test_a_specification_and_a_part_that_an_agent_plays_wait(words: str, first: bool) -> None:
    story = (Story() if first else begun()).prompt(words).edit("app.ts", "a", "b").answer("Done.")

    assert is_specification(words)
    assert told(story) == []


def test_a_command_to_the_agents_program_is_no_wish() -> None:
    words = "/add src/prices.ts we never round prices in the cart"

    assert told(begun().prompt(words).edit("prices.ts", "a", "b").answer("Got it.")) == []


def test_what_an_agent_admits_is_told_beside_the_words_that_took_it_to_task() -> None:
    story = begun().prompt("why didn't you work in the copy of the repository?")
    story.answer(
        "You're right - according to our rules, I should have switched to the copy before making "
        "any changes. Let me do that."
    )

    (one,) = told(story)

    assert "The user asked: “why didn't you work in the copy" in one.content
    assert (
        "The agent admitted: According to our rules, I should have switched to the copy before"
        in one.content
    )


@pytest.mark.parametrize(
    "answer",
    ["You're right, I forgot to.", "Sorry! Let me switch.", "You asked for a copy, didn't you?"],
)
def test_an_apology_that_names_nothing_waits(answer: str) -> None:
    assert told(begun().prompt("why didn't you work in the copy?").answer(answer)) == []


def test_orders_in_one_breath_wait() -> None:
    words = (
        "yes fix that and have it check whether the exports are disabled before it writes them and "
        "if they should not be written then ignore them and never start what was not running but "
        "those that are enabled should be written again only where they were there to begin with "
        "and do not only do the ones that I listed but also any other export that needs to be there"
    )

    assert told(begun().prompt(words).edit("export.ts", "a", "b").answer("Got it.")) == []


def test_a_chosen_answer_with_a_quotation_in_it_is_told_whole() -> None:
    story = begun().call("AskUserQuestion", questions=[{"question": "How is the export named?"}])
    story.result('Your questions: "How is the export named?"="Named "prices" in all files".')

    (one,) = told(story)

    assert one.signal is Signal.CHOICE
    assert '“Named "prices" in all files”' in one.content


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("use of `os.Getwd` forbidden because it breaks in folders (forbidigo)", True),
        ("error strings should not be capitalized (revive)", False),
    ],
)
def test_only_rules_that_the_project_wrote_itself_are_told(message: str, holds: bool) -> None:
    story = begun().call("Bash", command="make lint").fail(f"a.go:4:2: {message}").edit("a.go")
    story.bash("make lint")

    assert any(one.signal is Signal.CHECK_RULE for one in told(story)) is holds


def test_from_now_on_is_no_word_for_the_moment() -> None:
    words = "Describe the data flow in FLOW.md, also make sure to modify it from now on"

    assert "from now on" in standing_instruction(f"{words}.")
    assert "from now on" in standing_instruction(f"{words} if you do any changes to the code.")
    assert standing_instruction("Explain it first, do not make any changes.") == ""
