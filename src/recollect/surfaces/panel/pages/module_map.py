"""Module map page: folders of the code, sized by use or lines, coloured by what is known.

The dependencies and dependents of the selected folder are drawn and listed.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from recollect.engine import Recollect
from recollect.surfaces.panel.charts import Tile, treemap
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered, chosen
from recollect.vocabulary.code import ModuleRow, Touched
from recollect.vocabulary.errors import NotFound

WIDTH: Final = 960.0
HEIGHT: Final = 460.0
_MAX_MODULES: Final = 60
_FILES: Final = 12  # maximum number of impacted files listed
_GUESSED: Final = "name"  # how an edge was found when nothing but the name of a call matched
SIZES: Final = {"use": "by use", "lines": "by lines"}
_BEND: Final = 0.14  # curvature, as a share of the length: lines in both directions stay apart


class ModuleLine(NamedTuple):
    """Line on the map between the selected folder and one that it uses or that uses it.

    The bend is the control point of its curve.
    """

    x: float
    y: float
    to_x: float
    to_y: float
    bend_x: float
    bend_y: float
    module: str
    weight: int
    uses: bool


def module_map(request: PageRequest) -> Rendered:
    """Show the map, and the folder selected on it."""
    memory = request.memory
    try:
        rows = memory.code.map(depth=3)
    except NotFound:
        rows = []
    rows = sorted(rows, key=lambda row: -row.lines)[:_MAX_MODULES]
    by_path = {row.path: row for row in rows}
    usual = "use" if any(row.imported_by for row in rows) else "lines"
    size = chosen(request.query.get("size"), tuple(SIZES), usual)
    tiles = treemap([(row.path, _size(row, size)) for row in rows], WIDTH, HEIGHT)
    picked = by_path.get(request.query.get("module"))
    values: dict[str, Any] = {
        "tiles": [
            (
                tile,
                by_path[tile.name],
                _colour(by_path[tile.name]),
                _label(tile.name, tile.width),
            )
            for tile in tiles
        ],
        "chosen": picked,
        "size": size,
        "sizes": SIZES,
        "ties": (),
        "impact": (),
        "files": (),
        "known": (),
        "width": WIDTH,
        "height": HEIGHT,
    }
    if picked is not None:
        values |= _about(memory, picked, {tile.name: tile for tile in tiles})
    return Rendered("map.html", values)


def _about(memory: Recollect, picked: ModuleRow, tiles: dict[str, Tile]) -> dict[str, Any]:
    """Dependencies and dependents of the selected folder, and what is known of it."""
    module = picked.path
    used = memory.code.dependencies(module).reached
    users = memory.code.dependants(module).reached
    files = Counter(one.node.path for one in memory.code.impact(module).touched)
    known = memory.list(limit=200, module=module).items
    told = Counter(path for one in known for path in one.files)
    return {
        "files": [(path, told[path]) for path in picked.largest_files],
        "ties": [
            *_dependency_lines(module, used, tiles, uses=True),
            *_dependency_lines(module, users, tiles, uses=False),
        ],
        "impact": sorted(files.items(), key=lambda one: (-one[1], one[0]))[:_FILES],
        "known": known[:20],
    }


def _dependency_lines(
    module: str, touched: Iterable[Touched], tiles: dict[str, Tile], *, uses: bool
) -> list[ModuleLine]:
    counts: Counter[str] = Counter()
    for one in touched:
        if one.path and one.path[-1].how == _GUESSED:
            continue
        other = _folder_of(one.node.path, tiles)
        if other and other != module:
            counts[other] += 1
    x, y = _middle(tiles[module])
    side = _BEND if uses else -_BEND
    ties: list[ModuleLine] = []
    for other, count in counts.most_common():
        to_x, to_y = _middle(tiles[other])
        bend_x = round((x + to_x) / 2 - (to_y - y) * side, 1)
        bend_y = round((y + to_y) / 2 + (to_x - x) * side, 1)
        ties.append(ModuleLine(x, y, to_x, to_y, bend_x, bend_y, other, count, uses))
    return ties


def _folder_of(path: str, tiles: dict[str, Tile]) -> str:
    """Folder of the map that a file is in: the longest prefix of its path."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        if (folder := "/".join(parts[:length])) in tiles:
            return folder
    return "." if "." in tiles else ""


def _label(path: str, width: float) -> str:
    """Path of a folder as far as it fits into a rectangle: its last parts."""
    room = max(4, int(width / 7.5))
    if len(path) <= room:
        return path
    parts = path.split("/")
    while len(parts) > 1 and len("/".join(parts)) + 2 > room:
        parts.pop(0)
    return "…/" + "/".join(parts)


def _size(row: ModuleRow, by: str) -> float:
    """Size of a folder on the map: how often other folders import it, or its lines."""
    return float(row.imported_by + 1 if by == "use" else row.lines + 20)


def _middle(tile: Tile) -> tuple[float, float]:
    return round(tile.x + tile.width / 2, 1), round(tile.y + tile.height / 2, 1)


def _colour(row: ModuleRow) -> int:
    """Knowledge of a module from 0 to 4, by memories per file."""
    share = row.memories / max(1, row.files)
    return sum(share > limit for limit in (0.0, 0.2, 0.6, 1.5))


ROUTES: Final = (PageRoute(GET, "/panel/map", module_map),)
