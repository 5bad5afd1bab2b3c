"""From what a caller says to a memory, without a store: what is taken, what is refused and why."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.memories.drafts import Draft, draft_of, memory_of, names, path, paths
from recollect.vocabulary.audiences import Viewer, Visibility
from recollect.vocabulary.errors import InvalidInput, InvalidText, InvalidTime
from recollect.vocabulary.ids import MEMORY, is_id, time_of
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Space, SpaceKind

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPACE = Space("spc_1", "atlas", SpaceKind.PROJECT, "acme", "core", NOW)


def made(**fields: Any) -> Memory:
    return memory_of(draft_of(fields.pop("content", "x"), fields), SPACE, Viewer("ada"), NOW)


def test_least_that_is_needed() -> None:
    memory = made()
    assert is_id(memory.id, MEMORY)
    assert time_of(memory.id) == memory.created_at == memory.updated_at == memory.valid_from == NOW
    assert memory.audience.visibility is Visibility.PROJECT
    assert (memory.provenance.created_by, memory.provenance.source.value) == (
        "ada",
        "agent_explicit",
    )
    assert (memory.confidence, memory.importance, memory.revision) == (0.8, 0.5, 1)


def test_session_is_among_the_sessions_once() -> None:
    origin = made(session="two", sessions=["one", "two", "one"]).provenance
    assert (origin.session_id, origin.sessions) == ("two", ("one", "two"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("src/auth/login.py", "src/auth/login.py"),
        ("src\\auth\\login.py", "src/auth/login.py"),
        ("./src//auth/./login.py", "src/auth/login.py"),
        (" a b/c.py ", "a b/c.py"),
        ("src/", "src"),
        (".env", ".env"),
        ("..name/x", "..name/x"),
    ],
)
def test_path_is_relative_with_forward_slashes(given: str, kept: str) -> None:
    assert path(given) == kept
    assert path(kept) == kept


@pytest.mark.parametrize(
    "given",
    [
        *("/etc/passwd", "\\\\server\\share", "C:/x", "c:\\x", "../x", "a/../../b", "..", "."),
        *("", " ", "a\nb", "a\x00b", "./."),
    ],
)
def test_path_that_leaves_the_repository_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput):
        path(given)


@given(st.text(st.characters(codec=None), max_size=20))
def test_any_path_is_safe_or_refused(given: str) -> None:
    try:
        kept = path(given)
    except InvalidInput:
        return
    assert kept == path(kept)
    parts = kept.split("/")
    assert all(part not in {"", ".", ".."} for part in parts)
    assert not re.match(r"^[A-Za-z]:/|^/|\\", kept)


def test_same_file_spelled_twice_is_one() -> None:
    assert paths(["a/b.py", "a\\b.py", "./a/b.py"]) == ("a/b.py",)


def test_names_keep_their_order_and_come_once() -> None:
    assert names(iter(["b", "a", " b "]), "tag") == ("b", "a")
    with pytest.raises(InvalidInput, match="too many"):
        names([str(number) for number in range(1_001)], "tag")
    with pytest.raises(InvalidInput, match="list"):
        names("word", "tag")


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"content": "  "}, InvalidText, "content is empty"),
        ({"type": "rumour"}, InvalidInput, "no type 'rumour'"),
        ({"source": "hearsay"}, InvalidInput, "no source"),
        ({"scope": "galaxy"}, InvalidInput, "no scope"),
        ({"visibility": "public"}, InvalidInput, "no visibility"),
        ({"confidence": 1.01}, InvalidInput, "confidence must be"),
        ({"importance": -0.01}, InvalidInput, "importance must be"),
        ({"citation": "x" * 41}, InvalidInput, "at most 40"),
        ({"half_life_days": 0}, InvalidInput, "half-life"),
        ({"valid_from": datetime(2026, 1, 1)}, InvalidTime, "valid_from"),  # noqa: DTZ001
        ({"valid_from": NOW, "valid_to": NOW - timedelta(1)}, InvalidInput, "before valid_from"),
        ({"valid_to": NOW - timedelta(1)}, InvalidInput, "before valid_from"),
        ({"colour": "red"}, InvalidInput, "no field 'colour'"),
        ({"summary": ""}, InvalidText, "summary is empty"),
        ({"pinned": 1}, InvalidInput, "pinned must be"),
        ({"extras": {"key": "x" * 200_000}}, InvalidText, "extras"),
    ],
)
def test_error_names_the_field(fields: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        made(**fields)


def test_draft_and_memory_take_the_space_s_team() -> None:
    assert made(visibility="team").audience.team == "core"
    assert made(visibility="organisation").audience.organisation == "acme"
    assert made(visibility="project").audience.team is None
    assert Draft("x").visibility is None
