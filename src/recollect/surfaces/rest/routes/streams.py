"""Stream routes: streams, their readers, and their events."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import Body, Cursor, Name, SpaceName, examples, page
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, DoneAnswer, Listed, operation_id
from recollect.vocabulary.events import Event, EventKind, NewEvent, Reaction, Revision, Window
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.streams import Stream, StreamAccess, StreamKind

router = APIRouter(prefix="/v1", responses=FAULTS, generate_unique_id_function=operation_id)


class NewStream(Body):
    """A stream to create, unless it exists."""

    model_config = examples({"name": "release chat", "kind": "chat"})

    name: Name
    kind: StreamKind = StreamKind.CHAT
    access: StreamAccess = StreamAccess.OPEN
    parent: Name | None = None


class StreamChange(Body):
    """Who may read a stream."""

    model_config = examples({"access": "private"})

    access: StreamAccess


class NewEventBody(Body):
    """An event to append."""

    model_config = examples({"text": "Let's ship on Tuesday.", "author": "alice"})

    text: str = Field(max_length=32_000_000)
    kind: EventKind = EventKind.MESSAGE
    author: Name | None = None
    occurred_at: AwareDatetime | None = None
    payload: dict[str, Any] = Field(default={})
    reply_to: Name | None = None
    external_id: Name | None = None


class NewEvents(Body):
    """Events to append to a stream, all or none."""

    model_config = examples(
        {"events": [{"text": "Let's ship on Tuesday.", "author": "alice", "external_id": "m1"}]}
    )

    events: Annotated[list[NewEventBody], Field(min_length=1, max_length=1_000)]


class NewWords(Body):
    """The new text of an event."""

    model_config = examples({"text": "Let's ship on Wednesday."})

    text: Annotated[str, Field(min_length=1, max_length=32_000_000)]


Around = Annotated[
    int, Query(ge=0, le=1_000, description="How many events before it, or after it.")
]


@router.get("/streams", response_model=Listed[Stream], tags=["streams"])
async def list_streams(
    request: Request,
    space: SpaceName = None,
    kind: Annotated[StreamKind | None, Query(description="Only streams of this kind.")] = None,
    cursor: Cursor = None,
) -> Response:
    """List the streams that the sender may read."""
    return await dispatcher_of(request).answer(
        request, lambda memory: page(memory.streams(kind=kind, cursor=cursor)), space=space
    )


@router.post("/streams", status_code=201, response_model=Stream, tags=["streams"])
async def open_stream(request: Request, body: NewStream, space: SpaceName = None) -> Response:
    """Create a stream; an existing one of that name is returned unchanged."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.open_stream(
            body.name, kind=body.kind, access=body.access, parent=body.parent
        ),
        space=space,
        make=True,
        status=201,
    )


@router.patch("/streams/{stream}", response_model=DoneAnswer, tags=["streams"])
async def set_access(
    request: Request, stream: str, body: StreamChange, space: SpaceName = None
) -> Response:
    """Make a stream public to the space, or private to its list of readers."""

    def changed(memory: Recollect) -> DoneAnswer:
        memory.set_access(stream, body.access)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, changed, space=space)


@router.put("/streams/{stream}/readers/{user}", response_model=DoneAnswer, tags=["streams"])
async def admit(request: Request, stream: str, user: str, space: SpaceName = None) -> Response:
    """Add a reader to a private stream."""

    def admitted(memory: Recollect) -> DoneAnswer:
        memory.admit(stream, user)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, admitted, space=space)


@router.post("/streams/{stream}/join", response_model=Stream, tags=["streams"])
async def join_stream(request: Request, stream: str, space: SpaceName = None) -> Response:
    """As an owner of the space, join a private stream of others; this is logged."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.join_stream(stream), space=space
    )


@router.delete("/streams/{stream}/readers/{user}", response_model=DoneAnswer, tags=["streams"])
async def dismiss(request: Request, stream: str, user: str, space: SpaceName = None) -> Response:
    """Remove a reader from a private stream."""

    def dismissed(memory: Recollect) -> DoneAnswer:
        memory.dismiss(stream, user)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, dismissed, space=space)


@router.get("/streams/{stream}/events", response_model=Listed[Event], tags=["events"])
async def read(
    request: Request,
    stream: str,
    space: SpaceName = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many at most.")] = 100,
) -> Response:
    """List a stream's events in order, paginated."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: page(memory.read(stream, cursor=cursor, limit=limit)),
        space=space,
    )


@router.post(
    "/streams/{stream}/events",
    status_code=201,
    response_model=tuple[Event, ...],
    tags=["events"],
)
async def record(
    request: Request, stream: str, body: NewEvents, space: SpaceName = None
) -> Response:
    """Append events to a stream (created if new), all or none.

    An event whose ``external_id`` exists already is not written again.
    """
    events = [NewEvent(**said.model_dump()) for said in body.events]
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.record_many(events, stream=stream),
        space=space,
        make=True,
        status=201,
    )


@router.get("/events/{event_id}", response_model=Event, tags=["events"])
async def get_event(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """Get one event."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.window(event_id, before=0, after=0).event, space=space
    )


@router.patch("/events/{event_id}", response_model=Event, tags=["events"])
async def edit(
    request: Request, event_id: str, body: NewWords, space: SpaceName = None
) -> Response:
    """Edit the text of an event; search sees the change at once."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.edit_event(event_id, body.text), space=space
    )


@router.delete("/events/{event_id}", response_model=DoneAnswer, tags=["events"])
async def delete(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """Delete the text of an event; its place in the order stays."""

    def deleted(memory: Recollect) -> DoneAnswer:
        memory.delete_event(event_id)
        return DoneAnswer(True)

    return await dispatcher_of(request).answer(request, deleted, space=space)


@router.get("/events/{event_id}/window", response_model=Window, tags=["events"])
async def window(
    request: Request,
    event_id: str,
    space: SpaceName = None,
    before: Around = 5,
    after: Around = 2,
) -> Response:
    """Get an event with what came before and after it."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.window(event_id, before=before, after=after),
        space=space,
    )


@router.get("/events/{event_id}/replies", response_model=tuple[Event, ...], tags=["events"])
async def replies(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """List the replies to an event."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.replies(event_id), space=space
    )


@router.get("/events/{event_id}/revisions", response_model=tuple[Revision, ...], tags=["events"])
async def revisions(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """List the earlier versions of an event."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.revisions(event_id), space=space
    )


@router.get("/events/{event_id}/memories", response_model=tuple[Memory, ...], tags=["events"])
async def pointing_at(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """List the memories that cite an event."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.pointing_at(event_id), space=space
    )


@router.get("/events/{event_id}/reactions", response_model=tuple[Reaction, ...], tags=["events"])
async def reactions(request: Request, event_id: str, space: SpaceName = None) -> Response:
    """List the reactions to an event."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.reactions(event_id), space=space
    )


@router.put(
    "/events/{event_id}/reactions/{emoji}", response_model=tuple[Reaction, ...], tags=["events"]
)
async def react(request: Request, event_id: str, emoji: str, space: SpaceName = None) -> Response:
    """Add a reaction."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.react(event_id, emoji), space=space
    )


@router.delete("/events/{event_id}/reactions/{emoji}", response_model=DoneAnswer, tags=["events"])
async def unreact(request: Request, event_id: str, emoji: str, space: SpaceName = None) -> Response:
    """Remove the sender's reaction; says whether it existed."""
    return await dispatcher_of(request).answer(
        request, lambda memory: DoneAnswer(memory.unreact(event_id, emoji)), space=space
    )
