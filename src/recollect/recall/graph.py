"""File graph of recall: files connected to the best results, by imports or by history, move up.

Files lend their neighbours a share of their own score, so a neighbour cannot pass the file that
lends to it by that share alone. The neighbours of a space are cached until its index changes. Code
is ranked by imports and by files that change together; memories also by calls and by files that
sessions open together.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from recollect.index.chunk_table import Pieces
from recollect.recall.signals import Array
from recollect.storage.agents import observations
from recollect.storage.code import graph
from recollect.storage.code import history as code_history
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.code import FileRole, number_of

if TYPE_CHECKING:
    from recollect.codegraph.co_change import CoChangedPair

LENDERS: Final = 10
_TESTS: Final = 20
_BY_IMPORT: Final = 0.5
_BY_CALL: Final = 0.4
#: Number of sessions with both files at which two files are half sure to belong together.
_SOME_SESSIONS: Final = 2
_PAIRS: Final = 200
_LEAST_SHARE_OF_SESSIONS: Final = 0.2

#: Name of each kind of edge when it is read from its other end.
_REVERSED: Final = {"imports": "imported by", "calls": "called by"}

Links = dict[str, dict[str, tuple[float, str]]]


class _SpaceGraph(NamedTuple):
    """The file graph of a space at one version of its index."""

    version: int
    history: str | None
    imports: dict[str, list[str]]
    changes: "list[CoChangedPair]"
    links: Links


class _Calls(NamedTuple):
    """Calls from file to file at one version of an index."""

    version: int
    pairs: dict[str, list[str]]
    links: Links


class Neighbours:
    """Connected files of each space that was asked about lately."""

    def __init__(self) -> None:
        self._known: dict[str, _SpaceGraph] = {}
        self._called: dict[str, _Calls] = {}

    def of(self, transaction: Transaction, access: Access) -> Links:
        """For each file its neighbours, each with a weight and a reason."""
        index = graph.get_index(transaction, access)
        if index is None:
            return {}
        known = self._known.get(access.space_id)
        if known is not None and known.version == index.version:
            return known.links
        touched = graph.touched_since(index, known.version) if known is not None else None
        if known is None or touched is None:
            imports = _by_source(graph.file_imports(transaction, access))
            changes = _changes(transaction, access)
        else:
            fresh = _by_source(graph.file_imports(transaction, access, sorted(touched)))
            kept = {one: to for one, to in known.imports.items() if number_of(one) not in touched}
            imports, changes = kept | fresh, known.changes
            if index.history_sha != known.history:
                changes = _changes(transaction, access)
        links: Links = {}
        for source, targets in imports.items():
            for target in targets:
                _add_link(links, source, target, _BY_IMPORT, "imports")
        for first, second, weight, _ in changes:
            _add_link(links, first, second, min(1.0, 0.3 + weight), "changes with")
        self._known[access.space_id] = _SpaceGraph(
            *(index.version, index.history_sha, imports, changes, links)
        )
        return links

    def around(self, transaction: Transaction, access: Access, paths: Sequence[str]) -> Links:
        """The files one hop from each of these files: by import, call, history or sessions."""
        found: Links = {path: {} for path in paths}
        kept = self.of(transaction, access)
        if kept:
            called = self._calls(transaction, access)
            for path in paths:
                for links in (called, kept):
                    for other, link in links.get(path, {}).items():
                        if found[path].get(other, (0.0, ""))[0] < link[0]:
                            found[path][other] = link
        for (first, second), weight in opened_together(transaction, access, paths).items():
            for here, there in ((first, second), (second, first)):
                if here in found and found[here].get(there, (0.0, ""))[0] < weight:
                    found[here][there] = weight, "is opened with"
        return found

    def _calls(self, transaction: Transaction, access: Access) -> Links:
        index = graph.get_index(transaction, access)
        known = self._called.get(access.space_id)
        if index is None or (known is not None and known.version == index.version):
            return known.links if known is not None and index is not None else {}
        touched = graph.touched_since(index, known.version) if known is not None else None
        if known is None or touched is None:
            pairs = _by_source(graph.file_calls(transaction, access))
        else:
            fresh = _by_source(graph.file_calls(transaction, access, sorted(touched)))
            kept = {one: to for one, to in known.pairs.items() if number_of(one) not in touched}
            pairs = kept | fresh
        links: Links = {}
        for source, targets in pairs.items():
            for target in targets:
                _add_link(links, source, target, _BY_CALL, "calls")
        self._called[access.space_id] = _Calls(index.version, pairs, links)
        return links

    def tested(
        self, transaction: Transaction, access: Access, pieces: Pieces, scores: Array
    ) -> Array:
        """Score that the best matching tests give to the files they import; the more tests import a
        file, the less each counts.
        """
        said = np.zeros(len(pieces.paths), np.float32)
        is_test = np.array([role == FileRole.TEST.value for role in pieces.roles], np.bool_)
        links = self.of(transaction, access) if is_test.any() else {}
        if not links:
            return said
        places = {path: place for place, path in enumerate(pieces.paths)}
        many: dict[str, int] = {}
        for test in np.argsort(-scores * is_test, kind="stable")[:_TESTS].tolist():
            if not is_test[test] or scores[test] <= 0:
                break
            for path, (_, how) in links.get(pieces.paths[test], {}).items():
                place = places.get(path)
                if how != "imports" and place is not None and not is_test[place]:
                    if path not in many:
                        beside = [places[one] for one in links[path] if one in places]
                        many[path] = int(is_test[beside].sum())
                    said[place] += float(scores[test]) ** 2 / math.log2(2 + many[path])
        return said

    def shared_scores(
        self, transaction: Transaction, access: Access, paths: Sequence[str], scores: Array
    ) -> tuple[Array, dict[int, str]]:
        """The part of their score that the best files give to connected files, and the reason for
        each.
        """
        shares = np.zeros(len(paths), np.float32)
        best = float(scores.max(initial=0))
        if best <= 0:
            return shares, {}
        links = self.of(transaction, access)
        if not links:
            return shares, {}
        places = {path: place for place, path in enumerate(paths)}
        reasons: dict[int, str] = {}
        for leader in np.argsort(-scores, kind="stable")[:LENDERS].tolist():
            share = float(scores[leader]) / best
            for path, (weight, how) in links.get(paths[leader], {}).items():
                place = places.get(path)
                if place is not None and place != leader and share * weight > shares[place]:
                    shares[place] = share * weight
                    reasons[place] = f"{how} {paths[leader]}"
        return shares, reasons


def opened_together(
    transaction: Transaction, access: Access, paths: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Pairs with any of these files that sessions open together, each with its certainty: the share
    of the sessions of both files, less where few sessions were seen.
    """
    if not access.member or not paths:
        return {}
    listed = observations.pairs_of(transaction, access.space_id, paths, limit=_PAIRS)
    pairs = [pair for pair in listed if pair.source == "session"]
    if not pairs:
        return {}
    names = sorted({name for pair in pairs for name in (pair.first, pair.second)})
    most = observations.max_pair_counts(transaction, access.space_id, names)
    found = {}
    for pair in pairs:
        share = pair.times / math.sqrt(most[pair.first] * most[pair.second])
        sure = share * pair.times / (pair.times + _SOME_SESSIONS)
        if sure >= _LEAST_SHARE_OF_SESSIONS:
            found[pair.first, pair.second] = sure
    return found


def _by_source(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        found[source].append(target)
    return found


def _add_link(links: Links, one: str, other: str, weight: float, how: str) -> None:
    for here, there in ((one, other), (other, one)):
        beside = links.setdefault(here, {})
        if beside.get(there, (0.0, ""))[0] < weight:
            told = how if here == other else _REVERSED.get(how, how)
            beside[there] = weight, told


def _changes(transaction: Transaction, access: Access) -> "list[CoChangedPair]":
    """The files that changed together; the reader is imported only where there is code."""
    from recollect.codegraph.co_change import LEAST_COMMITS, co_changed_pairs

    return co_changed_pairs(code_history.sums(transaction, access, LEAST_COMMITS))
