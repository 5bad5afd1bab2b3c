"""How often an experiment finds an effect that is there, and claims one that is not.

    python -m benchmarks.experiment SESSIONS.jsonl --runs 200

Real sessions are drawn again and again, each under a new name, so that groups fall as they would in
a project. Half of the runs plant the design's targets in the sessions that have memory: a fifth
fewer tool calls, half the reads again, first checks that pass by 15 of 100 more often. The
statistics are those of ``recollect experiment``.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recollect.engine.for_surfaces import sessions_of
from recollect.metrics.experiments import MEASURES, compared
from recollect.metrics.figures import SessionOutcome, compare_with_earlier
from recollect.observer.observer import Observer
from recollect.pages.formats.transcripts import acts_of
from recollect.vocabulary.experiments import ExperimentGroup, group_of

_FEWER_CALLS = 0.8
_FEWER_READS = 0.5
_MORE_PASS = 0.15


def real_outcomes(path: Path) -> list[SessionOutcome]:
    """What the sessions of a transcript came to."""
    facts = []
    for played in sessions_of(acts_of(path)):
        observer = Observer(played.name)
        for act in played.acts:
            observer.observe(act)
        facts.append(observer.facts())
    return compare_with_earlier(facts)


def drawn(
    known: Sequence[SessionOutcome], count: int, draw: random.Random, *, helps: bool
) -> list[SessionOutcome]:
    """Sessions of a project that runs an experiment."""
    found = []
    for _ in range(count):
        one = replace(draw.choice(known), session=f"{draw.getrandbits(64):x}")
        if helps and group_of("run", one.session) is ExperimentGroup.FULL:
            lucky = one.first_pass is False and draw.random() < 2 * _MORE_PASS
            one = replace(
                one,
                tool_calls=round(one.tool_calls * _FEWER_CALLS),
                rereads=round(one.rereads * _FEWER_READS),
                first_pass=True if lucky else one.first_pass,
            )
        found.append(one)
    return found


def simulated(
    known: Sequence[SessionOutcome], *, count: int, runs: int, helps: bool
) -> Counter[str]:
    """In how many runs each metric was claimed to differ, and in how many any was."""
    claimed: Counter[str] = Counter()
    for seed in range(runs):
        sessions = drawn(known, count, random.Random(seed), helps=helps)
        report = compared("run", sessions)
        found = {
            one.metric
            for one in report.comparisons
            if one.group is ExperimentGroup.FULL and one.verdict in {"better", "worse"}
        }
        claimed.update(found)
        claimed["any"] += bool(found)
    return claimed


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--counts", type=int, nargs="*", default=[200, 800, 2_000, 5_000])
    given = parser.parse_args()
    known = real_outcomes(given.sessions)
    judged = sum(one.first_pass is not None for one in known)
    print(f"{len(known)} real sessions, {judged} with a first check; {given.runs} runs each")
    print(f"{'sessions':>9}  {'effect':8}" + "".join(f"{name:>26}" for name in (*MEASURES, "any")))
    for count in given.counts:
        for helps in (True, False):
            claimed = simulated(known, count=count, runs=given.runs, helps=helps)
            shares = "".join(f"{claimed[name] / given.runs:>25.1%} " for name in (*MEASURES, "any"))
            print(f"{count:>9,}  {'planted' if helps else 'none':8}{shares}")


if __name__ == "__main__":
    main()
