"""Chart geometry: computes the shapes that the templates draw as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from recollect.vocabulary.overview import DayCount

WIDTH: Final = 600.0
HEIGHT: Final = 120.0
_GAP: Final = 0.25  # share of a bar's step


class Bar(NamedTuple):
    """One bar of a chart."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars over time, with the labels of the axis."""

    bars: tuple[Bar, ...]
    most: int
    total: int
    first: str
    last: str
    width: float = WIDTH
    height: float = HEIGHT


def bar_chart(days: Sequence[DayCount], counts: Sequence[int]) -> BarChart:
    """A chart with a bar for each day."""
    most = max(counts, default=0)
    step = WIDTH / max(1, len(counts))
    bars = tuple(
        Bar(
            round(place * step + step * _GAP / 2, 2),
            round(HEIGHT - _height(count, most), 2),
            round(step * (1 - _GAP), 2),
            round(_height(count, most), 2),
            f"{day.day.isoformat()}: {count}",
        )
        for place, (day, count) in enumerate(zip(days, counts, strict=True))
    )
    first, last = (days[0].day.isoformat(), days[-1].day.isoformat()) if days else ("", "")
    return BarChart(bars, most, sum(counts), first, last)


def _height(count: int, most: int) -> float:
    return HEIGHT * count / most if most else 0.0


class TimeLine(NamedTuple):
    """A span of time on a line with some margin on both sides, and a moment on it."""

    start: float
    width: float
    moment: float


def time_line(begins: datetime, ends: datetime | None, moment: datetime) -> TimeLine:
    """Position of a span and a moment on a line of length 400; the span stays visible."""
    last = max(moment, ends or moment, begins)
    first = min(begins, moment)
    whole = max((last - first).total_seconds(), 1.0)

    def place(at: datetime) -> float:
        return 20.0 + 360.0 * (at - first).total_seconds() / whole

    start = min(place(begins), 376.0)
    width = max((390.0 if ends is None else place(ends)) - start, 4.0)
    return TimeLine(round(start, 1), round(width, 1), round(place(moment), 1))


class Tile(NamedTuple):
    """One rectangle of a treemap."""

    name: str
    x: float
    y: float
    width: float
    height: float


def treemap(sizes: Sequence[tuple[str, float]], width: float, height: float) -> list[Tile]:
    """Rectangles with areas proportional to the sizes, largest first, as square as rows allow."""
    weighted = sorted(((max(size, 0.0), name) for name, size in sizes), reverse=True)
    total = sum(size for size, _ in weighted)
    if not total:
        return []
    scale = width * height / total
    left = [(size * scale, name) for size, name in weighted if size > 0]
    tiles: list[Tile] = []
    x = y = 0.0
    while left:
        along = min(width - x, height - y)
        row = _row(left, along)
        area = sum(size for size, _ in row)
        across = area / along
        spent = 0.0
        for size, name in row:
            length = size / across
            if width - x >= height - y:
                tiles.append(Tile(name, x, y + spent, across, length))
            else:
                tiles.append(Tile(name, x + spent, y, length, across))
            spent += length
        if width - x >= height - y:
            x += across
        else:
            y += across
        left = left[len(row) :]
    return [Tile(tile.name, *(round(value, 2) for value in tile[1:])) for tile in tiles]


def _row(left: Sequence[tuple[float, str]], along: float) -> Sequence[tuple[float, str]]:
    """Next rectangles for one row: as many as fit before the worst of them gets longer."""
    count, worst = 1, _worst(left[:1], along)
    while count < len(left):
        longer = _worst(left[: count + 1], along)
        if longer > worst:
            break
        count, worst = count + 1, longer
    return left[:count]


def _worst(row: Sequence[tuple[float, str]], along: float) -> float:
    """Aspect ratio of the least square rectangle of a row."""
    area = sum(size for size, _ in row)
    across = area / along
    return max(max(across * across / size, size / (across * across)) for size, _ in row)
