"""How the code graph's cost grows with the code: ``python -m benchmarks.graph_growth``.

    python -m benchmarks.graph_growth                                # packages of PyPI
    python -m benchmarks.graph_growth --packages rich,django+sympy   # with + as one project
    python -m benchmarks.graph_growth --sources DIR DIR              # folders of one's own

Each size is measured by ``benchmarks.graph`` in a process of its own, in CPU time. The plot in
docs/ is drawn from the figures.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.drawing import Curve, Words, drawn
from benchmarks.graph_truth import fetched

PACKAGES: Final = "httpx,rich,networkx,django,sympy,django+sympy+sqlalchemy+networkx"
PLOT: Final = Path(__file__).resolve().parent.parent / "docs" / "codegraph-growth.svg"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every size, print a table, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", default=PACKAGES, help="packages, a size each")
    parser.add_argument("--sources", type=Path, nargs="+", help="folders of code instead")
    parser.add_argument("--figures", type=Path, help="draw these (a JSON file), measure nothing")
    parser.add_argument("--plot", type=Path, default=PLOT, help="where the plot goes")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    given = parser.parse_args(arguments)
    if given.figures:
        figures = json.loads(given.figures.read_text("utf-8"))
    else:
        with tempfile.TemporaryDirectory(prefix="recollect-growth-") as folder:
            scratch = Path(folder)
            sources = given.sources or [
                _project(names.split("+"), scratch) for names in given.packages.split(",")
            ]
            figures = sorted(map(measured, sources), key=lambda one: one["nodes"])
    given.plot.write_text(plot(figures), "utf-8")
    print(json.dumps(figures, indent=2) if given.json else table(figures))
    return 0


def _project(packages: Sequence[str], scratch: Path) -> Path:
    """Packages as one folder of code."""
    if len(packages) == 1:
        return fetched(packages[0], scratch)
    whole = scratch / "+".join(packages)
    for package in packages:
        shutil.copytree(fetched(package, scratch), whole / package, symlinks=True)
    return whole


def measured(sources: Path) -> dict[str, Any]:
    """One folder of code, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.graph", "--sources", str(sources), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = {"code": sources.name, **json.loads(ended.stdout)}
    sys.stderr.write(json.dumps(found) + "\n")
    return found


def table(figures: Sequence[dict[str, Any]]) -> str:
    """One line a size."""
    lines = [
        f"{'nodes':>9} {'edges':>9} {'lines':>11} {'cold s':>8} {'impact ms':>10} {'MB':>6}  code"
    ]
    lines += [
        f"{one['nodes']:>9,.0f} {one['edges']:>9,.0f} {one['lines']:>11,.0f}"
        f" {one['cold_cpu']:>8.1f} {one['impact_3_milliseconds']:>10.2f}"
        f" {one['peak_megabytes']:>6.0f}  {one['code']}"
        for one in figures
    ]
    return "\n".join(lines)


def plot(figures: Sequence[dict[str, Any]]) -> str:
    """The figures as a drawing."""
    curves = [
        Curve("index from nothing, seconds", "s", [one["cold_cpu"] for one in figures]),
        Curve(
            "impact to depth 3, milliseconds",
            "ms",
            [one["impact_3_milliseconds"] for one in figures],
        ),
    ]
    words = Words(
        "CPU time to index code and to answer an impact question by the number of nodes",
        *("nodes of the graph", "CPU time"),
    )
    return drawn([int(one["nodes"]) for one in figures], curves, words)


if __name__ == "__main__":
    sys.exit(main())
