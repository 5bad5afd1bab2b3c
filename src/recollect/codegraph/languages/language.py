"""Description of a language: its grammar, a query, and the few readers that differ."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.codegraph.facts import Facts, Import

#: Returns the text of a syntax node.
Text = Callable[[Any], str]


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _no_word(*_: Any) -> str:
    return ""


def _as_it_is(*_: Any) -> None:
    return


def _name(node: Any, text: Text) -> str:
    named = node.child_by_field_name("name")
    return text(named) if named is not None else ""


def _callee(node: Any, text: Text) -> str:
    function = node.child_by_field_name("function")
    return text(function) if function is not None else ""


@dataclass(frozen=True, slots=True)
class Language:
    """One language. The query names its captures after what the reader makes of them."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], Any]
    query: str
    imports: Callable[[Any, Text, int], Iterable[Import]] = _nothing
    name_of: Callable[[Any, Text], str] = _name
    bases_of: Callable[[Any, Text], Sequence[str]] = _nothing
    returns_of: Callable[[Any, Text], str] = _no_word
    owner_of: Callable[[Any, Text], str] = _no_word
    callee_of: Callable[[Any, Text], str] = _callee
    types_of: Callable[[Any, Text], Iterable[tuple[str, str]]] = _nothing
    finish: Callable[[Facts, Any, Text], None] = _as_it_is
    kinds: tuple[str, ...] = field(default=("function", "class", "interface", "module"))
