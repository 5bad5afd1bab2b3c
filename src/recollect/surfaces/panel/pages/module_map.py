"""The module map: the folders of the code, sized by their lines, coloured by what is known."""

from typing import Final

from recollect.surfaces.panel.charts import treemap
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.code import ModuleRow
from recollect.vocabulary.errors import NotFound

WIDTH: Final = 960.0
HEIGHT: Final = 460.0
_MOST: Final = 60


def module_map(request: PageRequest) -> Rendered:
    """The map, and the module that was chosen on it."""
    memory = request.memory
    try:
        rows = memory.code.map(depth=3)
    except NotFound:
        rows = []
    rows = sorted(rows, key=lambda row: -row.lines)[:_MOST]
    chosen = request.query.get("module")
    by_path = {row.path: row for row in rows}
    tiles = treemap([(row.path, float(row.lines + 20)) for row in rows], WIDTH, HEIGHT)
    values = {
        "tiles": [(tile, by_path[tile.name], _colour(by_path[tile.name])) for tile in tiles],
        "chosen": by_path.get(chosen),
        "known": memory.list(limit=20, module=chosen).items if chosen in by_path else (),
        "width": WIDTH,
        "height": HEIGHT,
    }
    return Rendered("map.html", values)


def _colour(row: ModuleRow) -> int:
    """How much is known of a module, from 0 to 4: memories for each of its files."""
    share = row.memories / max(1, row.files)
    return sum(share > limit for limit in (0.0, 0.2, 0.6, 1.5))


ROUTES: Final = (PageRoute(GET, "/panel/map", module_map),)
