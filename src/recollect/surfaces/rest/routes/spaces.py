"""Space routes: spaces, their members and aliases."""

from fastapi import APIRouter, Request, Response

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import Body, Name, examples
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, Figures, operation_id
from recollect.vocabulary.spaces import Alias, Member, Role, Space, SpaceKind

router = APIRouter(
    prefix="/v1/spaces", tags=["spaces"], responses=FAULTS, generate_unique_id_function=operation_id
)


class NewSpace(Body):
    """A space to create, unless it exists."""

    model_config = examples({"name": "garden", "kind": "project"})

    name: Name
    kind: SpaceKind = SpaceKind.PROJECT
    team: Name | None = None
    organisation: Name | None = None


class NewMember(Body):
    """A person's role in a space."""

    model_config = examples({"role": "member"})

    role: Role = Role.MEMBER


@router.get("", response_model=tuple[Space, ...])
async def list_spaces(request: Request) -> Response:
    """List the spaces that the sender belongs to."""
    return await dispatcher_of(request).answer(request, lambda memory: memory.spaces())


@router.post("", status_code=201, response_model=Space)
async def make_space(request: Request, body: NewSpace) -> Response:
    """Create a space owned by the sender; an existing one of theirs is returned unchanged."""

    def made(memory: Recollect) -> Space:
        memory.within(
            space=body.name, kind=body.kind, organisation=body.organisation, team=body.team
        )
        return memory.within(space=body.name, make=False).space

    return await dispatcher_of(request).answer(request, made, status=201)


@router.get("/{space}", response_model=Space)
async def get_space(request: Request, space: str) -> Response:
    """Get one space."""

    def entered(memory: Recollect) -> Space:
        return memory.within(space=memory.space.name, make=False).space

    return await dispatcher_of(request).answer(request, entered, space=space)


@router.get("/{space}/stats", response_model=Figures)
async def stats(request: Request, space: str) -> Response:
    """Count what a space holds, as far as the sender may see it."""

    def figures(memory: Recollect) -> dict[str, object]:
        found = memory.stats()
        return {name: found[name] for name in ("space", "memories", "events", "streams", "vectors")}

    return await dispatcher_of(request).answer(request, figures, space=space)


@router.get("/{space}/members", response_model=tuple[Member, ...])
async def members(request: Request, space: str) -> Response:
    """List the members of a space."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.members(), space=space
    )


@router.put("/{space}/members/{user}", response_model=Member)
async def add_member(request: Request, space: str, user: str, body: NewMember) -> Response:
    """Add a member, or change their role."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.add_member(user, body.role), space=space
    )


@router.delete("/{space}/members/{user}", response_model=DoneAnswer)
async def remove_member(request: Request, space: str, user: str) -> Response:
    """Remove a member; says whether they were one."""
    return await dispatcher_of(request).answer(
        request, lambda memory: DoneAnswer(memory.remove_member(user)), space=space
    )


@router.get("/{space}/aliases", response_model=tuple[Alias, ...])
async def aliases(request: Request, space: str) -> Response:
    """List aliases of members, each confirmed by a steward."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.aliases(), space=space
    )


@router.put("/{space}/aliases/{user}/{name}", response_model=Alias)
async def confirm_alias(request: Request, space: str, user: str, name: str) -> Response:
    """Confirm an alias that a member may record events under. Stewards only."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.confirm_alias(user, name), space=space
    )


@router.delete("/{space}/aliases/{user}/{name}", response_model=DoneAnswer)
async def withdraw_alias(request: Request, space: str, user: str, name: str) -> Response:
    """Remove an alias; says whether it existed."""
    return await dispatcher_of(request).answer(
        request, lambda memory: DoneAnswer(memory.withdraw_alias(user, name)), space=space
    )
