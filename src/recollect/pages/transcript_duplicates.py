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
_SIGN: Final = f'"{LIVE}":true'
#: A payload is written with its names in order, so an act's begins like this.
_ACT: Final = '{"act":'
_APART: Final = timedelta(minutes=10)
_ANSWERS: Final = frozenset({ActKind.RESULT.value, ActKind.FAILURE.value, ActKind.REFUSAL.value})
_SPOKEN: Final = frozenset({ActKind.PROMPT.value, ActKind.ANSWER.value, ActKind.CORRECTION.value})


class _Sign(NamedTuple):
    """Identity of an act in both sources, and the source that it came from."""

    what: str
    name: str
    live: bool


Told = dict[tuple[str, _Sign], list[datetime]]


def untold(
    transaction: Transaction, space_id: str, batch: Sequence[PreparedEvent]
) -> list[PreparedEvent]:
    """The events without those that the other source recorded already."""
    acts: dict[tuple[str, bool], list[datetime]] = {}
    for event in batch:
        if event.payload is not None and event.payload.startswith(_ACT):
            door = event.stream_id, _SIGN in event.payload
            acts.setdefault(door, []).append(from_microseconds(event.occurred_at))
    told: Told = {}
    for (stream, live), times in acts.items():
        found = events.events_with_payload_between(
            transaction,
            space_id,
            stream,
            min(times) - _APART,
            max(times) + _APART,
            sign=_SIGN,
            signed=not live,
        )
        for text, payload, at in found:
            sign = _sign(payload, text)
            if sign is not None:
                told.setdefault((stream, sign), []).append(at)
    return [event for event in batch if not (told and _is_told(event, told))]


def _is_told(event: PreparedEvent, told: Told) -> bool:
    """Whether the other source recorded this; each of its acts stands for one event only."""
    if event.payload is None or not event.payload.startswith(_ACT):
        return False
    sign = _sign(json.loads(event.payload), event.text)
    if sign is None:
        return False
    others = told.get((event.stream_id, sign._replace(live=not sign.live)), [])
    at = from_microseconds(event.occurred_at)
    near = min(others, key=lambda time: abs(time - at), default=None)
    if near is None or abs(near - at) > _APART:
        return False
    others.remove(near)
    return True


def _sign(payload: Any, text: str) -> _Sign | None:
    if not isinstance(payload, dict):
        return None
    act, call, live = payload.get("act"), payload.get("call"), payload.get(LIVE) is True
    if isinstance(call, str) and (act == ActKind.CALL.value or act in _ANSWERS):
        return _Sign("call" if act == ActKind.CALL.value else "answer", call, live)
    if act in _SPOKEN:
        return _Sign(str(act), _spoken(text), live)
    return None


def _spoken(text: str) -> str:
    """The words said, without a command that the user may have typed before them."""
    plain = text.strip()
    if plain.startswith("/"):
        _, _, plain = plain.partition(" ")
    return plain.strip()
