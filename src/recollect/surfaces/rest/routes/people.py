"""Routes on people: disputes, sharing, groups, spaces, and rights over a person's data."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import (
    Body,
    Content,
    Cursor,
    Limit,
    Name,
    SpaceName,
    examples,
    page,
)
from recollect.surfaces.rest.dispatcher import bearer_of, dispatcher_of
from recollect.surfaces.rest.query_parameters import refuse_unknown_parameters
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, Listed, operation_id
from recollect.vocabulary.disputes import Dispute, DisputeResolution
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.rights import PersonDeleted, PersonSummary
from recollect.vocabulary.spaces import AliasSuggestion, Group, GroupKind, GroupRole, Space

router = APIRouter(
    prefix="/v1", tags=["people"], responses=FAULTS, generate_unique_id_function=operation_id
)

_TAKEN: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Everything, in pieces.",
        "content": {"application/json": {}, "text/markdown": {}},
    }
}
Words = Annotated[str, Field(min_length=1, max_length=4_000)]
Confirm = Annotated[Name, Query(description="Repeat the name to confirm; this cannot be undone.")]


class NewDispute(Body):
    """A memory to dispute, and why."""

    model_config = examples({"memory": "mem_01m7k...", "text": "It is port 5433 since May."})

    memory: Name = Field(description="The memory's id.")
    text: Words = Field(description="The reason for the dispute.")


class CommentBody(Body):
    """A comment in a dispute."""

    model_config = examples({"text": "I looked it up: it is right."})

    text: Words


class SettleBody(Body):
    """How a dispute is settled."""

    model_config = examples({"resolution": "updated", "content": "The port is 5433."})

    resolution: DisputeResolution | Literal["escalated"] = Field(
        description="updated, confirmed, withdrawn; or escalated, so that an owner decides."
    )
    content: Content | None = Field(
        default=None, description="The new content of the memory; only for updated."
    )
    text: Words | None = Field(default=None, description="The reason.")


class GroupRoleBody(Body):
    """A person's role in a team or an organisation."""

    model_config = examples({"role": "member"})

    role: GroupRole = GroupRole.MEMBER


class SpaceChange(Body):
    """What to change about a space."""

    model_config = examples({"retention_days": 365})

    name: Name | None = Field(default=None, description="Its new name.")
    archived: bool | None = Field(default=None, description="Archive it, or reopen it.")
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        default=None, description="How many days it keeps things; null for no limit."
    )


# --- disputes -------------------------------------------------------------------------------------


@router.get("/disputes", response_model=Listed[Dispute])
async def list_disputes(
    request: Request,
    *,
    settled: Annotated[bool, Query(description="Settled ones, instead of open ones.")] = False,
    memory: Annotated[Name | None, Query(description="Only those over this memory.")] = None,
    space: SpaceName = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List disputes with their threads, newest first."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: page(
            view.disputes.list(resolved=settled, memory=memory, cursor=cursor, limit=limit)
        ),
        space=space,
    )


@router.post("/disputes", status_code=201, response_model=Dispute)
async def open_dispute(request: Request, body: NewDispute, space: SpaceName = None) -> Response:
    """Dispute a memory; its confidence counts 80 % until the dispute is settled."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.disputes.open(body.memory, body.text),
        space=space,
        status=201,
    )


@router.get("/disputes/{dispute_id}", response_model=Dispute)
async def get_dispute(request: Request, dispute_id: str, space: SpaceName = None) -> Response:
    """Get one dispute with its thread."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.disputes.get(dispute_id), space=space
    )


@router.post("/disputes/{dispute_id}/comments", status_code=201, response_model=Dispute)
async def comment_dispute(
    request: Request, dispute_id: str, body: CommentBody, space: SpaceName = None
) -> Response:
    """Comment on an open dispute."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.disputes.comment(dispute_id, body.text),
        space=space,
        status=201,
    )


@router.post("/disputes/{dispute_id}/settle", response_model=Dispute)
async def settle_dispute(
    request: Request, dispute_id: str, body: SettleBody, space: SpaceName = None
) -> Response:
    """Settle a dispute, or let an owner of the space decide it."""

    def settled(view: Recollect) -> Dispute:
        if body.resolution == "escalated":
            return view.disputes.escalate(dispute_id, body.text)
        return view.disputes.resolve(
            dispute_id, body.resolution, content=body.content, text=body.text
        )

    return await dispatcher_of(request).answer(request, settled, space=space)


# --- what is shared -------------------------------------------------------------------------------


@router.get("/onboarding", response_model=tuple[Memory, ...])
async def onboarding(
    request: Request,
    space: SpaceName = None,
    limit: Annotated[int, Query(ge=1, le=50, description="How many at most.")] = 5,
) -> Response:
    """Get the most important memories for a newcomer: confidence x pinned weight x access."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.onboarding(limit), space=space
    )


@router.post("/memories/{memory_id}/propose", status_code=201, response_model=Memory)
async def propose(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Propose a personal memory to the project, under its author's name and unconfirmed."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.propose(memory_id), space=space, status=201
    )


@router.post("/memories/{memory_id}/adopt", response_model=Memory)
async def adopt(request: Request, memory_id: str, space: SpaceName = None) -> Response:
    """Adopt another person's proposed memory for the project."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.adopt(memory_id), space=space
    )


@router.get("/spaces/{space}/alias-suggestions", response_model=tuple[AliasSuggestion, ...])
async def suggest_aliases(request: Request, space: str) -> Response:
    """List names on imported events that are probably a member's. Stewards only."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.suggest_aliases(), space=space
    )


# --- teams and organisations ----------------------------------------------------------------------


@router.get("/groups", response_model=tuple[Group, ...])
async def list_groups(request: Request) -> Response:
    """List the sender's teams and organisations, each with its people."""
    return await dispatcher_of(request).answer(request, lambda view: view.people.groups())


@router.put("/groups/{kind}/{name}", status_code=201, response_model=Group)
async def found_group(request: Request, kind: GroupKind, name: str) -> Response:
    """Create a team or an organisation owned by the sender."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.found_group(kind, name), status=201
    )


@router.delete("/groups/{kind}/{name}", response_model=DoneAnswer)
async def dissolve_group(request: Request, kind: GroupKind, name: str) -> Response:
    """Dissolve a team or an organisation."""

    def dissolved(view: Recollect) -> DoneAnswer:
        view.people.dissolve_group(kind, name)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, dissolved)


@router.put("/groups/{kind}/{name}/members/{user}", response_model=Group)
async def add_to_group(
    request: Request, kind: GroupKind, name: str, user: str, body: GroupRoleBody
) -> Response:
    """Add a person to a team or an organisation, or change their role."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.add_to_group(kind, name, user, body.role)
    )


@router.delete("/groups/{kind}/{name}/members/{user}", response_model=Group)
async def remove_from_group(request: Request, kind: GroupKind, name: str, user: str) -> Response:
    """Remove a person from a team or an organisation."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.people.remove_from_group(kind, name, user)
    )


# --- spaces and a person's data -------------------------------------------------------------------


@router.patch("/spaces/{space}", response_model=Space)
async def change_space(request: Request, space: str, body: SpaceChange) -> Response:
    """Rename a space, archive it, or set how long it keeps things. Owners only."""
    given = body.given()
    if given.get("archived") is False:  # an archived space cannot be entered
        return await dispatcher_of(request).answer(
            request, lambda view: view.rights.restore_space(space)
        )

    def changed(view: Recollect) -> Space:
        now = view.space
        if "retention_days" in given:
            now = view.rights.set_retention(body.retention_days)
        if body.name is not None:
            now = view.rights.rename_space(body.name)
        return view.rights.archive_space() if body.archived else now

    return await dispatcher_of(request).answer(request, changed, space=space)


@router.delete("/spaces/{space}", response_model=DoneAnswer)
async def delete_space(request: Request, space: str, confirm: Confirm) -> Response:
    """Permanently delete a space with everything in it. Owners only."""

    def deleted(view: Recollect) -> DoneAnswer:
        view.rights.delete_space(confirm=confirm)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, deleted, space=space)


@router.get("/person", response_model=PersonSummary)
async def person_summary(request: Request) -> Response:
    """Count what the store holds about the sender, by space and table."""
    return await dispatcher_of(request).answer(request, lambda view: view.rights.summary())


@router.get("/person/export", response_class=Response, responses={**FAULTS, **_TAKEN})
async def export_person(
    request: Request,
    format: Annotated[
        Literal["json", "markdown"], Query(description="markdown can be imported again.")
    ] = "json",
) -> Response:
    """Export everything about the sender, in every space of the token."""
    refuse_unknown_parameters(request)
    dispatcher, secret = dispatcher_of(request), bearer_of(request)

    def begin() -> Iterator[str]:
        return dispatcher.view(secret, None).rights.export_person(format)

    pieces = await dispatcher.run(begin)
    kind = "application/json" if format == "json" else "text/markdown; charset=utf-8"
    return StreamingResponse(dispatcher.pieces(pieces), media_type=kind)


@router.delete("/person", response_model=PersonDeleted)
async def delete_person(request: Request, confirm: Confirm) -> Response:
    """Permanently delete everything about the sender, in every space of the token."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.rights.delete_person(view.viewer.user, confirm=confirm),
    )
