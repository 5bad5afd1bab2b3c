"""The tools about what people said: each answers in lines, and refuses what it does not know."""

import pytest

from recollect.engine import Recollect
from recollect.surfaces.mcp.workspace import NOTHING, WorkspaceTools
from recollect.vocabulary.errors import InvalidInput, NotFound
from tests.workspace.talking import DEPLOY, people, talk


@pytest.fixture
def said(memory: Recollect) -> list[str]:
    people(memory, "bob", "cyd")
    talk(memory, [("cyd", "Use `make release` for the billing release.")], stream="kitchen")
    return [one.id for one in talk(memory, DEPLOY)]


def test_messages_are_found_and_narrowed(memory: Recollect, said: list[str]) -> None:
    tools = WorkspaceTools(memory)
    assert said[1] in tools.search_messages("release pipeline")
    asked = {"from": "@bob", "in": "#general", "after": "2026-03-01", "before": "2026-03-03"}
    narrowed = tools.search_messages("billing production", filters=asked)
    assert said[0] in narrowed
    assert said[1] not in narrowed
    coded = tools.search_messages("billing release", filters={"hasCode": True})
    assert "make release" in coded
    assert said[0] not in coded
    assert tools.search_messages("zebra quagga okapi") == NOTHING
    for wrong in ({"by": "bob"}, {"after": "yesterday"}):
        with pytest.raises(InvalidInput):
            tools.search_messages("billing", filters=wrong)
    with pytest.raises(NotFound):
        tools.search_messages("billing", filters={"in": "nowhere"})


def test_memos_conversations_and_experts_are_told(memory: Recollect, said: list[str]) -> None:
    tools = WorkspaceTools(memory)
    assert tools.search_memos(DEPLOY[0][1]) == "No memo is about this."
    memo = memory.workspace.save(said[0], topics=["release"])
    found = tools.search_memos(DEPLOY[0][1], topics=["release"])
    assert f"[memo {memo.id[-8:]}] 1.00" in found
    assert said[0] in found
    assert tools.search_memos(DEPLOY[0][1], topics=["other"]) == "No memo is about this."

    told = tools.get_conversation_context(said[0])
    assert all(one in told for one in said)
    assert f"> [event {said[0]}]" in told
    near = tools.get_conversation_context(said[1], beforeCount=1, afterCount=0)
    assert said[0] in near
    assert said[2] not in near

    assert "cyd (" in tools.find_expert("deploy billing to production")
