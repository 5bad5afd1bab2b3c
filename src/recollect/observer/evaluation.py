"""Evaluates the observer on replayed sessions: what it would have known, and when.

Everything is measured in chronological order: what counts for a session was learned before it
began.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from time import perf_counter, perf_counter_ns, thread_time
from typing import Any, Final

from recollect.observer import commands, failures
from recollect.observer.across import across, ready
from recollect.observer.baselines import Advance, Commits, recalls
from recollect.observer.candidates import Candidate
from recollect.observer.facts import SessionFacts
from recollect.observer.observer import Observer, default_signals
from recollect.observer.replay import Played
from recollect.observer.signals.searches import normal_pattern
from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.acts import ActKind

_TOKEN: Final = 4  # characters
_SERVED: Final = 12
#: Characters available for the opening context including the first prompt, and per note.
_ROOM: Final = 3_600
_LINE: Final = 600
_LEARNING: Final = 0.45


def scored(
    sessions: Sequence[Played], commits: Commits, after: datetime | None, advance: Advance
) -> dict[str, Any]:
    """All figures of the evaluation."""
    start = perf_counter()
    replay = _Replay(after)
    for place, played in enumerate(sessions, 1):
        replay.play(played)
        advance(place, len(sessions) * 2, f"{place} sessions replayed")
    replayed = perf_counter() - start
    found = recalls(sessions, commits, after, advance)
    return {
        "sessions": sum(replay.counts(played) for played in sessions),
        "acts": len(replay.times),
        **found,
        **replay.figures(),
        "replay_seconds": round(replayed, 2),
        "signals": replay.signals(),
    }


class _Replay:
    """Replays sessions in order; each is judged by what the earlier ones taught."""

    def __init__(self, after: datetime | None) -> None:
        self._after = after
        self.times: list[int] = []
        self.finishes: list[float] = []
        self._facts: list[SessionFacts] = []
        self._seen: Counter[tuple[Signal, str]] = Counter()
        self._noticed: Counter[Signal] = Counter()
        self._in_sessions: Counter[Signal] = Counter()
        self._promoted: dict[tuple[Signal, str], tuple[int, Candidate]] = {}
        self._landings: dict[str, str] = {}
        self._fixes: set[str] = set()
        self._greps_seen: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._tokens: list[int] = []

    def counts(self, played: Played) -> bool:
        """Whether a session is scored, or only serves as history of scored ones."""
        return self._after is None or played.begins > self._after

    def play(self, played: Played) -> None:
        """Evaluate a session, then learn from it."""
        counts = self.counts(played)
        observer = Observer(played.name, signals=list(Signal))
        if counts:
            self._served(played)
        self._asked_again(played, counts=counts)
        for act in played.acts:
            began = perf_counter_ns()
            observer.observe(act)
            if counts:
                self.times.append(perf_counter_ns() - began)
        began_finish = thread_time()  # what other programs do meanwhile does not count
        report = observer.report(over=False)
        facts, found = report.facts, report.candidates
        self._counts["faults"] += observer.faults
        if counts:
            self.finishes.append(thread_time() - began_finish)
            self._refusals(played, found)
        self._facts.append(facts)
        self._landings.update(facts.searches)
        self._fixes.update(failures.sign_of(key) for key, _ in facts.fixes)
        self._learn([*found, *across(self._facts)], counts=counts)

    def _learn(self, found: Sequence[Candidate], *, counts: bool) -> None:
        for key in {(one.signal, one.key) for one in found}:
            self._seen[key] += 1
        if counts:
            self._noticed.update(one.signal for one in found)
            self._in_sessions.update({one.signal for one in found})
        for one in ready(found, self._seen):
            if one.confidence >= _LEARNING:
                self._promoted.setdefault((one.signal, one.key), (len(self._facts), one))

    def _refusals(self, played: Played, found: Sequence[Candidate]) -> None:
        refused = [act for act in played.acts if act.kind is ActKind.REFUSAL]
        self._counts["refusals"] += len(refused)
        self._counts["refusals_with_words"] += sum(bool(act.text.strip()) for act in refused)
        steps = {one.step for one in found if one.signal is Signal.REFUSAL and one.quote}
        self._counts["refusals_captured"] += sum(act.step in steps for act in refused)

    def _asked_again(self, played: Played, *, counts: bool) -> None:
        """Count searches and failures of this session that earlier sessions had answered."""
        found: dict[str, set[str]] = {}
        asked: dict[str | None, str] = {}
        for act in played.acts:
            if act.kind is ActKind.CALL and act.tool == "Grep":
                pattern = act.arguments.get("pattern")
                if isinstance(pattern, str) and len(pattern) >= 4:
                    asked[act.call] = normal_pattern(pattern)
                    found.setdefault(asked[act.call], set())
            elif act.kind is ActKind.RESULT and act.call in asked:
                found[asked[act.call]].update(act.paths)
            elif counts and act.kind is ActKind.FAILURE and act.tool in commands.SHELLS:
                self._failed(act.text)
        for pattern in found if counts else ():
            if pattern in self._greps_seen:
                self._counts["greps_repeated"] += 1
                if self._landings.get(pattern) in {*played.files, *found[pattern]}:
                    self._counts["greps_answered"] += 1
        self._greps_seen.update(found)

    def _failed(self, text: str) -> None:
        if failures.is_harness(text):
            return
        self._counts["failures"] += 1
        self._counts["failures_known"] += any(sign in self._fixes for sign in failures.signs(text))

    def _served(self, played: Played) -> None:
        """Count the tokens of the nearest memories that the session would have been given at its
        start."""
        begun = set(played.files[:2])
        modules = {path.rpartition("/")[0] for path in begun}
        near = [
            one
            for _, one in self._promoted.values()
            if one.signal in default_signals()
            and (begun & set(one.files) or modules & set(one.modules) or not one.files)
        ]
        near.sort(key=lambda one: -one.priority)
        room = _ROOM
        for one in near[:_SERVED]:
            room -= min(len(one.content), _LINE, room)
        self._tokens.append((_ROOM - room) // _TOKEN)

    def figures(self) -> dict[str, Any]:
        """All figures except the table of signals."""
        counts = self._counts
        return {
            "refusals": counts["refusals"],
            "refusals_with_words": counts["refusals_with_words"],
            "refusals_captured": counts["refusals_captured"],
            "repeated_greps": counts["greps_repeated"],
            "repeated_greps_answered": _share(counts["greps_answered"], counts["greps_repeated"]),
            "failed_commands": counts["failures"],
            "failed_commands_with_known_fix": _share(counts["failures_known"], counts["failures"]),
            "injected_tokens_per_session": round(sum(self._tokens) / max(1, len(self._tokens))),
            "observe_us": {
                "p50": round(_quantile(self.times, 0.5) / 1_000, 1),
                "p99": round(_quantile(self.times, 0.99) / 1_000, 1),
            },
            "finish_ms": {
                "p50": round(median(self.finishes or [0.0]) * 1_000, 2),
                "max": round(max(self.finishes, default=0.0) * 1_000, 2),
            },
            "faults": counts["faults"],
        }

    def signals(self) -> dict[str, dict[str, Any]]:
        """Figures per signal: firings, sessions, promotions, and how many promotions held."""
        promoted = Counter(signal for signal, _ in self._promoted)
        table: dict[str, dict[str, Any]] = {}
        for signal, traits in sorted(TRAITS.items(), key=lambda item: item[1].number):
            row: dict[str, Any] = {
                "number": traits.number,
                "on": traits.on,
                "noticed": self._noticed[signal],
                "sessions": self._in_sessions[signal],
                "promoted": promoted[signal],
            }
            held = self._held(signal)
            if held is not None:
                row["held"], row["by_chance"], row["occasions"] = held
            table[signal.value] = row
        return table

    def _held(self, signal: Signal) -> tuple[float, float, int] | None:
        """Share of promotions that held in later sessions, and the share expected by chance."""
        if signal not in (Signal.CO_ACCESS, Signal.CONFIG_TOUCH, Signal.FILE_ACCESS):
            return None
        held = occasions = 0
        chance = 0.0
        for (kind, _), (place, one) in self._promoted.items():
            if kind is not signal:
                continue
            for later in self._facts[place:]:
                if signal is Signal.FILE_ACCESS:
                    applies, inside = one.modules[0] in later.modules, _paths(later)
                    wanted = one.files[:1]
                else:
                    applies, inside = one.files[0] in later.edited, set(later.edited)
                    wanted = one.files[1:2]
                if applies and len(later.files) > 1:
                    occasions += 1
                    held += wanted[0] in inside
                    chance += self._usual(wanted[0], edited=signal is not Signal.FILE_ACCESS)
        if not occasions:
            return None
        return round(held / occasions, 3), round(chance / occasions, 3), occasions

    def _usual(self, path: str, *, edited: bool) -> float:
        inside = sum(path in (past.edited if edited else _paths(past)) for past in self._facts)
        return inside / max(1, len(self._facts))


def _paths(facts: SessionFacts) -> set[str]:
    return {file.path for file in facts.files}


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _quantile(values: Sequence[int], share: float) -> float:
    ordered = sorted(values) or [0]
    return float(ordered[min(len(ordered) - 1, int(len(ordered) * share))])
