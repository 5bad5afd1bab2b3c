"""Replicas that exchange records converge, whatever happens to them and to their messages."""

from dataclasses import replace
from functools import reduce
from itertools import permutations
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from recollect.sync.records import (
    COUNTED,
    MEMORY,
    CurrentValues,
    SyncRecord,
    TextVersion,
    digest,
    erased_record,
    merge,
    observe,
    resolved,
    stamp_after,
)
from recollect.sync.wire import decoded_state, state_of

DAY: Final = 86_400_000_000
#: The clocks of three devices are up to three days apart.
SKEW: Final = {"a": 3 * DAY, "b": 0, "c": -3 * DAY}


def without_words(record: SyncRecord) -> SyncRecord:
    """What a store keeps of a record to notice changes by."""
    return decoded_state(state_of(record))


#: What the last writer decides, and what is united.
FIELDS: Final = ("pinned", "superseded_by", "valid_to")
SETS: Final = ("tags", "relations")


class Replica:
    """A store in small: rows that people change, and what sync keeps beside them."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.rows: dict[str, dict[str, Any]] = {}
        self.known: dict[str, SyncRecord] = {}
        self.others: dict[str, dict[Any, str]] = {}
        #: What is to be told to the server.
        self.untold: set[str] = set()
        self.asked: list[tuple[str, frozenset[str]]] = []
        #: The messages of the server that were taken so far.
        self.taken = 0

    def capture(self, id: str, now: int) -> SyncRecord:
        known = self.known.get(id)
        row = self.rows.get(id)
        if row is None or (known is not None and known.erased):
            self.rows.pop(id, None)
            if known is not None and known.erased:
                return known
            stamp = stamp_after(now, known.latest if known else None, self.device)
            return self.keep(erased_record(MEMORY, id, stamp))
        values = CurrentValues(
            MEMORY,
            id,
            {"owner": "ann"},
            {name: row[name] for name in FIELDS},
            {name: sorted(row[name]) for name in SETS},
            row["at"],
            TextVersion(row["text"], self.device),
            (*row["counts"], row["used"]),
            other_texts=self.others.get(id, {}),
        )
        return self.keep(observe(known, values, self.device))

    def keep(self, record: SyncRecord) -> SyncRecord:
        """Write a record over its rows, as applying one does."""
        self.known[record.id] = without_words(record)
        if record.erased:
            self.rows.pop(record.id, None)
            self.others.pop(record.id, None)
            return record
        shown = record.shown
        assert shown is not None
        at = self.rows.get(record.id, {}).get("at", record.base.time)
        self.rows[record.id] = {
            "text": record.texts[shown].text,
            **{name: record.fields[name].value for name in FIELDS},
            **{name: set(record.elements(name)) for name in SETS},
            "counts": tuple(record.total(place) for place in range(len(COUNTED))),
            "used": record.used_at,
            "at": at,
        }
        self.others[record.id] = {
            stamp: one.text for stamp, one in record.texts.items() if stamp != shown
        }
        return record

    def receive(self, record: SyncRecord, now: int) -> SyncRecord:
        """Merge what came with what is here."""
        here = record.id in self.rows or record.id in self.known
        own = self.capture(record.id, now) if here else None
        merged = record if own is None else merge(own, record)
        if merged.in_conflict and (own is None or own.texts.keys() != merged.texts.keys()):
            self.asked.append((record.id, frozenset(map(str, merged.texts))))
        return self.keep(merged)


def edited(replica: Replica, id: str, now: int, **values: Any) -> None:
    row = replica.rows.get(id)
    if row is not None:
        replica.rows[id] = {**row, **values, "at": now}
        replica.untold.add(id)


@composite
def stories(draw: DrawFn) -> list[tuple[Any, ...]]:
    acts = st.sampled_from(
        (
            *("new", "text", "text", "pin", "tag", "untag", "count", "forget", "resolve"),
            *("supersede", "end", "relate", "unrelate"),
        )
    )
    exchange = st.tuples(
        st.just("sync"),
        st.sampled_from("abc"),
        st.sampled_from(("whole", "whole", "push lost", "answer lost", "push twice")),
    )
    step = st.one_of(
        st.tuples(acts, st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 5)),
        st.tuples(st.just("text"), st.sampled_from("abc"), st.just(0), st.integers(0, 5)),
        exchange,
    )
    # All three know one memory at first: without that, hardly two ever change the same one.
    begun = [("new", "a", 0, 0), *(("sync", device, "whole") for device in "abca")]
    return [*begun, *draw(st.lists(step, min_size=8, max_size=60))]


class World:
    """Three devices and the server between them."""

    def __init__(self) -> None:
        self.devices = {name: Replica(name) for name in "abc"}
        self.server = Replica("s")
        #: What the server has to tell, in order; whoever told it is not told again.
        self.log: list[tuple[str, str | None]] = []
        self.forgotten: set[str] = set()
        #: Every content that somebody wrote, by memory, and those that somebody saw and replaced.
        self.written: dict[str, set[str]] = {}
        self.replaced: dict[str, set[str]] = {}
        self.told: dict[str, int] = {}

    def act(self, number: int, act: str, device: str, which: int, what: int) -> None:
        replica = self.devices[device]
        now = number * 1_000_000 + SKEW[device] + 4 * DAY
        id = f"mem_{which}"
        row = replica.rows.get(id)
        if act == "new" and not any(id in one.rows or id in one.known for one in self.everyone):
            row = {"text": f"{id} {number}", **dict.fromkeys(FIELDS), "at": now}
            sets: dict[str, set[str]] = {name: set() for name in SETS}
            replica.rows[id] = {**row, **sets, "counts": (0, 0, 0, 0, 1), "used": 0}
            replica.untold.add(id)
            self.written[id] = {f"{id} {number}"}
        elif row is not None and act in ("forget", "resolve", "count"):
            getattr(self, f"_{act}")(replica, id, now, what)
        elif row is not None and act == "text":
            self.replaced.setdefault(id, set()).add(row["text"])
            edited(replica, id, now, text=f"{id} {number}")
            self.written[id].add(f"{id} {number}")
        elif row is not None and act != "new":
            changes = {
                "pin": {"pinned": what % 2 == 0 or None},
                "tag": {"tags": row["tags"] | {f"t{what}"}},
                "untag": {"tags": row["tags"] - {f"t{what}"}},
                "supersede": {"superseded_by": f"mem_{what}", "valid_to": now},
                "end": {"valid_to": now + what if what else None},
                "relate": {"relations": row["relations"] | {f"derived_from mem_{what}"}},
                "unrelate": {"relations": row["relations"] - {f"derived_from mem_{what}"}},
            }
            edited(replica, id, now, **changes[act])

    def _count(self, replica: Replica, id: str, now: int, what: int) -> None:
        row = replica.rows[id]
        counts = tuple(count + what for count in row["counts"])
        self.told[id] = self.told.get(id, 0) + what
        replica.rows[id] = {**row, "counts": counts, "used": max(row["used"], now)}
        replica.untold.add(id)

    def _forget(self, replica: Replica, id: str, now: int, _: int) -> None:
        replica.capture(id, now)
        del replica.rows[id]
        replica.untold.add(id)
        self.forgotten.add(id)

    def _resolve(self, replica: Replica, id: str, now: int, what: int) -> None:
        record = replica.capture(id, now)
        if record.in_conflict:
            seen = {one.text for one in record.texts.values()}
            self.replaced.setdefault(id, set()).update(seen)
            text = f"{id} decided {now} {what}"
            stamp = stamp_after(now, record.latest, replica.device)
            replica.keep(resolved(record, text, replica.device, stamp))
            replica.untold.add(id)
            self.written[id].add(text)

    @property
    def everyone(self) -> list[Replica]:
        return [*self.devices.values(), self.server]

    def sync(self, number: int, device: str, fate: str) -> None:
        """One exchange, of which parts may be lost or come twice."""
        replica = self.devices[device]
        now = number * 1_000_000 + SKEW[device] + 4 * DAY
        sent = {id: replica.capture(id, now) for id in replica.untold}
        if fate == "push lost":
            return
        for _ in range(2 if fate == "push twice" else 1):
            for id, record in sent.items():
                before = self.server.known.get(id)
                merged = self.server.receive(record, now)
                if before is None or without_words(merged) != before:
                    self.log.append((id, device if merged == record else None))
        if fate == "answer lost":
            return
        replica.untold -= sent.keys()
        for id, origin in self.log[replica.taken :]:
            if origin != device:
                replica.receive(self.server.capture(id, now), now)
        replica.taken = len(self.log)


@settings(max_examples=100, deadline=None)
@given(stories())
def test_three_devices_converge(story: list[tuple[Any, ...]]) -> None:
    world = World()
    for number, (act, *rest) in enumerate(story):
        if act == "sync":
            world.sync(number, *rest)
        else:
            world.act(number, act, *rest)
    for turn in range(3):
        for device in "abc":
            world.sync(len(story) + turn, device, "whole")
    shown = [
        {
            id: {**row, "at": 0, "others": sorted(one.others[id].values())}
            for id, row in one.rows.items()
        }
        for one in world.everyone
    ]
    assert all(rows == shown[0] for rows in shown), "differing"
    assert not world.forgotten & shown[0].keys(), "returned"
    for id, texts in world.written.items():
        if id in world.forgotten:
            continue
        kept = {shown[0][id]["text"], *shown[0][id]["others"]}
        assert texts - world.replaced.get(id, set()) <= kept, "lost"
        assert shown[0][id]["counts"][0] == world.told.get(id, 0)
    for one in world.everyone:
        assert len(one.asked) == len(set(one.asked)), "asked twice"
    asked = [list(one.asked) for one in world.everyone]
    for device in "abc":
        world.sync(len(story) + 3, device, "whole")
    assert [one.asked for one in world.everyone] == asked, "asked about what is settled"


@settings(max_examples=40, deadline=None)
@given(stories())
def test_merging_is_the_same_in_every_order(story: list[tuple[Any, ...]]) -> None:
    world = World()
    for number, (act, *rest) in enumerate(story):
        if act == "sync":
            world.sync(number, *rest)
        else:
            world.act(number, act, *rest)
    for id in {id for one in world.everyone for id in one.rows.keys() | one.known.keys()}:
        records = [
            one.capture(id, len(story) * 1_000_000)
            for one in world.everyone
            if id in one.rows or id in one.known
        ]
        results = [reduce(merge, order) for order in permutations(records)]
        assert all(result == results[0] for result in results)
        assert merge(results[0], results[0]) == results[0]
        assert all(merge(results[0], record) == results[0] for record in records)


def test_a_tombstone_holds_no_words() -> None:
    now = CurrentValues(
        MEMORY,
        "mem_1",
        {"owner": "ann"},
        {"pinned": True},
        {"tags": ["x"]},
        5,
        TextVersion("the words", "ann"),
        (0, 0, 0, 0, 1, 0),
    )
    record = observe(None, now, "a")
    stone = erased_record(MEMORY, "mem_1", stamp_after(9, record.latest, "b"))
    assert merge(record, stone) == merge(stone, record) == stone
    assert stone == SyncRecord(MEMORY, "mem_1", stone.base, erased=stone.base)
    assert str(digest("the words")) in str(without_words(record))
    assert "words" not in str(without_words(record))
    later = replace(now, sets={"tags": []}, changed_at=8)
    removed = observe(without_words(record), later, "a")
    assert [one.value for one in removed.sets["tags"].values()] == [None]
