"""``python -m benchmarks``: every measure, one table.

It ends well also when a target is missed, and says so; it fails only when something broke.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import command_start, imports, recalls, writes
from benchmarks.measures import Measure
from benchmarks.report import table, verdict
from benchmarks.stage import Stage
from benchmarks.texts import questions, read_texts, sentences

BENCHMARKS: dict[str, Callable[[Stage], list[Measure]]] = {
    "writes": writes.measure,
    "recalls": recalls.measure,
    "imports": imports.measure,
    "commands": command_start.measure,
}


def main() -> None:
    """Measure what was asked for and print it."""
    options = _options()
    chosen = options.only or list(BENCHMARKS)
    measures: list[Measure] = []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        stage = _stage(Path(folder), options)
        for name in chosen:
            if not options.json:
                print(f"Measuring {name} ...", flush=True)
            measures += BENCHMARKS[name](stage)
    if options.json:
        print(json.dumps([measure.as_json() for measure in measures], indent=2))
    else:
        print(f"\n{table(measures)}\n\n{verdict(measures)}")
        if options.quick:
            print("Quick: a tenth of the texts. The targets are meant for 100,000.")


def _stage(folder: Path, options: argparse.Namespace) -> Stage:
    size = 10_000 if options.quick else 100_000
    return Stage(
        folder=folder,
        texts=read_texts(options.texts)[:size] if options.texts else sentences(size),
        questions=_questions(options.questions, 100 if options.quick else 500),
        quick=options.quick,
    )


def _questions(path: Path | None, count: int) -> list[str]:
    return read_texts(path)[:count] if path else questions(count)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), help="one of them")
    parser.add_argument("--quick", action="store_true", help="a tenth of the texts")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--texts", type=Path, help="real texts: a JSON list, or one a line")
    parser.add_argument("--questions", type=Path, help="real questions, likewise")
    return parser.parse_args()


if __name__ == "__main__":
    main()
