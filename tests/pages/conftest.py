"""A house to import into: a real store on the disk, one space, and its importer."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from recollect.index.indexer import Indexer
from recollect.pages.events import Events
from recollect.pages.importer import Importer
from recollect.pages.spaces import Spaces
from recollect.pages.streams import Streams
from recollect.storage.database import Database
from recollect.storage.space_clock import number_and_clock
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.events import Event
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.streams import Stream
from tests.clocks import TickingClock
from tests.embedders import WordEmbedder
from tests.stores import Backend

Lines = Callable[..., Path]


class House:
    """A store with one space, whose owner is me."""

    def __init__(self, address: str, clock: TickingClock) -> None:
        self.database = Database(address)
        self.clock = clock
        self.me = Viewer("me")
        self.space = Spaces(self.database, clock).ensure(self.me, "default")
        self.indexer = Indexer(WordEmbedder())
        self.importer = Importer(self.database, self.indexer, clock)
        self.streams = Streams(self.database, clock)
        self._events = Events(self.database, self.indexer, clock)

    def run(self, path: Path, **options: Any) -> ImportReport:
        """Import as me."""
        return self.importer.run(self.me, self.space, path, **options)

    def stream(self, name: str, viewer: Viewer | None = None) -> Stream:
        """The stream of that name."""
        return self.streams.get(viewer or self.me, self.space, name)

    def stream_names(self) -> set[str]:
        """Every stream that I may see."""
        return {stream.name for stream in self.streams.list(self.me, self.space).items}

    def events(self, stream: str, viewer: Viewer | None = None) -> list[Event]:
        """Everything on a stream, in order."""
        reader = viewer or self.me
        found = self.stream(stream, reader)
        page = self._events.read(reader, self.space, found, cursor=None, limit=1_000)
        return list(page.items)

    def texts(self, stream: str) -> list[str]:
        """What was said on a stream."""
        return [event.text for event in self.events(stream)]

    def reactions(self, event: Event) -> set[tuple[str, str]]:
        """Who put which sign on an event."""
        signs = self._events.reactions(self.me, self.space, event.id)
        return {(sign.user, sign.emoji) for sign in signs}

    def replies(self, event: Event) -> list[str]:
        """The words of the answers to an event."""
        found = self._events.replies(self.me, self.space, event.id)
        return [answer.text for answer in found]

    def counts(self) -> dict[str, int]:
        """How many rows each table of the pages and the index has."""
        tables = ("events", "places", "vectors", "events_keywords")
        with self.database.reading(all_spaces=True) as connection:
            return {
                table: int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
                for table in tables
            }

    def rows(self, statement: str) -> list[Any]:
        """Whatever a statement finds."""
        with self.database.reading(all_spaces=True) as connection:
            return list(connection.execute(text(statement)))

    def keywords(self) -> list[tuple[int, str]]:
        """Slot and tokens of every event in the full text."""
        with self.database.reading(all_spaces=True) as connection:
            space = self.space.id, number_and_clock(connection, self.space.id)[0]
            return list(self.database.dialect.keyword_documents(connection, "events", space, -1))

    def problems(self) -> list[str]:
        """What the store itself finds wrong."""
        dialect = self.database.dialect
        return self.database.write(
            lambda connection: [
                *dialect.store_problems(connection),
                *dialect.keyword_problems(connection, "events"),
            ],
            all_spaces=True,
        )


@pytest.fixture
def house(backend: Backend, clock: TickingClock) -> Iterator[House]:
    made = House(backend.ready(), clock)
    yield made
    made.database.close()


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Writes a file of JSON lines."""

    def write(*records: Any, name: str = "history.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path

    return write
