"""The module map: the folders of the code, sized by their lines, coloured by what is known.

For the folder that is chosen, what it uses and what uses it are drawn and listed.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from recollect.engine import Recollect
from recollect.surfaces.panel.charts import Tile, treemap
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.code import ModuleRow, Touched
from recollect.vocabulary.errors import NotFound

WIDTH: Final = 960.0
HEIGHT: Final = 460.0
_MOST: Final = 60
_FILES: Final = 20  # files of an impact that are listed


class Tie(NamedTuple):
    """A line of the map, from the chosen folder to one that it uses or that uses it."""

    x: float
    y: float
    to_x: float
    to_y: float
    module: str
    weight: int
    uses: bool


def module_map(request: PageRequest) -> Rendered:
    """The map, and the folder that was chosen on it."""
    memory = request.memory
    try:
        rows = memory.code.map(depth=3)
    except NotFound:
        rows = []
    rows = sorted(rows, key=lambda row: -row.lines)[:_MOST]
    by_path = {row.path: row for row in rows}
    tiles = treemap([(row.path, float(row.lines + 20)) for row in rows], WIDTH, HEIGHT)
    chosen = by_path.get(request.query.get("module"))
    values: dict[str, Any] = {
        "tiles": [(tile, by_path[tile.name], _colour(by_path[tile.name])) for tile in tiles],
        "chosen": chosen,
        "ties": (),
        "impact": (),
        "known": (),
        "width": WIDTH,
        "height": HEIGHT,
    }
    if chosen is not None:
        values |= _about(memory, chosen.path, {tile.name: tile for tile in tiles})
    return Rendered("map.html", values)


def _about(memory: Recollect, module: str, tiles: dict[str, Tile]) -> dict[str, Any]:
    """What the chosen folder hangs together with, and what is known of it."""
    used = memory.code.dependencies(module).reached
    users = memory.code.impact(module).touched
    files = Counter(one.node.path for one in users)
    return {
        "ties": [*_ties(module, used, tiles, uses=True), *_ties(module, users, tiles, uses=False)],
        "impact": sorted(files.items(), key=lambda one: (-one[1], one[0]))[:_FILES],
        "known": memory.list(limit=20, module=module).items,
    }


def _ties(
    module: str, touched: Iterable[Touched], tiles: dict[str, Tile], *, uses: bool
) -> list[Tie]:
    counts: Counter[str] = Counter()
    for one in touched:
        other = _folder_of(one.node.path, tiles)
        if other and other != module:
            counts[other] += 1
    x, y = _middle(tiles[module])
    return [
        Tie(x, y, *_middle(tiles[other]), other, count, uses)
        for other, count in counts.most_common()
    ]


def _folder_of(path: str, tiles: dict[str, Tile]) -> str:
    """The folder of the map that a file is in: the longest that its path begins with."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        if (folder := "/".join(parts[:length])) in tiles:
            return folder
    return "." if "." in tiles else ""


def _middle(tile: Tile) -> tuple[float, float]:
    return round(tile.x + tile.width / 2, 1), round(tile.y + tile.height / 2, 1)


def _colour(row: ModuleRow) -> int:
    """How much is known of a module, from 0 to 4: memories for each of its files."""
    share = row.memories / max(1, row.files)
    return sum(share > limit for limit in (0.0, 0.2, 0.6, 1.5))


ROUTES: Final = (PageRoute(GET, "/panel/map", module_map),)
