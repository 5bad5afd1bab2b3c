"""Record, read, import, export: what goes in comes out whole."""

import json
import os
from pathlib import Path

import pytest

from tests.surfaces.cli.runner import InProcess


def lines_of(path: Path, count: int) -> Path:
    path.write_text(
        "".join(
            json.dumps({"id": str(number), "text": f"line {number}", "stream": "ops"}) + "\n"
            for number in range(count)
        )
    )
    return path


def test_record_and_read(cli: InProcess) -> None:
    first = cli("record", "hello there", "--stream", "ops")
    verb, identifier, *rest = first.out.split()
    assert (verb, rest) == ("Recorded", ["in", "ops"])
    cli.json(
        "record", "make test", "--stream", "ops", "--kind", "tool_call", "--author", "bot", "--at",
        "2026-05-31T14:00:00+02:00", "--payload", '{"code": 1}', "--reply-to", identifier,
    )  # fmt: skip
    rows = [line.split("\t") for line in cli("read", "ops").out.splitlines()]
    assert [row[1:] for row in rows] == [
        ["2026-05-31T12:00:00Z", "tool_call", "bot", "make test"],
        [rows[1][1], "message", "ada", "hello there"],
    ]
    assert cli.json("read", "ops")["items"][0]["payload"] == {"code": 1}
    assert "payload" in cli("show", rows[0][0]).out


def test_record_reads_anything(cli: InProcess) -> None:
    event = cli.json("record", "-", input=b"bytes \xff and \x00 nul\n")
    assert event["text"] == "bytes \ufffd and ␀ nul"


def test_record_twice_under_one_name_is_once(cli: InProcess) -> None:
    for _ in range(2):
        cli.json("record", "once", "--external-id", "42")
    assert len(cli.json("read", "notes")["items"]) == 1


@pytest.mark.parametrize("payload", ["{", "[1]", "NaN"])
def test_bad_payload(cli: InProcess, payload: str) -> None:
    ran = cli("record", "x", "--payload", payload, "--json")
    assert (ran.code, ran.error["code"]) == (2, "usage")


def test_read_lists_streams_and_has_pages(cli: InProcess) -> None:
    for number in range(3):
        cli.json("record", f"line {number}", "--stream", "ops")
    assert cli("read").out.split("\t")[:3] == ["ops", "chat", "open"]
    first = cli("read", "ops", "--limit", "2")
    assert len(first.out.splitlines()) == 2
    cursor = first.err.split()[-1]
    assert cli("read", "ops", "--cursor", cursor).out.endswith("line 2\n")


def test_import(cli: InProcess, tmp_path: Path) -> None:
    source = lines_of(tmp_path / "events.jsonl", 5)
    ran = cli("import", str(source))
    assert ran.out == "Imported 5 events into 1 stream.\n"
    assert cli("import", str(source)).out == "Imported 0 events into 1 stream; 5 there already.\n"
    assert len(cli.json("read", "ops")["items"]) == 5


def test_import_names_what_was_left_out_and_what_has_no_time(
    cli: InProcess, tmp_path: Path
) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text('{"foo": 1}\n{"text": "hello", "time": "soon"}\n')
    ran = cli("import", str(source))
    assert ran.code == 3
    assert ran.out == (
        "Imported 1 event into 1 stream; 1 skipped and 1 kept without a time.\n"
        "  line 1: it has no text, and neither a kind nor an author and a time\n"
        "  line 2: kept without a time, 'soon' is not a time that can be read\n"
    )
    assert [event["text"] for event in cli.json("read", "chat")["items"]] == ["hello"]


def test_import_of_which_nothing_can_be_read_fails(cli: InProcess, tmp_path: Path) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text('{"foo": 1}\n')
    ran = cli("import", str(source), "--json")
    assert (ran.code, ran.document["skipped"], ran.document["added"]) == (1, 1, 0)
    assert cli.json("read")["items"] == []


def test_import_of_nothing(cli: InProcess, tmp_path: Path) -> None:
    ran = cli("import", str(tmp_path / "none.jsonl"), "--json")
    assert (ran.code, ran.error["code"]) == (1, "invalid_input")


def test_export_to_standard_output(cli: InProcess) -> None:
    cli.remember("Ada likes tea.", "--type", "preference")
    cli.json("record", "hello", "--stream", "ops")
    document = json.loads(cli("export").out)
    assert [memory["content"] for memory in document["memories"]] == ["Ada likes tea."]
    assert [stream["name"] for stream in document["streams"]] == ["ops"]
    assert "## Preference" in cli("export", "--format", "markdown").out
    assert "Ada likes tea." in cli.json("export", "--format", "markdown")["text"]


def test_export_to_a_file(cli: InProcess, tmp_path: Path) -> None:
    cli.remember("Ada likes tea.")
    path = tmp_path / "out.json"
    ran = cli("export", "--output", str(path))
    text = path.read_text("utf-8")
    assert ran.out == f"Wrote {len(text):,} characters to {path}.\n"
    assert json.loads(text)["memories"]
    assert sorted(os.listdir(tmp_path)) == ["memory.db", "out.json"]


def test_export_writes_over_only_when_told(cli: InProcess, tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    path.write_text("mine")
    ran = cli("export", "--format", "markdown", "--output", str(path), "--json")
    assert (ran.code, ran.error["code"], ran.error["hint"]) == (1, "conflict", "Add --force.")
    assert path.read_text() == "mine"
    assert cli("export", "--format", "markdown", "--output", str(path), "--force").code == 0
    assert path.read_text() != "mine"


def test_export_into_a_missing_folder(cli: InProcess, tmp_path: Path) -> None:
    ran = cli("export", "--output", str(tmp_path / "none" / "out.json"))
    assert ran.code == 1
    assert "could not be written: No such file or directory. Nothing was changed." in ran.err


def test_export_of_an_unknown_format(cli: InProcess, tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    assert cli("export", "--format", "xml", "--output", str(path), "--json").error["code"] == (
        "invalid_input"
    )
    assert not path.exists()
