"""Where nodes stand: each has a place, a small number that arrays are indexed by.

When files change, what stays keeps its place, what is new takes the places of what went, and the
last nodes move into those that are left over. So the places never have holes, and what is held of
the other nodes stays as it is.
"""

import posixpath
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.parts import FilePart, Flags, Numbers
from recollect.codegraph.resolving.resolver import folder_number
from recollect.storage.code.graph import FileRow
from recollect.vocabulary.code import FileRole, Node, NodeKind


class Places(NamedTuple):
    """The nodes of one version of an index by their places."""

    parts: Mapping[int, FilePart]
    by_path: Mapping[str, FileRow]
    folders: Mapping[int, Node]
    nodes: Sequence[Node]
    place: Mapping[int, int]
    in_file: Mapping[str, Sequence[int]]
    #: Of each node: whether it stands in a test, whether it is a whole file or folder, and the
    #: number that stands for any method of its name (as in its part).
    tests: Flags
    whole: Flags
    loose: Numbers


class Moved(NamedTuple):
    """What became of the places of before."""

    #: The new place of each, or -1; one more at the end, for what had none.
    to: Numbers
    #: Files that changed, came or went, and the numbers of nodes that were not there.
    files: Set[int]
    came: Collection[int]
    #: Nodes that no longer stand where they stood, and those that stand where they did not.
    left: Sequence[tuple[Node, int]]
    taken: Sequence[tuple[Node, int]]


NOWHERE: Final = Places(
    *({}, {}, {}, (), {}, {}),
    *(np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0, np.int64)),
)


def placed(
    before: Places, fresh: Mapping[int, FilePart], gone: Collection[int]
) -> tuple[Places, Moved]:
    """The places once some files are there anew and others are gone."""
    files = fresh.keys() | (set(gone) & before.parts.keys())
    old = [before.parts[number] for number in files if number in before.parts]
    parts = {**before.parts, **fresh}
    by_path = dict(before.by_path)
    for part in old:
        del by_path[part.row.path]
        if part.row.file_id not in fresh:
            del parts[part.row.file_id]
    by_path |= {part.row.path: part.row for part in fresh.values()}
    same = by_path.keys() == before.by_path.keys() and before.folders
    folders = before.folders if same else _folders(by_path)
    opened = [folders[number] for number in folders.keys() - before.folders.keys()]
    closed = [before.folders[number] for number in before.folders.keys() - folders.keys()]
    leaving = [node for part in old for node in part.nodes] + closed
    coming = [node for part in fresh.values() for node in part.nodes] + opened
    moving = _Moving(before, leaving, coming)
    paths = {node.path for node, _ in (*moving.left, *moving.taken)}
    in_file = dict(before.in_file)
    for path in paths | {part.row.path for part in fresh.values()}:
        row = by_path.get(path)
        held = [moving.place[node.id] for node in parts[row.file_id].nodes] if row else []
        folder = moving.place.get(folder_number("" if path == "." else path))
        held += [folder] if folder is not None else []
        if held:
            in_file[path] = held
        else:
            in_file.pop(path, None)
    tests = [part.row.role == FileRole.TEST.value for part in fresh.values()]
    lengths = [len(part.nodes) for part in fresh.values()]
    apart = np.zeros(len(opened), np.bool_)
    loose = [part.loose for part in fresh.values()]
    found = Places(
        *(parts, by_path, folders, moving.nodes, moving.place, in_file),
        moving.carry(before.tests, np.append(np.repeat(np.array(tests, np.bool_), lengths), apart)),
        moving.carry(before.whole, np.array([not node.name for node in coming], np.bool_)),
        moving.carry(before.loose, np.concatenate([*loose, np.zeros(len(opened), np.int64)])),
    )
    return found, Moved(moving.to, files, moving.came, moving.left, moving.taken)


class _Moving:
    """Nodes that leave and nodes that come, and where they all stand then."""

    def __init__(self, before: Places, leaving: Sequence[Node], coming: Sequence[Node]) -> None:
        self.nodes, self.place = list(before.nodes), dict(before.place)
        self.left = []
        self.to = np.arange(len(self.nodes) + 1)
        self.to[-1] = -1
        staying = {node.id for node in coming}
        for node in leaving:
            if node.id not in staying:
                self.left.append((node, self.place.pop(node.id)))
        free = sorted((place for _, place in self.left), reverse=True)
        self.to[free] = -1
        self.taken = []
        for node in coming:
            place = self.place.get(node.id)
            if place is not None:
                self.nodes[place] = node
                continue
            place = free.pop() if free else len(self.nodes)
            self.nodes[place : place + 1] = [node]
            self.place[node.id] = place
            self.taken.append((node, place))
        self.came = [node.id for node, _ in self.taken]
        self._close_up(set(free))
        self._coming = np.array([self.place[node.id] for node in coming], np.int64)

    def _close_up(self, free: set[int]) -> None:
        """Move the last nodes into the places that nobody took."""
        count = len(self.nodes) - len(free)
        holes = sorted(place for place in free if place < count)
        last = [place for place in range(count, len(self.nodes)) if place not in free]
        for hole, place in zip(holes, last, strict=True):
            node = self.nodes[hole] = self.nodes[place]
            self.place[node.id] = hole
            self.left.append((node, place))
            self.taken.append((node, hole))
        del self.nodes[count:]
        self._holes, self._last = np.array(holes, np.int64), np.array(last, np.int64)
        self.to[self._last] = self._holes

    def carry(self, before: NDArray[Any], coming: NDArray[Any]) -> NDArray[Any]:
        """What is held of every node, from what was held before and what is said of the coming."""
        found = np.zeros(len(self.nodes), before.dtype)
        kept = min(len(before), len(found))
        found[:kept] = before[:kept]
        found[self._holes] = before[self._last]
        found[self._coming] = coming
        return found


def _folders(paths: Collection[str]) -> dict[int, Node]:
    """Every folder that holds files, near or far, as a node."""
    folders = {""}
    for path in paths:
        folder = posixpath.dirname(path)
        while folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    found = [
        Node(folder_number(folder), NodeKind.DIRECTORY, folder or ".", "", 0, 0)
        for folder in sorted(folders)
    ]
    return {node.id: node for node in found}
