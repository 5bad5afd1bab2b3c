"""Recall routes: search, trends, the log of questions, and feedback."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from recollect.surfaces.rest.bodies import (
    ClientName,
    Content,
    Cursor,
    Limit,
    Name,
    Names,
    Narrow,
    NewFeedback,
    SpaceName,
    examples,
    page,
    recalled,
)
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, Listed, RecallAnswer, operation_id
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import MAX_SESSIONS, Trend
from recollect.vocabulary.retrievals import Retrieval

router = APIRouter(
    prefix="/v1/recall", tags=["recall"], responses=FAULTS, generate_unique_id_function=operation_id
)


class RecallBody(Narrow):
    """A recall query."""

    model_config = examples(
        {"query": "when is staging wiped?", "limit": 5},
        {"query": "how do we deploy", "type": ["decision"], "budget": 800, "explain": True},
    )

    query: Content = Field(description="What you want to know.")
    space: Name | None = Field(default=None, description="The space to search.")
    limit: int = Field(default=10, ge=1, le=1_000, description="How many at most.")
    kinds: list[Literal["memory", "event", "chunk"]] = Field(
        default=["memory", "event", "chunk"], min_length=1, description="What to search."
    )
    profile: Name | None = Field(default=None, description="How to rank: agent, chat, ...")
    phase: Phase | None = Field(default=None, description="The phase of the work.")
    budget: int | None = Field(
        default=None, ge=0, le=10_000_000, description="Pack the answer into this many tokens."
    )
    explain: bool = Field(default=False, description="Explain each result.")
    session: Name | None = Field(
        default=None, description="The session; an incognito one gets nothing."
    )
    last_sessions: int | None = Field(
        default=None, ge=1, le=MAX_SESSIONS, description="Only from the last N sessions."
    )
    around: Name | None = Field(default=None, description="Only from the sessions around an event.")
    chain: bool = Field(
        default=False, description="Include memories of files that change together."
    )
    recent_files: Names = Field(
        default_factory=list,
        description="Recently edited files: memories of related files are included.",
    )


class TrendBody(Narrow):
    """A query for how often something comes up."""

    model_config = examples({"query": "staging", "days": 30})

    query: Content = Field(description="What to count.")
    space: Name | None = Field(default=None, description="The space to search.")
    days: float = Field(default=30.0, ge=0.001, le=36_500, description="How many days back.")


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
    request: Request,
    space: SpaceName = None,
    cursor: Cursor = None,
    limit: Limit = 20,
    client: ClientName = None,
) -> Response:
    """List the sender's questions, newest first, with results and feedback."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: page(memory.retrievals(cursor=cursor, limit=limit, client=client)),
        space=space,
    )


@router.post("/{retrieval_id}/feedback", response_model=Retrieval)
async def feedback(
    request: Request, retrieval_id: str, body: NewFeedback, space: SpaceName = None
) -> Response:
    """Give feedback on an answer, or report which of its items were cited or ignored."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.feedback(
            retrieval_id, body.verdict, items=body.items, note=body.note
        ),
        space=space,
    )
