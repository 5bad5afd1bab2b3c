"""Brings the index of a space up to its folder: reads what changed, resolves what that touches.

A file whose content is known is not read again. New rows and the mark that somebody must be
resolved again are written together, so a run that is stopped anywhere is gone on with by the next.
A small change is one transaction: whoever asks meanwhile sees the graph before it or after it.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.codegraph import git
from recollect.codegraph.changes import (
    Change,
    changed_needs,
    changes_in,
    file_row,
    folder_of,
    is_same,
    need_parsers,
    node_rows,
    reshapes,
    shape_of,
    stale_paths,
    text_of,
    vectors_of,
)
from recollect.codegraph.facts import Facts
from recollect.codegraph.history import commits_of, together
from recollect.codegraph.mentions import mentioned, names_changed
from recollect.codegraph.resolving.project import Project
from recollect.codegraph.resolving.resolver import Resolver
from recollect.codegraph.scanning import Scanned, scan_all
from recollect.inference.indexer import EMBED, PATIENCE, Indexer
from recollect.jobs.queue import promise
from recollect.storage import chunks, code, places
from recollect.storage.audiences import audience_id
from recollect.storage.code import FileRow
from recollect.storage.database import Database, Transaction
from recollect.storage.spaces import tick
from recollect.trust.visibility import look, require_role
from recollect.vocabulary.audiences import Audience, Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import IndexReport, node_number, number_of
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.spaces import Role, Space

Progress = Callable[[int, int, str], None]

_BATCH: Final = 200
_AT_ONCE: Final = 500
_FEW: Final = 20
_RESOLVED_AT_ONCE: Final = 1_000
_JOB_SLOTS: Final = 256
_PROBLEMS_SHOWN: Final = 20


class _Taken(NamedTuple):
    """What is to be written of a look at the folder."""

    scanned: Sequence[Scanned]
    gone: Sequence[FileRow]
    vectors: Sequence[bytes | None]


class _Files(NamedTuple):
    """The files as they are known, and the facts of those that were at hand."""

    known: dict[str, FileRow]
    facts: dict[str, str]


@dataclass(slots=True)
class _Run:
    """One run, and what it has done so far."""

    viewer: Viewer
    space: Space
    root: Path
    audience: int = 0
    known: dict[str, FileRow] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    resolved: int = 0
    chunks: int = 0
    commits: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class CodeIndexer:
    """Writes the index of code."""

    def __init__(self, database: Database, indexer: Indexer, clock: Clock) -> None:
        self._database = database
        self._indexer = indexer
        self._clock = clock

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
        """Bring a space's index up to a folder; with ``only``, look at those paths and no other.

        ``shown`` are those of them that the ignore rules let through; the others count as gone.
        """
        need_parsers()
        folder = folder_of(root)
        run = _Run(viewer, space, folder)
        self._begin(run, replace=replace)
        change = changes_in(folder, run.known, only, shown)
        run.unchanged, run.skipped = change.unchanged, change.skipped
        small = len(change.fresh) + len(change.gone) <= _AT_ONCE
        self._take_in(run, change, progress, at_once=small, processes=processes)
        if history and only is None:
            self._read_history(run)
        return self._report(run)

    def _read_history(self, run: _Run) -> None:
        """Weigh what changes together, when there are commits that were not weighed yet."""
        head = git.head(run.root)
        with self._database.reading() as transaction:
            index = code.get_index(transaction, look(transaction, run.viewer, run.space))
        if head is None or index is None or index.history_sha == head:
            return
        commits = commits_of(run.root)
        written = {path for path, row in run.known.items() if row.role in {"code", "test"}}
        pairs = together(commits, written)

        def work(transaction: Transaction) -> None:
            look(transaction, run.viewer, run.space)
            code.replace_cochanges(transaction, run.space.id, pairs)
            code.touch_index(transaction, run.space.id, self._clock(), history_sha=head)

        self._write(run, work)
        run.commits = len(commits)

    def _begin(self, run: _Run, *, replace: bool) -> None:
        """Find the space's index, or begin one."""
        with self._database.reading() as transaction:
            known = code.get_index(transaction, look(transaction, run.viewer, run.space))
        if known is not None and known.root == str(run.root):
            identity = known.identity
        else:
            identity = git.identity(run.root) or f"folder {run.root}"

        def work(transaction: Transaction) -> int:
            sight = look(transaction, run.viewer, run.space)
            require_role(sight, Role.MEMBER, "index code")
            found = code.get_index(transaction, sight)
            if found is not None and found.identity != identity and found.root != str(run.root):
                if not replace:
                    raise InvalidInput(
                        f"The space {run.space.name!r} holds the code of {found.root}. "
                        "Nothing was changed.",
                        hint="Give the other code a space of its own with --space, or say "
                        "--replace.",
                    )
                rows = code.files(transaction, sight)
                self._drop(transaction, run.space.id, [row.file_id for row in rows])
                code.drop_index(transaction, run.space.id)
                found = None
            if found is not None:
                if found.root != str(run.root):
                    code.touch_index(transaction, run.space.id, self._clock(), root=str(run.root))
                return int(found.audience_id)
            _, fresh = tick(transaction, run.space.id)
            audience = audience_id(
                transaction, run.space.id, Audience(run.viewer.user, Visibility.PROJECT), fresh
            )
            code.put_index(
                transaction,
                run.space.id,
                root=str(run.root),
                identity=identity,
                audience=audience,
                at=self._clock(),
            )
            return audience

        run.audience = self._database.write(work)
        with self._database.reading() as transaction:
            sight = look(transaction, run.viewer, run.space)
            run.known = {row.path: row for row in code.files(transaction, sight)}

    def _take_in(
        self,
        run: _Run,
        change: Change,
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
            self._write(run, lambda transaction: self._mark_incomplete(transaction, run))
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
        self, run: _Run, scanned: list[Scanned], gone: list[FileRow], before: object
    ) -> None:
        vectors = self._vectors(scanned)

        def work(transaction: Transaction) -> None:
            known, facts = dict(run.known), dict(run.facts)
            self._replace(transaction, run, _Taken(scanned, gone, vectors), _Files(known, facts))
            stale = stale_paths(known, before)
            edges, needs, numbers = self._resolved(transaction, run, _Files(known, facts), stale)
            code.replace_edges(transaction, run.space.id, numbers, edges, needs)
            changed = {number_of(one.seen.path) for one in scanned} | {row.file_id for row in gone}
            self._mark_done(transaction, run, sorted(changed.union(numbers)))
            run.known = {path: row._replace(stale=False) for path, row in known.items()}
            run.facts = facts
            run.resolved = len(numbers)

        self._write(run, work)

    def _put(self, run: _Run, scanned: list[Scanned], gone: list[FileRow]) -> None:
        vectors = self._vectors(scanned)

        def work(transaction: Transaction) -> None:
            known, facts = dict(run.known), dict(run.facts)
            self._replace(transaction, run, _Taken(scanned, gone, vectors), _Files(known, facts))
            run.known, run.facts = known, facts

        self._write(run, work)

    def _resolve_in_parts(self, run: _Run, before: object, progress: Progress | None) -> None:
        with self._database.reading() as transaction:
            sight = look(transaction, run.viewer, run.space)
            run.known = {row.path: row for row in code.files(transaction, sight)}
        stale = stale_paths(run.known, before)
        resolver = None
        for start in range(0, len(stale), _RESOLVED_AT_ONCE):
            part = stale[start : start + _RESOLVED_AT_ONCE]
            with self._database.reading() as transaction:
                resolver = resolver or self._resolver(
                    transaction, run, _Files(run.known, run.facts)
                )
                edges, needs, numbers = self._resolved(
                    transaction, run, _Files(run.known, run.facts), part, resolver
                )

            def work(
                transaction: Transaction,
                edges: Any = edges,
                needs: Any = needs,
                numbers: Any = numbers,
            ) -> None:
                look(transaction, run.viewer, run.space)
                code.replace_edges(transaction, run.space.id, numbers, edges, needs)

            self._write(run, work)
            run.resolved += len(numbers)
            if progress:
                progress(run.read, run.read, f"resolving names, {run.resolved:,} files")
        self._write(run, lambda transaction: self._mark_done(transaction, run))

    def _replace(self, transaction: Transaction, run: _Run, taken: _Taken, files: _Files) -> None:
        """Put new rows of files in place of old ones, and mark whoever needed the old."""
        scanned, gone, vectors = taken
        known, facts = files
        space_id = run.space.id
        look(transaction, run.viewer, run.space)
        same = [one for one in scanned if is_same(known.get(one.seen.path), one)]
        code.touch_files(
            transaction,
            space_id,
            [(known[o.seen.path].file_id, o.seen.size, o.seen.changed_ns) for o in same],
        )
        fresh = [one for one in scanned if not is_same(known.get(one.seen.path), one)]
        old = [known[one.seen.path] for one in fresh if one.seen.path in known] + list(gone)
        quiet = self._matters_to_nobody(transaction, run, fresh, files)
        loud = [one for one in fresh if one.seen.path not in quiet]
        changed = changed_needs(loud, gone, known)
        touched = code.needed_by(transaction, space_id, [number_of(need) for need in changed])
        self._drop(transaction, space_id, [row.file_id for row in old])
        rows = [file_row(one) for one in fresh]
        code.put_files(
            transaction, space_id, [(*row, one.facts) for row, one in zip(rows, fresh, strict=True)]
        )
        code.put_nodes(transaction, space_id, [node for one in fresh for node in node_rows(one)])
        self._put_chunks(
            transaction, run, fresh, vectors if not same else vectors_of(scanned, vectors, fresh)
        )
        left = touched - {row.file_id for row in old} | {r.file_id for r in rows if r.language}
        code.mark_stale(transaction, space_id, sorted(left))
        for row in gone:
            known.pop(row.path, None)
            facts.pop(row.path, None)
        for row, one in zip(rows, fresh, strict=True):
            known[row.path] = row
            facts[row.path] = one.facts
        for path, row in known.items():
            if row.file_id in left and not row.stale:
                known[path] = row._replace(stale=True)
        run.removed += len(gone)
        run.problems += [f"{one.seen.path}: {one.problem}" for one in fresh if one.problem]

    def _matters_to_nobody(
        self, transaction: Transaction, run: _Run, fresh: Sequence[Scanned], files: _Files
    ) -> set[str]:
        """The changed files of which nobody who looked at them mentions what changed."""
        known = files.known
        sight = look(transaction, run.viewer, run.space)
        found: set[str] = set()
        if len(fresh) > _FEW:
            return found
        for one in fresh:
            row = known.get(one.seen.path)
            if row is None or row.interface == one.interface or not one.facts:
                continue
            text = code.facts_of(transaction, sight, [row.file_id]).get(row.path)
            names = text and names_changed(Facts.loaded(text), Facts.loaded(one.facts))
            if not names:
                continue
            needs = changed_needs([one], [], known)
            numbers = code.needed_by(transaction, run.space.id, [number_of(n) for n in needs])
            looking = code.facts_of(transaction, sight, sorted(numbers - {row.file_id}))
            beside = [other.facts for other in fresh if other is not one]
            if not mentioned(names, [*looking.values(), *beside]):
                found.add(row.path)
        return found

    def _drop(self, transaction: Transaction, space_id: str, numbers: list[int]) -> None:
        number, _ = tick(transaction, space_id)
        slots = chunks.slots_of(transaction, space_id, numbers)
        places.retire(
            transaction, self._database.dialect, (space_id, number), chunks.COLLECTION, slots
        )
        code.drop_files(transaction, space_id, numbers)

    def _put_chunks(
        self,
        transaction: Transaction,
        run: _Run,
        fresh: Sequence[Scanned],
        vectors: Sequence[bytes | None],
    ) -> None:
        space_id, audience = run.space.id, run.audience
        pieces = [
            (one, piece, tokens)
            for one in fresh
            for piece, tokens in zip(one.pieces, one.tokens, strict=True)
        ]
        if not pieces:
            return
        number, first = tick(transaction, space_id, len(pieces))
        rows, placed, slots = [], [], []
        for slot, (one, piece, (tokens, length)) in enumerate(pieces, first):
            path = one.seen.path
            key = f"{path}#{piece.kind}:{piece.name}:{piece.start}:{piece.end}"
            chunk = f"chk_{number_of(key):016x}"
            rows.append((chunk, node_number(path, ""), audience, slot, *piece[:3], *piece[3:]))
            placed.append((slot, chunk, audience, tokens, length, None, None))
            slots.append(slot)
        chunks.put_chunks(transaction, space_id, rows)
        dialect = self._database.dialect
        places.put_places(transaction, dialect, (space_id, number), chunks.COLLECTION, placed)
        run.chunks += len(rows)
        if self._indexer.embeds_later:
            for start in range(0, len(slots), _JOB_SLOTS):
                wanted = {
                    "collection": chunks.COLLECTION,
                    "slots": slots[start : start + _JOB_SLOTS],
                }
                promise(
                    transaction, space_id, EMBED, wanted, now=self._clock(), max_attempts=PATIENCE
                )
            return
        made = [(slot, v) for slot, v in zip(slots, vectors, strict=False) if v is not None]
        if made:
            model = self._indexer.model
            places.put_vectors(
                transaction, space_id, chunks.COLLECTION, (model.id, model.dims), made
            )

    def _vectors(self, scanned: Sequence[Scanned]) -> list[bytes | None]:
        embedder = self._indexer.embedder
        if embedder is None or not embedder.local:
            return []
        texts = [
            chunks.embedded_text(piece.heading, piece.text)
            for one in scanned
            for piece in one.pieces
        ]
        return list(self._indexer.vectors(texts))

    def _resolver(self, transaction: Transaction, run: _Run, files: _Files) -> Resolver:
        """A resolver over the files as they are known now."""
        known, facts = files
        sight = look(transaction, run.viewer, run.space)
        loaded: dict[str, Facts | None] = {}

        def facts_of(path: str) -> Facts | None:
            if path not in loaded:
                text = facts.get(path)
                if text is None:
                    number = known[path].file_id
                    text = code.facts_of(transaction, sight, [number]).get(path, "")
                    facts[path] = text
                loaded[path] = Facts.loaded(text) if text else None
            return loaded[path]

        project = Project({path: row.language for path, row in known.items()}, facts_of)
        packages: dict[str, list[str]] = {}

        def declared(package: str) -> list[str]:
            if not packages:
                for path, row in known.items():
                    if row.language in {"java", "c#", "php"}:
                        said = facts_of(path)
                        packages.setdefault(said.package if said else "", []).append(path)
                packages.setdefault("", [])
            return packages.get(package, [])

        return Resolver(project, lambda path: text_of(run.root, path), declared)

    def _resolved(
        self,
        transaction: Transaction,
        run: _Run,
        files: _Files,
        paths: Sequence[str],
        resolver: Resolver | None = None,
    ) -> tuple[list[tuple[Any, ...]], list[tuple[int, int]], list[int]]:
        """Edges and needs of files, as rows."""
        if not paths:
            return [], [], []
        if resolver is None:
            resolver = self._resolver(transaction, run, files)
        edges: list[tuple[Any, ...]] = []
        needs: list[tuple[int, int]] = []
        numbers = []
        for path in paths:
            number = files.known[path].file_id
            numbers.append(number)
            found, looked = resolver.resolve(path)
            edges += [(number, *edge) for edge in found]
            needs += [(need, number) for need in {number_of(one) for one in looked}]
        return edges, needs, numbers

    def _mark_incomplete(self, transaction: Transaction, run: _Run) -> None:
        look(transaction, run.viewer, run.space)
        code.touch_index(transaction, run.space.id, self._clock(), complete=False)

    def _mark_done(
        self, transaction: Transaction, run: _Run, touched: Sequence[int] | None = None
    ) -> None:
        look(transaction, run.viewer, run.space)
        code.touch_index(
            transaction,
            run.space.id,
            self._clock(),
            touched=touched,
            complete=True,
            commit_sha=git.head(run.root),
        )

    def _finish(self, run: _Run) -> None:
        """Nothing to do; but a run that was stopped at the very end is marked as done."""
        with self._database.reading() as transaction:
            index = code.get_index(transaction, look(transaction, run.viewer, run.space))
        if index is not None and not index.complete:
            self._write(run, lambda transaction: self._mark_done(transaction, run))

    def _write(self, run: _Run, work: Callable[[Transaction], None]) -> None:
        self._database.write(work)

    def _report(self, run: _Run) -> IndexReport:
        with self._database.reading() as transaction:
            look(transaction, run.viewer, run.space)
            files, nodes, edges = code.counts(transaction, run.space.id)
        for problem in run.problems:
            reason = problem.rpartition(": ")[2]
            run.skipped[reason] = run.skipped.get(reason, 0) + 1
        return IndexReport(
            root=str(run.root),
            files=files,
            read=run.read,
            unchanged=run.unchanged,
            removed=run.removed,
            resolved=run.resolved,
            nodes=nodes,
            edges=edges,
            chunks=run.chunks,
            skipped=run.skipped,
            problems=tuple(run.problems[:_PROBLEMS_SHOWN]),
            commits=run.commits,
        )
