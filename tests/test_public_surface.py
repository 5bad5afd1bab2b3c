"""What the package shows to the world: exactly this, documented, and cheap to import."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine import AsyncRecollect, Recollect

REPOSITORY = Path(__file__).resolve().parent.parent

PUBLIC = {
    *("AsyncRecollect", "Event", "Filters", "Found", "Memory", "NewEvent", "Page", "Recalled"),
    *("Recollect", "RecollectError", "Viewer", "__version__", "open", "open_async"),
}
VERBS = {
    *("aliases", "confirm_alias", "erase_traces", "join_stream", "withdraw_alias"),
    *("add_member", "admit", "at_once", "bearing", "budgets", "close", "dead_jobs", "delete_event"),
    *(
        "dismiss",
        "edit_event",
        "embedder_state",
        "provider_state",
        "export",
        "feedback",
        "forget",
        "get",
        "health",
    ),
    *("history", "import_", "learning", "list", "members", "open_stream", "pin", "pointing_at"),
    *("react", "reactions", "read", "rebuild_index", "recall", "record", "record_many", "relate"),
    *("relations", "remember", "remove_member", "replies", "restore", "retrievals", "retry_jobs"),
    *("revisions", "session", "set_access", "set_budget", "spaces", "start_worker", "stats"),
    *("streams", "supersede", "trend", "unreact", "unrelate", "update", "verify", "window"),
    *("plan_research", "research", "researches", "researching", "warm", "within", "work"),
    *("change_number", "overview", "remembered"),
    *("assemble", "expand", "predict", "uses"),
}
#: Families of verbs, each reached by a name of its own.
FAMILIES = {
    *("agents", "chat", "code", "contradictions", "disputes", "evolution", "people", "rights"),
    *("metrics", "sync", "tokens", "workspace"),
}


def test_public_names_are_exactly_these() -> None:
    assert set(recollect.__all__) == PUBLIC
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        recollect.nonsense  # noqa: B018


def test_verbs_are_exactly_these() -> None:
    assert {name for name in dir(Recollect) if not name.startswith("_")} == VERBS | FAMILIES


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_verb_says_what_it_does_and_what_it_takes(verb: str) -> None:
    method: Any = getattr(Recollect, verb)
    method = method.fget if isinstance(method, property) else method
    assert re.fullmatch(r"[A-Z].*[.:)]", (method.__doc__ or "").strip().splitlines()[0])
    signature = inspect.signature(method)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in list(signature.parameters.values())[1:]:
        assert parameter.annotation is not inspect.Parameter.empty


def test_async_face_has_the_verbs() -> None:
    lifted = {name for name in dir(AsyncRecollect) if not name.startswith("_")}
    assert VERBS - lifted == {"at_once", "session", "start_worker"}
    assert lifted - VERBS == {"run"} | FAMILIES


def test_version_is_the_package_s() -> None:
    assert f'version = "{recollect.__version__}"' in (REPOSITORY / "pyproject.toml").read_text()


@pytest.mark.parametrize("word", ["remember", "recall", "make run", "make test"])
def test_readme_shows_how_to_begin(word: str) -> None:
    assert word in (REPOSITORY / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "word",
    [
        *("space", "stream", "event", "memory", "memo", "relation", "history", "scope", "phase"),
        *("visibility", "audience", "viewer", "access", "collection", "slot", "recall", "job"),
        *("lease", "archive", "erase", "supersede", "token", "vector", "level", "methodology"),
    ],
)
def test_every_word_has_one_meaning_written_down(word: str) -> None:
    page = (REPOSITORY / "docs" / "vocabulary.md").read_text("utf-8")
    assert f"**{word}**" in page


def test_importing_costs_next_to_nothing() -> None:
    """No database, no numbers, no models, no web before the first name is used."""
    heavy = (
        "sqlalchemy",
        "numpy",
        "pydantic",
        "alembic",
        "tokenizers",
        "httpx2",
        "simsimd",
        "rich",
    )
    code = f"import sys, recollect; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment()
    )
    assert found.stdout.strip() == "[]"


def test_opening_by_keywords_loads_no_model_and_no_web() -> None:
    heavy = (
        "tokenizers",
        "httpx2",
        "fastembed",
        "pydantic",
        "rich",
        "typer",
        "pandas",
        "wordllama",
    )
    code = (
        "import sys, recollect\n"
        "with recollect.open(sys.argv[1], embedder='none', worker=False) as memory:\n"
        "    memory.remember('alpha'); memory.recall('alpha')\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    folder = _environment()["HOME"]
    found = subprocess.run(
        [sys.executable, "-c", code, f"{folder}/memory.db"],
        capture_output=True,
        text=True,
        check=True,
        env=_environment(),
    )
    assert found.stdout.strip() == "[]"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
