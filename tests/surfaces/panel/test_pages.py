"""Every page answers, full and empty, in both languages, with scripts and without."""

import re
from contextlib import suppress
from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.surfaces.panel.panel import PAGES
from recollect.surfaces.panel.renderer import asset
from recollect.vocabulary.errors import InvalidText, Quarantined
from tests.surfaces.panel.hostile_texts import HOSTILE
from tests.surfaces.panel.visitor import Visitor

PATHS = [
    "/",
    *(
        route.path
        for page in PAGES
        for route in page.ROUTES
        if route.method == "GET" and "{" not in route.path and route.path != "/"
    ),
]
DOWNLOADS = {
    "/panel/suggestions",
    "/panel/personal/export",
    "/panel/personal/audit",
    "/panel/personal/entries",
}
READ = [path for path in PATHS if path not in DOWNLOADS]


@pytest.fixture
def filled(memory: Recollect) -> Recollect:
    """A memory in which every page has something to show."""
    memory.record("Which queue do we use?", stream="backend", author="ada")
    event = memory.record("We use the PostgreSQL queue.", stream="backend", author="ada")
    kept = memory.remember(
        "The mail job uses the PostgreSQL queue.",
        type="decision",
        events=[event.id],
        modules=["jobs"],
        files=["jobs/mail.py"],
        tags=["queue"],
    )
    memory.update(kept.id, needs_review=True)
    memory.remember("Caching rates for a day broke invoices.", type="dead_end")
    memory.chat.hear("I am vegetarian.")
    memory.recall("which queue?")
    return memory


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_page_answers_empty_and_full(
    memory: Recollect, visitor: Visitor, language: str
) -> None:
    visitor = Visitor(visitor.port, language=language)
    for path in READ:
        got = visitor.get(path)
        assert got.status == 200, path
        assert f'<html lang="{language}">' in got.body
    memory.remember("The mail job uses the PostgreSQL queue.", type="decision")
    for path in READ:
        assert visitor.get(path).status == 200, path


def test_pages_show_what_is_kept(filled: Recollect, visitor: Visitor) -> None:
    home = visitor.get("/").text
    assert "waiting for review" in home
    assert "The mail job uses the PostgreSQL queue." in home
    browse = visitor.get("/panel/memories").text
    assert "Caching rates for a day broke invoices." in browse
    one = filled.list(type="decision").items[0]
    page = visitor.get(f"/panel/memories/{one.id}").text
    assert "We use the PostgreSQL queue." in page  # its evidence
    assert "jobs/mail.py" in page
    assert "which queue?" in visitor.get("/panel/served").text
    assert "I am vegetarian." in visitor.get("/panel/personal").text
    assert "Which queue do we use?" in visitor.get("/panel/streams/backend").text
    event = filled.read("backend").items[1]
    filled.record("The PostgreSQL queue was slow today.", stream="incidents", author="lin")
    beside = visitor.get(f"/panel/events/{event.id}").text
    assert "The mail job uses" in beside
    assert "The PostgreSQL queue was slow today." in beside  # a related conversation
    assert "ada" in visitor.get("/panel/people").text


def test_a_memory_s_page_tells_commit_and_phase(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("Rope is sold by the metre.", phase="refine", commit="abcdef0")
    page = visitor.get(f"/panel/memories/{kept.id}").text
    assert "refine" in page
    assert "abcdef0" in page
    assert "phase refine" in " ".join(visitor.get("/panel/memories").text.split())


def test_what_was_served_is_told_by_question_and_by_program(
    memory: Recollect, visitor: Visitor
) -> None:
    memory.remember("The mail job uses the PostgreSQL queue.")
    memory.record("We use the PostgreSQL queue for mail.", stream="backend", author="bob")
    memory.within(client="mcp/claude-code").recall("mail queue")
    visitor.get("/panel/ask?q=which+queue+is+used+for+mail?")
    page = visitor.get("/panel/served")
    assert page.body.count('<b dir="auto">which queue is used') == 1  # two searches, one question
    assert "which queue is used for mail? The panel researched" in page.text
    for given in ("The mail job uses the PostgreSQL queue.", "We use the PostgreSQL queue"):
        assert given in page.text
    by_agents = visitor.get("/panel/served?client=mcp").text
    assert "mail queue mcp/claude-code" in by_agents
    assert "which queue is used" not in by_agents
    assert "Nothing was asked from there." in visitor.get("/panel/served?client=cli").text
    opened = memory.list().items[0].counts.access
    visitor.get("/panel/served")
    memory.retrievals()
    assert memory.list().items[0].counts.access == opened  # nobody opened it


def test_why_shows_what_each_signal_adds_and_leads_to_the_result(
    filled: Recollect, visitor: Visitor
) -> None:
    one = filled.list(type="decision").items[0]
    page = visitor.get("/panel/served/why?q=postgresql+queue")
    assert f'href="/panel/memories/{one.id}"' in page.body
    bars = re.findall(r'<rect class="fill" width="([\d.]+)"', page.body)
    assert max(map(float, bars)) == 100.0  # the strongest signal of a result
    assert "score 0." in page.text


def test_served_takes_feedback_where_none_was_given(filled: Recollect, visitor: Visitor) -> None:
    log = filled.retrievals().items[0]
    assert log.id in visitor.get("/panel/served").body
    visitor.press("/panel/ask/feedback", log=log.id, verdict="unhelpful", back="/panel/served")
    assert [one.verdict for one in filled.retrievals().items[0].feedback] == ["unhelpful"]
    assert log.id not in visitor.get("/panel/served").body


def test_what_an_answer_cites_stands_apart_from_related_memories(
    memory: Recollect, visitor: Visitor
) -> None:
    memory.record("Which queue do we use for mail?", stream="backend", author="ada")
    memory.record("We use the PostgreSQL queue for mail.", stream="backend", author="bob")
    memory.remember("The mail queue was slow in May.", type="dead_end")
    page = visitor.get("/panel/ask?q=which+queue+do+we+use+for+mail?")
    cited, related = page.body.split("Related memories: 1")
    assert '<a class="chip event"' in cited.split("Used 1 ")[1]
    assert '<a class="chip dead_end"' in related
    assert "[2]" not in related  # no number that the answer does not mention


def test_search_and_filters_narrow(filled: Recollect, visitor: Visitor) -> None:
    found = visitor.get("/panel/memories?q=postgresql+queue").text
    assert "The mail job uses" in found
    assert "1 shown" in visitor.get("/panel/memories?type=dead_end").text
    assert "1 shown" in visitor.get("/panel/memories?tag=queue&file=jobs/mail.py").text
    assert "Nothing matches." in visitor.get("/panel/memories?module=nowhere").text
    bad = visitor.get("/panel/memories?confidence=high")
    assert bad.status == 422
    assert "a number from 0 to 1" in bad.text


def test_a_long_list_comes_a_page_at_a_time(memory: Recollect, visitor: Visitor) -> None:
    for number in range(45):
        memory.remember(f"Fact number {number}.", repeats="keep")
    first = visitor.get("/panel/memories")
    assert "40 shown" in first.text
    onward = re.search(r'href="(/panel/memories\?cursor=[^"]+)"', first.body)
    assert onward is not None
    assert "5 shown" in visitor.get(onward.group(1)).text


def test_the_list_is_ordered_over_all_its_pages(memory: Recollect, visitor: Visitor) -> None:
    for number in range(45):
        memory.remember(f"Thing {number} is so.", confidence=0.9, repeats="keep")
    memory.remember("The oldest is the least sure.", confidence=0.1, repeats="keep")
    memory.remember("Newer than that.", confidence=0.5, repeats="keep")
    shown = visitor.get("/panel/memories?sort=unsure").text
    assert shown.index("The oldest is the least sure.") < shown.index("Newer than that.")
    assert shown.index("Newer than that.") < shown.index("Thing 44 is so.")


def test_the_map_draws_what_the_chosen_folder_hangs_together_with(
    memory: Recollect, visitor: Visitor, tmp_path: Path
) -> None:
    for name, text in {
        "mail/send.py": "from jobs.queue import put\n\ndef send(text):\n    put(text)\n",
        "jobs/queue.py": "def put(text):\n    return text\n",
    }.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True)
        place.write_text(text)
    memory.code.index(tmp_path)
    used = visitor.get("/panel/map?module=jobs")
    assert '<path class="used" d="M' in used.body
    assert "mail/send.py" in used.text
    assert "and the memories about each jobs/queue.py 0" in used.text
    assert '<path class="uses" d="M' in visitor.get("/panel/map?module=mail&size=use").body
    assert '<path class="uses" d="M' not in used.body  # jobs uses nothing
    assert "<path" not in visitor.get("/panel/map?module=nowhere&size=lines").body


def test_the_ask_page_answers_with_sources(filled: Recollect, visitor: Visitor) -> None:
    got = visitor.get("/panel/ask?q=which+queue+does+the+mail+job+use")
    assert "The mail job uses the PostgreSQL queue." in got.text
    assert 'class="chip' in got.body


def test_the_short_address_leads_to_the_start_page(visitor: Visitor) -> None:
    for path in ("/panel", "/panel/"):
        assert visitor.get(path).text == visitor.get("/").text


def test_a_page_that_is_not_there_says_so(visitor: Visitor) -> None:
    for path in ("/panel/nothing", "/panel/memories/mem_00000000000000000000000000"):
        got = visitor.get(path)
        assert got.status == 404
        assert "<nav" in got.body


def test_a_fragment_is_the_inside_alone(filled: Recollect, visitor: Visitor) -> None:
    whole = visitor.get("/panel/memories").body
    inside = visitor.get("/panel/memories", headers={"X-Fragment": "1"}).body
    assert "<html" not in inside
    assert "<nav" not in inside
    assert inside.strip() in whole


def test_nothing_on_a_page_runs_or_is_fetched_from_elsewhere(
    filled: Recollect, visitor: Visitor
) -> None:
    for path in READ:
        got = visitor.get(path)
        policy = got.header("content-security-policy")
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert " style=" not in got.body, path
        assert " onclick=" not in got.body, path
        assert re.search(r"<script(?![^>]* src=\"/panel/assets/)", got.body) is None, path
        assert re.search(r"(?:src|href)=\"(?:https?:)?//", got.body) is None, path


def test_the_assets_of_a_page_are_small(visitor: Visitor) -> None:
    assert sum(len(asset(name)) for name in ("panel.css", "panel.js", "icon.svg")) < 100_000
    got = visitor.get("/panel/assets/panel.css")
    assert got.status == 200
    assert visitor.get("/panel/assets/../panel.py").status == 404


def test_hostile_memories_are_text_on_every_page(memory: Recollect, visitor: Visitor) -> None:
    assert len(HOSTILE) == 50
    for text in HOSTILE:
        with suppress(Quarantined, InvalidText):  # then it is shown among those set aside, or not
            memory.remember(text, repeats="keep", tags=["hostile"], files=["a<b>.py"])
        memory.record(text, stream="hostile <b>stream</b>", author="<i>eve</i>")
    pages = [*READ, "/panel/memories?q=alert", "/panel/ask?q=alert+script"]
    pages += [f"/panel/memories/{one.id}" for one in memory.list(limit=10).items]
    for path in pages:
        body = visitor.get(path).body
        inside = body.replace('<script src="/panel/assets/panel.js', "")
        for sign in ("<script", "<iframe", "<svg onload", "<img", "<base", "<i>eve", "<b>stream"):
            assert sign.lower() not in inside.lower(), (path, sign)
        assert 'href="javascript:' not in body.lower()
        assert "\u202e" not in body
        assert "\x07" not in body
        assert "\x00" not in body
        assert len(body) < 1_000_000, path  # a line of a million letters is cut, and says so
