"""Benchmark of the workspace on real channels: who answers, and where conversations end.

A channel is replayed into a separate store, message by message in the order of time, with a clock
set to the channel's time. A question is asked before anything after it is recorded, so only the
past can answer it.
"""

import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from recollect.engine import Recollect
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import NewEvent

_GZIP: Final = b"\x1f\x8b"
_DAY: Final = 86_400.0
#: The first conversations are only used to learn who takes part.
_FIRST: Final = 100
_LEAST_MESSAGES: Final = 4
_AT: Final = 5
STREAM: Final = "channel"

#: Opens a store for a channel that is replayed, with the benchmark's clock.
Opener = Callable[[Path, Clock], Recollect]
Advance = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One message of a channel whose conversations are known."""

    conversation: str
    author: str
    at: float
    text: str


class StandingClock:
    """Clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime.fromtimestamp(0, UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class ChannelQuestion:
    """A question of a channel, and who answered it within a day."""

    place: int
    answerers: frozenset[str]


def read_channel(path: Path) -> list[ChannelMessage]:
    """Read the messages of a file, in the order of their times."""
    data = path.read_bytes()
    if data.startswith(_GZIP):
        data = gzip.decompress(data)
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - a file that its user names
        found = [_message(one) for one in root.findall("message")]
    except (ElementTree.ParseError, ValueError) as error:
        raise InvalidInput(f"{path.name} cannot be read as a channel: {error}.") from None
    return sorted(found, key=lambda one: one.at)


def _message(one: ElementTree.Element) -> ChannelMessage:
    at = datetime.fromisoformat(one.findtext("ts") or "").replace(tzinfo=UTC)
    return ChannelMessage(
        one.get("conversation_id") or "",
        one.findtext("user") or "",
        at.timestamp(),
        one.findtext("text") or "",
    )


def read_channels(paths: Sequence[Path]) -> list[ChannelMessage]:
    """Read the messages of several files; each file has separate conversations."""
    found: list[ChannelMessage] = []
    for number, path in enumerate(paths):
        for one in read_channel(path):
            name = f"{number}-{one.conversation}"
            found.append(ChannelMessage(name, one.author, one.at, one.text))
    return sorted(found, key=lambda one: one.at)


def conversations_of(messages: Sequence[ChannelMessage]) -> list[list[int]]:
    """Indexes of the messages of each conversation, by its start."""
    found: dict[str, list[int]] = {}
    for place, one in enumerate(messages):
        found.setdefault(one.conversation, []).append(place)
    return list(found.values())


def questions_of(messages: Sequence[ChannelMessage]) -> list[ChannelQuestion]:
    """First messages that ask something and that another person answers within a day."""
    found = []
    for places in conversations_of(messages)[_FIRST:]:
        first = messages[places[0]]
        answerers = frozenset(
            messages[one].author
            for one in places
            if messages[one].author != first.author and messages[one].at - first.at <= _DAY
        )
        if "?" in first.text and answerers:
            found.append(ChannelQuestion(places[0], answerers))
    return sorted(found, key=lambda one: one.place)


def replayed(
    messages: Sequence[ChannelMessage], opener: Opener, stops: Sequence[int], folder: Path
) -> Iterator[tuple[Recollect, int, list[str]]]:
    """Yield the store at each stop, holding only the messages before it.

    At the end the store is yielded once more, with all messages.
    """
    clock = StandingClock()
    ids: list[str] = []
    with opener(folder / "channel.db", clock) as memory:
        memory.open_stream(STREAM, kind="channel")
        for stop in (*stops, len(messages)):
            while len(ids) < stop:
                batch = messages[len(ids) : min(stop, len(ids) + 500)]
                clock.now = datetime.fromtimestamp(batch[-1].at, UTC)
                kept = memory.record_many([_event(one) for one in batch], stream=STREAM)
                ids += [one.id for one in kept]
            if stop < len(messages):
                clock.now = datetime.fromtimestamp(messages[stop].at, UTC)
            yield memory, stop, ids


def _event(one: ChannelMessage) -> NewEvent:
    at = datetime.fromtimestamp(one.at, UTC)
    return NewEvent(one.text or "-", author=one.author, occurred_at=at)


def measured(paths: Sequence[Path], opener: Opener, advance: Advance) -> dict[str, Any]:
    """Both benchmarks, in one replay."""
    messages = read_channels(paths)
    questions = {one.place: one for one in questions_of(messages)}
    found: list[float] = []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        for memory, stop, ids in replayed(messages, opener, sorted(questions), Path(folder)):
            if stop < len(messages):
                asked = messages[stop]
                ranked = memory.workspace.experts(asked.text, limit=_AT, asker=asked.author)
                truth = questions[stop].answerers
                found.append(len(truth & {one.user for one in ranked}) / len(truth))
                advance(len(found), len(questions), "who answers")
            else:
                windows = _windows(memory, messages, ids, advance)
    return {
        "messages": len(messages),
        "people": len({one.author for one in messages}),
        "expert_questions": len(found),
        "experts_recall_at_5": _mean(found),
        "window_questions": len(windows),
        "window_f1": _mean(windows),
    }


def _windows(
    memory: Recollect, messages: Sequence[ChannelMessage], ids: Sequence[str], advance: Advance
) -> list[float]:
    wanted = [
        places
        for places in conversations_of(messages)
        if len(places) >= _LEAST_MESSAGES and "?" in messages[places[0]].text
    ]
    scores = []
    for number, places in enumerate(wanted, 1):
        window = memory.workspace.conversation(ids[places[0]])
        got, truth = {one.id for one in window.events}, {ids[place] for place in places}
        scores.append(2 * len(got & truth) / (len(got) + len(truth)))
        advance(number, len(wanted), "where conversations end")
    return scores


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0
