"""Validation of new memories: turns a caller's draft into a memory, or into an error."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from recollect.memories.own_types import with_own_type
from recollect.storage.columns import dump
from recollect.trust.fence import OPENS, without_fenced
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import (
    MEMORY_LIMIT,
    checked_commit,
    checked_name,
    checked_text,
    choice,
    flag,
    fraction,
    is_number,
    refuse_unknown,
    shown,
)
from recollect.vocabulary.audiences import Audience, Viewer, Visibility, shared_audience
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput, InvalidText
from recollect.vocabulary.ids import EVENT, MEMORY, STREAM, is_id, new_id
from recollect.vocabulary.json_depth import refuse_too_deep
from recollect.vocabulary.memory import (
    Levels,
    Memory,
    Provenance,
    WorkUnit,
)
from recollect.vocabulary.memory_types import HALF_LIFE_DAYS, MemoryType, Scope, Source
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.spaces import Space, SpaceKind

CITATION_LIMIT: Final = 40
LONGEST_HALF_LIFE: Final = 1_000_000.0  # days
_LINKS_LIMIT: Final = 1_000
_TYPES: Final = frozenset(MemoryType)


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
    phase: str | None = None  # of the work in which it is made
    work_unit: WorkUnit | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    citation: str | None = None
    summary: str | None = None
    compressed: str | None = None
    index: str | None = None
    half_life_days: float | None = None
    happened_at: datetime | None = None  # when it came to be known, where that was earlier
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    pinned: bool = False
    manually_saved: bool = False
    needs_review: bool = False
    outside: Iterable[str] = ()


#: Makes the short forms of a content, given those that the caller supplied.
Forms = Callable[[str, Levels, MemoryType, Mapping[str, Any]], Levels]


def draft_of(content: str, fields: Mapping[str, Any]) -> Draft:
    """Draft from named values; an unknown name is an error."""
    refuse_unknown(fields, Draft.__dataclass_fields__, "A memory")
    named = fields.get("type")
    if isinstance(named, str) and named not in _TYPES:
        fields = with_own_type(content, named, fields)
    return Draft(content, **fields)


def memory_of(
    draft: Draft, space: Space, viewer: Viewer, now: datetime, forms: Forms | None = None
) -> Memory:
    """Memory from a draft, with every field checked; ``forms`` may add the short forms at once."""
    content = own_words(draft.content)
    brought = levels(draft.summary, draft.compressed, draft.index)
    kind = choice(MemoryType, draft.type, "type")
    extras = extras_of(kind, draft.extras, content)
    shortened = brought if forms is None else forms(content, brought, kind, extras)
    session = None if draft.session is None else checked_name(draft.session, "session")
    sessions = names(draft.sessions, "session")
    created = now
    if draft.happened_at is not None:
        created = min(now, aware(draft.happened_at, "happened_at"))
    valid_from = created if draft.valid_from is None else aware(draft.valid_from, "valid_from")
    valid_to = None if draft.valid_to is None else aware(draft.valid_to, "valid_to")
    check_validity(valid_from, valid_to)
    memory = Memory(
        id=new_id(MEMORY, now),
        space_id=space.id,
        type=kind,
        content=content,
        confidence=fraction(draft.confidence, "confidence"),
        importance=fraction(draft.importance, "importance"),
        audience=_audience(draft, space, viewer),
        provenance=Provenance(
            source=choice(Source, draft.source, "source"),
            created_by=viewer.user,
            session_id=session,
            sessions=tuple(dict.fromkeys((*sessions, *([session] if session else ())))),
            events=names(draft.events, "event id"),
            commit=None if draft.commit is None else checked_commit(draft.commit),
            outside=names(draft.outside, "origin"),
            phase=None if draft.phase is None else choice(Phase, draft.phase, "phase"),
        ),
        created_at=created,
        updated_at=now,
        valid_from=valid_from,
        valid_to=valid_to,
        scope=choice(Scope, draft.scope, "scope"),
        tags=names(draft.tags, "tag"),
        files=paths(draft.files),
        modules=names(draft.modules, "module"),
        levels=shortened,
        work_unit=work_unit(draft.work_unit),
        extras=extras,
        citation=citation(draft.citation),
        half_life_days=half_life(draft.half_life_days, kind),
        pinned=flag(draft.pinned, "pinned"),
        manually_saved=flag(draft.manually_saved, "manually_saved"),
        needs_review=flag(draft.needs_review, "needs_review"),
    )
    refuse_secrets(everything_in(memory, shortened=shortened is not brought), "memory")
    return memory


def own_words(content: str) -> str:
    """Content without text that recall had served; an error when nothing else is left."""
    checked_text(content, "content", MEMORY_LIMIT)
    kept = without_fenced(content).strip() if OPENS in content else content
    if not kept:
        raise InvalidText(
            "The content is only what recall had served. Nothing was kept: it is known already."
        )
    return kept


def texts_of(memory: Memory, *, shortened: bool = False) -> list[str | None]:
    """Every text of a memory that somebody wrote; short forms only when somebody supplied them."""
    levels, unit, provenance = memory.levels, memory.work_unit, memory.provenance
    return [
        memory.content,
        *(() if shortened else (levels.summary, levels.compressed, levels.index)),
        memory.citation,
        *memory.tags,
        *memory.files,
        *memory.modules,
        *provenance.sessions,
        provenance.commit,
        *((unit.methodology, *unit.hierarchy, unit.label) if unit else ()),
        dump(_without_ids(memory.extras)) if memory.extras else None,
    ]


def _without_ids(extras: Any) -> Any:
    """Extras without ids that Recollect generated. Nobody wrote these, and by chance the random
    characters of one may look like the name of a secret."""
    if isinstance(extras, Mapping):
        return {name: _without_ids(value) for name, value in extras.items()}
    if isinstance(extras, list | tuple):
        return [_without_ids(value) for value in extras if not _is_own_id(value)]
    return "" if _is_own_id(extras) else extras


def _is_own_id(value: object) -> bool:
    return isinstance(value, str) and (is_id(value, EVENT) or is_id(value, STREAM))


def everything_in(memory: Memory, *, shortened: bool = False) -> list[Any]:
    """Every stored text of a memory, including those that only name its owner or its origin, for
    the check against secrets."""
    audience, provenance = memory.audience, memory.provenance
    return [
        *texts_of(memory, shortened=shortened),
        _without_ids(memory.extras),
        *provenance.outside,
        *provenance.events,
        provenance.session_id,
        provenance.created_by,
        audience.owner,
        audience.team,
        audience.organisation,
        audience.stream,
    ]


def names(values: Iterable[str], what: str) -> tuple[str, ...]:
    """Short names, each once, in the order given."""
    if values == ():
        return ()
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"Give {what}s as a list of texts, not as {shown(values)}.")
    kept = tuple(dict.fromkeys(checked_name(value, what) for value in values))
    if len(kept) > _LINKS_LIMIT:
        raise InvalidInput(f"{len(kept):,} {what}s are too many; at most {_LINKS_LIMIT:,}.")
    return kept


def paths(values: Iterable[str]) -> tuple[str, ...]:
    """Paths from the repository's root, with forward slashes, each once."""
    return tuple(dict.fromkeys(path(value) for value in names(values, "file")))


def path(value: str) -> str:
    """One path from the repository's root."""
    plain = checked_name(value, "file").replace("\\", "/")
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
    """A citation's text, checked: it is short."""
    if text is None:
        return None
    kept = checked_name(text, "citation")
    if len(kept) > CITATION_LIMIT:
        raise InvalidInput(f"A citation has at most {CITATION_LIMIT} characters, not {len(kept)}.")
    return kept


def levels(summary: str | None, compressed: str | None, index: str | None) -> Levels:
    """The short forms that the caller supplied; the others are made later."""
    return Levels(
        summary=_short_form(summary, "summary"),
        compressed=_short_form(compressed, "compressed"),
        index=_short_form(index, "index"),
    )


def half_life(days: float | None, kind: MemoryType) -> float | None:
    """The given half-life, or the default of the kind."""
    if days is None:
        return HALF_LIFE_DAYS.get(kind)  # None where it never fades
    if not is_number(days) or not 0 < days <= LONGEST_HALF_LIFE:
        raise InvalidInput(f"A half-life is a number of days over 0, not {shown(days)}.")
    return float(days)


def extras_of(kind: MemoryType, extras: Mapping[str, Any], content: str) -> Mapping[str, Any]:
    """Typed extras, checked. Pydantic is loaded only when there are any.

    A recipe without extras has its steps in its words, or is refused.
    """
    if not isinstance(extras, Mapping):
        raise InvalidInput(f"Give extras as names with values, not as {shown(extras)}.")
    if kind is MemoryType.WORKFLOW_RECIPE and not extras:
        from recollect.memories.recipe_steps import recipe_of

        extras = recipe_of(content)
    if not extras:
        return {}
    refuse_too_deep(extras, "extras")
    from recollect.vocabulary.extras import checked_extras

    checked = checked_extras(kind, extras)
    checked_text(dump(checked), "extras", MEMORY_LIMIT)
    return checked


def work_unit(unit: WorkUnit | None) -> WorkUnit | None:
    """The work unit, with each of its texts checked."""
    if unit is None:
        return None
    if not isinstance(unit, WorkUnit):
        raise InvalidInput(f"Give work_unit as a WorkUnit, not as {shown(unit)}.")
    return WorkUnit(
        checked_name(unit.methodology, "methodology"),
        _parts(unit.hierarchy),
        checked_text(unit.label, "label of a work unit", MEMORY_LIMIT),
    )


def _parts(hierarchy: object) -> tuple[str, ...]:
    if not isinstance(hierarchy, list | tuple):
        raise InvalidInput("The hierarchy of a work unit is a list of names, outermost first.")
    return tuple(checked_name(part, "part of a work unit") for part in hierarchy)


def check_validity(valid_from: datetime, valid_to: datetime | None) -> None:
    """Refuse a validity that ends before it begins."""
    if valid_to is not None and valid_to < valid_from:
        raise InvalidInput("valid_to lies before valid_from.")


def _short_form(text: str | None, what: str) -> str | None:
    return None if text is None else checked_text(text, what, MEMORY_LIMIT)


def _audience(draft: Draft, space: Space, viewer: Viewer) -> Audience:
    default = Visibility.PERSONAL if space.kind is SpaceKind.PERSONAL else Visibility.PROJECT
    if draft.stream is not None:
        default = Visibility.STREAM
    wanted = default if draft.visibility is None else draft.visibility
    visibility = choice(Visibility, wanted, "visibility")
    team = _named(draft.team, space.team, "team")
    organisation = _named(draft.organisation, space.organisation, "organisation")
    if visibility is Visibility.STREAM:  # which is looked up before anything is stored
        return Audience(viewer.user, visibility, stream=draft.stream)
    return shared_audience(
        viewer.user,
        visibility,
        team if visibility is Visibility.TEAM else None,
        organisation if visibility is Visibility.ORGANISATION else None,
    )


def _named(given: str | None, of_the_space: str | None, what: str) -> str | None:
    return of_the_space if given is None else checked_name(given, what)
