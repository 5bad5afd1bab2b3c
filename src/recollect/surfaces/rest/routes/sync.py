"""Sync routes: devices exchange changes, and people resolve conflicting edits."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from recollect.engine.for_surfaces import packed, unpacked
from recollect.surfaces.rest.bodies import Body, Content, JsonAnswer, SpaceName, examples
from recollect.surfaces.rest.dispatcher import bearer_of, dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, SyncAnswer, operation_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.sync import ContentConflict, SyncStatus

router = APIRouter(
    prefix="/v1/sync", tags=["sync"], responses=FAULTS, generate_unique_id_function=operation_id
)


class KeptContent(Body):
    """Which content of a memory stays where both sides of a sync changed it."""

    model_config = examples(
        {"keep": "1770000000000000.0.a1b2c3"},
        {"content": "Deploys run from CI alone."},
        {"both": True},
    )

    keep: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="The version that stays."
    )
    content: Content | None = Field(
        default=None, description="New content that replaces all of them."
    )
    both: bool = Field(
        default=False, description="Keep all: each other content becomes a memory of its own."
    )


#: OpenAPI description of a device's request; it is gzip-compressed, so no model describes it.
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "An object of JSON, packed with gzip (Content-Encoding: gzip).",
        "content": {
            "application/json": {
                "schema": {
                    "title": "SyncRequest",
                    "type": "object",
                    "required": ["protocol", "device"],
                    "properties": {
                        "protocol": {"type": "integer", "description": "The version of sync."},
                        "device": {"type": "string", "description": "The name of the device."},
                        "since": {
                            "type": ["string", "null"],
                            "description": "Where the last answer that was kept had ended.",
                        },
                        "changes": {
                            "type": "array",
                            "items": {"type": "object"},
                            "description": "Records of what changed on the device.",
                        },
                        "limit": {"type": "integer", "description": "How many records at most."},
                    },
                    "examples": [{"protocol": 1, "device": "a1b2c3", "since": None, "changes": []}],
                }
            }
        },
    }
}


@router.post("", response_model=SyncAnswer, openapi_extra=_BODY)
async def exchange(request: Request, space: SpaceName = None) -> Response:
    """Exchange changes with a device: takes a page of its changes, returns a page of ours."""
    body = await request.body()
    dispatcher, secret = dispatcher_of(request), bearer_of(request)

    def work() -> bytes:
        return packed(dispatcher.view(secret, space).sync.exchange(unpacked(body)))

    return JsonAnswer(await dispatcher.run(work), headers={"Content-Encoding": "gzip"})


@router.get("/status", response_model=SyncStatus)
async def status(request: Request, space: SpaceName = None) -> Response:
    """Get the sync peers of a space, and what is pending."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.sync.status(), space=space
    )


@router.get("/conflicts", response_model=tuple[ContentConflict, ...])
async def conflicts(request: Request, space: SpaceName = None) -> Response:
    """List memories whose content was changed in two places, with every content."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.sync.conflicts(), space=space
    )


@router.post("/conflicts/{memory_id}", response_model=Memory)
async def resolve(
    request: Request, memory_id: str, body: KeptContent, space: SpaceName = None
) -> Response:
    """Keep one of the contents, all of them, or new content; it is synced to every device."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.sync.resolve(
            memory_id, keep=body.keep, content=body.content, both=body.both
        ),
        space=space,
    )
