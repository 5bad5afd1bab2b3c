"""Bodies of requests and of responses that several routes share.

A model of one route is defined beside it. Types are checked here, meaning by the engine; both say
why they refuse a value. A response is encoded once as JSON, without validation on the way out.
"""

import json
from typing import Annotated, Any, Final

from fastapi import Query, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError, to_json

from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.personal import Said
from recollect.vocabulary.plain import plain
from recollect.vocabulary.results import Found, Recalled
from recollect.vocabulary.retrievals import Verdict

_LINKS: Final = 1_000
_TEXT: Final = 200_000

Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=_LINKS)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Content = Annotated[str, Field(min_length=1, max_length=_TEXT)]
SpaceName = Annotated[Name | None, Query(description="The space; the server's own by default.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="How many at most.")]
ClientName = Annotated[
    Name | None,
    Query(description="Only what came from this program or surface: mcp/claude-code, mcp."),
]
Cursor = Annotated[
    str | None, Query(max_length=200, description="The cursor that the previous page gave.")
]

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Body(BaseModel):
    """Base of request bodies: values are not converted, and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=False)

    def given(self, *leave_out: str) -> dict[str, Any]:
        """The fields that the sender set; those that merely have a default are left out."""
        return {
            name: getattr(self, name) for name in self.model_fields_set if name not in leave_out
        }


def examples(*given: dict[str, Any]) -> ConfigDict:
    """Model configuration that shows examples of a body in the OpenAPI description."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": list(given)})


#: Filters for which False is also a condition.
_EITHER: Final = frozenset({"pinned", "needs_review", "has_code", "minimum_confidence"})


class Narrow(Body):
    """Filters of a list or of a recall."""

    type: list[MemoryType] = Field(default_factory=list, description="Only these types.")
    source: list[Source] = Field(default_factory=list, description="Only from these sources.")
    scope: list[Scope] = Field(default_factory=list, description="Only these scopes.")
    tag: Names = Field(default_factory=list, description="Only with all of these tags.")
    file: Names = Field(default_factory=list, description="Only of these files.")
    module: Names = Field(default_factory=list, description="Only of these modules.")
    author: Names = Field(default_factory=list, description="Only by these people.")
    stream: Names = Field(default_factory=list, description="Only from streams of this id or name.")
    created_after: AwareDatetime | None = Field(
        default=None, description="Created after this time."
    )
    created_before: AwareDatetime | None = Field(
        default=None, description="Created before this time."
    )
    minimum_confidence: Fraction | None = Field(default=None, description="Minimum confidence.")
    pinned: bool | None = Field(default=None, description="Only pinned ones, or only others.")
    needs_review: bool | None = Field(default=None, description="Only memories that need review.")
    has_code: bool | None = Field(default=None, description="Only with code, or only without.")
    archived: bool = Field(default=False, description="Only archived memories.")
    superseded: bool = Field(default=False, description="Include superseded memories.")
    as_of: AwareDatetime | None = Field(
        default=None, description="The state of the memory at this time."
    )

    def filters(self) -> dict[str, Any]:
        """The filters by the names the engine has for them."""
        values = {name: getattr(self, name) for name in Narrow.model_fields}
        asked = {name: value for name, value in values.items() if value not in (None, [])}
        return {name: value for name, value in asked.items() if value or name in _EITHER}


class NewFeedback(Body):
    """Feedback on an answer of recall."""

    model_config = examples({"verdict": "helpful"})

    verdict: Verdict
    items: Names = Field(default_factory=list, description="Only for these items.")
    note: Content | None = None


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
