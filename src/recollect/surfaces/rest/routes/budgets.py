"""Budget routes: monthly limits on paid calls, and their use."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from recollect.surfaces.rest.bodies import Body, SpaceName, examples
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, operation_id
from recollect.vocabulary.budgets import Budget

router = APIRouter(
    prefix="/v1/budgets",
    tags=["budgets"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)


class NewBudget(Body):
    """The monthly limit of a kind of paid call."""

    model_config = examples({"allowed": 1000})

    allowed: Annotated[float, Field(ge=0, le=1e12)] | None = Field(
        description="The monthly limit; null for none."
    )


Kind = Annotated[
    Literal["embeddings", "enrichments", "queries", "iterations", "cents"],
    Path(description="The kind of paid call, or cents."),
]


@router.get("", response_model=tuple[Budget, ...])
async def list_budgets(request: Request, space: SpaceName = None) -> Response:
    """List the budgets of a space, with this month's use."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.budgets(), space=space
    )


@router.put("/{kind}", response_model=tuple[Budget, ...])
async def set_budget(
    request: Request, kind: Kind, body: NewBudget, space: SpaceName = None
) -> Response:
    """Set a monthly budget; null for no limit. Needs a steward."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.set_budget(kind, body.allowed), space=space
    )
