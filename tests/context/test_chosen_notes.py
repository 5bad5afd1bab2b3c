"""What a session begins with is chosen for its work: by branch, use and prompt; each note once."""

from dataclasses import replace
from pathlib import Path

import pytest

from recollect.context.continuation import continues
from recollect.context.starting_notes import branch_words, fit
from recollect.engine import Recollect
from recollect.observer.prediction import Predicted
from recollect.observer.signals.searches import normal_pattern
from recollect.vocabulary.memory import Counts, Memory
from tests.stores import StoreMaker

TASK = "Asked for: Make the login reject old tokens. Changed: `src/tokens.py`."


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def state(memory: Recollect, **extras: str) -> Memory:
    kept = memory.remember(TASK, type="work_state", files=["src/tokens.py"], confidence=0.9)
    return replace(kept, extras=extras)


@pytest.mark.parametrize(
    ("prompt", "branch", "told"),
    [
        ("Go on with the login", "main", True),
        ("continue", "main", True),
        ("What is left to do?", "main", True),
        ("Why is tokens.py so slow?", "main", True),
        ("The login should also reject revoked tokens", "main", True),
        ("Anything at all", "ann/login", True),
        ("", "main", True),
        ("Design a new logo for the website footer", "main", False),
        ("Write the docs of the parser", "main", False),
        ("Add a voucher", "ann/vouchers", False),
    ],
)
def test_where_work_stood_is_told_to_who_continues_it(
    memory: Recollect, prompt: str, branch: str, told: bool
) -> None:
    assert continues(prompt, branch, state(memory, branch="ann/login")) is told


def test_other_work_is_told_nothing(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(id="one", task="Mend the totals", root=tmp_path) as session:
        session.on_tool_call("Edit", {"file_path": str(tmp_path / "src/a.py")}, call="a")
        session.on_tool_result("Edit", {"file_path": str(tmp_path / "src/a.py")}, "", call="a")

    other = memory.session(id="two", root=tmp_path)
    assert other.opening("Design a new logo for the website footer") == ""
    assert "where an earlier session stood" in other.opening("Go on with the totals")


def test_a_file_is_told_if_it_is_near_the_work() -> None:
    assert Predicted("a.py", 5.0, "often", 2.5).is_told
    assert Predicted("a.py", 1.0, "named", 0.8, named=True).is_told
    assert not Predicted("a.py", 5.0, "often", 1.5).is_told


def test_a_note_is_said_once_to_who_is_new(stores: StoreMaker) -> None:
    first = stores.open(settings={"agent_patience": "600"})
    for text in ("Prefer tabs.", "Never commit to main.", "Tests run in Docker."):
        first.remember(text, type="preference", source="user_taught", visibility="project")
    first.add_member("ben", "member")
    session = first.within(user="ben").session()
    told = session.system_prompt()
    lines = [line.partition("] ")[2] for line in told.splitlines() if line.startswith("- [")]
    assert "you are new to this project" in told
    assert len(lines) == len(set(lines)) == 3


def test_notes_about_the_branch_and_of_use_come_first(memory: Recollect) -> None:
    lint = memory.remember("Run the linter before a commit.", type="preference")
    french = memory.remember("French docs use tu.", type="preference")
    for branch, first in (("feature/lint", lint), ("docs/french", french)):
        words = branch_words(branch)
        assert max((lint, french), key=lambda one: fit(one, words, "eve")) is first
    used, ignored = replace(lint, counts=Counts(citation=2)), replace(lint, counts=Counts(ignore=2))
    assert fit(used, (), "eve") > fit(lint, (), "eve") > fit(ignored, (), "eve")


def test_searches_keep_case_and_brackets() -> None:
    patterns = ["round_price(", "ROUND_PRICE(", "round_price", r"round_price\(", "[Rr]ound"]
    assert len({normal_pattern(one) for one in patterns}) == len(patterns)
    assert normal_pattern(r" \bround_price\b ") == "round_price"


def test_a_refused_file_is_not_needed_whatever_the_refusal_became(memory: Recollect) -> None:
    kinds = {"preference": "a.py", "gotcha": "b.py", "decision": "c.py"}
    for kind, path in kinds.items():
        memory.remember(
            f"The user said: “no, {kind} only”\nRefused: editing `{path}`.\nChanged: `other.py`.",
            type=kind,
            tags=["signal:refusal"],
            files=[path, "other.py"],
        )
    session = memory.session()

    refused = session._services.lookup.refused_files(session._who)

    assert refused == set(kinds.values())


def test_a_start_tells_of_files_that_the_work_will_need_before_other_wishes(
    memory: Recollect,
) -> None:
    wish, about, taught = (
        memory.remember(text, type="preference", source=source, confidence=0.95, files=files)
        for text, source, files in (
            ("Keep every checkout short.", "observer_inferred", []),
            ("Totals are integers.", "observer_inferred", ["src/cart.py"]),
            ("We deploy on Tuesdays.", "user_taught", []),
        )
    )
    session = memory.session()
    session.recorder.check_out("ann/checkout")

    def ordered(*ahead: str) -> list[Memory]:
        session._services = replace(session._services, foretell=lambda *_: ahead)
        return session.called_for([wish, about, taught])

    assert ordered() == [taught, wish, about]
    assert ordered("src/cart.py") == [taught, about, wish]
