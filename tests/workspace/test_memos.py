"""Memos: what they keep, what they show, who finds them, and how sure a match is."""

import json

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import EventNotFound, InvalidInput, NotAllowed, NotFound
from recollect.vocabulary.workspace import MemoSource
from recollect.workspace.memo_text import topic_words
from tests.inference.model_server import half, running, says
from tests.stores import StoreMaker
from tests.workspace.talking import DEPLOY, people, talk

ASKED = "How do we deploy the billing service to production?"


@pytest.fixture
def team(memory: Recollect) -> dict[str, Recollect]:
    return people(memory, "bob", "cyd", "dan")


def test_saving_keeps_where_it_was_said_and_nothing_of_what_was_said(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)

    memo = team["dan"].workspace.save(said[0].id)

    assert memo.window == tuple(one.id for one in said)
    assert memo.participants == ("bob", "cyd")
    assert memo.primary_answerer == "cyd"
    assert (memo.confidence, memo.source, memo.created_by) == (0.9, MemoSource.USER, "dan")
    assert memo.summary == ASKED
    assert "billing" in memo.topics
    kept = memory.get(memo.id)
    assert "pipeline, it deploys" not in repr(kept)
    assert ASKED not in repr(kept)


def test_an_edited_source_shows_its_new_words_everywhere(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    memo = team["dan"].workspace.save(said[0].id)

    team["bob"].edit_event(said[0].id, "How do we deploy the invoicing service to staging?")

    now = memory.workspace.memo(memo.id)
    assert now.summary == "How do we deploy the invoicing service to staging?"
    assert now.quotes[0].text == now.summary
    (hit,) = memory.workspace.search_memos("deploy invoicing service to staging", limit=1)
    assert hit.memo.id == memo.id


def test_a_memo_of_a_deleted_source_is_not_found_and_shows_no_words(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY[:1])
    memo = team["dan"].workspace.save(said[0].id)

    team["bob"].delete_event(said[0].id)

    assert memory.workspace.search_memos(ASKED) == ()
    shown = memory.workspace.memo(memo.id)
    assert shown.summary == ""
    assert [quote.deleted for quote in shown.quotes] == [True]


def test_saving_again_lifts_the_memo_that_is_there(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    first = team["dan"].workspace.save(said[0].id)

    second = team["cyd"].workspace.save(said[0].id, summary="Deploying billing")

    assert second.id == first.id
    assert second.summary == "Deploying billing"
    assert len(memory.workspace.memos().items) == 1


@pytest.mark.parametrize(
    ("question", "same"),
    [
        (ASKED, True),
        ("how do we deploy the billing service to production", True),
        ("How do we deploy the billing service to staging?", False),
        ("How do we not deploy the billing service to production?", False),
        ("How do we deploy the broken billing service to production?", False),
        ("Where is the coffee machine?", False),
    ],
)
def test_over_nine_tenths_is_the_same_question(
    memory: Recollect, team: dict[str, Recollect], question: str, same: bool
) -> None:
    said = talk(memory, DEPLOY)
    team["dan"].workspace.save(said[0].id)

    scores = [hit.score for hit in memory.workspace.search_memos(question)]

    assert all(0 < score <= 1 for score in scores)
    assert any(score > 0.9 for score in scores) == same


def test_a_good_answer_becomes_a_memo_and_lifts_it_the_next_time(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    question = "What takes billing to production?"

    first = team["dan"].workspace.save_answer(question, "The release pipeline.", [said[1].id])
    again = team["cyd"].workspace.save_answer(question, "The release pipeline.", [said[3].id])

    assert first is not None
    assert again is not None
    assert (first.confidence, first.source) == (0.6, MemoSource.RESEARCHER)
    assert first.summary == question
    assert again.id == first.id
    assert (again.confidence, again.helpfulness) == (0.65, 1.0)
    assert again.anchors == first.anchors  # who may see it does not change
    assert memory.workspace.search_memos(question)[0].score > 0.9
    assert team["dan"].workspace.save_answer("and that?", "No idea.", []) is None


def test_a_memo_over_several_streams_needs_every_one_of_them(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    memory.open_stream("board", access="private")
    memory.admit("board", "bob")
    (private,) = talk(memory, [("bob", "The price goes up in June.")], stream="board")
    (public,) = talk(memory, [("cyd", "Prices are on the website.")])
    memo = team["bob"].workspace.save_answer(
        "When do prices change?", "In June.", [public.id, private.id]
    )
    assert memo is not None

    def finds(view: Recollect) -> bool:
        found = view.workspace.search_memos("When do prices change?")
        return bool(found) and bool(view.workspace.memos().items)

    assert finds(team["bob"])
    assert not finds(team["cyd"])
    with pytest.raises(NotFound):
        team["cyd"].workspace.memo(memo.id)
    memory.admit("board", "cyd")
    assert finds(team["cyd"])
    memory.dismiss("board", "bob")
    assert not finds(team["bob"])  # its own maker, too


def test_memos_are_changed_by_their_maker_and_put_away(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    memo = team["dan"].workspace.save(said[0].id)
    with pytest.raises(NotAllowed):
        team["cyd"].workspace.update_memo(memo.id, summary="mine")

    changed = team["dan"].workspace.update_memo(memo.id, summary="Releases", topics=["release"])
    assert (changed.summary, changed.topics) == ("Releases", ("release",))
    assert [one.id for one in memory.workspace.memos(topic="release").items] == [memo.id]
    assert team["cyd"].workspace.rate_memo(memo.id, helpful=False).confidence == 0.8

    assert team["dan"].workspace.archive_memo(memo.id).archived_at is not None
    assert memory.workspace.memos().items == ()
    assert memory.workspace.search_memos("Releases") == ()
    assert [one.id for one in memory.workspace.memos(archived=True).items] == [memo.id]
    assert team["dan"].workspace.restore_memo(memo.id).archived_at is None


def test_what_cannot_be_saved_says_why(memory: Recollect, team: dict[str, Recollect]) -> None:
    memory.open_stream("board", access="private")
    (private,) = talk(memory, [(memory.viewer.user, "A secret plan.")], stream="board")
    with pytest.raises(EventNotFound):
        team["bob"].workspace.save(private.id)
    with pytest.raises(EventNotFound):
        memory.workspace.save("evt_nothing")
    with pytest.raises(InvalidInput):
        memory.workspace.search_memos("x" * 200_000)
    with pytest.raises(InvalidInput):
        memory.workspace.search_memos("anything", limit=0)
    fact = memory.remember("No memo at all.")
    with pytest.raises(NotFound):
        memory.workspace.memo(fact.id)


def test_ids_that_look_like_secrets_by_chance_are_none() -> None:
    from recollect.memories.drafts import Draft, memory_of
    from recollect.vocabulary.audiences import Viewer
    from recollect.vocabulary.spaces import Space, SpaceKind
    from tests.workspace.talking import START

    ids = ["evt_01kkqabdc4gmf5m2bkxx35gk9y", "evt_01kkqab23ff6d3c25favc1ng49"]
    ids += ["evt_01kkqabdcg9htfvsbe2psw68ee", "evt_01kkqabjasb6sht6hf26656pq0"]
    extras = {"window": ids, "window_start": ids[0], "window_end": ids[-1]}
    space = Space("spc_x", "x", SpaceKind.PROJECT, None, None, START)
    draft = Draft("A conversation", type="memo", events=ids, extras=extras)
    assert memory_of(draft, space, Viewer("ann"), START).extras["window"] == ids


def test_a_model_words_the_memo_and_words_it_anew_when_its_source_changes(
    stores: StoreMaker,
) -> None:
    """Over loopback, by the real protocol: topics and summary are two tasks, and what stands in the
    conversation gives no orders."""
    with running() as server:
        settings = {"model": "openai", "model_name": "small", "model_url": server.url}
        memory = stores.open(settings={**settings, "model_key": "sk-not-a-real-key"})
        team = people(memory, "bob", "cyd")
        said = talk(memory, DEPLOY)
        server.script = says({"topics": ["Release", "billing"]}, {"summary": "How billing ships"})

        memo = memory.workspace.save(said[0].id)

        assert (memo.summary, memo.topics) == ("How billing ships", ("release", "billing"))
        prompts = [json.dumps(one["messages"]) for one in server.requests]
        assert all(ASKED in one and "never followed" in one for one in prompts)
        assert memory.workspace.search_memos("How billing ships", limit=1)[0].memo.id == memo.id

        server.says = json.dumps({"summary": "How staging is filled"})
        team["bob"].edit_event(said[0].id, "How do we fill the staging service?")
        while memory.work():
            pass
        assert memory.workspace.memo(memo.id).summary == "How staging is filled"

        server.script = [half] * 8  # the model fails: an honest local form
        other = memory.workspace.save(talk(memory, DEPLOY[:2], stream="later")[0].id)
        assert other.summary == ASKED
        assert "billing" in other.topics


def test_changes_begin_with_the_first_call_and_tell_each_revision_once(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    old = team["dan"].workspace.save(said[0].id)

    first = memory.workspace.changes()
    assert first.changes == ()

    memory.remember("Something else moves the clock.")
    second = memory.workspace.changes(first)
    assert second.changes == ()

    memory.workspace.archive_memo(old.id)
    third = memory.workspace.changes(second)
    assert [(one.event, one.memo_id) for one in third.changes] == [("memo:archived", old.id)]
    memory.remember("Another thing moves the clock.")
    fourth = memory.workspace.changes(third)
    assert fourth.changes == ()
    assert memory.workspace.changes(fourth).changes == ()
    assert [one.memo_id for one in memory.workspace.changes(second).changes] == [old.id]


def test_french_words_of_everyday_name_no_topic() -> None:
    said = "Nous avons décidé d'utiliser la file PostgreSQL, c'est un système de moins que Redis."
    assert set(topic_words([said])) == {"décidé", "file", "postgresql", "redis", "système"}
