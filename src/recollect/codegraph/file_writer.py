"""Replaces the rows of files: files, nodes, chunks with their words and vectors.

Files that depend on a change are marked for resolving again, in the same transaction.
"""

from collections.abc import Sequence
from typing import Final

from recollect.codegraph.change_effects import mentioned, names_changed, used_in
from recollect.codegraph.changes import changed_needs, file_row, is_same, node_rows, vectors_of
from recollect.codegraph.facts import Facts
from recollect.codegraph.file_reader import Scanned
from recollect.codegraph.run import Files, Run, ScanResult
from recollect.index.indexer import EMBED, EMBED_ATTEMPTS, Indexer
from recollect.jobs.queue import enqueue
from recollect.storage.code import chunks, graph
from recollect.storage.database import Database, Transaction
from recollect.storage.search import places
from recollect.storage.space_clock import tick
from recollect.trust.authorisation import authorise
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import node_number, number_of

_FEW_NAMES: Final = 20
_JOB_SLOTS: Final = 256


class Rewriter:
    """Writes the results of reading files."""

    def __init__(self, database: Database, indexer: Indexer, clock: Clock) -> None:
        self._database = database
        self._indexer = indexer
        self._clock = clock

    def replace(self, transaction: Transaction, run: Run, taken: ScanResult, files: Files) -> None:
        """Replace the rows of files, and mark the files that depended on the old ones."""
        scanned, gone, vectors = taken
        known, facts = files
        space_id = run.space.id
        authorise(transaction, run.viewer, run.space)
        same = [one for one in scanned if is_same(known.get(one.seen.path), one)]
        graph.touch_files(
            transaction,
            space_id,
            [(known[o.seen.path].file_id, o.seen.size, o.seen.changed_ns) for o in same],
        )
        fresh = [one for one in scanned if not is_same(known.get(one.seen.path), one)]
        old = [known[one.seen.path] for one in fresh if one.seen.path in known] + list(gone)
        quiet = self._unreferenced_changes(transaction, run, fresh, files)
        loud = [one for one in fresh if one.seen.path not in quiet]
        changed = changed_needs(loud, gone, known)
        touched = graph.needed_by(transaction, space_id, [number_of(need) for need in changed])
        self.drop(transaction, space_id, [row.file_id for row in old])
        rows = [file_row(one) for one in fresh]
        graph.put_files(
            transaction, space_id, [(*row, one.facts) for row, one in zip(rows, fresh, strict=True)]
        )
        graph.put_nodes(transaction, space_id, [node for one in fresh for node in node_rows(one)])
        self._put_chunks(
            transaction, run, fresh, vectors if not same else vectors_of(scanned, vectors, fresh)
        )
        left = touched - {row.file_id for row in old} | {r.file_id for r in rows if r.language}
        graph.mark_stale(transaction, space_id, sorted(left))
        for row in gone:
            known.pop(row.path, None)
            facts.pop(row.path, None)
        for row, one in zip(rows, fresh, strict=True):
            known[row.path] = row._replace(stale=row.stale or row.file_id in left)
            facts[row.path] = one.facts
        if left - {row.file_id for row in rows}:
            for path, row in known.items():
                if row.file_id in left and not row.stale:
                    known[path] = row._replace(stale=True)
        run.removed += len(gone)
        run.problems += [f"{one.seen.path}: {one.problem}" for one in fresh if one.problem]

    def _unreferenced_changes(
        self, transaction: Transaction, run: Run, fresh: Sequence[Scanned], files: Files
    ) -> set[str]:
        """The changed files whose dependants mention none of the changed names."""
        known = files.known
        access = authorise(transaction, run.viewer, run.space)
        found: set[str] = set()
        if len(fresh) > _FEW_NAMES:
            return found
        for one in fresh:
            row = known.get(one.seen.path)
            if row is None or row.interface == one.interface or not one.facts:
                continue
            text = graph.facts_of(transaction, access, [row.file_id]).get(row.path)
            names = text and names_changed(Facts.loaded(text), Facts.loaded(one.facts))
            if not names:
                continue
            needs = changed_needs([one], [], known)
            numbers = graph.needed_by(transaction, run.space.id, [number_of(n) for n in needs])
            looking = graph.facts_of(transaction, access, sorted(numbers - {row.file_id}))
            others = [other.facts for other in fresh if other is not one and other.facts]
            used_by_others = [used_in(Facts.loaded(text)) for text in others]
            if not mentioned(names, [*looking.values(), *used_by_others]):
                found.add(row.path)
        return found

    def drop(self, transaction: Transaction, space_id: str, numbers: list[int]) -> None:
        number, _ = tick(transaction, space_id)
        slots = chunks.slots_of(transaction, space_id, numbers)
        places.retire(
            transaction, self._database.dialect, (space_id, number), chunks.COLLECTION, slots
        )
        graph.drop_files(transaction, space_id, numbers)

    def _put_chunks(
        self,
        transaction: Transaction,
        run: Run,
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
                enqueue(
                    transaction,
                    space_id,
                    EMBED,
                    wanted,
                    now=self._clock(),
                    max_attempts=EMBED_ATTEMPTS,
                )
            return
        made = [(slot, v) for slot, v in zip(slots, vectors, strict=False) if v is not None]
        if made:
            model = self._indexer.model
            places.put_vectors(
                transaction, space_id, chunks.COLLECTION, (model.id, model.dims), made
            )

    def vectors(self, scanned: Sequence[Scanned]) -> list[bytes | None]:
        embedder = self._indexer.embedder
        if embedder is None or not embedder.local:
            return []
        texts = [
            chunks.embedded_text(piece.heading, piece.text)
            for one in scanned
            for piece in one.pieces
        ]
        return list(self._indexer.vectors(texts))
