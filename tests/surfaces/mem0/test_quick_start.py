"""mem0's own quick-starts, with the import changed and the ids that were really given."""

import asyncio
from pathlib import Path

import pytest

from recollect.mem0 import AsyncMemory, Memory

#: The steps of mem0's Python quick-start, in its order; ``{first}`` stands for an id it printed.
QUICK_START = """
import os
from recollect.mem0 import Memory

os.environ["OPENAI_API_KEY"] = "your-api-key"

m = Memory()

messages = [
    {"role": "user", "content": "I'm planning to watch a movie tonight. Any recommendations?"},
    {"role": "assistant", "content": "How about a thriller movies? They can be quite engaging."},
    {"role": "user", "content": "I'm not a big fan of thriller movies but I love sci-fi movies."},
    {"role": "assistant", "content": "Got it! I'll avoid thriller recommendations."}
]

# Store inferred memories (default behavior)
result = m.add(messages, user_id="alice", metadata={"category": "movie_recommendations"})

# Get all memories
all_memories = m.get_all(user_id="alice")

# Get a single memory by ID
first = result["results"][0]["id"]
specific_memory = m.get(first)

related_memories = m.search(query="What do you know about me?", user_id="alice")
likes = m.search(query="which movies does alice like?", user_id="alice")

updated = m.update(memory_id=first, data="I love India, it is my favorite country.")
history = m.history(memory_id=first)

m.delete(memory_id=first)
after = m.get(first)
m.delete_all(user_id="alice")
none = m.get_all(user_id="alice")
m.reset()
m.close()
"""


@pytest.fixture
def m(tmp_path: Path) -> Memory:
    return Memory(db=tmp_path / "mem0.db", worker=False, embedder="static")


def test_the_quick_start_runs_with_one_import_changed() -> None:
    seen: dict[str, object] = {}
    exec(QUICK_START, seen)  # it is a text that people paste
    results = seen["result"]["results"]  # type: ignore[index]
    assert [set(one) for one in results] == [{"id", "memory", "event"}] * 2
    assert {one["event"] for one in results} == {"ADD"}
    listed = seen["all_memories"]["results"]  # type: ignore[index]
    shape = {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}
    assert [set(one) for one in listed] == [shape] * 2
    assert listed[0]["metadata"] == {"category": "movie_recommendations"}
    assert seen["specific_memory"] in listed
    found = seen["related_memories"]["results"]  # type: ignore[index]
    assert [set(one) for one in found] == [shape | {"score"}] * 2
    assert "sci-fi" in seen["likes"]["results"][0]["memory"]  # type: ignore[index]
    assert seen["updated"] == {"message": "Memory updated successfully!"}
    told = [
        (one["event"], one["old_memory"], one["new_memory"])
        for one in seen["history"]  # type: ignore[attr-defined]
    ]
    first = results[0]["memory"]
    assert told == [
        ("ADD", None, first),
        ("UPDATE", first, "I love India, it is my favorite country."),
    ]
    assert seen["after"] is None
    assert seen["none"] == {"results": []}


def test_the_newer_quick_start_with_filters(m: Memory) -> None:
    messages = [
        {"role": "user", "content": "Hi, I'm Alex. I love basketball and gaming."},
        {"role": "assistant", "content": "Hey Alex! I'll remember your interests."},
    ]
    m.add(messages, user_id="alex")
    results = m.search("What do you know about me?", filters={"user_id": "alex"})
    assert {one["memory"] for one in results["results"]} == {
        "I'm Alex.",
        "I love basketball and gaming.",
    }
    m.close()


def test_async(tmp_path: Path) -> None:
    async def story() -> None:
        m = await AsyncMemory.from_config({"recollect": {"db": str(tmp_path / "a.db")}})
        added = await m.add("I love sci-fi movies.", user_id="alice")
        first = added["results"][0]["id"]
        assert (await m.get(first) or {})["memory"] == "I love sci-fi movies."
        assert (await m.search("movies", user_id="alice"))["results"][0]["id"] == first
        await m.update(first, "I love westerns.")
        assert len(await m.history(first)) == 2
        await m.delete(first)
        await m.delete_all(user_id="alice")
        assert await m.get_all(user_id="alice") == {"results": []}
        await m.reset()
        await m.close()

    asyncio.run(story())
