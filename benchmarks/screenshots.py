"""Pictures of the panel for the README and the docs, from sample data: ``make screenshots``.

python -m benchmarks.screenshots docs/images
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import recollect
from recollect.engine import Recollect
from recollect.surfaces.panel.panel import Panel
from recollect.surfaces.rest.application import application
from tests.surfaces.rest.running import Running

PAGES = {
    "health": "/",
    "memories": "/panel/memories",
    "ask": "/panel/ask?q=which+queue+does+the+mail+job+use",
    "personal": "/panel/personal",
    "people": "/panel/people",
    "teach": "/panel/teach",
}
SIZES = (("desktop", 1440, "light"), ("phone", 390, "dark"))


def main() -> None:
    """Make every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise SystemExit("There is no chromium on this machine; 'make browser' installs it.")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with recollect.open(store, user="ada", space="sample", worker=False) as memory:
            _fill(memory)
            running = Running(application(memory, pages=Panel()))
            try:
                _take(browser, running.port, arguments.folder)
            finally:
                running.app.state.stopping = True
                running.stop()


def _fill(memory: Recollect) -> None:
    from recollect.surfaces.panel.pages.sample import write_sample

    write_sample(memory)
    memory.chat.hear("I am vegetarian.")
    memory.chat.hear("My sister Ana lives in Porto.")
    memory.recall("how long are refunds possible?")


def _take(browser: str, port: int, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, width, scheme in SIZES:
            context = started.new_context(
                viewport={"width": width, "height": 900},
                color_scheme="dark" if scheme == "dark" else "light",
                base_url=f"http://127.0.0.1:{port}",
            )
            page = context.new_page()
            for title, path in PAGES.items():
                page.goto(path)
                page.locator("main").wait_for()
                page.screenshot(path=folder / f"panel-{title}-{name}.png")
                print(f"panel-{title}-{name}.png")
        started.close()


if __name__ == "__main__":
    main()
