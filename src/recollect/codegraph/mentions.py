"""Whether a change of what a file defines can matter to whoever looked at it.

A file that gains or loses names matters to those that mention such a name, or to none: what a name
means is found through names alone. Where more than names changed (bases, what functions return,
imports), or where what others see of the file speaks of the name itself, anybody may be meant.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from recollect.codegraph.facts import Facts

#: Languages in which a name has to be written down to be meant.
_BY_NAME: Final = frozenset({"python", "javascript", "typescript", "tsx", "jsx"})


def names_changed(old: Facts, new: Facts) -> set[str] | None:
    """The names that came or went; None where it may matter to those who write none of them."""
    if old.language != new.language or new.language not in _BY_NAME:
        return None
    if _besides(old) != _besides(new):
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
    spoken = " ".join([*_spoken(old), *_spoken(new)])
    return None if any(name in spoken for name in names) else names


def _named(definitions: Iterable[tuple[Any, ...]]) -> set[str]:
    return {name for name, *_ in definitions}


def _besides(facts: Facts) -> tuple[object, ...]:
    """What others see of a file beside its definitions."""
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


def _spoken(facts: Facts) -> Iterable[str]:
    """Every name in what others see of a file, but for what it defines."""
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
    """Every name that a file uses, what it only defines left out."""
    return " ".join([*_spoken(facts), *(call.name for call in facts.calls)])


def mentioned(names: Iterable[str], texts: Iterable[str]) -> bool:
    """Whether any of the names stands in any of the facts, as they are kept."""
    wanted = list(names)
    return any(name in text for text in texts for name in wanted)
