"""Settings: one table, four places they may come from, and a file that keeps them."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.settings import (
    SETTINGS,
    default_database,
    read_file,
    read_settings,
    setting_named,
    settings_file,
    write_file,
)
from recollect.vocabulary.errors import InvalidSetting

REPOSITORY = Path(__file__).resolve().parent.parent


def test_call_comes_before_environment_before_file_before_default(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    write_file(file, {"space": "of the file", "user": "of the file", "embedder": "none"})
    environment = {"RECOLLECT_SPACE": "of the environment", "RECOLLECT_USER": "of the environment"}

    values = read_settings({"space": "of the call", "user": None}, environment, file)

    assert {name: (values[name].text, values[name].origin) for name in values} | {} == {
        **{setting.name: (setting.default, "default") for setting in SETTINGS},
        "space": ("of the call", "call"),
        "user": ("of the environment", "environment"),
        "embedder": ("none", "file"),
    }


def test_empty_variable_is_no_variable(tmp_path: Path) -> None:
    values = read_settings({}, {"RECOLLECT_SPACE": ""}, tmp_path / "none.toml")
    assert values["space"].origin == "default"


def test_every_setting_has_a_help_text_and_a_variable() -> None:
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    for setting in SETTINGS:
        assert setting.help.endswith(".")
        assert setting.variable == f"RECOLLECT_{setting.name.upper()}"
        assert setting_named(setting.name) is setting


def test_every_setting_is_documented() -> None:
    page = (REPOSITORY / "docs" / "settings.md").read_text("utf-8")
    for setting in SETTINGS:
        assert setting.variable in page or f"`{setting.name}`" in page, setting.name


def test_secrets_are_not_shown() -> None:
    values = read_settings({"embedder_key": "sk-123", "space": "atlas"}, {}, Path("/nowhere"))
    assert "sk-123" not in values["embedder_key"].shown
    assert values["embedder_key"].shown
    assert values["space"].shown == "atlas"
    assert read_settings({}, {}, Path("/nowhere"))["embedder_key"].shown == ""


def test_unknown_setting_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="no setting 'colour'") as refused:
        read_settings({"colour": "red"}, {}, tmp_path / "none.toml")
    assert "embedder" in (refused.value.hint or "")
    file = tmp_path / "settings.toml"
    file.write_text('colour = "red"\n', "utf-8")
    with pytest.raises(InvalidSetting, match="no setting 'colour'"):
        read_settings({}, {}, file)
    with pytest.raises(InvalidSetting, match="no setting 'colour'"):
        write_file(file, {"colour": "red"})
    assert file.read_text("utf-8") == 'colour = "red"\n'


@given(
    values=st.dictionaries(
        st.sampled_from([setting.name for setting in SETTINGS]),
        st.text(st.characters(codec="utf-8")),
    )
)
def test_file_gives_back_what_it_was_given(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]
) -> None:
    file = tmp_path_factory.mktemp("settings") / "deep" / "settings.toml"
    write_file(file, values)
    assert read_file(file) == values


def test_file_is_its_owner_s_alone_and_leaves_no_other(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    write_file(file, {"embedder_key": "sk-123"})
    write_file(file, {"embedder_key": "sk-456"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize("content", [b"space = ", b"\xff\xfe", b"[", b"space = 'x' 'y'"])
def test_file_that_cannot_be_read_is_said_plainly(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(content)
    with pytest.raises(InvalidSetting, match=r"settings\.toml cannot be read") as refused:
        read_settings({}, {}, file)
    assert refused.value.hint


def test_file_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(InvalidSetting, match="cannot be written"):
        write_file(tmp_path / "file" / "settings.toml", {"space": "x"})


def test_default_places_lie_in_the_user_s_own_folders(home: Path) -> None:
    assert home in settings_file().parents
    assert home in Path(default_database()).parents


def test_open_reads_the_settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(settings_file(), {"space": "from the file", "embedder": "none", "worker": "off"})
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    with recollect.open() as memory:
        assert (memory.space.name, memory.viewer.user) == ("from the file", "ada")
        assert memory.stats()["embedder"] is None
    assert Path(default_database()).exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("worker", "maybe"),
        ("embedder", "nonsense"),
        ("embedder_dims", "many"),
        ("embedder_dims", "-5"),
        ("embedder_timeout", "soon"),
        ("embedder_timeout", "-1"),
        ("embedder_timeout", "nan"),
        ("space", "two\nlines"),
        ("db", "postgresql://nowhere/x"),
        ("colour", "red"),
    ],
)
def test_setting_with_no_such_value_is_refused(tmp_path: Path, name: str, value: str) -> None:
    given: dict[str, str | None] = {"db": str(tmp_path / "memory.db"), name: value}
    with pytest.raises(recollect.RecollectError):
        recollect.open(settings=given)
