"""One message on its way into the memory, and the event that keeps its words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Space

USER: Final = "user"
ASSISTANT: Final = "assistant"


class StreamReplaced(Exception):
    """The stream of somebody's messages is another by now."""


@dataclass(slots=True)
class MessageRecording:
    """The event of a message on its way into the store."""

    event_id: str
    work: Callable[[Transaction], list[Event]]
    done: bool = False

    def write(self, transaction: Transaction) -> None:
        """Write it; an error takes back all that was written along with it."""
        if [event.id for event in self.work(transaction)] != [self.event_id]:
            raise StreamReplaced
        self.done = True


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message on its way."""

    viewer: Viewer
    space: Space
    text: str
    at: datetime
    session: str | None
    event_id: str = ""
    speaker: str = USER
    dated: bool = False  # whether its teller says when it was said
    whose: tuple[str, ...] = ()  # tags that name whom it is of, where one viewer speaks for many
    extras: Mapping[str, str] = field(default_factory=dict)
    recording: MessageRecording | None = None

    def unwritten(self) -> Callable[[Transaction], None] | None:
        """What writes the message itself; None once it is written."""
        return None if self.recording is None or self.recording.done else self.recording.write

    def may_change(self, one: Memory) -> bool:
        """Whether an entry was told before it, by the same person."""
        return self.event_id not in one.provenance.events and set(self.whose) <= set(one.tags)

    @staticmethod
    def has(pointing: list[Memory], words: str) -> bool:
        """Whether an entry that points at the message holds these words already."""
        return any(one.content == words for one in pointing)
