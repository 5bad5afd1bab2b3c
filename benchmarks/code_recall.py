"""How well recall finds the files that a change touched, from what was written about it.

    python -m benchmarks.code_recall --scratch DIR             # patches and release notes
    python -m benchmarks.code_recall --questions FILE --json   # questions of one's own, a line each

Each tree is indexed as ``recollect index`` does it; each question is given to ``recall`` as it is,
and the files of the results are taken in their order. A question counts at k when all of its files
are among the first k. ``--bare`` leaves the graph path out. ``--half 0`` and ``--half 1`` ask the
packages of one half only, so that what is chosen on one can be tried on the other.
"""

import argparse
import hashlib
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import recollect
from benchmarks.code_questions import Question, loaded, of_notes, of_patches, saved

CUTS: Final = (1, 5, 10)
_ASKED: Final = 20


def kind_of(question: Question) -> str:
    """Which of the sets a question belongs to."""
    if question.name.endswith(":long"):
        return "long"
    return "notes" if question.package == "django" else "patches"


def half_of(package: str) -> int:
    """The half of the packages that one belongs to, the same everywhere."""
    return hashlib.sha256(package.removeprefix("python-").encode()).digest()[0] % 2


def answered(
    questions: Sequence[Question], scratch: Path, *, embedder: str, bare: bool, again: bool
) -> list[dict[str, Any]]:
    """Every question with the files that came, tree by tree."""
    from recollect.recall import code

    weights = dict(code.WEIGHTS)
    if bare:
        weights["neighbours"] = 0.0
    code.WEIGHTS = weights  # type: ignore[misc]
    by_tree: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_tree[question.tree].append(question)
    found = []
    for tree, asked in sorted(by_tree.items()):
        name = hashlib.sha256(tree.encode()).hexdigest()[:16]
        store = scratch / "stores" / f"{name}-{embedder}.db"
        store.parent.mkdir(parents=True, exist_ok=True)
        fresh = again or not store.exists()
        if fresh:
            for one in store.parent.glob(f"{store.name}*"):
                one.unlink()
        with recollect.open(store, embedder=embedder, worker=False) as memory:
            if fresh:
                memory.code.index(tree)
            for question in asked:
                began = time.process_time()
                answer = memory.recall(question.text, limit=_ASKED)
                spent = time.process_time() - began
                files = list(dict.fromkeys(hit.path for hit in answer if hit.path))
                found.append({"question": question, "files": files, "seconds": spent})
    return found


def score(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """How many questions have all their files among the first so many."""
    told = list(answers)
    found: dict[str, Any] = {"questions": len(told)}
    for cut in CUTS:
        hits = sum(set(one["question"].gold) <= set(one["files"][:cut]) for one in told)
        found[f"all@{cut}"] = round(hits / max(1, len(told)), 3)
    single = [one for one in told if len(one["question"].gold) == 1]
    found["one file"] = len(single)
    for cut in CUTS:
        hits = sum(set(one["question"].gold) <= set(one["files"][:cut]) for one in single)
        found[f"one@{cut}"] = round(hits / max(1, len(single)), 3)
    if told:
        found["milliseconds"] = round(statistics.median(one["seconds"] for one in told) * 1_000, 1)
        found["fewest files"] = min(len(one["files"]) for one in told)
    return found


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--scratch", type=Path, default=Path("code-questions"))
    parser.add_argument("--questions", type=Path, help="a file of questions, a line each")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--kind", choices=("patches", "long", "notes"))
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--bare", action="store_true", help="without the graph path")
    parser.add_argument("--again", action="store_true", help="index every tree again")
    parser.add_argument("--misses", action="store_true", help="name what is not among the first 5")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    questions = _questions(given.scratch, given.questions)
    if given.half is not None:
        questions = [one for one in questions if half_of(one.package) == given.half]
    if given.kind:
        questions = [one for one in questions if kind_of(one) == given.kind]
    answers = answered(
        questions, given.scratch, embedder=given.embedder, bare=given.bare, again=given.again
    )
    table = {
        kind: score(one for one in answers if kind_of(one["question"]) == kind)
        for kind in sorted({kind_of(one) for one in questions})
    }
    table["all"] = score(answers)
    if given.json:
        print(json.dumps(table))
        return
    for kind, row in table.items():
        print(f"{kind:<8} " + "  ".join(f"{name} {value}" for name, value in row.items()))
    if given.misses:
        for one in answers:
            missing = set(one["question"].gold) - set(one["files"][:5])
            if missing:
                print(f"\n{one['question'].name}\n  missing {sorted(missing)}")
                print(f"  {one['files'][:5]}")


def _questions(scratch: Path, own: Path | None) -> list[Question]:
    if own is not None:
        return loaded(own)
    found = []
    for name, made in (("patches", of_patches), ("notes", of_notes)):
        place = scratch / f"{name}.jsonl"
        found += loaded(place) if place.exists() else saved(made(scratch), place)
    return found


if __name__ == "__main__":
    main()
