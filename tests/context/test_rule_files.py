"""Rules of CLAUDE.md and its like as typed memories, and back, without ever doubling them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.context.rule_files import BEGIN, END, merged, parsed
from recollect.engine import Recollect
from recollect.vocabulary.errors import NotFound

RULES = """\
# App

<!-- a note for people -->
We use PostgreSQL in production.

## Style
- Prefer composition over inheritance.
- Never commit to main.
  Ask for a review instead.

## Release
1. Run `make check`.
2. Tag the commit.

## Tests
Run them with:
```
make test
```
"""


@pytest.fixture
def memory(tmp_path: Path) -> Recollect:
    return recollect.open(tmp_path / "memory.db", user="ada", worker=False)


def test_rules_become_typed_memories(memory: Recollect, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(RULES)

    report = memory.agents.import_rules(tmp_path)

    assert report.files == ("CLAUDE.md",)
    assert {(one.type.value, one.content) for one in report.memories} == {
        ("decision", "App: We use PostgreSQL in production."),
        ("preference", "Style: Prefer composition over inheritance."),
        ("gotcha", "Style: Never commit to main. Ask for a review instead."),
        ("workflow_recipe", "Release (1) Run `make check`. (2) Tag the commit."),
        ("fact", "Tests: Run them with: `make test`"),
    }
    recipe = memory.list(type="workflow_recipe").items[0]
    assert [step["description"] for step in recipe.extras["steps"]] == [
        "Run `make check`.",
        "Tag the commit.",
    ]


def test_a_second_run_adds_nothing_and_follows_the_file(memory: Recollect, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("- Always use tabs.\n- Never rebase shared branches.\n")
    (tmp_path / ".cursorrules").write_text("- Always use   tabs.\n")
    first = memory.agents.import_rules(tmp_path)
    assert (first.added, first.already_there) == (2, 0)
    rejected = memory.list(type="preference").items[0]
    memory.agents.reject(rejected.id)

    again = memory.agents.import_rules(tmp_path)
    assert (again.added, again.already_there, again.put_away) == (0, 2, 0)

    file.write_text("- Always use tabs.\n- Never push to main by force.\n")
    changed = memory.agents.import_rules(tmp_path)

    assert (changed.added, changed.put_away) == (1, 1)
    assert [one.content for one in memory.list().items] == ["Never push to main by force."]


def test_imports_stay_inside_the_project(memory: Recollect, tmp_path: Path) -> None:
    root = tmp_path / "app"
    root.mkdir()
    (tmp_path / "outside.md").write_text("- Never read this.\n")
    (root / "more.md").write_text("- Prefer small steps.\n@CLAUDE.md\n")
    (root / "CLAUDE.md").write_text("@more.md\n@../outside.md\n")

    report = memory.agents.import_rules(root)

    assert [one.content for one in report.memories] == ["Prefer small steps."]
    with pytest.raises(NotFound, match="readable"):
        memory.agents.import_rules(root, ["../outside.md"])


def test_export_is_not_read_back_and_leaves_the_rest_as_it_was(
    memory: Recollect, tmp_path: Path
) -> None:
    file = tmp_path / "CLAUDE.md"
    own = "# Mine\r\n\r\n- Never commit to main.  \r\n"
    file.write_bytes(own.encode())
    memory.agents.import_rules(tmp_path)
    memory.remember("Tests need Redis.", type="gotcha", source="user_taught")

    written = merged(own, memory.agents.export_rules(leave_out="CLAUDE.md"))

    assert written.startswith(own)
    assert "### Gotchas\n- Tests need Redis.\n" in written
    assert written.count("Never commit to main") == 1
    file.write_bytes(written.encode())
    assert memory.agents.import_rules(tmp_path).added == 0
    assert merged(written, memory.agents.export_rules(leave_out="CLAUDE.md")) == written


def test_what_only_sessions_showed_is_exported_once_a_person_stands_behind_it(
    memory: Recollect,
) -> None:
    seen = memory.remember(
        "The user said: answer in English.",
        type="preference",
        source="observer_inferred",
        confidence=0.9,
    )

    assert "English" not in memory.agents.export_rules()
    memory.agents.confirm(seen.id)
    assert "### Preferences\n- The user said: answer in English.\n" in memory.agents.export_rules()


TEXT = st.text(alphabet=st.sampled_from("ab -#*1.`:\n@<>!"), max_size=200)


@given(TEXT)
def test_whatever_a_file_says_reading_it_twice_gives_the_same(text: str) -> None:
    first, second = list(parsed(text, "x")), list(parsed(text, "x"))

    assert first == second
    assert all(rule.content.strip() for rule in first)


@given(TEXT.filter(lambda text: BEGIN not in text), TEXT, TEXT)
def test_our_part_is_replaced_and_nothing_else(theirs: str, one: str, two: str) -> None:
    first = merged(theirs, f"{BEGIN}\n{one}\n{END}\n")
    second = merged(first, f"{BEGIN}\n{two}\n{END}\n")

    assert second.startswith(theirs)
    assert second == merged(theirs, f"{BEGIN}\n{two}\n{END}\n")
