"""Recall: find what a question is about."""

from fastapi import APIRouter, Request, Response

from recollect.surfaces.rest.answers import recalled
from recollect.surfaces.rest.bodies import Asked
from recollect.surfaces.rest.door import door_of
from recollect.surfaces.rest.shapes import FAULTS, RecallAnswer

router = APIRouter(prefix="/v1/recall", tags=["recall"], responses=FAULTS)


@router.post("", response_model=RecallAnswer)
async def recall(request: Request, body: Asked) -> Response:
    """Find what a question is about, best first; explained or packed for a prompt on request."""
    filters = body.filters()
    return await door_of(request).answer(
        request,
        lambda memory: recalled(
            memory.recall(
                body.query,
                limit=body.limit,
                kinds=body.kinds,
                profile=body.profile,
                phase=body.phase,
                budget=body.budget,
                explain=body.explain,
                session=body.session,
                last_sessions=body.last_sessions,
                around=body.around,
                chain=body.chain,
                **filters,
            )
        ),
        space=body.space,
    )
