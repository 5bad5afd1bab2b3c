"""mem0's add(messages) without a model: facts are kept, chatter is not, the newest answers."""

from pathlib import Path

from recollect.mem0 import Memory

_ENDINGS = ("adan", "elow", "imur", "onev", "urio", "atek", "esra", "inda", "obel", "umar",
            "aven", "egil", "itos", "orra")  # fmt: skip


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


def test_nobody_loses_entries_to_the_cap_of_one_person(tmp_path: Path) -> None:
    m = Memory(db=tmp_path / "mem0.db", worker=False, embedder="none")
    towns = [f"{first}{last}" for first in "BDFGKLMNPRSTVWZ" for last in _ENDINGS]
    for number, town in enumerate(towns[:210]):
        m.add([{"role": "user", "content": f"I live in {town}."}], user_id=f"user{number}")

    assert len(m.engine.chat.entries(limit=1_000).items) == 210
    (first,) = m.get_all(user_id="user0")["results"]
    assert first["memory"] == f"I live in {towns[0]}."
    m.close()


def test_a_cap_that_somebody_chose_stays(tmp_path: Path) -> None:
    m = Memory(db=tmp_path / "mem0.db", worker=False, embedder="none")
    m.engine.chat.set(soft_cap=1)
    m.add([{"role": "user", "content": "I live in Toulouse."}], user_id="sam")
    m.add([{"role": "user", "content": "I live in Lisbon."}], user_id="kim")
    assert len(m.engine.chat.entries(limit=10).items) == 1
    m.close()
