"""Whatever JSON people wrote: what is put in comes out again, and every other byte stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.surfaces.hooks import installer, json_text
from recollect.surfaces.hooks.installer import Setup, install, installed, uninstall
from recollect.vocabulary.errors import InvalidInput

SPACES = st.text(alphabet=" \t\n\r", max_size=3)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES: Any = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
THEIRS = st.fixed_dictionaries(
    {},
    optional={
        "permissions": VALUES,
        "hooks": st.fixed_dictionaries(
            {},
            optional={
                "Stop": st.lists(st.fixed_dictionaries({"hooks": st.just([])}), max_size=2),
                "PreToolUse": st.just([]),
                "Other": VALUES,
            },
        ),
        "mcpServers": st.dictionaries(st.sampled_from(["github", "files"]), VALUES, max_size=2),
    },
)


@st.composite
def spelled(draw: Any, value: Any) -> str:
    """The value as JSON, spaced in some way."""

    def space() -> str:
        return str(draw(SPACES))

    def spell(one: Any) -> str:
        if isinstance(one, dict):
            members = [
                f"{space()}{json.dumps(name)}{space()}:{space()}{spell(item)}{space()}"
                for name, item in one.items()
            ]
            return "{" + (",".join(members) or space()) + "}"
        if isinstance(one, list):
            return (
                "["
                + (",".join(f"{space()}{spell(item)}{space()}" for item in one) or space())
                + "]"
            )
        return json.dumps(one, ensure_ascii=bool(draw(st.booleans())))

    return f"{space()}{spell(value)}{space()}"


DOCUMENTS = THEIRS.flatmap(spelled)


@given(DOCUMENTS, st.sampled_from(["claude-code", "codex", "cursor"]))
def test_install_adds_and_uninstall_takes_out_exactly_that(
    tmp_path_factory: pytest.TempPathFactory, document: str, agent: str
) -> None:
    folder = tmp_path_factory.mktemp("project")
    targets = installer.targets(agent, "project", folder, Setup(folder / "home"))
    for target in targets:
        target.file.parent.mkdir(parents=True, exist_ok=True)
        target.file.write_bytes(document.encode())

    install(agent, "project", folder, Setup(folder / "home"))
    once = [target.file.read_bytes() for target in targets]
    install(agent, "project", folder, Setup(folder / "home"))

    assert [target.file.read_bytes() for target in targets] == once
    assert all(whole for _, whole in installed(agent, "project", folder, Setup(folder / "home")))
    before = json.loads(document)
    after = json.loads(once[0])
    assert {k: v for k, v in after.items() if k not in {"hooks", "mcpServers", "version"}} == {
        k: v for k, v in before.items() if k not in {"hooks", "mcpServers", "version"}
    }
    uninstall(agent, "project", folder, Setup(folder / "home"))
    assert [target.file.read_bytes() for target in targets] == [document.encode()] * len(targets)


def test_what_was_not_there_is_gone_again(tmp_path: Path) -> None:
    changes = install("claude-code", "project", tmp_path, Setup(tmp_path / "home"))
    assert [change.done for change in changes] == ["made", "made", "made"]
    settings = json.loads((tmp_path / ".claude/settings.local.json").read_text())
    assert len(settings["hooks"]) == 11
    assert settings["hooks"]["PreToolUse"][0]["matcher"] == "Edit|Write|MultiEdit|NotebookEdit|Bash"

    uninstall("claude-code", "project", tmp_path, Setup(tmp_path / "home"))

    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert uninstall("claude-code", "project", tmp_path, Setup(tmp_path / "home")) == []


def test_user_wide_goes_to_the_home_and_keeps_rights(tmp_path: Path, home: Path) -> None:
    own = home / ".claude.json"
    own.write_text('{"projects": {}}')
    own.chmod(0o600)

    install("claude-code", "user", tmp_path, Setup(tmp_path / "home"))

    assert json.loads(own.read_text())["mcpServers"]["recollect"]["args"][-1] == "mcp"
    assert own.stat().st_mode & 0o777 == 0o600
    assert (home / ".claude/settings.json").exists()
    uninstall("claude-code", "user", tmp_path, Setup(tmp_path / "home"))
    assert own.read_text() == '{"projects": {}}'


@pytest.mark.parametrize("broken", ["", "{", "[]", "{'a': 1}", "{// no\n}"])
def test_a_file_that_is_no_object_is_left_alone(tmp_path: Path, broken: str) -> None:
    file = tmp_path / ".claude" / "settings.local.json"
    file.parent.mkdir()
    file.write_text(broken)

    with pytest.raises(InvalidInput, match="Nothing was changed"):
        install("claude-code", "project", tmp_path, Setup(tmp_path / "home"))

    assert file.read_text() == broken
    assert not (tmp_path / ".mcp.json").exists()


def test_a_link_to_settings_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.local.json").symlink_to(real)

    install("claude-code", "project", tmp_path, Setup(tmp_path / "home"))

    assert (tmp_path / ".claude" / "settings.local.json").is_symlink()
    assert "hooks" in json.loads(real.read_text())


def test_unknown_agents_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="claude-code, codex, cursor"):
        install("emacs", "project", tmp_path, Setup(tmp_path / "home"))


def test_nodes_agree_with_the_strict_reader() -> None:
    text = '{"a": [1, {"b": "\\u00e9\\""}], "a": {}}'
    node = json_text.parsed(text).get("a")
    assert node is not None
    assert json_text.plain(text, node) == {}
