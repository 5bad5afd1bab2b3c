"""Curves as a drawing: both axes by their logarithm, so that linear growth is a straight line."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 720, 420, 70, 60, 30, 30
_LINEAR: Final = "#b55"
COLOURS: Final = ("#1a6", "#26a", "#a62")


class Words(NamedTuple):
    """What stands at a drawing: what it shows, and its axes."""

    shows: str
    across: str
    up: str


class Curve(NamedTuple):
    """What was measured at each size, in some unit."""

    name: str
    unit: str
    values: Sequence[float]


def drawn(sizes: Sequence[float], curves: Sequence[Curve], words: Words) -> str:
    """Curves over sizes, with a line of linear growth from the first point of the first."""
    every = [value for curve in curves for value in curve.values]
    left, right = math.log10(min(sizes)), math.log10(max(sizes)) + 0.05
    low = math.floor(math.log10(min(every)))
    high = math.ceil(math.log10(max(every) * 1.2))

    def x(size: float) -> float:
        share = (math.log10(size) - left) / max(right - left, 1e-9)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        share = (math.log10(value) - low) / max(high - low, 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        f' font-family="sans-serif" font-size="13" role="img" aria-label="{words.shows}">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        value = 10.0**power
        parts.append(_line((_LEFT, y(value)), (_WIDTH - _RIGHT, y(value)), "#ddd"))
        parts.append(_text((_LEFT - 8, y(value) + 4), f"{value:g}", "end"))
    for size in sizes:
        parts.append(_line((x(size), _TOP), (x(size), _HEIGHT - _BOTTOM), "#eee"))
        parts.append(_text((x(size), _HEIGHT - _BOTTOM + 20), f"{size:,}", "middle"))
    start = curves[0].values[0]
    reach = min(sizes[-1], sizes[0] * 10.0**high / start)
    ends = (x(sizes[0]), y(start)), (x(reach), y(start * reach / sizes[0]))
    parts.append(_line(*ends, _LINEAR, dashes="6 5"))
    parts.append(_text((ends[1][0] - 8, ends[1][1] + 14), "linear growth", "end", _LINEAR))
    for colour, (name, unit, values) in zip(COLOURS, curves, strict=False):
        points = [(x(size), y(value)) for size, value in zip(sizes, values, strict=True)]
        line = " ".join(f"{across:.1f},{up:.1f}" for across, up in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        )
        for (across, up), value in zip(points, values, strict=True):
            parts.append(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="4" fill="{colour}"/>')
            parts.append(_text((across, up - 10), f"{value:.1f} {unit}", "middle", colour))
        if name:
            parts.append(_text((points[0][0] + 8, points[0][1] + 18), name, "start", colour))
    parts.append(_text((_WIDTH / 2, _HEIGHT - 14), words.across, "middle"))
    parts.append(_text((_LEFT, _TOP - 10), words.up, "start"))
    return "\n".join([*parts, "</svg>", ""])


def _line(
    start: tuple[float, float], end: tuple[float, float], colour: str, dashes: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
        f' stroke="{colour}"{dashed}/>'
    )


def _text(place: tuple[float, float], words: str, anchor: str, colour: str = "#333") -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}"'
        f' fill="{colour}">{words}</text>'
    )
