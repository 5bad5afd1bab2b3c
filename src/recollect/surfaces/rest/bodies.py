"""What requests may hold. Shapes are checked here, meanings by the engine, each with a reason."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from recollect.vocabulary.contradictions import Resolution
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.memory_types import MemoryType, OnRepeat, RelationType, Scope, Source
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.research import LONGEST_QUESTION, Requester
from recollect.vocabulary.results import MOST_SESSIONS
from recollect.vocabulary.retrievals import Verdict
from recollect.vocabulary.spaces import Role, SpaceKind
from recollect.vocabulary.streams import StreamAccess, StreamKind

_LINKS: Final = 1_000
_TEXT: Final = 200_000

Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=_LINKS)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Content = Annotated[str, Field(min_length=1, max_length=_TEXT)]
SpaceName = Annotated[
    Name | None, Query(description="The space; the server's own when none is named.")
]
SessionName = Annotated[Name | None, Query(description="The conversation it is done in.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=200, description="Where the last page of the list ended.")
]


class Body(BaseModel):
    """A request's body: nothing is guessed, and nothing unknown is taken."""

    model_config = ConfigDict(extra="forbid", strict=False)

    def given(self, *leave_out: str) -> dict[str, Any]:
        """What the sender named, and nothing that merely has a default."""
        return {
            name: getattr(self, name) for name in self.model_fields_set if name not in leave_out
        }


def examples(*given: dict[str, Any]) -> ConfigDict:
    """A body that shows examples of itself."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": list(given)})


#: Filters that ask for something when they are false, too.
_EITHER: Final = frozenset({"pinned", "needs_review", "has_code", "minimum_confidence"})


class Narrow(Body):
    """What a list or a recall may be narrowed by."""

    type: list[MemoryType] = Field(default_factory=list, description="Only these types.")
    source: list[Source] = Field(default_factory=list, description="Only from these sources.")
    scope: list[Scope] = Field(default_factory=list, description="Only these scopes.")
    tag: Names = Field(default_factory=list, description="Only with all of these tags.")
    file: Names = Field(default_factory=list, description="Only of these files.")
    module: Names = Field(default_factory=list, description="Only of these modules.")
    author: Names = Field(default_factory=list, description="Only by these people.")
    stream: Names = Field(default_factory=list, description="Only from streams of this id or name.")
    created_after: AwareDatetime | None = Field(default=None, description="Made after this.")
    created_before: AwareDatetime | None = Field(default=None, description="Made before this.")
    minimum_confidence: Fraction | None = Field(default=None, description="At least so sure.")
    pinned: bool | None = Field(default=None, description="Only pinned ones, or only others.")
    needs_review: bool | None = Field(default=None, description="Only what waits for review.")
    has_code: bool | None = Field(default=None, description="Only what holds code, or none.")
    archived: bool = Field(default=False, description="What was put away instead.")
    superseded: bool = Field(default=False, description="Also what was superseded.")
    as_of: AwareDatetime | None = Field(default=None, description="As it was believed then.")

    def filters(self) -> dict[str, Any]:
        """The filters by the names the engine has for them."""
        values = {name: getattr(self, name) for name in Narrow.model_fields}
        asked = {name: value for name, value in values.items() if value not in (None, [])}
        return {name: value for name, value in asked.items() if value or name in _EITHER}


class MemoryList(Narrow):
    """A page of a list of memories."""

    space: Name | None = Field(default=None, description="The space to look in.")
    cursor: str | None = Field(default=None, max_length=200, description="Where to go on.")
    limit: int = Field(default=50, ge=1, le=1_000, description="How many at most.")
    order: Literal["newest", "unsure", "used"] = Field(
        default="newest", description="What comes first."
    )


class RecallBody(Narrow):
    """A question to recall."""

    model_config = examples(
        {"query": "when is staging wiped?", "limit": 5},
        {"query": "how do we deploy", "type": ["decision"], "budget": 800, "explain": True},
    )

    query: Content = Field(description="What you want to know.")
    space: Name | None = Field(default=None, description="The space to look in.")
    limit: int = Field(default=10, ge=1, le=1_000, description="How many at most.")
    kinds: list[Literal["memory", "event", "chunk"]] = Field(
        default=["memory", "event", "chunk"], min_length=1, description="What to look among."
    )
    profile: Name | None = Field(default=None, description="How to rank: agent, chat, ...")
    phase: Phase | None = Field(default=None, description="What the work is at.")
    budget: int | None = Field(
        default=None, ge=0, le=10_000_000, description="Pack the answer into so many tokens."
    )
    explain: bool = Field(default=False, description="Say why each is there.")
    session: Name | None = Field(default=None, description="An incognito one gets nothing.")
    last_sessions: int | None = Field(
        default=None, ge=1, le=MOST_SESSIONS, description="Keep to so many sessions."
    )
    around: Name | None = Field(default=None, description="Keep to what was around an event.")
    chain: bool = Field(default=False, description="Bring along files that change together.")
    recent_files: Names = Field(
        default_factory=list, description="Files worked on lately: their neighbours' memories come."
    )


class TrendBody(Narrow):
    """A question about how often something comes up."""

    model_config = examples({"query": "staging", "days": 30})

    query: Content = Field(description="What to count.")
    space: Name | None = Field(default=None, description="The space to look in.")
    days: float = Field(default=30.0, ge=0.001, le=36_500, description="Over how many days.")


class MemoryFields(Body):
    """What can be said of a memory when it is made."""

    type: MemoryType = MemoryType.FACT
    confidence: Fraction = 0.8
    importance: Fraction = 0.5
    scope: Scope = Scope.GLOBAL
    source: Source = Source.AGENT_EXPLICIT
    visibility: Literal["personal", "project", "team", "organisation", "stream"] | None = None
    team: Name | None = None
    organisation: Name | None = None
    stream: Name | None = None
    tags: Names = []
    files: Names = []
    modules: Names = []
    events: Names = []
    sessions: Names = []
    session: Name | None = None
    commit: Name | None = None
    extras: dict[str, Any] = {}
    citation: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    summary: Content | None = None
    compressed: Content | None = None
    index: Content | None = None
    half_life_days: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    pinned: bool = False
    manually_saved: bool = False
    needs_review: bool = False


class NewMemory(MemoryFields):
    """A memory to keep."""

    model_config = examples(
        {
            "content": "The staging database is reset every night.",
            "type": "gotcha",
            "tags": ["staging"],
        }
    )

    content: Content = Field(description="What is worth finding again.")


class MemoryToStore(NewMemory):
    """A memory to store, unless it is known already."""

    repeats: OnRepeat = Field(
        default=OnRepeat.MERGE,
        description="What becomes of it when it is known already: merge, keep or skip.",
    )


class MemoryChange(Body):
    """What is to be different about a memory; what is not named stays."""

    model_config = examples({"tags": ["staging", "database"], "revision": 1})

    revision: Annotated[int, Field(ge=1, le=2**53)] | None = Field(
        default=None, description="Change it only if it is still at this revision."
    )
    content: Content | None = None
    type: MemoryType | None = None
    confidence: Fraction | None = None
    importance: Fraction | None = None
    scope: Scope | None = None
    tags: Names | None = None
    files: Names | None = None
    modules: Names | None = None
    extras: dict[str, Any] | None = None
    citation: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    pinned: bool | None = None
    needs_review: bool | None = None
    user_verified: bool | None = None
    disputed: bool | None = None


class NewRelation(Body):
    """An arrow from a memory to another memory or to a file."""

    model_config = examples({"type": "derived_from", "file": "src/auth/login.py"})

    type: RelationType
    memory: Name | None = None
    file: Name | None = None
    confidence: Fraction = 1.0


class NewSpace(Body):
    """A space to make, or to find."""

    model_config = examples({"name": "garden", "kind": "project"})

    name: Name
    kind: SpaceKind = SpaceKind.PROJECT
    team: Name | None = None
    organisation: Name | None = None


class NewMember(Body):
    """A person's role in a space."""

    model_config = examples({"role": "member"})

    role: Role = Role.MEMBER


class NewStream(Body):
    """A stream to open, or to find."""

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
    """One thing that happened."""

    model_config = examples({"text": "Let's ship on Tuesday.", "author": "alice"})

    text: str = Field(max_length=32_000_000)
    kind: EventKind = EventKind.MESSAGE
    author: Name | None = None
    occurred_at: AwareDatetime | None = None
    payload: dict[str, Any] = {}
    reply_to: Name | None = None
    external_id: Name | None = None


class NewEvents(Body):
    """Things that happened, kept all or none."""

    model_config = examples(
        {"events": [{"text": "Let's ship on Tuesday.", "author": "alice", "external_id": "m1"}]}
    )

    events: Annotated[list[NewEventBody], Field(min_length=1, max_length=1_000)]


class NewWords(Body):
    """What an event says from now on."""

    model_config = examples({"text": "Let's ship on Wednesday."})

    text: Annotated[str, Field(min_length=1, max_length=32_000_000)]


Moment = Annotated[datetime | None, Query(description="As it stood at this time.")]


class NewEntry(Body):
    """Something a person said, for their assistant to keep."""

    model_config = examples(
        {"text": "My sister Ana is allergic to peanuts.", "tags": ["family"]},
        {"text": "I prefer trains to planes.", "space": "travel", "manually_saved": True},
    )

    text: Content = Field(description="What was said.")
    space: Name | None = Field(default=None, description="The space to keep it in.")
    tags: Names = []
    manually_saved: bool = Field(default=False, description="Whether the person asked for it.")
    pinned: bool = Field(default=False, description="Whether it is never to be trimmed.")
    speaker: Name = Field(default="user", description="Who said it.")
    session: Name | None = Field(default=None, description="The conversation it was said in.")
    events: Names = Field(default_factory=list, description="The events it comes from.")
    anyway: bool = Field(default=False, description="Even if the like was forgotten today.")


class SettingsChange(Body):
    """What the person decides; what is not named stays."""

    model_config = examples({"memory_enabled": False}, {"incognito_default": True})

    space: Name | None = Field(default=None, description="The space it holds for.")
    memory_enabled: bool = Field(default=True, description="Whether anything is remembered.")
    incognito_default: bool = Field(default=False, description="Begin sessions incognito.")
    soft_cap: int = Field(default=200, ge=1, le=1_000_000, description="How many to keep.")
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        default=None, description="Forget what is older and not pinned."
    )


class SessionBody(Body):
    """A conversation."""

    model_config = examples({"session": "chat-42"})

    session: Name
    space: Name | None = Field(default=None, description="The space it is in.")


class SpokenBody(Body):
    """What a person says to their memory."""

    model_config = examples({"text": "forget that", "session": "chat-42"})

    text: Content
    session: Name | None = None
    space: Name | None = None


class HeardMessageBody(Body):
    """One message of a conversation, to be listened to."""

    model_config = examples(
        {"text": "We moved to Bordeaux last week.", "session": "chat-42"},
        {"text": "Noted!", "speaker": "assistant", "at": "2026-03-01T10:00:00Z"},
    )

    text: Content = Field(description="What was said.")
    speaker: Literal["user", "assistant"] = Field(default="user", description="Who said it.")
    at: AwareDatetime | None = Field(default=None, description="When; now otherwise.")
    session: Name | None = Field(default=None, description="The conversation it was said in.")
    space: Name | None = Field(default=None, description="The space to keep it in.")


class ResearchBody(Body):
    """A question to everything that was said."""

    model_config = examples({"question": "Why did we move the invoices to PostgreSQL?"})

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)] = Field(
        description="The question."
    )
    requester: Requester = Field(default=Requester.USER, description="Who asks.")
    session: Name | None = Field(default=None, description="The conversation it is asked in.")
    space: Name | None = Field(default=None, description="The space to look in.")


class AskedBody(Body):
    """A question to what is remembered of a person."""

    model_config = examples({"question": "Where do I live?"})

    question: Content = Field(description="The question, in English or French.")
    at: AwareDatetime | None = Field(
        default=None, description="What was told later does not count."
    )
    session: Name | None = Field(default=None, description="The conversation it is asked in.")
    space: Name | None = Field(default=None, description="The space to look in.")


class QuestionAnswer(Body):
    """How a contradiction is settled."""

    model_config = examples({"replaces": True})

    replaces: bool = Field(description="Whether the newer replaces the older.")


class NewShare(Body):
    """A tag to share into another space of the sender's."""

    model_config = examples({"tag": "family", "into": "default"})

    tag: Name = Field(description="Entries with this tag.")
    into: Name = Field(description="The space that they are found in too.")
    space: Name | None = Field(default=None, description="The space that they are in.")


class NewBudget(Body):
    """What may be spent of a kind in a month."""

    model_config = examples({"allowed": 1000})

    allowed: Annotated[float, Field(ge=0, le=1e12)] | None = Field(description="null: no limit.")


class NewFeedback(Body):
    """What an answer of recall was worth."""

    model_config = examples({"verdict": "helpful"})

    verdict: Verdict
    items: Names = Field(default_factory=list, description="Of these alone.")
    note: Content | None = None


class NewMemo(Body):
    """An event whose conversation is kept as knowledge."""

    model_config = examples({"event": "evt_01jq0000000000000000000000", "topics": ["deployment"]})

    event: Name = Field(description="The id of the event.")
    summary: Content | None = Field(default=None, description="What it is about.")
    topics: Names = Field(default_factory=list, description="Its topics; found if none.")


class MemoChange(Body):
    """What may be changed of a memo."""

    model_config = examples({"topics": ["deployment", "release"], "confidence": 0.8})

    summary: Content | None = Field(default=None, description="What it is about.")
    topics: Names | None = Field(default=None, description="Its topics, in place of the old.")
    confidence: Fraction | None = Field(default=None, description="How sure it is.")
    revision: int | None = Field(default=None, ge=1, description="Only if it is still this one.")


class MemoVerdict(Body):
    """Whether a memo helped."""

    model_config = examples({"helpful": True})

    helpful: bool = Field(description="Whether it did.")


class TypedText(Body):
    """What somebody is typing, and where."""

    model_config = examples({"query": "how do we deploy the billing service?"})

    query: str = Field(max_length=10_000, description="The text so far.")
    stream: Name | None = Field(default=None, description="The id of the stream.")


class Purpose(Body):
    """What a stream is used for; null takes it back."""

    model_config = examples({"purpose": "Questions about deploying"})

    purpose: str | None = Field(default=None, max_length=500, description="A sentence.")


class ResolveBody(Body):
    """How a contradiction is decided."""

    model_config = examples({"resolution": "b_wins", "note": "The migration is done."})

    resolution: Resolution = Field(description="a_wins, b_wins, both, or merged.")
    note: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None, description="Why."
    )
    text: Content | None = Field(
        default=None, description="What the merged memory says, with merged."
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
    content: Content | None = Field(default=None, description="What stands there instead of all.")
    both: bool = Field(
        default=False, description="Keep all: each other content becomes a memory of its own."
    )


class ConsolidateBody(Body):
    """Whether a consolidation is done, or only told."""

    model_config = examples({"dry_run": True})

    dry_run: bool = Field(default=False, description="Only say what would be done.")
