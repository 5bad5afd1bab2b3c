"""Search equals a plain oracle, whatever was written, changed or taken away before.

One engine searches all the time, a second one on the same store only now and then, a third is
opened afresh: their indexes are warm, stale and new, and must give the same answers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.index import bm25, place_table, vector_index
from recollect.memories.inserter import embedded_text
from recollect.vocabulary.memory import Memory
from tests.contracts.oracle import Library, Text, check, exact
from tests.embedders import WordEmbedder
from tests.stores import StoreMaker

Draw = Callable[[Any], Any]
WORDS = (
    *("alpha", "beta", "gamma", "delta", "the", "of", "getUserName", "user_id", "src/auth.py"),
    *("日本語", "running", "runs"),
)
TAGS = ("red", "blue", "beta")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
queries = st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=4).map(" ".join)
owners = st.sampled_from(["ada", "bob"])
ACTIONS = ("remember", "record", "change", "tag", "archive", "restore", "erase", "unsay", "search")


@dataclass
class Case:
    """One space seen by two people through warm and stale engines, beside what should be in it."""

    warm: dict[str, Recollect]
    stale: dict[str, Recollect]
    library: Library
    mine: dict[str, str]
    counter: int = 0


def begin(warm: Recollect, stale: Recollect, embedder: WordEmbedder | None) -> Case:
    name = f"case {len(warm.spaces())}"
    ada = warm.within(space=name)
    ada.add_member("bob")
    return Case(
        {"ada": ada, "bob": ada.within(user="bob")},
        {user: stale.within(space=name, user=user) for user in ("ada", "bob")},
        Library(embedder),
        {},
    )


def act(case: Case, draw: Draw) -> None:
    """Do one random thing to the store and the same to the library."""
    action = draw(st.sampled_from(ACTIONS))
    user = draw(owners)
    view = case.warm[user]
    if action == "remember":
        personal = draw(st.booleans())
        content, tags = draw(texts), draw(st.lists(st.sampled_from(TAGS), unique=True))
        visibility = "personal" if personal else "project"
        kept = view.remember(content, tags=tags, visibility=visibility, repeats="keep")
        case.library.texts[kept.id] = Text(
            "memory", "\n".join([content, *tags]), embedded_text(kept), tags=frozenset(tags)
        )
        if personal:
            case.mine[kept.id] = user
    elif action == "record":
        content = draw(texts)
        case.library.texts[view.record(content).id] = Text("event", content, content)
    elif action == "search":
        ask(case, draw)
    else:
        change(case, draw, action)


def change(case: Case, draw: Draw, action: str) -> None:
    library = case.library
    if not library.texts:
        return
    item = draw(st.sampled_from(sorted(library.texts)))
    text = library.texts[item]
    view = case.warm[case.mine.get(item, "ada")]
    if text.kind == "event":
        if not text.live:
            return
        if action == "unsay":
            view.delete_event(item)
            text.live = False
        elif action == "change":
            content = draw(texts)
            view.edit_event(item, content)
            library.texts[item] = replace(text, words=content, meaning=content)
        return
    tags = sorted(text.tags)
    if action == "change":
        content = draw(texts)
        view.update(item, content=content)
        kept = view.get(item)
        assert isinstance(kept, Memory)
        library.texts[item] = replace(
            text, words="\n".join([content, *kept.tags]), meaning=embedded_text(kept)
        )
    elif action == "tag":
        tags = draw(st.lists(st.sampled_from(TAGS), unique=True))
        view.update(item, tags=tags)
        library.texts[item] = replace(
            text, words="\n".join([text.words.split("\n")[0], *tags]), tags=frozenset(tags)
        )
    elif action in {"archive", "restore"}:
        view.forget(item) if action == "archive" else view.restore(item)
        text.live = action == "restore"
    elif action == "erase":
        view.forget(item, for_good=True)
        del library.texts[item]


def seen(case: Case, user: str) -> set[str]:
    return {item for item in case.library.texts if case.mine.get(item, user) == user}


def ask(case: Case, draw: Draw) -> None:
    """Ask the warm engine, and now and then the stale one."""
    query, user = draw(queries), draw(owners)
    expected = case.library.scores(query, seen(case, user))
    check(case.warm[user].recall(query, limit=200, profile="plain"), expected)
    if draw(st.booleans()):
        check(case.stale[user].recall(query, limit=200, profile="plain"), expected)


@pytest.fixture(params=["roomy", "tiny"])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same with limits so small that every path through the indexes is taken."""
    if request.param == "tiny":
        monkeypatch.setattr(bm25, "_TAIL_LIMIT", 3)
        monkeypatch.setattr(bm25, "POSTINGS_KEPT", 25)
        monkeypatch.setattr(bm25, "SHORT_LIST", 0)
        monkeypatch.setattr(place_table, "PLACES_READ", 2)
        monkeypatch.setattr(vector_index, "VECTORS_READ", 2)
    return str(request.param)


@pytest.mark.parametrize("embedder", [WordEmbedder(), None], ids=["both legs", "words alone"])
def test_search_equals_the_oracle(
    stores: StoreMaker, limits: str, embedder: WordEmbedder | None
) -> None:
    address = stores.ready()
    warm = stores.open(address, embedder=embedder)
    stale = stores.open(address, embedder=embedder)

    @given(st.data())
    def walk(data: st.DataObject) -> None:
        case = begin(warm, stale, embedder)
        for _ in range(data.draw(st.integers(1, 25), label="steps")):
            act(case, data.draw)
        query = data.draw(queries, label="last question")
        fresh = stores.open(address, embedder=embedder)
        try:
            for user, view in case.warm.items():
                expected = case.library.scores(query, seen(case, user))
                again = fresh.within(space=view.space.name, user=user)
                answers = [
                    engine.recall(query, limit=200, profile="plain")
                    for engine in (view, case.stale[user], again)
                ]
                for answer in answers:
                    check(answer, expected)
                assert exact(answers[0]) == exact(answers[1]) == exact(answers[2])
        finally:
            fresh.close()

    walk()
    assert warm.health().sound


# --- Filters --------------------------------------------------------------------------------------


@given(data=st.data())
def test_filters_narrow_before_the_ranking(stores: StoreMaker, data: st.DataObject) -> None:
    """Scores do not depend on filters; what is let through is found, however far down it ranks."""
    memory = _shared(stores)
    names = {"type": ["fact", "gotcha"], "tag": list(TAGS), "author": ["ada", "bob"]}
    narrow: dict[str, Any] = {
        name: data.draw(st.sampled_from(values), label=name)
        for name, values in names.items()
        if data.draw(st.booleans(), label=f"by {name}")
    }
    query = data.draw(queries, label="query")
    limit = data.draw(st.sampled_from([1, 3, 400]), label="limit")
    wide = memory.recall(query, limit=400, kinds=["memory"])
    narrowed = memory.recall(query, limit=limit, kinds=["memory"], **narrow)
    through = {item.id for item in memory.list(limit=1_000, **narrow).items}

    expected = {hit.id: hit for hit in wide if hit.id in through}
    assert len(narrowed) == min(limit, len(expected)) or limit < 30
    for hit in narrowed:
        same = expected[hit.id]
        assert near(hit.keyword_score, same.keyword_score)
        assert near(hit.vector_score, same.vector_score)


def near(one: float | None, other: float | None) -> bool:
    """Whether a leg says the same; it says nothing of what is too far down for a short answer."""
    return one is None or other is None or abs(one - other) < 1e-4


def _shared(stores: StoreMaker) -> Recollect:
    """A hundred memories, made once for all examples of the test."""
    known: Recollect | None = getattr(stores, "shared", None)
    if known is not None:
        return known
    memory = stores.open()
    memory.add_member("bob")
    views = memory, memory.within(user="bob")
    for number in range(100):
        view = views[number % 3 == 1]
        view.remember(
            " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 2 + number % 5)),
            type=("fact", "gotcha")[number % 2],
            tags=[TAGS[number % 3]][: number % 4],
            repeats="keep",
        )
    stores.shared = memory  # type: ignore[attr-defined]
    return memory


def test_deep_answer_is_found_by_its_filter(memory: Recollect) -> None:
    """A hundred better ones stand before it, and none of them may be returned."""
    for _ in range(100):
        memory.remember("alpha alpha alpha", repeats="keep")
    last = memory.remember("alpha and some other words that make it rank low", tags=["red"])
    assert [hit.id for hit in memory.recall("alpha", limit=3, tag="red")] == [last.id]


@pytest.mark.parametrize("query", ["alpha", "alpha alpha alpha"])
def test_what_is_hidden_crowds_nothing_out(memory: Recollect, query: str) -> None:
    """A hundred better ones that another may see: the asker's own few fill the answer."""
    memory.add_member("bob")
    for _ in range(100):
        memory.remember("alpha alpha alpha", visibility="personal", repeats="keep")
    bob = memory.within(user="bob")
    mine = {bob.remember(f"alpha among other words {number}").id for number in range(3)}
    answer = bob.recall(query, limit=3)
    assert {hit.id for hit in answer} == mine
    assert {hit.keyword_rank for hit in answer} == {hit.vector_rank for hit in answer} == {1, 2, 3}


def test_kinds_choose_what_is_searched(memory: Recollect) -> None:
    kept, said = memory.remember("alpha"), memory.record("alpha")
    assert [hit.id for hit in memory.recall("alpha", kinds=["memory"])] == [kept.id]
    assert [hit.id for hit in memory.recall("alpha", kinds="event")] == [said.id]
    assert {hit.id for hit in memory.recall("alpha")} == {kept.id, said.id}
    assert {hit.kind for hit in memory.recall("alpha")} == {"memory", "event"}


def test_filter_that_only_memories_have_leaves_events_out(memory: Recollect) -> None:
    kept = memory.remember("alpha", tags=["red"])
    memory.record("alpha")
    for narrow in ({"tag": "red"}, {"type": "fact"}, {"pinned": False}, {"minimum_confidence": 0}):
        assert [hit.id for hit in memory.recall("alpha", **narrow)] == [kept.id], narrow


def test_events_are_narrowed_by_author_stream_and_time(memory: Recollect) -> None:
    one = memory.record("alpha one", author="bob", stream="here")
    two = memory.record("alpha two", stream="there")
    assert [hit.id for hit in memory.recall("alpha", author="bob")] == [one.id]
    assert [hit.id for hit in memory.recall("alpha", stream=two.stream_id)] == [two.id]
    assert [hit.id for hit in memory.recall("alpha", created_after=two.occurred_at)] == [two.id]
    assert [hit.id for hit in memory.recall("alpha", created_before=two.occurred_at)] == [one.id]


def test_answer_tells_how_each_leg_ranked(memory: Recollect) -> None:
    both = memory.remember("alpha beta")
    memory.remember("gamma delta")
    answer = memory.recall("alpha beta", profile="plain")
    (hit,) = answer
    assert answer.query == "alpha beta"
    assert (hit.id, hit.keyword_rank, hit.vector_rank) == (both.id, 1, 1)
    assert (hit.text, hit.kind) == ("alpha beta", "memory")
    assert hit.score == pytest.approx(1.0)
    assert answer.missing == ()


def test_scores_of_a_space_do_not_depend_on_other_spaces(memory: Recollect) -> None:
    one = memory.within(space="one")
    one.remember("alpha beta")
    one.remember("gamma")
    before = exact(one.recall("alpha gamma"))
    other = memory.within(space="other")
    for number in range(30):
        other.remember(f"alpha number {number}")
    assert exact(one.recall("alpha gamma")) == before
    again = memory.within(space="third")
    again.remember("alpha beta")
    again.remember("gamma")
    assert [hit[1:] for hit in exact(again.recall("alpha gamma"))] == [hit[1:] for hit in before]


def test_text_of_many_long_words_is_kept_and_found(stores: StoreMaker) -> None:
    memory = stores.open()
    memory.record(" ".join(f"{number:060x}" for number in range(20_000)))
    memory.record(" ".join(f"字{number:x}" * 12 for number in range(20_000)))
    assert len(memory.recall(f"{7:060x}", limit=5)) >= 1
    assert memory.health().sound
