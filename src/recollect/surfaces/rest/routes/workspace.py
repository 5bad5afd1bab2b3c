"""Workspace routes: memos, knowledge, experts, related conversations."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import (
    Body,
    Content,
    Cursor,
    Fraction,
    Limit,
    Name,
    Names,
    SpaceName,
    examples,
    page,
)
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import (
    FAULTS,
    ExpertList,
    ExpertsByTopic,
    GapList,
    Listed,
    MemoHits,
    TopicList,
    operation_id,
)
from recollect.vocabulary.errors import EventNotFound
from recollect.vocabulary.streams import Stream
from recollect.vocabulary.workspace import (
    ConversationWindow,
    KnowledgeOverview,
    Memo,
    Related,
    Suggestions,
)

router = APIRouter(
    prefix="/v1", tags=["workspace"], responses=FAULTS, generate_unique_id_function=operation_id
)


class NewMemo(Body):
    """An event whose conversation is kept as knowledge."""

    model_config = examples({"event": "evt_01jq0000000000000000000000", "topics": ["deployment"]})

    event: Name = Field(description="The id of the event.")
    summary: Content | None = Field(default=None, description="What it is about.")
    topics: Names = Field(default_factory=list, description="Its topics; found if none.")


class MemoChange(Body):
    """The fields of a memo to change."""

    model_config = examples({"topics": ["deployment", "release"], "confidence": 0.8})

    summary: Content | None = Field(default=None, description="What it is about.")
    topics: Names | None = Field(default=None, description="Its topics, in place of the old.")
    confidence: Fraction | None = Field(default=None, description="Its confidence.")
    revision: int | None = Field(
        default=None, ge=1, description="Update it only if it is still at this revision."
    )


class MemoVerdict(Body):
    """Whether a memo helped."""

    model_config = examples({"helpful": True})

    helpful: bool = Field(description="Whether the memo helped.")


class TypedText(Body):
    """What somebody is typing, and where."""

    model_config = examples({"query": "how do we deploy the billing service?"})

    query: str = Field(max_length=10_000, description="The text so far.")
    stream: Name | None = Field(default=None, description="The id of the stream.")


class Purpose(Body):
    """What a stream is used for; null removes it."""

    model_config = examples({"purpose": "Questions about deploying"})

    purpose: str | None = Field(
        default=None, max_length=500, description="The purpose, in a sentence."
    )


MemoId = Annotated[str, Path(max_length=200, description="The id of a memo.")]
Few = Annotated[int, Query(ge=1, le=50, description="How many at most.")]
Text = Annotated[str, Query(max_length=10_000, description="The question.")]
TopicName = Annotated[str, Path(min_length=1, max_length=2_000, description="A topic.")]


@router.get("/memos", response_model=Listed[Memo])
async def list_memos(
    request: Request,
    *,
    space: SpaceName = None,
    topic: Annotated[str | None, Query(max_length=200, description="Only with this topic.")] = None,
    archived: Annotated[bool, Query(description="List archived memos instead.")] = False,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List memos, newest first."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: page(
            memory.workspace.memos(topic=topic, archived=archived, cursor=cursor, limit=limit)
        ),
        space=space,
    )


@router.post("/memos", status_code=201, response_model=Memo)
async def save_memo(request: Request, body: NewMemo, space: SpaceName = None) -> Response:
    """Save the conversation around an event as knowledge."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.workspace.save(
            body.event, summary=body.summary, topics=tuple(body.topics)
        ),
        space=space,
        status=201,
    )


@router.get("/memos/search", response_model=MemoHits)
async def search_memos(
    request: Request,
    query: Text,
    space: SpaceName = None,
    topic: Annotated[list[str] | None, Query(description="Only with one of these topics.")] = None,
    limit: Few = 5,
) -> Response:
    """Search memos; a score over 0.9 is the same question."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: MemoHits(
            memory.workspace.search_memos(query, limit=limit, topics=tuple(topic or ()))
        ),
        space=space,
    )


@router.get("/memos/{memo}", response_model=Memo)
async def get_memo(request: Request, memo: MemoId, space: SpaceName = None) -> Response:
    """Get a memo with the current text of its events."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.memo(memo), space=space
    )


@router.patch("/memos/{memo}", response_model=Memo)
async def update_memo(
    request: Request, memo: MemoId, body: MemoChange, space: SpaceName = None
) -> Response:
    """Change a memo's summary, topics or confidence."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.update_memo(memo, **body.given()), space=space
    )


@router.post("/memos/{memo}/feedback", response_model=Memo)
async def rate_memo(
    request: Request, memo: MemoId, body: MemoVerdict, space: SpaceName = None
) -> Response:
    """Say whether a memo helped."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.workspace.rate_memo(memo, helpful=body.helpful),
        space=space,
    )


@router.delete("/memos/{memo}", response_model=Memo)
async def archive_memo(request: Request, memo: MemoId, space: SpaceName = None) -> Response:
    """Archive a memo; it can be restored."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.archive_memo(memo), space=space
    )


@router.post("/memos/{memo}/restore", response_model=Memo)
async def restore_memo(request: Request, memo: MemoId, space: SpaceName = None) -> Response:
    """Restore an archived memo."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.restore_memo(memo), space=space
    )


@router.get("/knowledge", response_model=KnowledgeOverview)
async def knowledge_overview(request: Request, space: SpaceName = None) -> Response:
    """Get an overview of knowledge: frequent, recent, by topic, gaps, top experts."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.overview(), space=space
    )


@router.get("/knowledge/topics", response_model=TopicList)
async def list_topics(
    request: Request,
    space: SpaceName = None,
    limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 100,
) -> Response:
    """List topics with their memos and last activity."""
    return await dispatcher_of(request).answer(
        request, lambda memory: TopicList(memory.workspace.topics(limit=limit)), space=space
    )


@router.get("/knowledge/gaps", response_model=GapList)
async def list_gaps(
    request: Request,
    space: SpaceName = None,
    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 20,
) -> Response:
    """List questions that were asked more than once and found nothing."""
    return await dispatcher_of(request).answer(
        request, lambda memory: GapList(memory.workspace.gaps(limit=limit)), space=space
    )


@router.get("/knowledge/suggest", response_model=Suggestions)
async def suggest(
    request: Request,
    query: Text,
    space: SpaceName = None,
    stream: Annotated[
        str | None, Query(max_length=200, description="The stream in which it is typed.")
    ] = None,
) -> Response:
    """Suggest what is already known about a question while it is typed."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.suggest(query, stream=stream), space=space
    )


@router.post("/knowledge/suggest", response_model=Suggestions)
async def suggest_for(request: Request, body: TypedText, space: SpaceName = None) -> Response:
    """The same, for a text that is too long or too private for a URL."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.workspace.suggest(body.query, stream=body.stream),
        space=space,
    )


@router.get("/experts", response_model=ExpertsByTopic)
async def list_experts(request: Request, space: SpaceName = None, limit: Few = 3) -> Response:
    """List the experts of each of the leading topics."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: ExpertsByTopic(memory.workspace.experts_by_topic(limit=limit)),
        space=space,
    )


@router.get("/experts/topic/{topic}", response_model=ExpertList)
async def experts_of_topic(
    request: Request, topic: TopicName, space: SpaceName = None, limit: Few = 5
) -> Response:
    """List who knows about a topic, with sample answers."""
    return await _experts(request, topic, space, limit)


@router.get("/experts/for-topic/{topic}", response_model=ExpertList)
async def experts_for_topic(
    request: Request, topic: TopicName, space: SpaceName = None, limit: Few = 5
) -> Response:
    """List who knows about a topic; same as /v1/experts/topic."""
    return await _experts(request, topic, space, limit)


async def _experts(request: Request, topic: str, space: str | None, limit: int) -> Response:
    return await dispatcher_of(request).answer(
        request,
        lambda memory: ExpertList(topic, memory.workspace.experts(topic, limit=limit)),
        space=space,
    )


@router.get("/streams/{stream}/events/{event}/related", response_model=Related)
async def related(
    request: Request, stream: str, event: str, space: SpaceName = None, limit: Few = 5
) -> Response:
    """List memos and conversations on the same subject as an event."""

    def found(memory: Recollect) -> Related:
        _on_stream(memory, stream, event)
        return memory.workspace.related(event, limit=limit)

    return await dispatcher_of(request).answer(request, found, space=space)


@router.get("/streams/{stream}/events/{event}/conversation", response_model=ConversationWindow)
async def conversation(
    request: Request, stream: str, event: str, space: SpaceName = None
) -> Response:
    """Get the conversation that an event is part of."""

    def found(memory: Recollect) -> ConversationWindow:
        _on_stream(memory, stream, event)
        return memory.workspace.conversation(event)

    return await dispatcher_of(request).answer(request, found, space=space)


@router.put("/streams/{stream}/purpose", response_model=Stream)
async def set_purpose(
    request: Request, stream: str, body: Purpose, space: SpaceName = None
) -> Response:
    """Set what a stream is used for."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.workspace.set_purpose(stream, body.purpose), space=space
    )


def _on_stream(memory: Recollect, stream: str, event: str) -> None:
    """Raise an error unless the event is on that stream, given by its id or its name."""
    found = memory.get(event)
    if getattr(found, "stream_id", None) != memory.workspace.stream(stream).id:
        raise EventNotFound(f"No event {event!r} is visible on that stream.")
