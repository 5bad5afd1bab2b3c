"""What mem0 promises and its quick-start does not show: whose a memory is, filters, refusals."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from recollect.mem0 import Memory
from recollect.surfaces.mem0.messages import messages_of, stated
from recollect.surfaces.mem0.scopes import matches


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Memory]:
    with Memory(db=tmp_path / "mem0.db", worker=False, embedder="static") as memory:
        yield memory


def texts(answer: dict[str, list[dict[str, Any]]]) -> set[str]:
    return {one["memory"] for one in answer["results"]}


def test_everyone_has_their_own(m: Memory) -> None:
    m.add("I love sci-fi movies.", user_id="alice", run_id="monday")
    m.add("I love sci-fi movies.", user_id="bob")
    m.add("I love old westerns.", user_id="alice", agent_id="critic")
    assert texts(m.get_all(user_id="bob")) == {"I love sci-fi movies."}
    assert texts(m.search("movies", user_id="bob")) == {"I love sci-fi movies."}
    assert len(m.get_all(user_id="alice")["results"]) == 2
    assert texts(m.get_all(user_id="alice", run_id="monday")) == {"I love sci-fi movies."}
    assert texts(m.get_all(agent_id="critic")) == {"I love old westerns."}
    assert m.get_all(user_id="carol") == {"results": []}
    m.delete_all(user_id="alice", agent_id="critic")
    assert texts(m.get_all(user_id="alice")) == {"I love sci-fi movies."}


def test_what_was_said_before_is_not_kept_twice(m: Memory) -> None:
    m.add("I love sci-fi movies.", user_id="alice")
    assert m.add("i LOVE sci-fi movies!", user_id="alice") == {"results": []}
    assert m.add("I do not love sci-fi movies.", user_id="alice")["results"]


def test_without_inference_every_message_is_kept(m: Memory) -> None:
    messages = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "Shall we?", "name": "ali"},
        {"role": "assistant", "content": [{"type": "text", "text": "We shall."}]},
        {"role": "user"},
        "nonsense",
    ]
    added = m.add(messages, user_id="alice", infer=False)["results"]
    assert [(one["memory"], one["role"], one["actor_id"]) for one in added] == [
        ("Shall we?", "user", "ali"),
        ("We shall.", "assistant", None),
    ]
    assert m.get(added[0]["id"]) is not None
    assert (m.get(added[0]["id"]) or {})["actor_id"] == "ali"


def test_an_agent_s_own_words(m: Memory) -> None:
    said = [{"role": "user", "content": "I am Bob."}, {"role": "assistant", "content": "I am Io."}]
    assert texts(m.add(said, agent_id="io")) == {"I am Io."}


def test_filters(m: Memory) -> None:
    for stars, kind in ((5, "film"), (3, "film"), (1, "book")):
        m.add(f"Rated {stars} of 5.", user_id="a", metadata={"stars": stars, "kind": kind})
    for wanted, count in (
        ({"kind": "film"}, 2),
        ({"stars": {"gte": 3}}, 2),
        ({"stars": {"gt": 1, "lt": 5}}, 1),
        ({"kind": {"in": ["book", "song"]}}, 1),
        ({"kind": "*"}, 3),
        ({"OR": [{"stars": 5}, {"stars": 1}]}, 2),
        ({"NOT": [{"kind": "film"}]}, 1),
        ({"AND": [{"user_id": "a"}, {"kind": {"icontains": "FI"}}]}, 2),
        ({"stars": {"gt": "text"}}, 0),
    ):
        found = m.get_all(user_id="a", filters=wanted)["results"]
        assert len(found) == count, wanted
        assert len(m.search("rated", user_id="a", filters=wanted)["results"]) == count
    assert len(m.get_all(user_id="a", limit=2)["results"]) == 2


def test_refusals_are_value_errors(m: Memory) -> None:
    for call in (
        lambda: m.add("x y z", user_id=None),
        lambda: m.add(7, user_id="a"),
        lambda: m.add("x", user_id="a", memory_type="dream"),
        lambda: m.add("x y", user_id="a", metadata={"f": object()}),
        lambda: m.search(" ", user_id="a"),
        lambda: m.search("x"),
        m.get_all,
        m.delete_all,
        lambda: m.delete("no"),
        lambda: m.update("no", "x"),
        lambda: (
            m.get_all(user_id="a", filters={"stars": {"near": 3}})
            if m.add("I am here.", user_id="a")
            else None
        ),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - each says something else
            call()
    with pytest.raises(NotImplementedError):
        m.chat("hello")
    assert m.get("no") is None
    assert m.history("no") == []


def test_update_keeps_whose_it_is_and_merges_metadata(m: Memory) -> None:
    first = m.add("I live in Rome.", user_id="a", metadata={"x": 1})["results"][0]["id"]
    m.update(first, "I live in Oslo.", metadata={"y": 2})
    found = m.get(first) or {}
    assert (found["memory"], found["metadata"]) == ("I live in Oslo.", {"x": 1, "y": 2})
    assert found["user_id"] == "a"
    assert found["updated_at"] > found["created_at"]
    assert m.search("Oslo", user_id="a")["results"][0]["id"] == first


def test_mem0_s_configuration_is_taken(tmp_path: Path) -> None:
    config = {
        "vector_store": {"provider": "qdrant", "config": {"host": "localhost", "port": 6333}},
        "llm": {"provider": "openai", "config": {"model": "gpt-4"}},
        "recollect": {"db": str(tmp_path / "c.db"), "worker": False},
    }
    with Memory.from_config(config) as m:
        m.add("It works offline.", user_id="a")
        assert m.engine.space.name == "mem0"
        assert len(m.get_all(user_id="a")["results"]) == 1


ITEM = {"user_id": "a", "metadata": {"stars": 3, "kind": "film"}}
LEAVES = some.sampled_from(
    [{"stars": 3}, {"stars": 4}, {"kind": "film"}, {"user_id": "b"}, {"stars": {"lte": 3}}]
)


@given(some.lists(LEAVES, min_size=1, max_size=4))
def test_and_or_not_mean_what_they_say(parts: list[dict[str, Any]]) -> None:
    each = [matches(part, ITEM) for part in parts]
    assert matches({"AND": parts}, ITEM) == all(each)
    assert matches({"OR": parts}, ITEM) == any(each)
    assert matches({"NOT": parts}, ITEM) == (not any(each))


@given(some.text(max_size=200))
def test_any_text_can_be_said(text: str) -> None:
    for message in stated(messages_of(text), by="user", day=date(2026, 3, 1)):
        assert message.content
        assert message.content in text
