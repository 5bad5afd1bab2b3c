"""Content conflicts after sync: lists the versions side by side; a person resolves each once."""

from collections.abc import Sequence

from recollect.memories.drafts import own_words
from recollect.memories.operations import correctable
from recollect.memories.writer import found
from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.sync import items
from recollect.sync.records import MEMORY, SyncRecord, resolved, stamp_after
from recollect.sync.replica import Replica
from recollect.sync.replica_writer import SyncedSpace
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.sync import ContentConflict, ContentVersion


class ContentConflicts:
    """The memories of a space that have more than one content version."""

    def __init__(self, database: Database, replica: Replica, clock: Clock) -> None:
        self._database = database
        self._replica = replica
        self._clock = clock

    def list(self, viewer: Viewer, space: Space) -> tuple[ContentConflict, ...]:
        """Conflicts that the viewer may see, each with its contents; the content that is shown
        comes first.
        """
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            torn = items.memories_in_conflict(transaction, space.id)
            visible = sorted(reads.get_memories(transaction, access, torn))
            self._database.dialect.bypass_row_security(transaction)
            records = self._records(transaction, space, visible)
        return tuple(_conflict(record) for record in records if record.in_conflict)

    def resolve(
        self,
        viewer: Viewer,
        space: Space,
        memory_id: str,
        *,
        keep: str | None = None,
        content: str | None = None,
    ) -> Memory:
        """Keep one of the contents, named by its version, or replace all of them with a new one."""
        if (keep is None) == (content is None):
            raise InvalidInput("Say which content to keep, or give new content.")
        if content is not None:
            content = own_words(content)
            refuse_secrets([content], "memory")

        def work(transaction: Transaction) -> None:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "resolve")
            correctable(access, found(transaction, access, memory_id))
            self._database.dialect.bypass_row_security(transaction)
            acquire_locks(transaction, [space.id])
            device = items.device_of(transaction, space.id)
            if device is None:
                raise NotFound(f"{memory_id} has no conflict.")
            where = SyncedSpace(transaction, space.id, device)
            self._replica.capture_one(where, MEMORY, memory_id)
            record = next(iter(self._records(transaction, space, [memory_id])), None)
            if record is None or len(record.texts) < 2:
                raise NotFound(f"{memory_id} has no conflict.")
            text = content if content is not None else _kept(record, str(keep))
            now = to_microseconds(self._clock())
            stamp = stamp_after(now, record.latest, device)
            decided = resolved(record, text, viewer.user, stamp)
            self._replica.settle_conflict(where, decided, by=viewer.user)

        self._database.write(work)
        with self._database.reading() as transaction:
            return found(transaction, authorise(transaction, viewer, space), memory_id)

    def _records(
        self, transaction: Transaction, space: Space, ids: Sequence[str]
    ) -> Sequence[SyncRecord]:
        device = str(items.device_of(transaction, space.id))
        rows = items.items_of(transaction, space.id, MEMORY, ids).values()
        return self._replica.outgoing(SyncedSpace(transaction, space.id, device), rows)


def _kept(record: SyncRecord, version: str) -> str:
    for stamp, one in record.texts.items():
        if str(stamp) == version:
            return one.text
    raise NotFound(f"{record.id} has no version {shown(version)}.")


def _conflict(record: SyncRecord) -> ContentConflict:
    first = record.shown
    return ContentConflict(
        record.id,
        tuple(
            ContentVersion(
                str(stamp), one.text, one.by, from_microseconds(stamp.time), stamp == first
            )
            for stamp, one in sorted(record.texts.items(), reverse=True)
        ),
    )
