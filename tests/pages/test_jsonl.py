"""The reader of JSON lines: every usual name, every damage, and positions that only grow."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.pages.formats import Problems, Record
from recollect.pages.formats import jsonl as module
from recollect.pages.formats.jsonl import JsonLines, moment_of
from recollect.vocabulary.errors import ImportFailed, InvalidTime
from recollect.vocabulary.events import EventKind
from tests.pages.conftest import Lines

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def read(path: Path, position: Any = None, **options: Any) -> tuple[list[Record], Problems]:
    problems = Problems()
    return list(JsonLines(path, **options).records(position, problems)), problems


def only(path: Path, **options: Any) -> Record:
    records, problems = read(path, **options)
    assert problems.listed == []
    assert len(records) == 1
    return records[0]


def file_of(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "any.jsonl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["text", "content", "message"])
def test_text_has_three_names(lines: Lines, name: str) -> None:
    assert only(lines({name: "hello"})).text == "hello"


@pytest.mark.parametrize("name", ["author", "speaker", "user", "role", "name"])
def test_author_has_five_names(lines: Lines, name: str) -> None:
    assert only(lines({"text": "x", name: "ada"})).author == "ada"


@pytest.mark.parametrize("name", ["time", "timestamp", "ts", "at", "created_at", "sent_at", "date"])
def test_time_has_five_names(lines: Lines, name: str) -> None:
    assert only(lines({"text": "x", name: "2024-05-01T12:00:00Z"})).occurred_at == NOON


@pytest.mark.parametrize("name", ["stream", "channel", "session", "conversation", "thread"])
def test_stream_has_five_names(lines: Lines, name: str) -> None:
    assert only(lines({"text": "x", name: "general"})).stream == "general"


@pytest.mark.parametrize("name", ["id", "event_id", "uuid"])
def test_id_has_three_names(lines: Lines, name: str) -> None:
    assert only(lines({"text": "x", name: 17})).external_id == "17"


@pytest.mark.parametrize("name", ["reply_to", "parent_id"])
def test_reply_has_two_names(lines: Lines, name: str) -> None:
    answers = only(lines({"text": "x", name: "m1"})).answers
    assert answers is not None
    assert answers.external_id == "m1"


def test_kind_is_taken_only_when_it_is_one(lines: Lines) -> None:
    path = lines({"text": "x", "kind": "tool_call"}, {"text": "x", "type": "chat.message"})
    (call, chat), _ = read(path)
    assert (call.kind, call.payload) == (EventKind.TOOL_CALL, {})
    assert (chat.kind, chat.payload) == (EventKind.MESSAGE, {"type": "chat.message"})


def test_first_name_that_fits_is_taken_and_the_rest_is_payload(lines: Lines) -> None:
    record = only(
        lines(
            {
                "text": None,
                "content": "words",
                "role": "user",
                "name": "Bob",
                "reply_to": None,
                "user": {"id": 7},
                "score": None,
                "tags": ["a", {"b": 1.5}],
            }
        )
    )
    assert (record.text, record.author, record.answers) == ("words", "user", None)
    assert record.payload == {
        "name": "Bob",
        "user": {"id": 7},
        "score": None,
        "tags": ["a", {"b": 1.5}],
    }


def test_stream_is_the_argument_or_the_records_or_the_files(lines: Lines) -> None:
    path = lines({"text": "x", "stream": "own"}, {"text": "y"}, name="talk.v2.jsonl")
    assert [record.stream for record in read(path)[0]] == ["own", "talk.v2"]
    assert [record.stream for record in read(path, stream="all")[0]] == ["all", "all"]


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("2024-05-01T12:00:00+00:00", NOON),
        ("2024-05-01T12:00:00", NOON),
        ("2024-05-01T14:00:00+02:00", NOON),
        (" 2024-05-01 12:00 ", NOON),
        ("20240501T120000Z", NOON),
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("20240501", datetime(2024, 5, 1, tzinfo=UTC)),
        (NOON.timestamp(), NOON),
        (int(NOON.timestamp()), NOON),
        (int(NOON.timestamp() * 1_000), NOON),
        (int(NOON.timestamp() * 1_000_000), NOON),
        (str(int(NOON.timestamp())), NOON),
        (f"{NOON.timestamp():.6f}", NOON),
        ("1312110100123", datetime(2011, 7, 31, 11, 1, 40, 123_000, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        ("", None),
    ],
)
def test_times_as_files_write_them(told: Any, meant: datetime | None) -> None:
    assert moment_of(told) == meant


@pytest.mark.parametrize(
    "told", ["yesterday", "2024-13-01", "5", float("nan"), 1e300, 10**400, -1.5, -5]
)
def test_times_that_are_none(told: Any) -> None:
    with pytest.raises(InvalidTime):
        moment_of(told)


def test_bad_lines_are_told_by_number_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    content = (
        b'\n{"text": "a"}\nnot json\n[1]\n"x"\n7\n{"text": "b"} more\n{"text":"c","time":"soon"}\n'
    )
    records, problems = read(file_of(tmp_path, content + b'{"text": "d"}'))
    assert [record.text for record in records] == ["a", "c", "d"]
    assert [record.place for record in records] == [2, 8, 9]
    assert (problems.count, problems.without_time) == (5, 1)
    assert [problem.split(":")[0] for problem in problems.listed] == [
        "line 3",
        "line 4",
        "line 5",
        "line 6",
        "line 7",
        "line 8",
    ]


def test_problems_are_all_counted_and_twenty_told(tmp_path: Path) -> None:
    _, problems = read(file_of(tmp_path, b"?\n" * 500))
    assert (problems.count, len(problems.listed)) == (500, 20)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("[" * 100_000, id="nested too deep"),
        pytest.param('{"text": ' + "9" * 5_000 + "}", id="a number too long"),
    ],
)
def test_lines_that_a_parser_dislikes(tmp_path: Path, line: str) -> None:
    records, problems = read(file_of(tmp_path, line.encode() + b'\n{"text": "ok"}\n'))
    assert [record.text for record in records] == ["ok"]
    assert problems.count == 1
    assert len(problems.listed[0]) < 200


@pytest.mark.parametrize(
    "garbage", [{"foo": 1}, {}, {"text": ""}, {"author": "ada"}, {"time": 5, "x": 1}]
)
def test_what_is_no_event_is_left_out_and_named(lines: Lines, garbage: Any) -> None:
    records, problems = read(lines({"text": "a"}, garbage, {"text": "b"}))
    assert [record.text for record in records] == ["a", "b"]
    assert problems.listed == [
        "line 2: it has no text, and neither a kind nor an author and a time"
    ]


def test_a_text_of_another_type_and_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    given = b'{"text": 42}\n{"text": "a \xff b"}\n{"text": "c", "time": -5}\n'
    records, problems = read(file_of(tmp_path, given))

    assert [record.text for record in records] == ["a \ufffd b", "c"]
    assert (problems.count, problems.repaired, problems.without_time) == (1, 1, 1)
    assert problems.listed[0] == "line 1: its 'text' is a number, not a text"
    assert problems.listed[1].startswith("line 2: kept, with")


def test_an_event_may_be_without_words_when_it_says_what_or_who_and_when(lines: Lines) -> None:
    call = {"kind": "tool_call", "tool": "Edit"}
    picture = {"author": "ada", "time": "2024-05-01T12:00:00Z", "files": ["cat.png"]}
    records, problems = read(lines(call, picture))
    assert [record.kind for record in records] == [EventKind.TOOL_CALL, EventKind.MESSAGE]
    assert problems.count == 0


@pytest.mark.parametrize(
    ("odd", "kept"),
    [
        ("soon", "soon"),
        ("9" * 5_000, "9" * 5_000),
        (float("nan"), "nan"),
        ([2024], [2024]),
        (True, "True"),
    ],
)
def test_a_time_that_cannot_be_read_is_marked_and_counted(
    lines: Lines, odd: Any, kept: Any
) -> None:
    path = lines({"text": "a", "time": "2024-05-01T12:00:00Z"}, {"text": "b", "time": odd})
    (_, second), problems = read(path)
    assert (second.occurred_at, second.assumed_at) == (None, NOON)
    assert second.payload == {"time": kept, "time_unknown": True}
    assert (problems.count, problems.without_time) == (0, 1)
    assert problems.listed[0].startswith("line 2: kept without a time, ")
    assert len(problems.listed[0]) < 200


def test_a_line_without_a_time_stands_where_the_line_before_does(lines: Lines) -> None:
    path = lines({"text": "a"}, {"text": "b", "time": "2024-05-01T12:00:00Z"}, {"text": "c"})
    records, problems = read(path)
    assert [record.assumed_at for record in records] == [None, NOON, NOON]
    assert (problems.count, problems.without_time) == (0, 0)


def test_marks_of_other_systems(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text": "a"}\r\n\r\n  {"text": "caf\xe9"}  \r\n{"text": "c"}'
    records, problems = read(file_of(tmp_path, content))
    assert [record.text for record in records] == ["a", "caf�", "c"]
    assert problems.count == 0


def test_a_line_of_ten_megabytes(lines: Lines) -> None:
    long = "ten megabytes " * (10 * 1024 * 1024 // 14)
    records, problems = read(lines({"text": "a"}, {"text": long}, {"text": "b"}))
    assert [len(record.text) for record in records] == [1, len(long), 1]
    assert problems.count == 0


def test_a_line_longer_than_any_is_passed_over(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 100)
    records, problems = read(lines({"text": "a"}, {"text": "x" * 1_000}, {"text": "b"}))
    assert [(record.text, record.place) for record in records] == [("a", 1), ("b", 3)]
    assert problems.listed == ["line 2: longer than 100 bytes"]


def test_packed_and_plain_read_alike(lines: Lines, tmp_path: Path) -> None:
    plain = lines(*({"text": f"number {number}"} for number in range(5_000)), name="talk.jsonl")
    packed = tmp_path / "talk.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(packed)[0] == read(plain)[0]
    assert only(file_of(tmp_path, gzip.compress(b'{"text": "named plainly"}'))).stream == "any"


def test_a_torn_archive_gives_what_comes_before_the_tear(lines: Lines, tmp_path: Path) -> None:
    plain = lines(*({"text": f"number {number}"} for number in range(50_000)))
    whole = gzip.compress(plain.read_bytes())
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(whole[: len(whole) // 2])
    given: list[str] = []
    records = JsonLines(torn).records(None, Problems())
    with pytest.raises(ImportFailed, match="cannot be read beyond byte"):
        given.extend(record.text for record in records)
    assert len(given) > 10_000
    assert given == [f"number {number}" for number in range(len(given))]


def test_ids_hold_for_the_line_where_it_stands(lines: Lines) -> None:
    path = lines({"text": "same"}, {"text": "same"}, {"text": "other"})
    first = [record.external_id for record in read(path)[0]]
    assert len(set(first)) == 3
    moved = path.rename(path.with_name("moved.jsonl"))
    assert [record.external_id for record in read(moved)[0]] == first
    with moved.open("a") as file:
        file.write('{"text": "more"}')
    assert [record.external_id for record in read(moved)[0]][:3] == first


def test_files_that_begin_alike_do_not_share_ids(lines: Lines) -> None:
    head = {"text": "You are a helpful assistant."}
    one, _ = read(lines(head, {"text": "aa"}, name="one.jsonl"))
    two, _ = read(lines(head, {"text": "bb"}, name="two.jsonl"))
    assert one[1].external_id != two[1].external_id


def test_a_line_without_an_end_is_read_and_not_passed(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'{"text": "a"}\n{"text": "b"}')
    reader = JsonLines(path)
    records = reader.records(None, Problems())
    assert next(records).text == "a"
    settled = reader.position()
    assert settled is not None
    assert next(records).text == "b"
    assert reader.position() is None
    assert [record.text for record in read(path, settled)[0]] == ["b"]


@pytest.mark.parametrize("packed", [False, True])
def test_reading_goes_on_only_in_the_same_text(tmp_path: Path, packed: bool) -> None:
    content = b"".join(b'{"text": "number %d"}\n' % number for number in range(20_000))
    squeeze = gzip.compress if packed else bytes
    path = file_of(tmp_path, squeeze(content))
    reader = JsonLines(path)
    records = reader.records(None, Problems())
    before = [next(records) for _ in range(15_000)]
    position = json.loads(json.dumps(reader.position()))
    after = list(records)
    assert [record.after for record in read(path, position)[0]] == [r.after for r in after]
    assert JsonLines(path).continues(position)
    path.write_bytes(squeeze(content + b'{"text": "appended"}\n'))
    assert JsonLines(path).continues(position)
    at = before[-1].after
    for changed in (content[: at - 1], content[: at - 9] + b"?" + content[at - 8 :], b""):
        path.write_bytes(squeeze(changed))
        assert not JsonLines(path).continues(position)


texts = st.text(max_size=20)
objects = st.dictionaries(
    st.sampled_from(["text", "author", "time", "stream", "id", "kind", "reply_to", "extra"]),
    st.one_of(texts, st.integers(), st.floats(), st.none(), st.booleans(), st.lists(texts)),
)
lines_of_bytes = st.one_of(
    objects.map(lambda found: json.dumps(found).encode()),
    st.binary(max_size=30).map(lambda found: found.replace(b"\n", b"")),
).map(lambda line: line + b"\n")


def told(record: Record) -> tuple[Any, ...]:
    """What a record says, but not where it stands."""
    return repr(record[:5]), record.stream, record.answers


@given(st.binary(max_size=400) | st.lists(lines_of_bytes, max_size=12).map(b"".join))
def test_any_bytes_are_read_without_an_error(tmp_path: Path, content: bytes) -> None:
    path = file_of(tmp_path, content)
    if content.startswith(b"\x1f\x8b"):
        return
    records, problems = read(path)
    places = [record.after for record in records]
    assert places == sorted(set(places))
    assert all(0 < place <= len(content) for place in places)
    plain = content.removeprefix(b"\xef\xbb\xbf")
    assert len(records) + problems.count == sum(bool(line.strip()) for line in plain.split(b"\n"))
    assert read(path)[0] == records or "nan" in repr(records)


@given(st.lists(lines_of_bytes, max_size=8), st.lists(lines_of_bytes, max_size=8))
def test_two_files_read_as_their_lines_together(
    tmp_path: Path, one: list[bytes], two: list[bytes]
) -> None:
    marks = (b"\x1f\x8b", b"\xef\xbb\xbf")
    if any(line.startswith(marks) for line in one + two):
        return
    apart = [
        told(record) for part in (one, two) for record in read(file_of(tmp_path, b"".join(part)))[0]
    ]
    together, _ = read(file_of(tmp_path, b"".join(one + two)))
    assert [told(record) for record in together] == apart
