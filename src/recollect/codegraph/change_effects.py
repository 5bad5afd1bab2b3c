"""Decides whether a change in a file's definitions can affect the files that depend on it.

Added or removed names affect only files that mention such a name, because names are resolved
through names alone. Where more than names changed (bases, return types of functions, imports), or
where the file's visible part mentions the name itself, any file may be affected.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from recollect.codegraph.facts import Facts

#: Languages in which a name must be written out to be used.
_BY_NAME: Final = frozenset({"python", "javascript", "typescript", "tsx", "jsx"})


def names_changed(old: Facts, new: Facts) -> set[str] | None:
    """The names added or removed; None where files may be affected that mention none."""
    if old.language != new.language or new.language not in _BY_NAME:
        return None
    if _without_definitions(old) != _without_definitions(new):
        return None
    before, after = (
        Counter((d.name, d.kind, d.bases, d.returns) for d in f.definitions) for f in (old, new)
    )
    came, went = after - before, before - after
    names = {name.rpartition(".")[2] for name, *_ in came + went}
    if not names or any(name.startswith("__") for name in names):
        return None
    if _named(came) & _named(before) or _named(went) & _named(after):
        return None
    spoken = " ".join([*_mentioned_names(old), *_mentioned_names(new)])
    return None if any(name in spoken for name in names) else names


def _named(definitions: Iterable[tuple[Any, ...]]) -> set[str]:
    return {name for name, *_ in definitions}


def _without_definitions(facts: Facts) -> tuple[object, ...]:
    """The visible part of a file without its definitions."""
    return (
        facts.package,
        [(i.module, i.name, i.alias, i.exported) for i in facts.imports],
        facts.exports,
        facts.globals,
        [
            (facts.definitions[one.scope].name if one.scope >= 0 else "", one.variable, one.type)
            for one in facts.types
            if facts.shows(one)
        ],
    )


def _mentioned_names(facts: Facts) -> Iterable[str]:
    """Every name in the visible part of a file, except its own definitions."""
    for definition in facts.definitions:
        yield from definition.bases
        yield definition.returns
    for one in facts.imports:
        yield from (one.name, one.alias)
    for typed in facts.types:
        if facts.shows(typed):
            yield from (typed.variable, typed.type)
    yield from facts.exports
    yield from facts.globals


def used_in(facts: Facts) -> str:
    """Every name that a file uses; names that it only defines are left out."""
    return " ".join([*_mentioned_names(facts), *(call.name for call in facts.calls)])


def mentioned(names: Iterable[str], texts: Iterable[str]) -> bool:
    """Whether any of the names occurs in any of the stored facts."""
    wanted = list(names)
    return any(name in text for text in texts for name in wanted)
