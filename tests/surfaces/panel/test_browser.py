"""The panel in a real browser: scripts, live changes, keyboard, phones, and an accessibility scan.

They run where a browser is found: Debian's chromium, which ``make browser`` installs.
"""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Page, Route, expect, sync_playwright

from recollect.engine import Recollect
from tests.surfaces.panel.hostile_texts import HOSTILE
from tests.surfaces.panel.test_pages import READ
from tests.surfaces.rest.running import Running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this machine; 'make browser' installs it"
)
_PATIENCE = 60_000  # milliseconds; a busy machine is slow, a broken page never comes
Open = Callable[..., Page]
#: What a browser does with a page is the same on every store; the journey goes over each.
on_one_store = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of this file."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, server: Running) -> Iterator[Open]:
    """Opens pages, each in a browser window of its own."""
    contexts = []

    def open_one(path: str = "/", *, width: int = 1440, language: str = "en-GB") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            locale=language,
            base_url=f"http://127.0.0.1:{server.port}",
        )
        context.set_default_timeout(_PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    expect.set_options(timeout=_PATIENCE)
    yield open_one
    for context in contexts:
        context.close()


def _slack_export(folder: Path) -> Path:
    """What Slack hands out: people, channels, and a file of messages for each day."""
    said = [
        ("U1", "Which queue do we use for mails?"),
        ("U2", "We use the PostgreSQL queue for mails."),
        ("U1", "Thanks, I will write it down."),
    ]
    parts = {
        "users.json": [{"id": "U1", "name": "lin"}, {"id": "U2", "name": "ada"}],
        "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
        "general/2026-03-02.json": [
            {"type": "message", "user": user, "ts": f"177245{number}000.0001", "text": text}
            for number, (user, text) in enumerate(said)
        ],
    }
    place = folder / "export.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, json.dumps(content))
    return place


def test_a_newcomer_imports_asks_corrects_and_sees_it_live(
    memory: Recollect, open_page: Open, tmp_path: Path
) -> None:
    """The whole path of somebody who has never seen it, without a terminal."""
    export = _slack_export(tmp_path)
    page = open_page("/")
    expect(page.get_by_text("Nothing is remembered here yet")).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)  # not sent on: as a large file on a slow line

    page.route("**/panel/import", hold)
    with page.expect_request("**/panel/import"):
        page.locator("#file").set_input_files(export)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-progress]")).to_contain_text("Drop the file again")
    (cut_off,) = held
    cut_off.abort()  # Chromium sends on what is still held when nobody looks at requests any more
    page.unroute("**/panel/import")
    _drop(page, export)
    expect(page.locator("[data-progress]")).to_contain_text("3 added")
    page.get_by_role("link", name="Ask about it").click()

    page.locator("#question").fill("which queue is used for mails?")
    page.keyboard.press("Enter")
    page.locator(".chip.event").first.click()
    expect(page.locator(".event.here")).to_contain_text("queue")
    page.get_by_role("button", name="Save as knowledge").click()
    expect(page.locator("h1")).to_contain_text("queue")

    page.get_by_role("link", name="Teach").click()
    page.locator("#content").fill("Mails go through the Redis queue.")
    page.get_by_role("button", name="Remember").click()
    watcher = open_page("/panel/memories")
    expect(watcher.locator(".card", has_text="Redis")).to_be_visible()
    page.get_by_role("link", name="Correct", exact=True).click()
    page.get_by_label("It is a duplicate of another").check()
    expect(page.locator("#content")).to_be_hidden()  # a duplicate wants its original, not words
    page.get_by_label("It is not accurate: I write what is right").check()
    page.locator("#content").fill("Mails go through the PostgreSQL queue.")
    page.get_by_role("button", name="Save the correction").click()
    corrected = watcher.locator(".card", has_text="Mails go through the PostgreSQL queue.")
    expect(corrected).to_be_visible()  # without reloading


def _drop(page: Page, file: Path) -> None:
    """Drop a file on the page, as a hand with a mouse does."""
    script = """([bytes, name]) => {
        const held = new DataTransfer();
        held.items.add(new File([new Uint8Array(bytes)], name));
        document.querySelector("[data-import]").dispatchEvent(
            new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, [list(file.read_bytes()), file.name])


@on_one_store
def test_answers_stream_in_and_older_ones_stay(memory: Recollect, open_page: Open) -> None:
    memory.record("Which queue do we use for mail?", stream="backend", author="ada")
    memory.record("We use the PostgreSQL queue for mail.", stream="backend", author="bob")
    page = open_page("/panel/ask")
    for number, question in enumerate(("which queue do we use for mail?", "who likes tea?"), 1):
        page.locator("#question").fill(question)
        page.keyboard.press("Enter")
        expect(page.locator("[data-turn]")).to_have_count(number)
        expect(page.locator("[data-turn]").first.locator(".row").first).to_be_visible()
    first = page.locator("[data-turn]").last
    expect(first).to_contain_text("We use the PostgreSQL queue for mail.")
    first.locator("a.chip.event").first.click()
    expect(page.locator(".event.here")).to_contain_text("queue")


@on_one_store
def test_search_follows_the_typing(memory: Recollect, open_page: Open) -> None:
    memory.remember("The mail job uses the PostgreSQL queue.")
    memory.remember("Ada likes short pull requests.")
    page = open_page("/panel/memories")
    expect(page.locator(".card")).to_have_count(2)
    field = page.locator(".filters input[name=q]")
    field.press_sequentially("postgresql queue")
    expect(page.locator(".card").first).to_contain_text("PostgreSQL")
    expect(page).to_have_url(f"{page.url.split('/panel')[0]}/panel/memories?q=postgresql+queue")
    expect(field).to_be_focused()
    assert field.input_value() == "postgresql queue"


@on_one_store
def test_everything_can_be_reached_by_keyboard(memory: Recollect, open_page: Open) -> None:
    memory.remember("The mail job uses the PostgreSQL queue.")
    page = open_page("/panel/teach")
    page.keyboard.press("Control+Shift+M")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("mail queue")
    page.keyboard.press("Enter")
    expect(page.locator(".card")).to_have_count(1)
    page.locator(".card").get_by_role("button", name="Pin").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".badge.accent")).to_have_text("pinned")


@on_one_store
def test_pages_have_no_serious_barrier(memory: Recollect, open_page: Open) -> None:
    memory.remember("The mail job uses the PostgreSQL queue.", modules=["jobs"], tags=["queue"])
    memory.record("We use the PostgreSQL queue.", stream="general")
    memory.chat.hear("I am vegetarian.")
    one = memory.list().items[0]
    page = open_page("/")
    found: list[str] = []
    for path in [*READ, f"/panel/memories/{one.id}", "/panel/ask?q=queue"]:
        page.goto(path)
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                found.append(f"{path}: {violation['id']}: {nodes}")
    assert found == []


@on_one_store
def test_phones_need_no_sideways_scrolling(memory: Recollect, open_page: Open) -> None:
    memory.remember("x" * 300, files=["a/very/long/path/" + "y" * 120 + ".py"])
    memory.record("z" * 400, stream="general")
    page = open_page("/", width=390)
    for path in READ:
        page.goto(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, f"{path} is {wide} wide"


@on_one_store
def test_hostile_memories_run_nothing(memory: Recollect, open_page: Open) -> None:
    for text in HOSTILE:
        memory.record(text, stream="hostile")
        if "alert" in text:
            memory.chat.add(text.replace("ignore", "heed")[:300], anyway=True)
    page = open_page("/")
    said: list[str] = []

    def refuse(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    for path in (*READ, "/panel/streams/hostile", "/panel/memories?q=alert"):
        page.goto(path)
        page.locator("main").wait_for()
    assert said == []


@on_one_store
def test_french(memory: Recollect, open_page: Open) -> None:
    page = open_page("/", language="fr-FR")
    expect(page.get_by_text("Rien n'est encore retenu ici")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_text("Nothing is remembered here yet")).to_be_visible()
