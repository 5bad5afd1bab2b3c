"""Reads a question into a plan: its words, its type, whom it asks about, the answer it wants, and
what it is narrowed to.

A plan holds for all collections. Properties that depend on the stored data (names of authors, how
rare a word is) are determined when a collection is surveyed.

The filters (kinds, fields, sessions) are checked here, and say which slots pass them. A single word
stands for a set of one. A time window is a filter (``created_after``, ``created_before``);
``last_sessions`` and ``around`` restrict to sessions; the course over time is ``trend``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

from recollect.index.analyser import query_terms
from recollect.recall.profiles import Profile
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.storage.search.sessions import StreamSession, sessions_of, slots_during
from recollect.vocabulary.arguments import (
    checked_name,
    choice,
    flag,
    fraction,
    repaired_text,
    shown,
    whole,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import EventNotFound, InvalidInput, InvalidText
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import MAX_SESSIONS, Filters
from recollect.vocabulary.stopwords import STOP_WORDS

CHUNKS: Final = "chunks"
COLLECTIONS: Final = {"memory": "memories", "event": "events", "chunk": CHUNKS}
#: Number of sessions before, and after, the session of an event that ``around`` covers.
AROUND: Final = 3
LIMIT: Final = 1_000
_TERMS: Final = 64
_QUERY_CHARACTERS: Final = 10_000

QueryType = Literal["identifier", "semantic", "structural"]
AnswerKind = Literal["time", "number", "name"]

_IDENTIFIER: Final = lazy_pattern(r"[a-z][A-Z]|\w_\w|\w/\w|\w\.\w{1,4}\b|::")
_STRUCTURAL: Final = lazy_pattern(
    r"\b(?:depends? on|calls?|callers?|imports?|impact of|used by|uses of|references? to)\b", re.I
)
_FIRST_PERSON: Final = lazy_pattern(r"\b(?:I|i|my|mine|me|myself|we|our)\b")
#: Polite phrases ("can you ..."), which say nothing about the person addressed.
_POLITELY: Final = lazy_pattern(
    r"\b(?:can|could|would|will|do|did) you\b(?! (?:say|tell|mention|suggest|recommend|propose)\b)"
    r"|\bwould you (?:suggest|recommend|propose)\b|\bthank you\b",
    re.I,
)
_SECOND_PERSON: Final = lazy_pattern(r"\byou(?:r|rs)?\b", re.I)
#: The asker wants advice or something made, to which their standing wishes apply ...
_WANTS_HELP: Final = lazy_pattern(
    r"\bhow (?:should|can|could|do|would|might) (?:i|we|you)\b|\b(?:should|can|could) (?:i|we)\b"
    r"|\bi(?: a|['\u2019])m (?:planning|looking|trying|working|thinking|considering|about|going"
    r"|preparing|setting|getting|interested|hoping|starting)\b"
    r"|\bi(?: would|['\u2019]d)? (?:want|need|like) (?:to|help|some|your|a)\b"
    r"|\bwhat (?:are|is|would be) (?:some|the best|a good|good)\b"
    r"|\bany (?:tips|advice|suggestions|ideas)\b"
    r"|\b(?:help|advise|show|explain|suggest|recommend|write|create|draft)\b"
    r"|\bwhich \w+ (?:are|should|would)\b|\bcomment (?:puis|dois|faire)\b|\baide[rz]?\b",
    re.I,
)
#: ... and does not ask about the past.
_LOOKS_BACK: Final = lazy_pattern(
    r"\b(?:have|has|had|did|was|were) (?:i|we)\b|\bhow many\b|\bhow (?:much|long|often)\b"
    r"|\b(?:i|we) (?:said|told|mentioned|brought|did|asked|discussed|talked)\b"
    r"|\bsummar(?:y|ize|ise)|\b(?:in|the) order\b|\bdid you\b|^\W*when\b",
    re.I,
)
#: Parts of a question about the conversation itself and about the answer, not about the topic.
_FRAME: Final = lazy_pattern(
    r"\b(?:can|could|would|will) you(?: please)?\b"
    r"|\b(?:list|tell me|give me|show me|provide|walk me through|remind me of)"
    r"(?: me)?(?: an?| the| all)?(?: \w{1,20})? (?:order in which|summary|overview|list|timeline)\b"
    r"|\bsummari[sz]e\b|\bwalk me through\b"
    r"|\b(?:i|we)(?: have|['\u2019]ve)? (?:brought up|mentioned|discussed|talked about|covered"
    r"|went over|gone over|spoke about|spoken about)(?: so far)?\b"
    r"|\b(?:different|various|several) (?:aspects|concepts|topics|parts|areas|things)"
    r"(?: of| related to)?\b"
    r"|\b(?:throughout|across|in|during|over) (?:all )?(?:of )?(?:our|my|the|these) "
    r"(?:\w{1,20} )?(?:conversations?|chats?|discussions?|sessions?|messages)\b"
    r"|\border in which\b|\bin (?:chronological |the right )?order\b"
    r"|\bmention only(?: and only)? \w{1,20} items?\b",
    re.I,
)
#: One of these is in every such part: few questions have one, and to look for the parts takes as
#: long as the rest of a plan.
_FRAME_WORDS: Final = (
    *(" you", "order", "summar", "overview", "list", "timeline", "walk", "brought", "mention"),
    *("discuss", "talked", "covered", "went over", "gone over", "spoke", "aspect", "concept"),
    *("topic", "parts", "areas", "things", "conversation", "chat", "session", "message"),
)
_ANSWERS: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    (
        "time",
        lazy_pattern(
            r"^\W*(?:when|since when|how long|what (?:date|time|day|month|year))\b| when ", re.I
        ),
    ),
    ("number", lazy_pattern(r"\bhow (?:many|much|often|old)\b", re.I)),
    ("name", lazy_pattern(r"^\W*(?:who|where|which)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A parsed question."""

    text: str
    terms: tuple[str, ...]
    query_type: QueryType
    answer: AnswerKind | None
    of_self: bool
    of_other: bool
    wants_help: bool
    filters: Filters
    limit: int
    profile: Profile
    phase: Phase | None = None
    #: The question without its words about the conversation itself.
    topic: str = ""


def plan(
    query: str, *, filters: Filters, limit: int, profile: Profile, phase: Phase | None
) -> Plan:
    """Parse a question; an empty one, or a limit out of bounds, is an error."""
    text = repaired_text(query, "query")[:_QUERY_CHARACTERS]
    if not query.strip():
        raise InvalidText("The query is empty.")
    whole(limit, 1, LIMIT, "recall returns")
    topic = topic_of(text)
    return Plan(
        text,
        tuple(query_terms(topic)[:_TERMS]),
        query_type(text),
        next((kind for kind, asked in _ANSWERS if asked.search(text)), None),
        bool(_FIRST_PERSON.search(text)),
        bool(_SECOND_PERSON.search(_POLITELY.sub(" ", text))),
        bool(_WANTS_HELP.search(text)) and not _LOOKS_BACK.search(text),
        filters,
        limit,
        profile,
        phase,
        topic,
    )


def topic_of(text: str) -> str:
    """The topic of a question, without phrases such as "can you list the order in which I brought
    up". A question that says nothing else is left as it is.
    """
    lower = text.lower()
    if not any(word in lower for word in _FRAME_WORDS):
        return text
    topic = _FRAME.sub(" ", text)
    return topic if any(word not in STOP_WORDS for word in query_terms(topic)) else text


def query_type(text: str) -> QueryType:
    """Whether a question names code, asks how code is connected, or is plain language."""
    if _IDENTIFIER.search(text):
        return "identifier"
    return "structural" if _STRUCTURAL.search(text) else "semantic"


def content_words(words: list[str]) -> list[str]:
    """The words that carry meaning; all words where none does."""
    return list(filter(carries_meaning, words)) or words


def carries_meaning(word: str) -> bool:
    """Whether a word is more than one character and no stop word."""
    return len(word) > 1 and word.lower() not in STOP_WORDS


# --- what a question is narrowed to ---------------------------------------------------------------


def narrowed(filters: Filters | None, narrow: Mapping[str, Any]) -> Filters:
    """The filters with the ones given as keywords added, all checked."""
    if filters is not None and not isinstance(filters, Filters):
        raise InvalidInput(f"Give filters as Filters, not as {shown(filters)}.")
    values = {} if filters is None else _set_fields(filters)
    for name, value in narrow.items():
        field = _ALIASES.get(name, name)
        if field not in _CHECKS:
            raise InvalidInput(
                f"There is no filter {name!r}.", hint=f"The filters are: {', '.join(_CHECKS)}."
            )
        if value is not None:
            values[field] = value
    if not values:
        return _NOTHING
    if isinstance(values.get("types"), str) and values["types"] not in set(MemoryType):
        _narrow_to_own_type(values)
    return replace(_NOTHING, **{name: _CHECKS[name](value) for name, value in values.items()})


def _narrow_to_own_type(values: dict[str, Any]) -> None:
    """Filter by the tag of a type that a methodology brought, which is kept as one of ours."""
    from recollect.vocabulary.methodologies import own_types

    own = own_types().get(values["types"])
    if own is None:
        return
    if values.get("tags"):
        raise InvalidInput(f"Give the type {own.name} or tags, not both.")
    values["types"], values["tags"] = own.base.value, own.tag


def _set_fields(filters: Filters) -> dict[str, Any]:
    """The fields of a filter that differ from the empty filter."""
    given = {field.name: getattr(filters, field.name) for field in fields(Filters)}
    return {name: value for name, value in given.items() if value != getattr(_NOTHING, name)}


_NOTHING: Final = Filters()

_ALIASES: Final = {
    "type": "types",
    "source": "sources",
    "scope": "scopes",
    "tag": "tags",
    "file": "files",
    "module": "modules",
    "author": "authors",
    "stream": "streams",
}


def _set_of(check: Callable[[Any], str], what: str) -> Callable[[Any], frozenset[str]]:
    def checked(value: Any) -> frozenset[str]:
        if not isinstance(value, Iterable):
            raise InvalidInput(f"Give a {what}, or a list of them, not {shown(value)}.")
        return frozenset(map(check, [value] if isinstance(value, str) else value))

    return checked


def _names(what: str) -> Callable[[Any], frozenset[str]]:
    return _set_of(lambda value: checked_name(value, what), what)


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "types": _set_of(lambda value: choice(MemoryType, value, "type").value, "type"),
    "sources": _set_of(lambda value: choice(Source, value, "source").value, "source"),
    "scopes": _set_of(lambda value: choice(Scope, value, "scope").value, "scope"),
    "tags": _names("tag"),
    "files": _names("file"),
    "modules": _names("module"),
    "authors": _names("author"),
    "streams": _names("stream"),
    "created_after": lambda value: aware(value, "created_after"),
    "created_before": lambda value: aware(value, "created_before"),
    "minimum_confidence": lambda value: fraction(value, "minimum_confidence"),
    "pinned": lambda value: flag(value, "pinned"),
    "needs_review": lambda value: flag(value, "needs_review"),
    "has_code": lambda value: flag(value, "has_code"),
    "archived": lambda value: flag(value, "archived"),
    "superseded": lambda value: flag(value, "superseded"),
    "as_of": lambda value: aware(value, "as_of"),
}


def collections_of(kinds: object, filters: Filters) -> list[str]:
    """The collections to search, among those that the caller named."""
    named = list(kinds) if isinstance(kinds, Iterable) else [kinds]
    unknown = [kind for kind in named if not isinstance(kind, str) or kind not in COLLECTIONS]
    if unknown or not named:
        raise InvalidInput(
            "recall searches memories, events and chunks of code, "
            f"not {shown(unknown[0] if unknown else '')}.",
            hint="Give kinds among: memory, event, chunk.",
        )
    chosen = [COLLECTIONS[kind] for kind in COLLECTIONS if kind in named]
    if filters is _NOTHING:
        return chosen
    return [name for name in chosen if name == "memories" or not _says_nothing(name, filters)]


def _says_nothing(collection: str, filters: Filters) -> bool:
    """Whether a collection has no data that the filters could apply to."""
    if collection == CHUNKS:
        left = replace(filters, files=frozenset(), has_code=filters.has_code is False or None)
        return left != Filters()
    return _only_memories_have(filters)


def _only_memories_have(filters: Filters) -> bool:
    """Whether a filter asks for a field that events do not have."""
    return bool(
        filters.types
        or filters.sources
        or filters.scopes
        or filters.tags
        or filters.files
        or filters.modules
        or filters.minimum_confidence is not None
        or filters.pinned is not None
        or filters.needs_review is not None
        or filters.archived
        or filters.as_of is not None
    )


def let_through(
    transaction: Transaction,
    access: Access,
    collection: str,
    filters: Filters,
    sessions: tuple[StreamSession, ...] | None,
    *,
    now: int,
    missing: list[str],
) -> list[int] | None:
    """The slots that pass the filters; None when there is nothing to filter by. What the filters
    name and nobody may see is told to ``missing``.
    """
    slots = None
    if filters is not _NOTHING and filters != _NOTHING:
        if collection == "memories":
            slots = reads.slots_let_through(transaction, access, filters, now)
        else:
            from recollect.storage.pages import events

            slots = events.slots_let_through(transaction, access, filters)
            if filters.streams and not slots:
                only_streams = Filters(streams=filters.streams)
                if not events.slots_let_through(transaction, access, only_streams):
                    missing.append(_silent(filters.streams))
    if sessions is None:
        return slots
    during = slots_during(transaction, access, collection, sessions)
    return during if slots is None else sorted(set(slots).intersection(during))


def _silent(streams: frozenset[str]) -> str:
    """Tell that streams hold nothing; whether they exist is not told, since they may be hidden."""
    named = ", ".join(shown(name) for name in sorted(streams))
    return f"Nothing that you may see was said on {named}: 'recollect read' lists the streams."


@dataclass(frozen=True, slots=True)
class Temporal:
    """The sessions that a recall is restricted to; all sessions where neither field is set."""

    last: int | None = None
    around: str | None = None


def temporal_of(last: Any, around: Any) -> Temporal:
    """The restriction to sessions that the caller asked for, checked."""
    if last is not None and around is not None:
        raise InvalidInput("Ask for the last sessions or for those around an event, not both.")
    if around is not None and not is_id(around, EVENT):
        raise EventNotFound(f"No event {shown(around)} is visible here.")
    return Temporal(
        None if last is None else whole(last, 1, MAX_SESSIONS, "The last sessions are"), around
    )


def sessions_meant(
    transaction: Transaction, access: Access, temporal: Temporal
) -> tuple[StreamSession, ...] | None:
    """The sessions that a recall is restricted to, oldest first; None for all."""
    if temporal.last is not None:
        return tuple(sessions_of(transaction, access)[-temporal.last :])
    if temporal.around is None:
        return None
    from recollect.storage.pages import events

    row = events.event_row(transaction, access, temporal.around)
    if row is None:
        raise EventNotFound(f"No event {temporal.around!r} is visible here.")
    ordered = sorted(sessions_of(transaction, access), key=lambda one: (one.start, one.stream_id))
    for place, one in enumerate(ordered):
        if one.stream_id == row.stream_id and one.start <= row.occurred_at <= one.end:
            return tuple(ordered[max(0, place - AROUND) : place + AROUND + 1])
    return ()
