"""Transcripts of agents become events: each once, with paths as the repository sees them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.pages.formats.transcripts import acts_of
from recollect.pages.formats.transcripts.claude_code import ClaudeCode
from recollect.pages.formats.transcripts.codex import Codex
from recollect.pages.formats.transcripts.parts import found_paths
from recollect.pages.formats.transcripts.plain import Plain
from recollect.pages.formats.transcripts.swe_agent import SweAgent
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.paths import Roots
from recollect.vocabulary.streams import StreamKind
from tests.pages.conftest import House

ROOT = "/Users/ann/work/shop"


def line(number: int, type: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": type,
        "uuid": f"u{number}",
        "sessionId": "abc",
        "cwd": ROOT,
        "timestamp": f"2026-05-01T09:00:{number:02}.000Z",
        "message": {"role": type, "content": content},
        **more,
    }


def used(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": arguments}
    return line(number, "assistant", [block])


def answered(number: int, call: int, content: Any, **more: Any) -> dict[str, Any]:
    failed = more.pop("is_error", None)
    block = {"type": "tool_result", "tool_use_id": f"t{call}", "content": content}
    if failed is not None:
        block["is_error"] = failed
    return line(number, "user", [block], **more)


SESSION = [
    line(1, "user", "rename the shop"),
    line(2, "assistant", [{"type": "thinking", "thinking": "where is it"}]),
    used(3, "Read", file_path=f"{ROOT}/src/shop.py"),
    answered(4, 3, "1 class Shop", toolUseResult={"type": "text", "file": {"numLines": 40}}),
    used(5, "Bash", command="make test"),
    answered(6, 5, "Exit code 2\nno rule", is_error=True, toolUseResult="Error: Exit code 2"),
    used(7, "Edit", file_path=f"{ROOT}/.worktrees/ann/fix/src/shop.py", old_string="a"),
    answered(
        8,
        7,
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell "
        "you how to proceed, the user said:\nkeep the old name",
        is_error=True,
    ),
    line(9, "user", "<command-name>/exit</command-name>"),
    line(10, "user", "This session is being continued", isCompactSummary=True),
    line(11, "user", [{"type": "text", "text": "[Request interrupted by user]"}]),
    line(12, "assistant", [{"type": "text", "text": "helping"}], isSidechain=True, agentId="a1"),
    {"type": "summary", "summary": "x", "leafUuid": "u1"},
    {"type": "file-history-snapshot", "messageId": "m"},
]


def written(folder: Path, name: str, lines: list[Any]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(one)}\n" for one in lines)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_claude_code_as_acts(tmp_path: Path) -> None:
    acts = list(acts_of(written(tmp_path, "abc.jsonl", SESSION)))

    assert [act.kind for act in acts] == [
        ActKind.PROMPT,
        ActKind.REASONING,
        ActKind.CALL,
        ActKind.RESULT,
        ActKind.CALL,
        ActKind.FAILURE,
        ActKind.CALL,
        ActKind.REFUSAL,
        ActKind.SYSTEM,
        ActKind.COMPACTION,
        ActKind.INTERRUPTION,
        ActKind.ANSWER,
    ]
    assert [act.step for act in acts] == [0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    assert acts[2].paths == acts[3].paths == ("src/shop.py",)
    assert acts[3].tokens == 400
    assert acts[5].origin is Origin.COMMAND
    assert (acts[7].text, acts[7].origin) == ("keep the old name", Origin.USER)
    assert acts[11].agent == "a1"


def test_import_keeps_the_whole_words_and_who_answers_whom(house: House, tmp_path: Path) -> None:
    path = written(tmp_path, "abc.jsonl.gz", SESSION)

    report = house.run(path)

    assert (report.added, report.streams, report.skipped) == (12, 1, 0)
    (stream,) = house.stream_names()
    assert stream == "claude-code abc"
    assert house.stream(stream).kind is StreamKind.SESSION
    events = house.events(stream)
    assert [event.kind for event in events[:4]] == [
        EventKind.MESSAGE,
        EventKind.REASONING,
        EventKind.TOOL_CALL,
        EventKind.TOOL_RESULT,
    ]
    assert events[3].reply_to == events[2].id
    assert events[6].payload["paths"] == ["src/shop.py"]
    assert (events[0].author, events[1].author) == ("user", "claude-code")
    again = house.run(path)
    assert (again.added, again.already_there) == (0, 12)


def test_copies_and_forks_are_there_once(house: House, tmp_path: Path) -> None:
    written(tmp_path, "logs/first.jsonl", SESSION[:4])
    written(tmp_path, "logs/second.jsonl", SESSION)
    fork = [{**one, "sessionId": "fork"} for one in SESSION[:4]]
    more = line(30, "user", "go on", sessionId="fork")
    written(tmp_path, "logs/third.jsonl", [*fork, more])

    report = house.run(tmp_path / "logs", format="transcripts")

    assert report.added == 13
    assert house.stream_names() == {"claude-code abc", "claude-code fork"}
    assert [event.text for event in house.events("claude-code fork")] == ["go on"]


def test_an_import_that_grew_goes_on(house: House, tmp_path: Path) -> None:
    path = written(tmp_path, "abc.jsonl", SESSION[:6])
    house.run(path)

    report = house.run(written(tmp_path, "abc.jsonl", SESSION))

    assert (report.read, report.added) == (12, 6)
    events = house.events("claude-code abc")
    assert events[7].reply_to == events[6].id


def test_sub_agents_lie_beside_their_session(tmp_path: Path) -> None:
    written(tmp_path, "p/abc.jsonl", SESSION[:2])
    inner = [
        line(40, "user", "look around", isSidechain=True, agentId="a9"),
        {**used(41, "Read", file_path=f"{ROOT}/b.py"), "isSidechain": True, "agentId": "a9"},
    ]
    written(tmp_path, "p/abc/subagents/agent-a9.jsonl", inner)

    acts = list(acts_of(tmp_path))

    assert {act.session for act in acts} == {"abc"}
    assert [(act.kind, act.agent, act.paths) for act in acts[2:]] == [
        (ActKind.ANSWER, "a9", ()),
        (ActKind.CALL, "a9", ("b.py",)),
    ]


def test_codex_as_acts(tmp_path: Path) -> None:
    def item(number: int, **payload: Any) -> dict[str, Any]:
        at = f"2026-05-01T09:00:{number:02}Z"
        return {"timestamp": at, "type": "response_item", "payload": payload}

    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"
    said = [{"type": "input_text", "text": "fix it"}]
    meta = {"type": "session_meta", "timestamp": "2026-05-01T09:00:00Z"}
    path = written(
        tmp_path,
        "rollout.jsonl",
        [
            {**meta, "payload": {"id": "cx1", "cwd": "/home/bo/shop"}},
            item(1, type="message", role="user", content=said),
            item(
                2,
                type="function_call",
                name="shell",
                call_id="1",
                arguments=json.dumps({"command": ["bash", "-lc", "make test"]}),
            ),
            item(
                3,
                type="function_call_output",
                call_id="1",
                output="Process exited with code 2\nno rule",
            ),
            item(4, type="custom_tool_call", name="apply_patch", call_id="2", input=patch),
        ],
    )

    acts = list(acts_of(path))

    assert [act.kind for act in acts] == [
        ActKind.PROMPT,
        ActKind.CALL,
        ActKind.FAILURE,
        ActKind.CALL,
    ]
    assert acts[1].arguments["command"] == "make test"
    assert acts[3].paths == ("src/a.py",)
    assert {act.session for act in acts} == {"cx1"}


def test_a_trajectory_as_acts(house: House, tmp_path: Path) -> None:
    path = tmp_path / "issue-7.traj"
    step = {
        "thought": "look",
        "action": "str_replace_editor view /testbed/src/a.py",
        "observation": "1 x",
        "state": json.dumps({"working_dir": "/testbed/"}),
    }
    broken = {"action": "python run.py", "observation": "Traceback (most recent call last)\n x"}
    task = {"role": "user", "content": "fix the bug"}
    path.write_text(json.dumps({"trajectory": [step, broken, 7], "history": [task]}))

    kinds = [(act.kind, act.tool) for act in acts_of(path)]

    assert kinds == [
        (ActKind.PROMPT, None),
        (ActKind.REASONING, None),
        (ActKind.CALL, "Read"),
        (ActKind.RESULT, "Read"),
        (ActKind.CALL, "Bash"),
        (ActKind.FAILURE, "Bash"),
    ]
    assert house.run(path).added == 6
    assert house.run(path).added == 0


def test_the_plain_form(tmp_path: Path) -> None:
    call = {"tool": "Edit", "arguments": {"file_path": "/x/y/a.py"}, "call": "1", "cwd": "/x/y"}
    path = written(
        tmp_path,
        "acts.jsonl",
        [
            {"session": "s", "kind": "call", "time": "2026-05-01T09:00:00Z", **call},
            {"session": "s", "kind": "refusal", "call": "1", "text": "no"},
            {"session": "s", "kind": "nonsense"},
        ],
    )

    acts = list(acts_of(path))

    assert [(act.kind, act.paths) for act in acts] == [
        (ActKind.CALL, ("a.py",)),
        (ActKind.REFUSAL, ("a.py",)),
    ]
    assert acts[1].at == acts[0].at


def test_what_is_no_transcript_is_said(house: House, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n')

    with pytest.raises(InvalidInput, match="holds no transcripts"):
        house.run(tmp_path, format="transcripts")
    with pytest.raises(InvalidInput, match="gets its own stream"):
        house.run(written(tmp_path, "a.jsonl", SESSION), stream="x")


def test_lines_of_no_known_kind_and_odd_times_are_counted(house: House, tmp_path: Path) -> None:
    session = [
        line(1, "user", "Mend the login."),
        {"foo": 1},
        line(2, "assistant", "It is mended.") | {"timestamp": "soon"},
    ]
    report = house.run(written(tmp_path, "one.jsonl", session))
    assert (report.added, report.skipped, report.without_time) == (2, 1, 1)
    assert report.problems == (
        "one.jsonl line 2: not a line of claude-code",
        "one.jsonl line 3: kept without a time, 'soon' is not a time",
    )
    (stream,) = house.stream_names()
    said, mended = house.events(stream)
    assert mended.payload["time_unknown"] is True
    assert mended.occurred_at == said.occurred_at


def test_lines_that_cannot_be_read_are_counted(house: House, tmp_path: Path) -> None:
    path = written(tmp_path, "abc.jsonl", SESSION[:2])
    path.write_bytes(path.read_bytes() + b"{broken\n[1]\n" + json.dumps(SESSION[2]).encode())

    report = house.run(path)

    assert (report.added, report.skipped) == (3, 2)
    assert report.problems[0] == "abc.jsonl line 3: not a JSON object"


NAMES = (
    "type message content uuid sessionId cwd timestamp toolUseResult tool_use_id id name input "
    "text thinking is_error payload arguments call_id output action state trajectory history role "
    "thought observation kind session tool call paths operation file filenames mode isSidechain "
    "agentId subtype"
).split()
GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=8,
        )
    ),
    max_leaves=25,
)
TYPES = st.sampled_from(
    "user assistant system queue-operation response_item session_meta compacted call result".split()
)


@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), GARBAGE).flatmap(
            lambda rest: st.tuples(TYPES, GARBAGE, GARBAGE).map(
                lambda three: {
                    **rest,
                    "type": three[0],
                    "kind": three[0],
                    "session": "s",
                    "message": three[1],
                    "payload": three[2],
                    "trajectory": [three[1], three[2]],
                    "history": three[2],
                    "content": three[1],
                    "operation": "enqueue",
                }
            )
        ),
        max_size=4,
    )
)
def test_no_json_makes_a_reader_fail(lines: list[dict[str, Any]]) -> None:
    for reader in (ClaudeCode(), Codex(), SweAgent(), Plain()):
        for one in lines:
            for transcript_act in reader.read_acts(one):
                assert isinstance(transcript_act.whole, str)
                assert all(not path.startswith("/") for path in transcript_act.act.paths)


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/Users/ann/work/shop/src/a.py", "src/a.py"),
        ("/Users/ann/work/shop/.worktrees/2/src/a.py", "src/a.py"),
        ("/Users/ann/work/shop/.worktrees/ann/long-name/src/a.py", "src/a.py"),
        ("/Users/ann/work/shop/.claude/worktrees/x/src/a.py", "src/a.py"),
        ("/home/bo/shop/src/./b/../a.py", "src/a.py"),
        ("C:\\Users\\cy\\shop\\src\\a.py", "src/a.py"),
        ("/home/bo/.claude/plans/x.md", None),
        ("/home/bo/shop/../secret", None),
        ("/tmp/x.py", None),
        ("", None),
    ],
)
def test_one_file_from_every_machine(path: str, relative: str | None) -> None:
    roots = Roots(
        [
            "/Users/ann/work/shop",
            "/Users/ann/work/shop/src",
            "/Users/ann/work/shop/.worktrees/ann/long-name",
            "/home/bo/shop",
            "C:\\Users\\cy\\shop",
        ]
    )

    assert roots.relative(path) == relative


def test_a_known_file_says_where_its_root_is() -> None:
    roots = Roots(["/home/bo/all"], files={"src/a.py"})

    assert roots.relative("/home/bo/all/shop/src/a.py") == "src/a.py"
    assert roots.relative("other.py", "/home/bo/all/x") == "x/other.py"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Found 2 files\nsrc/a.go\n/work/b_test.go", ["src/a.go", "/work/b_test.go"]),
        ("src/a.go:12:func A()\nsrc/a.go:14:func B()\nb.go:3:x", ["src/a.go", "b.go"]),
        ("No files found", []),
        ("see https://example.org for a.b: nothing", []),
        ("", []),
    ],
)
def test_the_files_that_a_search_s_answer_names(text: str, paths: list[str]) -> None:
    assert found_paths(text) == paths
