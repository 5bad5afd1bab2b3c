"""Removes duplicate acts of a session that both hooks and a transcript import recorded.

The two sources name their acts differently, so ids do not show duplicates. Two acts are the same if
they make or answer the same call, or otherwise if they have the same words at about the same time.
The second one is not written, whichever source came first. Two acts of one source are never
duplicates: a user may say "go on" twice.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from recollect.pages.prepared import PreparedEvent
from recollect.storage.database import Transaction
from recollect.storage.pages import events
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.clock import from_microseconds

#: Payload field of an act that was recorded as it happened.
LIVE: Final = "live"
_LIVE_MARKER: Final = f'"{LIVE}":true'
#: A payload is written with its names in order, so an act's begins like this.
_ACT: Final = '{"act":'
_APART: Final = timedelta(minutes=10)
_ANSWERS: Final = frozenset({ActKind.RESULT.value, ActKind.FAILURE.value, ActKind.REFUSAL.value})
_SPOKEN: Final = frozenset({ActKind.PROMPT.value, ActKind.ANSWER.value, ActKind.CORRECTION.value})


class _ActIdentity(NamedTuple):
    """Identity of an act in both sources, and the source that it came from."""

    what: str
    name: str
    live: bool


RecordedTimes = dict[tuple[str, _ActIdentity], list[datetime]]


def without_duplicates(
    transaction: Transaction, space_id: str, batch: Sequence[PreparedEvent]
) -> list[PreparedEvent]:
    """The events without those that the other source recorded already."""
    acts: dict[tuple[str, bool], list[datetime]] = {}
    for event in batch:
        if event.payload is not None and event.payload.startswith(_ACT):
            source = event.stream_id, _LIVE_MARKER in event.payload
            acts.setdefault(source, []).append(from_microseconds(event.occurred_at))
    recorded: RecordedTimes = {}
    for (stream, live), times in acts.items():
        found = events.events_with_payload_between(
            transaction,
            space_id,
            stream,
            min(times) - _APART,
            max(times) + _APART,
            marker=_LIVE_MARKER,
            has_marker=not live,
        )
        for text, payload, at in found:
            marker = _identity_of(payload, text)
            if marker is not None:
                recorded.setdefault((stream, marker), []).append(at)
    return [event for event in batch if not (recorded and _is_recorded(event, recorded))]


def _is_recorded(event: PreparedEvent, recorded: RecordedTimes) -> bool:
    """Whether the other source recorded this; each of its acts stands for one event only."""
    if event.payload is None or not event.payload.startswith(_ACT):
        return False
    marker = _identity_of(json.loads(event.payload), event.text)
    if marker is None:
        return False
    others = recorded.get((event.stream_id, marker._replace(live=not marker.live)), [])
    at = from_microseconds(event.occurred_at)
    near = min(others, key=lambda time: abs(time - at), default=None)
    if near is None or abs(near - at) > _APART:
        return False
    others.remove(near)
    return True


def _identity_of(payload: Any, text: str) -> _ActIdentity | None:
    if not isinstance(payload, dict):
        return None
    act, call, live = payload.get("act"), payload.get("call"), payload.get(LIVE) is True
    if isinstance(call, str) and (act == ActKind.CALL.value or act in _ANSWERS):
        return _ActIdentity("call" if act == ActKind.CALL.value else "answer", call, live)
    if act in _SPOKEN:
        return _ActIdentity(str(act), _spoken(text), live)
    return None


def _spoken(text: str) -> str:
    """The words said, without a command that the user may have typed before them."""
    plain = text.strip()
    if plain.startswith("/"):
        _, _, plain = plain.partition(" ")
    return plain.strip()
