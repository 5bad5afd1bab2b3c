"""A Slack export, packed or not: names, threads, signs, who may read what, nothing outside."""

import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.pages import import_batches
from recollect.pages.authors import Aliases
from recollect.pages.formats import Problems
from recollect.pages.formats.slack import SlackExport, stamped
from recollect.pages.formats.slack_files import Archive, Folder
from recollect.pages.spaces import Spaces
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import (
    ImportFailed,
    InvalidInput,
    InvalidTime,
    NotAllowed,
    StreamNotFound,
)
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.streams import StreamAccess, StreamKind
from tests.pages.conftest import House

USERS = [
    {"id": "U1", "name": "ada.l", "profile": {"display_name": "Ada", "real_name": "Ada Lovelace"}},
    {"id": "U2", "name": "bob", "profile": {"display_name": "", "real_name": "Bob Stone"}},
    {"id": "U3", "name": "ada.b", "profile": {"display_name": "Ada"}},
]
CHANNELS = [{"id": "C1", "name": "general", "members": ["U1", "U2"]}, {"id": "C2", "name": "lab"}]
GROUPS = [{"id": "G1", "name": "board", "members": ["U2", "U9"]}]
DMS = [{"id": "D1", "members": ["U1", "U2"]}]
MPIMS = [{"id": "M1", "name": "mpdm-ada--bob-1", "members": ["U1", "U2"]}]

DAY_ONE = [
    {"type": "message", "user": "U1", "ts": "1714557600.000100", "text": "Hello <@U2>"},
    {
        "type": "message",
        "user": "U2",
        "ts": "1714557660.000200",
        "text": "An <https://a.example/x|answer> &amp; more",
        "thread_ts": "1714557600.000100",
        "edited": {"user": "U2", "ts": "1714557700.000000"},
        "reactions": [
            {"name": "thumbsup", "users": ["U1", "U2", "U1"], "count": 2},
            {"name": "eyes", "users": ["U9"], "count": 1},
        ],
    },
    {
        "type": "message",
        "subtype": "channel_join",
        "user": "U2",
        "ts": "1714557000.0",
        "text": "in",
    },
]
DAY_TWO = [
    {
        "type": "message",
        "user": "U1",
        "ts": "1714644000.000100",
        "text": "",
        "files": [{"id": "F1", "name": "plan.pdf"}],
        "thread_ts": "1714557600.000100",
    },
    {
        "type": "message",
        "subtype": "bot_message",
        "username": "ci",
        "ts": "1714644001.5",
        "text": "ok",
    },
    {"type": "message", "user": "U1", "ts": "1714644002.0", "thread_ts": "1.0", "text": "orphan"},
]

Files = dict[str, Any]


def export() -> Files:
    return {
        "users.json": USERS,
        "channels.json": CHANNELS,
        "groups.json": GROUPS,
        "dms.json": DMS,
        "mpims.json": MPIMS,
        "integration_logs.json": [],
        "general/2024-05-01.json": DAY_ONE,
        "general/2024-05-02.json": DAY_TWO,
        "board/2024-05-01.json": [{"user": "U2", "ts": "1714557600.1", "text": "for the board"}],
        "D1/2024-05-01.json": [{"user": "U1", "ts": "1714557600.1", "text": "between us"}],
        "mpdm-ada--bob-1/2024-05-01.json": [{"user": "U1", "ts": "1714557600.1", "text": "few"}],
        "unlisted/2024-05-01.json": [{"user": "U1", "ts": "1714557600.1", "text": "unknown"}],
    }


def written(content: Any) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def folder(tmp_path: Path, files: Files, name: str = "export") -> Path:
    root = tmp_path / name
    for file, content in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_bytes(written(content))
    return root


def archive(tmp_path: Path, files: Files, name: str = "export.zip", around: str = "") -> Path:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for file, content in files.items():
            made.writestr(around + file, written(content))
    return path


@pytest.fixture(params=["folder", "zip", "zip with a folder around"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "folder":
        return folder(tmp_path, export())
    return archive(tmp_path, export(), around="" if request.param == "zip" else "My export/")


def test_an_export_is_imported_once(house: House, source: Path) -> None:
    report = house.run(source)
    assert (report.read, report.added, report.skipped, report.streams) == (10, 10, 0, 5)
    assert house.texts("general") == [
        "in",
        "Hello @Bob Stone",
        "An answer (https://a.example/x) & more",
        "",
        "ok",
        "orphan",
    ]
    again = house.run(source)
    assert (again.read, again.added, again.already_there, again.streams) == (10, 0, 10, 5)


def test_folder_and_archive_are_the_same_events(house: House, tmp_path: Path) -> None:
    house.run(folder(tmp_path, export()))
    assert house.run(archive(tmp_path, export())).added == 0


def test_a_message_keeps_what_it_was(house: House, source: Path) -> None:
    house.run(source)
    joined, hello, answer, file, bot, orphan = house.events("general")
    assert (joined.kind, hello.kind, bot.kind) == (
        EventKind.SYSTEM,
        EventKind.MESSAGE,
        EventKind.MESSAGE,
    )
    assert [event.author for event in (hello, answer, bot)] == ["Ada (ada.l)", "Bob Stone", "ci"]
    assert hello.occurred_at == datetime(2024, 5, 1, 10, 0, 0, 100, tzinfo=UTC)
    assert answer.edited_at == datetime(2024, 5, 1, 10, 1, 40, tzinfo=UTC)
    assert answer.payload["edited"] == {"user": "U2", "ts": "1714557700.000000"}
    assert (answer.reply_to, file.reply_to) == (hello.id, hello.id)
    assert len(house.replies(hello)) == 2
    assert file.payload["files"] == [{"id": "F1", "name": "plan.pdf"}]
    assert (orphan.reply_to, orphan.payload["thread_ts"]) == (None, "1.0")
    assert house.reactions(answer) == {
        ("Ada (ada.l)", "thumbsup"),
        ("Bob Stone", "thumbsup"),
        ("U9", "eyes"),
    }


def test_private_channels_are_for_those_on_their_list(house: House, source: Path) -> None:
    house.run(source)
    spaces = Spaces(house.database, house.clock)
    for user in ("Bob Stone", "Ada (ada.l)", "carl"):
        spaces.set_member(house.me, house.space, user, "member")
    kinds = {
        "general": (StreamKind.CHANNEL, StreamAccess.OPEN),
        "board": (StreamKind.CHANNEL, StreamAccess.PRIVATE),
        "D1": (StreamKind.CHAT, StreamAccess.PRIVATE),
        "mpdm-ada--bob-1": (StreamKind.CHAT, StreamAccess.PRIVATE),
        "unlisted": (StreamKind.CHANNEL, StreamAccess.PRIVATE),
    }
    assert house.stream("general").access is StreamAccess.OPEN
    for name, told in kinds.items():
        joined = house.streams.join if name != "general" else house.streams.get
        stream = joined(house.me, house.space, name)
        assert (stream.kind, stream.access) == told
    assert house.texts("board") == ["for the board"]
    assert [event.text for event in house.events("board", Viewer("Bob Stone"))] == ["for the board"]
    assert house.events("D1", Viewer("Ada (ada.l)"))
    for user, name in (("Ada (ada.l)", "board"), ("carl", "D1"), ("Bob Stone", "unlisted")):
        with pytest.raises(StreamNotFound):
            house.events(name, Viewer(user))


def test_who_imports_does_not_read_what_others_said_in_private(house: House, source: Path) -> None:
    report = house.run(source)
    assert (report.streams, report.private) == (5, 4)
    assert house.stream_names() == {"general"}
    for name in ("board", "D1", "mpdm-ada--bob-1", "unlisted"):
        with pytest.raises(StreamNotFound):
            house.events(name)
    again = house.run(source)
    assert (again.added, again.private) == (0, 4)
    house.streams.join(house.me, house.space, "D1")
    assert house.texts("D1") == ["between us"]


def test_who_took_part_reads_it_also_under_a_confirmed_name(house: House, source: Path) -> None:
    spaces = Spaces(house.database, house.clock)
    spaces.set_member(house.me, house.space, "ada", "member")
    aliases = Aliases(house.database, house.clock)
    for user, name in (("ada", "Ada (ada.l)"), ("me", "Bob Stone")):
        aliases.confirm(house.me, house.space, user, name)
    house.run(source)
    assert house.texts("board") == ["for the board"]
    assert house.texts("D1") == ["between us"]
    assert [event.text for event in house.events("D1", Viewer("ada"))] == ["between us"]


def test_a_member_imports_no_words_of_others(house: House, source: Path) -> None:
    Spaces(house.database, house.clock).set_member(house.me, house.space, "bob", "member")
    with pytest.raises(NotAllowed, match="in the name of"):
        house.importer.run(Viewer("bob"), house.space, source)
    assert house.stream_names() == set()


def test_a_private_channel_is_not_put_on_an_open_stream(house: House, source: Path) -> None:
    house.streams.ensure(house.me, house.space, "board")
    with pytest.raises(NotAllowed, match="'board' is open"):
        house.run(source)
    house.streams.set_access(house.me, house.space, "board", "private")
    assert house.run(source).read == 10


def test_streams_are_the_exports_own(house: House, source: Path) -> None:
    with pytest.raises(InvalidInput, match="brings its own streams"):
        house.run(source, stream="all")


def test_a_handle_that_is_a_member_s_name_is_suggested_as_theirs(
    house: House, tmp_path: Path
) -> None:
    """What others call them may be like nobody's name, or like another member's."""
    people = [
        {"id": "U1", "name": "countess", "profile": {"display_name": "Ada Lovelace"}},
        {"id": "U2", "name": "bob", "profile": {"display_name": "Zed"}},
    ]
    said = [{"user": "U1", "ts": "1.0", "text": "hi"}, {"user": "U2", "ts": "2.0", "text": "ho"}]
    files = {"users.json": people, "channels.json": CHANNELS, "general/2024-05-01.json": said}
    house.run(folder(tmp_path, files))
    spaces = Spaces(house.database, house.clock)
    for user in ("countess", "alovelace", "bob"):
        spaces.set_member(house.me, house.space, user, "member")
    suggested = Aliases(house.database, house.clock).suggest(house.me, house.space)
    assert {(one.user, one.name, one.reason) for one in suggested} == {
        ("countess", "Ada Lovelace", "the same handle"),
        ("bob", "Zed", "the same handle"),
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U1> and <@U9> and <@U9|zoe>", "@Ada (ada.l) and @U9 and @zoe"),
        ("<#C1|general> <#C2> <#C9>", "#general #lab #C9"),
        ("<!here> <!channel> <!subteam^S1|@team>", "@here @channel @team"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<https://a.example>", "https://a.example"),
        ("<https://a.example|https://a.example>", "https://a.example"),
        ("<https://a.example|here>", "here (https://a.example)"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("a &lt;b&gt; &amp;lt; &copy; x < y > z", "a <b> &lt; &copy; x < y > z"),
        ("<> <|x> <@> <#> <!>", "<> <|x> @ # @"),
    ],
)
def test_markup_is_shown_as_it_was_seen(tmp_path: Path, text: str, shown: str) -> None:
    files = {**export(), "general/2024-05-01.json": [{"ts": "1.0", "text": text}]}
    reader = SlackExport("export", Folder(folder(tmp_path, files)))
    assert next(reader.records(None, Problems())).text == shown


def test_what_cannot_be_read_is_told_and_passed_over(house: House, tmp_path: Path) -> None:
    files = {
        "channels.json": CHANNELS,
        "general/2024-01-01.json": b"{ not json",
        "general/2024-01-02.json": {"not": "a list"},
        "general/2024-01-03.json": [
            "not a message",
            {"text": "no stamp"},
            {"ts": "soon", "text": "bad stamp"},
            {"ts": 5, "text": "bad stamp"},
            {"ts": "9" * 12, "text": "far stamp"},
            {
                "ts": "2.0",
                "user": 7,
                "text": 9,
                "reactions": "none",
                "edited": "no",
                "thread_ts": {},
            },
            {"ts": "3.0", "user": "U1", "text": "fine", "reactions": [1, {"users": [3, ""]}]},
            {"foo": 1, "ts": "4.0"},
        ],
    }
    report = house.run(folder(tmp_path, files))
    assert (report.added, report.skipped, report.without_time) == (6, 4, 4)
    assert set(house.texts("general")) == {"no stamp", "bad stamp", "far stamp", "", "fine"}
    assert any("2024-01-03.json, message 1: not a message" in one for one in report.problems)
    assert any("message 2: kept without a time, has no" in one for one in report.problems)
    untimed = [event for event in house.events("general") if event.payload.get("time_unknown")]
    assert {f"{event.occurred_at:%Y-%m-%d}" for event in untimed} == {"2024-01-03"}
    assert house.run(folder(tmp_path, files)).added == 0


@pytest.mark.parametrize("name", ["channels.json", "users.json"])
def test_lists_that_cannot_be_read_stop_the_import(house: House, tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportFailed, match=name):
        house.run(folder(tmp_path, {**export(), name: b"{"}))


def test_archives_that_are_none(house: House, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a Slack export"):
        house.run(archive(tmp_path, {"photo.jpg": b"x"}))
    torn = tmp_path / "torn.zip"
    torn.write_bytes(archive(tmp_path, export()).read_bytes()[:200])
    with pytest.raises(ImportFailed, match="cannot be opened"):
        house.run(torn, format="slack")


def test_a_damaged_file_in_an_archive_is_told(house: House, tmp_path: Path) -> None:
    path = archive(tmp_path, export())
    with zipfile.ZipFile(path) as made:
        entry = made.getinfo("general/2024-05-02.json")
    content = bytearray(path.read_bytes())
    content[entry.header_offset + 60] ^= 0xFF
    path.write_bytes(content)
    report = house.run(path)
    assert (report.added, report.skipped) == (7, 1)


def test_nothing_outside_of_the_export_is_touched(house: House, tmp_path: Path) -> None:
    outside = folder(tmp_path, {"2024-05-01.json": [{"ts": "1.0", "text": "outside"}]}, "outside")
    evil = "../outside/2024-05-01.json"
    files = {
        "users.json": USERS,
        "channels.json": [{"id": "C1", "name": "../outside"}, {"id": "C2", "name": "/etc"}],
    }
    path = archive(tmp_path, {**files, evil: [{"ts": "1.0", "text": "slipped"}], "/a/b.json": []})
    report = house.run(path)
    assert (report.read, report.added) == (0, 0)
    root = folder(tmp_path, files)
    os.symlink(outside, root / "general")
    os.symlink(outside / "2024-05-01.json", root / "groups.json")
    assert house.run(root).read == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        {"export", "export.zip", "outside"}
    )


def test_a_file_that_claims_to_be_endless_is_not_opened(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.pages.formats.slack_files.LARGEST_FILE", 10_000)
    files = {**export(), "lab/2024-05-01.json": [{"ts": "1.0", "text": "x" * 20_000}]}
    report = house.run(archive(tmp_path, files))
    assert (report.read, report.skipped) == (10, 1)
    assert "larger than 10,000 bytes" in report.problems[0]


def long_export(days: int, a_day: int) -> Files:
    return {
        "channels.json": CHANNELS,
        **{
            f"general/2024-01-{day + 1:02}.json": [
                {
                    "ts": f"{day}.{number:06}",
                    "user": "U1",
                    "text": f"on the day {day} the word {number}",
                }
                for number in range(1, a_day + 1)
            ]
            for day in range(days)
        },
    }


@pytest.mark.parametrize("a_day", [7, 40, 230])
def test_an_interrupted_export_goes_on_by_files(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, a_day: int
) -> None:
    monkeypatch.setattr(import_batches, "BATCH", 100)
    path = archive(tmp_path, long_export(20, a_day))
    told: list[tuple[int, int, int]] = []

    def stop(done: int, total: int, records: int) -> None:
        told.append((done, total, records))
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(ImportFailed, match="events of the import are kept"):
        house.run(path, progress=stop)
    kept = house.counts()["events"]
    assert kept == told[-1][2]
    report = house.run(path, progress=lambda *numbers: told.append(numbers))
    assert (report.read, report.added) == (20 * a_day, 20 * a_day - kept)
    assert told[-1] == (20, 20, 20 * a_day)
    assert set(house.counts().values()) == {20 * a_day}


def test_a_later_export_adds_what_is_new(house: House, tmp_path: Path) -> None:
    house.run(folder(tmp_path, long_export(3, 5)))
    later = {**long_export(4, 5), "users.json": USERS}
    report = house.run(folder(tmp_path, later, "later"))
    assert (report.read, report.added, report.already_there) == (20, 5, 15)


@pytest.mark.parametrize(
    ("stamp", "meant"),
    [
        ("1512085950.000216", datetime(2017, 11, 30, 23, 52, 30, 216, tzinfo=UTC)),
        ("0", datetime(1970, 1, 1, tzinfo=UTC)),
        ("1.5", datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)),
        ("1.1234567", datetime(1970, 1, 1, 0, 0, 1, 123_456, tzinfo=UTC)),
    ],
)
def test_stamps_are_exact(stamp: str, meant: datetime) -> None:
    assert stamped(stamp) == meant


@pytest.mark.parametrize("stamp", [None, 1.5, "", "x", "-1.0", "1.", "9" * 12])
def test_stamps_that_are_none(stamp: object) -> None:
    with pytest.raises(InvalidTime):
        stamped(stamp)


names = st.sampled_from(
    "id name members profile display_name ts thread_ts user text subtype reactions users edited "
    "user_profile bot_profile username".split()
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)


@given(people=anything, channels=anything, messages=anything)
def test_any_json_is_read_without_an_error(
    tmp_path: Path, people: Any, channels: Any, messages: Any
) -> None:
    files = {
        "users.json": people,
        "channels.json": channels,
        "groups.json": channels,
        "general/1.json": messages,
        "general/2.json": [messages, {"ts": "1.0", "text": "after", "user": people}],
    }
    reader = SlackExport("export", Archive(archive(tmp_path, files)))
    problems = Problems()
    records = list(reader.records(None, problems))
    reader.close()
    assert records[-1].text == "after"
    assert reader.position() is not None
    assert reader.done == reader.total == 2
    for record in records:
        reader.stream_properties(record.stream)
