"""From what a caller says to a memory that can be kept, or an error that says why not."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from recollect.vocabulary.audiences import Audience, Viewer, Visibility
from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import MEMORY, new_id
from recollect.vocabulary.memory import (
    Levels,
    Memory,
    Provenance,
    WorkUnit,
    default_half_life,
)
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.spaces import Space, SpaceKind
from recollect.vocabulary.text import MEMORY_LIMIT, checked_name, checked_text

CITATION_LIMIT: Final = 40
_LINKS_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory as a caller words it."""

    content: str
    type: str = MemoryType.FACT
    confidence: float = 0.8
    importance: float = 0.5
    scope: str = Scope.GLOBAL
    source: str = Source.AGENT_EXPLICIT
    visibility: str | None = None
    team: str | None = None
    organisation: str | None = None
    stream: str | None = None
    tags: Iterable[str] = ()
    files: Iterable[str] = ()
    modules: Iterable[str] = ()
    events: Iterable[str] = ()
    sessions: Iterable[str] = ()
    session: str | None = None
    commit: str | None = None
    work_unit: WorkUnit | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    citation: str | None = None
    summary: str | None = None
    compressed: str | None = None
    index: str | None = None
    half_life_days: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    pinned: bool = False
    manually_saved: bool = False
    needs_review: bool = False


def draft_of(content: str, fields: Mapping[str, Any]) -> Draft:
    """A draft from what a caller names; an unknown name is an error."""
    unknown = sorted(set(fields) - set(Draft.__dataclass_fields__))
    if unknown:
        raise InvalidInput(
            f"A memory has no field {unknown[0]!r}.",
            hint=f"Its fields are: {', '.join(Draft.__dataclass_fields__)}.",
        )
    return Draft(content, **fields)


def memory_of(draft: Draft, space: Space, viewer: Viewer, now: datetime) -> Memory:
    """The memory that a draft words, checked in every field."""
    kind = choice(MemoryType, draft.type, "type")
    session = None if draft.session is None else checked_name(draft.session, "session")
    sessions = names((*draft.sessions, *([session] if session else ())), "session")
    valid_from = aware(draft.valid_from, "valid_from") if draft.valid_from else now
    valid_to = aware(draft.valid_to, "valid_to") if draft.valid_to else None
    check_validity(valid_from, valid_to)
    return Memory(
        id=new_id(MEMORY, now),
        space_id=space.id,
        type=kind,
        content=checked_text(draft.content, "content", MEMORY_LIMIT),
        confidence=fraction(draft.confidence, "confidence"),
        importance=fraction(draft.importance, "importance"),
        audience=_audience(draft, space, viewer),
        provenance=Provenance(
            source=choice(Source, draft.source, "source"),
            created_by=viewer.user,
            session_id=session,
            sessions=sessions,
            events=names(draft.events, "event id"),
            commit=None if draft.commit is None else checked_name(draft.commit, "commit"),
        ),
        created_at=now,
        updated_at=now,
        valid_from=valid_from,
        valid_to=valid_to,
        scope=choice(Scope, draft.scope, "scope"),
        tags=names(draft.tags, "tag"),
        files=paths(draft.files),
        modules=names(draft.modules, "module"),
        levels=levels(draft.summary, draft.compressed, draft.index),
        work_unit=draft.work_unit,
        extras=extras_of(kind, draft.extras),
        citation=citation(draft.citation),
        half_life_days=half_life(draft.half_life_days, kind),
        pinned=flag(draft.pinned, "pinned"),
        manually_saved=flag(draft.manually_saved, "manually_saved"),
        needs_review=flag(draft.needs_review, "needs_review"),
    )


def fraction(value: float, what: str) -> float:
    """A number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise InvalidInput(f"The {what} must be a number from 0 to 1, not {value!r}.")
    return float(value)


def flag(value: bool, what: str) -> bool:
    """Yes or no, and nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be true or false, not {value!r}.")
    return value


def names(values: Iterable[str], what: str) -> tuple[str, ...]:
    """Short names, each once, in the order given."""
    if isinstance(values, str):
        raise InvalidInput(f"Give {what}s as a list, not as one text.")
    kept = tuple(dict.fromkeys(checked_name(value, what) for value in values))
    if len(kept) > _LINKS_LIMIT:
        raise InvalidInput(f"{len(kept):,} {what}s are too many; at most {_LINKS_LIMIT:,}.")
    return kept


def paths(values: Iterable[str]) -> tuple[str, ...]:
    """Paths from the repository's root, with forward slashes, each once."""
    return tuple(dict.fromkeys(path(value) for value in names(values, "file")))


def path(value: str) -> str:
    """One path from the repository's root."""
    plain = value.replace("\\", "/")
    if plain.startswith("/") or plain[1:3] == ":/":
        raise InvalidInput(
            f"The file {value!r} is an absolute path.",
            hint="Give it from the root of the repository, like src/auth/login.py.",
        )
    parts = [part for part in PurePosixPath(plain).parts if part != "."]
    if ".." in parts or not parts:
        raise InvalidInput(f"The file {value!r} does not lie inside the repository.")
    return "/".join(parts)


def citation(text: str | None) -> str | None:
    """A chip's text: short."""
    if text is None:
        return None
    kept = checked_name(text, "citation")
    if len(kept) > CITATION_LIMIT:
        raise InvalidInput(f"A citation has at most {CITATION_LIMIT} characters, not {len(kept)}.")
    return kept


def levels(summary: str | None, compressed: str | None, index: str | None) -> Levels:
    """The shorter forms that the caller brought; the rest is worked out later."""
    return Levels(
        summary=_short_form(summary, "summary"),
        compressed=_short_form(compressed, "compressed"),
        index=_short_form(index, "index"),
    )


def half_life(days: float | None, kind: MemoryType) -> float | None:
    """The half-life given, or the kind's own."""
    if days is None:
        return default_half_life(kind)
    if not _is_number(days) or not 0 < days < math.inf:
        raise InvalidInput(f"A half-life is a number of days over 0, not {days!r}.")
    return float(days)


def extras_of(kind: MemoryType, extras: Mapping[str, Any]) -> Mapping[str, Any]:
    """Typed extras, checked; pydantic is loaded only when there are any."""
    if not extras:
        return {}
    from recollect.vocabulary.extras import checked_extras

    return checked_extras(kind, extras)


def check_validity(valid_from: datetime, valid_to: datetime | None) -> None:
    """A span of validity must not end before it begins."""
    if valid_to is not None and valid_to < valid_from:
        raise InvalidInput("valid_to lies before valid_from.")


def _short_form(text: str | None, what: str) -> str | None:
    return None if text is None else checked_text(text, what, MEMORY_LIMIT)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _audience(draft: Draft, space: Space, viewer: Viewer) -> Audience:
    default = Visibility.PERSONAL if space.kind is SpaceKind.PERSONAL else Visibility.PROJECT
    if draft.stream is not None:
        default = Visibility.STREAM
    visibility = choice(Visibility, draft.visibility or default, "visibility")
    return Audience(
        owner=viewer.user,
        visibility=visibility,
        team=(draft.team or space.team) if visibility is Visibility.TEAM else None,
        organisation=(draft.organisation or space.organisation)
        if visibility is Visibility.ORGANISATION
        else None,
        stream=draft.stream if visibility is Visibility.STREAM else None,
    )
