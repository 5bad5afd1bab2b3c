"""Topics, gaps, suggestions, experts, related conversations, and conversations told apart."""

from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.events import NewEvent
from tests.stores import StoreMaker
from tests.workspace.talking import DEPLOY, START, people, talk

COFFEE = (
    ("dan", "Who knows where the espresso machine manual is?"),
    ("eve", "dan: the espresso machine manual is in the kitchen drawer"),
    ("dan", "eve: found it, thanks"),
)


@pytest.fixture
def team(memory: Recollect) -> dict[str, Recollect]:
    return people(memory, "bob", "cyd", "dan", "eve")


def mixed() -> list[tuple[str, str]]:
    """Two conversations at the same time."""
    one, other = list(DEPLOY), list(COFFEE)
    return [one[0], other[0], one[1], other[1], one[2], other[2], one[3]]


def test_conversations_that_run_beside_each_other_are_told_apart(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, mixed())
    coffee = [said[place].id for place in (1, 3, 5)]

    found = team["bob"].workspace.conversation(said[1].id)

    assert [one.id for one in found.events] == coffee
    assert (found.asker, found.answerers) == ("dan", ("eve",))
    assert found.participants == ("dan", "eve")


def test_a_reply_belongs_to_what_it_answers_however_late(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    (asked,) = talk(memory, DEPLOY[:1])
    talk(memory, [("dan", f"Something else entirely, number {n}.") for n in range(20)])
    late = team["cyd"].record(
        "By the pipeline.",
        stream="general",
        reply_to=asked.id,
        occurred_at=START + timedelta(days=9),
    )
    window = memory.workspace.conversation(asked.id)
    assert {asked.id, late.id} <= {one.id for one in window.events}


def test_a_stream_without_a_pause_is_read_in_part(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    lines = [
        NewEvent(
            f"Deploying step {n} of the release.", occurred_at=START + timedelta(seconds=3 * n)
        )
        for n in range(600)
    ]
    said = team["bob"].record_many(lines, stream="general")
    window = memory.workspace.conversation(said[300].id)
    assert said[300].id in {one.id for one in window.events}
    assert len(window.events) <= 200


def test_topics_count_memos_that_the_viewer_may_see(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    memory.open_stream("board", access="private")
    talked = talk(memory, DEPLOY)
    hidden = talk(memory, [(memory.viewer.user, "Is the merger on?")], stream="board")
    memory.workspace.save(talked[0].id, topics=["release"])
    memory.workspace.save(hidden[0].id, topics=["release", "merger"])

    mine = {one.name: one.memos for one in memory.workspace.topics()}
    theirs = {one.name: one.memos for one in team["bob"].workspace.topics()}
    assert mine == {"release": 2, "merger": 1}
    assert theirs == {"release": 1}
    overview = team["bob"].workspace.overview()
    assert set(overview.by_topic) == {"release"}
    assert "merger" not in repr(overview)


def test_a_gap_is_what_two_asked_and_nobody_found(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    talk(memory, DEPLOY)
    team["bob"].recall("Who renews parking permits?")
    assert memory.workspace.gaps() == ()
    team["cyd"].recall("who renews parking permits")
    team["dan"].recall("Who waters orchids?")
    team["dan"].recall("How do we deploy billing to production?")
    team["eve"].recall("How do we deploy billing to production?")
    (gap,) = team["eve"].workspace.gaps()
    assert "parking permits" in gap.query
    assert gap.asked == 2
    assert "bob" not in repr(gap)
    assert "cyd" not in repr(gap)
    stranger = memory.within(user="mallory")
    assert stranger.workspace.gaps() == ()


def test_what_one_person_asked_again_is_no_gap_for_others(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    for _ in range(3):
        team["bob"].recall("Which therapist does the insurance pay for?")
    assert team["eve"].workspace.gaps() == memory.workspace.gaps() == ()
    (own,) = team["bob"].workspace.gaps()
    assert own.asked == 3


def test_suggestions_begin_at_ten_characters_and_are_kept_a_minute(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    memo = memory.workspace.save(said[0].id)
    view = team["dan"].workspace
    assert view.suggest("How do we").found == ()
    first = view.suggest("how do we deploy the billing service")
    assert [hit.memo.id for hit in first.found] == [memo.id]
    assert first.found[0].score > 0.7
    assert not first.cached
    assert view.suggest("How do we deploy the billing  service").cached
    assert view.suggest("where is the espresso machine").found == ()
    memory.workspace.update_memo(memo.id, confidence=0.4)
    assert view.suggest("how do we deploy the billing service").found == ()


@pytest.mark.parametrize(
    "typed",
    ["how do we depl", "how do we deploy", "how do we deploy bil", "how do we deploy the b"],
)
def test_the_last_word_of_what_is_typed_may_go_on(
    memory: Recollect, team: dict[str, Recollect], typed: str
) -> None:
    said = talk(memory, [("cyd", "Push the button on the release page."), *COFFEE])
    memory.workspace.save_answer("How do we deploy billing?", "the button", [said[0].id])
    memory.workspace.save_answer("Where is the espresso machine?", "kitchen", [said[2].id])

    found = team["dan"].workspace.suggest(typed).found

    assert [hit.memo.summary for hit in found] == ["How do we deploy billing?"]


def test_topics_are_of_what_is_kept_and_not_of_questions(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, [("cyd", "Gus's ledger is printed on the second floor.")])
    memory.workspace.save_answer("Who called about the zeppelin?", "Gus", [said[0].id])

    names = {one.name for one in memory.workspace.topics()}

    assert {"gus", "ledger", "floor"} <= names
    assert names.isdisjoint({"called", "zeppelin", "gus's", "printed"})


def test_topics_of_one_memo_make_room_for_those_of_more(memory: Recollect) -> None:
    words = "anvil brook cedar delta ember flint grove heron".split()
    for number in range(2):
        said = talk(memory, [("ada", f"Note {number}.")], start=START + timedelta(days=number))
        memory.workspace.save(said[0].id, topics=[*words, f"only {number}"])

    assert [one.name for one in memory.workspace.topics()] == words


def test_whoever_said_nothing_of_a_subject_does_not_lead(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    late = START + timedelta(days=2)
    talk(memory, COFFEE)
    talk(memory, [("bob", "hi there"), ("cyd", "lunch?"), ("bob", "see you")], start=late)

    found = memory.workspace.experts("the espresso machine manual", asker="dan")
    assert found[0].user == "eve"
    assert [bool(one.answered) for one in found[-2:]] == [False, False]

    known = memory.workspace.experts("the espresso machine manual")
    assert "eve" in {one.user for one in known}
    assert all(one.answered and one.samples for one in known)


def test_who_thanked_or_spoke_next_is_no_expert_though_cited(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(
        memory,
        [
            ("bob", "Who knows how we deploy billing?"),
            ("cyd", "I do: run make ship, then approve the canary."),
            ("bob", "Thanks cyd, that worked."),
            ("dan", "To rotate the billing certificates run certs rotate and restart nginx."),
            ("bob", "The on-call phone is with cyd until Friday."),
            ("dan", "We picked RabbitMQ over Kafka because nobody here can run Kafka."),
            ("bob", "The canary waits twenty minutes before promotion."),
        ],
    )
    answer = team["cyd"].recall("rabbitmq canary", kinds="event")
    assert answer.id is not None
    team["cyd"].feedback(answer.id, "cited", items=[said[5].id, said[6].id])

    def found(subject: str) -> dict[str, int]:
        return {one.user: one.cited for one in memory.workspace.experts(subject)}

    assert found("rabbitmq") == {"dan": 1}
    assert found("billing certificates").keys() == {"dan", "cyd"}
    assert found("deploy").keys() == {"cyd"}  # the next message answers a question about it
    asked = memory.research("who knows about billing certificates?")
    assert "bob" not in asked.text.lower()


def test_experts_are_those_who_answered_with_what_they_said(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    talk(memory, COFFEE, stream="kitchen", start=START + timedelta(hours=3))
    team["bob"].react(said[1].id, "👍")
    answer = team["bob"].recall("billing production", kinds="event")
    assert answer.id is not None
    team["bob"].feedback(answer.id, "cited", items=[said[1].id])
    team["bob"].feedback(answer.id, "helpful", items=[said[1].id])

    found = team["dan"].workspace.experts("deploy billing to production", asker="bob")
    cyd = next(one for one in found if one.user == "cyd")
    assert cyd.answered >= 1
    assert (cyd.cited, cyd.helpful, cyd.reactions) == (1, 1, 1)
    assert any(sample.event_id == said[1].id and sample.helpful for sample in cyd.samples)
    assert not any("?" in sample.preview for one in found for sample in one.samples)
    assert not any("espresso" in sample.preview for one in found for sample in one.samples)
    assert sum(one.answered for one in team["dan"].workspace.overview().experts) <= len(said)
    assert "bob" not in {one.user for one in found}
    assert cyd.expertise > max((one.expertise for one in found if one.user != "cyd"), default=0.0)
    named = team["dan"].workspace.experts("@eve how do we deploy billing?")
    assert named[0].user == "eve"
    with pytest.raises(InvalidInput):
        memory.workspace.experts("")


def test_who_told_of_something_before_the_newest_messages_is_still_named(
    memory: Recollect, team: dict[str, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.workspace.experts.MAX_MESSAGES", 40)
    talk(memory, [("eve", "The wiki certificate is renewed by a script on the 14th.")])
    later = START + timedelta(hours=2)
    lines = [("dan", f"The kitchen needs {n} spoons and forks.") for n in range(60)]
    talk(memory, lines, start=later, minutes=0.2)

    found = team["bob"].workspace.experts("Who renews the wiki certificate?")

    assert found[0].user == "eve"
    assert found[0].samples[0].preview.startswith("The wiki certificate")
    assert memory.workspace.experts("watering orchids") == ()


def test_a_person_s_own_chat_makes_nobody_an_expert(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    memory.chat.hear("I live in Ghent and my cat is called Moos")
    memory.chat.hear("I deploy billing on Mondays")
    assert memory.workspace.experts("billing") == ()

    talk(memory, DEPLOY)
    for view in (memory, team["bob"], team["dan"]):
        assert [one.user for one in view.workspace.experts("billing", asker="bob")] == ["cyd"]
        assert "Moos" not in repr(view.workspace.experts("cats and where people live"))
        assert "Mondays" not in repr(view.workspace.experts("billing on Mondays"))


def test_nobody_is_named_on_what_nobody_spoke_of(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    talk(memory, DEPLOY)
    assert memory.workspace.experts("watering orchids") == ()


def test_one_person_with_many_names_is_one_expert(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    for number in range(30):
        memory.confirm_alias("cyd", f"cyd-{number}")
    for number in range(30):
        talk(
            memory,
            [("bob", f"How is release {number} made?")],
            start=START + timedelta(hours=number),
        )
        memory.within(user="cyd").record(
            f"Release {number} is made by the pipeline.",
            stream="general",
            author=f"cyd-{number}",
            occurred_at=START + timedelta(hours=number, minutes=2),
        )
    found = memory.workspace.experts("How are releases made?", asker="bob")
    assert [one.user for one in found] == ["cyd"]


def test_related_conversations_are_elsewhere(memory: Recollect, team: dict[str, Recollect]) -> None:
    talk(memory, DEPLOY, start=START - timedelta(days=30))
    said = talk(memory, [("dan", "How do I deploy the billing service to production again?")])
    found = memory.workspace.related(said[0].id)
    assert found.memos == ()
    assert [one.stream for one in found.discussions] == ["general"]
    assert "bob" in found.discussions[0].participants
    memo = memory.workspace.save(found.discussions[0].event_id)
    assert [hit.memo.id for hit in memory.workspace.related(said[0].id).memos] == [memo.id]
    with pytest.raises(EventNotFound):
        memory.workspace.related("evt_none")


def test_streams_have_a_purpose_that_can_be_taken_back(stores: StoreMaker) -> None:
    memory = stores.open(stores.ready())
    talk(memory, [(memory.viewer.user, "How do we deploy the billing service to production?")])
    stream = memory.workspace.set_purpose("general", "Questions about releases")
    assert (
        memory.workspace.stream("general").purpose == stream.purpose == "Questions about releases"
    )
    memory.workspace.set_purpose("general", None)
    assert memory.workspace.stream("general").purpose is None
