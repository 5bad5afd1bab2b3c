"""Personal memory routes: entries, settings, incognito, spoken commands, audit log."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, Field

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import (
    Body,
    Content,
    Cursor,
    Limit,
    Name,
    Names,
    SpaceName,
    examples,
    page,
    spoken,
)
from recollect.surfaces.rest.dispatcher import bearer_of, dispatcher_of
from recollect.surfaces.rest.query_parameters import refuse_unknown_parameters
from recollect.surfaces.rest.response_models import (
    FAULTS,
    LINES,
    Incognito,
    Listed,
    Sentence,
    SpokenAnswer,
    operation_id,
)
from recollect.vocabulary.personal import (
    AuditEntry,
    ChatAnswer,
    Entry,
    Forgotten,
    Heard,
    Kept,
    MemorySettings,
    Question,
    Summary,
)

router = APIRouter(
    prefix="/v1/memory", tags=["memory"], responses=FAULTS, generate_unique_id_function=operation_id
)


SessionName = Annotated[Name | None, Query(description="The session it is done in.")]


class NewEntry(Body):
    """Something a person said, for their assistant to keep."""

    model_config = examples(
        {"text": "My sister Ana is allergic to peanuts.", "tags": ["family"]},
        {"text": "I prefer trains to planes.", "space": "travel", "manually_saved": True},
    )

    text: Content = Field(description="What was said.")
    space: Name | None = Field(default=None, description="The space to store it in.")
    tags: Names = Field(default=[])
    manually_saved: bool = Field(default=False, description="Whether the person asked for it.")
    pinned: bool = Field(default=False, description="Whether it is pinned, and so never trimmed.")
    speaker: Name = Field(default="user", description="Who said it.")
    session: Name | None = Field(default=None, description="The conversation it was said in.")
    events: Names = Field(default_factory=list, description="The events it comes from.")
    anyway: bool = Field(
        default=False, description="Store it even if something similar was forgotten today."
    )


class SettingsChange(Body):
    """Settings to change; others stay."""

    model_config = examples({"memory_enabled": False}, {"incognito_default": True})

    space: Name | None = Field(default=None, description="The space it applies to.")
    memory_enabled: bool = Field(default=True, description="Whether anything is remembered.")
    incognito_default: bool = Field(default=False, description="Begin sessions incognito.")
    soft_cap: int = Field(default=200, ge=1, le=1_000_000, description="How many entries to keep.")
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        default=None, description="Erase unpinned entries older than this."
    )


class SessionBody(Body):
    """A conversation."""

    model_config = examples({"session": "chat-42"})

    session: Name
    space: Name | None = Field(default=None, description="The space it is in.")


class SpokenBody(Body):
    """A command to the memory in natural language."""

    model_config = examples({"text": "forget that", "session": "chat-42"})

    text: Content
    session: Name | None = None
    space: Name | None = None


class HeardMessageBody(Body):
    """One message of a conversation, to be processed."""

    model_config = examples(
        {"text": "We moved to Bordeaux last week.", "session": "chat-42"},
        {"text": "Noted!", "speaker": "assistant", "at": "2026-03-01T10:00:00Z"},
    )

    text: Content = Field(description="What was said.")
    speaker: Literal["user", "assistant"] = Field(default="user", description="Who said it.")
    at: AwareDatetime | None = Field(default=None, description="When it was said; now by default.")
    session: Name | None = Field(default=None, description="The conversation it was said in.")
    space: Name | None = Field(default=None, description="The space to store it in.")


class AskedBody(Body):
    """A question to a person's memory."""

    model_config = examples({"question": "Where do I live?"})

    question: Content = Field(description="The question, in English or French.")
    at: AwareDatetime | None = Field(
        default=None, description="Ignore what was said after this time."
    )
    session: Name | None = Field(default=None, description="The conversation it is asked in.")
    space: Name | None = Field(default=None, description="The space to search.")


class QuestionAnswer(Body):
    """How a contradiction is settled."""

    model_config = examples({"replaces": True})

    replaces: bool = Field(description="Whether the newer replaces the older.")


@router.get("/summary", response_model=Summary)
async def summary(request: Request, space: SpaceName = None) -> Response:
    """Summarise what is remembered, for a person to read."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.summary(), space=space
    )


@router.get("/entries", response_model=Listed[Entry])
async def list_entries(
    request: Request,
    *,
    space: SpaceName = None,
    pinned: Annotated[bool | None, Query(description="Only pinned ones, or only others.")] = None,
    manually_saved: Annotated[
        bool | None, Query(description="Only what the person asked to keep, or only the rest.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List the entries, newest first, paginated."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: page(
            view.chat.entries(
                cursor=cursor, limit=limit, pinned=pinned, manually_saved=manually_saved
            )
        ),
        space=space,
    )


@router.post("/entries", status_code=201, response_model=Kept)
async def add_entry(request: Request, body: NewEntry) -> Response:
    """Store something a person said. A repeat is merged; a contradiction asks a question.

    ``outcome`` says what was done: nothing is stored while memory is off or the session is
    incognito, nor anything similar to what was forgotten within a day.
    """
    fields = body.given("text", "space")
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.chat.add(body.text, **fields),
        space=body.space,
        make=True,
        status=201,
        brief=True,
    )


@router.get("/entries/{entry_id}", response_model=Entry)
async def get_entry(request: Request, entry_id: str, space: SpaceName = None) -> Response:
    """Get one entry."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.entry(entry_id), space=space, brief=True
    )


@router.post("/entries/{entry_id}/pin", response_model=Entry)
async def pin_entry(
    request: Request, entry_id: str, space: SpaceName = None, session: SessionName = None
) -> Response:
    """Pin an entry: it is never trimmed."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.pin(entry_id, session=session), space=space
    )


@router.delete("/entries/{entry_id}/pin", response_model=Entry)
async def unpin_entry(
    request: Request, entry_id: str, space: SpaceName = None, session: SessionName = None
) -> Response:
    """Unpin an entry."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.pin(entry_id, False, session=session), space=space
    )


@router.delete("/entries/{entry_id}", response_model=Forgotten)
async def forget_entry(
    request: Request, entry_id: str, space: SpaceName = None, session: SessionName = None
) -> Response:
    """Delete an entry permanently, and learn nothing similar for 24 hours."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.forget(entry_id, session=session), space=space
    )


@router.get("/settings", response_model=MemorySettings)
async def settings(request: Request, space: SpaceName = None) -> Response:
    """Get the person's settings in a space."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.settings(), space=space
    )


@router.post("/settings", response_model=MemorySettings)
async def set_settings(request: Request, body: SettingsChange) -> Response:
    """Switch memory on or off in a space, or have every session begin incognito."""
    changes = body.given("space")
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.set(**changes), space=body.space, make=True
    )


@router.post("/incognito/start", response_model=Incognito)
async def start_incognito(request: Request, body: SessionBody) -> Response:
    """Start incognito for a session: nothing is stored and nothing is recalled."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: Incognito(body.session, view.chat.incognito(body.session, True)),
        space=body.space,
        make=True,
    )


@router.post("/incognito/end", response_model=Incognito)
async def end_incognito(request: Request, body: SessionBody) -> Response:
    """End incognito for a session."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: Incognito(body.session, view.chat.incognito(body.session, False)),
        space=body.space,
        make=True,
    )


@router.post("/say", response_model=SpokenAnswer)
async def say(request: Request, body: SpokenBody) -> Response:
    """Carry out a command in natural language, in English or French."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: spoken(view.chat.say(body.text, session=body.session)),
        space=body.space,
        make=True,
    )


@router.post("/messages", response_model=Heard)
async def hear(request: Request, body: HeardMessageBody) -> Response:
    """Process one message of a conversation: store what lasts, and report what was done.

    With ``at``, the same message sent twice is kept once.
    """
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.chat.hear(
            body.text, at=body.at, speaker=body.speaker, session=body.session
        ),
        space=body.space,
        make=True,
    )


@router.post("/ask", response_model=ChatAnswer)
async def ask(request: Request, body: AskedBody) -> Response:
    """Answer a question in one sentence with its date and its source: an entry, or a message."""
    return await dispatcher_of(request).answer(
        request,
        lambda view: view.chat.ask(body.question, at=body.at, session=body.session),
        space=body.space,
    )


@router.get("/questions", response_model=tuple[Question, ...])
async def questions(request: Request, space: SpaceName = None) -> Response:
    """List open contradictions."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.questions(), space=space
    )


@router.post("/questions/{question_id}", response_model=Question)
async def settle(
    request: Request, question_id: str, body: QuestionAnswer, space: SpaceName = None
) -> Response:
    """Resolve a contradiction: the newer entry replaces the older, or both stay."""
    return await dispatcher_of(request).answer(
        request, lambda view: view.chat.answer(question_id, body.replaces), space=space
    )


@router.post("/undo/{code}", response_model=Sentence)
async def undo(request: Request, code: str, space: SpaceName = None) -> Response:
    """Undo an action by the code that its answer gave; a deletion for 15 minutes."""
    return await dispatcher_of(request).answer(
        request, lambda view: Sentence(view.chat.undo(code)), space=space
    )


@router.get("/audit", response_model=Listed[AuditEntry])
async def audit(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List the audit log, newest first."""
    return await dispatcher_of(request).answer(
        request, lambda view: page(view.chat.audit(cursor=cursor, limit=limit)), space=space
    )


@router.get("/audit/export", response_class=Response, responses={**FAULTS, **LINES})
async def export_audit(request: Request, space: SpaceName = None) -> Response:
    """Export the audit log as JSON lines."""
    refuse_unknown_parameters(request)
    dispatcher, secret = dispatcher_of(request), bearer_of(request)

    def begin() -> Iterator[str]:
        view: Recollect = dispatcher.view(secret, space)
        return iter(view.chat.export_audit())

    return StreamingResponse(
        dispatcher.pieces(await dispatcher.run(begin)), media_type="application/x-ndjson"
    )
