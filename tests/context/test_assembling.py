"""Context under a budget: never over it, each memory once, and what belongs into each tier."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect.context.memory_lookup import may_be_given, may_be_told
from recollect.context.planner import bearing, telling_of_failure
from recollect.engine import Recollect
from recollect.inference.tokens import count_tokens, family_of
from recollect.recall.tier_packing import TierItem, TierPacker, form_of
from recollect.trust.quoted_text import UNCONFIRMED, marks_of
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.assembly import SHARES, Level, Tier, WorkActivity, signals_of
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.errors import NotFound, RecollectError
from recollect.vocabulary.memory import Memory, Provenance
from recollect.vocabulary.memory_types import MemoryType, Source
from tests.clocks import START, TickingClock

FILE = "src/auth/login.ts"
ERROR = "TypeError: Cannot read property 'exp' of undefined"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """A project with something for every tier; nobody writes to it."""
    path = tmp_path_factory.mktemp("store") / "memory.db"
    with recollect.open(path, user="ada", worker=False, clock=TickingClock()) as memory:
        memory.add_member("bob", "member")
        memory.remember("Sessions replace JWT since the refactor.", type="decision", files=[FILE])
        memory.remember(
            "The token check used the wrong timezone.",
            type="error_pattern",
            files=["src/auth/tokens.ts"],
            extras={"error": ERROR, "fix": "normalise to UTC"},
        )
        memory.remember("The release train leaves on Tuesday.")
        memory.remember("The release train leaves on Friday.")
        memory.within(user="bob").remember("I want small commits.", type="preference")
        memory.remember("Handlers return typed results.", type="pattern")
        memory.remember("The auth module was split in March.", type="episode")
        for number in range(20):
            memory.remember(f"Invoice layout {number} has {number + 3} columns.", repeats="keep")
        memory.work(600)
        yield memory


def tier_of(memory: Recollect, words: str, **signals: Any) -> str | None:
    """The tier in which something stands."""
    found = memory.assemble(8_000, signals)
    texts = {one.id: memory.expand(one.id)[0].content for one in found.entries}
    return next((one.tier.value for one in found.entries if words in texts[one.id]), None)


def test_each_thing_stands_in_its_tier(project: Recollect) -> None:
    signals = {"current_file": FILE, "recent_errors": [ERROR], "activity": "debugging"}
    assert tier_of(project, "Sessions replace", **signals) == "critical"
    assert tier_of(project, "wrong timezone", **signals) == "critical"
    assert tier_of(project, "on Tuesday", **signals) == "critical"
    assert tier_of(project, "on Friday", **signals) == "critical"
    assert tier_of(project, "small commits", collaborators=["bob"]) == "relevant"
    assert tier_of(project, "typed results") == "background"
    assert tier_of(project, "split in March") == "background"
    assert tier_of(project, "Invoice layout 7 ") == "index"


def test_error_comes_with_what_helped(project: Recollect) -> None:
    text = project.assemble(8_000, {"recent_errors": [ERROR]}).context
    assert "What helped: normalise to UTC" in text
    assert "ada (agent explicit)" in text


def test_failure_was_met_before_only_where_its_own_words_are_told() -> None:
    error = "Exit code 1\nsrc/auth/login.ts:26: undefined: sessions (typecheck)\nlogin build failed"
    place = _memory(1, "The user said of src/auth/login.ts: login build needs sessions.")
    told = _memory(2, "An undefined name in a typecheck means that the build lost an import.")
    language = [_memory(number, f"Sessions of login {number}.") for number in range(10, 40)]
    assert telling_of_failure([place, told], error, [place, told, *language]) == {told.id}


def test_failure_was_met_before_where_a_note_holds_its_message() -> None:
    noted = "error is not nil (line 7) but it returns nil"
    told = _memory(1, "The linter wants errors passed on.", extras={"error": noted})
    short = _memory(2, "Something else.", extras={"error": "returns nil"})
    error = "src/a.go:12: error is not nil (line 1002) but it returns nil (nilerr)"
    assert telling_of_failure([told, short], error, [told, short]) == {told.id}


@pytest.mark.parametrize(
    ("message", "bears"),
    [
        ("the price-list loses a trailer when an invoice is amended", True),
        ("briefly explain the filter in README.md", False),  # every project has a README
        ("can we talk once more through this, a little text during the day", False),
        ("invoice please", False),
        ("why?\n12:30:01 a\n12:30:02 b\n12:30:03 price-list: trailer, invoice amended", False),
    ],
)
def test_a_note_bears_on_a_prompt_by_the_project_s_own_words(message: str, bears: bool) -> None:
    note = _memory(
        1, "Written into README.md: an amended invoice keeps its trailer in the price-list, once."
    )
    others = [_memory(number, f"A gardener waters bed {number}.") for number in range(10, 40)]

    assert (bearing([note], message, [note, *others]) == [note]) is bears


def test_notes_of_files_that_follow_do_not_crowd_out_those_of_the_file_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        own = memory.remember("Reset its cache.", type="gotcha", files=[FILE], importance=0.1)
        for number in range(90):
            memory.remember(
                f"Module note {number} about the invoice.",
                type="gotcha",
                files=[f"src/auth/part{number}.ts"],
                importance=0.9,
                repeats="keep",
            )
        following = [f"src/auth/part{number}.ts" for number in range(90)]
        predictor = memory._services.agents().assembler.predictor
        monkeypatch.setattr(predictor, "foretell", lambda *_: following)
        found = memory.assemble(8_000, {"current_file": FILE})
        tiers = {one.id: one.tier for one in found.entries}
        assert tiers[own.id] is Tier.CRITICAL


def test_what_is_of_the_module_at_hand_comes_first(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        for name, weight in (("billing", 0.9), ("auth", 0.2)):
            memory.remember(
                f"Handlers of {name} return typed results.",
                type="pattern",
                files=[f"src/{name}/handlers.ts"],
                modules=[f"src/{name}"],
                importance=weight,
                repeats="keep",
            )
        first = {
            name: next(
                one.id
                for one in memory.assemble(8_000, {"files": [f"src/{name}/x.ts"]}).entries
                if one.tier in (Tier.RELEVANT, Tier.BACKGROUND)
            )
            for name in ("auth", "billing")
        }
        for name, memory_id in first.items():
            assert name in memory.expand(memory_id)[0].content


def test_index_names_what_expand_opens(project: Recollect) -> None:
    found = project.assemble(8_000)
    named = next(one for one in found.entries if one.tier is Tier.INDEX)
    assert f"[{named.id[-8:]}]" in found.context
    (opened,) = project.expand(named.id[-8:])
    assert opened.id == named.id
    with pytest.raises(NotFound):
        project.expand("zzzzzzzz")


@pytest.mark.parametrize("budget", [0, 1, 50, 120, 700, 8_000, 10_000_000])
@pytest.mark.parametrize("model", [None, "gpt-4", "claude-opus-5"])
def test_never_over_the_budget_and_each_once(
    project: Recollect, budget: int, model: str | None
) -> None:
    found = project.assemble(budget, {"task": "mend the login", "current_file": FILE}, model=model)
    family = "o200k" if model is None else family_of(model)
    assert found.token_count == (count_tokens(found.context, family) if found.context else 0)
    assert found.token_count <= budget
    ids = [one.id for one in found.entries]
    assert len(ids) == len(set(ids))
    assert not set(ids) & {one.id for one in found.left_out}
    assert all(one.reason for one in found.left_out)
    if budget == 10_000_000:
        assert not found.left_out


def test_shares_follow_the_activity() -> None:
    assert SHARES[WorkActivity.CODING] == (0.25, 0.375, 0.25, 0.125)
    assert SHARES[WorkActivity.DEBUGGING] == (0.375, 0.3125, 0.1875, 0.125)
    assert all(sum(shares) == 1 for shares in SHARES.values())


@pytest.mark.parametrize(
    "signals",
    [
        {"nonsense": 1},
        {"activity": "sleeping"},
        {"current_file": 3},
        {"files": {"a": 1}},
        {"recent_errors": [None, 4]},
        {"task": 4},
        "debugging",
        {"collaborators": ["\x00"]},
    ],
)
def test_signals_that_make_no_sense_are_refused(project: Recollect, signals: Any) -> None:
    with pytest.raises(RecollectError):
        project.assemble(8_000, signals)
    with pytest.raises(RecollectError):
        project.predict(signals)


@pytest.mark.parametrize("budget", [-1, 10_000_001, 1.5, "8000", None, True])
def test_budgets_that_make_no_sense_are_refused(project: Recollect, budget: Any) -> None:
    with pytest.raises(RecollectError):
        project.assemble(budget)


def test_personal_against_team_shows_both(tmp_path: Path) -> None:
    clock = TickingClock()
    with recollect.open(tmp_path / "a.db", user="ada", worker=False, clock=clock) as memory:
        memory.remember("The indentation of Python files is 4 spaces.")
        memory.remember(
            "The indentation of Python files is 2 spaces.", visibility="personal", repeats="keep"
        )
        (known,) = memory.contradictions.list().items
        assert "2 spaces" not in memory.assemble(8_000).context
        text = memory.assemble(8_000, personal=True).context
        line = next(line for line in text.splitlines() if known.id in line)
        assert line.index("personal to ada") < line.index("| against: ") < line.index("project,")
        assert "4 spaces" in line
        assert "2 spaces" in line
        memory.chat.set(memory_enabled=False)
        assert memory.assemble(8_000).context == ""


def test_own_words_that_wait_for_review_are_given_only_when_asked_for() -> None:
    waiting = replace(
        _memory(1, "No retries in the mail queue."),
        confidence=0.5,
        needs_review=True,
        tags=("signal:correction",),
        provenance=Provenance(Source.OBSERVER_INFERRED, "ada"),
    )
    outside = replace(waiting, provenance=replace(waiting.provenance, outside=("web:a.example",)))
    unspoken = replace(waiting, tags=("signal:diagnosis",))
    level = TrustLevel.CAUTIOUS
    assert may_be_given(waiting, level, START)
    assert UNCONFIRMED in marks_of(waiting)
    assert not may_be_told(waiting, level, START)
    assert not may_be_given(outside, level, START)
    assert not may_be_given(unspoken, level, START)
    assert not may_be_given(replace(waiting, archived_at=START), level, START)


def test_own_words_that_wait_are_found_for_a_task_short_and_marked_in_every_tier(
    tmp_path: Path,
) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        waiting = [
            memory.remember(
                turn,
                type="decision",
                source="observer_inferred",
                confidence=0.1,
                needs_review=True,
                tags=["signal:correction"],
                files=[FILE] if not number else [],
                repeats="keep",
            ).id
            for number, turn in enumerate(
                (
                    "the mail queue drains before a release",
                    "Ana signs the invoices by hand",
                    "search results come in pages of forty",
                    "the old trailer went away with the release of March",
                    "colours of buttons follow the theme",
                    "backups lie in another country",
                )
            )
        ]
        memory.work(600)
        task = "drain the mail queue before the release"
        for budget in (300, 8_000):
            found = memory.assemble(budget, {"task": task, "current_file": FILE})
            given = [one for one in found.entries if one.id in waiting]
            assert waiting[0] in {one.id for one in given}
            assert len(given) == len(waiting)
            assert {one.tier for one in given}.isdisjoint({Tier.CRITICAL})
            assert all(one.level in (Level.COMPRESSED, Level.INDEX) for one in given)
            lines = [line for line in found.context.splitlines() if line.startswith("- ")]
            assert len(lines) == len(given)
            assert all(UNCONFIRMED in line for line in lines)
        memory.update(waiting[0], user_verified=True)
        found = memory.assemble(8_000, {"task": task, "current_file": FILE})
        assert next(one.tier for one in found.entries if one.id == waiting[0]) is Tier.CRITICAL


def test_notes_on_the_likeliest_files_are_predicted_before_more_important_ones(
    tmp_path: Path,
) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        ahead = [f"src/shop/part{number}.ts" for number in range(40)]
        for place, count, importance in ((0, 5, 0.1), (12, 20, 0.5), (30, 200, 0.9)):
            for number in range(count):
                memory.remember(
                    f"Note {number} on part {place} names column {number * 7 + place}.",
                    type="gotcha",
                    files=[ahead[place]],
                    importance=importance,
                    repeats="keep",
                )
        predictor = memory._services.agents().assembler.predictor
        predictor.foretell = lambda *_: ahead
        signals = {"current_file": FILE}
        found = memory.predict(signals).predicted_memories
        order = [one.memory.files[0] for one in found]
        assert order[:25] == [ahead[0]] * 5 + [ahead[12]] * 20
        assert set(order[25:]) == {ahead[30]}
        assert len(order) == 80
        first, again = (memory.assemble(8_000, signals) for _ in range(2))
        assert first.context == again.context
        later = [one for one in first.entries if one.reason == "about files that often follow"]
        assert later
        assert {one.tier for one in later} == {Tier.BACKGROUND}


def test_only_wishes_about_answers_lead(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        memory.chat.add("I am allergic to peanuts.")
        memory.chat.add("Always answer me in short sentences.")
        found = memory.assemble(8_000, {"task": "mend the billing"})
        texts = {memory.expand(one.id)[0].content: one.tier for one in found.entries}
        assert texts == {"Always answer me in short sentences.": Tier.CRITICAL}
        found = memory.assemble(8_000, {"task": "mend the billing"}, personal=True)
        assert "allergic to peanuts" in found.context


def test_a_personal_memory_is_in_a_context_only_where_it_is_asked_for(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        memory.chat.hear("I was diagnosed with diabetes in May.")
        memory.remember("My salary is 60k.", visibility="personal", files=[FILE], pinned=True)
        memory.remember("Salaries are paid by make pay.", files=[FILE])
        signals = {"task": "my salary and my diabetes", "current_file": FILE}
        for budget in (40, 100, 600, 8_000):
            found = memory.assemble(budget, signals)
            said = f"{found.context} {found.left_out}"
            assert "60k" not in said
            assert "diabetes" not in said
        found = memory.assemble(8_000, signals, personal=True)
        assert "60k" in found.context
        assert "diabetes" in found.context
        with pytest.raises(RecollectError):
            memory.assemble(8_000, signals, personal="yes")  # type: ignore[arg-type]


def test_many_personal_memories_crowd_no_note_out(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        note = memory.remember("Handlers return typed results.", importance=0.1)
        for number in range(320):
            memory.remember(
                f"My aunt number {number} has {number + 3} hens.",
                visibility="personal",
                importance=1.0,
                repeats="keep",
                source="user_taught",
            )
        assert [one.id for one in memory.assemble(8_000).entries] == [note.id]
        memory.update(note.id, user_verified=True)
        memory.update(note.id, importance=0.1)
        assert "typed results" in memory.agents.export_rules()
        assert "hens" not in memory.agents.export_rules()


def test_in_a_personal_space_nothing_is_left_out(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        diary = memory.within(space="diary", kind="personal")
        diary.remember("My salary is 60k.")
        assert "60k" in diary.assemble(8_000, {"task": "my salary"}).context


def test_research_counts_the_memo_that_answers_again(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        memory.record("We deploy billing with make ship.", stream="ops", author="bob")
        for _ in range(2):
            answer = memory.research("how do we deploy billing?")
        (memo,) = answer.memo_hits
        counted = memory.uses(memo)["research"]
        assert (counted.served, counted.cited) == (1, 1)


def test_a_thousand_contradictions_crowd_nothing_out() -> None:
    pairs = [_memory(number, f"Host {number // 2} has port {number}.") for number in range(2_000)]
    items = [
        TierItem(
            (a, b),
            Tier.CRITICAL,
            "contradicts",
            partial(_both, a, b),
            group="contradictions",
            most=0.5,
        )
        for a, b in zip(pairs[::2], pairs[1::2], strict=True)
    ]
    wanted = _memory(5_000, "Sessions replace JWT.")
    items.append(_item(wanted, Tier.CRITICAL))
    packed = TierPacker(2_000, SHARES[WorkActivity.CODING], count_tokens).pack(items)
    assert packed.tokens <= 2_000
    assert wanted.id in {one.id for one in packed.entries}
    assert len(packed.entries) + len(packed.left_out) == 2_001
    assert {one.reason for one in packed.left_out} == {"does not fit the budget"}


def test_contradictions_get_the_room_that_others_leave(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        for name in ("invoice", "mail", "search", "backup", "report"):
            for port in (8080, 9090):
                memory.remember(f"The {name} service listens on port {port}.")
        known = memory.contradictions.list().items
        assert len(known) == 5
        found = memory.assemble(1_500)
        assert all(one.id in found.context for one in known)
        assert {one.tier for one in found.entries} == {Tier.CRITICAL}
        assert found.token_count <= 1_500
        few = memory.assemble(400)
        assert 0 < sum(one.id in few.context for one in known) < 5
        assert few.token_count <= 400


def test_of_many_open_contradictions_those_about_the_file_at_hand_are_shown(
    memory: Recollect,
) -> None:
    about = [
        memory.remember(f"The login service listens on port {port}.", files=[FILE])
        for port in (8080, 9090)
    ]
    for name in "alder birch cedar elm fir hazel larch maple oak pine rowan willow yew".split():
        for what in ("mail", "search"):
            for port in (8080, 9090):
                memory.remember(f"The {name} {what} service listens on port {port}.")
    (wanted,) = memory.contradictions.list(memory=about[0].id).items
    assert wanted.id not in memory.assemble(8_000).context, "newer ones come first"
    found = memory.assemble(8_000, {"current_file": FILE})
    assert found.open_contradictions > 20
    lines = [line for line in found.context.splitlines() if "contradiction con_" in line]
    assert len(lines) == 16
    assert wanted.id in lines[0]
    small = memory.assemble(1_200, {"current_file": FILE})
    assert wanted.id in small.context
    assert small.token_count <= 1_200


def test_memory_larger_than_the_budget_is_shortened_or_named() -> None:
    large = _memory(1, f"The ledger rounds to cents. {'It goes on and on. ' * 3_000}")
    items = [_item(large, Tier.CRITICAL)]
    told = TierPacker(300, SHARES[WorkActivity.CODING], count_tokens).pack(items)
    assert [one.level for one in told.entries] == [Level.SUMMARY]
    assert told.tokens <= 300
    assert "The ledger rounds to cents." in told.text
    none = TierPacker(30, SHARES[WorkActivity.CODING], count_tokens).pack(items)
    assert (none.text, none.tokens, none.entries) == ("", 0, ())
    assert [(one.id, one.reason) for one in none.left_out] == [
        (large.id, "does not fit the budget")
    ]


def _both(a: Memory, b: Memory, _level: Level, _told: Collection[str]) -> str:
    return f"- {a.content} | {b.content}"


def _memory(number: int, content: str, extras: dict[str, Any] | None = None) -> Memory:
    return Memory(
        f"mem_{number:026}",
        "spc",
        MemoryType.FACT,
        content,
        0.8,
        0.5,
        Audience("ada", Visibility.PROJECT),
        Provenance(Source.USER_TAUGHT, "ada"),
        START,
        START,
        START,
        extras=extras or {},
    )


def _item(one: Memory, tier: Tier) -> TierItem[Memory]:
    return TierItem((one,), tier, "why", lambda level, _: f"- {form_of(one, level)}")


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 3_000),
    st.sampled_from(list(WorkActivity)),
    st.lists(
        st.tuples(st.sampled_from(list(Tier)), st.text(max_size=60), st.integers(1, 300)),
        max_size=40,
    ),
)
def test_packing_holds_for_any_texts(
    budget: int, activity: WorkActivity, given_texts: list[tuple[Tier, str, int]]
) -> None:
    kept = [
        (tier, _memory(number, f"{text}. {'word ' * length}"))
        for number, (tier, text, length) in enumerate(given_texts)
    ]
    repeated = [*kept, *[(Tier.INDEX, one) for _, one in kept]]
    items = [_item(one, tier) for tier, one in repeated]
    packed = TierPacker(budget, SHARES[activity], count_tokens).pack(items)
    assert packed.tokens <= budget
    assert packed.tokens == (count_tokens(packed.text) if packed.text else 0)
    told = [one.id for one in packed.entries]
    assert len(told) == len(set(told))
    assert set(told) | {one.id for one in packed.left_out} == {one.id for _, one in kept}
    assert all(
        one.tier in (Tier.CRITICAL, Tier.RELEVANT) or one.level is not Level.FULL
        for one in packed.entries
    )


def test_predictions_come_true_and_are_counted(tmp_path: Path) -> None:
    clock = TickingClock()
    with recollect.open(tmp_path / "a.db", user="ada", worker=False, clock=clock) as memory:
        told = memory.remember("The login cookie is signed twice.", type="gotcha", files=[FILE])
        other = memory.remember("Bob prefers tabs.", type="preference")
        signals = {"current_file": FILE, "collaborators": ["ada"]}
        first = memory.predict(signals)
        assert {one.memory.id for one in first.predicted_memories} == {told.id, other.id}
        memory.recall("how is the login cookie signed?", kinds="memory", limit=1)
        figures = memory.stats()["predictions"]
        assert figures["file_opened"]["used"] == 1
        assert figures["collaborator_joined"] == {
            "predicted": 1,
            "used": 0,
            "pending": 1,
            "accuracy": None,
        }
        clock.now += timedelta(days=2)
        figures = memory.stats()["predictions"]
        assert figures["file_opened"]["accuracy"] == 1.0
        assert figures["collaborator_joined"]["accuracy"] == 0.0
        assert memory.predict(signals).confidence != first.confidence


def test_routine_of_the_hour_is_predicted(tmp_path: Path) -> None:
    clock = TickingClock()
    with recollect.open(tmp_path / "a.db", user="ada", worker=False, clock=clock) as memory:
        kept = memory.remember("The morning report is built by make report.")
        for _ in range(3):
            memory.recall("how is the morning report built?", kinds="memory")
            clock.now += timedelta(days=1)
        memory.retrievals()
        (found,) = memory.predict().predicted_memories
        assert (found.memory.id, found.signal.value) == (kept.id, "time_of_day")
        clock.now += timedelta(hours=7)
        assert memory.predict().predicted_memories == ()


def test_session_counts_what_became_of_what_it_was_told(tmp_path: Path) -> None:
    with recollect.open(
        tmp_path / "a.db", user="ada", worker=False, settings={"agent_patience": "60"}
    ) as memory:
        kept = {
            name: memory.remember(text, source="user_taught", **fields).id
            for name, text, fields in (
                ("cited", "Handlers return typed results.", {"type": "pattern"}),
                ("edited", "Login keeps its own clock.", {"type": "gotcha", "files": [FILE]}),
                ("against", "Never run `npm install` here; use pnpm.", {"type": "preference"}),
            )
        }
        with memory.session(task="mend the login", agent="test") as session:
            session.system_prompt()
            session.on_tool_call("Edit", {"file_path": FILE}, call="1")
            session.on_message(f"As [Memory #{kept['cited'][-8:]}: typed results] says.")
            session.on_message(f"Again [pattern {kept['cited'][-8:]}].")
            session.on_tool_call("Bash", {"command": "npm install left-pad"}, call="2")
        uses = {name: memory.uses(one)["agents"] for name, one in kept.items()}
        assert [uses[name].served for name in kept] == [1, 1, 1]
        assert [uses[name].cited for name in kept] == [1, 0, 0]
        assert uses["edited"].edited == 1
        assert uses["against"].ignored == 1
        assert memory.expand(kept["cited"])[0].counts.citation == 1
        assert memory.expand(kept["against"])[0].counts.ignore == 1
        assert memory.stats()["uses"]["agents"].cited == 1


def test_chat_counts_what_the_assistant_cites(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", user="ada", worker=False) as memory:
        entry = memory.chat.add("I live in Lyon.").entry
        assert entry is not None
        memory.chat.ask("where do I live?")
        said = f"You live in Lyon [Memory #{entry.id}: Lyon] and not in [fact zzzzzzzz]."
        memory.chat.hear(said, speaker="assistant")
        counted = memory.uses(entry.id)["chat"]
        assert (counted.served, counted.cited) == (1, 1)


def test_signals_may_be_given_whole() -> None:
    made = signals_of({"current_file": "a.py", "files": ["a.py", "b.py"], "activity": "reviewing"})
    assert made.all_files == ("a.py", "b.py")
    assert signals_of(made) == made
