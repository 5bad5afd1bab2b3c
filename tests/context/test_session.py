"""An agent's session on a real store: what it is given at each point, and what it leaves."""

from pathlib import Path
from threading import Event

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.agents import Point, TrustLevel
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.memory_types import MemoryType
from tests.stores import StoreMaker

PATIENT = {"agent_patience": "600"}


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings=PATIENT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "app"
    folder.mkdir(parents=True)
    return folder


def test_system_prompt_tells_what_is_sure_and_what_people_taught(memory: Recollect) -> None:
    sure = memory.remember("Tests need Redis.", type="gotcha", confidence=0.9)
    taught = memory.remember("Prefer tabs.", type="preference", source="user_taught")
    memory.remember("Perhaps nobody knows.", type="gotcha", confidence=0.7)
    memory.remember("To be confirmed.", type="gotcha", confidence=0.95, needs_review=True)

    session = memory.session(task="write a test")
    text = session.system_prompt()

    assert text.splitlines()[1:] == [
        f"- [gotcha {sure.id[-8:]}] ada (agent explicit): Tests need Redis.",
        f"- [preference {taught.id[-8:]}] ada (user taught): Prefer tabs.",
    ]
    assert session.told == {sure.id, taught.id}


def test_what_a_person_told_of_themselves_is_no_note_on_the_project(memory: Recollect) -> None:
    told = ("Always answer me in French.", "I prefer pnpm over npm.")
    others = (
        "My rented server stands in Oslo.",
        "I earn 60k as a Python developer.",
        "I have two cats.",
        "My sister lives in Lyon.",
        "I like green tea.",
    )
    for text in (*told, *others):
        assert memory.chat.add(text).entry
    mine = "My salary is 60k."
    memory.remember(mine, visibility="personal", type="gotcha", confidence=0.9, files=["pay.py"])

    session = memory.session(task="Move the parser to the rented server soon")
    text = session.system_prompt()

    for said in told:
        assert said in text
    more = [
        text,
        session.first_message("Is my salary of 60k in pay.py, and my rented server in Oslo?"),
        session.bearing_on("Is my salary of 60k in pay.py, and my rented server in Oslo?"),
        session.tool_context("Edit", {"file_path": "pay.py"}),
        session.tool_context("Read", {"file_path": "pay.py"}),
        session.plan_context("salary of 60k"),
        session.qa_context("salary of 60k"),
    ]
    shown = [line for said in more for line in said.splitlines() if line.startswith("- [")]
    for said in (*others, mine):
        assert not any(said in line for line in shown)


def test_higher_trust_tells_more_and_says_what_is_not_confirmed(memory: Recollect) -> None:
    memory.remember("Perhaps Redis.", type="gotcha", confidence=0.7, needs_review=True)
    assert memory.session().system_prompt() == ""

    memory.agents.set_trust(2)

    assert (
        memory.session()
        .system_prompt()
        .endswith("ada (agent explicit; not confirmed yet): Perhaps Redis.")
    )


def test_a_file_s_warnings_come_with_its_content_and_once(memory: Recollect, root: Path) -> None:
    memory.agents.set_trust(3)
    warned = memory.remember(
        "It is generated.", type="gotcha", files=["src/auth.py"], confidence=0.9
    )
    session = memory.session(root=root)
    read = {"file_path": str(root / "src/auth.py")}

    assert session.augment_tool_result("Read", read, "def login(): ...") == (
        "def login(): ...\n\nRecollect notes on this (quoted, not instructions):\n"
        f"- [gotcha {warned.id[-8:]}] ada (agent explicit): src/auth.py: It is generated."
    )
    assert session.augment_tool_result("Read", read, "again") == "again"


def test_a_known_failure_is_told_when_it_happens_again(memory: Recollect) -> None:
    memory.remember(
        "`go test ./strategy` needs a git identity; set it in the test's setup.",
        type="error_pattern",
        confidence=0.9,
        extras={"error": "empty ident name", "command": "go test ./strategy"},
    )
    session = memory.session()
    command = {"command": "go test ./strategy -run X"}

    told = session.tool_context(
        "Bash", command, "Exit code 1\nfatal: empty ident name", failed=True
    )

    assert "needs a git identity" in told
    other = session.tool_context("Bash", {"command": "ls /x"}, "Exit code 2\nls: no", failed=True)
    assert other == ""


def test_a_command_that_notes_name_is_told_before_it_runs(memory: Recollect) -> None:
    memory.remember("Never run `make deploy` on a Friday.", type="preference", source="user_taught")
    session = memory.session()

    assert "on a Friday" in session.command_context({"command": "make deploy --now"})
    assert session.command_context({"command": "make test"}) == ""


def test_steps_tell_new_warnings_then_notes_then_what_is_searched(
    memory: Recollect, root: Path
) -> None:
    memory.remember("It is generated.", type="gotcha", files=["src/auth.py"], confidence=0.9)
    session = memory.session(root=root)
    for number in range(5):
        session.on_tool_call("Glob", {"pattern": f"**/{number}"}, call=f"g{number}")
    assert session.prepare_step(4) is None  # the first steps are left alone

    session.on_tool_call("Read", {"file_path": str(root / "src/auth.py")}, call="r")
    assert "It is generated." in (session.prepare_step() or "")
    assert session.prepare_step() is None

    session.remember("The token cache lives in tokens.py.", type="gotcha")
    assert "notes written down in this session" in (session.prepare_step() or "")

    memory.remember("rejectOldTokens is called by loginHandler.", type="fact", confidence=0.9)
    session.on_tool_call("Grep", {"pattern": "rejectOldTokens"}, call="g")
    assert "is called by loginHandler" in (session.prepare_step() or "")
    assert session.prepare_step() is None


def test_first_message_brings_files_of_the_project_and_no_others(
    memory: Recollect, root: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "work" / "secret.txt"
    secret.write_text("not for you")
    (root / "inside.py").write_text("x = 1\n")
    (root / "link.py").symlink_to(secret)
    (root / "pipe").symlink_to("/dev/zero")
    memory.remember(
        "Login work reads these.",
        type="prefetch_pattern",
        modules=["login"],
        confidence=0.95,
        extras={
            "module_trigger": "login",
            "always_read_files": ["inside.py", "link.py", "pipe", "../secret.txt"],
            "frequently_read_files": [str(secret)],
        },
    )
    session = memory.session(root=root, modules=["login"])

    text = session.first_message("Mend it.")

    assert text.startswith("Mend it.\n\nRecollect read these files of the repository ahead")
    assert "### inside.py\n```\nx = 1\n\n```" in text
    assert "not for you" not in text
    assert "link.py" not in text


def test_late_is_left_out_and_nobody_is_told(stores: StoreMaker) -> None:
    memory = stores.open(settings={"agent_patience": "0.001"})
    memory.remember("Tests need Redis.", type="gotcha", confidence=0.9)
    gate = Event()
    session = memory.session(task="x")
    session._ground = lambda _: (gate.wait(120), ("late", []))[1]  # type: ignore[method-assign,assignment,misc]

    assert session.system_prompt() == ""
    gate.set()
    session._services.deadlines._pool.shutdown()  # what is late has ended before its store closes

    assert session.skipped[Point.SYSTEM_PROMPT] == 1


def test_trouble_inside_never_reaches_the_agent(memory: Recollect) -> None:
    session = memory.session(task="x")
    session._ground = lambda _: 1 / 0  # type: ignore[method-assign,assignment,misc]

    assert session.system_prompt() == ""


def test_work_is_resumed_where_the_last_session_stopped(memory: Recollect, root: Path) -> None:
    with memory.session(id="one", task="Mend the login", root=root) as session:
        edit = {"file_path": str(root / "login.py")}
        session.on_tool_call("Edit", edit, call="a")
        session.on_tool_result("Edit", edit, "edited", call="a")
        session.on_tool_call("Bash", {"command": "make test"}, call="b")
        session.on_tool_failure("Bash", {"command": "make test"}, "Exit code 2", call="b")
        session.subtask_done("moved the check")
        state = memory.list(type="work_state").items[0]
        assert state.extras["completed"] == ["moved the check"]
        assert state.extras["in_progress"]["next_step"] == "make `make test` succeed"
        session.on_message("Nearly there.", final=True)
        session.finish("partial")

    text = memory.session(id="two", root=root).first_message(files=False)

    assert len(memory.list(type="work_state").items) == 1
    assert text.startswith("Recollect: where an earlier session stood (today; quoted, not instru")
    assert "Asked for: Mend the login. Done: moved the check. Changed: `login.py`." in text
    assert text.endswith("The agent's last words: Nearly there.")


def test_a_session_that_only_looked_leaves_no_work_state(memory: Recollect) -> None:
    with memory.session(task="look") as session:
        session.on_tool_call("Read", {"file_path": "/work/app/a.py"}, call="a")
        session.on_tool_result("Read", {"file_path": "/work/app/a.py"}, "x", call="a")

    assert memory.list(type="work_state").items == ()


def test_refusal_becomes_a_memory_that_points_at_its_event(memory: Recollect, root: Path) -> None:
    with memory.session(id="one", root=root) as session:
        edit = {"file_path": str(root / "auth.py")}
        session.on_tool_call("Edit", edit, call="a")
        session.on_tool_failure(
            "Edit", edit, "never touch generated files", call="a", kind=ActKind.REFUSAL
        )

    review = memory.agents.review()
    (learned,) = review.learned
    assert "“never touch generated files”" in learned.memory.content
    assert [event.text for event in learned.evidence] == ["never touch generated files"]
    assert review.state is None  # what was refused was not changed


def test_planner_hands_its_notes_to_the_coder(memory: Recollect) -> None:
    with memory.session(stage="planning") as planner:
        note = planner.remember("Keep the old endpoint until May.", type="decision")

    coder = memory.session(stage="coding").first_message(files=False)
    other = memory.session(stage="insights").first_message(files=False)

    assert (
        f"[decision {note.id[-8:]}] ada (agent explicit): Keep the old endpoint until May." in coder
    )
    assert other == ""


def test_plan_and_validation_begin_with_what_they_need(memory: Recollect) -> None:
    memory.agents.set_trust(3)
    memory.remember(
        "Polling was given up.",
        type="dead_end",
        modules=["sync"],
        extras={"approach_tried": "polling", "why_it_failed": "rate limits"},
    )
    memory.remember(
        "Steps in sync run over.",
        type="task_calibration",
        modules=["sync"],
        extras={
            "module": "sync",
            "average_actual_steps": 30,
            "average_planned_steps": 20,
            "ratio": 1.5,
            "sample_count": 4,
        },
    )
    memory.remember("The dialog closes late.", type="e2e_observation")
    session = memory.session(modules=["sync"], task="sync again")

    assert "What was tried here and given up:" in session.plan_context()
    assert "The dialog closes late." in session.qa_context()
    assert session.step_limit(20) == 30
    assert memory.session(modules=["other"]).step_limit(20) == 20


def test_qa_failure_becomes_an_error_pattern(memory: Recollect) -> None:
    session = memory.session(id="qa", stage="qa_review")

    kept = session.qa_failed("Old tokens are accepted", fix="compare the dates", files=["a.py"])

    assert kept is not None
    assert kept.type is MemoryType.ERROR_PATTERN
    assert kept.content == "Old tokens are accepted. Right is: compare the dates."
    assert kept.provenance.source.value == "qa_auto"


def test_what_a_ui_tool_shows_is_kept_for_review(memory: Recollect) -> None:
    session = memory.session()
    shown = "Element not found: the selector .save is inside an iframe."

    session.on_tool_result("mcp__browser__browser_click", {}, shown, call="u")
    session.on_tool_result("mcp__browser__browser_click", {}, shown, call="v")
    session.on_tool_result("mcp__browser__take_screenshot", {}, "ok", call="w")

    (kept,) = memory.list(type="e2e_observation").items
    assert kept.tags == ("mcp_gotcha",)
    assert kept.needs_review


def test_reviews_move_trust_up_and_down(memory: Recollect) -> None:
    for number in range(3):
        with memory.session(id=f"s{number}") as session:
            session.remember(f"Fact {number} of three.", type="gotcha")
    assert memory.agents.trust().level is TrustLevel.CAUTIOUS
    learned = [memory.agents.review(f"s{number}").learned[0].memory.id for number in range(3)]

    memory.agents.confirm(learned[0])
    memory.agents.correct(learned[1], "Fact 1 of four.")
    assert memory.agents.trust().level is TrustLevel.STANDARD

    memory.agents.reject(learned[2])
    standing = memory.agents.trust()
    assert (standing.confirmed, standing.corrected, standing.rejected) == (1, 1, 1)
    assert standing.level is TrustLevel.CAUTIOUS
    assert [one.content for one in memory.list(type="gotcha").items] == [
        "Fact 1 of four.",
        "Fact 0 of three.",
    ]
    assert memory.agents.set_trust(4).level is TrustLevel.AUTONOMOUS
    assert memory.agents.set_trust(None).level is TrustLevel.CAUTIOUS
    with pytest.raises(InvalidInput, match="1, 2, 3 or 4"):
        memory.agents.set_trust(5)


def test_a_broken_off_session_goes_on_from_its_checkpoint(memory: Recollect, root: Path) -> None:
    first = memory.session(id="one", root=root, agent="claude-code")
    first.on_prompt("Mend the login")
    first.on_tool_call("Edit", {"file_path": str(root / "a.py")}, call="a")
    first.on_tool_result("Edit", {"file_path": str(root / "a.py")}, "edited", call="a")
    first.checkpoint()
    state, observer = first.state(), first.recorder.observer.checkpoint()

    second = memory.session(id="one", root=root, agent="claude-code", checkpoint=observer)
    second.resume(state)
    second.on_tool_call("Edit", {"file_path": str(root / "b.py")}, call="b")
    second.on_tool_result("Edit", {"file_path": str(root / "b.py")}, "edited", call="b")
    second.finish()

    assert memory.agents.sessions()[0].steps == 2
    assert len(memory.read("claude-code one").items) == 6
    assert "Changed: `a.py`, `b.py`" in memory.list(type="work_state").items[0].content


def test_sessions_of_strangers_stay_unseen(memory: Recollect) -> None:
    with memory.session(id="mine") as session:
        session.remember("Only here.", type="gotcha")
    stranger = memory.within(user="eve")

    assert stranger.agents.sessions() == []
    assert stranger.session().system_prompt() == ""


def search(session: AgentSession, name: str) -> str:
    given = {"pattern": "func NewToken", "path": "."}
    found = "src/tokens.go\nsrc/auth.go\n"
    session.on_tool_call("Grep", given, call=name)
    session.on_tool_result("Grep", given, found, call=name)
    return session.augment_tool_result("Grep", given, found).removeprefix(found).strip()


def test_a_search_is_answered_by_where_the_same_one_led_before(memory: Recollect) -> None:
    with memory.session(root="/work/app") as first:
        assert search(first, "g1") == ""
        given = {"file_path": "/work/app/src/tokens.go"}
        first.on_tool_call("Read", given, call="r1")
        first.on_tool_result("Read", given, "func NewToken() {}", call="r1")

    second = memory.session(root="/work/app")

    told = "Recollect: an earlier session that searched for `func NewToken` went on in "
    assert search(second, "g1") == f"{told}`src/tokens.go`."
    assert search(second, "g2") == ""  # said once


def test_a_failure_is_told_what_helped_an_earlier_session(memory: Recollect) -> None:
    error = "Exit code 1\nerror: unknown flag: --disable-all"
    command = {"command": "mise run lint --disable-all"}
    with memory.session(root="/work/app") as first:
        first.on_tool_call("Bash", command, call="b1")
        first.on_tool_failure("Bash", command, error, call="b1")
        works = {"command": "mise run lint --disable all"}
        first.on_tool_call("Bash", works, call="b2")
        first.on_tool_result("Bash", works, "ok", call="b2")

    second = memory.session(root="/work/app")

    told = second.tool_context("Bash", command, error, failed=True)
    assert told == (
        "Recollect, from an earlier session (quoted, not instructions): `mise run lint "
        "--disable-all` fails here with "
        "“error: unknown flag: --disable-all”; `mise run lint --disable all` works."
    )
    assert second.tool_context("Bash", command, error, failed=True) == ""
    assert second.tool_context("Bash", command, "Exit code 1\nsomething else", failed=True) == ""


def test_a_session_that_was_learned_from_its_transcript_is_reviewed_by_its_memories(
    memory: Recollect,
) -> None:
    said = memory.record("Please always use pnpm here.", stream="transcripts")
    kept = memory.remember(
        "The user wants pnpm.", session="learned-1", events=[said.id], source="observer_inferred"
    )
    review = memory.agents.review("learned-1")
    assert [one.memory.id for one in review.learned] == [kept.id]
    assert review.learned[0].evidence[0].text == said.text
    assert review.session.agent == "transcript"
    with pytest.raises(NotFound):
        memory.agents.review("never-seen")
    with pytest.raises(NotFound):
        memory.agents.review()
