"""Contradictions over MCP: listed with whose each is, decided, never against a person's word."""

import re
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine import Recollect
from recollect.inference.tokens import count_tokens
from recollect.surfaces.mcp.server import build
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from tests.surfaces.mcp.calling import call

HOW = ("a_wins", "b_wins", "both", "merged")
MERGED = "The report service listens on port 9090, and on 8080 until June."


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as memory:
        yield memory


def said(memory: Recollect, tool: str, **given: Any) -> str:
    text, failed = call(build(memory), tool, given)
    return f"error: {text.partition(': ')[2]}" if failed else text


def ports(memory: Recollect, name: str, source: str = "agent_explicit") -> str:
    """The id of a contradiction about a port."""
    memory.remember(f"The {name} service listens on port 8080.", source=source)
    told = said(
        memory,
        "record_memory",
        content=f"The {name} service listens on port 9090.",
        type="fact",
    )
    return str(re.findall(r"con_\w+", told)[0])


def test_each_way_of_deciding(store: Recollect) -> None:
    known = {how: ports(store, name) for how, name in zip(HOW, _names(), strict=True)}
    listed = said(store, "list_contradictions")
    assert all(one in listed for one in known.values())
    assert listed.count("a: project, ") == listed.count("b: project, ") == len(HOW)
    context = said(store, "assemble_context", budget=3_000)
    assert all(one in context for one in known.values())

    for how, one in known.items():
        text = MERGED if how == "merged" else None
        told = said(store, "resolve_contradiction", id=one, resolution=how, note="So.", text=text)
        assert told.startswith(f"Decided: {how}.")

    assert said(store, "list_contradictions") == "None is open."
    assert {one.note for one in store.contradictions.list(resolved=True).items} == {"So."}
    assert {one.content for one in store.list().items} == {
        "The invoice service listens on port 8080.",
        "The mail service listens on port 9090.",
        "The search service listens on port 8080.",
        "The search service listens on port 9090.",
        MERGED,
    }
    (merged,) = [one for one in store.list().items if one.content == MERGED]
    assert told.endswith(f"{merged.id[-8:]} takes their place.")
    assert merged.provenance.source is Source.AGENT_EXPLICIT, "an agent's words stay an agent's"
    assert merged.needs_review


@pytest.mark.parametrize("how", ["b_wins", "merged"])
def test_what_a_person_taught_does_not_lose_to_an_agent(store: Recollect, how: str) -> None:
    one = ports(store, "invoice", source="user_taught")
    text = MERGED if how == "merged" else None
    told = said(store, "resolve_contradiction", id=one, resolution=how, text=text)
    assert told.startswith("error: A person taught or confirmed")
    assert f"recollect contradictions resolve {one} {how}" in told
    assert len(store.contradictions.list().items) == 1
    assert len(store.list().items) == 2

    store.agents.set_trust(3)
    assert said(store, "resolve_contradiction", id=one, resolution=how, text=text).startswith(
        f"Decided: {how}."
    )


def test_personal_against_team_says_whose_each_is(store: Recollect) -> None:
    store.remember("The indentation of Python files is 4 spaces.")
    mine = store.remember("The indentation of Python files is 2 spaces.", visibility="personal")
    assert isinstance(mine, Memory)
    listed = said(store, "list_contradictions")
    assert "a: project, " in listed
    assert "b: personal to ada, " in listed
    (known,) = store.contradictions.list().items
    told = said(store, "resolve_contradiction", id=known.id, resolution="b_wins")
    assert told.startswith("error: A person")


@pytest.mark.parametrize("budget", [0, 50, 10_000_000])
def test_contexts_keep_to_their_budget(store: Recollect, budget: int) -> None:
    ports(store, "invoice")
    told = said(store, "assemble_context", budget=budget)
    assert ("contradiction con_" in told) == (budget == 10_000_000)
    assert count_tokens(told) <= budget or told.startswith(f"Nothing fits into {budget} tokens; ")


@pytest.mark.parametrize("budget", [-1, 10_000_001, "x", 1.5, None, []])
def test_budgets_that_make_no_sense_are_refused(store: Recollect, budget: Any) -> None:
    ports(store, "invoice")
    assert said(store, "assemble_context", budget=budget).startswith("error: ")


def _names() -> tuple[str, ...]:
    return ("invoice", "mail", "search", "report")
