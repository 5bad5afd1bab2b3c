"""What is exchanged of one thing, and how two replicas' records of it become one.

A record is the thing with a *stamp* on every part that somebody may change. ``merge`` takes the
later of two fields, unites sets element by element, adds up what each device counted, keeps both
texts where neither replaces the other, and lets an erasure win over everything. It is commutative,
associative and idempotent, so replicas that have seen the same changes are equal, in whatever order
and however often the changes came.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple

MEMORY: Final = "memory"
EVENT: Final = "event"
STREAM: Final = "stream"
#: The order in which they are applied: what others point at comes first.
KINDS: Final = (STREAM, EVENT, MEMORY)

#: Numbers of a memory that each device counts for itself.
COUNTED: Final = ("access", "retrieval", "citation", "ignore", "told")


class Stamp(NamedTuple):
    """When and where something was changed, by a hybrid logical clock.

    Its time is the device's own, but never before what the device had seen; so whoever changes
    what they have seen comes after it, however wrong their clock is.
    """

    time: int  # microseconds
    tick: int
    device: str

    def __str__(self) -> str:
        return f"{self.time}.{self.tick}.{self.device}"


def stamp_after(wall: int, seen: Stamp | None, device: str) -> Stamp:
    """The stamp of a change made at that time by somebody who had seen another stamp."""
    if seen is None or wall > seen.time:
        return Stamp(wall, 0, device)
    return Stamp(seen.time, seen.tick + 1, device)


def read_stamp(text: str) -> Stamp:
    """A stamp from its text; ValueError when it is none."""
    time, tick, device = text.split(".", 2)
    if not device or len(text) > _LONGEST_STAMP:
        raise ValueError(text)
    return Stamp(int(time), int(tick), device)


_LONGEST_STAMP: Final = 120


class StampedValue(NamedTuple):
    """A value that the last writer decides."""

    stamp: Stamp
    value: Any


class Element(NamedTuple):
    """One element of a set: there, or taken out. What was taken out keeps no words."""

    stamp: Stamp
    present: bool
    value: Any = None


class TextVersion(NamedTuple):
    """A content and who wrote it."""

    text: str
    by: str


Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """One thing as a replica knows it."""

    kind: str
    id: str
    #: The stamp of everything that was never changed since.
    base: Stamp
    #: What never changes: whose it is and where it came from.
    born: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, StampedValue] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, Element]] = field(default_factory=dict)
    #: What each device counted, in the order of ``COUNTED``, and when it used the thing last.
    counts: Mapping[str, Counts] = field(default_factory=dict)
    #: The contents that no other replaced; more than one, and different, is a conflict.
    texts: Mapping[Stamp, TextVersion] = field(default_factory=dict)
    #: The last content stamp of each device that is taken into account.
    seen: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    erased: Stamp | None = None

    @property
    def latest(self) -> Stamp:
        """The latest stamp in it."""
        stamps = [self.base, *(one.stamp for one in self.fields.values())]
        stamps += [one.stamp for some in self.sets.values() for one in some.values()]
        stamps += [Stamp(*mark, device) for device, mark in self.seen.items()]
        if self.erased is not None:
            stamps.append(self.erased)
        return max(stamps)

    @property
    def shown(self) -> Stamp | None:
        """The stamp of the content that is shown: the latest."""
        return max(self.texts, default=None)

    @property
    def in_conflict(self) -> bool:
        """Whether there are different contents of which none replaced the other."""
        return len({version.text for version in self.texts.values()}) > 1

    def total(self, place: int) -> int:
        """What all devices counted together."""
        return sum(counted[place] for counted in self.counts.values())

    @property
    def used_at(self) -> int:
        """When any device used it last; 0 for never."""
        return max((counted[len(COUNTED)] for counted in self.counts.values()), default=0)

    def elements(self, name: str) -> list[Any]:
        """What is in a set."""
        return [one.value for one in self.sets.get(name, {}).values() if one.present]


def merge(one: SyncRecord, other: SyncRecord) -> SyncRecord:
    """What a replica knows that has seen both."""
    if one == other:
        return one
    if one.erased or other.erased:
        stamp = max(record.erased for record in (one, other) if record.erased)
        return erased_record(one.kind, one.id, stamp)
    return SyncRecord(
        one.kind,
        one.id,
        min(one.base, other.base),
        _either(one.born, other.born),
        _later_fields(one.fields, other.fields),
        {
            name: _later_elements(one.sets.get(name, {}), other.sets.get(name, {}))
            for name in one.sets.keys() | other.sets.keys()
        },
        _larger_counts(one.counts, other.counts),
        {**_standing(one, other), **_standing(other, one)},
        _later_marks(one.seen, other.seen),
    )


def erased_record(kind: str, id: str, stamp: Stamp) -> SyncRecord:
    """What is left of an erased thing: no words."""
    return SyncRecord(kind, id, stamp, erased=stamp)


def resolved(record: SyncRecord, text: str, by: str, stamp: Stamp) -> SyncRecord:
    """The record with one content in place of all that it had."""
    return replace(
        record,
        texts={stamp: TextVersion(text, by)},
        seen=_later_marks(record.seen, {stamp.device: (stamp.time, stamp.tick)}),
    )


def _either(one: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """What never changes is the same everywhere; should it not be, all choose alike."""
    if not one or not other or one == other:
        return one or other
    return max(one, other, key=canonical)


def _later_fields(
    one: Mapping[str, StampedValue], other: Mapping[str, StampedValue]
) -> dict[str, StampedValue]:
    found = dict(one)
    for name, theirs in other.items():
        mine = found.get(name)
        if mine is None or _order(mine) < _order(theirs):
            found[name] = theirs
    return found


def _later_elements(one: Mapping[str, Element], other: Mapping[str, Element]) -> dict[str, Element]:
    found = dict(one)
    for key, theirs in other.items():
        mine = found.get(key)
        if mine is None or _element_order(mine) < _element_order(theirs):
            found[key] = theirs
    return found


def _order(one: StampedValue) -> tuple[Stamp, str]:
    return one.stamp, canonical(one.value)


def _element_order(one: Element) -> tuple[Stamp, bool, str]:
    return one.stamp, one.present, canonical(one.value)


def _larger_counts(one: Mapping[str, Counts], other: Mapping[str, Counts]) -> dict[str, Counts]:
    """What a device counted only grows, so the larger of two reports is the later."""
    found = dict(one)
    for device, theirs in other.items():
        mine = found.get(device, theirs)
        found[device] = tuple(max(pair) for pair in zip(mine, theirs, strict=True))
    return found


def _standing(one: SyncRecord, other: SyncRecord) -> dict[Stamp, TextVersion]:
    """The contents of one that the other has too, or never saw."""
    return {
        stamp: version
        for stamp, version in one.texts.items()
        if stamp in other.texts or (stamp.time, stamp.tick) > other.seen.get(stamp.device, (0, -1))
    }


def _later_marks(
    one: Mapping[str, tuple[int, int]], other: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    return {
        device: max(one.get(device, (0, -1)), other.get(device, (0, -1)))
        for device in one.keys() | other.keys()
    }


#: Made once: what is called for every field of every record must not build its encoder anew.
_CANONICAL: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical(value: Any) -> str:
    """A value as text that is the same on every machine."""
    return _CANONICAL.encode(value)


def digest(value: Any) -> str | None:
    """A short name of a value, by which a change is noticed; nothing is the digest of nothing."""
    if value is None:
        return None
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def element_key(value: Any) -> str:
    """The name of an element of a set, which holds no words."""
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# --- what changed here since the last look --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurrentValues:
    """A thing as its rows have it now."""

    kind: str
    id: str
    born: Mapping[str, Any]
    fields: Mapping[str, Any]
    sets: Mapping[str, list[Any]]
    #: When it was changed last, and when single fields were, in microseconds.
    changed_at: int
    text: TextVersion | None = None
    counts: Counts = ()
    field_times: Mapping[str, int] = field(default_factory=dict)
    #: The contents in conflict with the one that is shown.
    other_texts: Mapping[Stamp, str] = field(default_factory=dict)


def observe(known: SyncRecord | None, now: CurrentValues, device: str) -> SyncRecord:
    """The record of a thing as its rows have it now: what differs from what was known is new.

    ``known`` has digests in place of values, as ``wire.state_of`` makes them.
    """
    if known is None:
        return _first_record(now, device)
    latest = known.latest

    def stamp(name: str) -> Stamp:
        return stamp_after(now.field_times.get(name, now.changed_at), latest, device)

    fields = {
        name: StampedValue(
            was.stamp
            if (was := known.fields.get(name)) is not None and was.value == digest(value)
            else stamp(name),
            value,
        )
        for name, value in now.fields.items()
        if name in known.fields  # what was never sent here is not known by being empty
    }
    sets = {
        name: _observed_set(known.sets.get(name, {}), values, stamp(name))
        for name, values in now.sets.items()
    }
    texts, seen = _observed_text(known, now, stamp("content"))
    counts = _observed_counts(known, now.counts, device)
    return SyncRecord(now.kind, now.id, known.base, now.born, fields, sets, counts, texts, seen)


def _first_record(now: CurrentValues, device: str) -> SyncRecord:
    base = Stamp(now.changed_at, 0, device)
    return SyncRecord(
        now.kind,
        now.id,
        base,
        now.born,
        {name: StampedValue(base, value) for name, value in now.fields.items()},
        {
            name: {element_key(value): Element(base, True, value) for value in values}
            for name, values in now.sets.items()
        },
        {device: now.counts} if now.counts else {},
        {} if now.text is None else {base: now.text},
        {} if now.text is None else {device: (base.time, base.tick)},
    )


def _observed_set(
    known: Mapping[str, Element], values: list[Any], stamp: Stamp
) -> dict[str, Element]:
    there = {element_key(value): value for value in values}
    found: dict[str, Element] = {}
    for key, value in there.items():
        was = known.get(key)
        found[key] = Element(was.stamp if was and was.present else stamp, True, value)
    for key, was in known.items():
        if key not in there:
            found[key] = Element(stamp, False) if was.present else was
    return found


def _observed_text(
    known: SyncRecord, now: CurrentValues, stamp: Stamp
) -> tuple[dict[Stamp, TextVersion], dict[str, tuple[int, int]]]:
    """A content that was changed here replaces the one that was shown, and no other."""
    seen, shown = dict(known.seen), known.shown
    texts = {
        one: TextVersion(now.other_texts.get(one, version.text), version.by)
        for one, version in known.texts.items()
    }
    if now.text is None or shown is None:  # its words were never sent to this replica
        return texts, seen
    if digest(now.text.text) != texts[shown].text:
        del texts[shown]
        texts[stamp] = now.text
        seen[stamp.device] = (stamp.time, stamp.tick)
    else:
        texts[shown] = TextVersion(now.text.text, texts[shown].by)
    return texts, seen


def _observed_counts(known: SyncRecord, now: Counts, device: str) -> dict[str, Counts]:
    """What was counted here since then is this device's own."""
    counts = dict(known.counts)
    if not now:
        return counts
    mine = counts.get(device, (0,) * len(now))
    used = len(COUNTED)
    more = [max(0, now[place] - known.total(place)) for place in range(used)]
    last = now[used] if now[used] > known.used_at else mine[used]
    if any(more) or last != mine[used]:
        counts[device] = (*(had + new for had, new in zip(mine, more, strict=False)), last)
    return counts
