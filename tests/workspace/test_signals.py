"""Signals that arrive: reactions and replies of imported histories, references, what was cited.

What earns a header may become a memo of the system, and a memo follows its source.
"""

import json
from contextlib import closing
from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.workspace import MemoSource
from tests.stores import Keeper, StoreMaker
from tests.workspace.talking import DEPLOY, people, talk


@pytest.fixture
def team(memory: Recollect) -> dict[str, Recollect]:
    return people(memory, "bob", "cyd")


def worked(memory: Recollect) -> None:
    """Do every job that is promised, and those that they promise."""
    while memory.work():
        pass


def export_of(folder: Path) -> Path:
    """A Slack export: a question with two reactions and two replies in its thread."""
    channel = folder / "general"
    channel.mkdir(parents=True)
    (folder / "users.json").write_text(json.dumps([{"id": "U1", "name": "bob"}]))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "general"}]))
    asked = {
        "type": "message",
        "user": "U1",
        "ts": "1772442000.000100",
        "thread_ts": "1772442000.000100",
        "text": DEPLOY[0][1],
        "reactions": [{"name": "eyes", "users": ["U1", "U2"], "count": 2}],
    }
    answers = [
        {
            "type": "message",
            "user": "U2",
            "ts": f"177244206{number}.000100",
            "thread_ts": asked["ts"],
            "text": f"{DEPLOY[1][1]}, step {number}",
        }
        for number in range(2)
    ]
    (channel / "2026-03-02.json").write_text(json.dumps([asked, *answers]))
    return folder


def test_what_an_imported_history_says_of_its_messages_counts(
    memory: Recollect, tmp_path: Path
) -> None:
    memory.import_(export_of(tmp_path / "slack"), format="slack")
    worked(memory)
    (memo,) = memory.workspace.memos().items
    assert (memo.source, memo.confidence) == (MemoSource.SYSTEM, 0.5)
    assert memo.summary == DEPLOY[0][1]
    memory.import_(export_of(tmp_path / "again"), format="slack")
    worked(memory)
    assert len(memory.workspace.memos().items) == 1


def test_a_reference_from_another_event_raises_a_message(
    stores: StoreMaker,
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    people(memory, "bob", "cyd")
    said = talk(memory, DEPLOY)
    talk(memory, [("cyd", f"As said in {said[1].id}, use the pipeline.")], stream="kitchen")
    worked(memory)
    with closing(Keeper(address)) as keeper, keeper.reading() as connection:
        from recollect.storage.pages.event_signals import signals_of

        found = signals_of(connection, memory.space.id, said[1].id)
    assert found is not None
    assert (found.mentions, found.tier) == (1, 2)


def test_what_was_cited_raises_a_message_and_makes_a_memo(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    said = talk(memory, DEPLOY)
    answer = team["bob"].recall("release pipeline production", kinds="event")
    assert answer.id is not None
    team["bob"].feedback(answer.id, "cited", items=[said[1].id])
    worked(memory)
    (memo,) = memory.workspace.memos().items
    assert memo.source is MemoSource.SYSTEM
    assert memo.primary_answerer == "cyd"
    assert {said[0].id, said[1].id} <= set(memo.anchors)


def test_a_memo_follows_its_source_and_goes_with_it(
    memory: Recollect, team: dict[str, Recollect]
) -> None:
    (asked,) = talk(memory, DEPLOY[:1])
    memo = team["bob"].workspace.save(asked.id)
    assert "billing" in memo.topics
    team["bob"].edit_event(asked.id, "Where do invoices go?")
    worked(memory)
    assert "billing" not in repr(memory.get(memo.id))
    assert "invoices" in memory.workspace.memo(memo.id).topics
    team["bob"].delete_event(asked.id)
    worked(memory)
    assert memory.workspace.memos().items == ()
    assert memory.workspace.memos(archived=True).items == ()
