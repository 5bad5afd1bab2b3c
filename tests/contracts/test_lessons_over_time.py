"""Lessons over several sessions, on every store: said again, replaced, made the project's."""

from datetime import timedelta

from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from tests.observer.acts import START, Story

PNPM = "please always use pnpm here"
#: Before the clock of the tests, so that memories are dated by when they were said.
FIRST = START - timedelta(days=365)
YARN = "we moved: please always use yarn here from now on, not pnpm"


def told(memory: Recollect, number: int, words: str, file: str = "src/cart.py") -> list[Memory]:
    """A session in which the user says these words after the agent's work; what it left."""
    story = Story(f"s{number}", FIRST + timedelta(days=number)).prompt("Add a voucher")
    story.bash("ls").answer("Done.").prompt(words).edit(file, "a", "b").answer("Right.")
    return list(memory.learning.learn(story.observed()).memories)


def stored(memory: Recollect, memory_id: str) -> Memory:
    found = memory.get(memory_id)
    assert isinstance(found, Memory)
    return found


def begins(memory: Recollect) -> str:
    """What a new session is told at its start."""
    return memory.session(task="Write the docs").system_prompt()


def test_a_lesson_of_several_sessions_is_one_memory_with_all_of_their_evidence(
    memory: Recollect,
) -> None:
    (kept,) = told(memory, 1, PNPM)
    assert told(memory, 2, "always use pnpm here, please", "src/other.py") == []
    assert told(memory, 3, "use pnpm, not npm") == []
    assert told(memory, 4, PNPM) == []

    now = stored(memory, kept.id)
    assert now.times_told == 4
    assert now.provenance.sessions == ("s1", "s2", "s3", "s4")
    assert now.importance > kept.importance
    assert (now.content, now.files) == (kept.content, kept.files)

    told(memory, 4, PNPM)
    assert stored(memory, kept.id).times_told == 4


def test_a_later_wish_takes_an_earlier_one_s_place_and_that_can_be_taken_back(
    memory: Recollect,
) -> None:
    (old,) = told(memory, 1, PNPM)
    (new,) = told(memory, 2, YARN)

    assert stored(memory, old.id).superseded_by == new.id
    ground = begins(memory)
    assert "yarn" in ground
    assert PNPM not in ground
    (decided,) = memory.contradictions.list(resolved=True).items
    assert (decided.a.id, decided.b.id) == (old.id, new.id)
    assert decided.note == "A later session says otherwise."

    memory.contradictions.reopen(decided.id)
    assert stored(memory, old.id).superseded_by is None
    both = begins(memory)
    assert both.index("yarn") < both.index(PNPM)
    assert "contradicts it" in both


def test_a_wish_that_a_person_confirmed_is_contradicted_and_not_replaced(
    memory: Recollect,
) -> None:
    (old,) = told(memory, 1, PNPM)
    memory.agents.confirm(old.id)
    (new,) = told(memory, 2, YARN)

    assert stored(memory, old.id).superseded_by is None
    (open_one,) = memory.contradictions.list().items
    assert {open_one.a.id, open_one.b.id} == {old.id, new.id}


def test_what_was_said_earlier_and_is_learned_later_replaces_nothing(memory: Recollect) -> None:
    (new,) = told(memory, 5, PNPM)
    (old,) = told(memory, 2, YARN)

    assert stored(memory, new.id).superseded_by is None
    assert stored(memory, old.id).superseded_by is None
    assert len(memory.contradictions.list().items) == 1


def test_one_person_s_wish_is_theirs_until_a_second_person_says_the_same(
    memory: Recollect,
) -> None:
    memory.add_member("ben")
    ben = memory.within(user="ben")
    (kept,) = told(memory, 1, PNPM)

    assert PNPM in begins(memory)
    assert PNPM not in begins(ben)
    assert PNPM not in ben.assemble(2_000, {"task": "install with pnpm"}).context
    install = {"command": "npm install"}
    assert "pnpm" in memory.session().command_context(install)
    assert "pnpm" not in ben.session().command_context(install)
    assert kept.id not in {one.id for one in ben.people.onboarding()}
    assert PNPM in stored(ben, kept.id).content  # whoever asks may read it, under its author's name

    assert told(ben, 2, "use pnpm, not npm") == []
    assert PNPM in begins(ben)


def test_a_second_person_or_a_steward_makes_a_wish_the_project_s(memory: Recollect) -> None:
    memory.add_member("ann")
    memory.add_member("ben")
    ann, ben = memory.within(user="ann"), memory.within(user="ben")
    (kept,) = told(ann, 1, PNPM)

    ann.agents.confirm(kept.id)
    assert PNPM in begins(ann)
    assert PNPM not in begins(ben)
    assert PNPM not in ann.agents.export_rules()

    assert [one.memory.id for one in memory.agents.wishes().items] == [kept.id]
    memory.agents.confirm(kept.id)
    assert PNPM in begins(ben)
    assert PNPM in ann.agents.export_rules()
    assert memory.agents.wishes().items == ()


def test_another_person_s_wish_is_contradicted_and_never_replaced(memory: Recollect) -> None:
    memory.add_member("ann")
    memory.add_member("ben")
    ann, ben = memory.within(user="ann"), memory.within(user="ben")
    (old,) = told(ann, 1, PNPM)
    (new,) = told(ben, 2, YARN)

    assert stored(ann, old.id).superseded_by is None
    assert YARN not in begins(ann)
    assert PNPM not in begins(ben)
    memory.agents.confirm(old.id)
    memory.agents.confirm(new.id)
    for agent, first in ((memory, YARN), (ann, PNPM), (ben, YARN)):  # one's own, else the newer
        begins(agent)  # a newcomer is welcomed once
        both = begins(agent)
        assert both.index(first) == min(both.index(YARN), both.index(PNPM))
        assert both.count("contradicts it") == 2


def test_what_a_session_found_out_is_the_project_s_at_once(memory: Recollect) -> None:
    memory.add_member("ben")
    story = Story("s1").prompt("Change the checkout")
    failed = "Exit code 1\nshop/cart.py:3:1: Use of print forbidden, use log (forbidigo)"
    story.edit("shop/cart.py").call("Bash", command="make lint").fail(failed)
    story.edit("shop/cart.py", "print(a)", "log(a)").bash("make lint")
    kept = memory.learning.learn(story.observed()).memories

    assert kept
    assert not any(tag.startswith("wish:") for one in kept for tag in one.tags)


def mended(number: int, *, after: str = "") -> Story:
    """A session that reads a page or none, mends a failure and writes a rule down."""
    story = Story(f"m{number}", FIRST + timedelta(days=number)).prompt("Fix the login")
    if after:
        story.call(after, url="https://example.org").result("a page")
    failed = "Exit code 1\nE   redis.exceptions.ConnectionError: REDIS_URL is not set"
    story.call("Bash", command="pytest -q").fail(failed)
    story.bash("REDIS_URL=redis://x pytest -q", "3 passed")
    rule = {"old_string": "", "new_string": "- Never edit generated files under src/gen by hand."}
    return story.call("Edit", "CLAUDE.md", **rule).result()


def test_what_is_found_after_outside_text_waits_until_a_session_shows_it_without(
    memory: Recollect,
) -> None:
    marked = memory.learning.learn(mended(1, after="WebFetch").observed()).memories

    assert {one.type for one in marked} == {MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT}
    for one in marked:
        assert one.needs_review
        assert one.provenance.outside == ("WebFetch",)
        assert "contaminated" in one.tags
    assert {one.memory.id for one in memory.agents.waiting().items} == {one.id for one in marked}
    clean = memory.learning.learn(mended(2).observed()).memories
    assert not any(one.provenance.outside for one in clean)
    assert {stored(memory, one.id).superseded_by for one in marked} == {one.id for one in clean}
