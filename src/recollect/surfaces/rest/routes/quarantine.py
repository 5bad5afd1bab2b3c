"""Quarantine routes: texts set aside because they read like hidden orders, for review."""

from fastapi import APIRouter, Request, Response

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import Cursor, Limit, SpaceName, page
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, Listed, operation_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Suspect

router = APIRouter(
    prefix="/v1/memory/quarantine",
    tags=["memory"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)


@router.get("", response_model=Listed[Suspect])
async def list_suspects(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List the sender's quarantined texts, newest first, with origin and reason."""
    return await dispatcher_of(request).answer(
        request, lambda view: page(view.chat.suspects(cursor=cursor, limit=limit)), space=space
    )


@router.get("/events", response_model=Listed[Suspect])
async def list_suspect_events(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List outside events that search omits because they read like instructions."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: page(view.chat.suspect_events(cursor=cursor, limit=limit)),
        space=space,
    )


@router.post("/{suspect_id}/release", response_model=Memory)
async def release(request: Request, suspect_id: str, space: SpaceName = None) -> Response:
    """Release a text from quarantine. It keeps the mark of its origin."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.release(suspect_id), space=space
    )


@router.delete("/{suspect_id}", response_model=DoneAnswer)
async def reject(request: Request, suspect_id: str, space: SpaceName = None) -> Response:
    """Delete a quarantined text permanently."""

    def rejected(view: Recollect) -> DoneAnswer:
        view.chat.reject(suspect_id)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, rejected, space=space)
