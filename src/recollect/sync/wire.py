"""Wire format: sync records as JSON, for transfer and for stored state; and the protocol version.

A part unchanged since creation has no stamp of its own, and empty parts are omitted, so that most
records are little more than their text.
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

from recollect.sync.records import (
    COUNTED,
    EVENT,
    KINDS,
    MEMORY,
    STREAM,
    Element,
    Stamp,
    StampedValue,
    SyncRecord,
    TextVersion,
    digest,
    erased_record,
    read_stamp,
)
from recollect.vocabulary.errors import InvalidInput, ProtocolMismatch
from recollect.vocabulary.json_depth import is_too_deep

#: Protocol version; both sides must use the same.
PROTOCOL: Final = 1

#: Last-writer-wins fields, by kind.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    MEMORY: (
        "type",
        "extras",
        "confidence",
        "importance",
        "scope",
        "citation",
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
        "levels",
    ),
    EVENT: ("text", "payload", "edited_at"),
    STREAM: ("access", "purpose"),
}
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    MEMORY: ("tags", "files", "modules", "sessions", "events", "outside", "relations"),
    EVENT: ("reactions", "revisions"),
    STREAM: ("members",),
}
_NUMBERS: Final = len(COUNTED) + 1
_LARGEST: Final = 64 * 1_048_576  # bytes of a body once it is unpacked


def check_protocol(theirs: object, who: str) -> None:
    """Raise an error that says which side is older, unless both use the same protocol."""
    if theirs == PROTOCOL:
        return
    older = isinstance(theirs, int) and theirs < PROTOCOL
    what = f"version {theirs}" if isinstance(theirs, int) else "no version that is known here"
    raise ProtocolMismatch(
        f"The {who} speaks {what} of sync and this one version {PROTOCOL}. Nothing was exchanged.",
        hint=f"Install a newer recollect {'there' if older else 'here'}.",
    )


def packed(document: Any) -> bytes:
    """Compress a document for transfer."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8", "surrogatepass"), 5, mtime=0)


def unpacked(data: bytes) -> Any:
    """Decompress a document; InvalidInput if it is malformed or too large."""
    try:
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(data, _LARGEST)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise InvalidInput(
                "The compressed body is cut off or too large. Nothing was exchanged."
            )
        return json.loads(text)
    except (zlib.error, ValueError, RecursionError) as error:
        raise InvalidInput("The body is not compressed JSON. Nothing was exchanged.") from error


def encode(record: SyncRecord) -> dict[str, Any]:
    """A record as JSON."""
    base = record.base
    document: dict[str, Any] = {"kind": record.kind, "id": record.id, "base": str(base)}
    if record.erased is not None:
        return {**document, "erased": str(record.erased)}
    if len(record.fields) < len(FIELDS[record.kind]):
        document["partial"] = sorted(record.fields)
    parts = {
        "born": {name: value for name, value in record.born.items() if value is not None},
        "fields": {name: one.value for name, one in record.fields.items() if one.value is not None},
        "stamps": {
            name: str(one.stamp) for name, one in record.fields.items() if one.stamp != base
        },
        "sets": {
            name: {key: one.value for key, one in some.items() if one.present}
            for name, some in record.sets.items()
            if some
        },
        "set_stamps": {
            name: marks
            for name, some in record.sets.items()
            if (
                marks := {
                    key: str(one.stamp)
                    for key, one in some.items()
                    if one.stamp != base or not one.present
                }
            )
        },
        "counts": {device: list(counted) for device, counted in record.counts.items()},
        "texts": {str(stamp): list(one) for stamp, one in record.texts.items()},
        "seen": {device: list(mark) for device, mark in record.seen.items()},
    }
    document.update((name, part) for name, part in parts.items() if part)
    return document


def state_of(record: SyncRecord) -> dict[str, Any]:
    """A record as stored for change detection: digests in place of values, no text."""
    document = encode(record)
    document.pop("born", None)
    for name, part in (("fields", _digested), ("sets", _keys), ("texts", _digested_texts)):
        if name in document:
            document[name] = part(document[name])
    return document


def _digested(values: dict[str, Any]) -> dict[str, Any]:
    return {name: digest(value) for name, value in values.items()}


def _keys(sets: dict[str, Any]) -> dict[str, Any]:
    return {name: dict.fromkeys(some) for name, some in sets.items()}


def _digested_texts(texts: dict[str, Any]) -> dict[str, Any]:
    return {stamp: [digest(text), by] for stamp, (text, by) in texts.items()}


def decode(document: Any) -> SyncRecord:
    """A record from JSON; InvalidInput if malformed."""
    try:
        if is_too_deep(document):
            raise ValueError("too deep")
        return decoded_state(document)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput("A record of the exchange cannot be read.") from error


def decoded_state(document: Mapping[str, Any]) -> SyncRecord:
    """A record from a state that this store wrote."""
    kind, base = document["kind"], read_stamp(document["base"])
    if kind not in KINDS or not isinstance(document["id"], str):
        raise ValueError(kind)
    if document.get("erased") is not None:
        return erased_record(kind, document["id"], read_stamp(document["erased"]))
    values, stamps = document.get("fields", {}), document.get("stamps", {})
    sets, set_stamps = document.get("sets", {}), document.get("set_stamps", {})
    known = FIELDS[kind]
    if "partial" in document:
        known = tuple(name for name in known if name in document["partial"])
    return SyncRecord(
        kind,
        document["id"],
        base,
        dict(document.get("born", {})),
        {
            name: StampedValue(
                read_stamp(stamps[name]) if name in stamps else base, values.get(name)
            )
            for name in known
        },
        {
            name: _elements(sets.get(name, {}), set_stamps.get(name, {}), base)
            if name in sets or name in set_stamps
            else {}
            for name in SETS[kind]
        },
        {device: _counts(counted) for device, counted in document.get("counts", {}).items()},
        {
            read_stamp(stamp): TextVersion(str(text), str(by))
            for stamp, (text, by) in document.get("texts", {}).items()
        },
        {
            device: (int(time), int(tick))
            for device, (time, tick) in document.get("seen", {}).items()
        },
    )


def _elements(there: dict[str, Any], stamps: dict[str, str], base: Stamp) -> dict[str, Element]:
    found = {
        key: Element(read_stamp(stamps[key]) if key in stamps else base, True, value)
        for key, value in there.items()
    }
    for key, stamp in stamps.items():
        if key not in there:
            found[key] = Element(read_stamp(stamp), False)
    return found


def _counts(counted: list[Any]) -> tuple[int, ...]:
    if len(counted) != _NUMBERS or any(type(one) is not int or one < 0 for one in counted):
        raise ValueError(counted)
    return tuple(counted)
