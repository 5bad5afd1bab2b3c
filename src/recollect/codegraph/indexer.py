"""Updates the code index of a space from its folder: reads changed files, resolves their names.

A file whose content is known is not read again. New rows and the marks of files to resolve again
are written together, so the next run continues a run that was stopped anywhere. A small change is
one transaction: a concurrent query sees the graph before it or after it. The files of recently
indexed spaces are cached as far as the index says which were touched since; where that is unknown,
everything is read again.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.codegraph import git
from recollect.codegraph.changes import (
    FolderChange,
    changes_in,
    folder_of,
    need_parsers,
    reshapes,
    shape_of,
    stale_paths,
)
from recollect.codegraph.co_change import weigh_history
from recollect.codegraph.file_reader import Scanned, scan_all
from recollect.codegraph.file_writer import Rewriter
from recollect.codegraph.relink import resolved, resolver_over
from recollect.codegraph.resolving.layout import Layout, laid_out
from recollect.codegraph.run import Files, Run, ScanResult
from recollect.index.indexer import Indexer
from recollect.storage.access.visibility_filter import audience_id
from recollect.storage.code import graph
from recollect.storage.code.graph import FileRow, GraphCounts
from recollect.storage.database import Database, Transaction
from recollect.storage.space_clock import tick
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Access, Audience, Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import IndexReport, number_of
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.spaces import Role, Space

Progress = Callable[[int, int, str], None]
#: Updates the memories about some files, or about all.
Follow = Callable[[Viewer, Space, Path, Collection[str] | None], None]

_BATCH: Final = 200
_AT_ONCE: Final = 500
_RESOLVED_AT_ONCE: Final = 1_000
_PROBLEMS_SHOWN: Final = 20


class CodeIndexer:
    """Writes the index of code."""

    def __init__(
        self, database: Database, indexer: Indexer, clock: Clock, follow: Follow | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._follow = follow
        self._rewriter = Rewriter(database, indexer, clock)
        self._holdings = IndexedFilesCache()

    def index(
        self,
        viewer: Viewer,
        space: Space,
        root: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        only: Iterable[str] | None = None,
        shown: set[str] | None = None,
        replace: bool = False,
        history: bool = True,
        processes: int = 0,
    ) -> IndexReport:
        """Update a space's index from a folder; with ``only``, check only those paths.

        ``shown`` are the paths in ``only`` that the ignore rules let through; the others count as
        deleted.
        """
        need_parsers()
        only = None if only is None else list(only)
        folder = folder_of(root)
        run = Run(viewer, space, folder)
        self._begin(run, replace=replace)
        change = changes_in(folder, run.known, only, shown)
        run.unchanged, run.skipped = change.unchanged, change.skipped
        small = len(change.fresh) + len(change.gone) <= _AT_ONCE
        self._take_in(run, change, progress, at_once=small, processes=processes)
        if history and only is None:
            weigh_history(self._database, self._clock, run)
        if self._follow is not None and (only is None or run.read or run.removed):
            self._follow(viewer, space, folder, only)
        return self._report(run)

    def _begin(self, run: Run, *, replace: bool) -> None:
        """Find the space's index, or create one."""
        with self._database.reading() as transaction:
            known = graph.get_index(transaction, authorise(transaction, run.viewer, run.space))
        if known is not None and known.root == str(run.root):
            identity = known.identity
        else:
            identity = git.identity(run.root) or f"folder {run.root}"

        def work(transaction: Transaction) -> int:
            access = authorise(transaction, run.viewer, run.space)
            require_role(access, Role.MEMBER, "index code")
            found = graph.get_index(transaction, access)
            version = 1
            if found is not None and found.identity != identity and found.root != str(run.root):
                if not replace:
                    raise InvalidInput(
                        f"The space {run.space.name!r} holds the code of {found.root}. "
                        "Nothing was changed.",
                        hint="Give the other code a space of its own with --space, or say "
                        "--replace.",
                    )
                rows = graph.files(transaction, access)
                self._rewriter.drop(transaction, run.space.id, [row.file_id for row in rows])
                graph.drop_index(transaction, run.space.id)
                version, found = found.version + 1, None
            if found is not None:
                if found.root != str(run.root):
                    graph.touch_index(transaction, run.space.id, self._clock(), root=str(run.root))
                return int(found.audience_id)
            _, fresh = tick(transaction, run.space.id)
            audience = audience_id(
                transaction, run.space.id, Audience(run.viewer.user, Visibility.PROJECT), fresh
            )
            graph.put_index(
                transaction,
                run.space.id,
                root=str(run.root),
                identity=identity,
                audience=audience,
                version=version,
                at=self._clock(),
            )
            return audience

        run.audience = self._database.write(work)
        with self._database.reading() as transaction:
            access = authorise(transaction, run.viewer, run.space)
            index = graph.get_index(transaction, access)
            held = self._holdings.now(transaction, access, index)
            run.version, run.known, run.layout, run.counts = held

    def _take_in(
        self,
        run: Run,
        change: FolderChange,
        progress: Progress | None,
        *,
        at_once: bool,
        processes: int,
    ) -> None:
        total = len(change.fresh)
        before = shape_of(run.known) if reshapes(change, run.known) else None
        scanned: list[Scanned] = []
        work_left = bool(change.fresh or change.gone) or any(r.stale for r in run.known.values())
        if not work_left:
            self._finish(run)
            return
        if not at_once:
            self._database.write(lambda transaction: self._mark_incomplete(transaction, run))
        gone = change.gone
        for one in scan_all(run.root, change.fresh, processes):
            scanned.append(one)
            run.read += 1
            if progress and run.read % 10 == 0:
                progress(run.read, total, one.seen.path)
            if not at_once and len(scanned) >= _BATCH:
                self._put(run, scanned, gone)
                scanned, gone = [], []
        if at_once:
            self._all_at_once(run, scanned, gone, before)
        else:
            self._put(run, scanned, gone)
            self._resolve_in_parts(run, before, progress)
        if progress:
            progress(total, total, "")

    def _all_at_once(
        self, run: Run, scanned: list[Scanned], gone: list[FileRow], before: object
    ) -> None:
        vectors = self._rewriter.vectors(scanned)
        changed = {number_of(one.seen.path) for one in scanned} | {row.file_id for row in gone}
        space_id, counted = run.space.id, run.counts

        def work(transaction: Transaction) -> int | None:
            known, facts = dict(run.known), dict(run.facts)
            authorise(transaction, run.viewer, run.space)
            less = [graph.counts(transaction, space_id, changed)] if counted else []
            self._rewriter.replace(
                transaction, run, ScanResult(scanned, gone, vectors), Files(known, facts)
            )
            stale = stale_paths(known, before)
            edges, needs, numbers = resolved(transaction, run, Files(known, facts), stale)
            touched = changed.union(numbers)
            less += [graph.counts(transaction, space_id, touched - changed)] if counted else []
            graph.replace_edges(transaction, space_id, numbers, edges, needs)
            version = self._mark_done(transaction, run, sorted(touched))
            if counted:
                more = graph.counts(transaction, space_id, touched)
                run.counts = counted.changed(less, more)
            run.known = {
                path: row._replace(stale=False) if row.stale else row for path, row in known.items()
            }
            run.facts = facts
            run.resolved = len(numbers)
            return version

        run.version = self._database.write(work)

    def _put(self, run: Run, scanned: list[Scanned], gone: list[FileRow]) -> None:
        vectors = self._rewriter.vectors(scanned)

        def work(transaction: Transaction) -> None:
            known, facts = dict(run.known), dict(run.facts)
            self._rewriter.replace(
                transaction, run, ScanResult(scanned, gone, vectors), Files(known, facts)
            )
            run.known, run.facts = known, facts

        self._database.write(work)

    def _resolve_in_parts(self, run: Run, before: object, progress: Progress | None) -> None:
        run.version = run.counts = None
        with self._database.reading() as transaction:
            access = authorise(transaction, run.viewer, run.space)
            run.known = {row.path: row for row in graph.files(transaction, access)}
        stale = stale_paths(run.known, before)
        resolver = None
        for start in range(0, len(stale), _RESOLVED_AT_ONCE):
            part = stale[start : start + _RESOLVED_AT_ONCE]
            with self._database.reading() as transaction:
                resolver = resolver or resolver_over(transaction, run, Files(run.known, run.facts))
                edges, needs, numbers = resolved(
                    transaction, run, Files(run.known, run.facts), part, resolver
                )

            def work(
                transaction: Transaction,
                edges: Any = edges,
                needs: Any = needs,
                numbers: Any = numbers,
            ) -> None:
                authorise(transaction, run.viewer, run.space)
                graph.replace_edges(transaction, run.space.id, numbers, edges, needs)

            self._database.write(work)
            run.resolved += len(numbers)
            if progress:
                progress(run.read, run.read, f"resolving names, {run.resolved:,} files")
        self._database.write(lambda transaction: self._mark_done(transaction, run))

    def _mark_incomplete(self, transaction: Transaction, run: Run) -> None:
        authorise(transaction, run.viewer, run.space)
        graph.touch_index(transaction, run.space.id, self._clock(), complete=False)

    def _mark_done(
        self, transaction: Transaction, run: Run, touched: Sequence[int] | None = None
    ) -> int | None:
        authorise(transaction, run.viewer, run.space)
        return graph.touch_index(
            transaction,
            run.space.id,
            self._clock(),
            touched=touched,
            complete=True,
            commit_sha=git.head(run.root),
        )

    def _finish(self, run: Run) -> None:
        """Finish a run with nothing to do; mark a run that was stopped at the very end as done."""
        with self._database.reading() as transaction:
            index = graph.get_index(transaction, authorise(transaction, run.viewer, run.space))
        if index is not None and not index.complete:
            run.version = self._database.write(
                lambda transaction: self._mark_done(transaction, run)
            )

    def _report(self, run: Run) -> IndexReport:
        with self._database.reading() as transaction:
            index = graph.get_index(transaction, authorise(transaction, run.viewer, run.space))
            counts = run.counts or graph.counts(transaction, run.space.id)
        if index is not None and run.version is not None and index.version == run.version:
            self._holdings.keep(run.space.id, run.version, run.known, counts)
        fresh = frozenset(run.problems)
        kept = (f"{row.path}: {row.problem}" for row in run.known.values() if row.problem)
        run.problems += [problem for problem in kept if problem not in fresh]
        for problem in run.problems:
            reason = problem.rpartition(": ")[2]
            run.skipped[reason] = run.skipped.get(reason, 0) + 1
        return IndexReport(
            root=str(run.root),
            files=counts.files,
            read=run.read,
            unchanged=run.unchanged,
            removed=run.removed,
            resolved=run.resolved,
            nodes=counts.nodes,
            edges=counts.edges,
            chunks=run.chunks,
            skipped=run.skipped,
            problems=tuple(run.problems[:_PROBLEMS_SHOWN]),
            commits=run.commits,
        )


_SPACES: Final = 8


class IndexedFiles(NamedTuple):
    """The files of an index at one version, their layout, and their counts."""

    version: int
    known: dict[str, FileRow]
    layout: Layout
    counts: GraphCounts | None


class IndexedFilesCache:
    """Cached files of the spaces indexed last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, IndexedFiles] = OrderedDict()

    def now(self, transaction: Transaction, access: Access, index: Any) -> IndexedFiles:
        """The current files."""
        with self._lock:
            held = self._spaces.get(access.space_id)
        touched = graph.touched_since(index, held.version) if held is not None else None
        if held is None or touched is None:
            known = {row.path: row for row in graph.files(transaction, access)}
            return IndexedFiles(index.version, known, _laid_out(known, held), None)
        if index.version == held.version:
            return held
        known = {path: row for path, row in held.known.items() if row.file_id not in touched}
        known |= {row.path: row for row in graph.files_of(transaction, access, sorted(touched))}
        known = dict(sorted(known.items()))
        return IndexedFiles(index.version, known, _laid_out(known, held), None)

    def keep(
        self, space_id: str, version: int, known: dict[str, FileRow], counts: GraphCounts | None
    ) -> None:
        """Store the result of a run."""
        with self._lock:
            before = self._spaces.get(space_id)
            layout = _laid_out(known, before)
            self._spaces[space_id] = IndexedFiles(version, known, layout, counts)
            self._spaces.move_to_end(space_id)
            if len(self._spaces) > _SPACES:
                self._spaces.popitem(last=False)


def _laid_out(known: Mapping[str, FileRow], before: IndexedFiles | None) -> Layout:
    languages = {path: row.language for path, row in known.items()}
    return laid_out(languages, before.layout if before else None)
