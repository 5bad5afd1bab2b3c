"""How the cost of one recall grows with what is kept: ``python -m benchmarks.scaling``.

Each size gets a store of its own in a process of its own, filled through the public API with
made-up words drawn as in a language; then questions are asked. The plot in docs/ is drawn from the
figures: both axes by their logarithm, so that a straight line at 45 degrees is linear growth.
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

SIZES: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
MOST: Final = 1_000_000
PLOT: Final = Path(__file__).resolve().parent.parent / "docs" / "scaling.svg"

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 720, 420, 70, 60, 30, 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every size, print a table, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="", help="so many items, like 1000,10000")
    parser.add_argument("--million", action="store_true", help="one million, too")
    parser.add_argument("--figures", help="draw these figures (a JSON file) and measure nothing")
    parser.add_argument("--plot", default=str(PLOT), help="where the plot goes")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else list(SIZES)
    if options.million:
        sizes.append(MOST)
    if options.figures:
        figures = json.loads(Path(options.figures).read_text("utf-8"))
    else:
        figures = []
        for size in sizes:
            figures.append(measured(size))
            sys.stderr.write(json.dumps(figures[-1]) + "\n")
    Path(options.plot).write_text(plot(figures), "utf-8")
    print(json.dumps(figures, indent=2) if options.json else table(figures))
    return 0


def measured(size: int) -> dict[str, Any]:
    """One size, in a process of its own."""
    command = [sys.executable, "-m", "recollect", "bench", "latency"]
    ended = subprocess.run(
        [*command, "--events", str(size), "--json"], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def growth(figures: Sequence[dict[str, Any]]) -> list[float]:
    """Between each two sizes: by which power of the size the work grew; one is linear."""
    return [
        math.log(later["work_ms"]["p50"] / one["work_ms"]["p50"])
        / math.log(later["items"] / one["items"])
        for one, later in pairwise(figures)
    ]


def table(figures: Sequence[dict[str, Any]]) -> str:
    """One line a size."""
    lines = [f"{'items':>10} {'work ms':>9} {'95 %':>9} {'on the clock':>13} {'grew by':>8}"]
    for one, power in zip(figures, [None, *growth(figures)], strict=False):
        grew = "" if power is None else f"n^{power:.2f}"
        lines.append(
            f"{one['items']:>10,} {one['work_ms']['p50']:>9.2f} {one['work_ms']['p95']:>9.2f}"
            f" {one['query_ms']['p50']:>13.2f} {grew:>8}"
        )
    verdict = "no faster than linearly" if max(growth(figures), default=0) <= 1 else "FASTER"
    return "\n".join([*lines, f"The cost of a recall grows {verdict}."])


def plot(figures: Sequence[dict[str, Any]]) -> str:
    """The figures as a drawing, with a line of linear growth to compare with."""
    sizes = [one["items"] for one in figures]
    times = [one["work_ms"]["p50"] for one in figures]
    left, right = math.log10(min(sizes)), math.log10(max(sizes)) + 0.05
    low = math.floor(math.log10(min(times)))
    high = math.ceil(math.log10(max(times) * 1.2))

    def x(size: float) -> float:
        share = (math.log10(size) - left) / max(right - left, 1e-9)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(time: float) -> float:
        share = (math.log10(time) - low) / max(high - low, 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' font-family="sans-serif" font-size="13" role="img"'
        ' aria-label="Milliseconds of work for one recall by the number of items">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        time = 10.0**power
        parts.append(_line((_LEFT, y(time)), (_WIDTH - _RIGHT, y(time)), "#ddd"))
        parts.append(_text((_LEFT - 8, y(time) + 4), f"{time:g}", "end"))
    for size in sizes:
        parts.append(_line((x(size), _TOP), (x(size), _HEIGHT - _BOTTOM), "#eee"))
        parts.append(_text((x(size), _HEIGHT - _BOTTOM + 20), f"{size:,}", "middle"))
    first = (sizes[0], times[0])
    reach = min(sizes[-1], sizes[0] * 10.0**high / times[0])
    ends = (x(first[0]), y(first[1])), (x(reach), y(first[1] * reach / first[0]))
    parts.append(_line(*ends, "#b55", dashes="6 5"))
    parts.append(_text((ends[1][0] - 8, ends[1][1] + 14), "linear growth", "end", "#b55"))
    points = " ".join(
        f"{x(size):.1f},{y(time):.1f}" for size, time in zip(sizes, times, strict=True)
    )
    parts.append(f'<polyline points="{points}" fill="none" stroke="#1a6" stroke-width="2.5"/>')
    for size, time in zip(sizes, times, strict=True):
        parts.append(f'<circle cx="{x(size):.1f}" cy="{y(time):.1f}" r="4" fill="#1a6"/>')
        parts.append(_text((x(size), y(time) - 10), f"{time:.1f} ms", "middle", "#1a6"))
    parts.append(_text((_WIDTH / 2, _HEIGHT - 14), "items kept", "middle"))
    parts.append(_text((_LEFT, _TOP - 10), "milliseconds of work for one recall, median", "start"))
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


if __name__ == "__main__":
    sys.exit(main())
