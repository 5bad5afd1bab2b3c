"""Places of nodes: each node has a small number by which arrays are indexed.

When files change, unchanged nodes keep their places, new nodes take the places of removed ones, and
the last nodes move into the places left over. So there are never holes, and array values of the
other nodes stay valid.
"""

import posixpath
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.file_subgraph import FilePart, Flags, Numbers
from recollect.codegraph.resolving.resolver import folder_number
from recollect.storage.code.graph import FileRow
from recollect.vocabulary.code import FileRole, Node, NodeKind


class Places(NamedTuple):
    """The nodes of one version of an index, by place."""

    parts: Mapping[int, FilePart]
    by_path: Mapping[str, FileRow]
    folders: Mapping[int, Node]
    nodes: Sequence[Node]
    place: Mapping[int, int]
    in_file: Mapping[str, Sequence[int]]
    #: Per node: whether it is in a test, whether it is a whole file or folder, and the number that
    #: stands for any method of its name (as in its part).
    tests: Flags
    whole: Flags
    loose: Numbers


class Moved(NamedTuple):
    """Mapping from the old places to the new ones."""

    #: The new place of each node, or -1; one more at the end, for nodes that had none.
    to: Numbers
    #: Files that changed, were added or removed, and the numbers of nodes that did not exist
    #: before.
    files: Set[int]
    came: Collection[int]
    #: Places that nodes have left, and places that nodes have newly taken.
    left: Sequence[tuple[Node, int]]
    taken: Sequence[tuple[Node, int]]


NOWHERE: Final = Places(
    *({}, {}, {}, (), {}, {}),
    *(np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0, np.int64)),
)


def placed(
    before: Places, fresh: Mapping[int, FilePart], gone: Collection[int]
) -> tuple[Places, Moved]:
    """The places after some files were replaced and others removed."""
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
    """Nodes that are removed and added, and the resulting places of all."""

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
        """Move the last nodes into the free places."""
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
        """Values of every node, from the old values and those of the added nodes."""
        found = np.zeros(len(self.nodes), before.dtype)
        kept = min(len(before), len(found))
        found[:kept] = before[:kept]
        found[self._holes] = before[self._last]
        found[self._coming] = coming
        return found


def _folders(paths: Collection[str]) -> dict[int, Node]:
    """Every folder that contains files, directly or not, as a node."""
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
