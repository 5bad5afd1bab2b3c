"""``Observer``: receives the acts of an agent and reports what is worth remembering.

Processing an act costs a bounded amount of work, never raises, and never accesses a database or a
disk. An error in a detector is counted and logged; the other detectors still receive the act, and
while candidates are collected, only those of that detector are missing.
"""

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from recollect.observer.across import is_config
from recollect.observer.bounded_words import bound_of, is_lasting
from recollect.observer.candidates import CAPS, PHASES, TAINT_FACTOR, Candidate, SessionType
from recollect.observer.commands import SHELLS, commit_made
from recollect.observer.facts import SessionFacts
from recollect.observer.gates import rank, reason_to_hold
from recollect.observer.history import EDITING, TOUCHING
from recollect.observer.material import MaterialLine, readable
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals import Detector
from recollect.observer.signals.admitted_mistakes import Words
from recollect.observer.signals.call_recipes import CallRecipes
from recollect.observer.signals.choices import Choices
from recollect.observer.signals.commit_statements import CommitStatements
from recollect.observer.signals.edits import Edits
from recollect.observer.signals.errors import Errors
from recollect.observer.signals.mends import Mends
from recollect.observer.signals.rule_notes import RuleNotes
from recollect.observer.signals.searches import Searches
from recollect.observer.signals.totals import Totals
from recollect.observer.signals.turns import Turns
from recollect.observer.signals.work import WorkDetector
from recollect.observer.sketches import Sketch
from recollect.observer.taxonomy import LEAST_SCORE, TRAITS, Signal
from recollect.observer.wish_relations import users_words
from recollect.vocabulary.acts import LONGEST_TEXT, Act, ActKind, Origin, clipped
from recollect.vocabulary.arguments import is_commit
from recollect.vocabulary.bounded_wishes import LONGEST, branch_unit
from recollect.vocabulary.memory import WorkUnit
from recollect.vocabulary.origins import origin_of
from recollect.vocabulary.phases import Phase

_log: Final = logging.getLogger(__name__)

VERSION: Final = 1
#: Maximum number of failures with fixes kept in a session's facts.
FIXES: Final = 50
#: Number of searches for a pattern from which the session is told where it led.
REPEATED: Final = 3
#: Confidence of a wish for the work at hand.
TOLD_BOUND: Final = 0.75
_ANSWERS: Final = frozenset({ActKind.RESULT, ActKind.FAILURE, ActKind.REFUSAL})
_SAID: Final = frozenset({ActKind.ANSWER, ActKind.REASONING})


def default_signals() -> frozenset[Signal]:
    """Signals that proved useful on real sessions."""
    return frozenset(signal for signal, traits in TRAITS.items() if traits.on)


@dataclass(frozen=True, slots=True)
class Report:
    """Activity and findings of a session up to a moment."""

    facts: SessionFacts
    candidates: Sequence[Candidate]
    session_type: SessionType = SessionType.BUILD
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    material: Sequence[MaterialLine] = ()
    #: Why nothing may be learned from the session yet; None if it may be.
    held: str | None = None


class Observer:
    """Observes one session."""

    def __init__(
        self,
        session: str,
        *,
        session_type: SessionType = SessionType.BUILD,
        signals: Collection[Signal] | None = None,
    ) -> None:
        self.session = session
        self.session_type = session_type
        #: Current phase of work.
        self.phase = Phase.IMPLEMENT.value
        #: The phase, where the session's stage or type tells it: what is learned is marked with it.
        self.known_phase: Phase | None = PHASES.get(session_type)
        #: Unit of work of the session, if it has one.
        self.unit: WorkUnit | None = None
        self.faults = 0
        self._verdict: bool | None = None
        self._accepted = False
        self._on = frozenset(default_signals() if signals is None else signals)
        self._pad = Scratchpad(session)
        self._totals = Totals()
        self._searches, self._words = Searches(), Words()
        self._turns, self._errors, self._notes = Turns(), Errors(), RuleNotes()
        self._detectors: list[Detector] = [
            self._turns,
            self._words,
            self._errors,
            self._notes,
            Choices(),
            CommitStatements(),
            Mends(),
            CallRecipes(),
            Edits(),
            WorkDetector(),
            self._searches,
            self._totals,
        ]
        self._listening = _listening(self._detectors)

    @property
    def acts(self) -> int:
        """Number of acts received."""
        return self._pad.acts

    def observe(self, act: Act) -> None:
        """Process one act in constant time; never raises."""
        try:
            self._take(act)
        except Exception as error:  # noqa: BLE001 the agent must never feel that it is watched
            self._fault("an act", error)

    def _fault(self, what: str, error: Exception) -> None:
        """Count and log a failure, without the text of the act, which may contain anything."""
        self.faults += 1
        _log.warning("The observer could not follow %s: %s", what, type(error).__name__)

    def note_commit(self, commit: str) -> None:
        """Record the commit checked out now; later findings are stored with it."""
        if is_commit(commit):
            self._pad.note_commit(commit.lower())

    def facts(self) -> SessionFacts:
        """Use of files in the session, for comparison with other sessions."""
        return replace(
            self._totals.facts(self._pad),
            searches=self._searches.landings(),
            dead_ends=self._words.dead_ends(),
            phase=self.phase,
            session_type=self.session_type.value,
        )

    def validated(self, *, passed: bool) -> None:
        """Record a reviewer's verdict on the session's work. The first counts for the figures, the
        last decides whether a build may teach."""
        self._verdict = passed
        self._totals.judged(passed=passed)

    @property
    def verdict(self) -> bool | None:
        """The last verdict of a reviewer; None if there was none."""
        return self._verdict

    def plans(self, steps: float) -> None:
        """Record how many steps the work is to take from here; the first plan counts."""
        self._totals.plans(steps)

    def accept(self) -> None:
        """Record that the specification was accepted, or the review is done."""
        self._accepted = True

    @property
    def held(self) -> str | None:
        """Why the session may not teach yet; None if it may."""
        return reason_to_hold(self.session_type, verdict=self._verdict, accepted=self._accepted)

    def sketches(self) -> dict[str, Sketch]:
        """Sketches of the files that the session saw: names defined and mentioned."""
        return self._totals.sketches()

    def report(self, *, over: bool = True) -> Report:
        """Snapshot of everything that learning needs; observation may continue.

        A session that is not over is not compared with others yet.
        """
        noticed = self._noticed()
        found = [one for one in noticed if one.signal in self._on]
        facts = replace(self.facts(), fixes=fixes_of(noticed))
        if not over:
            return Report(facts, found, self.session_type, held=self.held)
        sketches, material = self.sketches(), self.material()
        return Report(facts, found, self.session_type, sketches, material, self.held)

    def turns(self) -> list[dict[str, Any]]:
        """Turns of the user as they were recorded, for fitting the weights of the scores."""
        return self._turns.state()[0]  # type: ignore[no-any-return]

    def material(self) -> tuple[MaterialLine, ...]:
        """Lines of the session that a model may read."""
        parts = (self._turns, self._errors, self._notes)
        return readable(line for part in parts for line in part.lines(self._pad))

    def early(self) -> list[Candidate]:
        """Candidates usable within this session: those that one session suffices for, and errors
        once there are two of them."""
        found = capped(self._noticed(), self.session_type)
        errors = sum(one.signal is Signal.ERROR_RETRY for one in found)
        return [
            one
            for one in found
            if one.needed_sessions == 1 or (one.signal is Signal.ERROR_RETRY and errors > 1)
        ]

    def repeated_searches(self) -> list[tuple[str, int, str]]:
        """Patterns that this session searched for at least three times, how often, and the file
        that answered; empty where none did."""
        return self._searches.repeated(REPEATED)

    def touched_configuration(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Configuration files that this session changed, and everything it changed; both are empty
        until it has changed two files."""
        edited = tuple(path for path, use in self._pad.files.items() if use.edits)
        found = tuple(path for path in edited if is_config(path))
        return (found, edited) if found and len(edited) > 1 else ((), ())

    def finish(self) -> list[Candidate]:
        """Candidates of the session, most important first, within the cap of its type.

        They include candidates that several sessions must show; promotion counts the sessions.
        """
        return capped(self.candidates(), self.session_type)

    def candidates(self) -> list[Candidate]:
        """All candidates of enabled signals, marked if they follow outside text."""
        return [one for one in self._noticed() if one.signal in self._on]

    def _noticed(self) -> list[Candidate]:
        """Candidates, and fixes of failures, which are facts for the next session that fails the
        same way."""
        found: list[Candidate] = []
        for detector in self._detectors:
            try:
                found.extend(detector.gather(self._pad))
            except Exception as error:  # noqa: BLE001 one signal's fault is not another's
                self._fault(type(detector).__name__, error)
        return self._gated(found)

    def subtask_done(self) -> list[Candidate]:
        """Candidates of a validated subtask; observation continues."""
        return self.finish()

    def checkpoint(self) -> dict[str, Any]:
        """Complete state as JSON values; ``restore`` continues from it."""
        return {
            "version": VERSION,
            "session": self.session,
            "session_type": self.session_type.value,
            "verdict": self._verdict,
            "accepted": self._accepted,
            "signals": sorted(signal.value for signal in self._on),
            "pad": self._pad.state(),
            "detectors": {detector.name: detector.state() for detector in self._detectors},
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any]) -> Self:
        """Create an observer that continues from a checkpoint."""
        whole = json.loads(json.dumps(checkpoint))
        observer = cls(
            str(whole["session"]),
            session_type=SessionType(whole["session_type"]),
            signals=[Signal(name) for name in whole["signals"]],
        )
        observer._verdict = whole.get("verdict")
        observer._accepted = bool(whole.get("accepted"))
        observer._pad = Scratchpad.resumed(whole["pad"])
        for detector in observer._detectors:
            if detector.name in whole["detectors"]:
                detector.resume(whole["detectors"][detector.name])
        return observer

    def _take(self, act: Act) -> None:
        pad = self._pad
        pad.acts += 1
        if len(act.text) > LONGEST_TEXT:
            act = replace(act, text=clipped(act.text))
        pad.step = max(pad.step, act.step)
        pad.note_time(act)
        pad.note_branch(act.branch)
        if act.kind is ActKind.CALL:
            pad.note_call(act)
            if act.paths and act.tool in TOUCHING:
                pad.touch(act.paths[0], act, edited=act.tool in EDITING)
        elif act.kind is ActKind.PROMPT:
            pad.prompt = pad.prompt or act.text[:1_000]
            if act.agent is None:
                pad.note_turn()
        for detector in self._listening.get(act.kind, ()):
            try:
                detector.hear(act, pad)
            except Exception as error:  # noqa: BLE001 one signal's fault is not another's
                self._fault(type(detector).__name__, error)
        if act.kind in _ANSWERS:
            self._answered(act)
        elif act.kind in _SAID:
            pad.note_statement(act)

    def _answered(self, act: Act) -> None:
        """Close a call; its result may be outside text."""
        pad = self._pad
        call = pad.call_of(act)
        if act.call is not None:
            pad.calls.pop(act.call, None)
        if act.kind is ActKind.REFUSAL:
            return
        tool = call.tool or act.tool
        if tool in SHELLS and act.kind is ActKind.RESULT:
            made = commit_made(call.arguments.get("command"), act.text)
            if made:
                pad.note_commit(made)
        if act.outside or origin_of(tool, call.arguments) is Origin.OUTSIDE:
            pad.taint(act, tool or "outside")

    def _gated(self, found: Iterable[Candidate]) -> list[Candidate]:
        """Candidates of enabled signals, with time and commit. Those that follow outside text are
        marked and lose confidence; the user's own words are never marked."""
        kept: list[Candidate] = []
        for one in found:
            on = one.signal in self._on or one.signal is Signal.ERROR_RETRY
            if not on or TRAITS[one.signal].score < LEAST_SCORE:
                continue
            at, commit = self._pad.time_of(one.step), self._commit_of(one)
            one = replace(one, at=one.at or at, commit=commit, phase=self.known_phase)  # noqa: PLW2901
            one = self._bound(one)  # noqa: PLW2901
            source = None if one.quote else one.tainted_by or self._pad.tainted(one.step)
            if source is None:
                kept.append(one)
            else:
                kept.append(
                    replace(one, tainted_by=source, confidence=one.confidence * TAINT_FACTOR)
                )
        return kept

    def _commit_of(self, one: Candidate) -> str | None:
        """The commit that a finding belongs to: the one that it is of, or with which the session
        kept its files; otherwise the one checked out then."""
        pad = self._pad
        return one.commit or pad.made_with(one.step, one.files) or pad.commit_of(one.step)

    def _bound(self, one: Candidate) -> Candidate:
        """What a user said for the work at hand only, bound to it; others as they are. Bound, it is
        told although it does not last: to who goes on with this work, until it ends."""
        said = users_words(one.content) if one.is_by_user else ""
        phrase = bound_of(said) if said else ""
        if not phrase:
            return one
        unit = self.unit or branch_unit(self._pad.branch_of(one.step))
        end = "" if one.at is None else f", until {one.at + LONGEST:%Y-%m-%d} at the latest"
        told = f"{one.content}\nHolds for this work only (“{phrase}”): {unit.label}{end}."
        lifted = one.unsure and is_lasting(said)
        sure = max(one.confidence, TOLD_BOUND) if lifted else one.confidence
        return replace(
            one, content=told, unit=unit, unsure=one.unsure and not lifted, confidence=sure
        )


def fixes_of(found: Iterable[Candidate]) -> tuple[tuple[str, str], ...]:
    """Fixes of failures that outside text did not influence; one entry per rule."""
    helped = [(key, one.content) for one in found if one.tainted_by is None for key in _helped(one)]
    return tuple(dict(reversed(helped)).items())[:FIXES]


def _helped(one: Candidate) -> list[str]:
    """Failures that a finding fixes."""
    if one.signal is Signal.CHECK_RULE:
        return [f"rule:{rule}" for rule in one.key.removeprefix("rule:").split()]
    return [one.key] if one.signal is Signal.ERROR_RETRY else []


def capped(found: Iterable[Candidate], session_type: SessionType) -> list[Candidate]:
    """Most important candidates, each key once, up to the cap of the session's type."""
    best: dict[tuple[Signal, str], Candidate] = {}
    for one in sorted(found, key=lambda one: (*rank(one, session_type), one.step, one.key)):
        best.setdefault((one.signal, one.key), one)
    return list(best.values())[: CAPS[session_type]]


def _listening(detectors: Iterable[Detector]) -> dict[ActKind, list[Detector]]:
    table: dict[ActKind, list[Detector]] = {}
    for detector in detectors:
        for kind in detector.hears:
            table.setdefault(kind, []).append(detector)
    return table
