"""Sync records (CRDTs): the replicated state of one item, and the merge of two replicas' records.

A record holds the item with a *stamp* on every part that may change. ``merge`` takes the later of
two fields, unites sets element by element, adds up what each device counted, keeps both texts where
neither replaces the other, and lets an erasure win over everything. It is commutative, associative
and idempotent, so replicas that have seen the same changes are equal, in whatever order and however
often the changes came.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple

MEMORY: Final = "memory"
EVENT: Final = "event"
STREAM: Final = "stream"
#: The immutable field that versions before did not keep.
PHASE: Final = "phase"
#: Kinds in the order in which they are applied: those that others refer to come first.
KINDS: Final = (STREAM, EVENT, MEMORY)

#: Counters of a memory; each device counts for itself.
COUNTED: Final = ("access", "retrieval", "citation", "ignore", "told")


class Stamp(NamedTuple):
    """Hybrid logical timestamp of a change: when and on which device.

    Its time is the device's own clock, but never before any stamp the device had seen. So a change
    of something seen always comes after it, however wrong the clock is.
    """

    time: int  # microseconds
    tick: int
    device: str

    def __str__(self) -> str:
        return f"{self.time}.{self.tick}.{self.device}"


def stamp_after(wall: int, seen: Stamp | None, device: str) -> Stamp:
    """The stamp of a change made at this wall time on a device that had seen another stamp."""
    if seen is None or wall > seen.time:
        return Stamp(wall, 0, device)
    return Stamp(seen.time, seen.tick + 1, device)


def read_stamp(text: str) -> Stamp:
    """Parse a stamp; ValueError if the text is not one."""
    time, tick, device = text.split(".", 2)
    if not device or len(text) > _LONGEST_STAMP:
        raise ValueError(text)
    return Stamp(int(time), int(tick), device)


_LONGEST_STAMP: Final = 120


class StampedValue(NamedTuple):
    """A field value; the last writer wins."""

    stamp: Stamp
    value: Any


class Element(NamedTuple):
    """One element of a set: present or removed. A removed element keeps no text."""

    stamp: Stamp
    present: bool
    value: Any = None


class TextVersion(NamedTuple):
    """A content version and its author."""

    text: str
    by: str


Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """The state of one item as a replica knows it."""

    kind: str
    id: str
    #: Stamp of every part that was never changed since creation.
    base: Stamp
    #: Immutable fields: owner and origin.
    born: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, StampedValue] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, Element]] = field(default_factory=dict)
    #: Counts of each device, in the order of ``COUNTED``, and when it last used the item.
    counts: Mapping[str, Counts] = field(default_factory=dict)
    #: Contents that no other replaced; two or more different ones are a conflict.
    texts: Mapping[Stamp, TextVersion] = field(default_factory=dict)
    #: Last content stamp of each device that is taken into account.
    seen: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    erased: Stamp | None = None

    @property
    def latest(self) -> Stamp:
        """The latest stamp in the record."""
        stamps = [self.base, *(one.stamp for one in self.fields.values())]
        stamps += [one.stamp for some in self.sets.values() for one in some.values()]
        stamps += [Stamp(*mark, device) for device, mark in self.seen.items()]
        if self.erased is not None:
            stamps.append(self.erased)
        return max(stamps)

    @property
    def shown(self) -> Stamp | None:
        """Stamp of the content that is shown: the latest."""
        return max(self.texts, default=None)

    @property
    def in_conflict(self) -> bool:
        """Whether there are different contents of which neither replaced the other."""
        return len({version.text for version in self.texts.values()}) > 1

    def total(self, place: int) -> int:
        """Sum of one counter over all devices."""
        return sum(counted[place] for counted in self.counts.values())

    @property
    def used_at(self) -> int:
        """When any device last used the item; 0 for never."""
        return max((counted[len(COUNTED)] for counted in self.counts.values()), default=0)

    def elements(self, name: str) -> list[Any]:
        """The present elements of a set."""
        return [one.value for one in self.sets.get(name, {}).values() if one.present]


def merge(one: SyncRecord, other: SyncRecord) -> SyncRecord:
    """Merge the records of two replicas."""
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
        {**_remaining_texts(one, other), **_remaining_texts(other, one)},
        _later_marks(one.seen, other.seen),
    )


def erased_record(kind: str, id: str, stamp: Stamp) -> SyncRecord:
    """The record of an erased item: no text."""
    return SyncRecord(kind, id, stamp, erased=stamp)


def resolved(record: SyncRecord, text: str, by: str, stamp: Stamp) -> SyncRecord:
    """The record with one content in place of all contents it had."""
    return replace(
        record,
        texts={stamp: TextVersion(text, by)},
        seen=_later_marks(record.seen, {stamp.device: (stamp.time, stamp.tick)}),
    )


def _either(one: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """Immutable fields of either record. They should be equal; if not, every replica picks the
    same. The phase is kept from either: versions before did not know it.
    """
    if not one or not other or one == other:
        return one or other
    picked = max(without_phase(one), without_phase(other), key=canonical)
    phases = [fields[PHASE] for fields in (one, other) if fields.get(PHASE) is not None]
    return {**picked, PHASE: max(phases, key=canonical)} if phases else picked


def without_phase(born: Mapping[str, Any]) -> Mapping[str, Any]:
    """Immutable fields without the phase, which versions before did not keep."""
    return {name: value for name, value in born.items() if name != PHASE}


def same_born(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records agree on what never changes; a phase that one does not know is no
    difference."""
    if one.get(PHASE) is None or other.get(PHASE) is None:
        return without_phase(one) == without_phase(other)
    return dict(one) == dict(other)


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
    """The larger counts of two reports: a device's counts only grow, so the larger is the later."""
    found = dict(one)
    for device, theirs in other.items():
        mine = found.get(device, theirs)
        found[device] = tuple(max(pair) for pair in zip(mine, theirs, strict=True))
    return found


def _remaining_texts(one: SyncRecord, other: SyncRecord) -> dict[Stamp, TextVersion]:
    """The contents of one record that the other also has, or has never seen."""
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


#: Created once: it is used for every field of every record.
_CANONICAL: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical(value: Any) -> str:
    """JSON text of a value that is the same on every machine."""
    return _CANONICAL.encode(value)


def digest(value: Any) -> str | None:
    """Short digest of a value, to detect changes; None for None."""
    if value is None:
        return None
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def element_key(value: Any) -> str:
    """Name of an element of a set; contains no text of the element."""
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# --- local changes since the last capture ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurrentValues:
    """An item as its database rows have it now."""

    kind: str
    id: str
    born: Mapping[str, Any]
    fields: Mapping[str, Any]
    sets: Mapping[str, list[Any]]
    #: When the item, and single fields of it, were last changed, in microseconds.
    changed_at: int
    text: TextVersion | None = None
    counts: Counts = ()
    field_times: Mapping[str, int] = field(default_factory=dict)
    #: Contents in conflict with the one that is shown.
    other_texts: Mapping[Stamp, str] = field(default_factory=dict)


def observe(known: SyncRecord | None, now: CurrentValues, device: str) -> SyncRecord:
    """The record of an item from its current rows: whatever differs from the known state is new.

    ``known`` has digests in place of values, as made by ``wire.state_of``.
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
        if name in known.fields  # a field that was never sent here is not known to be empty
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
    """Texts and seen stamps: a content changed here replaces only the one that was shown."""
    seen, shown = dict(known.seen), known.shown
    texts = {
        one: TextVersion(now.other_texts.get(one, version.text), version.by)
        for one, version in known.texts.items()
    }
    if now.text is None or shown is None:  # its text was never sent to this replica
        return texts, seen
    if digest(now.text.text) != texts[shown].text:
        del texts[shown]
        texts[stamp] = now.text
        seen[stamp.device] = (stamp.time, stamp.tick)
    else:
        texts[shown] = TextVersion(now.text.text, texts[shown].by)
    return texts, seen


def _observed_counts(known: SyncRecord, now: Counts, device: str) -> dict[str, Counts]:
    """Counts of each device; the increase since the known state is this device's own."""
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
