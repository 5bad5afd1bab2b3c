"""Recall, list, show, history: found, told plainly, and whole in a pipe."""

import re
from datetime import UTC, datetime, timedelta

import pytest

import recollect
from tests.surfaces.cli.runner import InProcess

LONG = "A long memory " + "that goes on and on " * 40 + "and ends here."


@pytest.fixture
def filled(cli: InProcess) -> InProcess:
    cli.remember(
        "The staging database is reset every night.",
        *("--type", "gotcha", "--tag", "staging", "--file", "deploy/staging.yml"),
    )
    cli.remember("We deploy on Fridays.", "--type", "decision", "--confidence", "0.5")
    cli.json("record", "Who reset staging last night?", "--stream", "ops", "--author", "grace")
    return cli


def test_recall_in_a_pipe(filled: InProcess) -> None:
    first, second = filled("recall", "when", "is", "staging", "reset").out.split("\n\n")
    lines = [first.splitlines(), second.splitlines()]
    memory, event = sorted(lines, key=lambda block: "gotcha" not in block[0])
    assert re.fullmatch(r"\d  \d\.\d\d  gotcha  mem_\w{26}", memory[0])
    assert memory[1:3] == [
        "   The staging database is reset every night.",
        "   #staging deploy/staging.yml",
    ]
    assert re.fullmatch(r"   ada, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, user_taught", memory[3])
    assert re.fullmatch(r"\d  \d\.\d\d  message  evt_\w{26}", event[0])
    assert event[1] == "   Who reset staging last night?"
    assert re.fullmatch(r"   grace, \S+Z, in ops", event[2])


def test_recall_in_json(filled: InProcess) -> None:
    found = filled.json("recall", "staging reset")
    assert found["query"] == "staging reset"
    assert found["missing"] == []
    assert {item["kind"] for item in found["found"]} == {"memory", "event"}
    for item in found["found"]:
        assert item["id"] == item["item"]["id"]
        assert 0 < item["score"] <= 1


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--limit", "1"], 1),
        (["--kind", "memory"], 1),
        (["--kind", "event"], 1),
        (["--kind", "memory", "--kind", "event"], 2),
        (["--type", "gotcha"], 1),
        (["--type", "decision"], 0),
        (["--tag", "staging"], 1),
        (["--file", "deploy/staging.yml"], 1),
        (["--min-confidence", "0.7"], 1),
        (["--since", "2001-01-01"], 2),
        (["--since", "yesterday"], 2),
        (["--until", "7d"], 0),
        (["--until", "2001-01-01"], 0),
        (["--as-of", "2001-01-01"], 0),
        (["--embedder", "none"], 2),
    ],
)
def test_recall_is_narrowed(filled: InProcess, options: list[str], count: int) -> None:
    assert len(filled.json("recall", "staging reset", *options)["found"]) == count


def test_nothing_found_helps(filled: InProcess) -> None:
    ran = filled("recall", "zzqq")
    assert ran.code == 0
    assert ran.out.startswith("Nothing found for 'zzqq'.\n")
    assert "recollect list" in ran.out


def test_what_could_not_take_part_is_said(
    filled: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "away")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_TIMEOUT", "0.2")
    ran = filled("recall", "staging", "--embedder", "openai")
    assert ran.code == 0
    assert "The staging database" in ran.out
    assert "Searched without vectors: " in ran.out


def test_list_is_one_record_a_line_and_whole(cli: InProcess) -> None:
    multiline = cli.remember("one\ntwo\tthree")
    long = cli.remember(LONG, "--tag", "long")
    rows = [line.split("\t") for line in cli("list").out.splitlines()]
    assert [row[0] for row in rows] == [long, multiline]
    assert rows[0][2:] == ["fact", "0.80", f"{LONG} #long"]
    assert rows[1][4] == "one two three"


def test_list_has_pages(cli: InProcess) -> None:
    kept = [cli.remember(f"memory {number}") for number in range(3)]
    ran = cli("list", "--limit", "2")
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == [kept[2], kept[1]]
    cursor = re.search(r"--cursor (\S+)", ran.err)
    assert cursor
    rest = cli("list", "--limit", "2", "--cursor", cursor.group(1))
    assert [line.split("\t")[0] for line in rest.out.splitlines()] == [kept[0]]
    assert rest.err == ""


def test_empty_list_says_so_beside_the_answer(cli: InProcess) -> None:
    ran = cli("list")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing is remembered here yet." in ran.err


def test_show_tells_everything(cli: InProcess) -> None:
    identifier = cli.remember(
        "Ada likes tea.", "--type", "preference", "--tag", "tea", "--extra", "key=drink", "--type",
        "fact", "--extra", "value=tea",
    )  # fmt: skip
    lines = cli("show", identifier[:18]).out.splitlines()
    assert lines[:3] == [f"fact  {identifier}", "Ada likes tea.", ""]
    told = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in lines[2:] if "  " in line)
    assert told["confidence"] == "0.80"
    assert told["tags"] == "#tea"
    assert told["key"] == "drink"
    assert told["value"] == "tea"
    assert told["seen by"] == "project, owner ada"
    assert told["summary"].startswith("Ada likes tea.")
    assert told["full"].endswith("tokens")
    assert {"compressed", "index", "made", "changed", "valid", "source"} <= set(told)


def test_show_fills_in_the_levels(cli: InProcess) -> None:
    identifier = cli.remember("Ada likes tea.")
    assert cli.json("show", identifier)["levels"]["summary"] == "Ada likes tea."


def test_show_as_it_stood(cli: InProcess) -> None:
    kept = cli.json("remember", "Ada likes tea.")
    cli.json("edit", kept["id"], "--content", "Ada likes coffee.")
    before = kept["updated_at"]
    assert cli.json("show", kept["id"], "--as-of", before)["content"] == "Ada likes tea."


def test_show_an_event_with_its_surroundings(cli: InProcess) -> None:
    ids = [cli.json("record", f"line {number}", "--stream", "s")["id"] for number in range(3)]
    out = cli("show", ids[1]).out
    assert out.index("line 0") < out.index("line 1") < out.index("line 2")
    assert f"message  {ids[1]}" in out
    document = cli.json("show", ids[1])
    assert document["text"] == "line 1"
    assert document["stream"]["name"] == "s"
    assert [event["text"] for event in document["before"]] == ["line 0"]


def test_history_shows_what_became_of_what(cli: InProcess) -> None:
    identifier = cli.remember("The bank closes at four.", "--tag", "bank")
    cli("edit", identifier, "--content", "The bank closes at five.", "--confidence", "0.9")
    cli("edit", identifier, "--tag", "hours")
    cli("pin", identifier)
    out = cli("history", identifier).out
    blocks = out.split("\n\n")
    assert re.match(r"1  created by ada, \S+Z", blocks[0])
    assert "   content - The bank closes at four." in blocks[1]
    assert "   content + The bank closes at five." in blocks[1]
    assert "   confidence 0.80 → 0.90" in blocks[1]
    assert "   tags -bank +hours" in blocks[2]
    assert "   pinned no → yes" in blocks[3]
    assert [entry["action"] for entry in cli.json("history", identifier)["history"]] == [
        "created",
        "updated",
        "updated",
        "updated",
    ]


def test_escape_sequences_in_a_memory_stay_words(cli: InProcess) -> None:
    identifier = cli.remember("red \x1b[31mtext\x1b[0m \x07")
    for command in (["recall", "red"], ["list"], ["show", identifier]):
        assert "\x1b" not in cli(*command).out
        assert "␛[31mtext" in cli(*command).out
    assert cli.json("show", identifier)["content"] == "red \x1b[31mtext\x1b[0m \x07"


def test_last_sessions_have_the_engine_s_limit(cli: InProcess) -> None:
    assert cli("recall", "x", "--sessions", "100").code == 0
    ran = cli("recall", "x", "--sessions", "101")
    assert (ran.code, ran.err) == (1, "The last sessions are 1 to 100, not 101.\n")


def test_what_was_missing_is_said_as_a_sentence(cli: InProcess) -> None:
    cli.remember("The crane is yellow.")
    told = cli("recall", "crane", "--user", "bob").out.splitlines()[-1]
    assert told == (
        "bob does not belong to the space 'default': "
        "what only its members may see was not searched."
    )
    cli("memory", "off")
    assert "Nothing is recalled: memory is off in this space.\n" in cli("recall", "crane").out


@pytest.mark.parametrize("command", ["list", "topics", "memory", "export", "read", "stats"])
def test_who_does_not_belong_is_told_so_and_not_that_there_is_nothing(
    cli: InProcess, command: str
) -> None:
    cli.remember("The crane is yellow.")
    told = cli(command, "--user", "bob")
    assert told.code == 0
    assert told.err == (
        "bob does not belong to the space 'default': what only its members may see is not shown.\n"
    )
    assert "crane" not in told.out
    assert "belong" not in cli(command).err
    assert cli(command, "--user", "bob", "--json").err == ""


def test_recall_narrows_by_every_filter(cli: InProcess) -> None:
    cli("record", "The gateway listens on 9090.", "--stream", "dev", "--author", "ann")
    cli("record", "The gateway listens on 8080.", "--stream", "ops", "--author", "bob")
    for option, value in (("--stream", "dev"), ("--author", "ann")):
        found = cli.json("recall", "gateway", "--kind", "event", option, value)["found"]
        assert [one["text"] for one in found] == ["The gateway listens on 9090."]
    cli("remember", "The gateway is old.", "--type", "fact")
    assert cli.json("recall", "gateway", "--source", "user_taught")["found"] != []
    for option, value in (("--source", "qa_auto"), ("--scope", "module"), ("--module", "none")):
        assert cli.json("recall", "gateway", option, value)["found"] == []


def test_a_trend_without_a_match_says_when_it_last_came_up(cli: InProcess) -> None:
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        at = datetime.now(UTC) - timedelta(days=270)
        memory.record("The weather is fine.", stream="general", occurred_at=at)

    told = cli("trend", "weather")

    assert f"it last came up on {at:%Y-%m-%d}: add --days 271." in told.err
    days = next(word for word in told.err.split() if word.startswith("271")).rstrip(".")
    assert cli.json("trend", "weather", "--days", days)["total"] == 1


def test_a_trend_takes_the_filters_of_recall(cli: InProcess) -> None:
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        for day in (2, 3, 9):
            at = datetime(2025, 3, day, 12, tzinfo=UTC)
            memory.record("The weather is fine.", stream="general", occurred_at=at)
        pinned = memory.remember("the weather station is on the roof")
        memory.pin(pinned.id)

    def counted(*options: str) -> int:
        return int(cli.json("trend", "weather", *options)["total"])

    assert counted("--since", "2025-03-01", "--until", "2025-03-05") == 2
    assert counted("--until", "2025-03-10", "--days", "4") == 1
    assert counted("--pinned") == 1
    assert counted("--review") == counted("--archived") == 0
    assert counted("--superseded") == 1
    assert counted("--as-of", "2025-03-10") == 0
    wrong = cli("trend", "weather", "--since", "2025-03-05", "--until", "2025-03-01")
    assert wrong.code == 1
    assert "Give a start that is before the end." in wrong.err


def test_a_personal_memory_says_so_beside_its_owner(cli: InProcess) -> None:
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        own = memory.remember("The gateway tires me.", visibility="personal")
        memory.remember("The gateway needs a certificate.")

    recalled = cli("--user", "ada", "recall", "gateway").out
    assert recalled.count("ada (personal), ") == recalled.count("(personal") == 1
    assert recalled.count("ada, ") == 1
    listed = cli("--user", "ada", "list").out.splitlines()
    assert [line for line in listed if "(ada, personal)" in line] == [
        line for line in listed if "tires me" in line
    ]
    assert "personal, owner ada" in cli("--user", "ada", "show", own.id).out
