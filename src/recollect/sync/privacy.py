"""Privacy filter of sync: what never leaves the device.

Held back are personal items unless allowed, items with a secret, items excluded by the user, and in
"vectors only" mode every text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.sync.records import EVENT, MEMORY, STREAM, StampedValue, SyncRecord
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.errors import SecretRefused
from recollect.vocabulary.streams import StreamAccess
from recollect.vocabulary.sync import SyncOptions

PERSONAL: Final = "it is personal"
PRIVATE: Final = "its stream is private"
SECRET: Final = "it may hold a secret"
LEFT_OUT: Final = "it is left out"
NO_TEXT: Final = "no text is sent"
OTHERS: Final = "it belongs to another person"

#: Fields of a memory that contain no text.
_TEXTLESS_FIELDS: Final = frozenset(
    {
        "type",
        "confidence",
        "importance",
        "scope",
        "half_life_days",
        "valid_from",
        "valid_to",
        "superseded_by",
        "pinned",
        "manually_saved",
        "needs_review",
        "user_verified",
        "disputed",
        "archived_at",
        "stale_at",
    }
)
_WORDLESS_BORN: Final = frozenset(
    {"owner", "visibility", "team", "organisation", "source", "created_by", "created_at", "phase"}
)


class Privacy:
    """Decides for one viewer which items of a space may be sent."""

    def __init__(self, user: str, options: SyncOptions, streams: Mapping[str, SyncRecord]) -> None:
        self._user = user
        self._options = options
        #: The streams that the items refer to, by id.
        self._streams = streams

    def stays(self, record: SyncRecord, *, known_there: bool) -> str | None:
        """Reason why an item is held back; None if it may be sent. What the other side has already
        may be sent back to it, unless it contains a secret.
        """
        if record.erased:
            return None if known_there else PERSONAL
        if self._options.vectors_only and record.kind != MEMORY:
            return NO_TEXT
        if not known_there and (why := self._by_scope(record)) is not None:
            return why
        return SECRET if not self._options.vectors_only and _is_flagged(record) else None

    def sent(self, record: SyncRecord) -> SyncRecord:
        """The record to send: without its text in "vectors only" mode."""
        if not self._options.vectors_only or record.erased:
            return record
        return without_text(record)

    def _by_scope(self, record: SyncRecord) -> str | None:
        if _owner(record) != self._user and record.kind != EVENT:
            return OTHERS
        if record.born.get("visibility") == Visibility.PERSONAL and not self._options.personal:
            return PERSONAL
        homes = [self._streams[home] for home in _homes(record) if home in self._streams]
        if record.kind == STREAM:
            homes.append(record)
        if not self._options.personal and any(map(_is_private, homes)):
            return PRIVATE
        names = {*record.elements("tags"), *record.elements("modules")}
        names |= {home.born["name"] for home in homes}
        return LEFT_OUT if names & set(self._options.left_out) else None


def stream_ids_of(records: list[SyncRecord]) -> set[str]:
    """Ids of the streams that items refer to."""
    return {home for record in records for home in _homes(record)}


def _homes(record: SyncRecord) -> list[str]:
    return [home for name in ("stream", "parent") if (home := record.born.get(name)) is not None]


def _owner(record: SyncRecord) -> Any:
    return record.born.get("owner")


def _is_private(stream: SyncRecord) -> bool:
    return bool(stream.fields["access"].value == StreamAccess.PRIVATE)


def _is_flagged(record: SyncRecord) -> bool:
    """Whether the secret scanner finds something in any text of the record."""
    values: list[Any] = [one.value for one in record.fields.values()]
    values += [version.text for version in record.texts.values()]
    values += [one.value for some in record.sets.values() for one in some.values()]
    values += [record.born.get("name"), record.born.get("author")]
    return is_secret(values)


def is_secret(values: Iterable[Any]) -> bool:
    """Whether the secret scanner finds a secret in any of these values."""
    given = [value for value in values if isinstance(value, str | list | dict)]
    try:
        refuse_secrets(given, "record")
    except SecretRefused:
        return True
    return False


def without_text(record: SyncRecord) -> SyncRecord:
    """The record of a memory without any text: its kind, numbers and flags."""
    return replace(
        record,
        born={name: value for name, value in record.born.items() if name in _WORDLESS_BORN},
        fields={
            name: StampedValue(one.stamp, one.value)
            for name, one in record.fields.items()
            if name in _TEXTLESS_FIELDS
        },
        sets={},
        texts={},
        seen={},
    )
