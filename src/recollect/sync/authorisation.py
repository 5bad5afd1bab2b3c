"""Authorisation of incoming sync records: the sender needs the same rights as on every other API.

A device has only its owner's rights: it may report its own use counts, confirm what every member
may confirm, and change what its owner may change.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from recollect.memories.changes import CHECKS
from recollect.memories.drafts import everything_in, texts_of
from recollect.pages.authors import require_authors
from recollect.storage.access.visibility_filter import visible_ids
from recollect.storage.database import Transaction
from recollect.storage.sync import item_rows
from recollect.sync.conversions import memory_of, relations_in
from recollect.sync.privacy import is_secret
from recollect.sync.records import (
    EVENT,
    MEMORY,
    STREAM,
    Element,
    StampedValue,
    SyncRecord,
    element_key,
    same_born,
    stamp_after,
)
from recollect.sync.replica_writer import PreparedMemory, prepared_memory
from recollect.trust.prompt_injection import DISCOUNT, SUSPECT, suspicion
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import EVENT_LIMIT, NAME_LIMIT
from recollect.vocabulary.audiences import Access, Visibility
from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.ids import EVENT as EVENT_ID
from recollect.vocabulary.ids import MEMORY as MEMORY_ID
from recollect.vocabulary.ids import STREAM as STREAM_ID
from recollect.vocabulary.ids import is_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.spaces import AT_LEAST, Role
from recollect.vocabulary.streams import StreamAccess, StreamKind

#: Largest accepted clock lead of a device. A clock further ahead would win every merge for good.
MAX_CLOCK_LEAD: Final = timedelta(days=7)
_IDS: Final = {MEMORY: MEMORY_ID, EVENT: EVENT_ID, STREAM: STREAM_ID}
_CONFIRMS: Final = {"user_verified": True, "needs_review": None}
_NOT_YOURS: Final = "It is not yours to change."
_NOT_VISIBLE: Final = "Nothing of that id is visible here."


class SenderRights:
    """Rights of the sender of a page on the items of a space."""

    def __init__(
        self,
        transaction: Transaction,
        access: Access,
        now: int,
        device: str,
        prepared: Mapping[str, PreparedMemory],
    ) -> None:
        self._transaction = transaction
        self._access = access
        self._now = now
        self._device = device
        self._prepared = prepared
        #: Audiences that the sender may see. Read again for each kind of item, because items of the
        #: same page can add audiences.
        self._visible: frozenset[int] = frozenset()
        self._looked_for = ("", False)
        self._latest = now + to_microseconds(from_microseconds(0) + MAX_CLOCK_LEAD)
        role = access.role
        self._member = role in AT_LEAST[Role.MEMBER]
        self._steward = role in AT_LEAST[Role.STEWARD]

    def judge(
        self, local: SyncRecord | None, theirs: SyncRecord, merged: SyncRecord
    ) -> SyncRecord | str:
        """The record to store, marked by the injection check; or the reason why it is refused."""
        try:
            reason = self._refusal(local, theirs, merged)
            if reason is not None:
                return reason
            return merged if theirs.kind != MEMORY else self._gated(local, merged)
        except RecollectError as error:
            return error.message
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            return "It cannot be read."

    def _refusal(
        self, local: SyncRecord | None, theirs: SyncRecord, merged: SyncRecord
    ) -> str | None:
        if not self._member:
            return "It takes the role 'member' to change things here."
        if theirs.latest.time > self._latest:
            return "The clock of the device is more than a week ahead."
        group = theirs.kind, theirs.born.get("parent") is not None
        if group != self._looked_for:
            self._looked_for = group
            self._visible = frozenset(visible_ids(self._transaction, self._access))
        if local is not None and not self._sees(local):
            return _NOT_VISIBLE
        rules = {MEMORY: self._memory, EVENT: self._event, STREAM: self._stream}
        return rules[theirs.kind](local, theirs, merged)

    def _sees(self, record: SyncRecord) -> bool:
        if record.erased:
            return True
        found = item_rows.audiences_of(
            self._transaction, self._access.space_id, record.kind, [record.id]
        )
        return found.get(record.id) in self._visible

    def _reads_stream(self, stream_id: str | None) -> bool:
        if stream_id is None:
            return True
        found = item_rows.audiences_of(
            self._transaction, self._access.space_id, STREAM, [stream_id]
        )
        return found.get(stream_id) in self._visible

    # --- memories ---------------------------------------------------------------------------------

    def _memory(
        self, local: SyncRecord | None, theirs: SyncRecord, merged: SyncRecord
    ) -> str | None:
        if local is None:
            return self._new_memory(theirs)
        if local.erased or merged == local:
            return None
        if not theirs.erased and theirs.texts and not same_born(theirs.born, local.born):
            return "What never changes of a memory differs."
        if _only_counts(local, merged) or _only_confirms(local, merged):
            return None
        people = (local.born["owner"], local.born["created_by"])
        if self._access.viewer.user not in people and not self._steward:
            return _NOT_YOURS
        return None if theirs.erased else self._checked(merged)

    def _new_memory(self, theirs: SyncRecord) -> str | None:
        born, user = theirs.born, self._access.viewer.user
        if not is_id(theirs.id, MEMORY_ID):
            return "That is no id of a memory."
        if born["owner"] != user or born["created_by"] != user:
            return "A device may only bring memories of its own person."
        if born["visibility"] == Visibility.STREAM and not self._reads_stream(born.get("stream")):
            return "Its stream is not visible here."
        return self._checked(theirs) or self._sources(theirs)

    def _sources(self, theirs: SyncRecord) -> str | None:
        """Reason for refusal if a memory cites an event that its author may not read."""
        wanted = [str(one) for one in theirs.elements("events")]
        found = item_rows.audiences_of(self._transaction, self._access.space_id, EVENT, wanted)
        if all(found.get(one) in self._visible for one in wanted):
            return None
        return "It points at an event that is not visible here."

    def _checked(self, record: SyncRecord) -> str | None:
        """Check every value as local input is checked, for secrets too; raises an error naming the
        first that fails.
        """
        memory = self._memory_in(record)
        for name, check in CHECKS.items():
            check(getattr(memory, name))
        texts = [one.text for one in record.texts.values() if one.text != memory.content]
        paths = [key[2] for key in relations_in(record)]
        refuse_secrets([*everything_in(memory), *texts, *paths], "memory")
        return None

    def _memory_in(self, record: SyncRecord) -> Memory:
        ready = prepared_memory(self._prepared, record)
        if ready is not None:
            return ready.memory
        return memory_of(record, self._access.space_id, from_microseconds(self._latest), None)

    def _gated(self, local: SyncRecord | None, merged: SyncRecord) -> SyncRecord | str:
        """Run the injection check on new text. A person's own text that contains instructions is
        marked and waits for review; such text from an outside source is refused. A review counts
        only if it was made after the text was written.
        """
        shown = merged.shown
        if shown is None or (local is not None and _same_words(local, merged)):
            return merged
        memory = self._memory_in(merged)
        origins = set(memory.provenance.outside) - {SUSPECT}
        own = memory.provenance.source is Source.USER_TAUGHT and not origins
        said = [*texts_of(memory), *(one.text for one in merged.texts.values())]
        reasons = suspicion("\n".join(dict.fromkeys(filter(None, said))), outside=bool(origins))
        verified = merged.fields.get("user_verified")
        looked_at = verified is not None and verified.value and verified.stamp >= shown
        if not reasons or looked_at:
            return merged
        if not own:
            return f"It reads like orders from outside ({reasons[0]}), and stays on the device."
        return merged if memory.needs_review else self._marked(merged, memory.confidence)

    def _marked(self, record: SyncRecord, confidence: float) -> SyncRecord:
        stamp = stamp_after(self._now, record.latest, self._device)
        outside = dict(record.sets.get("outside", {}))
        outside[element_key(SUSPECT)] = Element(stamp, True, SUSPECT)
        return replace(
            record,
            fields={
                **record.fields,
                "needs_review": StampedValue(stamp, True),
                "confidence": StampedValue(stamp, round(confidence * DISCOUNT, 6)),
            },
            sets={**record.sets, "outside": outside},
        )

    # --- events and streams -----------------------------------------------------------------------

    def _event(
        self, local: SyncRecord | None, theirs: SyncRecord, merged: SyncRecord
    ) -> str | None:
        born, user = (theirs if local is None else local).born, self._access.viewer.user
        if local is not None and (local.erased or merged == local):
            return None
        if local is None:
            EventKind(born["kind"])
            if not is_id(theirs.id, EVENT_ID) or not self._reads_stream(born["stream"]):
                return "Its stream is not visible here."
            require_authors(self._transaction, self._access, [born["author"]])
        elif born["author"] != user and not self._steward and not _only_reactions(local, merged):
            return _NOT_YOURS
        if theirs.erased:
            return None
        text = theirs.fields["text"].value or ""
        if not isinstance(text, str) or len(text) > EVENT_LIMIT:
            return "The text of an event is text, and not so long."
        if is_secret([text, theirs.fields["payload"].value, theirs.elements("revisions")]):
            return "It may hold a secret."
        before = {} if local is None else local.sets.get("reactions", {})
        return self._only_own_reactions(before, merged.sets.get("reactions", {}))

    def _only_own_reactions(
        self, before: Mapping[str, Element], after: Mapping[str, Element]
    ) -> str | None:
        """Reason for refusal unless the sender adds and removes only their own reactions."""
        for key, one in after.items():
            was = before.get(key)
            if was == one or self._steward:
                continue
            sign = one.value if one.present else (was.value if was is not None else None)
            if sign is not None and sign[0] != self._access.viewer.user:
                return "A reaction is made in one's own name."
        return None

    def _stream(
        self, local: SyncRecord | None, theirs: SyncRecord, merged: SyncRecord
    ) -> str | None:
        user = self._access.viewer.user
        if local is not None and merged == local:
            return None
        owner = (theirs if local is None else local).born["owner"]
        if owner != user and not (local is not None and self._steward):
            return _NOT_YOURS
        StreamKind(theirs.born["kind"])
        StreamAccess(theirs.fields["access"].value)
        name, purpose = theirs.born["name"], theirs.fields["purpose"].value
        if not is_id(theirs.id, STREAM_ID) or not self._reads_stream(theirs.born.get("parent")):
            return _NOT_VISIBLE
        if not isinstance(name, str) or not 0 < len(name) <= NAME_LIMIT or "\x1f" in name:
            return "That is no name of a stream."
        return "It may hold a secret." if is_secret([name, purpose]) else None


def _same_words(local: SyncRecord, merged: SyncRecord) -> bool:
    """Whether the texts of a memory are unchanged."""
    return local.texts == merged.texts and all(
        local.fields.get(name) == merged.fields.get(name)
        for name in ("extras", "citation", "levels")
    )


def _only_counts(local: SyncRecord, merged: SyncRecord) -> bool:
    return (local.fields, local.sets, local.texts, merged.erased) == (
        merged.fields,
        merged.sets,
        merged.texts,
        None,
    )


def _only_confirms(local: SyncRecord, merged: SyncRecord) -> bool:
    """Whether a change only confirms a memory as right, which every member may do."""
    if merged.erased or (local.sets, local.texts) != (merged.sets, merged.texts):
        return False
    changed = {
        name: one.value
        for name, one in merged.fields.items()
        if one.value != local.fields[name].value
    }
    return all(name in _CONFIRMS and _CONFIRMS[name] == value for name, value in changed.items())


def _only_reactions(local: SyncRecord, merged: SyncRecord) -> bool:
    same = {name: some for name, some in local.sets.items() if name != "reactions"}
    new = {name: some for name, some in merged.sets.items() if name != "reactions"}
    return not merged.erased and local.fields == merged.fields and same == new
