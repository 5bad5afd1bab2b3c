"""Recall: find what a question is about."""

from fastapi import APIRouter, Request, Response

from recollect.surfaces.rest.answers import page, recalled
from recollect.surfaces.rest.bodies import (
    Cursor,
    Limit,
    NewFeedback,
    RecallBody,
    SpaceName,
    TrendBody,
)
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.shapes import FAULTS, Listed, RecallAnswer, operation_id
from recollect.vocabulary.results import Trend
from recollect.vocabulary.retrievals import Retrieval

router = APIRouter(
    prefix="/v1/recall", tags=["recall"], responses=FAULTS, generate_unique_id_function=operation_id
)


@router.post("", response_model=RecallAnswer)
async def recall(request: Request, body: RecallBody) -> Response:
    """Search memories, events and code; explained or packed for a prompt on request."""
    filters = body.filters()
    return await dispatcher_of(request).answer(
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
                recent_files=body.recent_files,
                **filters,
            )
        ),
        space=body.space,
        brief=True,
    )


@router.post("/trend", response_model=Trend)
async def trend(request: Request, body: TrendBody) -> Response:
    """Show how often something came up in the last days: rising, falling or steady."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.trend(body.query, days=body.days, **body.filters()),
        space=body.space,
    )


@router.get("/log", response_model=Listed[Retrieval])
async def retrievals(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 20
) -> Response:
    """List the sender's questions, newest first, with results and feedback."""
    return await dispatcher_of(request).answer(
        request, lambda memory: page(memory.retrievals(cursor=cursor, limit=limit)), space=space
    )


@router.post("/{retrieval_id}/feedback", response_model=Retrieval)
async def feedback(
    request: Request, retrieval_id: str, body: NewFeedback, space: SpaceName = None
) -> Response:
    """Give feedback on an answer, or say which of its items were cited or ignored."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.feedback(
            retrieval_id, body.verdict, items=body.items, note=body.note
        ),
        space=space,
    )
