"""Predicting files: from the past only, by what sessions, commits and names say."""

import json
import random
from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.observer.evaluation import scored
from recollect.observer.facts import facts_of, kept
from recollect.observer.file_figures import Beginning, figures
from recollect.observer.history import History
from recollect.observer.names import is_test, likeness, stem, twins, words
from recollect.observer.prediction import SETS, predict, weights
from recollect.observer.replay import commits_of, questions, sessions_of
from recollect.vocabulary.acts import Act
from tests.observer.acts import START, Story

PATHS = [f"{folder}/{name}.go" for folder in ("api", "db") for name in ("a", "b", "b_test", "c")]


def played(number: int, *paths: str, prompt: str = "work", branch: str = "") -> list[Act]:
    story = Story(f"s{number}", START + timedelta(days=number), branch).prompt(prompt)
    for path in paths:
        story.edit(path)
    return story.acts


def told(*sessions: list[Act]) -> History:
    history = History()
    for acts in sessions:
        for act in acts:
            history.hear(act)
    return history


def test_files_of_like_sessions_come_first() -> None:
    history = told(
        played(1, "api/a.go", "db/b.go", "db/c.go"),
        played(2, "api/a.go", "db/b.go", "db/c.go"),
        played(3, "ui/x.ts", "ui/y.ts"),
    )

    found = predict(history, ["api/a.go", "db/b.go"], START + timedelta(days=9))

    assert found[0].path == "db/c.go"
    assert "api/a.go" not in [one.path for one in found]


def test_the_prompt_speaks_for_the_files_it_names() -> None:
    history = told(played(1, "api/a.go", "db/b.go"), played(2, "api/a.go", "api/status.go"))
    now = START + timedelta(days=400)

    first = predict(history, ["api/a.go"], now, "fix api/status.go")[0]

    assert first.path == "api/status.go"


def test_commits_and_twins_help_where_no_session_was() -> None:
    history = History()
    history.commit(START, ["api/a.go", "api/a_test.go", "docs/api.md"])
    history.commit(START, ["other/x.go", "other/y.go"])

    found = [one.path for one in predict(history, ["api/a.go"], START + timedelta(days=1))]

    assert found[:2] == ["api/a_test.go", "docs/api.md"]


def test_a_branch_speaks_for_the_files_of_its_sessions_and_of_its_name() -> None:
    history = told(
        played(1, "ui/x.ts", "ui/y.ts", branch="ann/dark-mode"),
        *(played(number, "api/a.go", "db/b.go", branch="main") for number in (2, 3, 4)),
        played(5, "billing/invoice.go", branch="main"),
    )
    now = START + timedelta(days=6)

    again = predict(history, [], now, "go on", branch="ann/dark-mode")
    named = predict(history, [], now, "go on", branch="bob/fix-invoice-sum")
    common = predict(history, [], now, "go on", branch="main")

    assert {again[0].path, again[1].path} == {"ui/x.ts", "ui/y.ts"}
    assert named[0].path == "billing/invoice.go"
    assert common == predict(history, [], now, "go on")


def test_what_is_foretold_when_nothing_is_known_but_the_past() -> None:
    history = told(played(1, "api/a.go", "db/b.go"), played(2, "db/b.go"))

    assert predict(history, [], START + timedelta(days=3))[0].path == "db/b.go"
    assert predict(History(), [], START, "anything") == []


def test_a_session_s_branches_are_kept_with_its_facts() -> None:
    story = Story("s1", branch="ann/dark-mode").prompt("go").edit("ui/x.ts")
    facts = story.observed().facts()

    assert facts.branches == ("ann/dark-mode",)
    assert facts_of("s1", facts.started_at, kept(facts)) == facts
    older = {name: value for name, value in kept(facts).items() if name != "branches"}
    assert facts_of("s1", facts.started_at, older).branches == ()


def test_every_set_of_weights_weighs_all_its_figures() -> None:
    assert {name: set(weights(name)) for name in SETS} == {
        name: set(columns) for name, columns in SETS.items()
    }


@given(
    st.lists(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6), max_size=8),
    st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True),
    st.text(max_size=40),
    st.text(max_size=20),
)
def test_figures_are_shares_and_seeds_are_no_candidates(
    sessions: list[list[str]], seeds: list[str], prompt: str, branch: str
) -> None:
    acts = [played(number, *paths, branch=branch) for number, paths in enumerate(sessions)]
    beginning = Beginning(START + timedelta(days=99), tuple(seeds), prompt, branch)

    table = figures(told(*acts), beginning)

    assert not set(seeds) & set(table)
    assert all(-1e-9 <= value <= 1 + 1e-9 for row in table.values() for value in row.values())


def test_a_question_knows_nothing_that_came_later() -> None:
    chance = random.Random(7)
    acts = [
        act
        for number in range(12)
        for act in played(number, *chance.sample(PATHS, 4), prompt=f"task {number}")
    ]
    sessions = sessions_of(acts)
    commits = [
        (START + timedelta(days=day, hours=5), ("late/z.go", f"c{day}.go")) for day in range(12)
    ]

    seen = [
        (question.session.name, sorted(question.history.files()), len(question.history.sessions))
        for question in questions(sessions, commits)
    ]

    assert seen[0] == ("s0", [], 0)
    for place, (name, files, count) in enumerate(seen):
        assert (name, count) == (f"s{place}", place)
        assert f"c{place}.go" not in files
    later = [question.session.name for question in questions(sessions, [], sessions[8].begins)]
    assert later == ["s9", "s10", "s11"]


def test_a_session_that_overlaps_tells_only_what_it_did_before() -> None:
    long = played(1, "api/a.go", "api/b.go", "api/c.go")
    slow = [*long[:3], *(_later(act, timedelta(hours=9)) for act in long[3:])]
    short = [_later(act, timedelta(hours=1)) for act in played(1, "db/a.go", "db/b.go", "db/c.go")]
    short = [Act("s2", act.step, act.kind, act.at, tool=act.tool, paths=act.paths) for act in short]

    (_, question) = questions(sessions_of([*slow, *short]), [])

    assert question.session.name == "s2"
    assert question.history.files() == {"api/a.go"}


def test_scores_of_a_small_world(tmp_path: Path) -> None:
    commit = {"sha": "x", "committed_at": START.isoformat(), "files": ["api/a.go", "db/b.go"]}
    (tmp_path / "commits.jsonl").write_text(json.dumps(commit) + "\nbroken\n")
    acts = [act for number in range(5) for act in played(number, "api/a.go", "db/b.go", "db/c.go")]
    refused = Story("s9", START + timedelta(days=9)).call("Edit", "api/a.go").refuse("never do it")

    result = scored(
        sessions_of([*acts, *refused.acts]), commits_of(tmp_path), None, lambda *_: None
    )

    assert result["files_recall_at_10"] == 0.8  # the first session has no past
    assert result["files_to_find"] == 5
    assert (result["refusals"], result["refusals_captured"]) == (1, 1)
    assert set(result["observe_us"]) == {"p50", "p99"}
    assert result["signals"]["refusal"]["promoted"] == 1
    assert result["signals"]["co_access"]["promoted"] == 0  # they always change together: no news
    assert result["faults"] == 0


def test_names() -> None:
    assert words("SaveTaskCheckpoint(ctx) in the strategies") == [
        "save",
        "task",
        "checkpoint",
        "ctx",
        "strategie",
    ]
    assert stem("a/user_test.go") == stem("a/user.go") == "user"
    assert twins("a/user_test.go", "a/user.go")
    assert not twins("a/user.go", "b/user.go")
    assert likeness("a/user_state.go", "b/user_store.go") > 0
    assert is_test("tests/x.py")
    assert not is_test("src/latest.py")


def _later(act: Act, by: timedelta) -> Act:
    return Act(act.session, act.step, act.kind, act.at + by, act.text, act.tool, paths=act.paths)
