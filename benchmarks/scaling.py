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

from benchmarks.drawing import Curve, Words, drawn

SIZES: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
MOST: Final = 1_000_000
PLOT: Final = Path(__file__).resolve().parent.parent / "docs" / "scaling.svg"


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
    words = Words(
        "Milliseconds of work for one recall by the number of items",
        *("items kept", "milliseconds of work for one recall, median"),
    )
    times = [one["work_ms"]["p50"] for one in figures]
    return drawn([one["items"] for one in figures], [Curve("", "ms", times)], words)


if __name__ == "__main__":
    sys.exit(main())
