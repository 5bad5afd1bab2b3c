"""No pattern in the package takes more than linear time, whatever text it meets."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.vocabulary.lazy_patterns import LazyPattern
from recollect.vocabulary.pattern_trees import tree_of
from tests.pattern_shapes import Shape
from tests.pattern_signs import plain_flags, repeats_without_end

_FUNCTIONS = ("compile match fullmatch search sub subn split findall finditer").split()
#: A pattern, its flags, and how it is used: at one place only, and to the end of the text.
Written = tuple[str | bytes, int, bool, bool]

#: Patterns that are not judged by their shape, and why they need not be.
_BOUNDED = {
    "chat.commands._TAIL": "a command of at most 500 signs",
    "chat.commands._MENTIONS": "a command of at most 500 signs",
    "codegraph.cycles_and_map._WORDS": "falls back by one sign at most",
    "codegraph.co_change._BRACES": "a path that git printed",
    "codegraph.file_finder._PERHAPS_TEST": "a path of the file system",
    "context.fact_lines._HARNESS": "its text ends in the closing mark: `closed_replaced`",
    "context.observations._SENTENCE": "400 signs",
    "context.rule_files._COMMENT": "its text ends in the closing mark: `closed_replaced`",
    "context.rule_files._OURS": "its text ends in the closing mark: `closed_replaced`",
    "observer.commit_calls._ADD": "a command of at most 10,000 signs",
    "observer.commit_calls._COMMIT": "a command of at most 10,000 signs",
    "observer.commit_calls._QUOTED_HEREDOC": "a command of at most 10,000 signs",
    "observer.failures._VARYING": "a line of at most 200 signs",
    "observer.signals.work": "a command of at most 2,000 signs whose spaces are single",
    "observer.signals.admitted_mistakes._CORRECTED": "at most 240 signs behind its beginning",
    "pages.formats.transcripts.parts._FOUND": "8,000 signs",
    "recall.query_terms._COMMENT": "its text ends in the closing mark: `closed_replaced`",
    "recall.query_terms._NOISE": "its last repeats are possessive, the others have given starts",
    "settings._PASSWORD": "an address that the person who runs the program wrote",
    "surfaces.cli.commands.settings._NUMBERS": "a number that was typed",
    "trust.prompt_injection._SPACED": "every sign between letters but the underscore ends a match",
    "vocabulary.origins._COMMANDS": "a command's first 2,000 signs",
}


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(recollect.__path__, "recollect."):
        if ".migrations." not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def _held(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, LazyPattern):
        yield re.compile(value.pattern, value.flags)
    elif depth < 3 and isinstance(value, tuple | list | frozenset | set):
        for one in value:
            yield from _held(one, depth + 1)
    elif depth < 3 and isinstance(value, dict):
        for one in value.values():
            yield from _held(one, depth + 1)


def _written(source: str) -> Iterator[Written]:
    """What is given to the functions of ``re`` as a constant, inside functions too."""
    if not re.search(rf"\bre\.(?:{'|'.join(_FUNCTIONS)})\b", source):
        return
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, name = node.func.value, node.func.attr
        if not (isinstance(owner, ast.Name) and owner.id == "re"):
            continue
        if name in _FUNCTIONS and name != "compile" and isinstance(node.args[0], ast.Constant):
            value = node.args[0].value
            if isinstance(value, str | bytes):
                yield value, _flags(node), name in ("match", "fullmatch"), name == "fullmatch"


def _flags(call: ast.Call) -> int:
    found = re.RegexFlag(0)
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, 0), re.RegexFlag):
            found |= getattr(re, node.attr)
    return int(found)


def _used(name: str, source: str) -> set[str]:
    """The methods that are called on a pattern of this name; all of them where it is passed on."""
    uses = re.findall(rf"(?<!\n)\b{name}\b(?:\.(\w+)\()?", source)
    return {use or "search" for use in uses}


def _patterns() -> dict[Written, str]:
    found: dict[Written, str] = {}
    modules = [(module, Path(module.__file__ or "").read_text()) for module in _modules()]
    shared = {name for _, text in modules for name in re.findall(r"(?:\.|\bimport )(\w+)", text)}
    for module, source in modules:
        for name, value in vars(module).items():
            if not any(_held(value)):
                continue
            used = {"search"} if name in shared else _used(name, source)
            for pattern in _held(value):
                once, whole = used <= {"match", "fullmatch"}, used == {"fullmatch"}
                key = (pattern.pattern, pattern.flags & ~re.UNICODE, once, whole)
                found.setdefault(key, f"{module.__name__}.{name}")
        for one in _written(source):
            found.setdefault(one, module.__name__)
    return found


def _trouble(written: str | bytes, flags: int, once: bool, whole: bool) -> str | None:
    text = written.decode("latin-1") if isinstance(written, bytes) else written
    if whole:
        text = rf"(?:{text}{chr(10) if flags & re.VERBOSE else ''})\Z"
    if not repeats_without_end(tree_of(text, plain_flags(flags))):
        return None
    return next(Shape(text, flags, anchored=once).troubles(), None)


def test_every_pattern_takes_linear_time() -> None:
    troubled = {
        f"{where}: {one[0]!r}": trouble
        for one, where in _patterns().items()
        if where.removeprefix("recollect.") not in _BOUNDED and (trouble := _trouble(*one))
    }
    assert troubled == {}


@pytest.mark.parametrize(
    "slow", [r"\s+x", "a*[ab]*c", "(a|a)*b", r"<!--.*?-->", r"(\w+\s?)*$", "1(?:[1a]*b)?", r"\s++x"]
)
def test_a_slow_shape_is_seen(slow: str) -> None:
    assert list(Shape(slow, re.S).troubles())


@pytest.mark.parametrize(
    "fast",
    [
        r"\s+",
        r"\b\w+\b",
        r"(?<!\s)\s++x",
        r"\d+(?:[.,]\d+)*",
        "a{2,40}b",
        "<[^<>]*>",
        "^a*b",
        r"(?s)<!--.*?(?:-->|\Z)",
    ],
)
def test_a_fast_shape_is_left_alone(fast: str) -> None:
    assert not list(Shape(fast).troubles())
