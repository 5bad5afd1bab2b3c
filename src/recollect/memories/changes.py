"""Fields of a memory that may change, and the differences that a change makes.

The owner, the audience, the space and the origin of a memory cannot be changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from recollect.memories import drafts
from recollect.memories.inserter import embedded_text, searched_words, summary_text
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import choice, flag, fraction
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Levels, Memory
from recollect.vocabulary.memory_types import MemoryType, Scope

_LEVELS: Final = ("summary", "compressed", "index")


def _time(value: datetime | None) -> datetime | None:
    return None if value is None else aware(value)


CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "content": drafts.own_words,
    "type": lambda value: choice(MemoryType, value, "type"),
    "scope": lambda value: choice(Scope, value, "scope"),
    "confidence": lambda value: fraction(value, "confidence"),
    "importance": lambda value: fraction(value, "importance"),
    "tags": lambda value: drafts.names(value, "tag"),
    "files": drafts.paths,
    "modules": lambda value: drafts.names(value, "module"),
    "citation": drafts.citation,
    "half_life_days": lambda value: (
        None if value is None else drafts.half_life(value, MemoryType.FACT)
    ),
    "pinned": lambda value: flag(value, "pinned"),
    "manually_saved": lambda value: flag(value, "manually_saved"),
    "needs_review": lambda value: flag(value, "needs_review"),
    "user_verified": lambda value: flag(value, "user_verified"),
    "disputed": lambda value: flag(value, "disputed"),
    "stale_at": _time,
    "valid_from": lambda value: aware(value, "valid_from"),
    "valid_to": _time,
}

CHANGEABLE: Final = (*CHECKS, "extras", *_LEVELS)


def updated(memory: Memory, fields: Mapping[str, Any]) -> Memory:
    """Memory with all fields changed; an error, and no change, if one of them may not change."""
    if not fields:
        raise InvalidInput("No change was given.")
    unknown = sorted(name for name in fields if name not in CHANGEABLE)
    if unknown:
        raise InvalidInput(
            f"{', '.join(unknown)} cannot be changed.",
            hint=f"These can: {', '.join(CHANGEABLE)}.",
        )
    values = {name: CHECKS[name](value) for name, value in fields.items() if name in CHECKS}
    kind, content = values.get("type", memory.type), values.get("content", memory.content)
    if "extras" in fields:
        values["extras"] = drafts.extras_of(kind, fields["extras"], content)
    elif kind is not memory.type:
        values["extras"] = drafts.extras_of(kind, memory.extras, content)
    rewritten = values.get("content", memory.content) != memory.content
    if rewritten or any(name in fields for name in _LEVELS):
        values["levels"] = _new_levels(Levels() if rewritten else memory.levels, fields)
    new = replace(memory, **values)
    drafts.check_validity(new.valid_from, new.valid_to)
    refuse_secrets(drafts.everything_in(new), "memory")
    return new


def _new_levels(levels: Levels, fields: Mapping[str, Any]) -> Levels:
    """Short forms after a change; new content drops all but those that the change brings."""
    current = {name: getattr(levels, name) for name in _LEVELS}
    given = {name: fields[name] for name in _LEVELS if name in fields}
    return drafts.levels(**{**current, **given})


_COMPARED: Final = (*CHECKS, "extras", "archived_at", "superseded_by", "times_told")


def differences(old: Memory, new: Memory) -> dict[str, tuple[Any, Any]]:
    """Fields that differ, each with its value before and after, in the form that history stores."""
    changes = {
        name: (_plain(getattr(old, name)), _plain(getattr(new, name)))
        for name in _COMPARED
        if getattr(old, name) != getattr(new, name)
    }
    for name in _LEVELS:
        before, after = getattr(old.levels, name), getattr(new.levels, name)
        if before != after:
            changes[name] = (before, after)
    return changes


def is_searched(old: Memory, new: Memory) -> bool:
    """Whether a change affects search: the words, the embedded text, or the time of validity."""
    return (
        searched_words(old) != searched_words(new)
        or embedded_text(old) != embedded_text(new)
        or summary_text(old) != summary_text(new)
        or old.valid_from != new.valid_from
        or old.valid_to != new.valid_to
    )


def _plain(value: Any) -> Any:
    """A value in the form in which JSON stores it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
