"""Bad input, typed for real: a clear sentence, the right exit code, and nothing changed."""

import os
from pathlib import Path

import pytest

from tests.surfaces.cli.runner import InProcess, Processes, Ran

NUL = b"before \x00 after"
HUGE = b"x" * 10_000_000


def only_a_sentence(text: str) -> None:
    assert text
    assert "Traceback" not in text
    assert "this is a bug" not in text
    assert text.endswith(".\n")
    assert len(text.splitlines()) == 1


REFUSED: dict[str, tuple[list[str | bytes], bytes, int, str]] = {
    "empty": (["remember", ""], b"", 1, "The content is empty."),
    "only spaces": (["remember", " \n "], b"", 1, "The content is empty."),
    "empty input": (["remember", "-"], b"", 1, "The content is empty."),
    "enormous": (["remember", "-"], HUGE, 1, "10,000,000 characters; at most 200,000"),
    "nul": (["remember", "-"], NUL, 1, "holds a NUL byte at character 7"),
    "not utf-8": (["remember", "-"], b"ab\xff", 1, "not UTF-8 text (byte 2)"),
    "lone surrogate": (
        ["remember", b"ab\xff"],
        b"",
        1,
        "bytes that are not UTF-8, or half of a surrogate pair, at character 2",
    ),
    "surrogate in a tag": (["remember", "x", "--tag", b"\xff"], b"", 1, "half of a surrogate"),
    "surrogate in a space": (["--space", b"\xff", "list"], b"", 1, "half of a surrogate pair"),
    "surrogate in a user": (["--user", b"\xff", "list"], b"", 1, "half of a surrogate pair"),
    "surrogate in a stream": (["record", "x", "--stream", b"\xff"], b"", 1, "half of a surrogate"),
    "unknown type": (["remember", "x", "--type", "rumour"], b"", 1, "There is no type 'rumour'."),
    "unknown scope": (["remember", "x", "--scope", "all"], b"", 1, "There is no scope 'all'."),
    "unknown kind": (["record", "x", "--kind", "rumour"], b"", 1, "There is no kind of event"),
    "confidence above": (["remember", "x", "--confidence", "1.01"], b"", 2, "from 0 to 1"),
    "confidence below": (["remember", "x", "--confidence=-0.1"], b"", 2, "from 0 to 1"),
    "confidence nan": (["remember", "x", "--confidence", "nan"], b"", 2, "from 0 to 1"),
    "nothing said": (["say", ""], b"", 1, "The text is empty."),
    "confidence of words": (["remember", "x", "--confidence", "high"], b"", 2, "is not a number"),
    "absolute path": (["remember", "x", "--file", "/etc/passwd"], b"", 1, "an absolute path"),
    "path outside": (["remember", "x", "--file", "../x"], b"", 1, "does not lie inside"),
    "naive time": (["recall", "x", "--as-of", "2026-05-31T14:00"], b"", 1, "has no time zone"),
    "no time": (["list", "--since", "the other day"], b"", 1, "is not an ISO 8601 time"),
    "unknown extra": (
        ["remember", "x", "--extra", "a=1"],
        b"",
        1,
        "do not fit: a: it takes no such field",
    ),
    "extra without value": (["remember", "x", "--extra", "a"], b"", 2, "is not NAME=VALUE"),
    "no such memory": (["show", "mem_nothing"], b"", 1, "No memory has the id 'mem_nothing'"),
    "no such event": (["show", "evt_01m7gkzf0f7cnr8jqe08wzrt90"], b"", 1, "No event"),
    "no id": (["show", ""], b"", 1, "No memory '' is visible"),
    "id of something else": (["forget", "spc_x"], b"", 1, "No memory"),
    "wildcards in an id": (["show", "mem_%"], b"", 1, "No memory"),
    "empty query": (["recall", ""], b"", 1, "The query is empty."),
    "no results wanted": (["recall", "x", "--limit", "0"], b"", 1, "recall returns 1 to 1,000"),
    "a bad cursor": (["list", "--cursor", "x"], b"", 1, "That cursor is not valid"),
    "no such stream": (["read", "nowhere"], b"", 1, "No stream 'nowhere' is visible"),
    "unknown embedder": (["list", "--embedder", "magic"], b"", 1, "no embedding provider"),
    "unknown command": (["rember", "x"], b"", 2, "No such command 'rember'"),
    "unknown option": (["list", "--al"], b"", 2, "No such option: --al"),
    "missing argument": (["recall"], b"", 2, "Missing argument 'QUERY'"),
    "a word too many": (["pin", "a", "b"], b"", 2, "unexpected extra argument"),
    "no address we know": (["--db", "mysql://x/y", "list"], b"", 1, "not supported"),
}


#: These depend on bytes, on a stream or on the way in, so they are typed for real as well.
TYPED = (
    "empty",
    "enormous",
    "nul",
    "not utf-8",
    "lone surrogate",
    "surrogate in a space",
    "unknown type",
    "confidence above",
    "naive time",
    "no such memory",
    "unknown command",
)
QUERIES = (
    '"',
    "*",
    "NEAR",
    "AND (",
    "a' OR 1=1 --",
    "memories_keywords:x",
    "^",
    "-",
    "(((",
    "日本",
)


def check(ran: Ran, code: int, words: str) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    only_a_sentence(ran.err)


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(cli: InProcess, case: str) -> None:
    arguments, given, code, words = REFUSED[case]
    check(cli(*map(os.fsdecode, arguments), input=given), code, words)
    assert cli.json("stats")["memories"] == {}


@pytest.mark.parametrize("case", TYPED)
def test_refused_by_a_process(process: Processes, case: str) -> None:
    arguments, given, code, words = REFUSED[case]
    check(process(*arguments, input=given), code, words)


@pytest.mark.parametrize("query", QUERIES)
def test_operators_in_a_query_are_words(cli: InProcess, query: str) -> None:
    cli.remember("something else")
    ran = cli("recall", "--", query)
    assert (ran.code, ran.err) == (0, "")


def test_escape_sequences_in_a_query_are_words(process: Processes) -> None:
    ran = process("recall", "\x1b[2J AND (")
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out


def test_surrogates_in_a_query(process: Processes) -> None:
    ran = process("recall", b"\xff")
    assert ran.code == 0
    assert ran.out.startswith("Nothing found for '\\udcff'.")


@pytest.mark.parametrize("text", [HUGE, NUL, b"\xff\xfe", b"   "])
def test_an_event_is_kept_whatever_it_is(process: Processes, text: bytes) -> None:
    ran = process("record", "-", input=text)
    assert (ran.code, ran.err) == (0, "")


def test_nothing_is_changed_by_what_is_refused(cli: InProcess) -> None:
    kept = cli.remember("still here")
    cli("edit", kept, "--content", "", "--confidence", "2")
    cli("edit", kept, "--content", "new", "--confidence", "2")
    cli("forget", kept, "--for-good")
    cli("pin", "mem_x")
    ran = cli("export")
    assert [memory["content"] for memory in ran.document["memories"]] == ["still here"]
    assert len(ran.document["memories"][0]["history"]) == 1


def test_a_memory_of_another_space_is_not_there(cli: InProcess) -> None:
    kept = cli("--space", "one", "remember", "secret", "--json").document["id"]
    cli("--space", "two", "remember", "of another space")
    for command in ("show", "history", "pin", "forget", "restore"):
        ran = cli("--space", "two", command, kept)
        assert ran.code == 1, command
        assert ran.err == f"No memory '{kept}' is visible here.\n"


def test_signs_in_a_file_name_are_part_of_it(process: Processes, tmp_path: Path) -> None:
    name = "a?b#c%41 d.db"
    assert process("--db", name, "remember", "x").code == 0
    assert (tmp_path / name).exists()
    assert process("--db", name, "list").out.endswith("\tx\n")


def test_a_terminal_that_knows_only_ascii(process: Processes) -> None:
    process.here("remember", "Grüße aus Köln")
    ran = process("list", env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert "Gr\\xfc\\xdfe aus K\\xf6ln" in ran.out
    ran = process("list", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert ran.document["items"][0]["content"] == "Grüße aus Köln"
