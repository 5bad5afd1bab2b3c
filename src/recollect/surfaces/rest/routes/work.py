"""Routes for what is said of agents' work from outside its sessions: QA, accepted, done."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from recollect.engine import Recollect
from recollect.engine.for_surfaces import JudgedWork, WorkSession
from recollect.surfaces.rest.bodies import Body, Content, Name, Names, SpaceName, examples, page
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, Listed, operation_id
from recollect.vocabulary.pagination import Page

router = APIRouter(
    prefix="/v1/work", tags=["work"], responses=FAULTS, generate_unique_id_function=operation_id
)

Parts = Annotated[dict[str, Name], Field(max_length=10)]


class WorkBody(Body):
    """Which work is meant: a session has to fit all that are named."""

    model_config = examples({"unit": {"spec": "007"}})

    unit: Parts = Field(default_factory=dict, description='A unit of work: {"spec": "007"}.')
    branch: Annotated[str, Field(max_length=200)] = Field(default="", description="A branch.")
    session: Name | None = Field(default=None, description="One session.")
    methodology: Name = Field(default="native", description="Whose words the unit uses.")
    note: Annotated[str, Field(max_length=2_000)] = Field(
        default="", description="What else there is to say."
    )

    def target(self) -> dict[str, Any]:
        """The fields as the engine takes them."""
        return {
            "unit": self.unit,
            "branch": self.branch,
            "session": self.session,
            "methodology": self.methodology,
            "note": self.note,
        }


class IssueBody(Body):
    """One issue of a review."""

    description: Content = Field(description="What the reviewer found.")
    severity: Literal["critical", "high", "medium", "low"] | None = None
    spec: Name | None = Field(default=None, description="The spec that it belongs to.")
    files: Names = Field(default_factory=list)
    modules: Names = Field(default_factory=list)
    fix: Content | None = Field(default=None, description="What is right.")
    tried: Content | None = Field(default=None, description="What was tried before.")


class QaBody(WorkBody):
    """What a review of the work found."""

    model_config = examples(
        {
            "issues": [{"description": "Totals are off by a cent", "severity": "high"}],
            "spec": "007",
        },
        {"issues": [], "branch": "ann/discounts"},
    )

    issues: list[IssueBody] = Field(max_length=500, description="Empty where nothing was found.")
    spec: Name | None = Field(default=None, description="The spec of issues that name none.")


class DoneBody(WorkBody):
    """How a unit of work or a branch ended."""

    model_config = examples({"outcome": "success", "unit": {"spec": "007"}})

    outcome: Literal["success", "failure", "partial"] = "success"


@router.get("", response_model=Listed[WorkSession])
async def work_sessions(request: Request, space: SpaceName = None) -> Response:
    """List sessions that are running or wait for a verdict, and the newest."""
    return await _answered(
        request, lambda memory: page(Page(tuple(memory.agents.work.sessions()), None)), space
    )


@router.post("/qa", response_model=JudgedWork)
async def report_work_qa(request: Request, body: QaBody, space: SpaceName = None) -> Response:
    """Report a review: severe issues are kept and warned of; without any it passed."""
    issues = [one.given() for one in body.issues]
    return await _answered(
        request,
        lambda memory: memory.agents.work.qa_report(issues, spec=body.spec, **body.target()),
        space,
    )


@router.post("/accept", response_model=JudgedWork)
async def accept_work(request: Request, body: WorkBody, space: SpaceName = None) -> Response:
    """Say that a spec was accepted, or a review is done."""
    return await _answered(
        request, lambda memory: memory.agents.work.accepted(**body.target()), space
    )


@router.post("/done", response_model=JudgedWork)
async def finish_work(request: Request, body: DoneBody, space: SpaceName = None) -> Response:
    """Say how a unit of work or a branch ended."""
    given = body.target()
    given.pop("session")
    return await _answered(
        request, lambda memory: memory.agents.work.done(body.outcome, **given), space
    )


async def _answered(
    request: Request,
    call: Callable[[Recollect], Any],
    space: str | None,
) -> Response:
    return await dispatcher_of(request).answer(request, call, space=space)
