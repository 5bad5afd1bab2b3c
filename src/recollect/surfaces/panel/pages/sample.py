"""Sample data: a small team's week in a separate space, to explore; removed with one click."""

from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.login import SPACE as SPACE_COOKIE
from recollect.surfaces.panel.page_request import POST, PageRequest, PageRoute, Redirect
from recollect.surfaces.panel.pages.sample_texts import TEXTS
from recollect.vocabulary.events import NewEvent

SPACE: Final = "sample"


def load(request: PageRequest) -> Redirect:
    """Write the sample into its space, and switch to it."""
    memory = request.memory.within(space=SPACE)
    if not memory.list(limit=1).items:
        write_sample(memory, request.language)
    return Redirect("/", "the sample is loaded", cookies={SPACE_COOKIE: SPACE})


def remove(request: PageRequest) -> Redirect:
    """Delete everything in the sample's space, and leave it."""
    memory = request.memory.within(space=SPACE, make=False)
    while found := memory.list(limit=200).items:
        for one in found:
            memory.forget(one.id, for_good=True)
    for stream in memory.streams().items:
        for event in memory.read(stream.name, limit=1_000).items:
            if event.deleted_at is None:
                memory.delete_event(event.id)
    return Redirect("/", "the sample is gone", cookies={SPACE_COOKIE: ""})


def write_sample(memory: Recollect, language: str = "en") -> None:
    """Write a week of a small team: messages, and memories made of them."""
    texts = TEXTS.get(language, TEXTS["en"])
    first = datetime.now(UTC) - timedelta(days=6)
    said: list[str] = []
    for step, (stream, author, text) in enumerate(texts.talk):
        event = NewEvent(text, author=author, occurred_at=first + timedelta(hours=11 * step))
        said += [one.id for one in memory.record_many([event], stream=stream)]
    for kind, content, modules, files, message in texts.memories:
        events = [] if message is None else [said[message]]
        memory.remember(
            content, type=kind, modules=modules, tags=modules, files=files, events=events
        )


ROUTES: Final = (
    PageRoute(POST, "/panel/sample", load),
    PageRoute(POST, "/panel/sample/remove", remove),
)
