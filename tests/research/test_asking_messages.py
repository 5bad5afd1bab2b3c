"""What somebody says of themself while asking tells, where they ask about themself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.research.asking_messages import tells_nothing
from recollect.research.questions import is_about_asker, read

ABOUT_ASKER = read("How many hours have I spent on dice rolls?")
HOW_TO = read("How do I plan my hours on dice rolls?")
TOLD = "I've spent three hours on dice rolls, can you help me plan the rest?"


@pytest.mark.parametrize(
    "question",
    [
        "Have I worked with Flask routes?",
        "What profession did I mention I work in?",
        "How long did it take before I finished my essay?",
        "Which fees had I already paid?",
        "Combien d'heures ai-je pass\u00e9 sur les d\u00e9s ?",
    ],
)
def test_the_asker_asks_about_themself(question: str) -> None:
    assert is_about_asker(question)


@pytest.mark.parametrize(
    "question",
    [
        "When did Ada move to Lisbon?",
        "Why did we leave SQLite?",
        "How do I clear my cache?",
        "Can you help me with my essay?",
        "Comment puis-je vider mon cache ?",
    ],
)
def test_the_asker_asks_of_something_else(question: str) -> None:
    assert not is_about_asker(question)


def test_what_one_says_of_oneself_before_one_asks_tells() -> None:
    assert not tells_nothing(ABOUT_ASKER, TOLD)
    assert tells_nothing(HOW_TO, TOLD)


@pytest.mark.parametrize(
    "text",
    [
        "How many hours have I spent on dice rolls?",
        "So can I roll two dice?",
        "What do you think?",
    ],
)
def test_a_question_alone_tells_nothing(text: str) -> None:
    assert tells_nothing(ABOUT_ASKER, text)


@pytest.mark.parametrize("text", [f"So, {TOLD}", "Hey! My dice are loaded, is that fair?"])
def test_words_may_stand_before_a_statement(text: str) -> None:
    assert not tells_nothing(ABOUT_ASKER, text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_only_what_asks_can_tell_nothing(question: str, text: str) -> None:
    assert not tells_nothing(read(question), f"{text}\nThe sun is out today.")


def test_research_cites_what_the_asker_said_while_asking(memory: Recollect) -> None:
    told = memory.record(TOLD, stream="chat", author="user")
    memory.record("Certainly, dice rolls take practice.", stream="chat", author="assistant")
    memory.record("Of dice rolls there are 36.", stream="chat", author="assistant")
    answer = memory.research(ABOUT_ASKER.text)
    assert told.id in [one.event_id for one in answer.citations]
