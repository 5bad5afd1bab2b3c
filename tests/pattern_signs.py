"""What a pattern of ``re`` is made of: the signs that it tells apart, and whether it repeats."""

from collections.abc import Iterator
from re import _constants as sre
from typing import Any, Final, NamedTuple

from recollect.vocabulary.pattern_trees import BEYOND, characters_named, is_single, takes

#: A repeat of at most so many rounds costs a factor and is no repeat.
COUNTED: Final = 128
#: Asked of every pattern.
_COMMON: Final = (*map(chr, range(128)), *BEYOND)


class Single(NamedTuple):
    """A node that takes one sign, by what is written: most stand in a pattern many times."""

    operation: Any
    value: str
    flags: int


#: Which of the common signs each node takes that was asked before.
_TAKEN: Final[dict[Single, tuple[bool, ...]]] = {}


def plain_flags(flags: int) -> int:
    """The flags that a pattern is judged by, as a plain number: asked of one, a flag of ``re`` is
    made anew each time."""
    return int(flags & ~(sre.SRE_FLAG_DEBUG | sre.SRE_FLAG_UNICODE))


def repeats_without_end(tree: Any) -> bool:
    """Whether a pattern can come back to where it was: one that cannot takes linear time."""
    return any(
        most is sre.MAXREPEAT or most > COUNTED or repeats_without_end(inner)
        for operation, value in tree
        for most, inner in _inside(operation, value)
    )


def _inside(operation: Any, value: Any) -> Iterator[tuple[int, Any]]:
    """What is written inside a node, and how often it is repeated at most."""
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        yield value[1], value[2]
    elif operation is sre.BRANCH:
        yield from ((1, one) for one in value[1])
    elif operation is sre.SUBPATTERN:
        yield 1, value[3]
    elif operation in (sre.ASSERT, sre.ASSERT_NOT):
        yield 1, value[1]
    elif operation is sre.ATOMIC_GROUP:
        yield 1, value
    elif operation is sre.GROUPREF_EXISTS:
        yield from ((1, one) for one in value[1:] if one)


def classes_of(tree: Any, flags: int) -> list[str]:
    """One sign for each set of signs that the pattern tells apart."""
    written = {Single(one[0], str(one[1]), one[2]): one for one in _singles(tree, flags)}
    singles = list(written.values())
    named = {sign for one in singles for sign in characters_named(*one[:2])}
    named |= {other for sign in named for other in (sign.lower(), sign.upper()) if len(other) == 1}
    columns = [_common_signs_taken(*one) for one in singles]
    told = zip(*columns, strict=True) if columns else [()] * len(_COMMON)
    kinds: dict[tuple[bool, ...], str] = {}
    for sign, taken in zip(_COMMON, told, strict=True):
        kinds.setdefault((*taken, *_of_itself(sign)), sign)
    for sign in sorted(named.difference(_COMMON)):
        taken = tuple(takes(*one[:2], sign, one[2]) for one in singles)
        kinds.setdefault((*taken, *_of_itself(sign)), sign)
    return list(kinds.values())


def _of_itself(sign: str) -> tuple[bool, bool]:
    """What is told of a sign whatever the pattern: whether it is of a word, and ends a line."""
    return sign.isalnum() or sign == "_", sign == "\n"


def _common_signs_taken(operation: Any, value: Any, flags: int) -> tuple[bool, ...]:
    """Which of the common signs a node takes: the same node stands in many patterns."""
    single = Single(operation, str(value), flags)
    if single not in _TAKEN:
        _TAKEN[single] = tuple(takes(operation, value, sign, flags) for sign in _COMMON)
    return _TAKEN[single]


def _singles(nodes: Any, flags: int) -> Iterator[tuple[Any, Any, int]]:
    for operation, value in nodes:
        if is_single(operation):
            yield operation, value, flags
        elif operation is sre.BRANCH:
            for one in value[1]:
                yield from _singles(one, flags)
        elif operation is sre.SUBPATTERN:
            yield from _singles(value[3], (flags | value[1]) & ~value[2])
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _singles(value[1], flags)
        elif operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield from _singles(value[2], flags)
        elif operation is sre.ATOMIC_GROUP:
            yield from _singles(value, flags)
