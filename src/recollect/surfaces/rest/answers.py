"""JSON responses, encoded once and without validation on the way out."""

import json
from typing import Any, Final

from fastapi import Response
from pydantic_core import PydanticSerializationError, to_json

from recollect.vocabulary.pagination import Page
from recollect.vocabulary.personal import Said
from recollect.vocabulary.plain import plain
from recollect.vocabulary.results import Found, Recalled

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class JsonAnswer(Response):
    """JSON response from bytes that are already encoded."""

    media_type = "application/json"


def encoded(value: Any) -> bytes:
    """Encode a value as a JSON document; unpaired surrogates become question marks."""
    document = plain(value)
    try:
        return to_json(document)
    except PydanticSerializationError:
        return _encode(document).encode("utf-8", "replace")


def page(found: Page[Any]) -> dict[str, Any]:
    """Page of items, and the cursor that fetches the next page."""
    return {"items": found.items, "next_cursor": found.next_cursor}


def recalled(result: Recalled) -> dict[str, Any]:
    """Recall results, each with its id, its kind and its text first."""
    return {**_fields(result), "found": [_found(found) for found in result.found]}


def spoken(said: Said) -> dict[str, Any]:
    """Answer to a spoken command."""
    return {**_fields(said), "found": [_found(found) for found in said.found]}


def _found(found: Found) -> dict[str, Any]:
    return {"id": found.id, "kind": found.kind, "text": found.text, **_fields(found)}


def _fields(value: Any) -> dict[str, Any]:
    """Fields of a value, not converted; ``encoded`` converts them once."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
