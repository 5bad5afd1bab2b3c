"""An incoming chat message while it is processed, and the event that stores its text."""

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
    """The stream of a person's messages was replaced by another one in the meantime."""


@dataclass(slots=True)
class MessageRecording:
    """The event of a message that is not yet in the store."""

    event_id: str
    work: Callable[[Transaction], list[Event]]
    done: bool = False

    def write(self, transaction: Transaction) -> None:
        """Write the event; an error rolls back everything written in the same transaction."""
        if [event.id for event in self.work(transaction)] != [self.event_id]:
            raise StreamReplaced
        self.done = True


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message that is being processed."""

    viewer: Viewer
    space: Space
    text: str
    at: datetime
    session: str | None
    event_id: str = ""
    speaker: str = USER
    dated: bool = False  # whether the caller gave the time at which it was said
    whose: tuple[str, ...] = ()  # tags that name its speaker, if one viewer speaks for many
    extras: Mapping[str, str] = field(default_factory=dict)
    recording: MessageRecording | None = None

    def unwritten(self) -> Callable[[Transaction], None] | None:
        """The function that writes the message itself; None once it is written."""
        return None if self.recording is None or self.recording.done else self.recording.write

    def may_change(self, one: Memory) -> bool:
        """Whether an entry is from another message and has the same person's tags."""
        return self.event_id not in one.provenance.events and set(self.whose) <= set(one.tags)

    @staticmethod
    def has(pointing: list[Memory], words: str) -> bool:
        """Whether an entry that cites the message already has this text."""
        return any(one.content == words for one in pointing)
