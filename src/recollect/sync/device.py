"""Device side of sync: pushes local changes, pulls remote changes, and resumes after a crash.

A page is selected and recorded as sent before its first byte leaves; the answer and its cursor are
stored in one transaction. So the process may die at any point: the next run sends the same page
again, or asks for the same answer again, and neither is applied twice. Both sides work in parallel:
the device selects the next page while the server processes this one.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from recollect.memories.writer import MemoryWriter
from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.sync import items
from recollect.sync.conflicts import ContentConflicts
from recollect.sync.connection import ServerConnection, checked_address
from recollect.sync.conversions import memory_of
from recollect.sync.privacy import Privacy, stream_ids_of
from recollect.sync.records import KINDS, MEMORY, STREAM, SyncRecord, canonical
from recollect.sync.replica import FEW_RECORDS, PAGE, Incoming, Replica
from recollect.sync.replica_writer import PageResult, RefusedRecord, SyncedSpace
from recollect.sync.server import SyncServer, finish_erasure, new_device
from recollect.sync.wire import PROTOCOL, check_protocol, decode, encode
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import load_bulk_scanner
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Conflict, InvalidInput, SyncFailed
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.sync import (
    PreviewedItem,
    SyncOptions,
    SyncPreview,
    SyncReport,
    SyncStatus,
)

#: Name that every device uses for its server.
SERVER: Final = "server"
#: Items captured at once: one page, so that what was just captured need not be read again.
_CAPTURED: Final = PAGE
#: Called with the numbers of items sent and received so far.
Progress = Callable[[int, int], None]


class _OutgoingPage(NamedTuple):
    """A page of changes to send."""

    peer: items.Peer
    device: str
    #: Version up to which all changes were examined.
    version: int
    leaving: list[dict[str, Any]]
    stayed: Counter[str]
    more: bool


@dataclass(slots=True)
class _Tally:
    pushed: int = 0
    pulled: int = 0
    stayed: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, None] = field(default_factory=dict)

    def add(self, chosen: _OutgoingPage, page: PageResult) -> None:
        """Count a page that was sent and the page received in answer."""
        self.pushed += len(chosen.leaving)
        self.pulled += page.changed
        self.stayed.update(chosen.stayed)
        self.refused.update((refusal.id, refusal.reason) for refusal in page.refused)
        self.conflicts.update(dict.fromkeys(page.conflicts))


class SyncDevice:
    """Syncs one space of this store with a server."""

    def __init__(
        self,
        database: Database,
        replica: Replica,
        writer: MemoryWriter,
        clock: Clock,
        model_id: Callable[[], str | None],
    ) -> None:
        self._database = database
        self._replica = replica
        self._writer = writer
        self._clock = clock
        self._model_id = model_id

    def sync(
        self,
        viewer: Viewer,
        space: Space,
        address: str | None,
        token: str,
        *,
        options: SyncOptions | None = None,
        remote_space: str | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Exchange pages until neither side has anything new."""
        if not str(token).strip():
            raise InvalidInput("A sync needs an access token of the server.")
        peer, before = self._resolve_peer(viewer, space, address, options, remote_space)
        chosen_options = _options(peer)
        connection = ServerConnection(
            str(peer.address),
            token.strip(),
            space=peer.options.get("space"),
            insecure=chosen_options.insecure,
        )
        tally = _Tally()
        try:
            self._exchange(viewer, space, connection, chosen_options, tally, progress=progress)
        except Exception:
            self._put_back(viewer, space, tried=peer, before=before)
            raise
        finally:
            connection.close()
        return SyncReport(
            tally.pushed,
            tally.pulled,
            connection.requests,
            connection.sent,
            connection.received,
            dict(tally.stayed),
            tally.refused,
            tuple(sorted(tally.conflicts)),
        )

    def _exchange(
        self,
        viewer: Viewer,
        space: Space,
        connection: ServerConnection,
        options: SyncOptions,
        tally: _Tally,
        *,
        progress: Progress | None,
    ) -> None:
        """Send and receive pages until neither side has more.

        The next page is selected while the server processes this one; and while an answer is stored
        here, the server processes the next request. Neither side waits for requests made meanwhile:
        a page that is requested or sent again is applied once.
        """

        def ask(chosen: _OutgoingPage) -> Future[dict[str, Any]]:
            request = {
                "protocol": PROTOCOL,
                "device": chosen.device,
                "since": chosen.peer.pulled,
                "changes": chosen.leaving,
                "limit": PAGE,
            }
            return asker.submit(connection.ask, request)

        with ThreadPoolExecutor(1, "sync") as asker:
            chosen = self._next_page(viewer, space, options)
            asked = ask(chosen)
            while True:
                ahead = self._next_page(viewer, space, options, chosen) if chosen.more else None
                answer = asked.result()
                peer = self._answered(viewer, chosen, answer)
                more = bool(chosen.more or answer.get("more") or answer.get("restart"))
                if answer.get("restart"):
                    ahead = None  # start again from the stored state
                elif more:
                    ahead = (ahead or self._next_page(viewer, space, options, chosen))._replace(
                        peer=peer
                    )
                    asked = ask(ahead)
                tally.add(chosen, self._keep(viewer, space, chosen, peer, answer))
                if not more:
                    return
                if progress is not None:
                    progress(tally.pushed, tally.pulled)
                if ahead is None:
                    ahead = self._next_page(viewer, space, options)
                    asked = ask(ahead)
                chosen = ahead

    # --- before anything is sent ------------------------------------------------------------------

    def _resolve_peer(
        self,
        viewer: Viewer,
        space: Space,
        address: str | None,
        options: SyncOptions | None,
        remote_space: str | None,
    ) -> tuple[items.Peer, items.Peer | None]:
        """The server of the space, as given now or stored before; and the one stored before."""
        with self._database.reading(all_spaces=True) as transaction:
            known = items.peers_of(transaction, space.id).get(SERVER)
        if address is None and known is None:
            raise InvalidInput(
                "This space has no server yet.", hint="Name one: recollect sync URL --token ..."
            )
        wanted = known or items.Peer(SERVER, SERVER, viewer.user)
        kept = dict(wanted.options)
        if address is not None:
            chosen = options or (_options(wanted) if known else SyncOptions())
            clean = checked_address(address, insecure=chosen.insecure)
            if known is not None and known.address != clean:
                wanted, kept = items.Peer(SERVER, SERVER, viewer.user), {}
            wanted = wanted._replace(address=clean)
        if options is not None:
            if known is not None and kept.get("leaves") != _options_document(options):
                wanted = wanted._replace(pushed=0)  # what was held back before may be sent now
            kept["leaves"] = _options_document(options)
        if remote_space is not None:
            kept["space"] = remote_space
        wanted = wanted._replace(options=kept)
        if wanted != known:
            self._database.write(
                lambda transaction: self._enrol(transaction, viewer, space, wanted), all_spaces=True
            )
        return wanted, known

    def _put_back(
        self, viewer: Viewer, space: Space, *, tried: items.Peer, before: items.Peer | None
    ) -> None:
        """Keep the server of before where another one was named and never took part in a sync."""
        if before is None or before.address == tried.address:
            return

        def work(transaction: Transaction) -> None:
            if items.peers_of(transaction, space.id).get(SERVER) == tried:
                self._enrol(transaction, viewer, space, before)

        self._database.write(work, all_spaces=True)

    def _enrol(
        self, transaction: Transaction, viewer: Viewer, space: Space, peer: items.Peer
    ) -> None:
        self._require_owner(transaction, viewer, space)
        if items.device_of(transaction, space.id) is None:
            now = self._clock()
            device = new_device(f"{viewer.user} {space.id} {now.isoformat()}")
            items.begin_sync(transaction, space.id, device, now)
        items.put_peer(transaction, space.id, peer)

    def _require_owner(self, transaction: Transaction, viewer: Viewer, space: Space) -> None:
        """Require the owner of the space: a sync decides for all of it."""
        require_role(authorise(transaction, viewer, space), Role.OWNER, "sync")
        self._database.dialect.bypass_row_security(transaction)

    def _next_page(
        self, viewer: Viewer, space: Space, options: SyncOptions, after: _OutgoingPage | None = None
    ) -> _OutgoingPage:
        """The next page of what may be sent, after another one, recorded as sent."""
        with self._database.reading(all_spaces=True) as transaction:
            peer = items.peers_of(transaction, space.id)[SERVER]
            if after is not None:
                peer = peer._replace(pushed=after.version)
            device = str(items.device_of(transaction, space.id))
            quiet = not items.pending_changes(transaction, space.id, 1) and not items.items_since(
                transaction, space.id, peer.pushed, SERVER, 1
            )
        if quiet:
            return _OutgoingPage(peer, device, peer.pushed, [], Counter(), False)

        def work(transaction: Transaction) -> tuple[_OutgoingPage, PageResult]:
            acquire_locks(transaction, [space.id])
            where = SyncedSpace(transaction, space.id, device)
            captured = self._replica.capture(where, _CAPTURED)
            rows = items.items_since(transaction, space.id, peer.pushed, SERVER, PAGE)
            leaving, stayed = self._sorted(where, viewer, rows, options, captured.captured)
            for kind in KINDS:
                ids = [record.id for record in leaving if record.kind == kind]
                items.mark_shared(transaction, space.id, kind, ids, SERVER)
            version = rows[-1].version if rows else peer.pushed
            more = len(rows) == PAGE or bool(items.pending_changes(transaction, space.id, 1))
            documents = [self._document(record, space.id, options) for record in leaving]
            reasons = Counter(reason for _, reason in stayed)
            return _OutgoingPage(peer, device, version, documents, reasons, more), captured

        chosen, captured = self._database.write(work, all_spaces=True)
        finish_erasure(self._database, space.id, captured)
        return chosen

    def _sorted(
        self,
        where: SyncedSpace,
        viewer: Viewer,
        rows: list[Any],
        options: SyncOptions,
        captured: Mapping[tuple[str, str], SyncRecord] = MappingProxyType({}),
    ) -> tuple[list[SyncRecord], list[tuple[SyncRecord, str]]]:
        """The records to send, and the records held back with their reasons."""
        records = self._replica.outgoing(where, rows, captured)
        shared = {(row.kind, row.item_id) for row in rows if row.shared_with == SERVER}
        if len(records) > FEW_RECORDS:
            load_bulk_scanner()
        homes = {record.id: record for record in records if record.kind == STREAM}
        wanted = [home for home in stream_ids_of(records) if home not in homes]
        more = items.items_of(where.transaction, where.space_id, STREAM, wanted).values()
        for record in self._replica.outgoing(where, more):
            homes[record.id] = record
        privacy = Privacy(viewer.user, options, homes)
        leaving: list[SyncRecord] = []
        staying: list[tuple[SyncRecord, str]] = []
        for record in records:
            reason = privacy.stays(record, known_there=(record.kind, record.id) in shared)
            if reason is None:
                leaving.append(record)
            elif not record.erased:
                staying.append((record, reason))
        return leaving, staying

    def _document(self, record: SyncRecord, space_id: str, options: SyncOptions) -> dict[str, Any]:
        sent = Privacy("", options, {}).sent(record)
        document = encode(sent)
        model = self._model_id()
        if options.vectors_only and record.kind == MEMORY and not record.erased and model:
            vector = self._writer.indexed(memory_of(record, space_id, self._clock(), None)).vector
            if vector is not None:
                document["vector"] = [model, b64encode(vector).decode()]
        return document

    # --- the server's answer ----------------------------------------------------------------------

    def _answered(
        self, viewer: Viewer, chosen: _OutgoingPage, answer: Mapping[str, Any]
    ) -> items.Peer:
        """The state of the server to store once its answer is applied."""
        check_protocol(answer.get("protocol"), "server")
        self._check(viewer, chosen.peer, answer)
        return chosen.peer._replace(
            pushed=0 if answer.get("restart") else chosen.version,
            pulled=str(answer["cursor"]),
            options={**chosen.peer.options, "server": answer["server"]},
        )

    def _keep(
        self,
        viewer: Viewer,
        space: Space,
        chosen: _OutgoingPage,
        peer: items.Peer,
        answer: Mapping[str, Any],
    ) -> PageResult:
        """Apply the answer, and store its cursor."""
        records = [decode(one) for one in answer.get("changes", ())]
        refused = list(answer.get("refused", ()))
        if peer == chosen.peer and not records and not refused:
            return PageResult()
        prepared = self._replica.prepare(space.id, records)

        def work(transaction: Transaction) -> PageResult:
            acquire_locks(transaction, [space.id])
            where = SyncedSpace(transaction, space.id, chosen.device)
            incoming = Incoming(records, SERVER, viewer.user, prepared=prepared)
            page = self._replica.take(where, incoming)
            for refusal_document in refused:
                self._refused(where, viewer, refusal_document, page)
            items.put_peer(transaction, space.id, peer._replace(synced_at=self._clock()))
            return page

        page = self._database.write(work, all_spaces=True)
        finish_erasure(self._database, space.id, page)
        return page

    @staticmethod
    def _check(viewer: Viewer, peer: items.Peer, answer: Mapping[str, Any]) -> None:
        """Check that the same server answers as before, and that the token is the viewer's."""
        if not {"server", "user", "cursor"} <= answer.keys():
            raise SyncFailed("The server gave an answer that is not one of a sync.")
        if answer["user"] != viewer.user:
            raise Conflict(
                f"The token speaks for {answer['user']!r}, and here you are {viewer.user!r}. "
                "Nothing was exchanged.",
                hint=f"Sync with --user {answer['user']}, or with a token of your own.",
            )
        known = peer.options.get("server")
        if known is not None and known != answer["server"]:
            raise Conflict(
                "Another store answers at this address than before. Nothing was exchanged.",
                hint="Check the address and the token; name the address again to begin anew.",
            )

    def _refused(
        self,
        where: SyncedSpace,
        viewer: Viewer,
        refusal_document: Mapping[str, Any],
        page: PageResult,
    ) -> None:
        """Replace what the server refused by the server's version, and record the reason."""
        refusal = RefusedRecord(
            str(refusal_document["kind"]),
            str(refusal_document["id"]),
            str(refusal_document["reason"]),
        )
        if refusal_document.get("instead") is not None:
            incoming = Incoming(
                [decode(refusal_document["instead"])], SERVER, viewer.user, force=True
            )
            taken = self._replica.take(where, incoming)
            page.erased_texts += taken.erased_texts
            page.erased_ids += taken.erased_ids
        items.put_refusal(where.transaction, where.space_id, *refusal)
        page.refused.append(refusal)

    # --- looking ----------------------------------------------------------------------------------

    def preview(
        self, viewer: Viewer, space: Space, *, options: SyncOptions | None = None
    ) -> SyncPreview:
        """Exactly what the next sync would send, and what it would hold back and why. Sends
        nothing.
        """

        def work(transaction: Transaction) -> tuple[SyncPreview, PageResult]:
            self._require_owner(transaction, viewer, space)
            acquire_locks(transaction, [space.id])
            if items.device_of(transaction, space.id) is None:
                now = self._clock()
                items.begin_sync(
                    transaction, space.id, new_device(f"{space.id} {now.isoformat()}"), now
                )
            device = str(items.device_of(transaction, space.id))
            where = SyncedSpace(transaction, space.id, device)
            page = PageResult()
            while items.pending_changes(transaction, space.id, 1):
                found = self._replica.capture(where, _CAPTURED)
                page.erased_texts += found.erased_texts
                page.erased_ids += found.erased_ids
            peer = items.peers_of(transaction, space.id).get(SERVER)
            wanted = options or (SyncOptions() if peer is None else _options(peer))
            again = peer is None or peer.options.get("leaves") != _options_document(wanted)
            after = 0 if peer is None or again else peer.pushed
            return self._previewed(where, viewer, after, wanted), page

        preview, page = self._database.write(work, all_spaces=True)
        finish_erasure(self._database, space.id, page)
        return preview

    def _previewed(
        self, where: SyncedSpace, viewer: Viewer, after: int, options: SyncOptions
    ) -> SyncPreview:
        leaving: list[PreviewedItem] = []
        staying: list[PreviewedItem] = []
        while rows := items.items_since(where.transaction, where.space_id, after, SERVER, PAGE):
            after = rows[-1].version
            goes, stays = self._sorted(where, viewer, rows, options)
            for record in goes:
                sent = canonical(self._document(record, where.space_id, options))
                leaving.append(PreviewedItem(record.kind, record.id, sent))
            for record, reason in stays:
                staying.append(PreviewedItem(record.kind, record.id, "", reason))
        return SyncPreview(tuple(leaving), tuple(staying))

    def status(self, viewer: Viewer, space: Space) -> SyncStatus:
        """The peers of the space, and how many changes are waiting."""
        with self._database.reading(all_spaces=True) as transaction:
            self._require_reader(transaction, viewer, space)
            peers = items.peers_of(transaction, space.id)
            peer = peers.get(SERVER)
            pushed = 0 if peer is None else peer.pushed
            changed = items.count_since(transaction, space.id, pushed, SERVER)
            where = SyncedSpace(transaction, space.id, str(items.device_of(transaction, space.id)))
            waiting = changed + (self._replica.count_changed(where, _CAPTURED) if peer else 0)
            refusals = items.refusals(transaction, space.id)
            return SyncStatus(
                None if peer is None else peer.address,
                items.device_of(transaction, space.id),
                None if peer is None else peer.synced_at,
                0 if peer is None else waiting,
                len(items.memories_in_conflict(transaction, space.id)),
                {item_id: why for _, item_id, why in refusals},
                sum(one.role != SERVER for one in peers.values()),
            )

    def _require_reader(self, transaction: Transaction, viewer: Viewer, space: Space) -> None:
        require_role(authorise(transaction, viewer, space), Role.READER, "see how it is synced")
        self._database.dialect.bypass_row_security(transaction)


def _options_document(options: SyncOptions) -> dict[str, Any]:
    refusal_document = asdict(options)
    return {**refusal_document, "left_out": list(options.left_out)}


def _options(peer: items.Peer) -> SyncOptions:
    refusal_document = peer.options.get("leaves")
    if not refusal_document:
        return SyncOptions()
    return replace(SyncOptions(**refusal_document), left_out=tuple(refusal_document["left_out"]))


@dataclass(frozen=True, slots=True)
class SyncServices:
    """Services of sync: every store can act as a device and as a server."""

    device: SyncDevice
    server: SyncServer
    conflicts: ContentConflicts
