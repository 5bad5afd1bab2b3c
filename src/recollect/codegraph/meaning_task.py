"""The semantic layer: relations between the parts of a folder that a parser cannot see.

A folder's subgraph is one task. A model reads it where one is configured; the local form reads the
same and finds what rules can: results that are handed on, errors that are handled, the file that is
a folder's public interface, patterns in names, and files that change together although neither
imports the other. In either case both ends of an edge must exist; any other edge is dropped.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.vocabulary.code import MeaningKind

PATTERN: Final = "pattern:"
#: Weight from which files that change together count as dependent on each other.
TOGETHER: Final = 0.6
_SURE: Final = 0.6
_NAMED: Final = 0.5
_BETWEEN: Final = " | "
_NESTED: Final = re.compile(r"\b(\w{1,80})\(\s{0,20}(?:await )?(?:\w{1,80}\.){0,4}(\w{1,80})\(")
_TAKEN: Final = re.compile(
    r"\b(\w{1,80})\s{0,3}:?=\s{0,3}(?:await )?(?:\w{1,80}\.){0,4}(\w{1,80})\("
)
_HANDED: Final = re.compile(r"\b(\w{1,80})\(([^()\n]{1,200})\)")
_CALLED: Final = re.compile(r"\b(\w{1,80})\(")
_WORD: Final = re.compile(r"\w{1,80}")
_TRIES: Final = re.compile(r"^\s{0,80}(?:try\b|begin\b)")
_CATCHES: Final = re.compile(r"^[\s}]{0,80}(?:except|catch|rescue)\b")
_CHECKED: Final = re.compile(r"\berr != nil\b|\.catch\(|\?;$")
_PATTERNS: Final = re.compile(
    r"(Repository|Factory|Builder|Adapter|Observer|Strategy|Singleton|Decorator|Proxy|Visitor"
    r"|Middleware|Facade|Mediator|Registry)\Z"
)
_PATTERN_NAME: Final = re.compile(r"pattern:[A-Z][A-Za-z ]{1,40}\Z")


@dataclass(frozen=True, slots=True)
class ModuleSubgraph:
    """A folder as a task reads it: each line a name, an edge, a pair, or a piece of code."""

    module: str
    names: tuple[str, ...]
    edges: tuple[str, ...]
    changes: tuple[str, ...]
    code: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleMeaning:
    """Edges of meaning, each one line: source, kind, target, how sure."""

    edges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeaningEdge:
    """One edge of meaning whose ends exist."""

    source: str
    kind: MeaningKind
    target: str
    confidence: float


def edge_line(source: str, kind: str, target: str, sure: float = 1.0) -> str:
    """An edge as one line."""
    return _BETWEEN.join((source, kind, target, f"{sure:.2f}"))


def read_edges(given: ModuleSubgraph, answer: ModuleMeaning) -> list[MeaningEdge]:
    """The edges of an answer, each once, without those whose ends do not exist."""
    names = {given.module, *given.names}
    for line in given.edges:
        names.update(line.split(_BETWEEN)[0:3:2])
    found: dict[tuple[str, str, str], MeaningEdge] = {}
    kinds = {kind.value: kind for kind in MeaningKind}
    for line in answer.edges:
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 4 or parts[1] not in kinds or parts[0] not in names:
            continue
        kind, target = kinds[parts[1]], parts[2]
        pattern = kind is MeaningKind.APPLIES_PATTERN
        if not (_PATTERN_NAME.match(target) if pattern else target in names - {parts[0]}):
            continue
        sure = _fraction(parts[3])
        if sure:
            found[parts[0], parts[1], target] = MeaningEdge(parts[0], kind, target, sure)
    return list(found.values())


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 < value <= 1 else 0.0


def local_meaning(given: ModuleSubgraph) -> ModuleMeaning:
    """The edges of meaning that rules find in a folder."""
    edges = [line.split(_BETWEEN)[:3] for line in given.edges]
    calls: dict[str, dict[str, str]] = {}
    for source, kind, target in edges:
        if kind == "calls":
            last = target.rpartition("::")[2].rpartition(".")[2]
            calls.setdefault(source, {})[last] = target
    lines = [
        *_folder_interfaces(given, edges),
        *_patterns(given.names),
        *_changed_together(given, edges),
    ]
    for piece in given.code:
        label, _, text = piece.partition("\n")
        if label in calls:
            lines += _data_flows(text, calls[label])
            lines += _handled_errors(label, text, calls[label])
    return ModuleMeaning(tuple(dict.fromkeys(lines)))


def _data_flows(text: str, calls: Mapping[str, str]) -> Iterator[str]:
    """Results that one call returns and another takes, directly or through a variable."""
    pairs = [(inner, outer) for outer, inner in _NESTED.findall(text)]
    given = {name: call for name, call in _TAKEN.findall(text) if call in calls}
    for call, arguments in _HANDED.findall(text):
        pairs += [(given[word], call) for word in _WORD.findall(arguments) if word in given]
    for inner, outer in pairs:
        if inner in calls and outer in calls and calls[inner] != calls[outer]:
            yield edge_line(calls[inner], MeaningKind.FLOWS_TO, calls[outer], _SURE)


def _handled_errors(label: str, text: str, calls: Mapping[str, str]) -> Iterator[str]:
    """Functions whose errors a function handles: called between try and catch, or checked."""
    trying: list[str] | None = None
    before = ""
    for line in text.split("\n"):
        if _TRIES.match(line):
            trying = [line]
        elif trying is not None and _CATCHES.match(line):
            yield from _errors(label, "\n".join(trying), calls)
            trying = None
        elif _CHECKED.search(line):
            yield from _errors(label, f"{before}\n{line}", calls)
        elif trying is not None:
            trying.append(line)
        before = line


def _errors(label: str, text: str, calls: Mapping[str, str]) -> Iterator[str]:
    for name in _CALLED.findall(text):
        if name in calls:
            yield edge_line(label, MeaningKind.HANDLES_ERRORS_FROM, calls[name], _SURE)


def _folder_interfaces(given: ModuleSubgraph, edges: Iterable[Sequence[str]]) -> Iterator[str]:
    """The file that is a folder's interface: the one that most outside files import."""
    own = {name for name in given.names if "::" not in name}
    users: dict[str, set[str]] = {}
    for source, kind, target in edges:
        path = target.partition("::")[0]
        if kind == "imports" and path in own and source.partition("::")[0] not in own:
            users.setdefault(path, set()).add(source)
    whole = len({one for some in users.values() for one in some})
    for path, some in sorted(users.items()):
        if len(own) > 1 and 2 * len(some) > whole:
            sure = len(some) / (whole + 1)
            yield edge_line(path, MeaningKind.IS_ENTRYPOINT_FOR, given.module, sure)


def _patterns(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        found = _PATTERNS.search(name) if "::" in name else None
        if found is not None and "." not in name.partition("::")[2]:
            yield edge_line(name, MeaningKind.APPLIES_PATTERN, PATTERN + found[1], _NAMED)


def _changed_together(given: ModuleSubgraph, edges: Iterable[Sequence[str]]) -> Iterator[str]:
    """Files that change together although neither imports the other."""
    tied = set()
    for source, _, target in edges:
        ends = source.partition("::")[0], target.partition("::")[0]
        tied |= {ends, ends[::-1]}
    for line in given.changes:
        first, _, second, weight = line.split(_BETWEEN)
        if (first, second) not in tied and float(weight) >= TOGETHER:
            yield edge_line(first, MeaningKind.DEPENDS_LOGICALLY, second, float(weight))


MEANING: Final = Task("code_meaning", ModuleMeaning, local_meaning, tokens=2_000)
