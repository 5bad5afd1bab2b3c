"""Recall follows what a store is like: long turns in passages, whose turns they are, and wishes."""

import pytest

from recollect.engine import Recollect
from recollect.recall.passages import passages
from recollect.recall.plan import plan, topic_of
from recollect.recall.profiles import (
    BROADER,
    LONG_TURNS,
    MEASURED,
    MEASURED_LONG,
    PROFILES,
    SHORT_TURNS,
)
from recollect.recall.wishes import states_wish
from recollect.vocabulary.results import Filters
from tests.stores import StoreMaker

ADVICE = (
    "There are many things to think of before you begin, and most of them take more time than you "
    "would expect at first. Make a list, talk it over, sleep on it, and look at it again. "
)


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def signals_of(memory: Recollect, question: str, text: str) -> set[str]:
    for hit in memory.recall(question, kinds="event", explain=True, limit=50):
        if hit.text == text:
            assert hit.why is not None
            return {part.signal for part in hit.why.parts}
    return set()


def test_weights_go_over_from_short_turns_to_long_ones() -> None:
    profile = PROFILES["agent"]
    assert profile.weights_at(SHORT_TURNS) == MEASURED
    assert profile.weights_at(10 * LONG_TURNS) == pytest.approx(dict(MEASURED_LONG))
    between = profile.weights_at((SHORT_TURNS * LONG_TURNS) ** 0.5)
    assert between["words"] == pytest.approx((MEASURED["words"] + MEASURED_LONG["words"]) / 2)
    assert set(MEASURED) == set(MEASURED_LONG)
    assert PROFILES["plain"].weights_at(10 * LONG_TURNS) == PROFILES["plain"].weights


def test_weights_follow_the_breadth_of_the_question_where_turns_are_short() -> None:
    profile = PROFILES["agent"]
    narrow, broad = profile.weights_at(SHORT_TURNS, 0.0), profile.weights_at(SHORT_TURNS, 1.0)
    assert broad["meaning"] > MEASURED["meaning"] > narrow["meaning"]
    around = ("around", "coverage", "session_words", "session_coverage", "session_meaning")
    assert all(0 <= broad[name] < MEASURED[name] < narrow[name] for name in around)
    assert {*around, "meaning"} == set(BROADER)
    assert all(
        broad[name] == narrow[name] == MEASURED[name] for name in set(MEASURED) - set(BROADER)
    )
    assert profile.weights_at(10 * LONG_TURNS, 1.0) == pytest.approx(dict(MEASURED_LONG))
    assert PROFILES["plain"].weights_at(SHORT_TURNS, 1.0) == PROFILES["plain"].weights


def test_a_broad_question_is_weighed_by_the_turn_itself(memory: Recollect) -> None:
    memory.record("The harbour choir sang.", author="Ann", stream="talk")
    memory.record("I play the flute.", author="Ann", stream="talk")

    def weight(question: str, signal: str) -> float:
        answer = memory.recall(question, kinds="event", explain=True)
        parts = [part for hit in answer if hit.why for part in hit.why.parts]
        return next(part.weight for part in parts if part.signal == signal)

    broad, narrow = "What instruments does Ann play?", "When did Ann play the flute on 3 May?"
    assert weight(broad, "around") < weight(narrow, "around")
    assert weight(broad, "meaning") > weight(narrow, "meaning")
    assert weight("flute Ann play", "meaning") == MEASURED["meaning"]


def test_a_long_turn_is_found_and_quoted_by_its_best_passage(memory: Recollect) -> None:
    long = ADVICE * 3 + "The boiler in the cellar was made in Gdansk. " + ADVICE * 3
    memory.record(long, author="assistant", stream="talk")
    memory.record("The cellar is dry.", author="user", stream="talk")
    found = {hit.text: hit for hit in memory.recall("where was the boiler made?", kinds="event")}
    passage = found[long].passage
    assert passage is not None
    assert "made in Gdansk" in passage
    assert len(passage) < len(long) / 3
    assert found["The cellar is dry."].passage is None


def test_passages_hold_every_word_and_end_with_sentences() -> None:
    text = ADVICE * 10 + "x" * 3_000 + "\n" + "word " * 5_000
    parts = passages(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert parts[0].endswith((".", "!"))
    assert len(parts) <= 64
    assert passages("Short.") == ["Short."]
    assert passages("") == [""]


def own(question: str) -> tuple[bool, bool, bool]:
    read = plan(question, filters=Filters(), limit=5, profile=PROFILES["agent"], phase=None)
    return read.of_self, read.of_other, read.wants_help


def test_whom_a_question_is_about_and_whether_it_asks_for_help() -> None:
    assert own("When did I book the ferry?") == (True, False, False)
    assert own("Can you list what I planned for the garden?") == (True, False, False)
    assert own("What did you recommend for the garden?")[1]
    assert own("Could you help me with the garden?") == (True, False, True)
    assert own("How should I arrange the garden?") == (True, False, True)
    assert own("How many trees have I planted?")[2] is False


def test_the_askers_own_turns_lead_where_a_program_answers(memory: Recollect) -> None:
    memory.record("The ferry to Oban leaves at nine.", author="user", stream="talk")
    memory.record("The ferry to Oban is a ferry.", author="assistant", stream="talk")
    first = memory.recall("When does my ferry to Oban leave?", kinds="event").found[0]
    assert getattr(first.item, "author", "") == "user"


def test_a_standing_wish_comes_with_a_question_for_help(memory: Recollect) -> None:
    wish = "By the way, I prefer plain tools over large frameworks."
    memory.record(wish, author="user", stream="march")
    memory.record("Noted, I prefer that as well.", author="assistant", stream="march")
    for number in range(30):
        memory.record(f"Garden bed {number} has new soil.", author="user", stream="april")
        memory.record("That is good to know.", author="assistant", stream="april")
    memory.record("The orders come by mail.", author="user", stream="may")
    asked = "How should I store the orders?"
    found = memory.recall(asked, kinds="event", limit=10)
    assert wish in [hit.text for hit in found]
    assert "wish" in signals_of(memory, asked, wish)
    assert "wish" not in signals_of(memory, asked, "Noted, I prefer that as well.")
    assert "wish" not in signals_of(memory, "How many orders did I store?", wish)


@pytest.mark.parametrize(
    "said",
    [
        "Always show the units when I ask about sizes.",
        "I'd rather walk.",
        "From now on, keep it short.",
        "We usually meet on Mondays.",
        "Je préfère le train.",
    ],
)
def test_what_states_a_wish(said: str) -> None:
    assert states_wish(said)


@pytest.mark.parametrize(
    "said", ["It never rained.", "When I arrived it was late.", "She preferred tea."]
)
def test_what_states_none(said: str) -> None:
    assert not states_wish(said)


def test_what_somebody_said_is_ranked_where_no_word_of_it_fits(memory: Recollect) -> None:
    for stream, author, text in (
        ("first", "Ann", "The zeppelin show was sold out"),
        ("second", "Bob", "Lunch was lovely"),
        ("second", "Ann", "The rent went up again"),
    ):
        memory.record(text, author=author, stream=stream)
    found = [hit.text for hit in memory.recall("Does Bob own a zeppelin?", kinds="event")]
    assert sorted(found) == ["Lunch was lovely", "The zeppelin show was sold out"]
    assert memory.recall("Does Bob own a submarine?", kinds="event").found == ()


def test_what_was_told_first_counts_more_than_what_repeats_it(memory: Recollect) -> None:
    told = "We adopted a brown puppy from the shelter near the harbour"
    echo = "A brown puppy from the shelter near the harbour, how lovely that you adopted it"
    memory.record("The rent went up again", author="Ann", stream="talk")
    memory.record(told, author="Ann", stream="talk")
    memory.record(echo, author="Bob", stream="talk")
    answer = memory.recall("which puppy was adopted from the shelter?", kinds="event", explain=True)
    novelty = {
        hit.text: next(part.value for part in hit.why.parts if part.signal == "novelty")
        for hit in answer
        if hit.why is not None and hit.text in {told, echo}
    }
    assert novelty[told] > 0 > novelty[echo]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        (
            "Can you list the order in which I brought up different aspects of my greenhouse "
            "throughout our conversations, in order? Mention only and only five items.",
            "my greenhouse",
        ),
        ("Could you please give me a short summary of the greenhouse?", "of the greenhouse"),
        ("Who has the guest list for our chats?", "Who has the guest list for our chats"),
        ("Can you summarize?", "Can you summarize"),
    ],
)
def test_what_a_question_says_of_the_talk_is_no_part_of_its_topic(
    question: str, topic: str
) -> None:
    assert " ".join(topic_of(question).strip(" ,.?").split()).strip(" ,.?") == topic
