"""Notes are corrected and replaced, events are read, and every answer is a whole sentence."""

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine import Recollect
from recollect.surfaces.mcp.server import build
from tests.surfaces.mcp.calling import call


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as memory:
        yield memory


def said(memory: Recollect, tool: str, **given: Any) -> str:
    text, failed = call(build(memory), tool, given)
    return f"error: {text.partition(': ')[2]}" if failed else text


@pytest.mark.parametrize("empty", ["", " \n\t"])
def test_an_empty_note_is_refused_as_empty(store: Recollect, empty: str) -> None:
    told = "error: The text is empty. Nothing was kept. Write a sentence."
    kept = store.remember("Tests need Redis.", source="agent_explicit")

    assert said(store, "record_memory", content=empty) == told
    assert said(store, "update_memory", id=kept.id, content=empty) == told
    assert said(store, "supersede_memory", id=kept.id, content=empty) == told
    assert [one.content for one in store.list().items] == ["Tests need Redis."]


def test_a_note_says_what_it_contradicts(store: Recollect) -> None:
    store.remember("The staging server runs PostgreSQL 14.", source="agent_explicit")
    told = said(store, "record_memory", content="The staging server runs PostgreSQL 16.")
    (found,) = store.contradictions.list().items
    assert "It contradicts what is kept" in told
    assert found.id in told
    assert "PostgreSQL 14." in told


def test_a_note_is_corrected(store: Recollect) -> None:
    kept = store.remember("Tests need Rdis.", type="gotcha", source="agent_explicit")

    told = said(
        store, "update_memory", id=kept.id[-8:], content="Tests need Redis.", files=["tests/c.py"]
    )

    assert told == f"Updated [gotcha {kept.id[-8:]}]."
    found = store.get(kept.id)
    assert (found.content, found.files) == ("Tests need Redis.", ("tests/c.py",))  # type: ignore[union-attr]
    assert found.needs_review  # type: ignore[union-attr]
    assert len(store.history(kept.id)) == 2
    assert said(store, "update_memory", id=kept.id).startswith("error: No change was given")


def test_a_note_is_replaced_and_the_old_one_stays_readable(store: Recollect) -> None:
    old = store.remember("We deploy on Mondays.", type="decision", tags=["release"])
    store.agents.set_trust(3)

    told = said(store, "supersede_memory", id=old.id, content="We deploy on Tuesdays.")

    (new,) = store.list().items
    assert told == f"Kept as [decision {new.id[-8:]}] in place of [decision {old.id[-8:]}]."
    assert (new.content, new.tags, new.supersedes) == (
        "We deploy on Tuesdays.",
        ("release",),
        old.id,
    )
    assert store.get(old.id).superseded_by == new.id  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["taught", "confirmed", "pinned"])
def test_what_a_person_stands_for_is_not_an_agent_s_to_change(store: Recollect, how: str) -> None:
    source = "user_taught" if how == "taught" else "agent_explicit"
    kept = store.remember("We never commit to main.", source=source, pinned=how == "pinned")
    if how == "confirmed":
        store.verify(kept.id)

    for tool in ("update_memory", "supersede_memory"):
        told = said(store, tool, id=kept.id, content="We commit to main.")
        assert told.startswith("error: A person taught or confirmed")
    assert f"recollect forget {kept.id}" in said(store, "forget_memory", id=kept.id)
    assert [one.content for one in store.list().items] == ["We never commit to main."]
    store.agents.set_trust(3)
    assert said(store, "update_memory", id=kept.id, content="Never.").startswith("Updated")


def test_events_are_read_around_one_and_along_a_stream(store: Recollect) -> None:
    ids = [store.record(f"line {number}", stream="chat", author="bob").id for number in range(1, 8)]

    window = said(store, "read_events", event=ids[3], before=1, after=2).split("\n")
    assert [line.rsplit(": ", 1)[1] for line in window] == ["line 3", "line 4", "line 5", "line 6"]
    assert [line.startswith("> ") for line in window] == [False, True, False, False]
    first = said(store, "read_events", stream="chat", limit=5).split("\n")
    assert len(first) == 6
    cursor = first[-1].partition('"')[2].rstrip('".')
    rest = said(store, "read_events", stream="chat", limit=5, cursor=cursor).split("\n")
    assert [line.rsplit(": ", 1)[1] for line in rest] == ["line 6", "line 7"]
    assert "chat" in said(store, "read_events")
    assert said(store, "read_events", event=ids[0], stream="chat").startswith("error: Give an")
    assert said(store, "read_events", event="evt_x").startswith("error: No event")


def test_nothing_recorded_is_said(store: Recollect) -> None:
    assert said(store, "read_events") == "Nothing was recorded here yet."


def test_answers_about_code_are_whole_sentences(store: Recollect, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "lonely.py").write_text("def lonely():\n    return 1\n\n\ndef other():\n    pass\n")
    store.code.index(code)

    flow = said(store, "trace_data_flow", source="lonely")
    assert flow.endswith("Nothing is known to be called from it.")
    way = said(store, "trace_data_flow", source="lonely", target="other")
    assert way.endswith("No way from it to other is known.")
    needs = said(store, "get_dependencies", target="lonely")
    assert "Uses nothing of this code that is known.\nNothing is known to use it." in needs


def test_a_wrong_call_is_answered_with_what_is_expected(store: Recollect) -> None:
    server = build(store)

    def refused(tool: str, **given: Any) -> str:
        text, failed = call(server, tool, given)
        assert failed
        assert "pydantic" not in text
        assert "validation" not in text
        return text.removeprefix(f"Error executing tool {tool}: ")

    assert refused("record_memory", text="Tea.") == (
        "'content' is missing: it takes a text. 'text' is not known; there are "
        "content, type, files, tags, session. Nothing was done."
    )
    assert refused("search_memory", query="tea", topic="drinks").startswith(
        "'topic' is not known; there are query, "
    )
    assert refused("search_memory", query="tea", limit="many").startswith(
        "'limit' does not fit: it takes a whole number."
    )
    assert refused("record_memory", content="Tea.", tags=7).startswith(
        "'tags' does not fit: it takes a list of texts."
    )
    assert "Did you mean search_memory" in refused("serch_memory", query="tea")
    assert "record_memory" in refused("memory_record")
    assert "There are: search_memory, " in refused("zzz")
    assert store.list().items == ()
