"""Memory routes: create, read, update, archive, restore."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import (
    Body,
    Content,
    Fraction,
    Name,
    Names,
    Narrow,
    SpaceName,
    examples,
    page,
)
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, Listed, operation_id
from recollect.vocabulary.errors import MemoryNotFound
from recollect.vocabulary.memory import HistoryEntry, Memory, Relation
from recollect.vocabulary.memory_types import MemoryType, OnRepeat, RelationType, Scope, Source
from recollect.vocabulary.phases import Phase

router = APIRouter(
    prefix="/v1/memories",
    tags=["memories"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)


class MemoryList(Narrow):
    """A page of a list of memories."""

    space: Name | None = Field(default=None, description="The space to search.")
    cursor: str | None = Field(
        default=None, max_length=200, description="The cursor that the previous page gave."
    )
    limit: int = Field(default=50, ge=1, le=1_000, description="How many at most.")
    order: Literal["newest", "unsure", "used"] = Field(
        default="newest", description="The sort order."
    )


class MemoryFields(Body):
    """Fields that can be set when a memory is created."""

    type: MemoryType = MemoryType.FACT
    confidence: Fraction = 0.8
    importance: Fraction = 0.5
    scope: Scope = Scope.GLOBAL
    source: Source = Source.AGENT_EXPLICIT
    visibility: Literal["personal", "project", "team", "organisation", "stream"] | None = None
    team: Name | None = None
    organisation: Name | None = None
    stream: Name | None = None
    tags: Names = Field(default=[])
    files: Names = Field(default=[])
    modules: Names = Field(default=[])
    events: Names = Field(default=[])
    sessions: Names = Field(default=[])
    session: Name | None = None
    commit: Name | None = None
    phase: Phase | None = None
    extras: dict[str, Any] = Field(default={})
    citation: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    summary: Content | None = None
    compressed: Content | None = None
    index: Content | None = None
    half_life_days: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    pinned: bool = False
    manually_saved: bool = False
    needs_review: bool = False


class NewMemory(MemoryFields):
    """The text and the fields of a new memory."""

    model_config = examples(
        {
            "content": "The staging database is reset every night.",
            "type": "gotcha",
            "tags": ["staging"],
        }
    )

    content: Content = Field(description="The text to remember.")


class MemoryToStore(NewMemory):
    """A memory to store, unless it is known already."""

    repeats: OnRepeat = Field(
        default=OnRepeat.MERGE,
        description="What to do if it is known already: merge, keep or skip.",
    )


class MemoryChange(Body):
    """The fields of a memory to change; others stay as they are."""

    model_config = examples({"tags": ["staging", "database"], "revision": 1})

    revision: Annotated[int, Field(ge=1, le=2**53)] | None = Field(
        default=None, description="Change it only if it is still at this revision."
    )
    content: Content | None = None
    type: MemoryType | None = None
    confidence: Fraction | None = None
    importance: Fraction | None = None
    scope: Scope | None = None
    tags: Names | None = None
    files: Names | None = None
    modules: Names | None = None
    extras: dict[str, Any] | None = None
    citation: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    pinned: bool | None = None
    needs_review: bool | None = None
    user_verified: bool | None = None
    disputed: bool | None = None


class NewRelation(Body):
    """A relation from a memory to another memory or to a file."""

    model_config = examples({"type": "derived_from", "file": "src/auth/login.py"})

    type: RelationType
    memory: Name | None = None
    file: Name | None = None
    confidence: Fraction = 1.0


Moment = Annotated[datetime | None, Query(description="The state at this time.")]


@router.post("", status_code=201, response_model=Memory)
async def remember(request: Request, body: MemoryToStore, space: SpaceName = None) -> Response:
    """Store a memory. It is on disk when the response arrives.

    A repeat is merged with the existing memory; ``times_told`` counts repeats.
    """
    fields = body.given("content")
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.remember(body.content, **fields),
        space=space,
        make=True,
        status=201,
        brief=True,
    )


@router.get("", response_model=Listed[Memory])
async def list_memories(request: Request, asked: Annotated[MemoryList, Query()]) -> Response:
    """List memories, paginated: newest, least confident, or most used first."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: page(
            memory.list(
                cursor=asked.cursor, limit=asked.limit, order=asked.order, **asked.filters()
            )
        ),
        space=asked.space,
    )


@router.get("/{memory_id}", response_model=Memory)
async def get(
    request: Request, memory_id: str, space: SpaceName = None, as_of: Moment = None
) -> Response:
    """Get one memory, as it is now or as it was at a time."""
    return await dispatcher_of(request).answer(
        request, lambda memory: _one(memory, memory_id, as_of), space=space, brief=True
    )


@router.patch("/{memory_id}", response_model=Memory)
async def change(
    request: Request, memory_id: str, body: MemoryChange, space: SpaceName = None
) -> Response:
    """Update a memory; with ``revision``, only if nobody changed it since."""
    fields = body.given("revision")
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.update(memory_id, revision=body.revision, **fields),
        space=space,
    )


@router.delete("/{memory_id}", response_model=Memory | None)
async def forget(
    request: Request,
    memory_id: str,
    space: SpaceName = None,
    for_good: Annotated[
        bool, Query(description="Delete it permanently, with its history.")
    ] = False,
) -> Response:
    """Archive a memory so that it can be restored, or delete it permanently."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.forget(memory_id, for_good=for_good), space=space
    )


@router.post("/{memory_id}/restore", response_model=Memory)
async def restore(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Restore an archived memory."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.restore(memory_id), space=space
    )


@router.post("/{memory_id}/supersede", status_code=201, response_model=Memory)
async def supersede(
    request: Request, memory_id: str, body: NewMemory, space: SpaceName = None
) -> Response:
    """Replace a memory by a new one. The old one stays readable as of its time."""
    fields = body.given("content")
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.supersede(memory_id, body.content, **fields),
        space=space,
        status=201,
    )


@router.post("/{memory_id}/verify", response_model=Memory)
async def verify(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Mark a memory as verified."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.verify(memory_id), space=space
    )


@router.post("/{memory_id}/pin", response_model=Memory)
async def pin(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Pin a memory: it does not fade and is never trimmed."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.pin(memory_id), space=space
    )


@router.delete("/{memory_id}/pin", response_model=Memory)
async def unpin(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Unpin a memory."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.pin(memory_id, False), space=space
    )


@router.get("/{memory_id}/history", response_model=tuple[HistoryEntry, ...])
async def history(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """List the history of a memory: who changed what, and when."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.history(memory_id), space=space
    )


@router.get("/{memory_id}/relations", response_model=tuple[Relation, ...])
async def relations(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """List the relations of a memory."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.relations(memory_id), space=space
    )


@router.post("/{memory_id}/relations", status_code=201, response_model=Relation)
async def relate(
    request: Request, memory_id: str, body: NewRelation, space: SpaceName = None
) -> Response:
    """Add a relation to another memory or to a file. Changes of confidence follow it."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.relate(
            memory_id, body.type, memory=body.memory, file=body.file, confidence=body.confidence
        ),
        space=space,
        status=201,
    )


@router.delete("/{memory_id}/relations", response_model=DoneAnswer)
async def unrelate(
    request: Request,
    memory_id: str,
    *,
    type: Annotated[RelationType, Query(description="The type of the relation.")],
    memory: Annotated[Name | None, Query(description="The target memory.")] = None,
    file: Annotated[Name | None, Query(description="The target file.")] = None,
    space: SpaceName = None,
) -> Response:
    """Remove a relation; says whether it existed."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: DoneAnswer(view.unrelate(memory_id, type, memory=memory, file=file)),
        space=space,
    )


def _one(memory: Recollect, memory_id: str, as_of: datetime | None) -> Memory:
    found = memory.get(memory_id, as_of=as_of)
    if not isinstance(found, Memory):
        raise MemoryNotFound(f"No memory {memory_id!r} is visible here.")
    return found
