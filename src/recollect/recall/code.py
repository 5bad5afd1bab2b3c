"""Ranks code files for a question by several fields and by names; shows each by its best piece.

The words of a file are the sum of its pieces; its best piece counts beside the sum, because a
question is about one place. The outline of a file (path and symbols) is another field, because a
question that names a definition means the file that defines it; the path alone is a third. Tests,
prose and data rank lower; but a test that matches raises the code that it tests, and files
connected to the best files, by imports or by history, move up a little.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.bm25 import Bm25, rarity
from recollect.index.chunk_table import ChunkTables, Pieces
from recollect.index.place_table import highest
from recollect.index.search_index import CollectionView
from recollect.recall.candidates import RecallCandidate
from recollect.recall.graph import Neighbours
from recollect.recall.named_files import Definers, defined_names, named_files
from recollect.recall.plan import Plan
from recollect.recall.query_terms import messages, weighed_terms
from recollect.recall.signals import Array
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.code import FileRole
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.metrics import GRAPH_CHANGED, GRAPH_RECALLS
from recollect.vocabulary.pending_counts import PendingCounts

#: Weight of a file by its role.
ROLES: Final[Mapping[str, float]] = {
    "code": 1.0,
    "test": 0.35,
    "prose": 0.3,
    "data": 0.3,
    "generated": 0.2,
    "vendored": 0.2,
}
#: Code that shows how other code is used, built or measured.
_BESIDE_THE_CODE: Final = lazy_pattern(
    r"(?:^|/)(?:docs?|documentation|examples?|benchmarks?|asv_bench|tutorials?|galleries|gallery"
    r"|samples?|demos?)/|^(?:scripts?|tools|ci|build_tools|maint_tools|release|bin)/"
    r"|^(?:setup|noxfile|tasks|fabfile|versioneer)\.py\Z"
)
_BESIDE: Final = 0.4
#: Weight of each signal of a file.
WEIGHTS: Final[Mapping[str, float]] = {
    "words": 1.0,
    "outline": 1.0,
    "piece": 1.0,
    "path": 0.3,
    "named": 0.8,
    "defines": 0.3,
    "message": 0.5,
    "meaning": 0.25,
    "tests": 0.3,
    "neighbours": 0.15,
}
_LENGTHS: Final = {"words": 0.4, "outline": 0.6, "piece": 0.5}
_LEADERS: Final = 50
#: Number of first results for which the metrics count whether the graph changed them.
_FIRST: Final = 8
_PLAINLY: Final = 0.9
_FEWEST_WORDS: Final = 3
_NEARLY_ALL: Final = 0.75
_NO_ROWS: Final = np.zeros(0, np.int64)

Values = NDArray[Any]


class CodeRecall:
    """Ranks the code files of a space."""

    def __init__(self, neighbours: Neighbours, counts: PendingCounts) -> None:
        self._neighbours = neighbours
        self._counts = counts
        self._tables = ChunkTables()

    def _count(self, space_id: str, before: Array, after: Array) -> None:
        """Count whether the graph changed the first results."""
        first, then = (highest(each, _FIRST, above=0.0) for each in (before, after))
        self._counts.add(space_id, GRAPH_RECALLS)
        self._counts.add(space_id, GRAPH_CHANGED, int(list(first) != list(then)))

    def candidates(
        self,
        transaction: Transaction,
        access: Access,
        plan: Plan,
        survey: CollectionView,
        near: Array | None,
    ) -> list[RecallCandidate]:
        """The best piece of each of the best files, with the signals that speak for it."""
        if not len(survey) or not survey.through.any():
            return []
        pieces = self._tables.chunk_locations(transaction, access.space_id, survey.slots)
        ranked = _Ranked(survey, pieces, weighed_terms(plan.text))
        defined = _defined(survey, pieces)
        signals = {
            "words": _scaled(ranked.body),
            "outline": _scaled(ranked.outline),
            "piece": _scaled(ranked.best),
            "path": _scaled(ranked.path),
            "named": named_files(plan.text, pieces.paths, defined),
            "defines": defined_names(plan.text, len(pieces.paths), defined),
            "message": _saying(survey, pieces, messages(plan.text)),
        }
        if near is not None:
            meaning = np.zeros(len(pieces.paths), np.float32)
            np.maximum.at(meaning, pieces.files, np.maximum(near, 0) * survey.through)
            signals["meaning"] = _scaled(meaning) * (meaning > 0)
        fitting = _scaled(signals["words"] + signals["outline"] + signals["piece"])
        tests = self._neighbours.tested(transaction, access, pieces, fitting)
        signals["tests"] = _scaled(tests)
        total = np.zeros(len(pieces.paths), np.float32)
        for name, values in signals.items():
            total += np.float32(WEIGHTS[name]) * values
        roles = np.array(list(map(_file_weight, pieces.paths, pieces.roles)), np.float32)
        total *= np.where(signals["named"] > _PLAINLY, np.float32(1), roles)
        total = _scaled(total)
        shares, reasons = self._neighbours.shared_scores(transaction, access, pieces.paths, total)
        signals["neighbours"] = shares
        before = total
        total = _scaled(total + np.float32(WEIGHTS["neighbours"]) * shares * (total > 0))
        self._count(access.space_id, before, total)
        shown = _best_pieces(survey, pieces, ranked, near)
        found = []
        for rank, place in enumerate(highest(total, max(plan.limit, _LEADERS), above=0.0), 1):
            row = int(shown[place])
            if row >= 0:
                told = {name: float(values[place]) for name, values in signals.items()}
                one = _candidate(survey, row, rank, told)
                one.relevance = float(total[place]) * (0.4 + 0.6 * float(ranked.coverage[place]))
                one.score = one.relevance
                one.keyword = float(ranked.body[place] + ranked.outline[place]) or None
                one.reason = reasons.get(int(place), "")
                found.append(one)
        return found


def _defined(survey: CollectionView, pieces: Pieces) -> Definers:
    """Function that finds the files whose outlines hold a name."""

    def find(name: str) -> set[int]:
        rows = survey.postings.get(name.casefold(), (_NO_ROWS, None))[0]
        heads = rows[pieces.outlines[rows] & survey.through[rows]] if len(rows) else rows
        return set(pieces.files[heads].tolist())

    return find


def _saying(survey: CollectionView, pieces: Pieces, told: Iterable[str]) -> Array:
    """The files with a piece that holds nearly all words of an error message; the more such files,
    the less each counts.
    """
    value = np.zeros(len(pieces.paths), np.float32)
    for message in told:
        having = [survey.postings.get(term, (_NO_ROWS, None))[0] for term in weighed_terms(message)]
        having = [rows for rows in having if len(rows)]
        if len(having) < _FEWEST_WORDS:
            continue
        tells = [rarity(len(survey), len(rows)) for rows in having]
        said = np.zeros(len(survey), np.float32)
        for rows, telling in zip(having, tells, strict=True):
            said[rows] += np.float32(telling / sum(tells))
        said *= survey.through & ~pieces.outlines & (said >= _NEARLY_ALL)
        files = np.zeros(len(pieces.paths), np.float32)
        np.maximum.at(files, pieces.files, said)
        many = max(int(np.count_nonzero(files)), 1)
        np.maximum(value, files / np.float32(many**0.5), out=value)
    return value


@lru_cache(1 << 16)
def _file_weight(path: str, role: str) -> float:
    """Weight of a file by its role and its place in the tree."""
    if role == FileRole.CODE.value and _BESIDE_THE_CODE.search(path):
        return _BESIDE
    return ROLES.get(role, 1.0)


def _candidate(
    survey: CollectionView, row: int, rank: int, signals: dict[str, float]
) -> RecallCandidate:
    one = RecallCandidate(
        survey.collection, int(survey.slots[row]), row, signals, keyword_rank=rank
    )
    one.parts = {name: WEIGHTS[name] * value for name, value in signals.items() if value > 0}
    return one


def _best_pieces(
    survey: CollectionView, pieces: Pieces, ranked: "_Ranked", near: Array | None
) -> NDArray[np.int64]:
    """The row by which each file is shown; negative for a file that the filters exclude."""
    values: Values = ranked.pieces * np.where(pieces.outlines, np.float32(0.5), np.float32(1))
    if near is not None:
        values = values + np.maximum(near, 0) * (0.2 * float(values.max(initial=0)) + 1e-6)
    rows = np.flatnonzero(survey.through)
    order = rows[np.lexsort((rows, -values[rows]))]
    files, first = np.unique(pieces.files[order], return_index=True)
    shown = np.full(len(pieces.paths), -1, np.int64)
    shown[files] = order[first]
    return shown


class _Ranked:
    """BM25 of files by both fields, BM25 of pieces by their words, and the share of the question's
    terms that each file covers.
    """

    def __init__(self, survey: CollectionView, pieces: Pieces, terms: Mapping[str, float]) -> None:
        seen, count = survey.through, len(pieces.paths)
        lengths = survey.lengths * seen
        body = np.bincount(pieces.files, lengths * ~pieces.outlines, minlength=count)
        heads = np.bincount(pieces.files, lengths * pieces.outlines, minlength=count)
        live = max(int(np.count_nonzero(body + heads)), 1)
        bodies = _bm25(body, live, _LENGTHS["words"])
        outlines = _bm25(heads, live, _LENGTHS["outline"])
        parts = _bm25(lengths, max(int(seen.sum()), 1), _LENGTHS["piece"])
        self.body: Array = np.zeros(count, np.float32)
        self.outline: Array = np.zeros(count, np.float32)
        self.coverage: Array = np.zeros(count, np.float32)
        self.path: Array = np.zeros(count, np.float32)
        self.pieces: Array = np.zeros(len(survey), np.float32)
        whole = 0.0
        for term, weight in terms.items():
            having = pieces.in_paths.get(term)
            if having:
                self.path[having] += np.float32(bodies.rarity(len(having)) * weight)
            rows, counts = survey.postings[term]
            if len(rows):
                rows, counts = rows[seen[rows]], counts[seen[rows]]
            if not len(rows):
                continue
            here, heading = pieces.files[rows], pieces.outlines[rows]
            in_body = np.bincount(here[~heading], counts[~heading], minlength=count)
            in_head = np.bincount(here[heading], counts[heading], minlength=count)
            tells = bodies.rarity(int(np.count_nonzero(in_body + in_head))) * weight
            self.body += bodies.all_scores(in_body, tells)
            self.outline += outlines.all_scores(in_head, tells)
            self.coverage += np.float32(tells) * ((in_body + in_head) > 0)
            self.pieces[rows] += parts.scores(rows, counts, tells)
            whole += tells
        self.coverage /= np.float32(whole or 1.0)
        self.path *= (body + heads) > 0
        self.best: Array = np.zeros(count, np.float32)
        np.maximum.at(self.best, pieces.files, self.pieces * ~pieces.outlines)


def _bm25(lengths: Values, live: int, share: float) -> Bm25:
    average = max(float(lengths.sum()) / live, 1.0)
    return Bm25(lengths, live=live, average=average, length_share=share)


def _scaled(values: Array) -> Array:
    best = float(values.max(initial=0))
    return values / np.float32(best) if best > 0 else values
