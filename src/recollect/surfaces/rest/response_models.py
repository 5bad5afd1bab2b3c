"""OpenAPI response models and examples.

Most responses are the engine's own values; here are the models that only the REST API has, and an
example of each.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from fastapi.routing import APIRoute
from pydantic import WithJsonSchema

from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Intent, Question
from recollect.vocabulary.results import Chunk, Dropped, Packed, Why
from recollect.vocabulary.workspace import CoverageGap, Expert, MemoHit, Topic

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Detail:
    """One invalid part of a request."""

    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, what was kept, what to do."""

    code: str
    message: str
    hint: str | None
    request_id: str
    details: tuple[Detail, ...]


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The format of every error."""

    error: Problem


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """Some items of a longer list, and the cursor that fetches the next."""

    items: tuple[T, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class MemoHits:
    """Memos that a question found, the most similar first."""

    found: tuple[MemoHit, ...]


@dataclass(frozen=True, slots=True)
class TopicList:
    """Topics, those with most memos first."""

    topics: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class GapList:
    """Questions without answers, those asked most often first."""

    gaps: tuple[CoverageGap, ...]


@dataclass(frozen=True, slots=True)
class ExpertList:
    """Who knows about a topic, likeliest to answer first."""

    topic: str
    experts: tuple[Expert, ...]


@dataclass(frozen=True, slots=True)
class ExpertsByTopic:
    """The experts of each of the leading topics."""

    by_topic: dict[str, tuple[Expert, ...]]


@dataclass(frozen=True, slots=True)
class FoundItem:
    """One result of a recall."""

    id: str
    kind: Literal["memory", "event", "chunk"]
    text: str
    item: Memory | Event | Chunk
    score: float
    keyword_score: float | None
    keyword_rank: int | None
    vector_score: float | None
    vector_rank: int | None
    why: Why | None
    along: str | None
    reason: str
    passage: str | None


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The answer of one recall, best first."""

    query: str
    found: tuple[FoundItem, ...]
    missing: tuple[str, ...]
    profile: str
    notes: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    packed: Packed | None
    id: str | None
    closed: bool
    weak: bool


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """What a server answers to a device, packed with gzip."""

    protocol: int
    server: str
    space: str
    user: str
    role: str | None
    changes: tuple[dict[str, Any], ...]
    cursor: str
    more: bool
    refused: tuple[dict[str, Any], ...]
    restart: bool = False


@dataclass(frozen=True, slots=True)
class DoneAnswer:
    """Whether anything was changed."""

    done: bool


@dataclass(frozen=True, slots=True)
class CodeStatus:
    """What is indexed of a space's code, and whether it is complete."""

    indexed: bool
    complete: bool = False
    commit: str | None = None
    updated_at: datetime | None = None
    files: int = 0
    nodes: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Incognito:
    """Whether a session is incognito now."""

    session: str
    incognito: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was done, for a person to read."""

    answer: str


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """The answer to a spoken command."""

    intent: Intent
    answer: str
    done: bool
    found: tuple[FoundItem, ...]
    subjects: tuple[str, ...]
    undo: str | None
    question: Question | None


Figures = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]

_ERRORS: Final = {
    401: "The access token is missing or not valid.",
    403: "The sender may not do this.",
    404: "Nothing of that name or id is visible to the sender.",
    409: "Somebody changed it first.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The request was not understood.",
    503: "The store, or the server, is busy or cannot be reached.",
    507: "The disk is full. Nothing of this request was written.",
}
#: Example of an error for each status: its code, its message, what to do.
_EXAMPLES: Final[dict[int, tuple[str, str, str | None]]] = {
    401: (
        "token_refused",
        "This server requires an access token. Nothing was done.",
        "Send 'Authorization: Bearer rcl_...'.",
    ),
    403: (
        "not_allowed",
        "bob may not give roles here. Nothing was changed.",
        "It takes the role 'owner'; ask an owner of the space.",
    ),
    404: ("memory_not_found", "No memory 'mem_01' is visible here.", None),
    409: ("conflict", "Somebody changed it since you read it. Nothing was changed.", None),
    413: (
        "too_large",
        "The body is larger than 8,388,608 bytes. Nothing was changed.",
        "Send less at once, or raise the limit with --max-body.",
    ),
    415: (
        "unsupported_media_type",
        "A body must be JSON. Nothing was changed.",
        "Send it with 'Content-Type: application/json'.",
    ),
    422: ("invalid_text", "The text is empty. Nothing was changed.", None),
    503: (
        "busy",
        "Too many requests at once. Nothing of this one was done.",
        "Try again in a moment.",
    ),
    507: (
        "store_full",
        "The disk is full. Nothing of this call was written; what was there before is intact.",
        None,
    ),
}


def _example(status: int) -> dict[str, Any]:
    code, message, hint = _EXAMPLES[status]
    return {
        "error": {
            "code": code,
            "message": message,
            "hint": hint,
            "request_id": "4f9c2f0f3c0d4f2e",
            "details": [],
        }
    }


#: What every path may answer besides what it is for. It names the shape that ``SHAPE_OF_FAULTS``
#: describes: given as a model, it would be made anew for each status of each path, more than a
#: thousand times and almost half the time that a server needs to start.
FAULTS: Final[dict[int | str, dict[str, Any]]] = {
    status: {
        "description": words,
        "content": {
            "application/json": {
                "example": _example(status),
                "schema": {"$ref": f"#/components/schemas/{ErrorAnswer.__name__}"},
            }
        },
    }
    for status, words in _ERRORS.items()
}
#: The entry that carries the description of the error model, for the server's own paths.
SHAPE_OF_FAULTS: Final[dict[int | str, dict[str, Any]]] = {
    503: {**FAULTS[503], "model": ErrorAnswer}
}
LINES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
}
#: OpenAPI description of a response of server-sent events.
SERVER_SENT: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/event-stream": {"schema": {}}}}
}


def operation_id(route: APIRoute) -> str:
    """Operation id of a route: the name of its function."""
    return route.name
