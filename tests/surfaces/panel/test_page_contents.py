"""What pages promise: scores with parts, evidence, validity, folding, suggestions, experts."""

import re
from datetime import UTC, datetime, timedelta

from recollect.engine import Recollect
from recollect.vocabulary.acts import ActKind
from tests.surfaces.panel.visitor import Visitor

REFUSALS = (
    "never edit generated files",
    "please use the helper instead of copying",
    "we always write tests for parsers",
)


def test_the_health_score_is_the_sum_of_its_parts(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("The mail job uses the PostgreSQL queue.", modules=["jobs"])
    memory.remember("Refunds are possible for two weeks.", modules=["orders"])
    memory.update(kept.id, needs_review=True)
    page = visitor.get("/")
    parts = [float(one) for one in re.findall(r'"right">([\d.]+) / \d+</td>', page.body)]
    score = re.search(r'class="score"><b>(\d+)</b>', page.body)
    assert score is not None
    assert len(parts) == 6
    assert abs(sum(parts) - int(score.group(1))) < 1.0
    assert "50 % not waiting for somebody to look" in page.text
    assert "waiting for review 1" in page.text
    for module in ("jobs", "orders"):
        assert f'href="/panel/memories?module={module}"' in page.body
    assert 'aria-label="1 memories, 0 verified"' in page.body  # the bars of coverage


def _session(memory: Recollect, *refusals: str) -> None:
    """A session of an agent whose edits were refused, which it learns from."""
    session = memory.session(id="one", agent="claude-code", task="Mend it")
    for number, words in enumerate(refusals):
        edit = {"file_path": f"part{number}.py"}
        session.on_tool_call("Edit", edit, call=f"c{number}")
        session.on_tool_failure("Edit", edit, words, call=f"c{number}", kind=ActKind.REFUSAL)
    session.finish()


def test_a_session_is_reviewed_with_its_evidence(memory: Recollect, visitor: Visitor) -> None:
    _session(memory, *REFUSALS)
    home = "/panel/sessions/one"
    page = visitor.get(home)
    assert "Evidence: 1 event" in page.text
    assert "never edit generated files" in page.text
    assert "Level 1, cautious" in visitor.get("/panel/sessions").text
    first, second, third = (one.memory for one in memory.agents.review("one").learned)
    visitor.press(home, act="confirm", id=first.id)
    visitor.press(home, act="correct", id=second.id, content="Use the helper.")
    rejected = visitor.press(home, act="reject", id=third.id)
    assert f'action="/panel/memories/{third.id}/restore"' in rejected.body  # undo
    said = {one.memory.id: one.decision for one in memory.agents.review("one").learned}
    assert [said[one.id] for one in (first, second)] == ["confirmed", "edited"]
    assert memory.agents.trust().rejected == 1
    assert visitor.press(home, act="guess").status == 422
    visitor.press(home, act="close")
    assert "done" in visitor.get("/panel/sessions").text


def test_less_trust_is_offered_and_not_forced(memory: Recollect, visitor: Visitor) -> None:
    _session(memory, *REFUSALS)
    memory.agents.set_trust(3)
    for one in memory.agents.review("one").learned:
        memory.agents.reject(one.memory.id)
    assert "Go down to level 2" in visitor.get("/panel/sessions/one").text
    assert memory.agents.trust().level == 3
    visitor.press("/panel/sessions/trust", level="2")
    assert memory.agents.trust().level == 2


def test_a_memory_is_shown_as_it_was_on_a_day(memory: Recollect, visitor: Visitor) -> None:
    begins = datetime.now(UTC) - timedelta(days=30)
    kept = memory.remember("Deploys are on Tuesdays.", valid_from=begins)
    memory.update(kept.id, valid_to=begins + timedelta(days=10))
    page = visitor.get(f"/panel/memories/{kept.id}")
    assert f"valid from {begins:%Y-%m-%d}" in page.body  # the name of the time line
    during = f"{begins + timedelta(days=5):%Y-%m-%d}"
    after = f"{begins + timedelta(days=20):%Y-%m-%d}"
    assert "1 shown" in visitor.get(f"/panel/memories?as_of={during}").text
    assert "Nothing matches." in visitor.get(f"/panel/memories?as_of={after}").text


def test_many_sources_fold_and_dead_ends_are_red(memory: Recollect, visitor: Visitor) -> None:
    memory.remember("A Redis mail queue lost mails.", type="dead_end")
    page = visitor.get("/panel/ask?q=mail+queue")
    assert "<details open" in page.body
    assert 'class="chip dead_end"' in page.body
    for what in ("retries", "priorities", "logs", "metrics", "tests", "alerts"):
        memory.remember(f"The mail queue has {what}.", repeats="keep")
    assert "<details open" not in visitor.get("/panel/ask?q=mail+queue").body


def test_known_answers_are_suggested_while_typing(memory: Recollect, visitor: Visitor) -> None:
    memory.record("Which queue do we use for mails?", stream="general", author="ada")
    event = memory.record("We use the PostgreSQL queue for mails.", stream="general", author="bob")
    memo = memory.workspace.save(event.id)
    body = visitor.get("/panel/suggestions?q=which+queue+do+we+use+for+mails").body
    assert f'href="/panel/knowledge/{memo.id}"' in body
    assert visitor.get("/panel/suggestions?q=who+likes+tea+and+cake").body.strip() == ""


def test_experts_come_with_what_they_said(memory: Recollect, visitor: Visitor) -> None:
    for author, text in (
        ("ada", "Which queue do we use for mails?"),
        ("bob", "We use the PostgreSQL queue for mails."),
        ("lin", "Lunch is at noon."),
    ):
        memory.record(text, stream="general", author=author)
    page = visitor.get("/panel/knowledge?subject=which+queue+for+mails").text
    assert "bob answered 1" in page
    assert "We use the PostgreSQL queue for mails." in page
    assert "answered 0, cited 0" not in page  # nobody is named who never answered


def test_served_tells_tokens_and_agents_apart_from_questions(
    memory: Recollect, visitor: Visitor
) -> None:
    memory.tokens.create(user="grace", name="laptop")
    memory.recall("which queue?")
    _session(memory, "never edit generated files")
    text = visitor.get("/panel/served").text
    asked, _, told = text.partition("What agents were told without asking")
    given, _, access = told.partition("Who has access, by which token")
    assert "which queue?" in asked
    assert "Mend it claude-code" in given
    assert re.search(r"grace rcl_[\w-]+… laptop member", access)
