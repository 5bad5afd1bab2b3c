"""How fast the code graph is made and asked, beside ``ctags -R`` over the same files.

    python -m benchmarks.graph --sources DIR         # any folder of code, Django's sources say
    python -m benchmarks.graph --package django      # what an install of it has

CPU time counts this process and its children. Wall time is told too, and means little on a machine
that others use.
"""

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import recollect
from benchmarks.graph_truth import fetched


def used() -> float:
    """The CPU seconds of this process and of the children it has waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    spent = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall seconds, CPU seconds, and what the work gave."""
    wall, cpu = time.perf_counter(), used()
    done = work()
    return time.perf_counter() - wall, used() - cpu, done


def measured(sources: Path, scratch: Path, embedder: str) -> dict[str, Any]:
    """Every figure for one folder of code."""
    root = scratch / "sources"
    scratch.mkdir(parents=True, exist_ok=True)
    shutil.copytree(sources, root, symlinks=True)
    told: dict[str, Any] = {}
    if shutil.which("ctags"):
        command = ["ctags", "-R", "-f", str(scratch / "tags"), str(root)]
        wall, cpu, _ = timed(lambda: subprocess.run(command, check=True, capture_output=True))
        told |= {"ctags_wall": wall, "ctags_cpu": cpu}
    with recollect.open(scratch / "m.db", embedder=embedder, worker=False) as memory:
        wall, cpu, report = timed(lambda: memory.code.index(root))
        told |= {"files": report.files, "nodes": report.nodes, "edges": report.edges}
        told |= {"cold_wall": wall, "cold_cpu": cpu}
        if "ctags_cpu" in told:
            told["cold_to_ctags"] = cpu / told["ctags_cpu"]
        wall, cpu, _ = timed(lambda: memory.code.index(root))
        told |= {"no_op_wall": wall, "no_op_cpu": cpu, "no_op_to_cold": cpu / told["cold_cpu"]}
        told |= _edited(memory, root)
        told |= _asked(memory)
    told["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    return {name: round(value, 4) for name, value in told.items()}


def _edited(memory: Any, root: Path) -> dict[str, float]:
    """Two files changed, taken in as the watcher does, until the next answer has them.

    By turns it is asked for by the path and by the new name, in a process that has answered before.
    """
    files = sorted(path for path in root.rglob("*.py") if path.stat().st_size > 2_000)[10:12]
    watcher = memory.code.watch(root)
    path = files[0].relative_to(root).as_posix()
    memory.code.impact(path)
    _, first, _ = timed(lambda: memory.code.impact(files[0].name))
    taken, answered = [], []
    for number in range(9):
        for file in files:
            with file.open("a") as out:
                out.write(f"\n\ndef added_{number}():\n    return {number}\n")
        target = f"added_{number}" if number % 2 else path
        _, cpu, _ = timed(lambda: watcher.index_paths({str(file) for file in files}))
        taken.append(cpu)
        _, cpu, _ = timed(partial(memory.code.impact, target))
        answered.append(cpu)
    both = [one + other for one, other in zip(taken, answered, strict=True)]
    return {
        "first_by_name_cpu": first,
        "two_files_cpu": statistics.median(taken),
        "answer_after_cpu": statistics.median(answered),
        "edit_to_answer_cpu": statistics.median(both),
        "edit_to_answer_worst_cpu": max(both[1:]),
    }


def _asked(memory: Any) -> dict[str, float]:
    """Impact of the functions that most hang on, to two depths."""
    questions = memory._services.code.questions
    graph, _ = questions.graphs.opened(memory.viewer, memory.space)
    starts = graph.backward.starts
    order = sorted(range(len(graph.nodes)), key=lambda place: starts[place] - starts[place + 1])
    chosen = [graph.nodes[place] for place in order if graph.nodes[place].name][:50]
    found: dict[str, float] = {}
    from recollect.codegraph.targets import with_members
    from recollect.codegraph.traversal import walk

    for depth in (3, 10):
        walks, whole = [], []
        for node in chosen:
            seeds = with_members(graph, [graph.place[node.id]])
            began = time.process_time()
            walk(graph, seeds, graph.backward, depth=depth)
            walks.append(time.process_time() - began)
            began = time.process_time()
            memory.code.impact(node.label, depth=depth)
            whole.append(time.process_time() - began)
        found[f"walk_{depth}_milliseconds"] = statistics.median(walks) * 1_000
        found[f"impact_{depth}_milliseconds"] = statistics.median(whole) * 1_000
    found["lines"] = sum(row.lines for row in graph.files if row.language)
    found["graph_megabytes"] = graph.nbytes / 1_048_576
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sources", type=Path, help="a folder of code")
    parser.add_argument("--package", default="django", help="a package of PyPI")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-graph-") as folder:
        sources = given.sources or fetched(given.package, Path(folder))
        told = measured(sources, Path(folder) / "work", given.embedder)
    if given.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            print(f"{name:<26} {value:>12,.3f}")


if __name__ == "__main__":
    main()
