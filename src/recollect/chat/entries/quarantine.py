"""Quarantine of texts that the injection check set aside, for a person to keep or discard."""

from recollect.chat.entries.audit import note
from recollect.memories.drafts import draft_of, memory_of
from recollect.memories.writer import MemoryWriter
from recollect.storage.access.quarantine import (
    drop_suspect,
    find_suspect,
    list_suspects,
    suspect_events,
)
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.origins import OURS
from recollect.trust.prompt_injection import marked
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.ids import EVENT, SUSPECT
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.pagination import Page, check_page, page_of
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role, Space


class Quarantine:
    """The quarantine of one person in one space."""

    def __init__(self, database: Database, writer: MemoryWriter, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock

    def page(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[Suspect]:
        """One page of the texts that were set aside, newest first."""
        check_page(cursor, limit, SUSPECT)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = list_suspects(transaction, access, before=cursor, limit=limit + 1)
        return page_of(found, limit)

    def events(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[Suspect]:
        """One page of events from outside that search hides because they read like instructions."""
        check_page(cursor, limit, EVENT)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = suspect_events(transaction, access, before=cursor, limit=limit + 1)
        return page_of(found, limit)

    def release(self, viewer: Viewer, space: Space, suspect_id: str) -> Memory:
        """Keep a text after all, because a person reviewed it. Its marks stay: outside origins,
        lower confidence, review flag.
        """
        with self._database.reading() as transaction:
            found = find_suspect(transaction, authorise(transaction, viewer, space), suspect_id)
        if found is None:
            raise NotFound(f"There is no quarantined text {shown(suspect_id)} here.")
        suspect, fields = found
        now = self._clock()
        origins = [one for one in fields.pop("outside", []) if one not in OURS]
        memory = marked(memory_of(draft_of(suspect.text, fields), space, viewer, now), origins)
        indexed = self._writer.indexed(memory)

        def work(transaction: Transaction) -> Memory:
            access = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "keep memories"
            )
            if not drop_suspect(transaction, access, suspect_id):
                raise NotFound(f"There is no quarantined text {shown(suspect_id)} here.")
            note(transaction, access, "release", memory.id, detail={"from": suspect_id}, now=now)
            return self._writer.add_within(transaction, access, memory, indexed)

        return self._database.write(work)

    def reject(self, viewer: Viewer, space: Space, suspect_id: str) -> None:
        """Discard a text."""

        def work(transaction: Transaction) -> None:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "review")
            if not drop_suspect(transaction, access, suspect_id):
                raise NotFound(f"There is no quarantined text {shown(suspect_id)} here.")
            note(transaction, access, "reject", detail={"from": suspect_id}, now=self._clock())

        self._database.write(work)
