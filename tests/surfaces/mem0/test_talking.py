"""mem0's add(messages) without a model: facts are kept, chatter is not, the newest answers."""

from pathlib import Path

from recollect.mem0 import Memory


def test_facts_are_kept_and_the_newest_answers(tmp_path: Path) -> None:
    m = Memory(db=tmp_path / "mem0.db", worker=False, embedder="static")
    m.add(
        [
            {"role": "user", "content": "I live in Toulouse. Can you make it shorter?"},
            {"role": "assistant", "content": "Of course. I live in the cloud."},
            {"role": "user", "content": "ok thanks"},
        ],
        user_id="sam",
    )
    changed = m.add([{"role": "user", "content": "We moved to Bordeaux."}], user_id="sam")

    assert [one["event"] for one in changed["results"]] == ["UPDATE"]
    assert [one["memory"] for one in m.get_all(user_id="sam")["results"]] == [
        "We moved to Bordeaux."
    ]
    found = m.search("where do I live?", user_id="sam")["results"]
    assert found[0]["memory"] == "We moved to Bordeaux."
    m.close()
