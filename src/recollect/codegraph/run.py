"""State of one run of the indexer: its input, the files it reads, and its results so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from recollect.codegraph.file_reader import Scanned
from recollect.codegraph.resolving.layout import Layout
from recollect.storage.code.graph import FileRow, GraphCounts
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Space


class ScanResult(NamedTuple):
    """Files to write after a scan of the folder."""

    scanned: Sequence[Scanned]
    gone: Sequence[FileRow]
    vectors: Sequence[bytes | None]


class Files(NamedTuple):
    """The known files, and the facts that were loaded."""

    known: dict[str, FileRow]
    facts: dict[str, str]


@dataclass(slots=True)
class Run:
    """One run, and its results so far."""

    viewer: Viewer
    space: Space
    root: Path
    audience: int = 0
    #: Version of the index at which the files are known; None where that is uncertain.
    version: int | None = None
    known: dict[str, FileRow] = field(default_factory=dict)
    layout: Layout | None = None
    #: Counts at the start of the run, and current counts; None where nothing was counted.
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
