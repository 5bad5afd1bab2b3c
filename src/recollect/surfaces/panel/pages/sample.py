"""Sample data: a small team's week in a separate space, to explore; removed with one click."""

from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.login import SPACE as SPACE_COOKIE
from recollect.surfaces.panel.page_request import POST, PageRequest, PageRoute, Redirect
from recollect.vocabulary.events import NewEvent

SPACE: Final = "sample"
_TALK: Final = (
    ("general", "grace", "The checkout test failed again last night, third time this week."),
    ("general", "ada", "It was not our code: the bank's sandbox timed out."),
    ("general", "grace", "Then let us try three times before we call it broken."),
    (
        "general",
        "ada",
        "Decision: payment calls are retried three times, with two seconds between.",
    ),
    ("backend", "lin", "Which queue do we use for the mail job?"),
    ("backend", "ada", "We decided on the PostgreSQL queue: one system less to run than Redis."),
    ("backend", "lin", "Thanks. I will write it into the handbook."),
    ("backend", "grace", "How long are refunds possible now?"),
    ("backend", "ada", "Fourteen days since March, it was two days before."),
    ("general", "lin", "Deploys are on Tuesdays and Thursdays, never on a Friday."),
)
_MEMORIES: Final[tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        "decision",
        "Payment calls are retried three times, two seconds apart.",
        ("payments",),
        ("payments/client.py",),
    ),
    (
        "decision",
        "The mail job uses the PostgreSQL queue instead of Redis.",
        ("queue",),
        ("jobs/mail.py",),
    ),
    ("gotcha", "The staging database is wiped every night at two.", ("staging",), ()),
    ("preference", "Ada likes short pull requests: one change, one review.", ("review",), ()),
    (
        "requirement",
        "Customers may ask for their money back within fourteen days.",
        ("refunds",),
        ("orders/refund.py",),
    ),
    (
        "workflow_recipe",
        "Release: make test, tag, make deploy, watch the dashboard for ten minutes.",
        ("release",),
        (),
    ),
    (
        "dead_end",
        "Caching exchange rates for a day broke invoices on weekends; cache them for an hour.",
        ("payments",),
        ("payments/rates.py",),
    ),
    (
        "pattern",
        "Every handler validates its input with a model before it touches the database.",
        ("api",),
        ("api/handlers.py",),
    ),
    (
        "error_pattern",
        "The bank's sandbox times out at night: a failing checkout test then is not our code.",
        ("payments",),
        ("tests/test_checkout.py",),
    ),
    ("fact", "Deploys are on Tuesdays and Thursdays.", ("release",), ()),
)


def load(request: PageRequest) -> Redirect:
    """Write the sample into its space, and switch to it."""
    memory = request.memory.within(space=SPACE)
    if not memory.list(limit=1).items:
        write_sample(memory)
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


def write_sample(memory: Recollect) -> None:
    """Write a week of a small team: messages, and memories made of them."""
    first = datetime.now(UTC) - timedelta(days=6)
    for step, (stream, author, text) in enumerate(_TALK):
        said = NewEvent(text, author=author, occurred_at=first + timedelta(hours=11 * step))
        memory.record_many([said], stream=stream)
    for kind, content, modules, files in _MEMORIES:
        memory.remember(content, type=kind, modules=modules, tags=modules, files=files)


ROUTES: Final = (
    PageRoute(POST, "/panel/sample", load),
    PageRoute(POST, "/panel/sample/remove", remove),
)
