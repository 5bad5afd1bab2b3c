"""Context routes: assemble under a token budget, predict what is needed, expand ids."""

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from recollect.surfaces.rest.bodies import Body, Name, Names, SpaceName, examples
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, Listed, operation_id
from recollect.vocabulary.assembly import (
    Assembled,
    ContextPrediction,
    WorkActivity,
)
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.results import DEFAULT_BUDGET, LARGEST_BUDGET

router = APIRouter(
    prefix="/v1/context",
    tags=["context"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)

_Text = Annotated[str, Field(max_length=20_000)]
_EXAMPLE: dict[str, Any] = {
    "current_file": "src/auth/login.ts",
    "recent_errors": ["TypeError: Cannot read property 'exp' of undefined"],
    "activity": "debugging",
}


class SignalsBody(Body):
    """Signals of the current work; all of them are optional."""

    model_config = examples(_EXAMPLE)

    task: _Text = Field(default="", description="The task, in a sentence.")
    current_file: Name | None = Field(default=None, description="The file that is open.")
    files: Names = Field(
        default_factory=list, max_length=100, description="Other files being worked on."
    )
    modules: Names = Field(
        default_factory=list, max_length=100, description="Modules being worked on."
    )
    branch: Annotated[str, Field(max_length=200)] = Field(
        default="", description="The current git branch."
    )
    recent_errors: Annotated[list[_Text], Field(max_length=100)] = Field(
        default_factory=list, description="Errors that just occurred."
    )
    activity: WorkActivity = Field(
        default=WorkActivity.CODING,
        description="The kind of work: it decides how the tiers share the budget.",
    )
    collaborators: Names = Field(
        default_factory=list, max_length=100, description="People whose preferences are included."
    )
    time_of_day: bool = Field(
        default=True, description="Whether to include what is usually needed at this hour."
    )


class AssembleBody(Body):
    """A token budget, and signals of the current work."""

    model_config = examples({"budget": DEFAULT_BUDGET, "signals": _EXAMPLE})

    budget: int = Field(
        default=DEFAULT_BUDGET,
        ge=0,
        le=LARGEST_BUDGET,
        strict=True,
        description="The token budget, which is never exceeded.",
    )
    signals: SignalsBody = Field(
        default_factory=SignalsBody, description="Signals of the current work."
    )
    model: Name | None = Field(default=None, description="The model whose tokenizer counts.")
    session: Name | None = Field(
        default=None, description="The session; an incognito one gets nothing."
    )
    personal: bool = Field(
        default=False,
        strict=True,
        description="Whether your personal memories are in it, not only your wishes.",
    )


class PredictBody(SignalsBody):
    """Signals of the current work, or only the file that was opened."""

    file_opened: Name | None = Field(
        default=None, description="The file that was opened, where nothing else is known."
    )

    def signals(self) -> dict[str, Any]:
        """The signals, with the opened file as the current one."""
        given = self.given()
        opened = given.pop("file_opened", None)
        return {"current_file": opened, **given} if opened else given


class ExpandBody(Body):
    """Ids of memories that the index of a context lists."""

    model_config = examples({"ids": ["4k2m9x1z"]})

    ids: Annotated[list[Name], Field(min_length=1, max_length=100)] = Field(
        description="Whole ids, or their last eight characters."
    )


@router.post("/assemble", response_model=Assembled)
async def assemble_context(
    request: Request, body: AssembleBody, space: SpaceName = None
) -> Response:
    """Assemble context in four tiers, within the budget."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.assemble(
            body.budget,
            body.signals.given(),
            model=body.model,
            session=body.session,
            personal=body.personal,
        ),
        space=space,
    )


@router.post("/predict", response_model=ContextPrediction)
async def predict_context(request: Request, body: PredictBody, space: SpaceName = None) -> Response:
    """Predict which memories will be needed, and how often such predictions came true."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.predict(body.signals()), space=space
    )


@router.post("/expand", response_model=Listed[Memory])
async def expand_context(request: Request, body: ExpandBody, space: SpaceName = None) -> Response:
    """Open memories that an assembled context names in its index."""
    return await dispatcher_of(request).answer(
        request, lambda memory: Page(memory.expand(*body.ids)), space=space
    )
