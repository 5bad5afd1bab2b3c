"""What people do on the pages, in a real browser: cards, citations, dropped rules, reconnecting."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from recollect.engine import Recollect
from recollect.surfaces.panel.panel import Panel
from recollect.surfaces.rest.application import application
from tests.surfaces.panel.test_browser import (
    CHROMIUM,
    Open,
    browser,
    on_one_store,
    open_page,
)
from tests.surfaces.rest.running import Running

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this machine; 'make browser' installs it"
)
__all__ = ["browser", "open_page"]  # fixtures of the other file


@on_one_store
def test_several_memories_are_forgotten_and_brought_back_by_keyboard(
    memory: Recollect, open_page: Open
) -> None:
    for text in ("The mail job uses the PostgreSQL queue.", "Ada likes short pull requests."):
        memory.remember(text)
    page = open_page("/panel/memories")
    for box in page.get_by_label("Choose this memory").all():
        box.focus()
        page.keyboard.press("Space")
    page.locator("#many").get_by_role("button", name="Forget").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_have_count(0)
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_have_count(2)


@on_one_store
def test_a_duplicate_is_corrected_by_choosing_its_original(
    memory: Recollect, open_page: Open
) -> None:
    first = memory.remember("The mail job uses the PostgreSQL queue.")
    double = memory.remember("Mails go through the PostgreSQL queue.", repeats="keep")
    page = open_page(f"/panel/memories/{double.id}")
    page.get_by_label("It is a duplicate of another").check()
    page.get_by_label("The mail job uses the PostgreSQL queue.").check()
    page.get_by_role("button", name="Save the correction").click()
    expect(page).to_have_url(re.compile(first.id))
    assert [one.id for one in memory.list().items] == [first.id]


@on_one_store
def test_chips_are_amber_dead_ends_red_and_a_cited_memory_is_flagged(
    memory: Recollect, open_page: Open
) -> None:
    memory.remember("The mail queue has priorities.")
    dead = memory.remember("A Redis mail queue lost mails.", type="dead_end")
    page = open_page("/panel/ask?q=mail+queue")
    red, amber = (_colour(page, one) for one in (".chip.dead_end", ".chip:not(.dead_end)"))
    assert red[0] > 2 * red[1]  # red over green
    assert amber[0] > amber[1] > amber[2]
    turn = page.locator(".chips li", has_text="A Redis mail queue")
    turn.get_by_role("button", name="Flag wrong").click()
    expect(page.get_by_role("status")).to_contain_text("waits for review")
    flagged = memory.list(needs_review=True).items
    assert [one.id for one in flagged] == [dead.id]


def _colour(page: Page, selector: str) -> tuple[int, int, int]:
    told = page.locator(selector).first.evaluate("one => getComputedStyle(one).color")
    red, green, blue = (int(one) for one in re.findall(r"\d+", told)[:3])
    return red, green, blue


@on_one_store
def test_known_answers_appear_while_a_question_is_typed(memory: Recollect, open_page: Open) -> None:
    memory.record("Which queue do we use for mails?", stream="general", author="ada")
    event = memory.record("We use the PostgreSQL queue for mails.", stream="general", author="bob")
    memory.workspace.save(event.id)
    page = open_page("/panel/ask")
    page.locator("#question").press_sequentially("which queue do we use for mails")
    page.locator(".suggestions a").first.click()
    expect(page.locator("h1")).to_contain_text("queue")


@on_one_store
@pytest.mark.parametrize("place", ["/", "/panel/teach"])
def test_rules_that_are_dropped_are_previewed_then_kept(
    memory: Recollect, open_page: Open, place: str
) -> None:
    page = open_page(place)
    page.evaluate(
        """() => {
            const held = new DataTransfer();
            held.items.add(new File(["# Rules\\n- Never push on Fridays.\\n"], "AGENTS.md"));
            (document.querySelector("[data-drop-text]") ?? document.querySelector("[data-import]"))
                .dispatchEvent(new DragEvent("drop",
                    { dataTransfer: held, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.get_by_text("1 lines to be read")).to_be_visible()
    expect(page.locator("select[name=name]")).to_have_value("AGENTS.md")
    assert memory.list().items == ()
    page.get_by_role("button", name="Keep these rules").click()
    expect(page.get_by_text("The rules were read")).to_be_visible()
    assert "Never push on Fridays." in memory.list().items[0].content


@on_one_store
def test_every_page_is_reached_on_a_phone(memory: Recollect, open_page: Open) -> None:
    page = open_page("/", width=390)
    settings = page.get_by_role("link", name="Settings")
    expect(settings).not_to_be_in_viewport()
    page.get_by_label("Show all pages").focus()
    page.keyboard.press("Space")
    expect(settings).to_be_in_viewport()
    expect(page.get_by_role("button", name="Français")).to_be_visible()
    settings.click()
    expect(page.locator("h1")).to_have_text("Settings")


@on_one_store
def test_a_page_connects_again_by_itself(
    memory: Recollect, browser: Browser, start: Callable[..., Running]
) -> None:
    first = start(memory)
    page = browser.new_context(base_url=f"http://127.0.0.1:{first.port}").new_page()
    page.set_default_timeout(60_000)
    page.goto("/panel/memories")
    expect(page.locator("[data-live-state]")).to_be_visible()
    first.app.state.stopping = True
    first.stop()
    expect(page.locator("[data-live-state]")).to_be_hidden()
    again = Running(application(memory, pages=Panel()), port=first.port)
    try:
        expect(page.locator("[data-live-state]")).to_be_visible()
        memory.remember("Written after the server was back.")
        expect(page.locator(".card")).to_contain_text("Written after the server was back.")
        page.context.close()
    finally:
        again.app.state.stopping = True
        again.stop()
