"""Server side of sync: applies a page of changes from a device and answers with a page.

One request does both, so that an idle sync is one short request. The answer may be asked for again:
a device sends the cursor of the last answer that it stored.
"""

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from recollect.index.analyser import analyse
from recollect.storage.access.visibility_filter import acquire_locks, visible_ids
from recollect.storage.database import Database, Transaction
from recollect.storage.space_clock import number_and_clock
from recollect.storage.sync import item_rows, items
from recollect.sync.authorisation import SenderRights
from recollect.sync.records import EVENT, KINDS, MEMORY, STREAM, SyncRecord
from recollect.sync.replica import FEW_RECORDS, PAGE, Incoming, Replica
from recollect.sync.replica_writer import PageResult, RefusedRecord, SyncedSpace
from recollect.sync.wire import PROTOCOL, check_protocol, decode, encode
from recollect.trust.authorisation import access_of, require_role
from recollect.trust.secrets import load_bulk_scanner, safe_name
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InvalidInput, NotAllowed
from recollect.vocabulary.spaces import Role, Space

#: Maximum number of changes accepted per request, and of waiting local changes captured with it.
MAX_CHANGES: Final = 2_000
_MAX_ANSWER_CHARACTERS: Final = 4_000_000  # characters of an answer
#: A device's last-seen time is written at most this often, not with every idle request.
_SEEN_INTERVAL: Final = 3_600_000_000  # microseconds
_DEVICE_LIMIT: Final = 60


class _Request(NamedTuple):
    """The request of a device."""

    device: str
    since: str | None
    changes: list[SyncRecord]
    unreadable: list[RefusedRecord]
    limit: int


class SyncServer:
    """Exchanges changes with devices."""

    def __init__(
        self,
        database: Database,
        replica: Replica,
        clock: Clock,
        model_id: Callable[[], str | None],
    ) -> None:
        self._database = database
        self._replica = replica
        self._clock = clock
        self._model_id = model_id

    def exchange(self, viewer: Viewer, space: Space, document: Any) -> dict[str, Any]:
        """Apply the changes that a device sent and answer with the changes that it lacks."""
        request = _read(document)
        if not request.changes:
            with self._database.reading(all_spaces=True) as transaction:
                idle = self._idle(transaction, viewer, space, request)
            if idle is not None:
                return idle
        if len(request.changes) > FEW_RECORDS:
            load_bulk_scanner()
        prepared = self._replica.prepare(
            space.id, request.changes, _vectors(document, self._model_id())
        )

        def work(transaction: Transaction) -> tuple[dict[str, Any], PageResult]:
            acquire_locks(transaction, [space.id])
            access = _access(transaction, viewer, space)
            device = self._enrolled(transaction, access, request)
            where = SyncedSpace(transaction, space.id, device)
            before = self._replica.capture(where, MAX_CHANGES)
            now = to_microseconds(self._clock())
            rights = SenderRights(transaction, access, now, device, prepared)
            page = self._replica.take(
                where,
                Incoming(
                    request.changes,
                    request.device,
                    viewer.user,
                    rights.judge,
                    prepared,
                    counts_of=request.device,
                ),
            )
            page.erased_texts += before.erased_texts
            page.erased_ids += before.erased_ids
            visible = frozenset(visible_ids(transaction, access))
            answer = self._answer(where, access, request, visible)
            page.refused += request.unreadable
            answer["refused"] = self._refusals(where, page, visible)
            return answer, page

        answer, page = self._database.write(work, all_spaces=True)
        finish_erasure(self._database, space.id, page)
        return answer

    def _idle(
        self, transaction: Transaction, viewer: Viewer, space: Space, request: _Request
    ) -> dict[str, Any] | None:
        """The answer if neither the device nor this store has anything new; None otherwise."""
        access = _access(transaction, viewer, space)
        device = items.device_of(transaction, space.id)
        known = items.peers_of(transaction, space.id).get(request.device)
        if device is None or known is None or items.pending_changes(transaction, space.id, 1):
            return None
        if known.user != viewer.user or request.since is None:
            return None
        now = to_microseconds(self._clock())
        if known.synced_at is None or now - to_microseconds(known.synced_at) > _SEEN_INTERVAL:
            return None
        visible = frozenset(visible_ids(transaction, access))
        after = _after(request.since, visible)
        if after is None or items.items_since(transaction, space.id, after, request.device, 1):
            return None
        if number_and_clock(transaction, space.id)[1] < after:
            return None
        rest = {"changes": [], "cursor": request.since, "more": False, "refused": []}
        return {**_head(device, access), **rest}

    def _enrolled(self, transaction: Transaction, access: Access, request: _Request) -> str:
        """This store's device name in the space; registers the device if it is new."""
        now = self._clock()
        device = items.device_of(transaction, access.space_id)
        if device is None:
            device = new_device(f"server {access.space_id} {now.isoformat()}")
            items.begin_sync(transaction, access.space_id, device, now)
        known = items.peers_of(transaction, access.space_id).get(request.device)
        if known is not None and known.user != access.viewer.user:
            raise NotAllowed(
                "This device was enrolled by another person. Nothing was exchanged.",
                hint="Sync from a file of your own.",
            )
        peer = items.Peer(request.device, "device", access.viewer.user, synced_at=now)
        items.put_peer(transaction, access.space_id, peer)
        return device

    def _answer(
        self,
        where: SyncedSpace,
        access: Access,
        request: _Request,
        visible: frozenset[int],
    ) -> dict[str, Any]:
        transaction, space_id, device = where
        found = None if request.since is None else _after(request.since, visible)
        _, clock = number_and_clock(transaction, space_id)
        lost = found is not None and found > clock  # older than its own answer: a restored backup
        after = 0 if found is None or lost else found
        rows = items.items_since(transaction, space_id, after, request.device, request.limit)
        records = self._visible(where, rows, visible, after)
        sent, last, cut = _fitting(rows, records)
        if not cut and len(rows) < request.limit:
            last = max(last, after, items.last_version(transaction, space_id))
        waiting = bool(items.pending_changes(transaction, space_id, 1))
        return {
            **_head(device, access),
            "changes": [encode(record) for record in sent],
            "cursor": f"{last}.{_visibility_digest(visible, last)}",
            "more": cut or len(rows) == request.limit or waiting,
            "restart": lost,
        }

    def _visible(
        self, where: SyncedSpace, rows: Sequence[Any], visible: frozenset[int], after: int
    ) -> dict[tuple[str, str], SyncRecord]:
        """The visible records of rows, and of items they refer to that are equally new."""
        transaction, space_id, _ = where
        records = self._replica.outgoing(where, rows)
        found = {(one.kind, one.id): one for one in records}
        for kind in (EVENT, STREAM, STREAM):  # events of memories, streams of both, their parents
            missing = [id for id in _pointed_at(found.values(), kind) if (kind, id) not in found]
            more = items.items_of(transaction, space_id, kind, missing).values()
            newer = [row for row in more if row.version > after]
            for one in self._replica.outgoing(where, newer):
                found[kind, one.id] = one
        for kind in KINDS:
            ids = [id for one, id in found if one == kind]
            audiences = item_rows.audiences_of(transaction, space_id, kind, ids)
            for id in ids:
                if not found[kind, id].erased and audiences.get(id) not in visible:
                    del found[kind, id]
        return found

    def _refusals(
        self, where: SyncedSpace, page: PageResult, visible: frozenset[int]
    ) -> list[dict[str, Any]]:
        """The refused records with reasons, each with this store's version if it may be seen."""
        refusals: list[dict[str, Any]] = []
        for refusal in page.refused:
            rows = items.items_of(where.transaction, where.space_id, refusal.kind, [refusal.id])
            found = self._visible(where, list(rows.values()), visible, 0)
            record = found.get((refusal.kind, refusal.id))
            instead = None if record is None else encode(record)
            refusals.append({**refusal._asdict(), "instead": instead})
        return refusals


def finish_erasure(database: Database, space_id: str, page: PageResult) -> None:
    """Erase from the database files, after the transaction, what a page erased."""
    if page.erased_ids:
        database.erasure.finish(
            space_id, page.erased_texts, page.erased_ids, analyse=analyse, waits=False
        )


def new_device(seed: str) -> str:
    """A unique name for a device."""
    from os import urandom

    return blake2b(seed.encode() + urandom(16), digest_size=8).hexdigest()


def _head(device: str, access: Access) -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "server": device,
        "space": access.space_id,
        "user": access.viewer.user,
        "role": None if access.role is None else access.role.value,
    }


def _access(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    """The viewer's access in the space, with system rights: visibility is checked row by row."""
    access = access_of(transaction, viewer, space)
    return require_role(access, Role.READER, "sync")


def _read(document: Any) -> _Request:
    if not isinstance(document, Mapping):
        raise InvalidInput("A sync request must be a JSON object. Nothing was exchanged.")
    check_protocol(document.get("protocol"), "device")
    device, since = document.get("device"), document.get("since")
    changes, limit = document.get("changes", []), document.get("limit", PAGE)
    if not isinstance(changes, list) or len(changes) > MAX_CHANGES:
        raise InvalidInput(
            f"At most {MAX_CHANGES:,} changes are taken at once. Nothing was exchanged."
        )
    if not isinstance(limit, int) or not 1 <= limit <= MAX_CHANGES:
        raise InvalidInput(f"An answer has 1 to {MAX_CHANGES:,} changes. Nothing was exchanged.")
    if not isinstance(device, str) or not device.isalnum() or len(device) > _DEVICE_LIMIT:
        raise InvalidInput(
            "The name of a device consists of letters and digits. Nothing was exchanged."
        )
    if since is not None and not isinstance(since, str):
        raise InvalidInput("That cursor was not given by a sync.")
    safe_name(device, "device")
    records: list[SyncRecord] = []
    unreadable: list[RefusedRecord] = []
    for one in changes:
        try:
            records.append(decode(one))
        except InvalidInput as error:
            id = str(one.get("id", "?"))[:80] if isinstance(one, Mapping) else "?"
            unreadable.append(RefusedRecord("unknown", id, error.message))
    return _Request(device, since, records, unreadable, limit)


def _vectors(document: Mapping[str, Any], model: str | None) -> dict[str, bytes]:
    """Embedding vectors sent with the changes; used only if both stores use the same model."""
    found: dict[str, bytes] = {}
    for one in document.get("changes", ()):
        sent = one.get("vector") if isinstance(one, Mapping) else None
        if isinstance(sent, list) and len(sent) == 2 and sent[0] == model:
            try:
                found[str(one.get("id"))] = b64decode(str(sent[1]), validate=True)
            except ValueError:
                continue
    return found


def _after(cursor: str, visible: frozenset[int]) -> int | None:
    """The version a device has synced to; None if its visible audiences changed since, which forces
    a full resync.
    """
    version, _, digest = cursor.partition(".")
    if not version.isdigit() or len(version) > 18:
        raise InvalidInput("That cursor was not given by a sync.")
    return int(version) if digest == _visibility_digest(visible, int(version)) else None


def _visibility_digest(visible: frozenset[int], version: int) -> str:
    """Digest of the audiences visible now that existed at a version."""
    known = ",".join(str(one) for one in sorted(visible) if one <= version)
    return blake2b(known.encode(), digest_size=6).hexdigest()


def _fitting(
    rows: Sequence[Any], records: Mapping[tuple[str, str], SyncRecord]
) -> tuple[list[SyncRecord], int, bool]:
    """As many records as fit into an answer, the version of the last, and whether some were left
    out.
    """
    weight, last = 0, 0
    kept: list[str] = []
    cut = False
    for row in rows:
        record = records.get((row.kind, row.item_id))
        if record is not None:
            weight += sum(len(version.text) for version in record.texts.values())
            weight += len(str(record.fields["text"].value)) if "text" in record.fields else 0
            if weight > _MAX_ANSWER_CHARACTERS and kept:
                cut = True
                break
            kept.append(row.item_id)
        last = row.version
    wanted = set(kept)
    listed = {row.item_id for row in rows}
    sent = [one for (_, id), one in records.items() if id in wanted or id not in listed]
    return sorted(sent, key=lambda one: KINDS.index(one.kind)), last, cut


def _pointed_at(records: Any, kind: str) -> list[str]:
    found: dict[str, None] = {}
    for record in records:
        if kind == EVENT and record.kind == MEMORY:
            found.update(dict.fromkeys(map(str, record.elements("events"))))
        if kind == STREAM:
            homes = (record.born.get(name) for name in ("stream", "parent"))
            found.update((home, None) for home in homes if home is not None)
    return list(found)
