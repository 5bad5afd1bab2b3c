"""Watches a folder: changed files are indexed again half a second after the last change.

The files of a burst (a branch switched, a mass rename) are indexed together, in one transaction. A
file that is being written is indexed again when it is complete, because that is a change too.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.codegraph import file_finder
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.code import IndexReport
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from threading import Event

    from recollect.codegraph.indexer import CodeIndexer

DEBOUNCE: Final = 500  # milliseconds
_MANY: Final = 200
_RULES: Final = frozenset({".gitignore"})


class Watcher:
    """Watcher of one folder for one space."""

    def __init__(
        self,
        indexer: "CodeIndexer",
        viewer: Viewer,
        space: Space,
        root: str | os.PathLike[str],
    ) -> None:
        self._indexer = indexer
        self._viewer = viewer
        self._space = space
        self.root = Path(root).expanduser().resolve()

    def catch_up(self) -> IndexReport:
        """Index all changes made while nothing was watching."""
        return self._indexer.index(self._viewer, self._space, self.root)

    def index_paths(self, paths: set[str]) -> IndexReport | None:
        """Index changes of these paths; None where none of them matters."""
        below = {self._below(path) for path in paths} - {None}
        named = {path for path in below if path and file_finder.belongs(path)}
        if not named:
            return None
        folders = {path for path in named if (self.root / path).is_dir()}
        rules = any(path.rpartition("/")[2] in _RULES for path in named)
        if rules or folders or len(named) > _MANY:
            return self._indexer.index(self._viewer, self._space, self.root)
        wanted = {path for path in named if file_finder.readable(path)}
        shown = file_finder.shown_by_git(self.root, wanted)
        if not wanted:
            return None
        return self._indexer.index(
            self._viewer, self._space, self.root, only=sorted(wanted), shown=shown
        )

    def changes(self, stop: "Event | None" = None) -> Iterator[IndexReport]:
        """Results of each burst of changes, until stopped."""
        import watchfiles

        options: dict[str, Any] = {"debounce": DEBOUNCE, "step": 50, "stop_event": stop}
        for burst in watchfiles.watch(
            self.root, watch_filter=self._matters, raise_interrupt=False, **options
        ):
            report = self.index_paths({path for _, path in burst})
            if report is not None and (report.read or report.removed):
                yield report

    def _below(self, path: str) -> str | None:
        try:
            return Path(path).relative_to(self.root).as_posix()
        except ValueError:
            return None

    def _matters(self, _: Any, path: str) -> bool:
        below = self._below(path)
        return (
            below is not None
            and file_finder.belongs(below)
            and not file_finder.in_environment(self.root, below)
        )
