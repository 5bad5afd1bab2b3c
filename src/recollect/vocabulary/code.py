"""Code as values: files, nodes, edges, chunks, and the answers to questions about them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class NodeKind(StrEnum):
    """What a node of the code graph is."""

    FILE = "file"
    DIRECTORY = "directory"
    MODULE = "module"
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"


class EdgeKind(StrEnum):
    """How one node hangs on another. An edge leads from who needs to what is needed."""

    IMPORTS = "imports"
    CALLS = "calls"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    EXPORTS = "exports"
    CONTAINS = "contains"
    TESTS = "tests"


class MeaningKind(StrEnum):
    """What one part of the code means to another, beyond what a parser sees."""

    DEPENDS_LOGICALLY = "depends_logically"
    IS_ENTRYPOINT_FOR = "is_entrypoint_for"
    HANDLES_ERRORS_FROM = "handles_errors_from"
    APPLIES_PATTERN = "applies_pattern"
    FLOWS_TO = "flows_to"


class FileRole(StrEnum):
    """What a file is for; only what is written by hand counts as code."""

    CODE = "code"
    TEST = "test"
    PROSE = "prose"
    DATA = "data"
    GENERATED = "generated"
    VENDORED = "vendored"


def number_of(name: str) -> int:
    """The number that stands for a path or a name, the same everywhere."""
    return (
        int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest()) >> 1
    )


def node_number(path: str, name: str) -> int:
    """The number of a node: of a file when the name is empty."""
    return number_of(f"{path}::{name}" if name else path)


@dataclass(frozen=True, slots=True)
class Node:
    """One thing in the code. ``name`` is its qualified name inside its file, empty for the file."""

    id: int
    kind: NodeKind
    path: str
    name: str
    start_line: int
    end_line: int

    @property
    def label(self) -> str:
        """How people write it: the path, or the path and the name."""
        return f"{self.path}::{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path through the graph: what is reached, and by which edge."""

    node: Node
    kind: str
    how: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Touched:
    """Something that a change reaches: how far away, how surely, and the way there."""

    node: Node
    depth: int
    score: float
    path: tuple[Step, ...]
    test: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """What may break when something changes."""

    target: str
    seeds: tuple[Node, ...]
    touched: tuple[Touched, ...]
    tests: tuple[Touched, ...]
    memories: tuple[Mapping[str, object], ...]
    score: float
    depth: int
    cut: int = 0
    #: Of the memories, those that say what must hold.
    invariants: tuple[Mapping[str, object], ...] = ()
    notes: tuple[str, ...] = ()
    #: Files that changed since they were indexed; what they need is left out.
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What something needs, or what reaches it, as one list."""

    target: str
    seeds: tuple[Node, ...]
    reached: tuple[Touched, ...]
    notes: tuple[str, ...] = ()
    #: Files that changed since they were indexed; what they need is left out.
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One directory in the module map: how much is there, and how much memory knows of it."""

    path: str
    files: int
    lines: int
    symbols: int
    imports: int
    imported_by: int
    memories: int
    about: str = ""
    #: The paths of its files, those with most lines first, no more than twelve.
    largest_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """An edge of the semantic layer, by the labels of its ends; ``made_by`` is ``local`` where
    rules found it, and the model's name where a model did."""

    module: str
    source: str
    kind: str
    target: str
    confidence: float
    made_by: str


@dataclass(frozen=True, slots=True)
class KnowledgeNode:
    """A pattern, a decision or an invariant of the code, with the files or symbols it is about, and
    the memory that says so where one does."""

    kind: str
    label: str
    about: tuple[str, ...]
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Staleness:
    """Whether a memory may be out of date: the layers that speak against it, and where its files
    are now. ``changed`` is the share of its files that changed since it was made, ``newer_days`` by
    how many days the newest is newer than the memory, where that is more than thirty."""

    memory_id: str
    stale: bool
    reasons: tuple[str, ...]
    renamed: Mapping[str, str]
    gone: tuple[str, ...]
    changed: float = 0.0
    newer_days: int = 0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did."""

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
