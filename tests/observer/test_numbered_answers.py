"""Numbered answers stand with the questions that they answer."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.observer.signals.numbered_answers import answers_to, is_numbered, questions_in
from tests.observer.acts import Story

ASKED = """Here is the plan:
1. Read the rows
2. Write the report

Questions:
1. **Files**: One file or several?
2. **Order**:
   - Should the newest row come first?
3. Does this make sense to you?
"""
ANSWERS = "1. several files\n2. the oldest first\n3. yes"


def test_each_answer_stands_behind_its_question() -> None:
    assert questions_in(ASKED) == {
        "1": "One file or several?",
        "2": "Should the newest row come first?",
    }
    assert answers_to(ANSWERS, questions_in(ASKED)) == (
        "One file or several? several files; Should the newest row come first? the oldest first"
    )


def test_an_answer_that_leaves_its_question_open_is_left_out() -> None:
    assert answers_to("1. not sure, what do you think?\n2. newest", questions_in(ASKED)) == ""
    assert answers_to("several files, please", questions_in(ASKED)) == ""


def test_a_memory_tells_the_questions_with_the_answers() -> None:
    story = Story().prompt("Plan the report").answer(ASKED).prompt(ANSWERS)
    story.edit("report.py", "a", "b").answer("The report has several files, oldest row first.")
    told = [one.content for one in story.observed().candidates()]

    assert any(one.startswith("The user answered: “One file or several? several") for one in told)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_is_read(asked: str, words: str) -> None:
    found = answers_to(words, questions_in(asked))

    assert not found or is_numbered(words)
