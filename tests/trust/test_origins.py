"""Only known doors are outside: nobody's own words are taken for a stranger's."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from recollect.engine import Recollect
from recollect.storage.schema import outside_events
from recollect.trust.origins import origin_of
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.origins import origin_of as origin_of_tool
from tests.stores import StoreMaker

OWN_WORDS = "Please always use pnpm instead of npm"


def found(memory: Recollect, words: str = OWN_WORDS) -> list[str]:
    return [one.text for one in memory.recall(words, kinds=["event"], limit=50)]


def marks(stores: StoreMaker, address: str) -> list[str]:
    with stores.database(address).reading() as transaction:
        return list(transaction.execute(select(outside_events.c.origin)).scalars())


@pytest.mark.parametrize(
    "label", ["user", "assistant", "agent", "repository", "command", "harness", "memory", "backlog"]
)
def test_words_that_came_through_no_door_are_found_by_their_words(
    stores: StoreMaker, label: str
) -> None:
    address = stores.ready()
    memory = stores.open(address)

    memory.record(OWN_WORDS, payload={"origin": label})

    assert found(memory) == [OWN_WORDS]
    assert marks(stores, address) == []


def test_what_a_user_tells_an_agent_is_found_and_what_it_teaches_is_not_marked(
    stores: StoreMaker,
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    session = memory.session(task="set the project up")
    session.on_prompt(OWN_WORDS)
    session.on_tool_call("WebFetch", {"url": "https://example.org"}, call="c1")
    session.on_tool_failure(
        "WebFetch", {}, "no, never use the web, always ask me", call="c1", kind=ActKind.REFUSAL
    )
    session.on_message("Understood: I will always use pnpm and never npm.")
    kept = session.remember("The project uses pnpm.")
    session.finish()

    assert OWN_WORDS in found(memory)
    assert "no, never use the web, always ask me" in found(memory, "never use the web")
    assert kept.provenance.outside == ()
    assert marks(stores, address) == []


def test_an_imported_prompt_is_found(stores: StoreMaker, tmp_path: Path) -> None:
    address = stores.ready()
    memory = stores.open(address)
    acts = [
        {"session": "s1", "kind": "prompt", "text": OWN_WORDS, "time": "2026-05-31T14:00:00Z"},
        {"session": "s1", "kind": "answer", "text": "I shall always use pnpm, never npm."},
    ]
    (tmp_path / "session.jsonl").write_text("\n".join(map(json.dumps, acts)))
    said = [{"text": f"{OWN_WORDS}, said Bob", "author": "bob", "origin": "user", "name": "Gmail"}]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, said)))

    memory.import_(tmp_path / "session.jsonl", format="transcripts")
    memory.import_(tmp_path / "chat.jsonl", format="jsonl")

    assert {OWN_WORDS, f"{OWN_WORDS}, said Bob"} <= set(found(memory))
    assert marks(stores, address) == []


@pytest.mark.parametrize(
    ("payload", "mark"),
    [
        ({"origin": "web:https://evil.example"}, "web:https://evil.example"),
        ({"origin": "https://evil.example"}, "web:https://evil.example"),
        ({"origin": "Web"}, "web"),
        ({"origin": "email:bob@evil.example"}, "mail:bob@evil.example"),
        ({"origin": "untrusted"}, "outside"),
        ({"origin": "outside", "tool": "WebFetch"}, "web:WebFetch"),
        ({"origin": "outside", "tool": "Bash"}, "outside"),
        ({"origin": "agent", "act": "result", "tool": "gmail_read"}, "mail:gmail_read"),
        ({"tool": "WebFetch", "input": {"url": "https://a.example"}}, "web:https://a.example"),
        ({"tool": "Bash", "input": {"command": "ls && gh pr view 3"}}, "github:ls && gh pr view 3"),
        ({"tool": "Bash", "command": "curl https://a.example"}, "web:https://a.example"),
        ({"name": "read_pdf", "input": {}}, None),
        ({"name": "read_pdf", "input": {"path": "a.pdf"}}, "document:read_pdf"),
        ({"name": "The documentation team"}, None),
        ({"tool": "Bash", "command": "curl http://localhost:8000/health"}, None),
        ({"tool": "Bash", "command": "grep -rn https src"}, None),
        ({"tool": "Read", "input": {"file_path": "README.md"}}, None),
        ({"tool": "mcp__recollect__search_memory", "input": {"query": "x"}}, None),
        ({"command": "npm view left-pad"}, "web:npm view left-pad"),
        ({"cmd": "curl https://a.example/x"}, "web:https://a.example/x"),
        ({"payload": {"origin": "web:https://a.example"}}, "web:https://a.example"),
        ({"act": "call", "origin": "agent", "tool": "WebFetch"}, None),
        ({"act": "refusal", "origin": "user", "tool": "WebFetch"}, None),
    ],
)  # fmt: skip
def test_a_door_is_known_by_its_label_or_by_the_tool(
    payload: dict[str, Any], mark: str | None
) -> None:
    assert origin_of(payload) == mark


def test_what_a_tool_brings_is_outside_for_the_page_and_for_the_observer_alike() -> None:
    for tool, arguments, origin in (
        ("WebFetch", {"url": "https://a.example"}, Origin.OUTSIDE),
        ("gmail_read", {}, Origin.OUTSIDE),
        ("Bash", {"command": "npm view left-pad"}, Origin.OUTSIDE),
        ("Bash", {"command": "pytest -q"}, Origin.COMMAND),
        ("Read", {"file_path": "a.py"}, Origin.REPOSITORY),
        ("mcp__ide__getDiagnostics", {}, Origin.COMMAND),
    ):
        assert origin_of_tool(tool, arguments) is origin, tool
        marked = origin_of({"tool": tool, "input": arguments}) is not None
        assert marked == (origin is Origin.OUTSIDE), tool


def test_a_page_that_an_agent_read_keeps_its_address_as_its_mark(stores: StoreMaker) -> None:
    address = stores.ready()
    session = stores.open(address).session()
    page = {"url": "https://evil.example/page"}
    session.on_tool_call("WebFetch", page, call="c1")
    session.on_tool_result("WebFetch", page, "A page about tea.", call="c1")
    session.finish()

    assert marks(stores, address) == ["web:https://evil.example/page"]
