"""Disputes: any member may doubt a memory, everyone who sees it may answer, a steward decides.

While a dispute is open, the memory has a badge and its confidence counts four fifths; recall still
serves it. Opening, escalating and settling are changes of the memory, so its history lists them.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from recollect.memories.changes import updated
from recollect.memories.inserter import needs_embedding
from recollect.memories.writer import MemoryUpdate, MemoryWriter, found
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import disputes
from recollect.storage.pages.spaces import members_of
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import checked_text, choice, shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.disputes import Dispute, DisputeComment, DisputeResolution
from recollect.vocabulary.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.vocabulary.ids import COMMENT, DISPUTE, new_id
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.pagination import Page, check_page
from recollect.vocabulary.spaces import Role, Space

_COMMENT_LIMIT: Final = 4_000


class DisputeRegister:
    """Opens disputes, stores their comments, and settles them."""

    def __init__(self, database: Database, writer: MemoryWriter, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock

    def page(
        self,
        viewer: Viewer,
        space: Space,
        *,
        resolved: bool | None,
        memory_id: str | None,
        cursor: str | None,
        limit: int,
    ) -> Page[Dispute]:
        """Page of the disputes over memories that the viewer may see, newest first."""
        check_page(cursor, limit, DISPUTE)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            rows = disputes.list_disputes(
                transaction,
                access,
                resolved=resolved,
                memory_id=memory_id,
                before=cursor,
                limit=limit + 1,
            )
            disputes_shown = [_visible_dispute(transaction, access, one) for one in rows[:limit]]
        return Page(tuple(disputes_shown), disputes_shown[-1].id if len(rows) > limit else None)

    def get(self, viewer: Viewer, space: Space, dispute_id: str) -> Dispute:
        """One dispute with its thread."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return _visible_dispute(transaction, access, _seen(transaction, access, dispute_id))

    def open(self, viewer: Viewer, space: Space, memory_id: str, text: str) -> Dispute:
        """Dispute a memory with a reason; if a dispute over it is open, comment on that one."""
        now = self._clock()
        comment = _comment(viewer, text, now)
        new = Dispute(new_id(DISPUTE, now), memory_id, viewer.user, now)

        def work(transaction: Transaction) -> Dispute:
            access = _member(transaction, viewer, space, "dispute memories")
            memory = found(transaction, access, memory_id)
            known = disputes.list_disputes(
                transaction, access, resolved=False, memory_id=memory_id, limit=1
            )
            if not known:
                disputes.add_dispute(transaction, space.id, new)
                self._note(transaction, access, memory, now, Action.DISPUTED, disputed=True)
            dispute = known[0] if known else new
            disputes.add_comment(transaction, space.id, dispute.id, comment)
            return _visible_dispute(transaction, access, _seen(transaction, access, dispute.id))

        return self._database.write(work)

    def comment(self, viewer: Viewer, space: Space, dispute_id: str, text: str) -> Dispute:
        """Comment on an open dispute."""
        comment = _comment(viewer, text, self._clock())

        def work(transaction: Transaction) -> Dispute:
            access = _member(transaction, viewer, space, "speak in disputes")
            dispute = _open(_seen(transaction, access, dispute_id))
            disputes.add_comment(transaction, space.id, dispute.id, comment)
            return _visible_dispute(transaction, access, _seen(transaction, access, dispute_id))

        return self._database.write(work)

    def escalate(self, viewer: Viewer, space: Space, dispute_id: str, text: str | None) -> Dispute:
        """Hand a dispute to the owners of the space; a steward or the person who opened it may."""
        now = self._clock()
        comment = None if text is None else _comment(viewer, text, now)

        def work(transaction: Transaction) -> Dispute:
            access = _member(transaction, viewer, space, "escalate disputes")
            dispute = _open(_seen(transaction, access, dispute_id))
            if dispute.opened_by != viewer.user:
                require_role(access, Role.STEWARD, "escalate another's dispute")
            if dispute.escalated_at is not None:
                raise Conflict("That dispute waits for an owner already. Nothing was changed.")
            disputes.escalate(transaction, space.id, dispute.id, viewer.user, now)
            if comment is not None:
                disputes.add_comment(transaction, space.id, dispute.id, comment)
            memory = found(transaction, access, dispute.memory_id)
            self._note(transaction, access, memory, now, Action.ESCALATED)
            return _visible_dispute(transaction, access, _seen(transaction, access, dispute_id))

        return self._database.write(work)

    def resolve(
        self,
        viewer: Viewer,
        space: Space,
        dispute_id: str,
        resolution: str,
        *,
        content: str | None,
        text: str | None,
    ) -> Dispute:
        """Settle a dispute: update the memory with new content, confirm it, or withdraw the doubt.
        ``text`` gives the reason."""
        wanted = choice(DisputeResolution, resolution, "resolution")
        if (wanted is DisputeResolution.UPDATED) != (content is not None):
            raise InvalidInput(
                "A memory that is updated needs its new content, and nothing else does.",
                hint="Give content= with the resolution 'updated'.",
            )
        now = self._clock()
        comment = None if text is None else _comment(viewer, text, now)
        before = self._memory(viewer, space, dispute_id)
        changed = _settled(before, wanted, content)
        change = self._update(before, changed, now, Action.SETTLED)

        def work(transaction: Transaction) -> Dispute:
            access = _member(transaction, viewer, space, "settle disputes")
            dispute = _open(_seen(transaction, access, dispute_id))
            _require_judge(access, dispute, before, wanted)
            if comment is not None:
                disputes.add_comment(transaction, space.id, dispute.id, comment)
            disputes.settle(
                transaction,
                space.id,
                dispute.id,
                resolution=wanted,
                user=viewer.user,
                at=now,
            )
            if not self._writer.write(transaction, access, change):
                raise Conflict("Somebody just changed the memory. Nothing was settled: try again.")
            return _visible_dispute(transaction, access, _seen(transaction, access, dispute_id))

        return self._database.write(work)

    def _memory(self, viewer: Viewer, space: Space, dispute_id: str) -> Memory:
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            dispute = _seen(transaction, access, dispute_id)
            return found(transaction, access, dispute.memory_id)

    def _update(self, old: Memory, new: Memory, now: datetime, action: Action) -> MemoryUpdate:
        """The change to write, with the index entry of the new words."""
        levels = self._writer.forms(new.content, new.levels, new.type, new.extras)
        new = replace(new, levels=levels, updated_at=now, revision=old.revision + 1)
        indexed = self._writer.indexed(new) if needs_embedding(old, new) else None
        return MemoryUpdate(old, new, action, indexed)

    def _note(
        self,
        transaction: Transaction,
        access: Access,
        memory: Memory,
        now: datetime,
        action: Action,
        **changed: Any,
    ) -> None:
        """Write a change of the memory that leaves its words as they are."""
        new = replace(memory, updated_at=now, revision=memory.revision + 1, **changed)
        if not self._writer.write(transaction, access, MemoryUpdate(memory, new, action)):
            raise Conflict("Somebody just changed the memory. Nothing was kept: try again.")


def _settled(memory: Memory, resolution: DisputeResolution, content: str | None) -> Memory:
    """The memory after the dispute is settled."""
    fields: dict[str, Any] = {"disputed": False}
    if content is not None:
        fields["content"] = content
    if resolution is not DisputeResolution.WITHDRAWN:
        fields |= {"user_verified": True, "needs_review": False}
    return updated(memory, fields)


def _require_judge(
    access: Access, dispute: Dispute, memory: Memory, wanted: DisputeResolution
) -> None:
    """Refuse a viewer who may not settle the dispute in this way. Only the person who opened it may
    withdraw it. An escalated dispute is settled by owners, any other by stewards; the memory's
    author may settle it by an update."""
    user = access.viewer.user
    if wanted is DisputeResolution.WITHDRAWN:
        if user != dispute.opened_by:
            raise NotAllowed(f"Only {dispute.opened_by} can withdraw this dispute.")
        return
    if dispute.escalated_at is not None:
        require_role(access, Role.OWNER, "settle a dispute that was escalated")
        return
    author = user in (memory.audience.owner, memory.provenance.created_by)
    if not (author and wanted is DisputeResolution.UPDATED):
        require_role(access, Role.STEWARD, "settle disputes")


def _member(transaction: Transaction, viewer: Viewer, space: Space, doing: str) -> Access:
    return require_role(authorise(transaction, viewer, space), Role.MEMBER, doing)


def _seen(transaction: Transaction, access: Access, dispute_id: str) -> Dispute:
    rows: list[Dispute] = []
    if isinstance(dispute_id, str):
        rows = disputes.list_disputes(transaction, access, dispute_id=dispute_id, limit=1)
    if not rows:
        raise NotFound(f"No dispute {shown(dispute_id)} is visible here.")
    return rows[0]


def _open(dispute: Dispute) -> Dispute:
    if dispute.resolution is not None:
        raise Conflict(
            f"That dispute is over: {dispute.resolution.value}. Nothing was changed.",
            hint="Open a new dispute.",
        )
    return dispute


def _visible_dispute(transaction: Transaction, access: Access, dispute: Dispute) -> Dispute:
    """The dispute, with the people who have to act next."""
    if dispute.resolution is not None:
        return dispute
    needed = Role.STEWARD if dispute.escalated_at is None else Role.OWNER
    judges = [one.user for one in members_of(transaction, access.space_id) if one.role is needed]
    if not judges:  # a space always has an owner
        judges = [
            one.user for one in members_of(transaction, access.space_id) if one.role is Role.OWNER
        ]
    return replace(dispute, waits_for=tuple(judges))


def _comment(viewer: Viewer, text: str, now: datetime) -> DisputeComment:
    said = checked_text(text, "comment", _COMMENT_LIMIT)
    refuse_secrets([said], "comment")
    return DisputeComment(new_id(COMMENT, now), viewer.user, said, now)
