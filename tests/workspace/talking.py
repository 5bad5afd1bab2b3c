"""A channel with people in it, for tests of the workspace."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from recollect.engine import Recollect
from recollect.vocabulary.events import Event

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def people(memory: Recollect, *names: str) -> dict[str, Recollect]:
    """Members of the space, each with their own view."""
    for name in names:
        memory.add_member(name)
    return {name: memory.within(user=name) for name in names}


def talk(
    memory: Recollect,
    lines: Iterable[tuple[str, str]],
    *,
    stream: str = "general",
    start: datetime = START,
    minutes: float = 1.0,
) -> list[Event]:
    """Record lines as said by members, some minutes apart."""
    said = []
    for number, (name, text) in enumerate(lines):
        speaker = memory if name == memory.viewer.user else memory.within(user=name)
        at = start + timedelta(minutes=minutes * number)
        said.append(speaker.record(text, stream=stream, occurred_at=at))
    return said


DEPLOY = (
    ("bob", "How do we deploy the billing service to production?"),
    ("cyd", "bob: run the release pipeline, it deploys billing to production after the checks"),
    ("bob", "cyd: thanks, and where do I see the release pipeline?"),
    ("cyd", "bob: in the deploy dashboard, under releases"),
)
