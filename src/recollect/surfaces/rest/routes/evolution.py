"""Evolution routes: contradictions, nightly runs (run, list, undo) and consolidation."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from recollect.surfaces.rest.bodies import Body, Content, Cursor, Limit, SpaceName, examples, page
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, Listed, operation_id
from recollect.vocabulary.contradictions import Contradiction, Resolution
from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport, NightUndone

router = APIRouter(
    prefix="/v1", tags=["evolution"], responses=FAULTS, generate_unique_id_function=operation_id
)


class ResolveBody(Body):
    """How a contradiction is decided."""

    model_config = examples({"resolution": "b_wins", "note": "The migration is done."})

    resolution: Resolution = Field(description="a_wins, b_wins, both, or merged.")
    note: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None, description="The reason."
    )
    text: Content | None = Field(
        default=None, description="The text of the merged memory; only for merged."
    )


class ConsolidateBody(Body):
    """Whether a consolidation is carried out, or only simulated."""

    model_config = examples({"dry_run": True})

    dry_run: bool = Field(default=False, description="Only report what would be done.")


Resolved = Annotated[bool, Query(description="Resolved ones, instead of open ones.")]
OfMemory = Annotated[
    str | None, Query(max_length=200, description="Only those of this memory, by id.")
]


@router.get("/contradictions", response_model=Listed[Contradiction])
async def list_contradictions(
    request: Request,
    *,
    resolved: Resolved = False,
    memory: OfMemory = None,
    space: SpaceName = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List contradictions with both texts and dates, newest first."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: page(
            view.contradictions.list(resolved=resolved, memory=memory, cursor=cursor, limit=limit)
        ),
        space=space,
    )


@router.post("/contradictions/{contradiction_id}/resolve", response_model=Contradiction)
async def resolve_contradiction(
    request: Request, contradiction_id: str, body: ResolveBody, space: SpaceName = None
) -> Response:
    """Decide a contradiction: a_wins, b_wins, both, or merged with a text."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.contradictions.resolve(
            contradiction_id, body.resolution, note=body.note, text=body.text
        ),
        space=space,
    )


@router.post("/consolidate", response_model=Consolidation)
async def consolidate(request: Request, body: ConsolidateBody, space: SpaceName = None) -> Response:
    """Merge similar facts, shorten old episodes, archive superseded memories, find links."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.evolution.consolidate(dry_run=body.dry_run), space=space
    )


@router.post("/evolution/nights", response_model=NightReport)
async def run_night(request: Request, space: SpaceName = None) -> Response:
    """Run nightly maintenance now, or finish an interrupted run."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.evolution.run(), space=space
    )


@router.get("/evolution/nights", response_model=Listed[NightReport])
async def list_nights(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 20
) -> Response:
    """List what the nightly runs did, newest first."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: page(view.evolution.reports(cursor=cursor, limit=limit)),
        space=space,
    )


@router.get("/evolution/nights/{night_id}/changes", response_model=list[NightChange])
async def list_changes(
    request: Request, night_id: str, space: SpaceName = None, limit: Limit = 100
) -> Response:
    """List what a nightly run changed, as far as the sender may see it."""
    return await dispatcher_of(request).answer(
        request, lambda view: list(view.evolution.changes(night_id, limit=limit)), space=space
    )


@router.post("/evolution/nights/{night_id}/undo", response_model=NightUndone)
async def undo_night(
    request: Request, night_id: str, memory: OfMemory = None, space: SpaceName = None
) -> Response:
    """Undo a nightly run, or its change to one memory."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.evolution.undo(night_id, memory=memory), space=space
    )
