"""What an assistant remembers of a person: entries that they can see, pin and have forgotten."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from recollect.surfaces.rest.answers import page
from recollect.surfaces.rest.bodies import Cursor, Name, NewEntry, SpaceName
from recollect.surfaces.rest.door import door_of
from recollect.surfaces.rest.shapes import FAULTS, Listed
from recollect.vocabulary.memory import Memory

router = APIRouter(prefix="/v1/memory", tags=["memory"], responses=FAULTS)


@router.get("/entries", response_model=Listed[Memory])
async def list_entries(
    request: Request,
    *,
    space: SpaceName = None,
    pinned: Annotated[bool | None, Query(description="Only pinned ones, or only others.")] = None,
    tag: Annotated[list[Name], Query(description="Only with these tags.")] = [],  # noqa: B006
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many at most.")] = 50,
) -> Response:
    """What is remembered, newest first."""
    return await door_of(request).answer(
        request,
        lambda memory: page(
            memory.list(cursor=cursor, limit=limit, pinned=pinned, tags=tag or None)
        ),
        space=space,
    )


@router.post("/entries", status_code=201, response_model=Memory)
async def add_entry(request: Request, body: NewEntry) -> Response:
    """Remember something."""
    return await door_of(request).answer(
        request,
        lambda memory: memory.remember(
            body.text, tags=body.tags, manually_saved=body.manually_saved
        ),
        space=body.space,
        make=True,
        status=201,
    )


@router.post("/entries/{entry_id}/pin", response_model=Memory)
async def pin_entry(request: Request, entry_id: str, space: SpaceName = None) -> Response:
    """Keep an entry from fading and from being trimmed."""
    return await door_of(request).answer(request, lambda memory: memory.pin(entry_id), space=space)


@router.delete("/entries/{entry_id}/pin", response_model=Memory)
async def unpin_entry(request: Request, entry_id: str, space: SpaceName = None) -> Response:
    """Let an entry fade again."""
    return await door_of(request).answer(
        request, lambda memory: memory.pin(entry_id, False), space=space
    )


@router.delete("/entries/{entry_id}", response_model=Memory | None)
async def forget_entry(request: Request, entry_id: str, space: SpaceName = None) -> Response:
    """Forget an entry."""
    return await door_of(request).answer(
        request, lambda memory: memory.forget(entry_id), space=space
    )
