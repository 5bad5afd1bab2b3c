"""Cross-session signals: files that change together, costly modules, and plans that overrun.

Everything here is a function of sessions' facts. A pair counts when it occurs more often than by
chance. A relation that the names already show (a file and its test) is not worth a memory.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import mean
from typing import Final

from recollect.observer.calibrations import calibration_of, candidate_of
from recollect.observer.candidates import Candidate
from recollect.observer.facts import SessionFacts
from recollect.observer.names import base, folder, twins
from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.memory_types import MemoryType

#: Minimum confidence that the second file follows from the first, and minimum lift over chance.
SURE: Final = 0.65
LIFT: Final = 2.0
LARGE: Final = 60
#: Minimum number of sessions; fewer are no evidence, whatever their share.
LEAST_SESSIONS: Final = 4
PREFETCH: Final = 0.6
_NEWEST: Final = 3
_COSTLY: Final = 15_000
_CONFIG: Final = (".toml", ".yml", ".yaml", ".json", ".ini", ".cfg", ".mod", ".lock", "Makefile")


def across(sessions: Sequence[SessionFacts]) -> list[Candidate]:
    """Candidates shown by the newest session together with the earlier ones."""
    if not sessions:
        return []
    newest = sessions[-1]
    found = [
        *_pairs(sessions, newest),
        *_prefetch(sessions, newest),
        *_chases(sessions, newest),
        *_calibration(sessions, newest),
        *_costs(sessions, newest),
    ]
    return [one for one in found if one.sessions >= TRAITS[one.signal].sessions]


def across_module(sessions: Sequence[SessionFacts], module: str) -> list[Candidate]:
    """Candidates common to the sessions in one module, as of its newest session."""
    inside = [past for past in sessions if module in past.modules]
    best: dict[tuple[Signal, str], Candidate] = {}
    for newest in inside[-_NEWEST:]:
        others = [past for past in sessions if past is not newest]
        for one in across([*others, newest]):
            if module in one.modules:
                best[one.signal, one.key] = one
    return sorted(best.values(), key=lambda one: (-one.priority, one.key))


def lower_bound(times: int, of: int) -> float:
    """Conservative estimate of a share: Wilson lower bound at one standard error."""
    share = times / of
    spread = math.sqrt((share * (1 - share) + 1 / (4 * of)) / of)
    return (share + 1 / (2 * of) - spread) / (1 + 1 / of)


def is_config(path: str) -> bool:
    """Whether a file holds configuration rather than code."""
    return base(path).endswith(_CONFIG)


def _pairs(sessions: Sequence[SessionFacts], newest: SessionFacts) -> Iterator[Candidate]:
    """Signals 2 and 14: when one file changes, another does too."""
    mine = newest.edited
    if not 1 < len(mine) <= LARGE:
        return
    edits = [edited for past in sessions if 0 < len(edited := set(past.edited)) <= LARGE]
    counts = Counter(path for edited in edits for path in edited)
    for first in mine:
        with_first = [edited for edited in edits if first in edited]
        together = Counter(path for edited in with_first for path in edited if path != first)
        for second, both in together.items():
            if second not in mine or twins(first, second):
                continue
            share, usual = both / counts[first], counts[second] / len(edits)
            config = is_config(first) != is_config(second)
            least = TRAITS[Signal.CONFIG_TOUCH].sessions if config else LEAST_SESSIONS
            sure = share == 1.0 if config else lower_bound(both, counts[first]) >= SURE
            if both >= least and sure and share >= LIFT * usual:
                yield _pair(newest, first, second, both=both, of=counts[first])


def _pair(newest: SessionFacts, first: str, second: str, *, both: int, of: int) -> Candidate:
    config = is_config(first) != is_config(second)
    return Candidate(
        signal=Signal.CONFIG_TOUCH if config else Signal.CO_ACCESS,
        key=f"{first} → {second}",
        type=MemoryType.CAUSAL_DEPENDENCY,
        content=(
            f"When `{first}` changes, `{second}` often changes too "
            f"({both} of {of} sessions so far)."
        ),
        session=newest.session,
        step=newest.steps,
        files=(first, second),
        modules=tuple(dict.fromkeys(filter(None, (folder(first), folder(second))))),
        confidence=min(0.9, 0.5 + 0.4 * both / (of + 1)),
        sessions=both,
        extras={"when_changed": first, "then_touch": [second]},
    )


def _prefetch(sessions: Sequence[SessionFacts], newest: SessionFacts) -> Iterator[Candidate]:
    """Signal 1: files that nearly every session in a module opens."""
    for module in newest.modules:
        inside = [past for past in sessions if module in past.modules]
        opened = Counter(file.path for past in inside for file in past.files)
        usual = Counter(file.path for past in sessions for file in past.files)
        always = [
            path
            for path, count in opened.most_common(8)
            if count >= LEAST_SESSIONS
            and lower_bound(count, len(inside)) >= PREFETCH
            and count / len(inside) >= LIFT * usual[path] / len(sessions)
        ]
        if all(folder(path) == module for path in always) and len(always) < 2:
            continue
        if always:
            listed = ", ".join(f"`{path}`" for path in always[:4])
            yield Candidate(
                signal=Signal.FILE_ACCESS,
                key=module,
                type=MemoryType.PREFETCH_PATTERN,
                content=(
                    f"Sessions that change `{module}` mostly open {listed} "
                    f"({len(inside)} sessions so far)."
                ),
                session=newest.session,
                step=newest.steps,
                files=tuple(always[:4]),
                modules=(module,),
                confidence=0.75,
                sessions=len(inside),
                extras={
                    "module_trigger": module,
                    "always_read_files": always[:4],
                    "session_count": len(inside),
                },
            )


def _chases(sessions: Sequence[SessionFacts], newest: SessionFacts) -> Iterator[Candidate]:
    """Signal 12: reading one file leads to another that it mentions."""
    for first, second in dict.fromkeys(newest.chases):
        times = sum((first, second) in past.chases for past in sessions)
        if twins(first, second):
            continue
        yield Candidate(
            signal=Signal.IMPORT_CHASE,
            key=f"{first} → {second}",
            type=MemoryType.CAUSAL_DEPENDENCY,
            content=f"`{first}` builds on `{second}`: whoever reads the one goes on to the other.",
            session=newest.session,
            step=newest.steps,
            files=(first, second),
            confidence=0.6,
            sessions=times,
            extras={"when_changed": first, "then_touch": [second]},
        )


def _calibration(sessions: Sequence[SessionFacts], newest: SessionFacts) -> Iterator[Candidate]:
    """Signal 15: how the plans of a module fare, where that differs from what they allow."""
    if newest.plan is None:
        return
    for module in newest.modules[:3]:
        found = calibration_of(((past.modules, past.plan) for past in sessions), module)
        if found is not None and not found.is_usual:
            yield candidate_of(found, newest.session, newest.steps)


def _costs(sessions: Sequence[SessionFacts], newest: SessionFacts) -> Iterator[Candidate]:
    """Signal 17: modules that take many tokens to read."""
    for module, tokens in newest.tokens.items():
        if tokens < _COSTLY or module == ".":
            continue
        costs = [past.tokens[module] for past in sessions if past.tokens.get(module)]
        if mean(costs) >= _COSTLY:
            yield Candidate(
                signal=Signal.TOKEN_SPIKE,
                key=module,
                type=MemoryType.CONTEXT_COST,
                content=(
                    f"Reading up on `{module}` costs about {round(mean(costs) / 1000)},000 tokens "
                    f"a session ({len(costs)} sessions): search before reading whole files."
                ),
                session=newest.session,
                step=newest.steps,
                modules=(module,),
                confidence=0.7,
                sessions=len(costs),
                extras={
                    "module": module,
                    "average_tokens": round(mean(costs)),
                    "sample_count": len(costs),
                },
            )


def ready(found: Iterable[Candidate], seen: Counter[tuple[Signal, str]]) -> list[Candidate]:
    """Candidates that enough sessions have shown, by the number of sessions per key."""
    return [
        one for one in found if max(one.sessions, seen[one.signal, one.key]) >= one.needed_sessions
    ]
