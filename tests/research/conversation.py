"""An invented conversation of two people, for whoever asks about it."""

from datetime import UTC, datetime, timedelta

from recollect.engine import Recollect

START = datetime(2024, 5, 8, 9, tzinfo=UTC)
SAID = (
    ("Ada", "I moved to Lisbon last week, the flat is tiny."),
    ("Bert", "How is the weather there?"),
    ("Ada", "Sunny! I bought three chairs yesterday."),
    ("Bert", "I adopted a cat called Momo from the shelter."),
    ("Ada", "The invoices went to PostgreSQL because SQLite locked under load."),
    ("Bert", "Deploys run on Friday now, after the release meeting."),
)


def tell(memory: Recollect, stream: str = "general") -> list[str]:
    """Record the conversation; the ids of its events."""
    return [
        memory.record(
            text, stream=stream, author=author, occurred_at=START + timedelta(minutes=place)
        ).id
        for place, (author, text) in enumerate(SAID)
    ]
