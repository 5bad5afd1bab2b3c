"""Share routes: tags whose entries their person also finds in another of their spaces."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import Body, Name, SpaceName, examples
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, operation_id
from recollect.vocabulary.personal import Share

router = APIRouter(
    prefix="/v1/memory/shares",
    tags=["memory"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)


class NewShare(Body):
    """A tag to share into another space of the sender's."""

    model_config = examples({"tag": "family", "into": "default"})

    tag: Name = Field(description="Entries with this tag.")
    into: Name = Field(description="The space that they are found in too.")
    space: Name | None = Field(default=None, description="The space that they are in.")


@router.get("", response_model=tuple[Share, ...])
async def list_shares(request: Request, space: SpaceName = None) -> Response:
    """List what the sender shares from a space, and into which spaces."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.shares(), space=space
    )


@router.post("", status_code=201, response_model=Share)
async def share(request: Request, body: NewShare) -> Response:
    """Share the sender's entries with a tag into another space of theirs."""

    def shared(view: Recollect) -> Share:
        return view.chat.share(body.tag, view.within(space=body.into, make=False).space)

    return await dispatcher_of(request).answer(request, shared, space=body.space, status=201)


@router.delete("", response_model=DoneAnswer)
async def unshare(
    request: Request,
    tag: Annotated[Name, Query(description="The tag.")],
    into: Annotated[Name, Query(description="The space it was shared into.")],
    space: SpaceName = None,
) -> Response:
    """Stop sharing a tag; says whether it was shared."""

    def unshared(view: Recollect) -> DoneAnswer:
        target = view.within(space=into, make=False).space
        return DoneAnswer(view.chat.unshare(tag, target))

    return await dispatcher_of(request).answer(request, unshared, space=space)
