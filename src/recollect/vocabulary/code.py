"""Code as values: files, nodes, edges, chunks, and the answers to questions about them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class NodeKind(StrEnum):
    """The kind of a node of the code graph."""

    FILE = "file"
    DIRECTORY = "directory"
    MODULE = "module"
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"


class EdgeKind(StrEnum):
    """How one node depends on another. An edge leads from the dependant to the dependency."""

    IMPORTS = "imports"
    CALLS = "calls"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    EXPORTS = "exports"
    CONTAINS = "contains"
    TESTS = "tests"


class MeaningKind(StrEnum):
    """Semantic relation between parts of the code, beyond what a parser sees."""

    DEPENDS_LOGICALLY = "depends_logically"
    IS_ENTRYPOINT_FOR = "is_entrypoint_for"
    HANDLES_ERRORS_FROM = "handles_errors_from"
    APPLIES_PATTERN = "applies_pattern"
    FLOWS_TO = "flows_to"


class FileRole(StrEnum):
    """The purpose of a file; only handwritten files count as code."""

    CODE = "code"
    TEST = "test"
    PROSE = "prose"
    DATA = "data"
    GENERATED = "generated"
    VENDORED = "vendored"


def number_of(name: str) -> int:
    """Hash of a path or a name, the same everywhere."""
    return (
        int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest()) >> 1
    )


def node_number(path: str, name: str) -> int:
    """The number of a node: of a file if the name is empty."""
    return number_of(f"{path}::{name}" if name else path)


@dataclass(frozen=True, slots=True)
class Node:
    """One item in the code. ``name`` is its qualified name inside its file, empty for the file."""

    id: int
    kind: NodeKind
    path: str
    name: str
    start_line: int
    end_line: int

    @property
    def label(self) -> str:
        """Its display name: the path, or the path and the name."""
        return f"{self.path}::{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path through the graph: the node, and the edge to it."""

    node: Node
    kind: str
    how: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Touched:
    """A node that a change affects: its distance, confidence, and the path to it."""

    node: Node
    depth: int
    score: float
    path: tuple[Step, ...]
    test: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """What may break if something changes."""

    target: str
    seeds: tuple[Node, ...]
    touched: tuple[Touched, ...]
    tests: tuple[Touched, ...]
    memories: tuple[Mapping[str, object], ...]
    score: float
    depth: int
    cut: int = 0
    #: The memories that state invariants.
    invariants: tuple[Mapping[str, object], ...] = ()
    notes: tuple[str, ...] = ()
    #: Files that changed since they were indexed; their dependencies are left out.
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Dependencies or dependants of a node, as one list."""

    target: str
    seeds: tuple[Node, ...]
    reached: tuple[Touched, ...]
    notes: tuple[str, ...] = ()
    #: Files that changed since they were indexed; their dependencies are left out.
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One directory in the module map: its size, and how much memory knows of it."""

    path: str
    files: int
    lines: int
    symbols: int
    imports: int
    imported_by: int
    memories: int
    about: str = ""
    #: The paths of its files, those with most lines first, at most twelve.
    largest_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """An edge of the semantic layer, by the labels of its ends; ``made_by`` is ``local`` for rules,
    otherwise the model's name.
    """

    module: str
    source: str
    kind: str
    target: str
    confidence: float
    made_by: str


@dataclass(frozen=True, slots=True)
class KnowledgeNode:
    """A pattern, a decision or an invariant of the code, with the files or symbols it is about, and
    the memory that states it, if any.
    """

    kind: str
    label: str
    about: tuple[str, ...]
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Staleness:
    """Whether a memory may be out of date: the layers with evidence against it, and where its files
    are now. ``changed`` is the share of its files that changed since it was made, ``newer_days`` by
    how many days the newest is newer than the memory, if more than thirty.
    """

    memory_id: str
    stale: bool
    reasons: tuple[str, ...]
    renamed: Mapping[str, str]
    gone: tuple[str, ...]
    changed: float = 0.0
    newer_days: int = 0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Result of an index run."""

    root: str
    files: int
    read: int
    unchanged: int
    removed: int
    resolved: int
    nodes: int
    edges: int
    chunks: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    commits: int = 0
    complete: bool = True
