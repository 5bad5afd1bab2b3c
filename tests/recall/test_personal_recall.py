"""Recall of personal entries: weights, cached scores, diversity by tags, topics, shared tags."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.recall.profiles import PROFILES, Profile
from recollect.vocabulary.errors import InvalidSetting
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve, serve

__all__ = ["serve"]


def test_the_weights_of_relevance_recency_and_importance_are_a_setting(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fitting = memory.chat.add("The violin teacher has locker seven.").entry
    stores.clock.move(timedelta(days=60))
    fresh = memory.chat.add("My violin is brown.").entry
    assert fitting is not None
    assert fresh is not None
    first = {}
    for weights in ("1/0/0", "0/1/0"):
        asking = stores.open(address, settings={"chat_weights": weights})
        first[weights] = asking.recall("violin teacher locker", profile="chat").found[0].id
    assert first == {"1/0/0": fitting.id, "0/1/0": fresh.id}


@pytest.mark.parametrize("weights", ["", "1/2", "1/2/x", "0/0/0", "-1/1/1", "nan/1/1", "inf/1/1"])
def test_weights_that_cannot_be_are_refused(stores: StoreMaker, weights: str) -> None:
    with pytest.raises(InvalidSetting, match=r"three numbers like 0\.9/0\.05/0\.05"):
        stores.open(settings={"chat_weights": weights})


def test_scores_are_as_of_the_last_retrieval(stores: StoreMaker) -> None:
    memory = stores.open()
    asked = memory.chat.add("Locker 7 belongs to the violin teacher.").entry
    passed = memory.chat.add("My flight to Oslo leaves on Friday.").entry
    assert asked is not None
    assert passed is not None
    before = memory.chat.entry(passed.id).scores
    moment = stores.clock.move(timedelta(days=3))
    memory.recall("violin teacher", limit=1)
    memory._services.serving.flush()
    fresh, other = memory.chat.entry(asked.id).scores, memory.chat.entry(passed.id).scores
    assert fresh.computed_at >= moment
    assert fresh.recency < asked.scores.recency
    assert fresh.total == pytest.approx(fresh.relevance + fresh.recency + fresh.importance)
    assert other == before


def test_without_vectors_shared_tags_tell_what_repeats(stores: StoreMaker) -> None:
    memory = stores.open(embedder=None)
    for text, tag in (
        ("The violin lesson is on Monday.", "music"),
        ("The violin lesson costs thirty euros.", "music"),
        ("The violin lesson is in Ghent, by train.", "travel"),
    ):
        memory.remember(text, tags=[tag])
    by_score = replace(PROFILES["ranks_with_recency"], name="by_score", diversity=1.0)
    diverse = replace(by_score, name="diverse", diversity=0.3)

    def tags(profile: Profile) -> list[str]:
        found = memory.recall("when is the violin lesson on Monday?", profile=profile).found
        return [tag for one in found for tag in getattr(one.item, "tags", ())]

    assert sorted(tags(by_score)) == sorted(tags(diverse)) == ["music", "music", "travel"]
    assert tags(diverse) == ["music", "travel", "music"]


def test_what_is_packed_stands_by_topic(stores: StoreMaker) -> None:
    memory = stores.open()
    for text, tag in (
        ("The violin lesson is on Monday.", "music"),
        ("The violin goes by train to Ghent.", "travel"),
        ("The violin lesson costs thirty euros.", "music"),
        ("The violin needs a seat on the train.", "travel"),
    ):
        memory.chat.add(text, tags=[tag])
    packed = memory.recall("violin lesson and train", profile="chat", budget=400).packed
    assert packed is not None
    places = {text: packed.text.index(text) for text in ("Monday", "Ghent", "thirty", "seat")}
    ordered = sorted(places, key=places.__getitem__)
    assert {*ordered[:2]} in ({"Monday", "thirty"}, {"Ghent", "seat"})


def test_shared_tags_are_found_by_recall_and_over_http(stores: StoreMaker, serve: Serve) -> None:
    home = stores.open().within(space="home", kind="personal")
    home.chat.add("I am allergic to peanuts.", tags=["health"])
    home.chat.add("My diary of peanuts is under the bed.", tags=["private"])
    work = home.within(space="work")
    ask = serve(work)

    def found() -> tuple[list[str], list[str]]:
        here = work.recall("peanuts", profile="chat", kinds="memory").found
        body = {"query": "peanuts", "profile": "chat", "space": "work"}
        there = ask("POST", "/v1/recall", body).json["found"]
        return [one.text for one in here], [one["item"]["content"] for one in there]

    assert found() == ([], [])
    home.chat.share("health", work.space)
    assert found() == (["I am allergic to peanuts."], ["I am allergic to peanuts."])
    assert home.chat.unshare("health", work.space)
    assert found() == ([], [])
