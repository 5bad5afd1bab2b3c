"""B-trees of a damaged file: which page belongs to which tree, and the readable records.

A tree is walked from its root. A page that is missing, of another kind, or whose keys are not
between its neighbours' is a gap; the pages below it are searched among those that no tree reaches,
and taken if their records fit the table and the gap. A page that two trees claim is given to the
one that it fits completely, otherwise to neither.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.storage.rescue.page_file import HEADER, PageFile
from recollect.storage.rescue.records import (
    INDEX_INNER,
    INDEX_LEAF,
    KINDS,
    TABLE_INNER,
    TABLE_LEAF,
    Record,
    TreePage,
    UnreadablePage,
    good,
    read_page,
)

_DEEPEST: Final = 40

#: Converts a record of a file to a row of a table; None if it cannot be one.
Fit = Callable[[Record | None], Record | None]


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap in a tree: the missing keys are above ``low``, and not above ``high``."""

    low: Any
    high: Any

    def holds(self, key: Any) -> bool:
        """Whether a key belongs into the gap."""
        return (self.low is None or self.low < key) and (self.high is None or key <= self.high)


@dataclass(slots=True)
class Tree:
    """One b-tree: the pages with its rows, and its gaps."""

    root: int
    has_rowid: bool
    fit: Fit
    pages: dict[int, Gap] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.gaps

    @property
    def kinds(self) -> tuple[int, int]:
        """The kinds of its pages: leaf and interior."""
        return (TABLE_LEAF, TABLE_INNER) if self.has_rowid else (INDEX_LEAF, INDEX_INNER)


def walk(file: PageFile, tree: Tree) -> None:
    """Find the pages of a tree, from its root."""
    seen: set[int] = set()
    waiting = [(tree.root, Gap(None, None), 0)]
    while waiting:
        number, bounds, depth = waiting.pop()
        if number in seen or depth > _DEEPEST:
            tree.gaps.append(bounds)
            continue
        seen.add(number)
        page = _page_of(file, tree, number)
        if page is None or not _belongs(tree, page, bounds):
            tree.gaps.append(bounds)
            continue
        tree.pages[number] = bounds
        waiting += _children(tree, page, bounds, depth)


def _belongs(tree: Tree, page: TreePage, bounds: Gap) -> bool:
    """Whether a page has any row of this tree: a corrupted pointer leads elsewhere."""
    if not page.cells:
        return True
    if page.kind == TABLE_INNER:
        return any(bounds.holds(cell.rowid) for cell in good(page))
    return any(_keyed(tree, cell.rowid, cell.record, bounds) for cell in good(page))


def _page_of(file: PageFile, tree: Tree, number: int) -> TreePage | None:
    """A page of this tree; None if it cannot be one."""
    leaf, inner = tree.kinds
    try:
        page = read_page(file, number, expected=leaf)
    except UnreadablePage:
        return None
    return page if page.kind in {leaf, inner} else None


def _children(
    tree: Tree, page: TreePage, bounds: Gap, depth: int
) -> Iterator[tuple[int, Gap, int]]:
    """The child pages of a page, each with the range of its keys; bad cells leave a gap."""
    leaf, _ = tree.kinds
    if page.kind == leaf:
        if None in page.cells or any(
            _keyed(tree, cell.rowid, cell.record, bounds) is None for cell in good(page)
        ):
            tree.gaps.append(bounds)
        return
    low, broken = bounds.low, False
    for cell in page.cells:
        key = None if cell is None else (cell.rowid if tree.has_rowid else order(cell.record))
        if cell is None or key is None or not Gap(low, bounds.high).holds(key):
            broken = True
            continue
        if broken:
            tree.gaps.append(Gap(low, key))
        if cell.child is not None:
            yield cell.child, Gap(low, key), depth + 1
        low, broken = key, False
    if broken:
        tree.gaps.append(Gap(low, bounds.high))
    if page.last_child is not None:
        yield page.last_child, Gap(low, bounds.high), depth + 1


def _keyed(
    tree: Tree, rowid: int | None, record: Record | None, bounds: Gap
) -> tuple[Any, Record] | None:
    """A row with its key; None if it does not belong here."""
    row = tree.fit(record)
    if row is None:
        return None
    key = rowid if tree.has_rowid else order(record)
    return (key, row) if bounds.holds(key) else None


def rows_of(file: PageFile, tree: Tree) -> Iterator[tuple[int | None, Record]]:
    """Every readable row of a tree: its row id, if any, and its values."""
    for number, bounds in tree.pages.items():
        page = _page_of(file, tree, number)
        if page is None or page.kind == TABLE_INNER:
            continue
        last: Any = None
        for cell in good(page):
            keyed = _keyed(tree, cell.rowid, cell.record, bounds)
            if keyed is None or (last is not None and not last < keyed[0]):
                continue
            last = keyed[0]
            yield cell.rowid, keyed[1]


def settle_claims(file: PageFile, trees: list[Tree]) -> None:
    """Give a page that several trees claim to the one that it fits completely, or to none."""
    claims: dict[int, list[Tree]] = {}
    for tree in trees:
        for number in tree.pages:
            claims.setdefault(number, []).append(tree)
    for number, claimed in claims.items():
        if len(claimed) == 1:
            continue
        fitting = [tree for tree in claimed if _fits_wholly(file, tree, number)]
        for tree in claimed:
            if fitting != [tree]:
                tree.gaps.append(tree.pages.pop(number))


def _fits_wholly(file: PageFile, tree: Tree, number: int) -> bool:
    page, bounds = _page_of(file, tree, number), tree.pages[number]
    if page is None or None in page.cells:
        return False
    if page.kind == TABLE_INNER:
        return all(bounds.holds(cell.rowid) for cell in good(page))
    return all(_keyed(tree, cell.rowid, cell.record, bounds) for cell in good(page))


def adopt(file: PageFile, trees: list[Tree], taken: set[int]) -> int:
    """Assign unreached pages to the tree whose gap they fill; how many fit nowhere.

    ``taken`` are the pages known to be something else.
    """
    known = taken.union(*(tree.pages for tree in trees)) if trees else taken
    broken = [tree for tree in trees if tree.gaps]
    strays = 0
    for number in range(1, file.count + 1):
        if number in known:
            continue
        data = file.page(number)
        if data is None or data[HEADER if number == 1 else 0] not in KINDS:
            continue
        fitting = [
            (tree, gap)
            for tree in broken
            if (page := _page_of(file, tree, number)) is not None
            and (gap := _filled(tree, page)) is not None
        ]
        if len(fitting) == 1:
            tree, gap = fitting[0]
            tree.pages[number] = gap
        strays += len(fitting) > 1
    return strays


def _filled(tree: Tree, page: TreePage) -> Gap | None:
    """The gap that all rows of a page fit into."""
    if page.kind == TABLE_INNER or not page.cells or None in page.cells:
        return None
    for gap in tree.gaps:
        if all(_keyed(tree, cell.rowid, cell.record, gap) for cell in good(page)):
            return gap
    return None


def free_pages(file: PageFile) -> set[int]:
    """The pages on the file's free list."""
    first = file.page(1)
    free: set[int] = set()
    trunk = int.from_bytes(first[32:36], "big") if first is not None and file.has_header else 0
    while trunk and trunk not in free:
        page = file.page(trunk)
        if page is None:
            break
        free.add(trunk)
        count = min(int.from_bytes(page[4:8], "big"), (file.usable - 8) // 4)
        free.update(
            int.from_bytes(page[place : place + 4], "big") for place in range(8, 8 + 4 * count, 4)
        )
        trunk = int.from_bytes(page[:4], "big")
    return free


def order(record: Record | None) -> tuple[tuple[int, Any], ...] | None:
    """Sort key of a record in SQLite's order: null, numbers, texts, blobs."""
    if record is None:
        return None
    return tuple(
        (0, 0)
        if value is None
        else (1, value)
        if isinstance(value, int | float)
        else (2, value)
        if isinstance(value, str)
        else (3, value)
        for value in record
    )
