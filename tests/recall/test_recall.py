"""The chain as a whole: what it finds by context, what it says of it, and what it does without."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.recall.profiles import PROFILES, SIGNALS
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.results import Recalled
from tests.clocks import TickingClock
from tests.embedders import RemoteEmbedder, WordEmbedder
from tests.stores import StoreMaker

WORDS = ("alpha", "beta", "gamma", "delta", "zoo", "tiger", "when", "2026")


def talk(memory: Recollect) -> None:
    said = [
        ("Ann", "I went to the zoo yesterday"),
        ("Bob", "What did you see there?"),
        ("Ann", "Tigers and two bears"),
        ("Bob", "I stayed home and read"),
    ]
    for author, text in said:
        memory.record(text, author=author, stream="monday")
    memory.record("Bob cooked soup", author="Bob", stream="tuesday")


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def test_answer_is_found_by_the_turns_around_it(memory: Recollect) -> None:
    talk(memory)
    found = [hit.text for hit in memory.recall("What did Ann see at the zoo?", limit=3)]
    assert "Tigers and two bears" in found


def test_named_person_is_preferred(memory: Recollect) -> None:
    memory.record("I like green tea", author="Ann", stream="one")
    memory.record("I like green tea too", author="Bob", stream="two")
    for name in ("Ann", "Bob"):
        first = memory.recall(f"What does {name} like?", explain=True).found[0]
        assert getattr(first.item, "author", None) == name
        assert first.why is not None
        assert "speaker" in {part.signal for part in first.why.parts}


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_profile_explains_itself(memory: Recollect, profile: str) -> None:
    talk(memory)
    memory.remember("Ann likes tigers", type="fact")
    answer = memory.recall("tigers at the zoo", profile=profile, explain=True, limit=2)
    assert answer.profile == profile
    assert len(answer) == 2
    for hit in answer:
        assert hit.why is not None
        assert {part.signal for part in hit.why.parts} <= SIGNALS.keys()
        assert sum(part.share for part in hit.why.parts) == pytest.approx(hit.why.relevance)
    returned = {hit.id for hit in answer}
    assert returned.isdisjoint(one.id for one in answer.dropped)
    assert all(one.reason for one in answer.dropped)


def test_without_an_embedder_words_answer_and_say_so(stores: StoreMaker) -> None:
    remote = RemoteEmbedder()
    memory = stores.open(embedder=remote)
    talk(memory)
    remote.down = True
    answer = memory.recall("zoo", explain=True)
    assert answer.found[0].text == "I went to the zoo yesterday"
    assert any("vectors" in words for words in answer.missing)
    alone = stores.open(embedder=None)
    talk(alone)
    answer = alone.recall("zoo", explain=True)
    assert answer.found[0].text == "I went to the zoo yesterday"
    assert any("no embedder" in words for words in answer.notes)


def test_faded_memory_ranks_lower(memory: Recollect) -> None:
    sure = memory.remember("alpha beta", confidence=0.9)
    unsure = memory.remember("alpha beta", confidence=0.2, repeats="keep")
    assert [hit.id for hit in memory.recall("alpha beta")] == [sure.id, unsure.id]


def test_what_is_old_is_found_before_what_is_new_and_about_something_else(
    stores: StoreMaker, clock: TickingClock
) -> None:
    memory = stores.open(embedder="static")
    old = memory.remember("The harbour crane needs two keys.", type="gotcha", source="user_taught")
    clock.move(timedelta(days=400))
    for text in ("The canteen closes at two.", "The keys of the van hang by the door."):
        memory.get(memory.remember(text, type="gotcha", source="user_taught").id)
    assert memory.recall("how many keys does the harbour crane need?").found[0].id == old.id


def test_a_letter_tells_things_of_one_kind_apart(stores: StoreMaker) -> None:
    """Also "A", which is a word of nearly every text."""
    memory = stores.open(embedder="static")
    told = {
        "Plan A": "Plan A is to rent the hall near the river.",
        "Plan B": "Plan B is to ask the library for a room.",
        "Building A": "Building A has the server room.",
        "Building B": "Building B has a canteen and a garden.",
    }
    memory.record_many([NewEvent(f"We said: {text}") for text in told.values()], stream="talk")
    for text in told.values():
        memory.remember(text)
    memory.work(5)
    for name, text in told.items():
        for question in (f"What do you know of {name}?", f"what is {name.lower()}"):
            for kind in ("memory", "event"):
                found = memory.recall(question, kinds=[kind])
                assert text in found.found[0].text, (question, kind)
    why = memory.recall("What is Plan A?", kinds=["memory"], explain=True).found
    assert {one.text: one.why.factors.get("label") for one in why if one.why}[told["Plan B"]] == 0.5
    assert memory.recall("Where should I eat at building sites?").found


def test_phase_changes_the_order(memory: Recollect) -> None:
    gotcha = memory.remember("alpha beta", type="gotcha")
    recipe = memory.remember("alpha -> beta", type="workflow_recipe")
    assert memory.recall("alpha beta", phase="implement").found[0].id == gotcha.id
    assert memory.recall("alpha beta", phase="define").found[0].id == recipe.id


def test_unknown_profile_is_refused(memory: Recollect) -> None:
    with pytest.raises(InvalidInput, match="profile"):
        memory.recall("alpha", profile="nobody")


def test_packed_answer_stays_in_its_budget(memory: Recollect) -> None:
    talk(memory)
    for budget in (1, 20, 40, 400):
        packed = memory.recall("zoo tigers", budget=budget).packed
        assert packed is not None
        assert packed.tokens <= budget
    packed = memory.recall("zoo", budget=0, phase="explore").packed
    assert packed is not None
    assert packed.budget == 2_000


# --- Properties -----------------------------------------------------------------------------------


def exact(answer: Recalled) -> list[Any]:
    return [(hit.id, hit.score, hit.keyword_score, hit.vector_score) for hit in answer]


@given(data=st.data())
def test_filter_lets_nothing_through(stores: StoreMaker, data: st.DataObject) -> None:
    """Every profile, random filters: what comes back is what a look at each item lets through."""
    memory = shared(stores)
    narrow: dict[str, Any] = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "author": st.sampled_from(["ada", "Ann", "Bob"]),
                "tag": st.sampled_from(["red", "blue"]),
                "type": st.sampled_from(["fact", "gotcha"]),
            },
        )
    )
    profile = data.draw(st.sampled_from(sorted(PROFILES)))
    query = " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
    for hit in memory.recall(query, limit=200, profile=profile, **narrow):
        item: Any = hit.item
        if "author" in narrow:
            said_by = item.author if hit.kind == "event" else item.provenance.created_by
            assert said_by == narrow["author"]
        if "tag" in narrow:
            assert narrow["tag"] in item.tags
        if "type" in narrow:
            assert item.type == narrow["type"]


def shared(stores: StoreMaker) -> Recollect:
    known: Recollect | None = getattr(stores, "filtered", None)
    if known is not None:
        return known
    memory = stores.open(embedder=WordEmbedder())
    chance = np.random.default_rng(7)
    for number in range(60):
        text = " ".join(chance.choice(WORDS, 3))
        memory.record(text, author=("Ann", "Bob")[number % 2], stream=f"s{number % 5}")
        if number % 2:
            kind, tags = ("fact", "gotcha")[number % 4 == 1], ["red", "blue"][: number % 3]
            memory.remember(text, type=kind, tags=tags)
    stores.filtered = memory  # type: ignore[attr-defined]
    return memory


@given(data=st.data())
def test_cached_index_equals_a_fresh_one(stores: StoreMaker, data: st.DataObject) -> None:
    """Events come, change and go on several streams; a warm index answers as a new one does."""
    address, warm = pair(stores)
    view = warm.within(space=f"case {len(warm.spaces())}")
    said: list[str] = []
    for _ in range(data.draw(st.integers(1, 12))):
        action = data.draw(st.sampled_from(["say", "say", "edit", "unsay", "ask"]))
        text = " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))
        if action == "say" or not said:
            stream = data.draw(st.sampled_from(["one", "two"]))
            author = data.draw(st.sampled_from(["Ann", "Bob"]))
            said.append(view.record(text, stream=stream, author=author).id)
        elif action == "edit":
            view.edit_event(data.draw(st.sampled_from(said)), text)
        elif action == "unsay":
            view.delete_event(said.pop(data.draw(st.integers(0, len(said) - 1))))
        else:
            view.recall(text)
    fresh = stores.open(address, embedder=WordEmbedder())
    query = " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))
    again = fresh.within(space=view.space.name)
    assert exact(view.recall(query, limit=50)) == exact(again.recall(query, limit=50))
    fresh.close()


def pair(stores: StoreMaker) -> tuple[str, Recollect]:
    """One store for all examples, and an engine on it whose index stays warm."""
    known: tuple[str, Recollect] | None = getattr(stores, "pair", None)
    if known is None:
        address = stores.ready()
        known = address, stores.open(address, embedder=WordEmbedder())
        stores.pair = known  # type: ignore[attr-defined]
    return known
