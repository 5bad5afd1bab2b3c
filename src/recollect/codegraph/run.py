"""One run of the index: what it knows, what it takes in, and what it has done so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from recollect.codegraph.file_reader import Scanned
from recollect.codegraph.resolving.layout import Layout
from recollect.storage.code.graph import FileRow, GraphCounts
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Space


class Taken(NamedTuple):
    """What is to be written of a look at the folder."""

    scanned: Sequence[Scanned]
    gone: Sequence[FileRow]
    vectors: Sequence[bytes | None]


class Files(NamedTuple):
    """The files as they are known, and the facts of those that were at hand."""

    known: dict[str, FileRow]
    facts: dict[str, str]


@dataclass(slots=True)
class Run:
    """One run, and what it has done so far."""

    viewer: Viewer
    space: Space
    root: Path
    audience: int = 0
    #: The version of the index that the files are known at; None where that is not sure.
    version: int | None = None
    known: dict[str, FileRow] = field(default_factory=dict)
    layout: Layout | None = None
    #: How much there was when the run began, and how much there is; None where nobody counted.
    counts: GraphCounts | None = None
    facts: dict[str, str] = field(default_factory=dict)
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    resolved: int = 0
    chunks: int = 0
    commits: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
