"""Promoted memories drawn at random, with the text of the session around each, for a reader.

python -m benchmarks.judged_memories TRANSCRIPTS OUT.md [COUNT [SEED]]

The reader writes a verdict behind each: worth keeping, weak, wrong or noise. Nothing that the rules
think of a memory but its signal is told. Sessions are replayed in the order of time, so that what
needs several sessions is among what may be drawn.
"""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer.across import across
from recollect.observer.candidates import Candidate
from recollect.observer.facts import SessionFacts
from recollect.observer.observer import Observer, default_signals
from recollect.observer.promotion import Judge, Known, sign_of
from recollect.observer.replay import Played
from recollect.vocabulary.acts import Act

LINES = 15
CITED = 1_200
LINE = 240


def main() -> None:
    """Draw and write the file."""
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 17)
    promoted = promoted_of(sessions_of(acts_of(data)))
    drawn = chance.sample(promoted, min(count, len(promoted)))
    counts = Counter(one.signal.value for _, one in promoted)
    parts = [f"# {len(drawn)} of {len(promoted)} promoted memories", _table(counts, drawn)]
    parts += [_told(number, played, one) for number, (played, one) in enumerate(drawn, 1)]
    out.write_text("\n\n".join(parts) + "\n", "utf-8")
    print(f"{len(drawn)} of {len(promoted)} memories are in {out}.")


def promoted_of(sessions: Sequence[Played]) -> list[tuple[Played, Candidate]]:
    """Memories that sessions leave, each with its session, in the order of time."""
    facts: list[SessionFacts] = []
    seen: Counter[tuple[str, str]] = Counter()
    known: list[Known] = []
    found: list[tuple[Played, Candidate]] = []
    for played in sessions:
        observer = Observer(played.name)
        for act in played.acts:
            observer.observe(act)
        report = observer.report()
        facts.append(report.facts)
        on = default_signals()
        candidates = [one for one in (*report.candidates, *across(facts)) if one.signal in on]
        seen.update({(one.signal.value, one.key) for one in candidates})
        promoted = Judge().judge(candidates, seen, known).promoted
        known += [
            Known(one.content, frozenset(one.files), frozenset({sign_of(one)})) for one in promoted
        ]
        found += [(played, one) for one in promoted]
    return found


def _table(counts: Counter[str], drawn: Sequence[tuple[Played, Candidate]]) -> str:
    taken = Counter(one.signal.value for _, one in drawn)
    lines = [f"| {name} | {count} | {taken[name]} |" for name, count in counts.most_common()]
    return "\n".join(["| signal | promoted | drawn |", "|---|---|---|", *lines])


def _told(number: int, played: Played, one: Candidate) -> str:
    cited = [act for act in played.acts if act.event and act.event in one.events]
    first = next((place for place, act in enumerate(played.acts) if act in cited[:1]), None)
    around: Sequence[Act] = ()
    if first is not None:
        around = played.acts[max(0, first - LINES) : first + LINES]
    return "\n".join(
        [
            f"## {number}. {one.signal.value} ({one.type.value}), session {played.name[:8]}",
            "",
            f"**Memory:** {one.content}",
            "",
            "**Cited:**",
            *(f"- step {act.step}, {act.kind.value}: {_line(act, CITED)}" for act in cited),
            "",
            "**Around the first:**",
            "```text",
            *(f"{act.step:>4} {act.kind.value:<10} {_line(act, LINE)}" for act in around),
            "```",
            "",
            "**Verdict** (worth keeping, weak, wrong, noise):",
        ]
    )


def _line(act: Act, longest: int) -> str:
    told = " ".join(f"{name}={value}" for name, value in act.arguments.items())
    text = " ".join(f"{act.tool or ''} {told} {act.text}".split()).replace("```", "'''")
    return text if len(text) <= longest else f"{text[:longest]} …"


if __name__ == "__main__":
    main()
