"""Sessions that are not for all, on every store: nothing of them shows in what is foretold."""

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotFound
from tests.observer.acts import START, Story

SECRET = ("plans/merger.md", "plans/prices.md", "plans/people.md")


def work(memory: Recollect, name: str, *paths: str, private: bool = False) -> None:
    session = memory.session(id=name, agent="bot", root="/work/app", private=private)
    session.on_prompt("write the merger plan", at=START)
    for number, path in enumerate(paths):
        given = {"file_path": f"/work/app/{path}"}
        session.on_tool_call("Edit", given, call=f"{name}{number}", at=START)
        session.on_tool_result("Edit", given, "edited", call=f"{name}{number}", at=START)
    session.finish()


def traces(memory: Recollect) -> set[str]:
    learning = memory.learning
    foretold = learning.predict([], prompt="write the merger plan", limit=50)
    foretold += learning.predict([SECRET[0]], limit=50)
    together = learning.together(SECRET)
    states = memory.list(types=["work_state"]).items
    return {
        *(one.path for one in foretold),
        *(path for pair in together for path in (pair.first, pair.second)),
        *(path for state in states for path in state.files),
    }


def test_an_open_session_leaves_its_traces(memory: Recollect) -> None:
    work(memory, "open", *SECRET)

    assert traces(memory) >= set(SECRET)


@pytest.mark.parametrize("name", ["quiet", "bot quiet"])
def test_an_incognito_session_leaves_nothing(memory: Recollect, name: str) -> None:
    memory.chat.incognito(name, True)

    work(memory, "quiet", *SECRET)
    memory.chat.incognito(name, False)
    work(memory, "open", "src/a.py", "src/b.py")

    assert not traces(memory) & set(SECRET)
    with pytest.raises(NotFound):
        memory.read("bot quiet")
    assert [run.id for run in memory.agents.sessions()] == ["open"]


def test_what_was_done_incognito_is_not_kept_when_it_ends(memory: Recollect) -> None:
    session = memory.session(id="half", agent="bot", root="/work/app")
    memory.chat.incognito("half", True)
    session.on_prompt("write the merger plan", at=START)
    given = {"file_path": f"/work/app/{SECRET[0]}"}
    session.on_tool_call("Edit", given, call="c1", at=START)
    session.on_tool_result("Edit", given, "edited", call="c1", at=START)
    assert session.system_prompt() == ""
    session.checkpoint()

    memory.chat.incognito("half", False)
    session.on_prompt("now the code", at=START)
    session.finish()

    assert not traces(memory) & set(SECRET)
    said = [event.text for event in memory.read("bot half").items]
    assert sorted(said) == ["now the code", "success"]


def test_memory_that_is_off_learns_nothing(memory: Recollect) -> None:
    memory.chat.set(memory_enabled=False)
    lesson = memory.learning.learn(Story("s1").edit(SECRET[0]).edit(SECRET[1]).observed())
    memory.chat.set(memory_enabled=True)

    assert lesson.memories == ()
    assert not traces(memory)


def test_a_private_session_is_for_its_readers(memory: Recollect) -> None:
    work(memory, "own", *SECRET, private=True)
    memory.add_member("bob")
    bob = memory.within(user="bob")

    with pytest.raises(NotFound):
        bob.read("bot own")
    assert not traces(bob)
    assert {path for state in memory.list(types=["work_state"]).items for path in state.files} == (
        set(SECRET)
    )
    assert [run.task for run in memory.agents.sessions()] == [""]
